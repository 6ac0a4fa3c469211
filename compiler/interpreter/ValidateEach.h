//===- ValidateEach.h - names the first pass that changes numbers *- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/interpreter/PassFault.h"

#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassInstrumentation.h"

#include <memory>

namespace kowari::interpreter {

/// What becomes of the module that a pass has spoilt.
struct FailureReport {
  std::string folder;  ///< the smallest module that shows the fault is written there; "": nothing is reduced
  double seconds = 30; ///< how long to reduce
  std::string
      toolOptions; ///< that the pass needs, for the command on top of that file: "--load-pass-plugin=..."
};

/// After every pass, runs the public functions of the module on the same random inputs as before and
/// compares; plan programs are watched as well (PlanInterpreter.h): the first pass that leaves one reading
/// bytes nobody wrote, overlapping live buffers or missing a wait is reported. What autodiff makes of @loss
/// is compared with differences of the loss. The first pass at fault is reported as an error at the module,
/// with function, output and largest difference, and, where a report is wanted, with the operations of the
/// smallest module in which the pass still does wrong; `foundDifference` is set and this pass manager
/// compares nothing any more. The context must not be multithreaded.
class ValidateEach : public mlir::PassInstrumentation {
public:
  ValidateEach(NumbersOptions numbersOptions, std::shared_ptr<bool> foundDifference,
               FailureReport report = {})
      : options(std::move(numbersOptions)), foundDifference(std::move(foundDifference)),
        report(std::move(report)) {}

  void runBeforePass(mlir::Pass *pass, mlir::Operation *op) override;
  void runAfterPass(mlir::Pass *pass, mlir::Operation *op) override;

private:
  void keep(mlir::ModuleOp module, ModuleNumbers ofModule);
  void explain(mlir::ModuleOp module, const PassRun &run, const PassFault &fault);

  NumbersOptions options;
  std::shared_ptr<bool> foundDifference;
  FailureReport report;
  bool isDone = false; ///< a fault was found (`foundDifference` may be shared with other pass managers)
  mlir::Operation *lastModule = nullptr;
  std::optional<mlir::OperationFingerPrint> lastFingerPrint; ///< of the version that `numbers` belongs to
  mlir::OwningOpRef<mlir::ModuleOp> version;                 ///< a copy of it
  ModuleNumbers numbers;
};

} // namespace kowari::interpreter
