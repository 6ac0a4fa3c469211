//===- CodeObject.cpp - an artifact's machine code --------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// The dynamic linker wants a file, so the code goes into an anonymous one. Its descriptor stays open: the
// linker recognises libraries by path, and a reused descriptor number would give it back an older library.
// The path names the process, not "self", so that a debugger can open it. perf looks for symbols after the
// process has ended, and so needs a file that stays: KOWARI_CODE_DIR names the folder for it.
//
//===----------------------------------------------------------------------===//
#include "runtime/plan/CodeObject.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace kowari::plan {
namespace {

/// A new file for the code; `path` becomes its name.
Result<int> makeCodeFile(std::string &path) {
  const char *folder = std::getenv("KOWARI_CODE_DIR");
  if (folder && *folder) {
    constexpr std::string_view suffix = ".so";
    path = std::string(folder) + "/kowari-kernels-XXXXXX" + std::string(suffix);
    const int file = mkostemps(path.data(), int(suffix.size()), O_CLOEXEC);
    return file >= 0 ? Result<int>(file)
                     : Result<int>(Status::error("cannot make a file for the artifact's code in "
                                                 "KOWARI_CODE_DIR=" +
                                                 std::string(folder) + ": " + std::strerror(errno)));
  }
  const int memory = memfd_create("kowari-kernels", MFD_CLOEXEC);
  if (memory < 0)
    return Status::error(std::string("cannot make memory for the artifact's code: ") + std::strerror(errno));
  path = "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(memory);
  return memory;
}

} // namespace

Result<CodeObject> CodeObject::load(std::span<const uint8_t> code) {
  CodeObject object;
  if (code.empty())
    return object;
  std::string path;
  KOWARI_ASSIGN(object.descriptor, makeCodeFile(path));
  for (size_t done = 0; done < code.size();) {
    const ssize_t written = write(object.descriptor, code.data() + done, code.size() - done);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return Status::error("cannot write the artifact's code to " + path + ": " + std::strerror(errno));
    done += size_t(written);
  }
  object.handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!object.handle) {
    const char *reason = dlerror();
    return Status::error(std::string("the artifact's code cannot be loaded: ") +
                         (reason ? reason : "no reason given"));
  }
  return object;
}

CodeObject::CodeObject(CodeObject &&other) noexcept { *this = std::move(other); }

CodeObject &CodeObject::operator=(CodeObject &&other) noexcept {
  std::swap(descriptor, other.descriptor);
  std::swap(handle, other.handle);
  return *this;
}

CodeObject::~CodeObject() {
  if (handle)
    dlclose(handle);
  if (descriptor >= 0)
    close(descriptor);
}

Result<KowariKernel> CodeObject::find(const std::string &symbol) const {
  void *address = handle ? dlsym(handle, symbol.c_str()) : nullptr;
  if (!address)
    return Status::error("the artifact's code has no kernel '" + symbol + "'; compile the network again");
  return reinterpret_cast<KowariKernel>(address);
}

} // namespace kowari::plan
