//===- Kowari.cpp - running the program under test ------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "tests/e2e/Kowari.h"

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <poll.h>
#include <set>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace kowari::e2e {

namespace {

constexpr uid_t nobody = 65534;

/// Of all tests of this program: each network is compiled once.
const fs::path &cacheFolder() {
  struct Cache {
    Cache() {
      std::string name = (fs::temp_directory_path() / "kowari-e2e-cache-XXXXXX").string();
      path = ::mkdtemp(name.data());
    }
    ~Cache() { fs::remove_all(path); }
    fs::path path;
  };
  static const Cache cache;
  return cache.path;
}

[[noreturn]] void becomeKowari(const fs::path &folder, const std::vector<std::string> &arguments,
                               const RunOptions &options, const fs::path &cache, int out, int err) {
  ::dup2(out, 1);
  ::dup2(err, 2);
  ::setenv("KOWARI_CACHE_DIR", cache.c_str(), 1);
  for (const auto &[name, value] : options.environment)
    ::setenv(name.c_str(), value.c_str(), 1);
  std::vector<char *> argv = {const_cast<char *>(KOWARI_PROGRAM)};
  for (const std::string &argument : arguments)
    argv.push_back(const_cast<char *>(argument.c_str()));
  argv.push_back(nullptr);
  if (::chdir(folder.c_str()) == 0 &&
      (!options.unprivileged || ::geteuid() != 0 || (::setgid(nobody) == 0 && ::setuid(nobody) == 0)))
    ::execv(KOWARI_PROGRAM, argv.data());
  ::_exit(126);
}

struct Reader {
  int descriptor;
  std::string *text;
};

} // namespace

