//===- ValidateEach.h - names the first pass that changes numbers *- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/interpreter/ModuleNumbers.h"

#include "mlir/IR/OperationSupport.h"
#include "mlir/Pass/PassInstrumentation.h"

#include <memory>

namespace kowari::interpreter {

/// After every pass, runs the public functions of the module on the same random inputs as before and
/// compares; plan programs are watched as well (PlanInterpreter.h): the first pass that leaves one reading
/// bytes nobody wrote, overlapping live buffers or missing a wait is reported. When @gradient appears, it is
/// compared with differences of its loss. The first pass that changes a number is reported as an error at the
/// module, with function, output and largest difference; `foundDifference` is set and nothing is compared any
/// more. The context must not be multithreaded.
class ValidateEach : public mlir::PassInstrumentation {
public:
  ValidateEach(NumbersOptions options, std::shared_ptr<bool> foundDifference)
      : options(std::move(options)), foundDifference(std::move(foundDifference)) {}

  void runBeforePass(mlir::Pass *pass, mlir::Operation *op) override;
  void runAfterPass(mlir::Pass *pass, mlir::Operation *op) override;

private:
  NumbersOptions options;
  std::shared_ptr<bool> foundDifference;
  mlir::Operation *lastModule = nullptr;
  std::optional<mlir::OperationFingerPrint> lastFingerPrint; ///< of the version that `numbers` belongs to
  ModuleNumbers numbers;
};

} // namespace kowari::interpreter
