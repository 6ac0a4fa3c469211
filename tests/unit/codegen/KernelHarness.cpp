//===- KernelHarness.cpp - compile and run kernels in tests ---------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "KernelHarness.h"

#include "compiler/cpu/CpuCodegen.h"
#include "dialects/flow/FlowOps.h"

#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <dlfcn.h>
#include <limits>
#include <sys/mman.h>
#include <unistd.h>

namespace kowari::test {

Array Array::make(Form form, int64_t rows, int64_t columns) {
  Array a;
  a.form = form;
  a.rows = form == Form::Matrix || form == Form::Row || form == Form::RowIndex ? rows : 1;
  a.columns = form == Form::Matrix || form == Form::Column || form == Form::ColumnIndex ? columns : 1;
  a.data.assign(a.rows * a.columns, 0.0);
  return a;
}

Array &Array::fill(std::mt19937 &random, double low, double high) {
  std::uniform_real_distribution<double> uniform(low, high);
  for (double &v : data)
    v = form == Form::RowIndex || form == Form::Index || form == Form::ColumnIndex
            ? std::floor(uniform(random))
            : (double)(float)uniform(random);
  return *this;
}

std::unique_ptr<CompiledModule> CompiledModule::compile(const std::string &text,
                                                        const std::string &targetName) {
  mlir::MLIRContext context;
  context.loadDialect<flow::FlowDialect, mlir::func::FuncDialect>();
  std::string messages;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    messages += diagnostic.str() + "\n";
    return mlir::success();
  });
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  auto target = codegen::CpuTarget::get(targetName);
  EXPECT_TRUE(target.isOk()) << target.status().message();
  auto result = std::make_unique<CompiledModule>();
  if (module && target.isOk()) {
    auto bytes = codegen::compileKernels(*module, *target);
    if (mlir::succeeded(bytes))
      result->bytes = *bytes;
  }
  if (result->bytes.empty()) {
    ADD_FAILURE() << messages << text;
    return nullptr;
  }
  int file = memfd_create("kernels", 0);
  EXPECT_EQ(write(file, result->bytes.data(), result->bytes.size()), (ssize_t)result->bytes.size());
  result->handle = dlopen(("/proc/self/fd/" + std::to_string(file)).c_str(), RTLD_NOW | RTLD_LOCAL);
  close(file);
  if (!result->handle) {
    ADD_FAILURE() << dlerror();
    return nullptr;
  }
  return result;
}

CompiledModule::~CompiledModule() {
  if (handle)
    dlclose(handle);
}

KowariKernel CompiledModule::get(const std::string &name) const {
  auto kernel = (KowariKernel)dlsym(handle, name.c_str());
  EXPECT_NE(kernel, nullptr) << name;
  return kernel;
}

