//===- Artifact.h - a planned module as an artifact's manifest --*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/cpu/CpuTarget.h"
#include "frontend/settings/ProgramSpec.h"

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <vector>

namespace kowari {

/// The finished FlatBuffer of runtime/plan/plan.fbs for a module that plan-memory has run on. Equal modules
/// give equal bytes.
std::vector<uint8_t> buildManifest(mlir::ModuleOp module, const ProgramSpec &spec,
                                   const codegen::CpuTarget &target);

} // namespace kowari
