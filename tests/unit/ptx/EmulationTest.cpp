//===- EmulationTest.cpp - gpu kernels against the CPU's ------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Runs every kernel twice on equal memory: as the CPU back end compiles it, and as gpu threads in
// GpuEmulator. The grids are smaller than the batch, so every thread visits several places.
//
//===----------------------------------------------------------------------===//
#include "GpuEmulator.h"
#include "ToyKernels.h"

#include "compiler/cpu/CpuCodegen.h"
#include "compiler/cpu/KernelNest.h"
#include "runtime/plan/KernelAbi.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <dlfcn.h>
#include <numeric>
#include <random>
#include <sys/mman.h>
#include <unistd.h>

using namespace kowari;
using namespace kowari::test;
using cuda::ThreadMapping;
using mlir::Value;

namespace {

constexpr int64_t rows = 70; // no multiple of a warp, a block or the CPU's lanes

/// The shape of a kernel's batch.
struct Batch {
  bool featureMajor = false, smallMatrix = false;
  int64_t columns = 1; // points side by side
};

Batch describe(mlir::func::FuncOp kernel) {
  Batch batch;
  std::vector<Value> values(kernel.getArguments().begin(), kernel.getArguments().end());
  for (mlir::Operation &op : kernel.front()) {
    batch.smallMatrix |= mlir::isa<flow::SmallMatrixOpInterface>(op);
    values.insert(values.end(), op.result_begin(), op.result_end());
  }
  if (batch.smallMatrix) {
    for (Value v : values)
      if (auto type = mlir::cast<mlir::RankedTensorType>(v.getType()); type.getRank() == 2)
        batch.columns = type.getDimSize(0);
    return batch;
  }
  auto nest = codegen::planNest(kernel);
  EXPECT_TRUE(mlir::succeeded(nest));
  batch.featureMajor = nest->lane == codegen::Axis::Rows;
  for (Value v : values)
    if (codegen::getAxes(v).columns)
      batch.columns = flow::getColumns(v.getType()) / nest->widthOf(v);
  return batch;
}

/// One operand or result: `major` stretches of `minor` contiguous entries, the rest NaN (-1 in integers).
class Buffer {
public:
  Buffer(mlir::Type type, const Batch &batch) : element(mlir::getElementTypeOrSelf(type)) {
    auto tensor = mlir::cast<mlir::RankedTensorType>(type);
    flow::Shape shape = flow::getShape(type);
    major = shape == flow::Shape::Matrix ? rows : tensor.getRank() == 2 ? tensor.getDimSize(0) : 1;
    minor = shape == flow::Shape::RowVector ? rows
            : shape == flow::Shape::Scalar  ? 1
                                            : flow::getColumns(type);
    if (shape == flow::Shape::None)
      minor = tensor.getRank() == 0 ? 1 : tensor.getDimSize(tensor.getRank() - 1);
    if (shape == flow::Shape::Matrix && batch.featureMajor)
      std::swap(major, minor);
    stride = (minor + 15) / 16 * 16 + 16;
    size = element.getIntOrFloatBitWidth() / 8;
    bytes.resize(major * stride * size);
    for (int64_t i = 0; i < major * stride; ++i)
      set(i, isReal() ? NAN : -1.0);
  }

  void fill(std::mt19937 &random) {
    std::uniform_real_distribution<double> real(0.1, 0.9);
    std::vector<int64_t> order(minor); // integers may be a permutation
    std::iota(order.begin(), order.end(), 0);
    for (int64_t r = 0; r < major; ++r) {
      std::shuffle(order.begin(), order.end(), random);
      for (int64_t c = 0; c < minor; ++c)
        set(r * stride + c, isReal() ? real(random) : double(order[c]));
    }
  }

