//===- Passes.h - the compiler's passes -------------------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Passes.td says what each expects, does and guarantees.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/flow/FlowOps.h"
#include "dialects/plan/PlanOps.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace kowari {

#define GEN_PASS_DECL
#include "compiler/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "compiler/Passes.h.inc"

} // namespace kowari
