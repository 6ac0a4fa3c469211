//===- TargetTest.cpp - targets, keys and the compiler's place ------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "frontend/cli/CompiledProgram.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

using testing::HasSubstr;

namespace kowari::cli {

TEST(Target, NativeIsALevelAndOthersAreChecked) {
  const Result<std::string> native = resolveTarget("native");
  if (native) {
    EXPECT_THAT(*native, testing::StartsWith("x86-64-v"));
  }
  for (const char *known : {"x86-64-v3", "x86-64-v4", "znver3", "znver4"})
    EXPECT_EQ(resolveTarget(known).take(), known);
  EXPECT_THAT(resolveTarget("x86-64-v5").status().message(), HasSubstr("did you mean x86-64-v"));
  EXPECT_THAT(resolveTarget("sm_80").status().message(), HasSubstr("CUDA programs are not served yet"));
  EXPECT_THAT(resolveTarget("").status().message(), HasSubstr("known targets: native, x86-64-v3"));
}

TEST(Target, KeysDependOnTheTarget) {
  ProgramSpec spec;
  spec.maxRows = 4;
  spec.target = "x86-64-v3";
  const Result<cache::CacheKey> first = keyOf(spec);
  ASSERT_TRUE(first);
  spec.target = "x86-64-v4";
  const Result<cache::CacheKey> second = keyOf(spec);
  ASSERT_TRUE(second);
  EXPECT_NE(first->hash(), second->hash());
  spec.target = "x86-64-v3";
  EXPECT_EQ(first->hash(), keyOf(spec)->hash());
}

TEST(Target, CompilerIsNamedByTheEnvironment) {
  ASSERT_EQ(::setenv("KOWARI_COMPILE", "/some/kowari-compile", 1), 0);
  EXPECT_EQ(findCompiler().take(), "/some/kowari-compile");
  EXPECT_THAT(checkCompilerBuild("/bin/echo").message(), HasSubstr("is of another build (--build-id)"));
  ASSERT_EQ(::unsetenv("KOWARI_COMPILE"), 0);
}

} // namespace kowari::cli
