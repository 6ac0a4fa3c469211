//===- PriorExpression.h - the text of a prior as a tree --------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Reads Module.Class(key=value, ...): numbers with + - * / ** and parentheses, pi and inf (np.pi, np.inf),
// text, lists of numbers, True, False, None, and nested priors. Nothing else is a value; nothing is looked up
// or evaluated.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Status.h"

#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace kowari::data {

struct PriorCall;

/// None is the monostate.
using PriorArgument =
    std::variant<std::monostate, bool, double, std::string, std::vector<double>, std::shared_ptr<PriorCall>>;

struct PriorCall {
  std::string module;    // "bilby.core.prior", "" when not written
  std::string className; // "Uniform"
  /// In the order of the text; the key of a positional argument is empty.
  std::vector<std::pair<std::string, PriorArgument>> arguments;
};

/// The error gives the position, counted from 1.
Result<PriorCall> parsePriorExpression(std::string_view text);

} // namespace kowari::data
