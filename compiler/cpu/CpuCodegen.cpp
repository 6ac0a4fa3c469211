//===- CpuCodegen.cpp - fused kernels to machine code ---------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/cpu/CpuCodegen.h"

#include "compiler/cpu/KernelCompiler.h"
#include "compiler/cpu/KernelNest.h"
#include "compiler/cpu/SharedObjectLinker.h"

#include <atomic>
#include <mutex>
#include <thread>

using namespace mlir;

namespace kowari::codegen {

namespace {
struct Job {
  func::FuncOp kernel;
  std::string text; // a module of this kernel alone, so that each thread can work in its own context
  std::string object;
  Status status = Status::ok();
};
} // namespace

static LogicalResult checkKernel(func::FuncOp kernel) {
  if (kernel.isExternal() || !llvm::hasSingleElement(kernel.getBody()))
    return kernel.emitOpError("a kernel needs a body of one block");
  bool smallMatrix =
      llvm::any_of(kernel.front(), [](Operation &op) { return isa<flow::SmallMatrixOpInterface>(op); });
  return smallMatrix ? success() : LogicalResult(planNest(kernel));
}

static FailureOr<std::vector<Job>> collectJobs(ModuleOp module) {
  std::vector<Job> jobs;
  for (auto kernel : module.getOps<func::FuncOp>()) {
    if (!kernel->hasAttr("flow.kernel"))
      continue;
    if (failed(checkKernel(kernel)))
      return failure();
    Job &job = jobs.emplace_back();
    job.kernel = kernel;
    llvm::raw_string_ostream stream(job.text);
    kernel->print(stream, OpPrintingFlags().printGenericOpForm().useLocalScope());
  }
  return jobs;
}

static void compileJobs(std::vector<Job> &jobs, const CpuTarget &target, const KernelProgress &progress) {
  std::atomic<size_t> next = 0;
  std::mutex reporting;
  size_t done = 0;
  auto work = [&] {
    KernelCompiler compiler(target);
    for (size_t i; (i = next++) < jobs.size();) {
      Job &job = jobs[i];
      StringRef name = job.kernel.getName();
      Result<std::string> object = compiler.compile(job.text, name);
      if (object.isOk())
        job.object = object.take();
      else
        job.status = object.status();
      std::lock_guard<std::mutex> lock(reporting);
      ++done;
      if (progress)
        progress(done, jobs.size(), name);
    }
  };
  size_t count = std::min<size_t>(jobs.size(), std::max(1u, std::thread::hardware_concurrency()));
  std::vector<std::thread> threads;
  for (size_t i = 1; i < count; ++i)
    threads.emplace_back(work);
  work();
  for (std::thread &thread : threads)
    thread.join();
}

FailureOr<std::string> compileKernels(ModuleOp module, const CpuTarget &target,
                                      const KernelProgress &progress) {
  FailureOr<std::vector<Job>> jobs = collectJobs(module);
  if (failed(jobs))
    return failure();
  if (jobs->empty())
    return std::string();
  compileJobs(*jobs, target, progress);
  std::vector<std::string> objects;
  for (Job &job : *jobs) {
    if (!job.status.isOk())
      return job.kernel.emitError(job.status.message());
    objects.push_back(std::move(job.object));
  }
  Result<std::string> shared = linkSharedObject(objects);
  if (!shared.isOk())
    return module.emitError(shared.status().message());
  return shared.take();
}

} // namespace kowari::codegen
