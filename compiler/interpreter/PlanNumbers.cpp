//===- PlanNumbers.cpp - random inputs of plan programs -------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/interpreter/PlanNumbers.h"

#include "compiler/interpreter/RandomArguments.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace kowari::interpreter {

double countMultiplyAdds(plan::ProgramOp program) {
  double count = 0;
  for (auto product : program.getBlock().getOps<plan::GemmOp>()) {
    auto extent = [](int64_t dim) { return dim == plan::rowsOfCall ? 1.0 : static_cast<double>(dim); };
    auto a = cast<plan::ViewType>(product.getA().getType()),
         b = cast<plan::ViewType>(product.getB().getType());
    count += extent(a.getDim0()) * extent(a.getDim1()) * extent(b.getDim1());
  }
  return count;
}

bool usesF32(plan::ProgramOp program) {
  return llvm::any_of(program.getBlock(), [](Operation &op) {
    return llvm::any_of(op.getResultTypes(),
                        [](Type type) { return cast<plan::ViewType>(type).getElementType().isF32(); });
  });
}

/// The row count of the smallest table that rows are taken from by the tensor at this place.
static int64_t getIndexBound(plan::ProgramOp program, int64_t offset) {
  int64_t bound = int64_t(1) << 20;
  for (auto gather : program.getBlock().getOps<plan::GatherOp>()) {
    auto [base, start] = plan::getBase(gather.getIndex());
    auto persistent = dyn_cast<plan::PersistentOp>(base);
    if (persistent && start == 0 && static_cast<int64_t>(persistent.getOffset()) == offset)
      bound = std::min(bound, cast<plan::ViewType>(gather.getTable().getType()).getDim0());
  }
  return bound;
}

NamedTensors makeRandomTensors(plan::ProgramOp program, int64_t rows, uint64_t seed, double perturbation) {
  NamedTensors tensors;
  for (auto tensor : program->getParentOfType<ModuleOp>().getOps<plan::TensorOp>()) {
    Type element = cast<plan::ViewType>(tensor.getView()).getElementType();
    std::vector<int64_t> shape(tensor.getShape().begin(), tensor.getShape().end());
    std::string key = getTensorKey(tensor);
    tensors.insert_or_assign(key,
                             makeRandomTensor(key, element, shape, getIndexBound(program, tensor.getOffset()),
                                              rows, seed, perturbation));
  }
  return tensors;
}

} // namespace kowari::interpreter
