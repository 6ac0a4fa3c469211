//===- PythonFormat.cpp - numbers as Python prints them ------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/train/PythonFormat.h"

#include "runtime/support/Value.h"

#include <cmath>
#include <cstdio>

namespace kowari::train {

std::string pythonRepr(const std::vector<double> &values) {
  std::string text = "[";
  for (size_t i = 0; i < values.size(); ++i)
    text += (i ? ", " : "") + pythonFloatRepr(values[i]);
  return text + "]";
}

std::string pythonFixed(double value, int digits) {
  if (std::isnan(value)) // printf would give a NaN's sign, Python does not
    return "nan";
  int length = std::snprintf(nullptr, 0, "%.*f", digits, value);
  std::string text(static_cast<size_t>(length), '\0');
  std::snprintf(text.data(), text.size() + 1, "%.*f", digits, value);
  return text;
}

std::string minutesAndSeconds(double seconds) {
  double minutes = std::floor(seconds / 60.0);
  std::string left = pythonFixed(minutes, 0), right = pythonFixed(seconds - 60.0 * minutes, 0);
  auto pad = [](const std::string &text) { return text.size() < 2 ? " " + text : text; };
  return pad(left) + ":" + pad(right);
}

} // namespace kowari::train
