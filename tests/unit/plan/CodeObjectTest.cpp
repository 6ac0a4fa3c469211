//===- CodeObjectTest.cpp - kernels under their names -----------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/plan/CodeObject.h"

#include "PlanBuilder.h"

#include <cstdlib>
#include <dlfcn.h>

using namespace kowari;
using namespace kowari::plan;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

/// What debuggers and profilers see at a kernel's address: file and symbol.
Dl_info symbolOf(const CodeObject &code, const char *kernel) {
  const Result<KowariKernel> function = code.find(kernel);
  EXPECT_TRUE(function.isOk());
  Dl_info info{};
  EXPECT_NE(dladdr(reinterpret_cast<void *>(*function), &info), 0);
  return info;
}

class CodeObjectTest : public plan::test::PlanTest {
protected:
  ~CodeObjectTest() override { unsetenv("KOWARI_CODE_DIR"); }
};

TEST_F(CodeObjectTest, KernelsHaveTheirNamesInMemory) {
  const auto code = CodeObject::load(plan::test::testCode());
  ASSERT_TRUE(code.isOk()) << code.status().message();
  const Dl_info info = symbolOf(*code, "scale_f32");
  EXPECT_STREQ(info.dli_sname, "scale_f32");
  EXPECT_THAT(info.dli_fname, StartsWith("/proc/" + std::to_string(getpid()) + "/fd/"));
}

TEST_F(CodeObjectTest, AFolderKeepsTheCodeForProfilers) {
  setenv("KOWARI_CODE_DIR", folder.c_str(), 1);
  std::string file;
  {
    const auto first = CodeObject::load(plan::test::testCode());
    const auto second = CodeObject::load(plan::test::testCode());
    ASSERT_TRUE(first.isOk() && second.isOk()) << first.status().message();
    const Dl_info info = symbolOf(*first, "scale_f32");
    EXPECT_STREQ(info.dli_sname, "scale_f32");
    file = info.dli_fname;
    EXPECT_THAT(file, StartsWith((folder / "kowari-kernels-").string()));
    EXPECT_NE(file, symbolOf(*second, "scale_f32").dli_fname);
  }
  std::ifstream kept(file, std::ios::binary); // after the process, too
  const std::vector<uint8_t> bytes{std::istreambuf_iterator<char>(kept), {}};
  EXPECT_TRUE(bytes == plan::test::testCode());
}

TEST_F(CodeObjectTest, AFolderThatCannotTakeItIsNamed) {
  setenv("KOWARI_CODE_DIR", (folder / "absent").c_str(), 1);
  EXPECT_THAT(CodeObject::load(plan::test::testCode()).status().message(),
              HasSubstr("KOWARI_CODE_DIR=" + (folder / "absent").string()));
}

} // namespace
