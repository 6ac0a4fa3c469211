//===- PythonLiteral.h - reads the text of a Python literal -----*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Dingo stores settings in HDF5 attributes as str(dict). This parser accepts literals only: dictionaries with
// text keys, lists, tuples (read as lists), text in either quote with escapes, integers of 64 bits, floats
// with inf and nan, True, False and None. Anything else, such as a call or a name, is an error with its
// position; nothing is ever evaluated.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Status.h"
#include "runtime/support/Value.h"

#include <string_view>

namespace kowari {

/// The error says the character position, counted from 1, and what stands there.
Result<Value> parsePythonLiteral(std::string_view text);

} // namespace kowari
