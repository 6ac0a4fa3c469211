//===- IndexList.cpp - rows and bins in messages --------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/data/IndexList.h"

namespace kowari::data {

std::string listIndices(const std::string &noun, const std::vector<int64_t> &indices) {
  constexpr size_t maxParts = 6;
  std::vector<std::string> parts;
  bool cut = false;
  for (size_t begin = 0; begin < indices.size();) {
    size_t end = begin + 1;
    while (end < indices.size() && indices[end] == indices[end - 1] + 1)
      ++end;
    if (parts.size() == maxParts) {
      cut = true;
      break;
    }
    std::string first = std::to_string(indices[begin]), last = std::to_string(indices[end - 1]);
    parts.push_back(end - begin == 1   ? first
                    : end - begin == 2 ? first + ", " + last
                                       : first + " to " + last);
    begin = end;
  }
  std::string text = noun + (indices.size() == 1 ? " " : "s ");
  for (size_t k = 0; k < parts.size(); ++k)
    text += (k == 0 ? "" : !cut && k + 1 == parts.size() ? " and " : ", ") + parts[k];
  return cut ? text + ", ... (" + std::to_string(indices.size()) + " in all)" : text;
}

std::string listNames(const std::vector<std::string> &names) {
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "none" : text;
}

} // namespace kowari::data
