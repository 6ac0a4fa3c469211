//===- CaseCheck.cpp - one case through the whole compiler ----------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/fuzz/CaseCheck.h"
#include "compiler/Artifact.h"
#include "compiler/Pipeline.h"
#include "compiler/cpu/CpuCodegen.h"
#include "compiler/fuzz/CompiledRun.h"
#include "compiler/fuzz/StepEntries.h"
#include "compiler/interpreter/PlanChecks.h"
#include "compiler/interpreter/ValidateEach.h"
#include "dialects/flow/FlowOps.h"
#include "dialects/plan/PlanOps.h"
#include "runtime/plan/ArtifactFile.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using kowari::interpreter::ModuleNumbers;
using kowari::interpreter::NumbersOptions;

namespace kowari::fuzz {

namespace {

/// The pipeline's, in order.
std::vector<std::string> getPassNames(MLIRContext &context) {
  PassManager pipeline(&context);
  buildPlanPipeline(pipeline);
  std::vector<std::string> names;
  for (Pass &pass : pipeline.getPasses())
    names.push_back(pass.getArgument().str());
  return names;
}

class CaseCheck {
public:
  CaseCheck(const FuzzCase &checkedCase, const CheckOptions &checkOptions)
      : fuzzCase(checkedCase), options(checkOptions), context(MLIRContext::Threading::DISABLED) {
    context.loadDialect<flow::FlowDialect, plan::PlanDialect, func::FuncDialect>();
  }

  std::optional<std::string> run() {
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &d) {
      llvm::raw_string_ostream stream(diagnostics);
      stream << d << "\n";
      for (Diagnostic &note : d.getNotes())
        stream << "  " << note.str().substr(0, 300) << "\n";
    });
    module = fuzzCase.build(context);
    if (!module || failed(verify(*module)))
      return explain("the case is no valid module");
    numbersOptions.rowCounts = chooseRows();
    numbersOptions.seed = options.seed;
    // Batch norms over two rows leave few digits of float32; the same functions run in double as well.
    numbersOptions.toleranceF32 = 0.03;
    if (auto failure = runPasses())
      return failure;
    return runCompiled();
  }

private:
  std::string explain(const std::string &what) const {
    return what + (diagnostics.empty() ? "" : ": " + diagnostics);
  }

  /// Few rows, all rows, and a number between. Of two rows a batch norm leaves the sign alone, and float32
  /// loses all digits of the gradients behind it.
  std::vector<int64_t> chooseRows() {
    int64_t most = 1;
    for (auto function : module->getOps<func::FuncOp>())
      if (auto rows = function->getAttrOfType<IntegerAttr>("flow.max_rows"))
        most = std::max(most, rows.getInt());
    if (isPlanned())
      most = interpreter::getArenaBounds(*module)->maxRows;
    const int64_t least = fuzzCase.getSpec().elementType == ElementType::F64 ? 2 : 5;
    std::vector<int64_t> counts{std::min(least, most)};
    for (int64_t rows : {most / 2 + 1, most})
      if (rows > counts.back())
        counts.push_back(rows);
    return counts;
  }

  bool isDifferentiated() { return (*module)->hasAttr("flow.stages"); }
  /// Whether the case is a plan with all places given, which only passes of a plug-in run on.
  bool isPlanned() {
    return interpreter::getArenaBounds(*module) && !module->getOps<plan::ProgramOp>().empty();
  }

  LogicalResult runPass(const std::string &name, std::shared_ptr<bool> foundDifference) {
    PassManager manager(&context, "builtin.module", OpPassManager::Nesting::Implicit);
    if (failed(parsePassPipeline(name, manager)))
      return failure();
    manager.addInstrumentation(std::make_unique<interpreter::ValidateEach>(numbersOptions, foundDifference));
    return manager.run(*module);
  }

  /// The passes in place of and behind one of the pipeline's.
  std::vector<std::string> getSteps(const std::string &name, bool runsItself) const {
    std::vector<std::string> steps;
    auto replacement = options.replaced.find(name), addition = options.added.find(name);
    if (runsItself)
      steps.push_back(replacement == options.replaced.end() ? name : replacement->second);
    if (addition != options.added.end())
      steps.push_back(addition->second);
    return steps;
  }

  std::optional<std::string> runPasses() {
    const bool planned = isPlanned();
    bool hasReference = planned;
    if (planned)
      reference = ModuleNumbers::compute(*module, numbersOptions);
    if (reference.getPlanFault())
      return "the plan is at fault: " + *reference.getPlanFault();
    for (const std::string &name : getPassNames(context)) {
      if (name == "autodiff" && !isDifferentiated())
        continue;
      for (const std::string &step : getSteps(name, !planned)) {
        auto foundDifference = std::make_shared<bool>(false);
        if (failed(runPass(step, foundDifference)))
          return explain("pass " + step + " failed");
        if (*foundDifference)
          return explain("the reference interpreter disagrees");
      }
      if (!hasReference) // the functions that are compiled, as flow operations
        reference = ModuleNumbers::compute(*module, numbersOptions);
      hasReference = true;
    }
    return std::nullopt;
  }

  /// The kernels as the code generator gets them.
  FailureOr<OwningOpRef<ModuleOp>> makeCodeModule() {
    OwningOpRef<ModuleOp> kernels(module->clone());
    auto pass = options.added.find(codeGeneration);
    PassManager manager(&context, "builtin.module", OpPassManager::Nesting::Implicit);
    if (pass != options.added.end() &&
        (failed(parsePassPipeline(pass->second, manager)) || failed(manager.run(*kernels))))
      return failure();
    return kernels;
  }

  std::optional<std::string> runCompiled() {
    ProgramSpec spec = fuzzCase.getSpec();
    Result<codegen::CpuTarget> target = codegen::CpuTarget::get(options.target);
    if (!target)
      return target.status().message();
    auto kernels = makeCodeModule();
    if (failed(kernels))
      return explain("pass " + options.added.at(codeGeneration) + " failed");
    auto code = codegen::compileKernels(**kernels, *target);
    if (failed(code))
      return explain("code generation failed");
    OwningOpRef<ModuleOp> withSteps = withStepEntries(*module);
    std::vector<uint8_t> manifest = buildManifest(*withSteps, spec, *target);
    std::string path = options.scratchFolder + "/case.kwa";
    Status written =
        plan::writeArtifact(path, manifest, {reinterpret_cast<const uint8_t *>(code->data()), code->size()});
    if (!written)
      return "the artifact cannot be written: " + written.message();
    return compareCompiled(*module, path, reference, numbersOptions);
  }

  const FuzzCase &fuzzCase;
  const CheckOptions &options;
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  NumbersOptions numbersOptions;
  ModuleNumbers reference;
  std::string diagnostics;
};

} // namespace

Status checkPassNames(const CheckOptions &options) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  std::vector<std::string> names = getPassNames(context);
  auto check = [&](const std::string &name) {
    return llvm::is_contained(names, name)
               ? Status::ok()
               : Status::error("'" + name +
                               "' is no pass of the pipeline; these are: " + llvm::join(names, ", "));
  };
  for (const auto &[name, other] : options.replaced)
    KOWARI_TRY(check(name));
  names.push_back(codeGeneration);
  for (const auto &[name, other] : options.added)
    KOWARI_TRY(check(name));
  return Status::ok();
}

std::optional<std::string> checkCase(const FuzzCase &fuzzCase, const CheckOptions &options) {
  return CaseCheck(fuzzCase, options).run();
}

} // namespace kowari::fuzz
