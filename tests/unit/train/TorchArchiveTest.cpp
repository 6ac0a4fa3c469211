//===- TorchArchiveTest.cpp -------------------------------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/train/TorchArchive.h"

#include "tests/unit/train/TestFolder.h"

#include <gmock/gmock.h>

#include <cstring>
#include <numeric>
#include <random>

using namespace kowari;
using namespace kowari::train;
using testing::HasSubstr;

namespace {

std::string openError(const std::string &path) {
  Result<std::shared_ptr<TorchArchiveReader>> reader = TorchArchiveReader::open(path);
  return reader.isOk() ? "" : reader.status().message();
}

/// Elements of a tensor of the archive, as doubles.
std::vector<double> elements(const TorchArchiveReader &reader, const PickleValue &entry) {
  Result<HostTensor> tensor = reader.tensor(entry.asTensor());
  if (!tensor.isOk())
    return {};
  bool isInteger = tensor->type() == ScalarType::Int64;
  std::vector<double> values(static_cast<size_t>(tensor->count()));
  std::vector<int64_t> integers(values.size());
  Status status = isInteger ? tensor->copyTo(integers.data(), ScalarType::Int64)
                            : tensor->copyTo(values.data(), ScalarType::Float64);
  EXPECT_TRUE(status.isOk()) << status.message();
  if (isInteger)
    values.assign(integers.begin(), integers.end());
  return values;
}

PickleValue contiguous(const std::string &key, int64_t count) {
  PickleTensor tensor;
  tensor.shape = {count};
  tensor.strides = {1};
  tensor.storageKey = key;
  tensor.storageElements = count;
  return tensor;
}

TEST(TorchArchive, ReadsTensorsOfEveryLayout) {
  auto reader = TorchArchiveReader::open(dataFile("models/strided.pt"));
  ASSERT_TRUE(reader.isOk()) << reader.status().message();
  const PickleValue &state = *(*reader)->root().find("model_state_dict");
  std::vector<double> whole(24);
  std::iota(whole.begin(), whole.end(), 0.0);
  EXPECT_EQ(elements(**reader, *state.find("whole")), whole);
  std::vector<double> transposed = elements(**reader, *state.find("transposed"));
  ASSERT_EQ(transposed.size(), 24u);
  for (size_t i = 0; i < 6; ++i)
    for (size_t j = 0; j < 4; ++j)
      EXPECT_EQ(transposed[4 * i + j], static_cast<double>(6 * j + i));
  EXPECT_EQ(elements(**reader, *state.find("column")), (std::vector<double>{2, 8, 14, 20}));
  EXPECT_EQ(elements(**reader, *state.find("window")), (std::vector<double>{7, 8, 9, 13, 14, 15}));
  EXPECT_EQ(elements(**reader, *state.find("expanded")), std::vector<double>(6, 1.0));
  EXPECT_EQ(elements(**reader, *state.find("empty")), std::vector<double>());
  EXPECT_EQ(elements(**reader, *state.find("scalar")), std::vector<double>{7});
  EXPECT_EQ(elements(**reader, *state.find("double")), (std::vector<double>{0, 1, 2, 3, 4, 5}));
}

TEST(TorchArchive, NumpyNumbersBecomeNumbers) {
  auto reader = TorchArchiveReader::open(dataFile("models/numpy_scalars.pt"));
  ASSERT_TRUE(reader.isOk()) << reader.status().message();
  const PickleValue &settings = *(*reader)->root().find("metadata")->find("train_settings");
  EXPECT_EQ(settings.find("mean")->asDouble(), 0.1);
  EXPECT_EQ(settings.find("std")->asDouble(), 0.5);
  EXPECT_EQ(settings.find("count")->asInt(), -7);
  EXPECT_EQ(settings.find("flag")->asBool(), true);
}

TEST(TorchArchive, SaysWhatAFileIsThatItCannotRead) {
  TestFolder folder;
  EXPECT_THAT(openError(folder / "none.pt"), HasSubstr("No such file"));
  writeText(folder / "empty.pt", "");
  EXPECT_THAT(openError(folder / "empty.pt"), HasSubstr("is empty"));
  writeText(folder / "text.pt", "model: resnet\n");
  EXPECT_THAT(openError(folder / "text.pt"), HasSubstr("is no PyTorch model file"));
  EXPECT_THAT(openError(dataFile("models/pre_1_6.pt")), HasSubstr("before 1.6"));
  EXPECT_THAT(openError(dataFile("reference/optimizers_schedulers.hdf5")), HasSubstr("HDF5"));
  EXPECT_THAT(openError(dataFile("models/forbidden.pt")), HasSubstr("\"posix system\""));
}

TEST(TorchArchive, TruncatedAtAnyPlaceIsAnError) {
  TestFolder folder;
  std::string good = readText(dataFile("models/strided.pt"));
  for (size_t size = 1; size < good.size(); size += 13) {
    writeText(folder / "cut.pt", good.substr(0, size));
    EXPECT_THAT(openError(folder / "cut.pt"), HasSubstr("cut.pt: is ")) << size;
  }
  writeText(folder / "cut.pt", good.substr(0, good.size() / 2));
  EXPECT_THAT(openError(folder / "cut.pt"), HasSubstr("truncated or damaged"));
}

TEST(TorchArchive, DamagedTensorsAreNoticed) {
  TestFolder folder;
  float values[] = {1.5f, 2.5f, 3.5f};
  StorageView storage{"0", HostTensor::view(ScalarType::Float32, {3}, values)};
  ASSERT_TRUE(writeTorchArchive(folder / "a.pt", contiguous("0", 3), {&storage, 1}).isOk());
  std::string content = readText(folder / "a.pt");
  size_t place = content.find(std::string(reinterpret_cast<char *>(values), sizeof values));
  ASSERT_NE(place, std::string::npos);
  EXPECT_EQ(place % 64, 0u);
  content[place] = static_cast<char>(content[place] ^ 1);
  writeText(folder / "a.pt", content);
  auto reader = TorchArchiveReader::open(folder / "a.pt");
  ASSERT_TRUE(reader.isOk());
  float read[3];
  Status status = (*reader)->readTensor((*reader)->root().asTensor(), read);
  EXPECT_THAT(status.message(), HasSubstr("data/0 cannot be read"));
}

TEST(TorchArchive, StoragesOfAnotherSizeAreErrors) {
  TestFolder folder;
  float values[] = {1.5f, 2.5f, 3.5f};
  StorageView storage{"0", HostTensor::view(ScalarType::Float32, {2}, values)};
  ASSERT_TRUE(writeTorchArchive(folder / "a.pt", contiguous("0", 3), {&storage, 1}).isOk());
  auto reader = TorchArchiveReader::open(folder / "a.pt");
  ASSERT_TRUE(reader.isOk());
  EXPECT_THAT((*reader)->tensor((*reader)->root().asTensor()).status().message(), HasSubstr("has 8 bytes"));
  EXPECT_THAT((*reader)->tensor(contiguous("9", 3).asTensor()).status().message(),
              HasSubstr("data/9 is missing"));
}

class TorchArchiveZip64 : public testing::TestWithParam<bool> {};

TEST_P(TorchArchiveZip64, WritesWhatItReads) {
  TestFolder folder;
  std::vector<float> first(1000), second(7);
  std::iota(first.begin(), first.end(), 0.25f);
  std::iota(second.begin(), second.end(), -3.0f);
  auto floats = [](const std::vector<float> &values) {
    return HostTensor::view(ScalarType::Float32, {static_cast<int64_t>(values.size())}, values.data());
  };
  StorageView storages[] = {{"0", floats(first)}, {"1", floats(second)}, {"2", floats({})}};
  PickleValue root = PickleValue::dict();
  root.set("first", contiguous("0", 1000));
  root.set("second", contiguous("1", 7));
  root.set("none", contiguous("2", 0));
  TorchArchiveOptions options;
  options.alwaysZip64 = GetParam();
  Status written = writeTorchArchive(folder / "model.pt", root, storages, options);
  ASSERT_TRUE(written.isOk()) << written.message();
  EXPECT_EQ(folder.files(), 1);
  auto reader = TorchArchiveReader::open(folder / "model.pt");
  ASSERT_TRUE(reader.isOk()) << reader.status().message();
  EXPECT_EQ(elements(**reader, *(*reader)->root().find("first")),
            std::vector<double>(first.begin(), first.end()));
  EXPECT_EQ(elements(**reader, *(*reader)->root().find("second")),
            std::vector<double>(second.begin(), second.end()));
  EXPECT_TRUE(elements(**reader, *(*reader)->root().find("none")).empty());
  if (const char *output = std::getenv("KOWARI_MODEL_OUTPUT")) // for check_with_dingo.py
    std::filesystem::copy_file(folder / "model.pt",
                               std::string(output) + (GetParam() ? "/archive_zip64.pt" : "/archive.pt"),
                               std::filesystem::copy_options::overwrite_existing);
}

TEST(TorchArchive, PaddedAndTransposedMemoryIsWrittenInOrder) {
  TestFolder folder;
  // A (700, 600) matrix in memory as columns of 704, larger than one piece.
  constexpr int64_t rows = 700, columns = 600, stride = 704;
  std::vector<float> memory(columns * stride, -1.0f);
  std::vector<double> expected;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      memory[static_cast<size_t>(j * stride + i)] = static_cast<float>(i * columns + j);
      expected.push_back(static_cast<double>(i * columns + j));
    }
  HostTensor view = HostTensor::view(ScalarType::Float32, {rows, columns}, memory.data(), {1, stride});
  EXPECT_EQ(view.data(), nullptr);
  StorageView storage{"0", view};
  ASSERT_TRUE(writeTorchArchive(folder / "a.pt", contiguous("0", rows * columns), {&storage, 1}).isOk());
  auto reader = TorchArchiveReader::open(folder / "a.pt");
  ASSERT_TRUE(reader.isOk());
  EXPECT_EQ(elements(**reader, (*reader)->root()), expected);
  // And back to where it came from, in another type.
  std::vector<double> wide(memory.size(), -1.0);
  ASSERT_TRUE(view.copyTo(wide.data(), ScalarType::Float64, {1, stride}).isOk());
  EXPECT_EQ(wide, std::vector<double>(memory.begin(), memory.end()));
}

