//===- CudaToolkit.cpp - the assembler and libdevice of CUDA --------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/cuda/CudaToolkit.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"

namespace kowari::cuda {

using llvm::StringRef;

std::vector<AssembledKernel> parsePtxasReport(const std::string &messages) {
  llvm::Regex entry("Compiling entry function '([^']*)'");
  llvm::Regex frame("([0-9]+) bytes stack frame, ([0-9]+) bytes spill stores, ([0-9]+) bytes spill loads");
  llvm::Regex registers("Used ([0-9]+) registers");
  std::vector<AssembledKernel> kernels;
  llvm::SmallVector<StringRef> lines, found;
  StringRef(messages).split(lines, '\n');
  auto number = [](StringRef text) {
    unsigned value = 0;
    text.getAsInteger(10, value);
    return value;
  };
  for (StringRef line : lines) {
    if (entry.match(line, &found)) {
      kernels.emplace_back().name = found[1].str();
    } else if (!kernels.empty() && frame.match(line, &found)) {
      kernels.back().stackBytes = number(found[1]);
      kernels.back().spillStoreBytes = number(found[2]);
      kernels.back().spillLoadBytes = number(found[3]);
    } else if (!kernels.empty() && registers.match(line, &found)) {
      kernels.back().registers = number(found[1]);
    }
  }
  return kernels;
}

static std::optional<CudaToolkit> findIn(StringRef root) {
  llvm::SmallString<128> ptxas(root), libdevice(root);
  llvm::sys::path::append(ptxas, "bin", "ptxas");
  llvm::sys::path::append(libdevice, "nvvm", "libdevice", "libdevice.10.bc");
  if (root.empty() || !llvm::sys::fs::can_execute(ptxas))
    return std::nullopt;
  CudaToolkit toolkit;
  toolkit.ptxas = ptxas.str().str();
  if (llvm::sys::fs::exists(libdevice))
    toolkit.libdevice = libdevice.str().str();
  return toolkit;
}

std::optional<CudaToolkit> CudaToolkit::find() {
  for (const char *variable : {"CUDA_HOME", "CUDA_PATH"})
    if (auto root = llvm::sys::Process::GetEnv(variable))
      if (auto toolkit = findIn(*root))
        return toolkit;
  if (auto ptxas = llvm::sys::findProgramByName("ptxas")) {
    StringRef root = llvm::sys::path::parent_path(llvm::sys::path::parent_path(*ptxas));
    if (auto toolkit = findIn(root); toolkit && !toolkit->libdevice.empty())
      return toolkit;
  }
  return findIn("/usr/local/cuda");
}

static std::string readWhole(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

Result<std::vector<AssembledKernel>> CudaToolkit::assemble(const std::string &ptx,
                                                           const std::string &chip) const {
  llvm::SmallString<128> source, cubin, log;
  int descriptor = -1;
  if (auto error = llvm::sys::fs::createTemporaryFile("kowari", "ptx", descriptor, source))
    return Status::error("cannot make a temporary file for PTX: " + error.message());
  llvm::FileRemover sourceRemover(source);
  llvm::raw_fd_ostream stream(descriptor, true);
  stream << ptx;
  stream.close();
  if (stream.has_error())
    return Status::error("cannot write " + source.str().str() + ": " + stream.error().message());
  if (auto error = llvm::sys::fs::createTemporaryFile("kowari", "cubin", cubin))
    return Status::error("cannot make a temporary file for a cubin: " + error.message());
  llvm::FileRemover cubinRemover(cubin);
  if (auto error = llvm::sys::fs::createTemporaryFile("kowari", "log", log))
    return Status::error("cannot make a temporary file for messages: " + error.message());
  llvm::FileRemover logRemover(log);

  std::string architecture = "--gpu-name=" + chip, failure;
  StringRef arguments[] = {ptxas, "-v", "--warn-on-spills", architecture, "-o", cubin, source};
  std::optional<StringRef> redirects[] = {StringRef(), StringRef(log), StringRef(log)};
  int code = llvm::sys::ExecuteAndWait(ptxas, arguments, std::nullopt, redirects, 0, 0, &failure);
  std::string messages = readWhole(log);
  if (code != 0)
    return Status::error(ptxas + " for " + chip + " ended with " + std::to_string(code) + ": " + failure +
                         messages);
  return parsePtxasReport(messages);
}

} // namespace kowari::cuda
