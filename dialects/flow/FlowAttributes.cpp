//===- FlowAttributes.cpp - what attributes of other operations say -------===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Roles of arguments and results, stages and row counts stand on operations of other dialects, written by
// hand as often as by buildGraph. Passes read them without looking twice, so they are verified here.
//
//===----------------------------------------------------------------------===//
#include "dialects/flow/FlowOps.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace kowari::flow {

static bool isRole(StringRef name, bool ofResult) {
  return llvm::is_contained({"flow.batch", "flow.parameter", "flow.state", "flow.optimizer"}, name) ||
         (ofResult ? name == "flow.output" : name == "flow.constant" || name == "flow.scalar");
}

/// Whether a tensor can lie in the arena: one of the four shapes, or a static matrix.
static bool isPlaceable(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !(tensor.getElementType().isF32() || tensor.getElementType().isF64() ||
                   tensor.getElementType().isInteger(64)))
    return false;
  return getShape(type) != Shape::None || (tensor.getRank() == 2 && tensor.hasStaticShape());
}

static LogicalResult verifyRole(Operation *op, DictionaryAttr all, Type type, NamedAttribute attribute,
                                bool ofResult, unsigned index) {
  if (!isRole(attribute.getName(), ofResult))
    return success();
  auto report = [&](StringRef constraint) {
    return op->emitOpError(constraint)
           << attribute.getName() << " of " << (ofResult ? "result " : "argument ") << index << " ";
  };
  auto name = dyn_cast<StringAttr>(attribute.getValue());
  if (!name || name.getValue().empty())
    return report("(C1) ") << "is no name";
  if (llvm::count_if(all, [&](NamedAttribute other) { return isRole(other.getName(), ofResult); }) > 1)
    return report("(C1) ") << "is not its only role";
  if (!isPlaceable(type))
    return report("(C2) ") << "is a " << type
                           << ", not a matrix, vector or scalar of f32, f64 or i64 with rows alone unknown";
  return success();
}

LogicalResult FlowDialect::verifyRegionArgAttribute(Operation *op, unsigned /*region*/, unsigned index,
                                                    NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return success();
  return verifyRole(op, function.getArgAttrDict(index), function.getArgumentTypes()[index], attribute,
                    /*ofResult=*/false, index);
}

LogicalResult FlowDialect::verifyRegionResultAttribute(Operation *op, unsigned /*region*/, unsigned index,
                                                       NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return success();
  return verifyRole(op, function.getResultAttrDict(index), function.getResultTypes()[index], attribute,
                    /*ofResult=*/true, index);
}

/// What Autodiff reads of a stage.
static LogicalResult verifyStage(Operation *op, Attribute attribute, size_t index) {
  auto report = [&] { return op->emitOpError("(C3) flow.stages: stage ") << index << " "; };
  auto stage = dyn_cast<DictionaryAttr>(attribute);
  auto optimizer = stage ? stage.getAs<StringAttr>("optimizer") : StringAttr();
  if (!optimizer || !llvm::is_contained({"adam", "adamw", "sgd"}, optimizer.getValue()))
    return report() << "needs an optimizer: adam, adamw or sgd";
  bool sgd = optimizer.getValue() == "sgd";
  SmallVector<StringRef> numbers{"weight_decay"}, flags{"freeze_rb_layer", "maximize"};
  llvm::append_range(numbers, sgd ? ArrayRef<StringRef>{"momentum", "dampening"}
                                  : ArrayRef<StringRef>{"beta1", "beta2", "epsilon"});
  flags.push_back(sgd ? "nesterov" : "amsgrad");
  for (StringRef key : numbers)
    if (auto number = stage.getAs<FloatAttr>(key); !number || !number.getType().isF64())
      return report() << "needs " << key << ", an f64";
  for (StringRef key : flags)
    if (!stage.getAs<BoolAttr>(key))
      return report() << "needs " << key << ", true or false";
  return success();
}

static LogicalResult verifyStages(Operation *op, Attribute attribute) {
  auto stages = dyn_cast<ArrayAttr>(attribute);
  if (!stages || !isa<ModuleOp>(op))
    return op->emitOpError("(C3) flow.stages is a list of stages on a module");
  for (auto [index, stage] : llvm::enumerate(stages))
    if (failed(verifyStage(op, stage, index)))
      return failure();
  return success();
}

/// A function with flow.max_rows becomes a plan.
static LogicalResult verifyEntry(Operation *op, Attribute attribute) {
  auto rows = dyn_cast<IntegerAttr>(attribute);
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!rows || !rows.getType().isInteger(64) || rows.getInt() <= 0 || !function || function.isExternal() ||
      !function.getFunctionBody().hasOneBlock())
    return op->emitOpError("(C4) flow.max_rows is a positive i64 on a function of one block");
  for (BlockArgument argument : function.getArguments()) {
    DictionaryAttr attributes = function.getArgAttrDict(argument.getArgNumber());
    bool hasRole = attributes && llvm::any_of(attributes, [](NamedAttribute other) {
                     return isRole(other.getName(), /*ofResult=*/false);
                   });
    if (!argument.use_empty() && !hasRole)
      return op->emitOpError("(C4) argument ") << argument.getArgNumber() << " of an entry has no role";
  }
  return success();
}

LogicalResult FlowDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  if (attribute.getName() == "flow.stages")
    return verifyStages(op, attribute.getValue());
  if (attribute.getName() == "flow.max_rows")
    return verifyEntry(op, attribute.getValue());
  return success();
}

} // namespace kowari::flow
