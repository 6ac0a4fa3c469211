//===- ToyKernels.cpp - the toy network's kernels -------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "ToyKernels.h"

#include "compiler/Passes.h"
#include "compiler/Pipeline.h"
#include "frontend/graph/BuildGraph.h"
#include "frontend/settings/ProgramSpec.h"

#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <fstream>
#include <optional>
#include <sstream>

using namespace mlir;

namespace kowari::test {

static OwningOpRef<ModuleOp> buildToy(MLIRContext &context) {
  std::ifstream file(KOWARI_TEST_DATA "/ptx/toy.json");
  std::stringstream text;
  text << file.rdbuf();
  Result<ProgramSpec> spec = ProgramSpec::fromJson(text.str());
  EXPECT_TRUE(spec.isOk()) << spec.status().message();
  if (!spec.isOk())
    return {};
  OwningOpRef<ModuleOp> module = graph::buildGraph(context, *spec);
  PassManager passes(&context);
  buildPlanPipeline(passes);
  EXPECT_TRUE(succeeded(passes.run(*module)));
  return module;
}

ModuleOp getToyModule() {
  static MLIRContext context(MLIRContext::Threading::DISABLED);
  static OwningOpRef<ModuleOp> module = buildToy(context);
  return *module;
}

const cuda::PtxEmitter *getToyEmitter() {
  static Result<cuda::PtxEmitter> emitter = getToyModule() ? cuda::PtxEmitter::create(getToyModule())
                                                           : Status::error("the toy network was not built");
  EXPECT_TRUE(emitter.isOk()) << emitter.status().message();
  return emitter.isOk() ? &*emitter : nullptr;
}

OwningOpRef<ModuleOp> parseKernels(MLIRContext &context, const std::string &text) {
  context.loadDialect<flow::FlowDialect, func::FuncDialect>();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  EXPECT_TRUE(module);
  return module;
}

} // namespace kowari::test
