//===- Devices.h - what named devices can do --------------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <span>
#include <string>

namespace kowari::inspect {

/// Peak rates. Docs and sources of the numbers: docs/inspect.md.
struct Device {
  const char *name;
  const char *description;
  double productF32, productF64; // flop/s of matrix products
  double vectorF32, vectorF64;   // flop/s of everything else
  double bandwidth;              // bytes/s of main memory
  double launchSeconds;          // cost of one step, whatever it does
};

std::span<const Device> devices();
/// Null when there is none of that name.
const Device *findDevice(const std::string &name);
/// "avx2-2c, zen4-16c, ...": for messages.
std::string deviceNames();

} // namespace kowari::inspect