Outcome runKowari(const fs::path &folder, const std::vector<std::string> &arguments,
                  const RunOptions &options) {
  int out[2], err[2];
  if (::pipe2(out, O_CLOEXEC) != 0 || ::pipe2(err, O_CLOEXEC) != 0)
    return {};
  ::fcntl(out[0], F_SETPIPE_SZ, 4096);
  const fs::path &cache = cacheFolder();
  const pid_t child = ::fork();
  if (child == 0)
    becomeKowari(folder, arguments, options, cache, out[1], err[1]);
  ::close(out[1]);
  ::close(err[1]);
  Outcome outcome;
  Reader readers[2] = {{out[0], &outcome.out}, {err[0], &outcome.err}};
  pollfd polled[2] = {{out[0], POLLIN, 0}, {err[0], POLLIN, 0}};
  bool sent = false;
  while (polled[0].fd >= 0 || polled[1].fd >= 0) {
    ::poll(polled, 2, -1);
    for (int i = 0; i < 2; ++i) {
      if (polled[i].fd < 0 || polled[i].revents == 0)
        continue;
      char buffer[1024];
      const ssize_t count = ::read(readers[i].descriptor, buffer, sizeof buffer);
      if (count <= 0)
        polled[i].fd = -1;
      else
        readers[i].text->append(buffer, static_cast<size_t>(count));
    }
    for (const Signal &signal : options.signals)
      if (!sent && outcome.out.find(signal.line) != std::string::npos)
        sent = ::kill(child, signal.number) == 0;
  }
  ::close(out[0]);
  ::close(err[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  outcome.code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return outcome;
}

std::string readText(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

void writeText(const fs::path &path, const std::string &text) {
  std::ofstream(path, std::ios::binary) << text;
}

TrainingTest::TrainingTest() {
  std::string name = (fs::temp_directory_path() / "kowari-e2e-XXXXXX").string();
  folder = ::mkdtemp(name.data());
  fs::permissions(folder, fs::perms::owner_all | fs::perms::group_exec | fs::perms::others_exec |
                              fs::perms::others_read);
  fs::create_directory(folder / "data");
  for (const char *file : {"tiny_fd.hdf5", "tiny_svd.hdf5", "tiny_asds.hdf5"})
    fs::copy_file(fs::path(KOWARI_TEST_DATA) / "reference/datasets" / file, folder / "data" / file);
}

TrainingTest::~TrainingTest() { fs::remove_all(folder); }

std::string
TrainingTest::settings(const std::vector<std::pair<std::string, std::string>> &replacements) const {
  std::string text = readText(fs::path(KOWARI_TEST_DATA) / "settings/e2e_tiny.yaml");
  for (const auto &[from, to] : replacements) {
    const size_t at = text.find(from);
    if (at == std::string::npos) {
      ADD_FAILURE() << "the settings have no '" << from << "'";
      continue;
    }
    text.replace(at, from.size(), to);
  }
  return text;
}

Outcome TrainingTest::train(const std::vector<std::pair<std::string, std::string>> &replacements,
                            const std::string &trainDir, const RunOptions &options) const {
  writeText(folder / "settings.yaml", settings(replacements));
  return runKowari(folder, {"train", "--settings_file", "settings.yaml", "--train_dir", trainDir}, options);
}

Outcome TrainingTest::compile(const std::vector<std::string> &more, const RunOptions &options) const {
  std::vector<std::string> arguments = {"compile", "--settings_file", "settings.yaml"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return runKowari(folder, arguments, options);
}

Outcome TrainingTest::resume(const std::string &trainDir, const RunOptions &options) const {
  return runKowari(folder, {"train", "--checkpoint", trainDir + "/model_latest.pt", "--train_dir", trainDir},
                   options);
}

namespace {

std::string bytesOf(const train::HostTensor &tensor) {
  std::string bytes(tensor.bytes(), '\0');
  if (!tensor.copyTo(bytes.data(), tensor.type()))
    return "unreadable";
  return bytes;
}

void compare(const std::string &name, const train::HostTensor &left, const train::HostTensor &right,
             std::vector<std::string> &list) {
  if (left.shape() != right.shape() || left.type() != right.type() || bytesOf(left) != bytesOf(right))
    list.push_back(name);
}

void compareOptimizers(const train::OptimizerState &left, const train::OptimizerState &right,
                       std::vector<std::string> &list) {
  if (left.options.lr != right.options.lr || left.state.size() != right.state.size())
    list.push_back("optimizer");
  for (const auto &[position, state] : left.state) {
    const auto other = right.state.find(position);
    if (other == right.state.end() || other->second.step != state.step ||
        other->second.buffers.size() != state.buffers.size()) {
      list.push_back("optimizer state " + std::to_string(position));
      continue;
    }
    for (const auto &[name, tensor] : state.buffers)
      compare(name + " " + std::to_string(position), tensor, other->second.buffers.at(name), list);
  }
}

} // namespace

std::vector<std::string> differences(const fs::path &leftPath, const fs::path &rightPath) {
  Result<train::ModelFile> left = train::ModelFile::read(leftPath), right = train::ModelFile::read(rightPath);
  if (!left || !right)
    return {left ? right.status().message() : left.status().message()};
  std::vector<std::string> list;
  if (left->epoch != right->epoch || left->iteration != right->iteration)
    list.push_back("epoch or iteration");
  if (!(left->metadata == right->metadata) || !(left->modelKwargs == right->modelKwargs))
    list.push_back("metadata");
  if (left->stateDict.size() != right->stateDict.size())
    return {"number of tensors"};
  for (size_t i = 0; i < left->stateDict.size(); ++i)
    compare(left->stateDict[i].name, left->stateDict[i].tensor, right->stateDict[i].tensor, list);
  if (!left->training || !right->training || !left->training->optimizer || !right->training->optimizer)
    return {"training state"};
  compareOptimizers(*left->training->optimizer, *right->training->optimizer, list);
  if (!(left->training->scheduler == right->training->scheduler))
    list.push_back("scheduler");
  return list;
}

void expectError(const Outcome &outcome, const std::string &text) {
  EXPECT_EQ(outcome.code, 1) << outcome.out << outcome.err;
  const size_t begin = outcome.err.find("kowari: error: ");
  EXPECT_NE(begin, std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find("kowari: error: ", begin + 1), std::string::npos) << outcome.err;
  EXPECT_THAT(outcome.err, testing::HasSubstr(text));
}

} // namespace kowari::e2e
