//===- matrix_product_bench.cpp - oneDNN against OpenBLAS -------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Measures both libraries at the shapes of the toy and of npe_512: the forward product x W^T, the input
// gradient dY W and the weight gradient dY^T x, row-major with padded strides, and with feature-major
// results. The table of runtime/cpu/ProductTable.cpp is derived from its output.
//
//   bench-matrix-product [--threads=N] [--benchmark_filter=REGEX] ...
//
// Names: which product / rows / inputs / outputs / library. GFlops counts 2 m n k.
//===----------------------------------------------------------------------===//
#include "runtime/cpu/Machine.h"
#include "runtime/cpu/Threads.h"

#include <benchmark/benchmark.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

using namespace kowari::cpu;

namespace {

/// A linear layer: x is rows x inputs, W is outputs x inputs, y is rows x outputs.
struct Layer {
  int64_t rows, inputs, outputs;
};

const std::vector<Layer> layers = {
    // toy at its batch of 64 and at 512
    {64, 64, 64},
    {64, 128, 64},
    {64, 64, 115},
    {64, 3, 64},
    {64, 200, 1024},
    {64, 1024, 512},
    {64, 512, 256},
    {64, 256, 128},
    {64, 128, 640},
    {64, 12051, 100},
    {512, 64, 64},
    {512, 128, 640},
    {512, 1024, 512},
    {512, 12051, 100},
    // npe_512 and npe_1024 at 256 rows
    {256, 512, 512},
    {256, 128, 512},
    {256, 512, 184},
    {256, 1024, 1024},
    {256, 400, 1024},
    {256, 8, 512},
    {256, 128, 2560},
    {256, 24099, 200}};

enum class Direction { Forward, ForwardFeatureMajor, InputGradient, WeightGradient };

/// Rows are padded to a multiple of 16 floats that is no power of two, as the memory plan does.
int64_t padded(int64_t columns) {
  int64_t line = (columns + 15) / 16 * 16;
  return (line & (line - 1)) == 0 ? line + 16 : line;
}

ProductSpec product(const Layer &layer, Direction direction) {
  const int64_t x = padded(layer.inputs), y = padded(layer.outputs), rowLine = padded(layer.rows);
  ProductSpec s;
  switch (direction) {
  case Direction::Forward:
    s.m = layer.rows, s.n = layer.outputs, s.k = layer.inputs;
    s.aStride0 = x, s.aStride1 = 1, s.bStride0 = 1, s.bStride1 = x, s.cStride0 = y, s.cStride1 = 1;
    s.bias = true;
    break;
  case Direction::ForwardFeatureMajor:
    s.m = layer.rows, s.n = layer.outputs, s.k = layer.inputs;
    s.aStride0 = x, s.aStride1 = 1, s.bStride0 = 1, s.bStride1 = x, s.cStride0 = 1, s.cStride1 = rowLine;
    s.bias = true;
    break;
  case Direction::InputGradient:
    s.m = layer.rows, s.n = layer.inputs, s.k = layer.outputs;
    s.aStride0 = y, s.aStride1 = 1, s.bStride0 = x, s.bStride1 = 1, s.cStride0 = x, s.cStride1 = 1;
    break;
  case Direction::WeightGradient:
    s.m = layer.outputs, s.n = layer.inputs, s.k = layer.rows;
    s.aStride0 = 1, s.aStride1 = y, s.bStride0 = x, s.bStride1 = 1, s.cStride0 = x, s.cStride1 = 1;
    break;
  }
  return s;
}

void measure(benchmark::State &state, ProductSpec spec, int threads) {
  auto prepared = makeProduct(spec, threads);
  if (!prepared)
    return state.SkipWithError(prepared.status().message().c_str());
  const auto values = [](int64_t d0, int64_t s0, int64_t d1, int64_t s1) {
    std::vector<float> v(size_t((d0 - 1) * s0 + (d1 - 1) * s1 + 1));
    for (size_t i = 0; i < v.size(); ++i)
      v[i] = 1e-3f * float(i % 1013);
    return v;
  };
  const auto a = values(spec.m, spec.aStride0, spec.k, spec.aStride1);
  const auto b = values(spec.k, spec.bStride0, spec.n, spec.bStride1);
  auto c = values(spec.m, spec.cStride0, spec.n, spec.cStride1);
  const std::vector<float> bias(size_t(spec.n), 0.5f);
  for (auto _ : state)
    if (!(*prepared)->run(a.data(), b.data(), c.data(), spec.bias ? bias.data() : nullptr))
      return state.SkipWithError("the product failed");
  state.counters["GFlops"] = benchmark::Counter(2e-9 * double(spec.m) * double(spec.n) * double(spec.k),
                                                benchmark::Counter::kIsIterationInvariantRate);
}

void addLayer(const Layer &layer, int threads) {
  const std::vector<std::pair<Direction, const char *>> directions = {
      {Direction::Forward, "forward"},
      {Direction::ForwardFeatureMajor, "forward_t"},
      {Direction::InputGradient, "dx"},
      {Direction::WeightGradient, "dw"}};
  for (const auto &[direction, name] : directions)
    for (const ProductLibrary library : {ProductLibrary::OneDnn, ProductLibrary::OpenBlas}) {
      ProductSpec spec = product(layer, direction);
      spec.library = library;
      const std::string title = std::string(name) + "/" + std::to_string(layer.rows) + "/" +
                                std::to_string(layer.inputs) + "/" + std::to_string(layer.outputs) + "/" +
                                (library == ProductLibrary::OneDnn ? "onednn" : "openblas");
      benchmark::RegisterBenchmark(title.c_str(), measure, spec, threads)->UseRealTime();
    }
}

} // namespace

int main(int argc, char **argv) {
  int threads = availableCores();
  for (int i = 1; i < argc; ++i)
    if (std::strncmp(argv[i], "--threads=", 10) == 0) {
      threads = std::max(1, std::atoi(argv[i] + 10));
      std::copy(argv + i + 1, argv + argc + 1, argv + i);
      --argc, --i;
    }
  for (const Layer &layer : layers)
    addLayer(layer, threads);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return 1;
  if (const auto libraries = productLibraries())
    for (const std::string &library : *libraries)
      std::fprintf(stderr, "%s\n", library.c_str());
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