  void expectNear(const Buffer &expected, const std::string &what) const {
    double scale = 0, worst = 0;
    int64_t finite = 0;
    for (int64_t r = 0; r < major; ++r)
      for (int64_t c = 0; c < minor; ++c) {
        double x = get(r * stride + c), y = expected.get(r * stride + c);
        if (std::isnan(y) && std::isnan(x))
          continue;
        ++finite;
        scale = std::max(scale, std::abs(y));
        worst = std::isfinite(x - y) ? std::max(worst, std::abs(x - y)) : x == y ? worst : INFINITY;
      }
    EXPECT_GT(finite, 0) << what;
    EXPECT_LE(worst, isReal() ? 1e-5 * scale : 0.0) << what << ", largest value " << scale;
  }

  void expectPadsUntouched(const std::string &what) const {
    for (int64_t r = 0; r < major; ++r)
      for (int64_t c = minor; c < stride; ++c)
        if (double x = get(r * stride + c); isReal() ? !std::isnan(x) : x != -1.0) {
          ADD_FAILURE() << what << " writes behind stretch " << r;
          return;
        }
  }

  void *pointer() { return bytes.data(); }
  int64_t stride = 0;

private:
  bool isReal() const { return mlir::isa<mlir::FloatType>(element); }
  void set(int64_t i, double v) {
    if (element.isF32())
      put(i, static_cast<float>(v));
    else if (element.isF64())
      put(i, v);
    else
      put(i, static_cast<int64_t>(v));
  }
  double get(int64_t i) const {
    if (element.isF32())
      return take<float>(i);
    return element.isF64() ? take<double>(i) : static_cast<double>(take<int64_t>(i));
  }
  template <class T> void put(int64_t i, T v) { std::memcpy(bytes.data() + i * size, &v, sizeof(T)); }
  template <class T> T take(int64_t i) const {
    T v;
    std::memcpy(&v, bytes.data() + i * size, sizeof(T));
    return v;
  }

  mlir::Type element;
  int64_t major = 1, minor = 1, size = 4;
  std::vector<char> bytes;
};

/// The memory of one run: a buffer for each slot; tied results share their operand's.
struct Memory {
  Memory(mlir::func::FuncOp kernel, const Batch &batch, unsigned seed) {
    std::mt19937 random(seed);
    for (mlir::Type type : kernel.getArgumentTypes()) {
      owner.push_back(buffers.size());
      buffers.emplace_back(type, batch).fill(random);
    }
    for (unsigned i = 0; i < kernel.getNumResults(); ++i) {
      auto tied = kernel.getResultAttrOfType<mlir::IntegerAttr>(i, "flow.tied");
      owner.push_back(tied ? tied.getInt() : buffers.size());
      if (!tied)
        buffers.emplace_back(kernel.getResultTypes()[i], batch);
    }
    for (size_t i : owner) {
      pointers.push_back(buffers[i].pointer());
      strides.push_back(buffers[i].stride);
    }
  }
  std::vector<Buffer> buffers;
  std::vector<size_t> owner; // of each slot
  std::vector<void *> pointers;
  std::vector<int64_t> strides;
};

/// The CPU's kernels, loaded.
class CpuKernels {
public:
  explicit CpuKernels(mlir::ModuleOp module) {
    Result<codegen::CpuTarget> target = codegen::CpuTarget::get("native");
    auto code = codegen::compileKernels(module, *target);
    EXPECT_TRUE(mlir::succeeded(code));
    int file = memfd_create("kernels", 0);
    EXPECT_EQ(write(file, code->data(), code->size()), static_cast<ssize_t>(code->size()));
    handle = dlopen(("/proc/self/fd/" + std::to_string(file)).c_str(), RTLD_NOW | RTLD_LOCAL);
    close(file);
  }
  ~CpuKernels() {
    if (handle)
      dlclose(handle);
  }
  KowariKernel get(const std::string &name) const {
    return handle ? reinterpret_cast<KowariKernel>(dlsym(handle, name.c_str())) : nullptr;
  }

private:
  void *handle = nullptr;
};

void compareKernel(mlir::func::FuncOp kernel, const cuda::GpuLaunch &launch, const CpuKernels &cpu,
                   const GpuEmulator &emulator, unsigned seed) {
  SCOPED_TRACE(launch.kernel);
  Batch batch = describe(kernel);
  Memory expected(kernel, batch, seed), found(kernel, batch, seed);
  KowariKernel compiled = cpu.get(launch.kernel);
  ASSERT_TRUE(compiled);
  KowariKernelArgs args{
      0, rows, 0, batch.columns, rows, batch.columns, expected.pointers.data(), expected.strides.data()};
  compiled(&args);
  std::vector<int64_t> words;
  for (void *pointer : found.pointers)
    words.push_back(reinterpret_cast<int64_t>(pointer));
  words.insert(words.end(), found.strides.begin(), found.strides.end());
  words.push_back(rows);
  words.push_back(batch.columns);
  bool matrixPoints = launch.mapping == ThreadMapping::Points && launch.blockY > 1;
  emulator.run(launch, launch.oneBlock ? 1 : 2, matrixPoints ? 2 : 1, words);
  for (unsigned i = 0; i < kernel.getNumResults(); ++i) {
    size_t slot = found.owner[kernel.getNumArguments() + i];
    std::string what = launch.kernel + " result " + std::to_string(i);
    found.buffers[slot].expectNear(expected.buffers[slot], what);
    found.buffers[slot].expectPadsUntouched(what);
  }
}

void compareAll(mlir::ModuleOp module, const cuda::PtxEmitter &emitter) {
  Result<GpuEmulator> emulator = GpuEmulator::create(emitter);
  ASSERT_TRUE(emulator.isOk()) << emulator.status().message();
  CpuKernels cpu(module);
  unsigned seed = 1;
  for (const cuda::GpuLaunch &launch : emitter.getLaunches())
    compareKernel(module.lookupSymbol<mlir::func::FuncOp>(launch.kernel), launch, cpu, *emulator, seed++);
}

} // namespace

