//===- NvptxCode.cpp - LLVM IR of kernels to PTX --------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/cuda/NvptxCode.h"
#include "compiler/cpu/LlvmPipeline.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/Internalize.h"

#include <mutex>

namespace kowari::cuda {

/// The oldest PTX version that knows the chip: the widest choice of drivers and assemblers.
static llvm::StringRef getPtxVersion(llvm::StringRef chip) {
  if (chip == "sm_80")
    return "+ptx70";
  if (chip == "sm_90")
    return "+ptx78";
  return chip == "sm_100" ? "+ptx86" : "";
}

static std::unique_ptr<llvm::TargetMachine> createMachine(const std::string &chip, std::string &error) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  llvm::Triple triple("nvptx64-nvidia-cuda");
  const llvm::Target *found = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!found)
    return nullptr;
  return std::unique_ptr<llvm::TargetMachine>(
      found->createTargetMachine(triple, chip, getPtxVersion(chip), llvm::TargetOptions(), std::nullopt,
                                 std::nullopt, llvm::CodeGenOptLevel::Aggressive));
}

static std::vector<std::string> findMissing(const llvm::Module &code) {
  std::vector<std::string> names;
  for (const llvm::Function &function : code)
    if (function.isDeclaration() && function.getName().starts_with("__nv_"))
      names.push_back(function.getName().str());
  return names;
}

/// Brings in what the kernels call of libdevice, as internal functions that are inlined later.
static Status linkLibdevice(llvm::Module &code, const std::string &path) {
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> library = llvm::parseIRFile(path, diagnostic, code.getContext());
  if (!library)
    return Status::error("cannot read " + path + ": " + diagnostic.getMessage().str());
  library->setTargetTriple(code.getTargetTriple());
  library->setDataLayout(code.getDataLayout());
  auto internalize = [](llvm::Module &linked, const llvm::StringSet<> &names) {
    llvm::internalizeModule(linked, [&](const llvm::GlobalValue &value) {
      return !value.hasName() || !names.contains(value.getName());
    });
  };
  if (llvm::Linker::linkModules(code, std::move(library), llvm::Linker::LinkOnlyNeeded, internalize))
    return Status::error("cannot link " + path + " with the kernels");
  std::vector<std::string> missing = findMissing(code);
  if (!missing.empty())
    return Status::error(path + " lacks " + llvm::join(missing, ", ") +
                         ", which the kernels call: use the libdevice of CUDA 12 or newer");
  return Status::ok();
}

/// Loops stay rolled: unrolled spline loops need more registers than a thread has.
static void optimize(llvm::Module &code, llvm::TargetMachine &machine) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  tuning.LoopUnrolling = false;
  codegen::runLlvmPipeline(code, machine, tuning, llvm::OptimizationLevel::O3);
}

Result<std::string> emitPtx(llvm::Module &code, const std::string &chip, const std::string &libdevice) {
  if (getPtxVersion(chip).empty())
    return Status::error("no PTX is written for chip " + chip + ": use sm_80, sm_90 or sm_100");
  std::string error;
  std::unique_ptr<llvm::TargetMachine> machine = createMachine(chip, error);
  if (!machine)
    return Status::error("this LLVM has no code generator for " + chip + ": " + error);
  code.setTargetTriple(machine->getTargetTriple());
  code.setDataLayout(machine->createDataLayout());
  if (!libdevice.empty())
    KOWARI_TRY(linkLibdevice(code, libdevice));
  optimize(code, *machine);
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream stream(text);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile))
    return Status::error("LLVM's code generator for " + chip + " writes no PTX");
  passes.run(code);
  return std::string(text.str());
}

} // namespace kowari::cuda
