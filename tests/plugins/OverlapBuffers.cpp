//===- OverlapBuffers.cpp - a wrong pass: buffers too close together ------===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Moves the buffer that lies highest in each plan down by 64 bytes.
//
//===----------------------------------------------------------------------===//
#include "dialects/plan/PlanOps.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

using namespace mlir;

namespace {

struct OverlapBuffers : PassWrapper<OverlapBuffers, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(OverlapBuffers)
  StringRef getArgument() const final { return "overlap-buffers"; }
  StringRef getDescription() const final { return "Moves a buffer onto its neighbor"; }

  void runOnOperation() final {
    for (auto program : getOperation().getOps<kowari::plan::ProgramOp>()) {
      kowari::plan::BufferOp highest;
      for (auto buffer : program.getBlock().getOps<kowari::plan::BufferOp>())
        if (buffer.getOffset() && (!highest || *buffer.getOffset() > *highest.getOffset()))
          highest = buffer;
      if (highest)
        highest.setOffset(*highest.getOffset() - 64);
    }
  }
};

} // namespace

extern "C" PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "OverlapBuffers", "1", [] { PassRegistration<OverlapBuffers>(); }};
}
