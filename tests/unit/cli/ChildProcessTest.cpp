//===- ChildProcessTest.cpp - running another program ---------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "frontend/cli/ChildProcess.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

using testing::ElementsAre;
using testing::HasSubstr;

namespace kowari::cli {

namespace {

std::vector<std::string> lines;
const auto collect = [](const std::string &line) { lines.push_back(line); };

Result<ChildResult> shell(const std::string &script) {
  lines.clear();
  return runChild("/bin/sh", {"-c", script}, collect);
}

} // namespace

TEST(ChildProcess, LinesArriveWhole) {
  const Result<ChildResult> result = shell("printf 'one\\ntwo '; sleep 0.05; printf 'more\\nthree'");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->exitCode, 0);
  EXPECT_EQ(result->signal, 0);
  EXPECT_THAT(lines, ElementsAre("one", "two more", "three"));
}

TEST(ChildProcess, ExitCodeAndErrorOutput) {
  const Result<ChildResult> result = shell("echo out; echo wrong >&2; exit 3");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->exitCode, 3);
  EXPECT_EQ(result->errorOutput, "wrong\n");
}

TEST(ChildProcess, LongErrorOutputKeepsItsEnd) {
  const Result<ChildResult> result = shell("i=0; while [ $i -lt 4000 ]; do echo 'a line of thirty "
                                           "characters...' >&2; i=$((i+1)); done; echo end >&2");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->errorOutput.size(), size_t{64} << 10);
  EXPECT_EQ(result->errorOutput.substr(result->errorOutput.size() - 4), "end\n");
}

TEST(ChildProcess, SignalsAreNamed) {
  const Result<ChildResult> result = shell("kill -SEGV $$");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->signal, SIGSEGV);
  EXPECT_EQ(describeSignal(SIGSEGV), "SIGSEGV (Segmentation fault)");
  EXPECT_EQ(describeSignal(SIGKILL), "SIGKILL (Killed)");
}

TEST(ChildProcess, StandardInputIsEmpty) {
  const Result<ChildResult> result = shell("cat; echo done");
  ASSERT_TRUE(result);
  EXPECT_THAT(lines, ElementsAre("done"));
}

TEST(ChildProcess, MissingProgram) {
  const Result<ChildResult> result = runChild("/absent/program", {}, collect);
  ASSERT_FALSE(result);
  EXPECT_THAT(result.status().message(), HasSubstr("/absent/program: cannot be started: No such file"));
}

} // namespace kowari::cli
