//===- IrFile.h - a module as a file of text --------------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Status.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/ToolOutputFile.h"

#include <string>

namespace kowari {

/// Writes `heading` (comment lines, or nothing) and the module. What goes wrong, a full disk too, is an error
/// that names the file, and leaves none.
inline Status writeIrFile(const std::string &path, mlir::ModuleOp module, const std::string &heading = "") {
  std::error_code error;
  llvm::ToolOutputFile file(path, error, llvm::sys::fs::OF_None);
  if (error)
    return Status::error("cannot write " + path + ": " + error.message());
  file.os() << heading;
  module.print(file.os());
  file.os() << "\n";
  file.os().flush();
  if ((error = file.os().error())) {
    file.os().clear_error(); // which would end the program otherwise
    return Status::error("cannot write " + path + ": " + error.message());
  }
  file.keep();
  return Status::ok();
}

} // namespace kowari
