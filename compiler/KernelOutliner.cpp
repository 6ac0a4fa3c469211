//===- KernelOutliner.cpp - groups as functions of their own --------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/KernelOutliner.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/CSE.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using kowari::flow::Shape;

namespace kowari {

/// Matrices with at most this many columns are kept feature-major, lanes over rows: the flow's own variables.
static constexpr int64_t narrowColumns = 16;

static DictionaryAttr chooseSchedule(const FusionGroup &group, Builder &b) {
  bool wide = false, multiple = false;
  for (Operation *op : group.ops) {
    auto rowwise = dyn_cast<flow::RowwiseOpInterface>(op);
    for (unsigned i = 0; rowwise && i < op->getNumOperands(); ++i)
      multiple |= rowwise.getOperandPointWidth(i) > 1;
  }
  wide = group.columns > narrowColumns;
  bool columnVectors = group.classes == 1u << static_cast<unsigned>(PointClass::ColumnVector);
  bool smallMatrix = group.classes == 0; // weights are row-major
  bool alongRows = !columnVectors && !smallMatrix && (multiple || !wide);
  StringRef chunks = "rows";
  if (group.classes == 0 || group.has(PointClass::RowVectorSum) || group.has(PointClass::Scalar))
    chunks = "none";
  else if (group.has(PointClass::ColumnSum) || group.has(PointClass::ColumnVector))
    chunks = "columns";
  return b.getDictionaryAttr({b.getNamedAttr("chunks", b.getStringAttr(chunks)),
                              b.getNamedAttr("lanes", b.getStringAttr(alongRows ? "rows" : "columns"))});
}

/// A type with the group's column count replaced, so that equal groups of other widths print alike.
static void printSymbolic(llvm::raw_ostream &os, Type type, int64_t columns) {
  auto tensor = cast<RankedTensorType>(type);
  Shape shape = flow::getShape(type);
  os << static_cast<int>(shape) << tensor.getElementType();
  if (shape != Shape::Matrix && shape != Shape::ColumnVector)
    return;
  int64_t own = flow::getColumns(type);
  if (columns > 0 && own % columns == 0)
    os << "C" << own / columns;
  else
    os << own;
}

static std::string describe(const FusionGroup &group, ValueRange inputs, ValueRange outputs,
                            DictionaryAttr schedule) {
  std::string text;
  llvm::raw_string_ostream os(text);
  DenseMap<Value, unsigned> numbers;
  os << schedule;
  for (Value v : inputs) {
    numbers[v] = numbers.size();
    printSymbolic(os, v.getType(), group.columns);
  }
  for (Operation *op : group.ops) {
    os << op->getName() << op->getAttrDictionary();
    for (Value v : op->getOperands())
      os << "," << numbers.lookup(v);
    for (Value v : op->getResults()) {
      numbers[v] = numbers.size();
      os << ":";
      printSymbolic(os, v.getType(), group.columns);
    }
  }
  for (Value v : outputs)
    os << ">" << numbers.lookup(v);
  return text;
}

/// A readable symbol: the operations' names, in order, without repeats.
static std::string getKernelName(const FusionGroup &group, size_t number) {
  llvm::SmallSetVector<StringRef, 8> names;
  for (Operation *op : group.ops)
    names.insert(op->getName().stripDialect());
  std::string name = "k" + std::to_string(number);
  for (StringRef part : names.getArrayRef().take_front(4))
    name += "_" + part.str();
  return name;
}

func::FuncOp KernelOutliner::getKernel(const FusionGroup &group, ValueRange inputs, ValueRange outputs) {
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  DictionaryAttr schedule = chooseSchedule(group, builder);
  func::FuncOp &kernel = kernels[describe(group, inputs, outputs, schedule)];
  if (kernel)
    return kernel;
  Location location = UnknownLoc::get(module.getContext());
  kernel = func::FuncOp::create(builder, location, getKernelName(group, kernels.size() - 1),
                                builder.getFunctionType(inputs.getTypes(), outputs.getTypes()));
  kernel->setAttr("flow.kernel", schedule);
  kernel->setAttr("flow.columns", builder.getI64IntegerAttr(group.columns));
  kernel.setPrivate();
  builder.setInsertionPointToStart(kernel.addEntryBlock());
  IRMapping mapping;
  mapping.map(inputs, kernel.getArguments());
  for (Operation *op : group.ops)
    builder.clone(*op, mapping)->setLoc(location);
  SmallVector<Value> results;
  for (Value v : outputs)
    results.push_back(mapping.lookup(v));
  func::ReturnOp::create(builder, location, results);
  IRRewriter rewriter(module.getContext());
  DominanceInfo dominance(kernel);
  eliminateCommonSubExpressions(rewriter, dominance, kernel);
  return kernel;
}

Operation *KernelOutliner::outline(const FusionGroup &group, OpBuilder &builder) {
  DenseSet<Operation *> members(group.ops.begin(), group.ops.end());
  llvm::SmallSetVector<Value, 16> inputs;
  SmallVector<Value> outputs;
  for (Operation *op : group.ops) {
    for (Value v : op->getOperands())
      if (!members.contains(v.getDefiningOp()))
        inputs.insert(v);
    bool whole = isa<flow::SmallMatrixOpInterface>(op); // its loops write every result
    for (Value v : op->getResults())
      if (whole || llvm::any_of(v.getUsers(), [&](Operation *user) { return !members.contains(user); }))
        outputs.push_back(v);
  }
  func::FuncOp kernel = getKernel(group, inputs.getArrayRef(), outputs);
  auto call = flow::FusedOp::create(builder, group.ops.back()->getLoc(), ValueRange(outputs).getTypes(),
                                    kernel.getSymName(), inputs.getArrayRef());
  for (auto [from, to] : llvm::zip(outputs, call.getResults()))
    from.replaceUsesWithIf(to, [&](OpOperand &use) { return !members.contains(use.getOwner()); });
  return call;
}

} // namespace kowari
