//===- PythonFormat.h - numbers as Python prints them ----------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Beside pythonFloatRepr of runtime/support/Value.h.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>
#include <vector>

namespace kowari::train {

/// A list of floats: "[0.001, 0.1]".
std::string pythonRepr(const std::vector<double> &values);
/// "{:.<digits>f}".format(value): correctly rounded, ties to even; "nan", "inf", "-inf".
std::string pythonFixed(double value, int digits);
/// "{:2.0f}:{:2.0f}".format(*divmod(seconds, 60)).
std::string minutesAndSeconds(double seconds);

} // namespace kowari::train
