//===- Devices.cpp - what named devices can do ----------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
// CPUs: cores x clock x flops a cycle and core (AVX2 and Zen 4: two fused multiply-adds of 256 bits a cycle,
// 32 flops in float32). GPUs: the vendor's data sheets of the SXM cards, dense rates; products in float32
// proper, not TF32, which the CPU's results are compared with.
//
//===----------------------------------------------------------------------===//
#include "frontend/inspect/Devices.h"

namespace kowari::inspect {
namespace {

constexpr double giga = 1e9, tera = 1e12, micro = 1e-6;

// name, description, products f32 and f64, other f32 and f64, bandwidth, launch
constexpr Device table[] = {
    {"generic", "one core with AVX2 at 3 GHz", 96 * giga, 48 * giga, 96 * giga, 48 * giga, 15 * giga,
     0.5 * micro},
    {"avx2-2c", "two cores with AVX2 at 3 GHz", 192 * giga, 96 * giga, 192 * giga, 96 * giga, 25 * giga,
     1 * micro},
    {"zen4-16c", "16 Zen 4 cores at 3.7 GHz, two channels of DDR5-5200", 1894 * giga, 947 * giga, 1894 * giga,
     947 * giga, 83 * giga, 3 * micro},
    {"a100", "NVIDIA A100 SXM, 80 GB", 19.5 * tera, 19.5 * tera, 19.5 * tera, 9.7 * tera, 2039 * giga,
     3 * micro},
    {"h100", "NVIDIA H100 SXM, 80 GB", 67 * tera, 67 * tera, 67 * tera, 34 * tera, 3350 * giga, 3 * micro},
    {"h200", "NVIDIA H200 SXM, 141 GB", 67 * tera, 67 * tera, 67 * tera, 34 * tera, 4800 * giga, 3 * micro},
};

} // namespace

std::span<const Device> devices() { return table; }

const Device *findDevice(const std::string &name) {
  for (const Device &device : table)
    if (name == device.name)
      return &device;
  return nullptr;
}

std::string deviceNames() {
  std::string names;
  for (const Device &device : table)
    names += (names.empty() ? "" : ", ") + std::string(device.name);
  return names;
}

} // namespace kowari::inspect
