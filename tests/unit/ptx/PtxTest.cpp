//===- PtxTest.cpp - the toy network's kernels as PTX ---------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
// A guard for the CUDA target: every kernel of a network, its gradient, its optimizer and its input pipeline
// goes through gpu and nvvm to PTX, and ptxas takes it for each chip without spills where a CUDA toolkit is
// present.
//
//===----------------------------------------------------------------------===//
#include "ToyKernels.h"

#include "compiler/cuda/CudaToolkit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>

using namespace kowari;
using namespace kowari::test;
using cuda::ThreadMapping;

namespace {

std::set<std::string> getKernelNames() {
  std::set<std::string> names;
  for (auto function : getToyModule().getOps<mlir::func::FuncOp>())
    if (function->hasAttr("flow.kernel"))
      names.insert(function.getName().str());
  return names;
}

std::set<std::string> findEntries(const std::string &ptx) {
  static const std::regex entry(R"(\.entry\s+([A-Za-z_0-9]+)\()");
  std::set<std::string> names;
  for (std::sregex_iterator i(ptx.begin(), ptx.end(), entry), end; i != end; ++i)
    names.insert((*i)[1]);
  return names;
}

class PtxPerChip : public testing::TestWithParam<std::string> {};

/// PTX of one kernel given as text.
Result<std::string> emitText(const std::string &text, std::vector<cuda::GpuLaunch> *launches = nullptr) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  mlir::OwningOpRef<mlir::ModuleOp> module = parseKernels(context, text);
  KOWARI_ASSIGN(cuda::PtxEmitter emitter, cuda::PtxEmitter::create(*module));
  if (launches)
    *launches = emitter.getLaunches();
  return emitter.emit("sm_90", "");
}

} // namespace

TEST(Ptx, EveryKernelBecomesAnEntry) {
  const cuda::PtxEmitter *emitter = getToyEmitter();
  ASSERT_TRUE(emitter);
  Result<std::string> ptx = emitter->emit("sm_90", "");
  ASSERT_TRUE(ptx.isOk()) << ptx.status().message();
  std::set<std::string> names = getKernelNames();
  EXPECT_GT(names.size(), 20u);
  EXPECT_EQ(findEntries(*ptx), names);
  EXPECT_THAT(*ptx, testing::HasSubstr(".target sm_90"));
  EXPECT_THAT(*ptx, testing::Not(testing::ContainsRegex("[^a-z](atom|red)\\.")));
  std::map<ThreadMapping, int> mappings;
  for (const cuda::GpuLaunch &launch : emitter->getLaunches()) {
    EXPECT_TRUE(names.count(launch.kernel)) << launch.kernel;
    ++mappings[launch.mapping];
  }
  for (ThreadMapping mapping : {ThreadMapping::Points, ThreadMapping::Outer, ThreadMapping::Single})
    EXPECT_GT(mappings[mapping], 0) << "mapping " << int(mapping);
}

/// Without libdevice the calls must be visible, not silently dropped.
TEST(Ptx, WithoutLibdeviceElementaryFunctionsStayExtern) {
  const cuda::PtxEmitter *emitter = getToyEmitter();
  ASSERT_TRUE(emitter);
  Result<std::string> ptx = emitter->emit("sm_80", "");
  ASSERT_TRUE(ptx.isOk()) << ptx.status().message();
  EXPECT_THAT(*ptx, testing::ContainsRegex("\\.extern \\.func +\\(.*\\) __nv_expf"));
}

TEST(Ptx, RowSumsAreShuffledThroughAWarp) {
  std::vector<cuda::GpuLaunch> launches;
  Result<std::string> ptx = emitText(R"(
    func.func @mean(%x: tensor<?x64xf32>) -> tensor<?xf32> attributes {flow.kernel = {lanes = "columns", chunks = "rows"}} {
      %m = flow.row_mean %x : (tensor<?x64xf32>) -> tensor<?xf32>
      return %m : tensor<?xf32>
    })",
                                     &launches);
  ASSERT_TRUE(ptx.isOk()) << ptx.status().message();
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_EQ(launches[0].mapping, ThreadMapping::Warps);
  EXPECT_EQ(launches[0].blockX, 32u);
  size_t shuffles = 0;
  for (size_t at = 0; (at = ptx->find("shfl.sync.bfly", at)) != std::string::npos; ++at)
    ++shuffles;
  EXPECT_EQ(shuffles, 5u);
  EXPECT_THAT(*ptx, testing::HasSubstr("bar.warp.sync"));
  EXPECT_THAT(*ptx, testing::ContainsRegex("\\.(req|max)ntid 32, 4"));
}

