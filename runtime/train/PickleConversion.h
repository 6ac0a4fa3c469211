//===- PickleConversion.h - between pickles and values ----------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Value.h"
#include "runtime/train/Pickle.h"

#include <string>

namespace kowari::train {

/// A settings-like value of a pickle. Tuples become lists. A tensor or a dict key that is no text is an error
/// that says where, with `where` as the start of the path ("metadata").
Result<Value> toValue(const PickleValue &pickled, const std::string &where);
/// The other way; lists stay lists.
PickleValue toPickle(const Value &value);

} // namespace kowari::train
