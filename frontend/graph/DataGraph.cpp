//===- DataGraph.cpp - drawing and preparing a batch, as flow -------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "frontend/graph/DataGraph.h"
#include "frontend/graph/FunctionBuilder.h"
#include "runtime/pipeline/TensorNames.h"

using namespace mlir;

namespace kowari::graph {

namespace names = kowari::pipeline;

namespace {

/// Sites of the counter of random numbers: far from those of dropout, which count from 0.
enum Site : int64_t { extrinsicSite = 1 << 20, asdSite = extrinsicSite + 64, noiseSite = asdSite + 64 };

/// Arguments that both entries declare, each when it is first used.
class DataFunction {
public:
  DataFunction(ModuleOp module, StringRef name, const ProgramSpec &spec) : f(module, name, spec), b(f.b) {}

  Value get(StringRef role, const std::string &name, Type type) {
    return f.has(name) ? f.get(name) : f.addArgument(role, name, type);
  }
  Value real(const std::string &name) {
    return get("flow.scalar", name, RankedTensorType::get({}, b.getF64Type()));
  }
  Value integer(const std::string &name) {
    return get("flow.scalar", name, RankedTensorType::get({}, b.getI64Type()));
  }
  Value table(const std::string &name, ArrayRef<int64_t> shape, Type element) {
    return get("flow.constant", name, RankedTensorType::get(shape, element));
  }
  Value rows(const std::string &name, Type element) { return get("flow.batch", name, rowVector(element)); }
  Value sample() { return rows(names::sampleIndex, b.getI64Type()); }
  RankedTensorType rowVector(Type element) const {
    return RankedTensorType::get({ShapedType::kDynamic}, element);
  }

  FunctionBuilder f;
  ImplicitLocOpBuilder &b;
};

class DrawBuilder : public DataFunction {
public:
  DrawBuilder(ModuleOp module, const ProgramSpec &spec) : DataFunction(module, "draw", spec) {}

  void build() {
    const DataSpec &data = f.spec.data;
    for (auto [i, family] : llvm::enumerate(data.extrinsicPriors)) {
      std::string name = names::extrinsicNames[i];
      Value drawn = flow::hasClosedQuantile(family) ? drawClosed(name, family, extrinsicSite + i)
                                                    : drawFromTable(name, extrinsicSite + i);
      f.addResult("flow.batch", names::extrinsic(name),
                  flow::ConvertOp::create(b, rowVector(b.getF32Type()), drawn));
    }
    for (int64_t d = 0; d < data.detectors; ++d)
      f.addResult("flow.batch", names::asdIndex(d),
                  flow::RandomIndexOp::create(b, rowVector(b.getI64Type()), sample(), integer(names::seed),
                                              integer(names::epoch), integer(names::asdCount(d)),
                                              asdSite + d));
    f.finish();
  }

private:
  Value drawClosed(const std::string &name, StringRef family, int64_t site) {
    Type type = rowVector(b.getF64Type());
    Value u =
        flow::UniformDrawOp::create(b, type, sample(), integer(names::seed), integer(names::epoch), site);
    SmallVector<Value> parameters;
    for (unsigned k = 0; k < flow::getQuantileParameters(family); ++k)
      parameters.push_back(real(names::priorParameter(name, k)));
    return flow::PriorRescaleOp::create(b, type, u, parameters, family);
  }

  Value drawFromTable(const std::string &name, int64_t site) {
    Type type = rowVector(b.getF64Type());
    auto place = flow::TableDrawOp::create(b, rowVector(b.getI64Type()), type, sample(), integer(names::seed),
                                           integer(names::epoch), site, names::priorTableCells);
    Value ends = table(names::priorTable(name), {names::priorTableCells, 2}, b.getF64Type());
    Type pair = RankedTensorType::get({ShapedType::kDynamic, 2}, b.getF64Type());
    Value cell = flow::GatherRowsOp::create(b, pair, ends, place.getCell());
    Value low = flow::ColumnOp::create(b, type, cell, 0), high = flow::ColumnOp::create(b, type, cell, 1);
    return flow::InterpolateOp::create(b, type, low, high, place.getFraction());
  }
};

class PrepareBuilder : public DataFunction {
public:
  PrepareBuilder(ModuleOp module, const ProgramSpec &spec)
      : DataFunction(module, "prepare", spec), data(spec.data), bins(data.bins - data.minIndex) {}

  void build() {
    addParameters(names::theta, 0, f.spec.flow.inputDim);
    if (f.spec.contextParameters > 0)
      addParameters(names::context, f.spec.flow.inputDim, f.spec.contextParameters);
    std::array<Value, 4> polarizations = buildPolarizations();
    for (int64_t d = 0; d < data.detectors; ++d)
      addStrain(d, polarizations);
    f.finish();
  }

private:
  Value drawn(const std::string &name) { return rows(names::extrinsic(name), b.getF32Type()); }