TEST(Emulation, ToyKernelsEqualTheCpus) {
  const cuda::PtxEmitter *emitter = getToyEmitter();
  ASSERT_TRUE(emitter);
  compareAll(getToyModule(), *emitter);
}

/// What the toy network, with its batch norm, has not: row sums along the contiguous axis, in several stages
/// and in float64, results that overwrite their operand, and sums of feature-major columns.
TEST(Emulation, WarpsEqualTheCpu) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  mlir::OwningOpRef<mlir::ModuleOp> module = parseKernels(context, R"(
    func.func @norm(%x: tensor<?x61xf32>, %g: tensor<61xf32>, %b: tensor<61xf32>)
        -> (tensor<?x61xf32> {flow.tied = 0}, tensor<?xf32>) attributes {flow.kernel = {lanes = "columns", chunks = "rows"}} {
      %m = flow.row_mean %x : (tensor<?x61xf32>) -> tensor<?xf32>
      %v = flow.row_variance %x, %m : (tensor<?x61xf32>, tensor<?xf32>) -> tensor<?xf32>
      %n = flow.normalize_rows %x, %m, %v, %g, %b {epsilon = 1.0e-5 : f64} : (tensor<?x61xf32>, tensor<?xf32>, tensor<?xf32>, tensor<61xf32>, tensor<61xf32>) -> tensor<?x61xf32>
      return %n, %v : tensor<?x61xf32>, tensor<?xf32>
    }
    func.func @mean64(%x: tensor<?x61xf64>) -> tensor<?xf64> attributes {flow.kernel = {lanes = "columns", chunks = "rows"}} {
      %m = flow.row_mean %x : (tensor<?x61xf64>) -> tensor<?xf64>
      return %m : tensor<?xf64>
    }
    func.func @column_mean(%x: tensor<?x5xf32>) -> tensor<5xf32> attributes {flow.kernel = {lanes = "rows", chunks = "columns"}} {
      %m = flow.column_mean %x : (tensor<?x5xf32>) -> tensor<5xf32>
      return %m : tensor<5xf32>
    })");
  ASSERT_TRUE(module);
  Result<cuda::PtxEmitter> emitter = cuda::PtxEmitter::create(*module);
  ASSERT_TRUE(emitter.isOk()) << emitter.status().message();
  for (const cuda::GpuLaunch &launch : emitter->getLaunches())
    EXPECT_EQ(launch.mapping, ThreadMapping::Warps) << launch.kernel;
  compareAll(*module, *emitter);
}
