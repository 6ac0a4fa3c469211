//===- cache_soak.cpp - processes fighting over one cache -------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//   cache-soak [SECONDS] [SEED]
//
// Workers obtain, prune, verify and damage entries of one cache; a supervisor kills one of them every few
// milliseconds and starts another. Whatever is obtained must be exactly what was compiled for its key. Ends
// with a count and exit code 0, or with the first fault and 1.
//
//===----------------------------------------------------------------------===//
#include "runtime/cache/Cache.h"
#include "runtime/plan/ArtifactFile.h"
#include "runtime/plan/plan_generated.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace kowari;
using namespace kowari::cache;
namespace fs = std::filesystem;

namespace {

constexpr int keys = 8, workers = 6;

std::string readFile(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void writeFile(const fs::path &path, const std::string &content) {
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(content.data(), std::streamsize(content.size()));
}

std::string artifactBytes(int number) {
  flatbuffers::FlatBufferBuilder builder;
  const std::vector<flatbuffers::Offset<flatbuffers::String>> features;
  const std::vector<flatbuffers::Offset<plan::fb::Tensor>> tensors;
  const std::vector<flatbuffers::Offset<plan::fb::Kernel>> kernels;
  const std::vector<flatbuffers::Offset<plan::fb::Entry>> entries;
  const std::string build = "soak " + std::to_string(number);
  builder.Finish(plan::fb::CreateManifestDirect(builder, plan::formatVersion, build.c_str(), "x86-64",
                                                &features, "{}", plan::fb::DType::F32, 1, 0, 0, &tensors,
                                                &kernels, &entries),
                 plan::fb::ManifestIdentifier());
  const std::vector<uint8_t> code(size_t(10000 + 7000 * number), uint8_t(number + 1));
  const auto bytes = plan::serializeArtifact({builder.GetBufferPointer(), builder.GetSize()}, code);
  return {bytes.begin(), bytes.end()};
}

CacheKey keyNumber(int number) {
  return CacheKey::make("{\"number\":" + std::to_string(number) + "}", "soak", "x86-64", plan::formatVersion)
      .take();
}

void damage(const fs::path &root, std::mt19937 &generator) {
  const fs::path file = root / "entries" / keyNumber(int(generator() % keys)).hash() /
                        (generator() % 3 ? "artifact.kwa" : "key.json");
  std::error_code ignored;
  switch (generator() % 4) {
  case 0:
    fs::remove(file, ignored);
    return;
  case 1:
    fs::remove_all(root / "entries", ignored);
    return;
  default:
    break;
  }
  std::string bytes = readFile(file);
  if (bytes.empty())
    return;
  if (generator() % 2)
    bytes.resize(generator() % bytes.size());
  else
    bytes[generator() % bytes.size()] ^= char(1 << generator() % 8);
  // In place of the file, not in it: what a reader has open and checked stays as it was.
  const std::string copy = file.string() + "." + std::to_string(getpid());
  writeFile(copy, bytes);
  fs::permissions(copy, fs::perms::owner_read | fs::perms::owner_write, ignored);
  fs::rename(copy, file, ignored);
}

/// 0, or the line of the fault.
int work(const fs::path &root, unsigned seed, int counter) {
  std::mt19937 generator(seed);
  for (;;) {
    auto cache = Cache::open({.folder = root.string(), .maxBytes = 150000, .maxEntries = 5});
    if (!cache)
      return __LINE__;
    const int number = int(generator() % keys);
    const auto compile = [&](const std::string &folder) {
      const std::string bytes = artifactBytes(number);
      for (size_t part = 1; part <= 4; ++part) {
        writeFile(folder + "/artifact.kwa", bytes.substr(0, bytes.size() * part / 4));
        std::this_thread::sleep_for(std::chrono::microseconds(generator() % 2000));
      }
      return Status::ok();
    };
    const auto entry = cache->obtain(keyNumber(number), compile, [](const std::string &) {});
    // A damaging worker may have removed the folder under the compiler's feet: an error is no fault, wrong
    // bytes are.
    if (entry && readFile(entry->loadPath()) != artifactBytes(number))
      return __LINE__;
    if (entry && write(counter, "x", 1) != 1)
      return __LINE__;
    if (generator() % 10 == 0)
      cache->prune(int64_t(generator() % 200000), int(generator() % 8));
    if (generator() % 20 == 0)
      cache->verify(generator() % 2);
    if (generator() % 7 == 0)
      damage(root, generator);
  }
}

} // namespace

int main(int argc, char **argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 60;
  std::mt19937 generator(argc > 2 ? unsigned(std::atol(argv[2])) : 1);
  std::string pattern = (fs::temp_directory_path() / "kowari-soak-XXXXXX").string();
  const fs::path base = mkdtemp(pattern.data());
  int counter[2];
  if (pipe(counter) != 0)
    return 1;
  long obtained = 0, kills = 0;
  std::thread reader([&] {
    char bytes[4096];
    for (ssize_t got; (got = read(counter[0], bytes, sizeof bytes)) > 0;)
      obtained += got;
  });
  const auto start = [&] {
    const unsigned seed = unsigned(generator());
    const pid_t pid = fork();
    if (pid == 0) {
      const int line = work(base / "cache", seed, counter[1]);
      std::fprintf(stderr, "fault found at line %d\n", line);
      _exit(1);
    }
    return pid;
  };
  std::vector<pid_t> pids;
  for (int i = 0; i < workers; ++i)
    pids.push_back(start());
  bool fault = false;
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (!fault && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::microseconds(generator() % 30000));
    pid_t &victim = pids[generator() % pids.size()];
    kill(victim, SIGKILL);
    int status = 0;
    waitpid(victim, &status, 0);
    fault = WIFEXITED(status);
    victim = start();
    ++kills;
  }
  for (const pid_t pid : pids) {
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }
  close(counter[1]);
  reader.join();
  fs::remove_all(base);
  std::printf("%ld artifacts obtained, %ld processes killed, %s\n", obtained, kills,
              fault ? "FAULT" : "no fault");
  return fault || obtained == 0 ? 1 : 0;
}
