//===- PlanUpdates.cpp - gradients and optimizers of a plan ---------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
// The part of PlanBuilder that lays the gradients of a bucket out like its parameters and updates the bucket
// as one vector once its parameters have been read for the last time.
//
//===----------------------------------------------------------------------===//
#include "compiler/PlanBuilder.h"

using namespace mlir;
using kowari::flow::Shape;

namespace kowari {

const PersistentLayout::Place &PlanBuilder::getParameterPlace(Operation *update) {
  auto parameter = cast<BlockArgument>(update->getOperand(0));
  auto [role, name] = getRole(function.getArgAttrDict(parameter.getArgNumber()));
  return layout.getPlace(role, name);
}

void PlanBuilder::planBuckets() {
  DenseMap<Operation *, unsigned> position;
  for (Operation &op : function.getBody().front())
    position[&op] = position.size();
  for (Operation &op : function.getBody().front()) {
    if (!isa<flow::AdamOp, flow::SgdOp>(op))
      continue;
    BucketUpdate &bucket = buckets[getParameterPlace(&op).bucket];
    bucket.updates.push_back(&op);
    auto waitFor = [&](Operation *other) {
      if (other && !isa<flow::AdamOp, flow::SgdOp, func::ReturnOp>(other) &&
          (!bucket.last || position.lookup(other) > position.lookup(bucket.last)))
        bucket.last = other;
    };
    for (Operation *user : op.getOperand(0).getUsers())
      waitFor(user);
    for (Value operand : op.getOperands())
      waitFor(operand.getDefiningOp());
    bindGradient(&op);
  }
}

/// Makes the gradient of a parameter lie where the parameter does in its bucket.
void PlanBuilder::bindGradient(Operation *update) {
  const PersistentLayout::Place &place = getParameterPlace(update);
  const PersistentLayout::Bucket &flat = layout.getBucket(place.bucket);
  BucketUpdate &bucket = buckets[place.bucket];
  Type element = place.view.getElementType();
  if (!bucket.gradients)
    bucket.gradients = createBuffer(plan::ViewType::get(b.getContext(), flat.elements, 1, 1, 1, element));
  int64_t offset = (place.offset - flat.offset) / plan::getElementBytes(element);
  Value slot = createSubview(bucket.gradients, offset, place.view);
  Value &view = views[update->getOperand(1)];
  if (view) // one value is the gradient of two parameters (equal sums, merged)
    bucket.copies.push_back({view, slot});
  else
    view = slot;
}

/// Operands that are as long as the parameter, in order; the others are scalars.
static bool isPerEntry(Operation *update, Value operand) {
  return operand.getType() == update->getOperand(0).getType() &&
         flow::getShape(operand.getType()) != Shape::Scalar;
}

func::FuncOp PlanBuilder::getOptimizerKernel(Operation *update) {
  std::string key;
  // The number of operands too: amsgrad's maximum is one, and no attribute.
  llvm::raw_string_ostream(key) << update->getName() << update->getAttrDictionary()
                                << flow::getElementType(update->getOperand(0)) << update->getNumOperands();
  func::FuncOp &kernel = optimizerKernels[key];
  if (kernel)
    return kernel;
  OpBuilder builder = OpBuilder::atBlockEnd(cast<ModuleOp>(symbols.getOp()).getBody());
  Type flat = RankedTensorType::get({16}, flow::getElementType(update->getOperand(0)));
  SmallVector<Type> operandTypes, resultTypes(update->getNumResults(), flat);
  for (Value v : update->getOperands())
    operandTypes.push_back(isPerEntry(update, v) ? flat : v.getType());
  std::string name = ("k_" + update->getName().stripDialect() + Twine(optimizerKernels.size() - 1)).str();
  Location unknown = builder.getUnknownLoc();
  kernel = func::FuncOp::create(builder, unknown, name, builder.getFunctionType(operandTypes, resultTypes));
  kernel.setPrivate();
  kernel->setAttr("flow.kernel", builder.getDictionaryAttr(
                                     {builder.getNamedAttr("chunks", builder.getStringAttr("columns")),
                                      builder.getNamedAttr("lanes", builder.getStringAttr("columns"))}));
  kernel->setAttr("flow.columns", builder.getI64IntegerAttr(16));
  builder.setInsertionPointToStart(kernel.addEntryBlock());
  OperationState state(unknown, update->getName(), kernel.getArguments(), resultTypes,
                       update->getAttrDictionary().getValue());
  Operation *copy = builder.create(state);
  func::ReturnOp::create(builder, unknown, copy->getResults());
  // In place: the parameter over the parameter, each state over itself.
  SmallVector<unsigned> tied{0};
  for (unsigned i = 2; i < update->getNumOperands(); ++i) // operand 1 is the gradient
    if (isPerEntry(update, update->getOperand(i)))
      tied.push_back(i);
  for (auto [result, operand] : llvm::enumerate(tied))
    kernel.setResultAttr(result, "flow.tied", builder.getI64IntegerAttr(operand));
  return kernel;
}

/// The whole bucket as one vector, or, where the loss does not reach all of its parameters, those it reaches
/// one by one: the others have no gradient and must stay as they are.
void PlanBuilder::emitBucketUpdate(BucketUpdate &bucket) {
  for (auto [source, slot] : bucket.copies)
    emitCopy(source, slot);
  const PersistentLayout::Bucket &flat = layout.getBucket(getParameterPlace(bucket.updates.front()).bucket);
  if (bucket.updates.size() == flat.parameters)
    return emitUpdate(bucket, bucket.updates.front(), 0, flat.elements);
  for (Operation *update : bucket.updates) {
    const PersistentLayout::Place &place = getParameterPlace(update);
    int64_t start = (place.offset - flat.offset) / plan::getElementBytes(place.view.getElementType());
    emitUpdate(bucket, update, start, place.elements);
  }
}

/// Updates `elements` numbers of a bucket from its number `start` on.
void PlanBuilder::emitUpdate(BucketUpdate &bucket, Operation *update, int64_t start, int64_t elements) {
  const PersistentLayout::Bucket &flat = layout.getBucket(getParameterPlace(update).bucket);
  Type element = flow::getElementType(update->getOperand(0));
  auto type = plan::ViewType::get(b.getContext(), elements, 1, 1, 1, element);
  int64_t offset = flat.offset + start * plan::getElementBytes(element);
  SmallVector<Value> reads, writes;
  for (auto [i, operand] : llvm::enumerate(update->getOperands())) {
    if (i == 1) {
      reads.push_back(createSubview(bucket.gradients, start, type));
    } else if (!isPerEntry(update, operand)) {
      reads.push_back(getView(operand));
    } else {
      auto argument = cast<BlockArgument>(operand);
      auto [operandRole, operandName] = getRole(function.getArgAttrDict(argument.getArgNumber()));
      int64_t distance = i == 0 ? 0 : layout.getStateDistance(operandName.split('/').first);
      reads.push_back(createPersistent(offset + distance, type));
      writes.push_back(reads.back());
    }
  }
  plan::KernelOp::create(b, loc, getOptimizerKernel(update).getSymName(), reads, writes, 1, elements,
                         "optimizer");
}

} // namespace kowari
