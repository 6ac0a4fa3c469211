//===- VectorMathTest.cpp - errors of the float32 functions ---------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "KernelHarness.h"

#include "compiler/cpu/KernelCompiler.h"
#include "compiler/cpu/SharedObjectLinker.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <dlfcn.h>
#include <limits>
#include <sys/mman.h>
#include <unistd.h>

namespace kowari::test {
namespace {

constexpr int lanes = 8;
const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();

/// Functions of eight floats in place, compiled from `math.NAME` on vector<8xf32>, and on a scalar as
/// NAME_scalar.
class VectorMathTest : public testing::Test {
protected:
  using Function = void (*)(float *);

  static void SetUpTestSuite() {
    auto target = codegen::CpuTarget::get("native");
    ASSERT_TRUE(target.isOk());
    codegen::KernelCompiler compiler(*target);
    std::vector<std::string> objects;
    for (const char *name : {"exp", "log", "log1p", "erf", "sin", "cos", "tanh"})
      for (const char *type : {"vector<8xf32>", "f32"}) {
        std::string text =
            substitute(R"(
          func.func @fn_$name(%p: !llvm.ptr) {
            %x = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> $type
            %y = math.$op %x : $type
            llvm.store %y, %p {alignment = 4 : i64} : $type, !llvm.ptr
            return
          })",
                       {{"op", name},
                        {"name", std::string(name) + (std::strlen(type) == 3 ? "_scalar" : "")},
                        {"type", type}});
        auto object = compiler.compile(text, name);
        ASSERT_TRUE(object.isOk()) << object.status().message();
        objects.push_back(object.take());
      }
    auto shared = codegen::linkSharedObject(objects);
    ASSERT_TRUE(shared.isOk()) << shared.status().message();
    int file = memfd_create("math", 0);
    ASSERT_EQ(write(file, shared->data(), shared->size()), (ssize_t)shared->size());
    handle = dlopen(("/proc/self/fd/" + std::to_string(file)).c_str(), RTLD_NOW);
    close(file);
    ASSERT_TRUE(handle) << dlerror();
  }
  static void TearDownTestSuite() {
    if (handle)
      dlclose(handle);
  }

  static Function get(const std::string &name) { return (Function)dlsym(handle, ("fn_" + name).c_str()); }
  static float call(const std::string &name, float x) {
    float in[lanes];
    std::fill(in, in + lanes, x);
    get(name)(in);
    float scalar = x;
    get(name + "_scalar")(&scalar);
    EXPECT_EQ(std::memcmp(&scalar, in, 4), 0) << name << "(" << x << "): scalar and vector differ";
    return in[lanes - 1];
  }
  /// Largest error over `count` arguments, evenly spaced between the bits of low and high (both of one sign).
  static double measure(const std::string &name, double (*exact)(double), float low, float high,
                        bool relative, int count = 2000000) {
    Function f = get(name);
    double worst = 0, step = ((double)high - low) / count;
    for (int i = 0; i < count; i += lanes) {
      float x[lanes], y[lanes];
      for (int k = 0; k < lanes; ++k)
        x[k] = y[k] = (float)(low + (i + k) * step);
      f(y);
      for (int k = 0; k < lanes; ++k) {
        double expected = exact(x[k]), error = std::abs(y[k] - expected);
        if (relative && expected != 0)
          error /= std::abs(expected);
        worst = std::max(worst, std::isnan(error) ? 1.0 : error);
      }
    }
    return worst;
  }

  static void *handle;
};
void *VectorMathTest::handle = nullptr;

TEST_F(VectorMathTest, Exp) {
  EXPECT_LE(measure("exp", std::exp, -86.9f, 88.72f, true), 1.2e-7);
  EXPECT_LE(measure("exp", std::exp, -1.0f, 1.0f, true), 1.2e-7);
  EXPECT_EQ(call("exp", 0.0f), 1.0f);
  EXPECT_EQ(call("exp", -0.0f), 1.0f);
  for (float x : {88.73f, 100.0f, 1e10f, inf})
    EXPECT_EQ(call("exp", x), inf) << x;
  for (float x : {-88.0f, -110.0f, -1e30f, -inf})
    EXPECT_EQ(call("exp", x), 0.0f) << x;
  EXPECT_TRUE(std::isnan(call("exp", nan)));
}

TEST_F(VectorMathTest, Log) {
  EXPECT_LE(measure("log", std::log, 0.5f, 2.0f, true), 1e-7);
  EXPECT_LE(measure("log", std::log, 0.98f, 1.02f, true), 1e-7);
  EXPECT_LE(measure("log", std::log, 1e-6f, 1e-1f, true), 1e-7);
  EXPECT_LE(measure("log", std::log, 1.0f, 1e30f, true), 1e-7);
  EXPECT_LE(measure("log", std::log, 1e-45f, 1e-38f, true), 1e-7);
  EXPECT_EQ(call("log", 1.0f), 0.0f);
  EXPECT_EQ(call("log", 0.0f), -inf);
  EXPECT_EQ(call("log", -0.0f), -inf);
  EXPECT_EQ(call("log", inf), inf);
  EXPECT_TRUE(std::isnan(call("log", -1.0f)));
  EXPECT_TRUE(std::isnan(call("log", nan)));
}

TEST_F(VectorMathTest, Log1p) {
  EXPECT_LE(measure("log1p", std::log1p, -0.999f, 3.0f, true), 1.5e-7);
  EXPECT_LE(measure("log1p", std::log1p, -1e-3f, 1e-3f, true), 1.5e-7);
  EXPECT_LE(measure("log1p", std::log1p, 1e-10f, 1e-7f, true), 1.5e-7);
  EXPECT_LE(measure("log1p", std::log1p, 1.0f, 1e9f, true), 1.5e-7);
  EXPECT_EQ(call("log1p", 0.0f), 0.0f);
  EXPECT_EQ(call("log1p", -1.0f), -inf);
  EXPECT_EQ(call("log1p", inf), inf);
  EXPECT_TRUE(std::isnan(call("log1p", -2.0f)));
  EXPECT_TRUE(std::isnan(call("log1p", nan)));
}

TEST_F(VectorMathTest, Erf) {
  EXPECT_LE(measure("erf", std::erf, -6.0f, 6.0f, false), 2e-7);
  EXPECT_LE(measure("erf", std::erf, 1e-6f, 0.99f, true), 2e-7);
  EXPECT_EQ(call("erf", inf), 1.0f);
  EXPECT_EQ(call("erf", -inf), -1.0f);
  EXPECT_EQ(call("erf", 0.0f), 0.0f);
  EXPECT_TRUE(std::isnan(call("erf", nan)));
}

TEST_F(VectorMathTest, SinCos) {
  for (float reach : {3.2f, 100.0f, 8192.0f}) {
    EXPECT_LE(measure("sin", std::sin, -reach, reach, false), 1.5e-7) << reach;
    EXPECT_LE(measure("cos", std::cos, -reach, reach, false), 1.5e-7) << reach;
  }
  EXPECT_EQ(call("sin", 0.0f), 0.0f);
  EXPECT_EQ(call("cos", 0.0f), 1.0f);
  EXPECT_TRUE(std::isnan(call("sin", nan)));
  EXPECT_TRUE(std::isnan(call("cos", inf)));
}

TEST_F(VectorMathTest, RareFunctionsCallLibm) {
  EXPECT_LE(measure("tanh", std::tanh, -5.0f, 5.0f, true, 20000), 6.1e-8);
  EXPECT_TRUE(std::isnan(call("tanh", nan)));
}

} // namespace
} // namespace kowari::test
