//===- IndexList.h - rows and bins in messages ------------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kowari::data {

/// "rows 3, 7 and 9", "row 3", "bins 50 to 54"; runs are contracted and long lists cut: "rows 1, 3, 5, ...
/// (60 in all)". `indices` are ascending and not empty.
std::string listIndices(const std::string &noun, const std::vector<int64_t> &indices);

/// "H1, L1"; "none" for an empty list.
std::string listNames(const std::vector<std::string> &names);

} // namespace kowari::data
