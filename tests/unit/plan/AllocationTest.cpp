//===- AllocationTest.cpp - a step allocates nothing of ours ----*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Counts calls of operator new in this program while an entry runs. Float64 products go to OpenBLAS, whose
// buffers come from the system once; oneDNN's own allocations are not ours and are not looked at here.
//
//===----------------------------------------------------------------------===//
#include "PlanBuilder.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {
std::atomic<bool> counting{false};
std::atomic<long> allocations{0};
} // namespace

// Not inlined, or the compiler takes free() in one for a mismatch with new in the other.
[[gnu::noinline]] void *operator new(size_t size) {
  if (counting)
    ++allocations;
  if (void *memory = std::malloc(size ? size : 1))
    return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void *memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void *memory, size_t) noexcept { std::free(memory); }

namespace {

using namespace kowari;
using namespace kowari::plan;
using namespace kowari::plan::test;

class AllocationTest : public PlanTest {};

TEST_F(AllocationTest, PreparedEntryRunsWithoutAllocating) {
  constexpr fb::DType dtype = fb::DType::F64;
  constexpr int64_t rows = 512, line = 72, size = 8 * rows * line;
  PlanBuilder plan;
  plan.elementType = dtype;
  const uint32_t add = plan.kernel("add_column_f64", fb::Lanes::Rows, fb::Chunks::Rows, 1000);
  const fb::View x = rowMajor(0, -1, 64, line, dtype), y = rowMajor(size, -1, 64, line, dtype),
                 w = rowMajor(2 * size, 64, 64, line, dtype), t = featureMajor(3 * size, -1, 64, rows, dtype),
                 bias = vector(4 * size, 64, dtype);
  plan.gemm(x, w, y, &bias);
  plan.gemm(x, w, y, nullptr, true);
  plan.copy(y, t);
  plan.run(add, -1, 64, {t, t});
  plan.fill(y, 0);
  plan.entry("step");
  const auto program = load(plan.finish(rows, 4 * size + 1024, 0), testCode());
  ASSERT_TRUE(program);
  const std::vector<int64_t> rowCounts = {rows, 100};
  ASSERT_OK(program->prepare(0, rowCounts));
  ASSERT_OK(program->run(0, rows)); // OpenBLAS takes its buffers
  counting = true;
  bool good = true;
  for (int i = 0; i < 5; ++i)
    good = good && program->run(0, i % 2 ? 100 : rows).isOk();
  counting = false;
  EXPECT_TRUE(good);
  EXPECT_EQ(allocations.load(), 0);
}

} // namespace