TEST(Ptx, UnknownChipIsNamed) {
  const cuda::PtxEmitter *emitter = getToyEmitter();
  ASSERT_TRUE(emitter);
  Result<std::string> ptx = emitter->emit("sm_35", "");
  ASSERT_FALSE(ptx.isOk());
  EXPECT_THAT(ptx.status().message(), testing::HasSubstr("sm_35"));
}

TEST(Ptx, UnreadableLibdeviceIsAnError) {
  const cuda::PtxEmitter *emitter = getToyEmitter();
  ASSERT_TRUE(emitter);
  Result<std::string> ptx = emitter->emit("sm_90", "/nowhere/libdevice.10.bc");
  ASSERT_FALSE(ptx.isOk());
  EXPECT_THAT(ptx.status().message(), testing::HasSubstr("/nowhere/libdevice.10.bc"));
}

TEST_P(PtxPerChip, AssemblesWithoutSpills) {
  std::optional<cuda::CudaToolkit> toolkit = cuda::CudaToolkit::find();
  if (!toolkit)
    GTEST_SKIP() << "no CUDA toolkit: neither CUDA_HOME, CUDA_PATH, PATH nor /usr/local/cuda holds ptxas";
  if (toolkit->libdevice.empty())
    GTEST_SKIP() << toolkit->ptxas << " has no libdevice.10.bc beside it (nvvm/libdevice)";
  const cuda::PtxEmitter *emitter = getToyEmitter();
  ASSERT_TRUE(emitter);
  Result<std::string> ptx = emitter->emit(GetParam(), toolkit->libdevice);
  ASSERT_TRUE(ptx.isOk()) << ptx.status().message();
  EXPECT_THAT(*ptx, testing::Not(testing::HasSubstr("__nv_")));
  EXPECT_THAT(*ptx, testing::Not(testing::HasSubstr(".extern")));
  auto kernels = toolkit->assemble(*ptx, GetParam());
  ASSERT_TRUE(kernels.isOk()) << kernels.status().message();
  std::set<std::string> names;
  for (const cuda::AssembledKernel &kernel : *kernels) {
    names.insert(kernel.name);
    EXPECT_GT(kernel.registers, 0u) << kernel.name;
    EXPECT_EQ(kernel.spillStoreBytes, 0u) << kernel.name;
    EXPECT_EQ(kernel.spillLoadBytes, 0u) << kernel.name;
    RecordProperty(kernel.name, static_cast<int>(kernel.registers));
  }
  EXPECT_EQ(names, getKernelNames());
}

INSTANTIATE_TEST_SUITE_P(Chips, PtxPerChip, testing::ValuesIn(cuda::getChips()),
                         [](const auto &info) { return info.param; });

TEST(CudaToolkit, ReadsTheAssemblersReport) {
  auto kernels =
      cuda::parsePtxasReport("ptxas info    : 0 bytes gmem\n"
                             "ptxas info    : Compiling entry function 'a' for 'sm_90'\n"
                             "ptxas info    : Function properties for a\n"
                             "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
                             "ptxas info    : Used 24 registers, used 0 barriers\n"
                             "ptxas info    : Compiling entry function 'b' for 'sm_90'\n"
                             "    40 bytes stack frame, 12 bytes spill stores, 8 bytes spill loads\n"
                             "ptxas info    : Used 255 registers\n");
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].name, "a");
  EXPECT_EQ(kernels[0].registers, 24u);
  EXPECT_EQ(kernels[0].spillStoreBytes, 0u);
  EXPECT_EQ(kernels[1].registers, 255u);
  EXPECT_EQ(kernels[1].stackBytes, 40u);
  EXPECT_EQ(kernels[1].spillStoreBytes, 12u);
  EXPECT_EQ(kernels[1].spillLoadBytes, 8u);
}

TEST(CudaToolkit, AssemblerErrorsAreReported) {
  std::optional<cuda::CudaToolkit> toolkit = cuda::CudaToolkit::find();
  if (!toolkit)
    GTEST_SKIP() << "no CUDA toolkit";
  auto kernels = toolkit->assemble(".version 7.8\n.target sm_90\nnonsense\n", "sm_90");
  ASSERT_FALSE(kernels.isOk());
  EXPECT_THAT(kernels.status().message(), testing::HasSubstr("nonsense"));
}