INSTANTIATE_TEST_SUITE_P(Both, TorchArchiveZip64, testing::Bool());

TEST(TorchArchive, AFailedWriteLeavesTheOldFile) {
  TestFolder folder;
  writeText(folder / "model.pt", "old");
  std::filesystem::create_directory(folder / "taken.pt");
  EXPECT_FALSE(writeTorchArchive(folder / "taken.pt", PickleValue(1), {}).isOk());
  EXPECT_EQ(folder.files(), 2);
  Status status = writeTorchArchive(folder / "missing/model.pt", PickleValue(1), {});
  EXPECT_THAT(status.message(), testing::AllOf(HasSubstr("missing/model.pt"), HasSubstr("No such file")));
  EXPECT_EQ(readText(folder / "model.pt"), "old");
}

TEST(TorchArchive, AnyDamageGivesAValueOrAnError) {
  TestFolder folder;
  const std::string good = readText(dataFile("models/strided.pt"));
  std::mt19937 random(3);
  int failures = 0;
  for (int round = 0; round < 500; ++round) {
    std::string bad = good;
    for (int change = 0; change < 6; ++change)
      bad[random() % bad.size()] = static_cast<char>(random());
    writeText(folder / "bad.pt", bad);
    auto reader = TorchArchiveReader::open(folder / "bad.pt");
    const PickleValue *state = reader.isOk() ? (*reader)->root().find("model_state_dict") : nullptr;
    if (!state || !state->isDict()) {
      ++failures;
      continue;
    }
    for (const PickleValue::Entry &entry : state->entries())
      if (entry.value.kind() == PickleValue::Kind::Tensor)
        if (Result<HostTensor> tensor = (*reader)->tensor(entry.value.asTensor()); tensor.isOk())
          failures += tensor->load().isOk() ? 0 : 1;
  }
  EXPECT_GT(failures, 0);
}

} // namespace
