//===- Interpreter.cpp - runs functions of the flow dialect ---------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/interpreter/Interpreter.h"

#include "compiler/interpreter/Evaluators.h"

using namespace mlir;

namespace kowari::interpreter {

//===-- evaluators --------------------------------------------------------===//

const EvaluatorTable &EvaluatorTable::get() {
  static const EvaluatorTable table = [] {
    EvaluatorTable t;
    addProductEvaluators(t);
    addNormEvaluators(t);
    addDensityEvaluators(t);
    addOptimizerEvaluators(t);
    addDataEvaluators(t);
    return t;
  }();
  return table;
}

Evaluator EvaluatorTable::find(Operation *op, const Frame &frame) const {
  auto found = table.find(op->getName().getStringRef());
  if (found == table.end())
    return nullptr;
  auto isFloat = [&](TypeRange types) -> std::optional<bool> {
    for (Type type : types)
      if (auto tensor = dyn_cast<RankedTensorType>(type))
        if (isa<FloatType>(tensor.getElementType()))
          return frame.getKind(tensor.getElementType()) == ElementKind::F32;
    return std::nullopt;
  };
  std::optional<bool> inFloat = isFloat(op->getOperandTypes());
  if (!inFloat)
    inFloat = isFloat(op->getResultTypes());
  return inFloat.value_or(false) ? found->second.first : found->second.second;
}

//===-- calls -------------------------------------------------------------===//

/// The function an operation calls; null if it calls none.
static func::FuncOp getCallee(Operation *op) {
  FlatSymbolRefAttr symbol;
  if (auto fused = dyn_cast<flow::FusedOp>(op))
    symbol = fused.getKernelAttr();
  else if (auto call = dyn_cast<func::CallOp>(op))
    symbol = call.getCalleeAttr();
  return symbol ? SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, symbol) : func::FuncOp();
}

static FailureOr<std::vector<Tensor>> runBody(func::FuncOp function, std::vector<Tensor> arguments,
                                              int64_t rows, bool inDouble) {
  if (!function.getBody().hasOneBlock())
    return function.emitError("cannot be interpreted: its body is not one block");
  Frame frame(rows, inDouble);
  for (auto [formal, actual] : llvm::zip_equal(function.getArguments(), arguments))
    frame.bind(formal, std::move(actual));
  for (Operation &op : function.getBody().front()) {
    auto collect = [&](ValueRange values) {
      std::vector<Tensor> tensors;
      for (Value v : values)
        tensors.push_back(frame.lookup(v));
      return tensors;
    };
    if (isa<func::ReturnOp>(op))
      return collect(op.getOperands());
    if (func::FuncOp callee = getCallee(&op)) {
      auto results = runBody(callee, collect(op.getOperands()), rows, inDouble);
      if (failed(results))
        return failure();
      for (auto [formal, actual] : llvm::zip_equal(op.getResults(), *results))
        frame.bind(formal, std::move(actual));
      continue;
    }
    Evaluator evaluate = EvaluatorTable::get().find(&op, frame);
    if (!evaluate)
      return op.emitError("the interpreter has no evaluator for ") << op.getName();
    evaluate(&op, frame);
    if (frame.hasFailed())
      return failure();
  }
  return function.emitError("ends without func.return");
}

//===-- arguments ---------------------------------------------------------===//

/// Checks an argument against its type and learns or checks the row count.
static LogicalResult checkArgument(func::FuncOp function, unsigned index, const Tensor &argument,
                                   std::optional<int64_t> &rows) {
  auto report = [&](const Twine &what) {
    return function.emitError("argument #") << index << " of type " << function.getArgumentTypes()[index]
                                            << " got " << argument.describe() << ": " << what.str();
  };
  auto type = dyn_cast<RankedTensorType>(function.getArgumentTypes()[index]);
  if (!type)
    return report("only ranked tensors can be interpreted");
  if (isa<FloatType>(type.getElementType()) != argument.isReal())
    return report("the element type does not fit");
  if (type.getRank() != static_cast<int64_t>(argument.getShape().size()))
    return report("the rank does not fit");
  for (int64_t d = 0; d < type.getRank(); ++d) {
    int64_t extent = argument.getShape()[d];
    if (!type.isDynamicDim(d)) {
      if (extent != type.getDimSize(d))
        return report("dimension " + Twine(d) + " does not fit");
      continue;
    }
    if (rows && *rows != extent)
      return report("the batch has " + Twine(*rows) + " rows");
    rows = extent;
  }
  return success();
}

FailureOr<std::vector<Tensor>> interpret(func::FuncOp function, std::vector<Tensor> arguments,
                                         const InterpretOptions &options) {
  if (function.isExternal())
    return function.emitError("cannot be interpreted: it has no body");
  if (arguments.size() != function.getNumArguments())
    return function.emitError("has ") << function.getNumArguments() << " arguments, got " << arguments.size();
  std::optional<int64_t> rows = options.rows;
  for (auto [index, argument] : llvm::enumerate(arguments))
    if (failed(checkArgument(function, index, argument, rows)))
      return failure();
  Frame kinds(rows.value_or(1), options.inDouble);
  for (auto [type, argument] : llvm::zip_equal(function.getArgumentTypes(), arguments))
    argument = argument.convertedTo(kinds.getKind(cast<RankedTensorType>(type).getElementType()));
  return runBody(function, std::move(arguments), rows.value_or(1), options.inDouble);
}

FailureOr<std::vector<Tensor>> interpretKernel(func::FuncOp kernel, std::vector<Tensor> arguments,
                                               int64_t rows, bool inDouble) {
  if (kernel.isExternal() || arguments.size() != kernel.getNumArguments())
    return kernel.emitError("has ") << kernel.getNumArguments() << " arguments, got " << arguments.size();
  Frame kinds(rows, inDouble);
  for (auto [type, argument] : llvm::zip_equal(kernel.getArgumentTypes(), arguments))
    argument = argument.convertedTo(kinds.getKind(cast<RankedTensorType>(type).getElementType()));
  return runBody(kernel, std::move(arguments), rows, inDouble);
}

bool isInterpretable(func::FuncOp function) {
  if (function.isExternal() || !function.getBody().hasOneBlock())
    return false;
  for (Type type : function.getArgumentTypes())
    if (!isa<RankedTensorType>(type))
      return false;
  Frame frame(1, true);
  return llvm::all_of(function.getBody().front(), [&](Operation &op) {
    if (isa<func::ReturnOp>(op) || EvaluatorTable::get().find(&op, frame))
      return true;
    func::FuncOp callee = getCallee(&op);
    return callee && isInterpretable(callee);
  });
}

} // namespace kowari::interpreter