namespace {
constexpr int64_t guardBytes = 256;
constexpr unsigned char guardByte = 0xA5;

int64_t roundUp(int64_t n) { return (n + 15) / 16 * 16; }

/// One operand in memory: pads NaN, a guard behind.
class Buffer {
public:
  Buffer(const Array &like, Type type, bool lanesRows) : form(like.form), type(type) {
    bool matrix = form == Form::Matrix;
    featureMajor = matrix && lanesRows;
    int64_t major = matrix ? (featureMajor ? like.columns : like.rows) : 1;
    int64_t minor = matrix ? (featureMajor ? like.rows : like.columns) : std::max(like.rows, like.columns);
    length = minor;
    stride = roundUp(minor) + (matrix ? 16 : 0);
    entries = std::max<int64_t>(1, major) * stride;
    size = isIndex() || type == Type::F64 ? 8 : 4;
    bytes.assign(entries * size + guardBytes, guardByte);
    for (int64_t i = 0; i < entries; ++i)
      set(i, std::numeric_limits<double>::quiet_NaN());
  }
  void write(const Array &a) {
    for (int64_t r = 0; r < a.rows; ++r)
      for (int64_t c = 0; c < a.columns; ++c)
        set(slot(r, c), a.at(r, c));
  }
  void read(Array &a) const {
    for (int64_t r = 0; r < a.rows; ++r)
      for (int64_t c = 0; c < a.columns; ++c)
        a.at(r, c) = get(slot(r, c));
  }
  void check() const {
    for (int64_t i = entries * size; i < (int64_t)bytes.size(); ++i)
      ASSERT_EQ(bytes[i], guardByte) << "written behind the operand";
    if (form == Form::Column || form == Form::Scalar)
      for (int64_t i = length; i < entries; ++i)
        ASSERT_TRUE(std::isnan(get(i))) << "pad of a column vector written";
  }
  void *pointer() { return bytes.data(); }
  int64_t stride = 0;

private:
  bool isIndex() const { return form == Form::RowIndex || form == Form::Index || form == Form::ColumnIndex; }
  int64_t slot(int64_t r, int64_t c) const {
    if (form != Form::Matrix)
      return r + c;
    return featureMajor ? c * stride + r : r * stride + c;
  }
  void set(int64_t i, double v) {
    unsigned char *at = bytes.data() + i * size;
    if (isIndex()) {
      int64_t integer = std::isnan(v) ? -1 : (int64_t)v;
      std::memcpy(at, &integer, 8);
    } else if (type == Type::F64) {
      std::memcpy(at, &v, 8);
    } else {
      float f = (float)v;
      std::memcpy(at, &f, 4);
    }
  }
  double get(int64_t i) const {
    const unsigned char *at = bytes.data() + i * size;
    if (type == Type::F64) {
      double v;
      std::memcpy(&v, at, 8);
      return v;
    }
    float f;
    std::memcpy(&f, at, 4);
    return f;
  }

  Form form;
  Type type;
  bool featureMajor = false;
  int64_t length = 0, entries = 0, size = 4;
  std::vector<unsigned char> bytes;
};
} // namespace

std::vector<Array> run(KowariKernel kernel, const Launch &launch, const std::vector<Array> &operands,
                       const std::vector<Array> &results, const std::vector<Type> &types) {
  std::vector<Buffer> buffers;
  buffers.reserve(operands.size() + results.size());
  for (size_t i = 0; i < operands.size() + results.size(); ++i) {
    const Array &a = i < operands.size() ? operands[i] : results[i - operands.size()];
    buffers.emplace_back(a, types[i], launch.lanesRows);
    if (i < operands.size())
      buffers.back().write(a);
  }
  std::vector<void *> pointers;
  std::vector<int64_t> strides;
  for (Buffer &buffer : buffers) {
    pointers.push_back(buffer.pointer());
    strides.push_back(buffer.stride);
  }
  std::map<size_t, size_t> home;
  for (auto [result, operand] : launch.tied) {
    pointers[operands.size() + result] = pointers[operand];
    home[result] = operand;
  }
  bool byRows = launch.chunks == "rows";
  int64_t extent = byRows ? launch.rows : launch.columns;
  int64_t cut = launch.cut > 0 && launch.chunks != "none" ? launch.cut : std::max<int64_t>(1, extent);
  for (int64_t begin = 0; begin < extent; begin += cut) {
    int64_t end = std::min(extent, begin + cut);
    KowariKernelArgs args = {byRows ? begin : 0, byRows ? end : launch.rows,
                             byRows ? 0 : begin, byRows ? launch.columns : end,
                             launch.rows,        launch.columns,
                             pointers.data(),    strides.data()};
    kernel(&args);
  }
  std::vector<Array> out = results;
  for (size_t i = 0; i < out.size(); ++i)
    buffers[home.count(i) ? home[i] : operands.size() + i].read(out[i]);
  for (Buffer &buffer : buffers)
    buffer.check();
  return out;
}

std::string substitute(std::string text, const std::map<std::string, std::string> &values) {
  for (bool changed = true; changed;) { // values may name others
    changed = false;
    for (const auto &[name, value] : values)
      for (size_t at; (at = text.find("$" + name)) != std::string::npos; changed = true)
        text.replace(at, name.size() + 1, value);
  }
  return text;
}

} // namespace kowari::test