  Value arrivalTime(llvm::function_ref<std::string(int)> vertexName) {
    return flow::ArrivalTimeOp::create(b, rowVector(b.getF64Type()), drawn("ra"), drawn("dec"),
                                       drawn("geocent_time"), real(vertexName(0)), real(vertexName(1)),
                                       real(vertexName(2)), real(names::siderealTime));
  }

  /// An inference or context parameter before standardization.
  Value parameter(int64_t p) {
    const std::string &source = data.parameterSources[p];
    if (source.empty())
      return rows(names::storedParameter(p), b.getF32Type());
    if (llvm::is_contained(names::extrinsicNames, StringRef(source)))
      return drawn(source);
    return arrivalTime([&](int k) { return names::timeVertex(p, k); });
  }

  void addParameters(const std::string &name, int64_t first, int64_t count) {
    SmallVector<Value> columns;
    for (int64_t p = first; p < first + count; ++p)
      columns.push_back(flow::StandardizeOp::create(b, f.rowVector(), parameter(p), real(names::mean(p)),
                                                    real(names::deviation(p))));
    f.addResult("flow.batch", name, flow::StackColumnsOp::create(b, f.matrix(count), columns));
  }

  /// Real and imaginary part of plus, then of cross: the stored rows, or their product with the basis.
  std::array<Value, 4> buildPolarizations() {
    std::array<Value, 4> parts;
    const std::string rowNames[] = {names::plusRows, names::crossRows};
    for (auto [i, name] : llvm::enumerate(rowNames)) {
      int64_t stored = 2 * (data.svdSize > 0 ? data.svdSize : bins);
      Value whole = get("flow.batch", name, f.matrix(stored));
      if (data.svdSize > 0)
        whole = flow::LinearOp::create(b, f.matrix(2 * bins), ValueRange(whole),
                                       table(names::decompression, {2 * bins, stored}, f.element), Value());
      for (int64_t part : {0, 1})
        parts[2 * i + part] = flow::SliceColumnsOp::create(b, f.matrix(bins), whole, part * bins);
    }
    return parts;
  }

  /// Antenna patterns at the drawn distance.
  std::pair<Value, Value> buildAmplitudes(int64_t d) {
    Type type = rowVector(b.getF64Type());
    SmallVector<Value> tensor;
    for (int k = 0; k < 6; ++k)
      tensor.push_back(real(names::response(d, k)));
    auto pattern = flow::AntennaPatternOp::create(b, type, type, drawn("ra"), drawn("dec"), drawn("psi"),
                                                  real(names::siderealTime), tensor);
    auto scaled = flow::ScaleByDistanceOp::create(b, f.rowVector(), f.rowVector(), pattern.getPlus(),
                                                  pattern.getCross(), drawn("luminosity_distance"),
                                                  real(names::referenceDistance));
    return {scaled.getScaledPlus(), scaled.getScaledCross()};
  }

  void addStrain(int64_t d, const std::array<Value, 4> &polarizations) {
    Type matrix = f.matrix(bins);
    auto [plus, cross] = buildAmplitudes(d);
    Value time = arrivalTime([&](int k) { return names::vertex(d, k); });
    Value inverse =
        flow::GatherRowsOp::create(b, matrix, table(names::inverseAsd(d), {data.asdRows, bins}, f.element),
                                   rows(names::asdIndex(d), b.getI64Type()));
    auto strain = flow::ProjectOp::create(b, matrix, matrix, polarizations[0], polarizations[1],
                                          polarizations[2], polarizations[3], plus, cross, time,
                                          get("flow.constant", names::frequency, f.columnVector(bins)));
    auto white = flow::WhitenOp::create(b, matrix, matrix, strain.getReal(), strain.getImaginary(), inverse,
                                        get("flow.scalar", names::whiteningScale, f.scalar()));
    Value real = white.getWhiteReal(), imaginary = white.getWhiteImaginary();
    if (!data.zeroNoise) {
      auto noisy = flow::AddWhiteNoiseOp::create(b, matrix, matrix, real, imaginary, sample(),
                                                 integer(names::seed), integer(names::epoch), noiseSite + d);
      real = noisy.getNoisyReal();
      imaginary = noisy.getNoisyImaginary();
    }
    f.addResult("flow.batch", names::strain(d),
                flow::ConcatColumnsOp::create(b, f.matrix(3 * bins), ValueRange{real, imaginary, inverse}));
  }

  const DataSpec &data;
  int64_t bins;
};

} // namespace

void buildDataEntries(ModuleOp module, const ProgramSpec &spec) {
  if (spec.data.detectors == 0)
    return;
  DrawBuilder(module, spec).build();
  PrepareBuilder(module, spec).build();
}

} // namespace kowari::graph
