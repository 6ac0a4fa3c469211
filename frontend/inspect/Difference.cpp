//===- Difference.cpp - two artifacts compared ----------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "frontend/inspect/Difference.h"

#include "frontend/inspect/ArtifactReport.h"
#include "frontend/inspect/MemoryReport.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <iterator>
#include <map>
#include <set>

namespace kowari::inspect {
namespace {

namespace fb = plan::fb;
using Leaves = std::map<std::string, std::string>;
using Json = nlohmann::json;

void addLeaves(const Json &json, const std::string &path, Leaves &leaves) {
  if (json.is_structured() && !json.empty()) {
    for (const auto &[key, child] : json.items())
      addLeaves(child, path.empty() ? key : path + "." + key, leaves);
    return;
  }
  leaves[path.empty() ? "spec" : path] = json.is_string() ? json.get<std::string>() : json.dump();
}

Leaves settingsOf(const fb::Manifest &manifest) {
  Leaves leaves;
  const Json spec = Json::parse(manifest.spec()->str(), nullptr, false);
  if (spec.is_discarded())
    leaves["spec"] = manifest.spec()->str();
  else
    addLeaves(spec, "", leaves);
  std::set<std::string> features;
  for (const auto *feature : *manifest.cpu_features())
    features.insert(feature->str());
  std::string needs;
  for (const std::string &feature : features)
    needs += (needs.empty() ? "" : " ") + feature;
  leaves["(code for)"] = manifest.target()->str();
  leaves["(needs)"] = needs;
  leaves["(compiler)"] = manifest.build_id()->str();
  return leaves;
}

Leaves numbersOf(const plan::ArtifactFile &file) {
  const fb::Manifest &manifest = file.manifest();
  Leaves leaves = {{"bytes of the file", std::to_string(file.fileBytes())},
                   {"bytes of code", std::to_string(file.code().size())},
                   {"bytes of the arena", std::to_string(manifest.arena_bytes())},
                   {"bytes of it persistent", std::to_string(manifest.persistent_bytes())},
                   {"kernels", std::to_string(manifest.kernels()->size())},
                   {"tensors", std::to_string(manifest.tensors()->size())}};
  for (const fb::Entry *entry : *manifest.entries()) {
    const EntryCounts counts = countSteps(*entry);
    const std::string name = counts.name + ": ";
    leaves[name + "steps"] = std::to_string(counts.steps);
    leaves[name + "kernels"] = std::to_string(counts.kernels);
    leaves[name + "gemms"] = std::to_string(counts.gemms);
    for (const auto &[kind, count] : counts.others)
      leaves[name + kind] = std::to_string(count);
  }
  for (const EntryMemory &entry : reportMemory(manifest).entries)
    leaves[entry.name + ": peak bytes"] = std::to_string(entry.peakBytes);
  return leaves;
}

std::vector<Change> compareLeaves(const Leaves &before, const Leaves &after) {
  std::vector<Change> changes;
  for (const auto &[name, value] : before) {
    const auto other = after.find(name);
    if (other == after.end())
      changes.push_back({name, value, ""});
    else if (other->second != value)
      changes.push_back({name, value, other->second});
  }
  for (const auto &[name, value] : after)
    if (!before.count(name))
      changes.push_back({name, "", value});
  return changes;
}

/// "k12_add_bias" -> "add_bias".
std::string nameOfKernel(const std::string &symbol) {
  size_t i = 1;
  while (i < symbol.size() && std::isdigit(static_cast<unsigned char>(symbol[i])))
    ++i;
  const bool numbered = symbol[0] == 'k' && i > 1 && i + 1 < symbol.size() && symbol[i] == '_';
  return numbered ? symbol.substr(i + 1) : symbol;
}

std::vector<std::string> kernelNames(const fb::Manifest &manifest) {
  std::vector<std::string> names;
  for (const fb::Kernel *kernel : *manifest.kernels())
    names.push_back(nameOfKernel(kernel->symbol()->str()));
  std::sort(names.begin(), names.end());
  return names;
}

/// " (+12)" when both are whole numbers.
std::string growthText(const Change &change) {
  const auto parse = [](const std::string &text, int64_t &value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
  };
  int64_t before = 0, after = 0;
  if (!parse(change.before, before) || !parse(change.after, after))
    return "";
  return std::string(" (") + (after > before ? "+" : "") + std::to_string(after - before) + ")";
}

std::string changesText(const std::string &title, const std::vector<Change> &changes) {
  std::string text = changes.empty() ? "" : "  " + title + "\n";
  for (const Change &change : changes)
    text += "    " + change.name + ": " + (change.before.empty() ? "(none)" : change.before) + " -> " +
            (change.after.empty() ? "(none)" : change.after) + growthText(change) + "\n";
  return text;
}

Value changesValue(const std::vector<Change> &changes) {
  ValueDict dict;
  for (const Change &change : changes)
    dict[change.name] = ValueDict{{"before", change.before.empty() ? Value() : Value(change.before)},
                                  {"after", change.after.empty() ? Value() : Value(change.after)}};
  return dict;
}

Value namesValue(const std::vector<std::string> &names) { return ValueList(names.begin(), names.end()); }

} // namespace

Difference compare(const plan::ArtifactFile &before, const plan::ArtifactFile &after) {
  Difference difference;
  difference.identical = before.digest() == after.digest();
  if (difference.identical)
    return difference;
  difference.settings = compareLeaves(settingsOf(before.manifest()), settingsOf(after.manifest()));
  difference.numbers = compareLeaves(numbersOf(before), numbersOf(after));
  const std::vector<std::string> old = kernelNames(before.manifest()), now = kernelNames(after.manifest());
  std::set_difference(now.begin(), now.end(), old.begin(), old.end(),
                      std::back_inserter(difference.addedKernels));
  std::set_difference(old.begin(), old.end(), now.begin(), now.end(),
                      std::back_inserter(difference.removedKernels));
  return difference;
}

std::string differenceText(const Difference &difference, const std::string &before,
                           const std::string &after) {
  std::string text = "difference: " + before + " -> " + after + "\n";
  if (difference.identical)
    return text + "  equal content (the same digest)\n";
  text += changesText("what was asked for", difference.settings);
  text += changesText("what came out", difference.numbers);
  for (const std::string &kernel : difference.addedKernels)
    text += "  + kernel " + kernel + "\n";
  for (const std::string &kernel : difference.removedKernels)
    text += "  - kernel " + kernel + "\n";
  if (difference.settings.empty() && difference.numbers.empty() && difference.addedKernels.empty() &&
      difference.removedKernels.empty())
    text += "  equal settings, counts and sizes; operands, offsets or code differ\n";
  return text;
}

Value differenceValue(const Difference &difference, const std::string &before, const std::string &after) {
  return ValueDict{{"before", before},
                   {"after", after},
                   {"identical", difference.identical},
                   {"settings", changesValue(difference.settings)},
                   {"numbers", changesValue(difference.numbers)},
                   {"added_kernels", namesValue(difference.addedKernels)},
                   {"removed_kernels", namesValue(difference.removedKernels)}};
}

} // namespace kowari::inspect
