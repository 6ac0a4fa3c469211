//===- Schema.cpp - looking keys up in the table --------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "frontend/settings/Schema.h"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace kowari {

std::vector<std::string> splitWords(std::string_view words) {
  std::vector<std::string> result;
  while (!words.empty()) {
    const std::size_t bar = words.find('|');
    result.emplace_back(words.substr(0, bar));
    words.remove_prefix(bar == std::string_view::npos ? words.size() : bar + 1);
  }
  return result;
}

std::string settingPattern(std::string_view path) {
  static constexpr std::string_view prefix = "training.stage_";
  if (!path.starts_with(prefix))
    return std::string(path);
  std::size_t end = prefix.size();
  while (end < path.size() && std::isdigit(static_cast<unsigned char>(path[end])))
    ++end;
  const bool number = end > prefix.size() && (end == path.size() || path[end] == '.') &&
                      (path[prefix.size()] != '0' || end == prefix.size() + 1);
  return number ? std::string(prefix) + "N" + std::string(path.substr(end)) : std::string(path);
}

bool appliesTo(const SettingRow &row, std::string_view sectionType) {
  const std::vector<std::string> types = splitWords(row.onlyFor);
  return types.empty() || std::find(types.begin(), types.end(), sectionType) != types.end();
}

std::string settingKey(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  return std::string(dot == std::string_view::npos ? path : path.substr(dot + 1));
}

std::string settingParent(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  return std::string(dot == std::string_view::npos ? std::string_view() : path.substr(0, dot));
}

const SettingRow *findSettingRow(std::string_view path, std::string_view sectionType) {
  const std::string pattern = settingPattern(path);
  if (pattern == path && path.starts_with("training.stage_N"))
    return nullptr; // the letter N stands for numbers only
  const SettingRow *any = nullptr;
  for (const SettingRow &row : settingRows()) {
    if (pattern != row.path)
      continue;
    if (appliesTo(row, sectionType))
      return &row;
    any = &row;
  }
  return any;
}

std::vector<const SettingRow *> settingRowsBelow(std::string_view section) {
  std::vector<const SettingRow *> below;
  for (const SettingRow &row : settingRows()) {
    if (settingParent(row.path) == section)
      below.push_back(&row);
  }
  return below;
}

/// Insertions, deletions, replacements and swaps of neighbours that turn one word into the other.
static std::size_t editDistance(const std::string &a, const std::string &b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i)
    d[i][0] = i;
  std::iota(d[0].begin(), d[0].end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i)
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      d[i][j] = std::min({replace, d[i - 1][j] + 1, d[i][j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

std::string lowerCase(std::string_view word) {
  std::string result(word);
  for (char &c : result)
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

std::string nearestWord(std::string_view word, const std::vector<std::string> &candidates) {
  std::string best;
  std::size_t bestDistance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string &candidate : candidates) {
    const std::size_t distance = editDistance(lowerCase(word), lowerCase(candidate));
    if (distance < bestDistance) {
      bestDistance = distance;
      best = candidate;
    }
  }
  return best;
}

} // namespace kowari
