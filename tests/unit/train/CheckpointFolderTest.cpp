//===- CheckpointFolderTest.cpp ---------------------------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/train/CheckpointFolder.h"

#include "runtime/train/AtomicFile.h"
#include "tests/unit/train/TestFolder.h"

#include <gmock/gmock.h>

#include <unistd.h>

using namespace kowari;
using namespace kowari::train;
using testing::HasSubstr;

namespace {

std::string newError(const std::string &path) { return CheckpointFolder::openNew(path).status().message(); }
std::string resumeError(const std::string &path) {
  return CheckpointFolder::openResumed(path).status().message();
}

TEST(CheckpointFolder, MakesANewOneAndNamesItsFiles) {
  TestFolder folder;
  Result<CheckpointFolder> run = CheckpointFolder::openNew(folder / "a/b");
  ASSERT_TRUE(run.isOk()) << run.status().message();
  std::string base = folder / "a/b";
  EXPECT_EQ(run->latestPath(), base + "/model_latest.pt");
  EXPECT_EQ(run->epochPath(3), base + "/model_003.pt");
  EXPECT_EQ(run->epochPath(1234), base + "/model_1234.pt");
  EXPECT_EQ(run->stagePath(1), base + "/model_stage_1.pt");
  EXPECT_EQ(run->bestPath(), base + "/best_model.pt");
  EXPECT_EQ(run->historyPath(), base + "/history.txt");
  ASSERT_TRUE(run->writeLocalSettings("device: cpu\n").isOk());
  EXPECT_EQ(readText(base + "/local_settings.yaml"), "device: cpu\n");
}

TEST(CheckpointFolder, AnotherRunIsNotOverwritten) {
  for (const char *file : {"history.txt", "model_latest.pt"}) {
    TestFolder folder;
    writeText(folder / file, "precious");
    EXPECT_THAT(newError(folder.path),
                testing::AllOf(HasSubstr(file), HasSubstr("--checkpoint"), HasSubstr(folder.path)));
    EXPECT_EQ(readText(folder / file), "precious");
    EXPECT_EQ(folder.files(), 1);
  }
}

TEST(CheckpointFolder, ResumingNeedsLocalSettings) {
  TestFolder folder;
  EXPECT_THAT(resumeError(folder / "none"), HasSubstr("does not exist"));
  writeText(folder / "model_latest.pt", "model");
  EXPECT_THAT(resumeError(folder.path), HasSubstr("local_settings.yaml"));
  writeText(folder / "local_settings.yaml", "device: cpu\n");
  EXPECT_EQ(resumeError(folder.path), "");
}

TEST(CheckpointFolder, OneTrainingAtATime) {
  TestFolder folder;
  {
    Result<CheckpointFolder> first = CheckpointFolder::openNew(folder.path);
    ASSERT_TRUE(first.isOk());
    EXPECT_THAT(newError(folder.path), HasSubstr("another training is running"));
    CheckpointFolder moved = first.take();
    EXPECT_THAT(newError(folder.path), HasSubstr("another training is running"));
  }
  EXPECT_EQ(newError(folder.path), "");
}

TEST(CheckpointFolder, LeftoversOfAnInterruptedSaveGo) {
  TestFolder folder;
  writeText(folder / "local_settings.yaml", "device: cpu\n");
  writeText(folder / "model_latest.pt", "whole");
  writeText(folder / ".model_latest.pt.partial.Ab12cd", "half");
  writeText(folder / ".something", "else");
  ASSERT_TRUE(CheckpointFolder::openResumed(folder.path).isOk());
  EXPECT_FALSE(std::filesystem::exists(folder / ".model_latest.pt.partial.Ab12cd"));
  EXPECT_EQ(readText(folder / "model_latest.pt"), "whole");
  EXPECT_EQ(folder.files(), 3);
}

TEST(CheckpointFolder, FoldersThatCannotBeWrittenAreNamed) {
  EXPECT_THAT(newError("/proc/kowari"), HasSubstr("train directory /proc/kowari: cannot be made"));
  TestFolder folder;
  writeText(folder / "file", "");
  EXPECT_THAT(newError(folder / "file/x"), HasSubstr("cannot be made"));
  std::filesystem::create_directory(folder / "readonly");
  std::filesystem::permissions(folder / "readonly",
                               std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  if (::geteuid() != 0) { // permissions do not stop root
    EXPECT_THAT(newError(folder / "readonly"), HasSubstr("cannot be written"));
  }
  EXPECT_THAT(newError("/proc/self"), HasSubstr("train directory /proc/self: cannot be written"));
}

TEST(CheckpointFolder, CopiesTheLatestModel) {
  TestFolder folder;
  Result<CheckpointFolder> run = CheckpointFolder::openNew(folder.path);
  ASSERT_TRUE(run.isOk());
  EXPECT_THAT(run->copyLatestToEpoch(3).message(), HasSubstr("model_latest.pt: cannot be opened"));
  std::string content(3'000'000, 'x');
  content[2'999'999] = 'y';
  writeText(run->latestPath(), content);
  ASSERT_TRUE(run->copyLatestToEpoch(3).isOk());
  EXPECT_EQ(readText(run->epochPath(3)), content);
  EXPECT_EQ(folder.files(), 2);
}

TEST(AtomicFile, NothingIsSeenBeforeTheCommit) {
  TestFolder folder;
  writeText(folder / "a", "old");
  {
    Result<AtomicFile> file = AtomicFile::create(folder / "a");
    ASSERT_TRUE(file.isOk());
    ASSERT_TRUE(file->write("new").isOk());
    EXPECT_EQ(readText(folder / "a"), "old");
    EXPECT_EQ(folder.files(), 2);
  }
  EXPECT_EQ(readText(folder / "a"), "old");
  EXPECT_EQ(folder.files(), 1);
  Result<AtomicFile> file = AtomicFile::create(folder / "a");
  ASSERT_TRUE(file.isOk());
  std::string big(5'000'000, 'z');
  ASSERT_TRUE(file->write("new").isOk());
  ASSERT_TRUE(file->write(big).isOk());
  EXPECT_EQ(file->size(), 5'000'003u);
  ASSERT_TRUE(file->commit().isOk());
  EXPECT_EQ(readText(folder / "a"), "new" + big);
  EXPECT_EQ(folder.files(), 1);
}

} // namespace
