//===- CodeObject.cpp - an artifact's machine code --------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// The dynamic linker wants a file, so the code goes into an anonymous one. Its descriptor stays open: the
// linker recognises libraries by path, and a reused descriptor number would give it back an older library.
// The path names the process, not "self", so that a debugger can open it.
//
//===----------------------------------------------------------------------===//
#include "runtime/plan/CodeObject.h"

#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace kowari::plan {

Result<CodeObject> CodeObject::load(std::span<const uint8_t> code) {
  CodeObject object;
  if (code.empty())
    return object;
  object.descriptor = memfd_create("kowari-kernels", MFD_CLOEXEC);
  if (object.descriptor < 0)
    return Status::error(std::string("cannot make memory for the artifact's code: ") + std::strerror(errno));
  for (size_t done = 0; done < code.size();) {
    const ssize_t written = write(object.descriptor, code.data() + done, code.size() - done);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return Status::error(std::string("cannot write the artifact's code to memory: ") +
                           std::strerror(errno));
    done += size_t(written);
  }
  const std::string path = "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(object.descriptor);
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
