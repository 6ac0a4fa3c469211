//===- YamlScalar.h - what an unquoted YAML scalar means --------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// The implicit types of YAML 1.1 as PyYAML (and so Dingo) resolves them: yes/no/on/off are booleans, 010 is
// 8, 1:30 is 90, 5e-5 is text because a float needs a dot and a signed exponent.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Status.h"
#include "runtime/support/Value.h"

#include <optional>
#include <string_view>

namespace kowari {

/// Timestamp, Merge (<<) and Default (=) are types of their own to PyYAML; here their values are text.
enum class YamlScalarKind { Null, Bool, Int, Float, String, Timestamp, Merge, Default };

YamlScalarKind yamlScalarKind(std::string_view plainText);

/// The value of a plain scalar. An integer beyond 64 bits is an error.
Result<Value> yamlScalarValue(std::string_view plainText);

/// The number that a person meant by a text such as 5e-5, 1e6, 1.0e5 or 1.e-3, which PyYAML leaves a string.
std::optional<double> lenientNumber(std::string_view text);

} // namespace kowari
