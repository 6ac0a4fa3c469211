//===- PlanBuilder.h - small artifacts written by hand ----------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/ArtifactFile.h"
#include "runtime/plan/Program.h"
#include "runtime/plan/plan_generated.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <unistd.h>

namespace kowari::plan::test {

inline fb::View rowMajor(int64_t offset, int64_t rows, int64_t columns, int64_t stride,
                         fb::DType dtype = fb::DType::F32) {
  return fb::View(offset, rows, columns, stride, 1, dtype);
}
inline fb::View featureMajor(int64_t offset, int64_t rows, int64_t columns, int64_t stride,
                             fb::DType dtype = fb::DType::F32) {
  return fb::View(offset, rows, columns, 1, stride, dtype);
}
inline fb::View vector(int64_t offset, int64_t size, fb::DType dtype = fb::DType::F32) {
  return fb::View(offset, size, 1, 1, 1, dtype);
}

/// Builds a manifest; the last entry begun receives steps and arguments.
class PlanBuilder {
public:
  flatbuffers::FlatBufferBuilder builder;
  std::vector<flatbuffers::Offset<fb::Tensor>> tensors, arguments;
  std::vector<flatbuffers::Offset<fb::Kernel>> kernels;
  std::vector<flatbuffers::Offset<fb::Step>> steps;
  std::vector<flatbuffers::Offset<fb::Entry>> entries;
  std::vector<std::string> features;
  uint32_t version = formatVersion;
  fb::DType elementType = fb::DType::F32;
  std::string spec = "{}", group = "test"; // group of the steps that follow

  void tensor(const std::string &name, fb::TensorKind kind, std::vector<int64_t> shape, fb::View view) {
    auto &list = kind == fb::TensorKind::Input || kind == fb::TensorKind::Output ? arguments : tensors;
    list.push_back(
        fb::CreateTensorDirect(builder, name.c_str(), kind, &shape, &view, fb::InitKind::Uniform, 0.25));
  }
  uint32_t kernel(const std::string &symbol, fb::Lanes lanes, fb::Chunks chunks, float cost,
                  uint32_t outputs = 1) {
    kernels.push_back(fb::CreateKernelDirect(builder, symbol.c_str(), lanes, chunks, cost, outputs));
    return uint32_t(kernels.size() - 1);
  }
  template <class T> void step(fb::StepKind kind, flatbuffers::Offset<T> what, const char *label) {
    steps.push_back(fb::CreateStepDirect(builder, kind, what.Union(), label, group.c_str()));
  }
  void run(uint32_t kernel, int64_t rows, int64_t columns, const std::vector<fb::View> &operands) {
    step(fb::StepKind::KernelStep, fb::CreateKernelStepDirect(builder, kernel, rows, columns, &operands),
         "kernel");
  }
  void gemm(fb::View a, fb::View b, fb::View c, const fb::View *bias = nullptr, bool accumulate = false,
            fb::Library library = fb::Library::Auto) {
    step(fb::StepKind::GemmStep, fb::CreateGemmStep(builder, &a, &b, &c, bias, accumulate, library), "gemm");
  }
  void copy(fb::View source, fb::View target) {
    step(fb::StepKind::CopyStep, fb::CreateCopyStep(builder, &source, &target), "copy");
  }
  void gather(fb::View table, fb::View index, fb::View target) {
    step(fb::StepKind::GatherStep, fb::CreateGatherStep(builder, &table, &index, &target), "gather");
  }
  void fill(fb::View target, double value) {
    step(fb::StepKind::FillStep, fb::CreateFillStep(builder, &target, value), "fill");
  }
  void entry(const std::string &name) {
    entries.push_back(fb::CreateEntryDirect(builder, name.c_str(), &arguments, &steps));
    arguments.clear();
    steps.clear();
  }
  std::vector<uint8_t> finish(int64_t maxRows, int64_t arenaBytes, int64_t persistentBytes) {
    std::vector<flatbuffers::Offset<flatbuffers::String>> names;
    for (const std::string &feature : features)
      names.push_back(builder.CreateString(feature));
    builder.Finish(fb::CreateManifestDirect(builder, version, "test build", "x86-64-v3", &names, spec.c_str(),
                                            elementType, maxRows, arenaBytes, persistentBytes, &tensors,
                                            &kernels, &entries),
                   fb::ManifestIdentifier());
    return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
  }
};

#ifdef KOWARI_TEST_KERNELS
/// The code object with the kernels of kernels/kernels.c.
inline std::vector<uint8_t> testCode() {
  std::ifstream file(KOWARI_TEST_KERNELS, std::ios::binary);
  std::vector<uint8_t> bytes{std::istreambuf_iterator<char>(file), {}};
  EXPECT_FALSE(bytes.empty()) << "cannot read " << KOWARI_TEST_KERNELS;
  return bytes;
}
#endif

/// A folder of its own for each test, removed at its end.
class PlanTest : public testing::Test {
protected:
  PlanTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "kowari-plan-XXXXXX").string();
    folder = mkdtemp(pattern.data());
  }
  ~PlanTest() override { std::filesystem::remove_all(folder); }

  /// Writes and loads an artifact.
  std::unique_ptr<Program> load(const std::vector<uint8_t> &manifest, const std::vector<uint8_t> &code,
                                int threads = 2) {
    const std::string path = (folder / "test.kwa").string();
    const Status written = writeArtifact(path, manifest, code);
    EXPECT_TRUE(written.isOk()) << written.message();
    if (!written)
      return nullptr;
    auto program = Program::load(path, {.threads = threads});
    EXPECT_TRUE(program.isOk()) << program.status().message();
    return program ? program.take() : nullptr;
  }

  std::filesystem::path folder;
};

#define ASSERT_OK(expression)                                                                                \
  do {                                                                                                       \
    const ::kowari::Status okStatus = (expression);                                                          \
    ASSERT_TRUE(okStatus.isOk()) << okStatus.message();                                                      \
  } while (false)

} // namespace kowari::plan::test
