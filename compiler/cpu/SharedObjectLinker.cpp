//===- SharedObjectLinker.cpp - objects to a shared object ----------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/cpu/SharedObjectLinker.h"

#include "lld/Common/Driver.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <mutex>

LLD_HAS_DRIVER(elf)

namespace kowari::codegen {

namespace {
/// A folder of its own that goes away with everything in it.
class TemporaryFolder {
public:
  TemporaryFolder() { failure = llvm::sys::fs::createUniqueDirectory("kowari-link", path); }
  ~TemporaryFolder() {
    if (!failure)
      llvm::sys::fs::remove_directories(path);
  }
  std::string file(const std::string &name) const {
    llvm::SmallString<128> full = path;
    llvm::sys::path::append(full, name);
    return std::string(full);
  }
  std::error_code failure;
  llvm::SmallString<128> path;
};
} // namespace

static Status writeFile(const std::string &path, const std::string &bytes) {
  std::error_code code;
  llvm::raw_fd_ostream stream(path, code);
  if (!code) {
    stream << bytes;
    stream.close();
    code = stream.error();
    stream.clear_error();
  }
  if (code)
    return Status::error("writing " + path + ": " + code.message() + "; free space there or set TMPDIR");
  return Status::ok();
}

static Status runLinker(const std::vector<std::string> &arguments) {
  static std::mutex oneAtATime; // lld keeps state in globals
  static bool usable = true;
  std::lock_guard<std::mutex> lock(oneAtATime);
  if (!usable)
    return Status::error("linking kernels: the linker failed before in this process; start it again");
  std::vector<const char *> pointers;
  for (const std::string &argument : arguments)
    pointers.push_back(argument.c_str());
  std::string output;
  llvm::raw_string_ostream stream(output);
  const lld::DriverDef drivers[] = {{lld::Gnu, &lld::elf::link}};
  lld::Result result = lld::lldMain(pointers, stream, stream, drivers);
  usable = result.canRunAgain;
  if (result.retCode != 0)
    return Status::error("linking kernels: " + output);
  return Status::ok();
}

Result<std::string> linkSharedObject(const std::vector<std::string> &objects) {
  TemporaryFolder folder;
  if (folder.failure)
    return Status::error("no temporary folder for linking: " + folder.failure.message() + "; set TMPDIR");
  std::string output = folder.file("kernels.so");
  std::vector<std::string> arguments = {
      "ld.lld", "-shared", "--threads=1", "--hash-style=gnu", "--build-id=none", "-z", "noexecstack", "-z",
      "now",    "-o",      output};
  for (size_t i = 0; i < objects.size(); ++i) {
    std::string path = folder.file(std::to_string(i) + ".o");
    KOWARI_TRY(writeFile(path, objects[i]));
    arguments.push_back(path);
  }
  KOWARI_TRY(runLinker(arguments));
  auto buffer = llvm::MemoryBuffer::getFile(output, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return Status::error("reading " + output + ": " + buffer.getError().message());
  return (*buffer)->getBuffer().str();
}

} // namespace kowari::codegen
