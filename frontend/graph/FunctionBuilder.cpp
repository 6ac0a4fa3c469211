//===- FunctionBuilder.cpp - one entry point under construction -----------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "frontend/graph/FunctionBuilder.h"

#include <cmath>

using namespace mlir;

namespace kowari::graph {

FunctionBuilder::FunctionBuilder(ModuleOp module, StringRef name, const ProgramSpec &programSpec)
    : b(UnknownLoc::get(module.getContext()), module.getContext()), spec(programSpec) {
  element = spec.elementType == ElementType::F64 ? Type(b.getF64Type()) : Type(b.getF32Type());
  b.setInsertionPointToEnd(module.getBody());
  function = func::FuncOp::create(b, b.getLoc(), name, b.getFunctionType({}, {}));
  function->setAttr("flow.max_rows", b.getI64IntegerAttr(spec.maxRows));
  b.setInsertionPointToStart(function.addEntryBlock());
}

RankedTensorType FunctionBuilder::matrix(int64_t columns) const {
  return RankedTensorType::get({ShapedType::kDynamic, columns}, element);
}
RankedTensorType FunctionBuilder::rowVector() const {
  return RankedTensorType::get({ShapedType::kDynamic}, element);
}
RankedTensorType FunctionBuilder::columnVector(int64_t entries) const {
  return RankedTensorType::get({entries}, element);
}
RankedTensorType FunctionBuilder::scalar() const { return RankedTensorType::get({}, element); }

Value FunctionBuilder::addArgument(StringRef role, StringRef name, Type type) {
  argumentAttributes.push_back(b.getDictionaryAttr({b.getNamedAttr(role, b.getStringAttr(name))}));
  Value value = function.getBody().front().addArgument(type, b.getLoc());
  values[name] = value;
  return value;
}

Value FunctionBuilder::declare(const std::string &name, ArrayRef<int64_t> shape, Type type, StringRef role,
                               StringRef init, double value) {
  Value argument = addArgument(role, name, RankedTensorType::get(shape, type));
  argumentAttributes.back() = b.getDictionaryAttr(
      {b.getNamedAttr(role, b.getStringAttr(name)), b.getNamedAttr("flow.init", b.getStringAttr(init)),
       b.getNamedAttr("flow.init_value", b.getF64FloatAttr(value))});
  return argument;
}

void FunctionBuilder::declareUniform(const std::string &name, ArrayRef<int64_t> shape, double bound) {
  declare(name, shape, element, "flow.parameter", "uniform", bound);
}
void FunctionBuilder::declareFill(const std::string &name, ArrayRef<int64_t> shape, double value) {
  declare(name, shape, element, "flow.parameter", "fill", value);
}
void FunctionBuilder::declareState(const std::string &name, int64_t entries, double value) {
  declare(name, {entries}, element, "flow.state", "fill", value);
}
void FunctionBuilder::declarePermutation(const std::string &name, int64_t entries) {
  declare(name, {entries}, b.getI64Type(), "flow.constant", "permutation", 0.0);
}

void FunctionBuilder::declareLinear(const std::string &prefix, int64_t outputs, int64_t inputs,
                                    double bound) {
  if (bound == 0.0 && inputs > 0)
    bound = 1.0 / std::sqrt(static_cast<double>(inputs));
  declareUniform(prefix + "weight", {outputs, inputs}, bound);
  declareUniform(prefix + "bias", {outputs}, bound);
}

Value FunctionBuilder::get(const std::string &name) const {
  auto it = values.find(name);
  assert(it != values.end() && "used before it was declared");
  return it->second;
}

Value FunctionBuilder::linear(const std::string &prefix, ValueRange inputs) {
  Value weight = get(prefix + "weight");
  int64_t outputs = cast<RankedTensorType>(weight.getType()).getDimSize(0);
  return flow::LinearOp::create(b, matrix(outputs), inputs, weight, get(prefix + "bias"));
}

void FunctionBuilder::addResult(StringRef role, StringRef name, Value value) {
  resultAttributes.push_back(b.getDictionaryAttr({b.getNamedAttr(role, b.getStringAttr(name))}));
  results.push_back(value);
}

void FunctionBuilder::finish() {
  func::ReturnOp::create(b, results);
  SmallVector<Type> resultTypes = llvm::to_vector(ValueRange(results).getTypes());
  function.setFunctionType(b.getFunctionType(function.getBody().front().getArgumentTypes(), resultTypes));
  function.setAllArgAttrs(argumentAttributes);
  function.setAllResultAttrs(resultAttributes);
}

} // namespace kowari::graph
