//===- MachineTest.cpp - what this machine has ------------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/cpu/Machine.h"
#include "runtime/cpu/CpuFeatures.h"
#include "runtime/cpu/Threads.h"

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>
#include <sstream>

using namespace kowari;
using namespace kowari::cpu;

namespace {

std::set<std::string> kernelFlags() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.rfind("flags", 0) == 0) {
      std::istringstream words(line.substr(line.find(':') + 1));
      return {std::istream_iterator<std::string>(words), {}};
    }
  return {};
}

TEST(CpuFeatures, AgreeWithTheKernel) {
  const std::set<std::string> flags = kernelFlags();
  if (flags.empty())
    GTEST_SKIP() << "/proc/cpuinfo lists no flags here";
  const std::vector<std::string> features = cpuFeatures();
  for (const std::string &name : features)
    EXPECT_TRUE(flags.count(name)) << name << " is not in /proc/cpuinfo";
  for (const char *name : {"sse2", "sse4_2", "avx", "avx2", "fma", "bmi1", "bmi2", "f16c", "abm", "movbe",
                           "avx512f", "avx512bw", "avx512vl", "avx512_vnni", "avx512_bf16"})
    EXPECT_EQ(hasCpuFeature(name), flags.count(name) == 1) << name;
  EXPECT_FALSE(hasCpuFeature("no_such_feature"));
  const std::vector<std::string> needed = {"sse2", "no_such_feature"};
  EXPECT_EQ(missingCpuFeatures(needed), std::vector<std::string>{"no_such_feature"});
}

TEST(CpuFeatures, LevelFollowsFromFeatures) {
  const std::string level = cpuLevel();
  EXPECT_EQ(level == "x86-64-v4", hasCpuFeature("avx512f") && hasCpuFeature("avx512bw") &&
                                      hasCpuFeature("avx512cd") && hasCpuFeature("avx512dq") &&
                                      hasCpuFeature("avx512vl") && hasCpuFeature("avx2"));
  if (level == "x86-64-v3") {
    EXPECT_TRUE(hasCpuFeature("avx2") && hasCpuFeature("fma") && hasCpuFeature("bmi2"));
  }
}

TEST(Machine, Facts) {
  const Machine machine = describeMachine();
  EXPECT_FALSE(machine.processor.empty());
  EXPECT_EQ(machine.cores, availableCores());
  EXPECT_GE(machine.cores, 1);
  EXPECT_GT(machine.memoryBytes, int64_t(1) << 28);
  EXPECT_GT(machine.availableBytes, 0);
  EXPECT_LE(machine.availableBytes, machine.memoryBytes);
  const auto libraries = productLibraries();
  ASSERT_TRUE(libraries.isOk()) << libraries.status().message();
  EXPECT_THAT(*libraries,
              testing::ElementsAre(testing::HasSubstr("oneDNN 2."), testing::HasSubstr("OpenBLAS")));
}

TEST(Machine, OpenBlasUsesKernelsOfThisProcessorWhateverTheEnvironmentSays) {
  // In a process of its own: the library is opened once.
  EXPECT_EXIT(
      {
        setenv("OPENBLAS_CORETYPE", "Prescott", 1);
        const auto libraries = productLibraries();
        const std::string blas = libraries ? (*libraries)[1] : "";
        const bool slow = cpuLevel() >= "x86-64-v3" && blas.find("(Prescott") != std::string::npos;
        _exit(blas.empty() || slow);
      },
      testing::ExitedWithCode(0), "");
}

TEST(Machine, EnvironmentThatSlowsThreadsIsNamed) {
  setenv("OMP_WAIT_POLICY", "PASSIVE", 1);
  EXPECT_THAT(threadWarnings(), testing::Contains(testing::HasSubstr("OMP_WAIT_POLICY")));
  unsetenv("OMP_WAIT_POLICY");
  EXPECT_THAT(threadWarnings(), testing::Not(testing::Contains(testing::HasSubstr("OMP_WAIT_POLICY"))));
}

TEST(Machine, ProbesGivePlausibleSpeeds) {
  ProductSpec spec;
  spec.m = 64, spec.n = 96, spec.k = 80;
  spec.aStride0 = 80, spec.aStride1 = 1, spec.bStride0 = 1, spec.bStride1 = 80, spec.cStride0 = 96,
  spec.cStride1 = 1;
  const auto seconds = bestProductSeconds(spec, 1, 0.01);
  ASSERT_TRUE(seconds.isOk()) << seconds.status().message();
  const double flops = 2.0 * 64 * 96 * 80 / *seconds;
  EXPECT_GT(flops, 1e8);
  EXPECT_LT(flops, 1e13);
  const double bandwidth = copyBandwidth(1);
  EXPECT_GT(bandwidth, 1e8);
  EXPECT_LT(bandwidth, 1e13);
}

TEST(Threads, RangesCoverEverythingOnceInMultiplesOfTheGrain) {
  for (const int threads : {1, 2, 3, 7})
    for (const int64_t count : {0, 1, 15, 16, 17, 100, 1000})
      for (const int64_t grain : {1, 16}) {
        std::vector<std::atomic<int>> seen(size_t(count) + 1);
        parallelRanges(threads, count, grain, [&](int64_t begin, int64_t end) {
          EXPECT_EQ(begin % grain, 0);
          for (int64_t i = begin; i < end; ++i)
            ++seen[size_t(i)];
        });
        for (int64_t i = 0; i < count; ++i)
          ASSERT_EQ(seen[size_t(i)], 1) << threads << " threads, " << count << " items, at " << i;
      }
}

} // namespace
