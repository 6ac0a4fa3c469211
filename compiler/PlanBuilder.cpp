//===- PlanBuilder.cpp - one function as a plan program -------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Gradients and optimizers are in PlanUpdates.cpp.
//
//===----------------------------------------------------------------------===//
#include "compiler/PlanBuilder.h"

using namespace mlir;
using kowari::flow::Shape;

namespace kowari {

PlanBuilder::PlanBuilder(func::FuncOp planned, const PersistentLayout &persistent, int64_t rows,
                         OptimizerKernels &kernels)
    : function(planned), layout(persistent), maxRows(rows), optimizerKernels(kernels),
      b(planned.getContext()), loc(planned.getLoc()), symbols(planned->getParentOfType<ModuleOp>()) {}

LogicalResult PlanBuilder::build() {
  b.setInsertionPointAfter(function);
  auto program = plan::ProgramOp::create(b, loc, function.getSymName());
  b.setInsertionPointToStart(&program.getBody().emplaceBlock());
  bindArguments();
  planBuckets();
  bindStateResults();
  planWideProducts();
  for (Operation &op : function.getBody().front().without_terminator()) {
    if (failed(lower(&op)))
      return failure();
    for (auto &[index, bucket] : buckets)
      if (bucket.last == &op)
        emitBucketUpdate(bucket);
  }
  emitOutputs();
  return success();
}

//===-- views -------------------------------------------------------------===//

Value PlanBuilder::createBuffer(plan::ViewType type) {
  return plan::BufferOp::create(b, loc, type, IntegerAttr());
}

Value PlanBuilder::createPersistent(int64_t offset, plan::ViewType type) {
  return plan::PersistentOp::create(b, loc, type, offset);
}

Value PlanBuilder::createSubview(Value source, int64_t offset, plan::ViewType type) {
  if (offset == 0 && type == source.getType())
    return source;
  return plan::SubviewOp::create(b, loc, type, source, offset);
}

Value PlanBuilder::transpose(Value view) {
  auto type = cast<plan::ViewType>(view.getType());
  return createSubview(view, 0,
                       plan::ViewType::get(b.getContext(), type.getDim1(), type.getDim0(), type.getStride1(),
                                           type.getStride0(), type.getElementType()));
}

Value PlanBuilder::getColumnsOf(Value view, int64_t start, int64_t count, int64_t step) {
  auto type = cast<plan::ViewType>(view.getType());
  return createSubview(view, start * type.getStride1(),
                       plan::ViewType::get(b.getContext(), type.getDim0(), count, type.getStride0(),
                                           type.getStride1() * step, type.getElementType()));
}

int64_t PlanBuilder::getColumnCount(Value view) { return cast<plan::ViewType>(view.getType()).getDim1(); }

Value PlanBuilder::getView(Value tensor) {
  Value &view = views[tensor];
  if (!view)
    view = createBuffer(getViewType(tensor.getType(), isFeatureMajor(tensor), maxRows));
  return view;
}

Value PlanBuilder::getResultView(unsigned index) { return getView(current->getResult(index)); }
void PlanBuilder::setResultView(unsigned index, Value view) { views[current->getResult(index)] = view; }

Value PlanBuilder::getViewAs(Value tensor, bool featureMajor) {
  Value view = getView(tensor);
  auto type = cast<plan::ViewType>(view.getType());
  bool unit = featureMajor ? type.getStride0() == 1 : type.getStride1() == 1;
  if (flow::getShape(tensor.getType()) != Shape::Matrix || unit)
    return view;
  Value &copy = converted[tensor];
  if (!copy) {
    copy = createBuffer(getViewType(tensor.getType(), featureMajor, maxRows));
    emitCopy(view, copy);
  }
  return copy;
}

//===-- layouts -----------------------------------------------------------===//

func::FuncOp PlanBuilder::getKernel(flow::FusedOp call) {
  return symbols.lookup<func::FuncOp>(call.getKernel());
}

static bool runsAlongRows(func::FuncOp kernel) {
  return kernel->getAttrOfType<DictionaryAttr>("flow.kernel").getAs<StringAttr>("lanes").getValue() == "rows";
}

bool PlanBuilder::wantsFeatureMajor(OpOperand &use) {
  if (auto call = dyn_cast<flow::FusedOp>(use.getOwner()))
    return runsAlongRows(getKernel(call));
  return isa<flow::SplitColumnsOp, flow::InterleaveColumnsOp>(use.getOwner());
}

bool PlanBuilder::isFeatureMajor(Value tensor) {
  Operation *def = tensor.getDefiningOp();
  if (!def)
    return false;
  if (auto call = dyn_cast<flow::FusedOp>(def))
    return runsAlongRows(getKernel(call));
  if (isa<flow::SplitColumnsOp, flow::InterleaveColumnsOp>(def))
    return true;
  return llvm::any_of(tensor.getUses(), [&](OpOperand &use) { return wantsFeatureMajor(use); });
}

//===-- arguments and results ---------------------------------------------===//

std::pair<StringRef, StringRef> PlanBuilder::getRole(DictionaryAttr attributes) {
  for (StringRef role : {"flow.parameter", "flow.state", "flow.constant", "flow.optimizer", "flow.scalar",
                         "flow.batch", "flow.output"})
    if (auto name = attributes ? attributes.getAs<StringAttr>(role) : StringAttr())
      return {role, name.getValue()};
  return {};
}

void PlanBuilder::bindArguments() {
  for (BlockArgument argument : function.getArguments()) {
    auto [role, name] = getRole(function.getArgAttrDict(argument.getArgNumber()));
    if (argument.use_empty())
      continue;
    const PersistentLayout::Place &place = layout.getPlace(role, name);
    views[argument] = createPersistent(place.offset, place.view);
    if (role == "flow.batch")
      plan::InputOp::create(b, loc, name);
  }
}

void PlanBuilder::bindStateResults() {
  auto terminator = cast<func::ReturnOp>(function.getBody().front().getTerminator());
  for (auto [i, value] : llvm::enumerate(terminator.getOperands())) {
    auto [role, name] = getRole(function.getResultAttrDict(i));
    if (role == "flow.state") {
      const PersistentLayout::Place &place = layout.getPlace(role, name);
      views[value] = createPersistent(place.offset, place.view);
    } else if (role == "flow.batch" && !views.count(value)) {
      const PersistentLayout::Place &place = layout.getPlace(role, name);
      bindBatchResult(value, createPersistent(place.offset, place.view));
    }
  }
}

/// Whether a matrix is written row by row by something that can leave it inside a wider row-major one.
bool PlanBuilder::writesRowMajor(Value value) {
  if (auto call = value.getDefiningOp<flow::FusedOp>()) {
    auto schedule = getKernel(call)->getAttrOfType<DictionaryAttr>("flow.kernel");
    return !runsAlongRows(getKernel(call)) && schedule.getAs<StringAttr>("chunks").getValue() == "rows";
  }
  return value.getDefiningOp<flow::GatherRowsOp>() || value.getDefiningOp<flow::StackColumnsOp>();
}

/// Makes a result be computed in the input of another entry that it becomes, where its producer can;
/// emitOutputs copies the others. Parts of a concatenation are computed in their columns.
void PlanBuilder::bindBatchResult(Value value, Value place) {
  if (isa<BlockArgument>(value))
    return;
  auto concatenation = value.getDefiningOp<flow::ConcatColumnsOp>();
  if (flow::getShape(value.getType()) != Shape::Matrix || concatenation || writesRowMajor(value))
    views[value] = place;
  if (!concatenation)
    return;
  int64_t start = 0;
  for (Value input : concatenation.getInputs()) {
    int64_t columns = flow::getColumns(input.getType());
    if (writesRowMajor(input) && !views.count(input)) {
      views[input] = getColumnsOf(place, start, columns, 1);
      inPlace.insert(input);
    }
    start += columns;
  }
}

void PlanBuilder::lowerConcatenation(flow::ConcatColumnsOp op) {
  Value y = getView(op.getResult());
  int64_t start = 0;
  for (Value input : op.getInputs()) {
    int64_t columns = flow::getColumns(input.getType());
    Value target = getColumnsOf(y, start, columns, 1), source = getView(input);
    if (plan::getBase(source) != plan::getBase(target))
      emitCopy(source, target);
    start += columns;
  }
}

void PlanBuilder::emitOutputs() {
  auto terminator = cast<func::ReturnOp>(function.getBody().front().getTerminator());
  for (auto [i, value] : llvm::enumerate(terminator.getOperands())) {
    auto [role, name] = getRole(function.getResultAttrDict(i));
    if (role == "flow.batch") {
      const PersistentLayout::Place &place = layout.getPlace(role, name);
      Value view = getView(value);
      auto persistent = view.getDefiningOp<plan::PersistentOp>();
      if (!persistent || persistent.getOffset() != static_cast<uint64_t>(place.offset)) {
        emitCopy(view, createPersistent(place.offset, place.view));
        views[value] = createPersistent(place.offset, place.view);
      }
    } else if (role != "flow.output") {
      continue;
    }
    SmallVector<int64_t> shape(cast<RankedTensorType>(value.getType()).getShape());
    for (int64_t &dim : shape)
      dim = ShapedType::isDynamic(dim) ? plan::rowsOfCall : dim;
    plan::OutputOp::create(b, loc, getView(value), name, shape);
  }
}

//===-- steps -------------------------------------------------------------===//

void PlanBuilder::emitProduct(Value a, Value right, Value c, Value bias, bool accumulate) {
  plan::GemmOp::create(b, loc, a, right, c, bias, accumulate ? b.getUnitAttr() : UnitAttr());
}
void PlanBuilder::emitCopy(Value source, Value target) { plan::CopyOp::create(b, loc, source, target); }
void PlanBuilder::emitFill(Value target, double value) {
  plan::FillOp::create(b, loc, target, b.getF64FloatAttr(value));
}
void PlanBuilder::emitGather(Value table, Value index, Value target) {
  plan::GatherOp::create(b, loc, table, index, target);
}

/// More than this is not worth keeping alive together.
static constexpr int64_t wideProductBudget = int64_t(64) << 20;

/// Gives the results (forward) or the output gradients of products done together their places side by side.
void PlanBuilder::planWideProducts() {
  wideProducts = findWideProducts(function, symbols, layout, maxRows, wideProductBudget);
  for (auto [index, wide] : llvm::enumerate(wideProducts)) {
    bool forward = wide.kind == WideProduct::Kind::Forward;
    SmallVector<Value> parts;
    for (Operation *member : wide.members)
      parts.push_back(forward ? member->getResult(0) : member->getOperand(0));
    if (!placeSideBySide(parts, wide.outputs))
      continue; // they lie elsewhere already: the products stay apart
    for (Operation *member : wide.members)
      wideMembers[member] = index;
  }
}

/// Makes `parts`, of `columns` columns each, parts of one matrix; true if they are, now or from before.
bool PlanBuilder::placeSideBySide(ArrayRef<Value> parts, int64_t columns) {
  if (llvm::none_of(parts, [&](Value part) { return bool(views.lookup(part)); })) {
    auto type = RankedTensorType::get({ShapedType::kDynamic, columns * int64_t(parts.size())},
                                      flow::getElementType(parts[0]));
    Value matrix = createBuffer(getViewType(type, false, maxRows));
    for (auto [i, part] : llvm::enumerate(parts))
      views[part] = getColumnsOf(matrix, i * columns, columns, 1);
    return true;
  }
  Value first = views.lookup(parts[0]);
  for (auto [i, part] : llvm::enumerate(parts)) {
    Value view = views.lookup(part);
    if (!view || !first || view.getType() != first.getType())
      return false;
    auto [base, offset] = plan::getBase(view);
    auto [firstBase, firstOffset] = plan::getBase(first);
    if (base != firstBase || offset != firstOffset + int64_t(i) * columns)
      return false;
  }
  return true;
}

/// A view of `count` equal views that follow each other along their rows or columns, from the first of them.
static plan::ViewType widen(plan::ViewType view, int64_t count, bool columns) {
  return plan::ViewType::get(view.getContext(), columns ? view.getDim0() : view.getDim0() * count,
                             columns ? view.getDim1() * count : view.getDim1(), view.getStride0(),
                             view.getStride1(), view.getElementType());
}

void PlanBuilder::lowerWide(const WideProduct &wide, Operation *member) {
  int64_t count = wide.members.size();
  auto widened = [&](Value view, bool columns) {
    return createSubview(view, 0, widen(cast<plan::ViewType>(view.getType()), count, columns));
  };
  auto grad = dyn_cast<flow::LinearGradInputOp>(member);
  if (grad && grad.getAccumulator())
    setResultView(0, getView(grad.getAccumulator()));
  if (member != wide.emitAt)
    return;
  Operation *first = wide.members[0];
  if (auto linear = dyn_cast<flow::LinearOp>(first)) {
    Value weight = widened(getView(linear.getWeight()), false),
          y = widened(getView(linear.getResult()), true);
    emitProduct(getView(linear.getInputs()[0]), transpose(weight), y, Value(), false);
  } else if (auto gradWeight = dyn_cast<flow::LinearGradWeightOp>(first)) {
    Value dy = widened(getView(gradWeight.getDy()), true),
          dw = widened(getView(gradWeight.getResult()), false);
    emitProduct(transpose(dy), getView(gradWeight.getInputs()[0]), dw, Value(), false);
  } else {
    auto gradInput = cast<flow::LinearGradInputOp>(first);
    Value dy = widened(getView(gradInput.getDy()), true),
          weight = widened(getView(gradInput.getWeight()), false);
    emitProduct(dy, weight, getView(member->getResult(0)), Value(), wide.accumulate);
  }
}

LogicalResult PlanBuilder::lower(Operation *op) {
  current = op;
  loc = op->getLoc();
  if (auto it = wideMembers.find(op); it != wideMembers.end()) {
    lowerWide(wideProducts[it->second], op);
    return success();
  }
  if (isa<flow::AdamOp, flow::SgdOp>(op)) // with its bucket
    return success();
  if (auto call = dyn_cast<flow::FusedOp>(op)) {
    lowerFused(call);
    return success();
  }
  if (auto concatenation = dyn_cast<flow::ConcatColumnsOp>(op)) {
    lowerConcatenation(concatenation);
    return success();
  }
  if (auto lowering = dyn_cast<flow::PlanLoweringOpInterface>(op))
    return lowering.lowerToPlan(*this);
  return op->emitOpError("has no place in a plan: run fuse first");
}

/// What `kowari bench step` counts a kernel's time under.
static StringRef getGroupName(func::FuncOp kernel) {
  StringRef group = "elementwise";
  kernel.walk([&](Operation *op) {
    StringRef name = op->getName().stripDialect();
    if (isa<flow::UniformDrawOp, flow::RandomIndexOp, flow::TableDrawOp, flow::InterpolateOp,
            flow::ArrivalTimeOp, flow::AntennaPatternOp, flow::ProjectOp, flow::StandardizeOp>(op))
      group = "data";
    if (name.starts_with("rq_spline"))
      group = "spline";
    else if (name.starts_with("lu_weight"))
      group = "lu";
    else if (name.contains("norm") || name.starts_with("column_") || name.starts_with("row_"))
      group = "norm";
  });
  return group;
}

void PlanBuilder::lowerFused(flow::FusedOp call) {
  func::FuncOp kernel = getKernel(call);
  bool alongRows = runsAlongRows(kernel);
  SmallVector<Value> reads, writes;
  for (Value v : call.getOperands_())
    reads.push_back(getViewAs(v, alongRows));
  for (Value v : call.getResults_())
    writes.push_back(getView(v));
  // What lies behind a result that is part of a wider matrix belongs to its neighbor.
  for (auto [i, value] : llvm::enumerate(call.getResults_()))
    if (flow::getShape(value.getType()) == Shape::Matrix && inPlace.contains(value))
      kernel.setResultAttr(i, "flow.partial", b.getUnitAttr());
  // A result in the bytes of an operand (running statistics): the kernel has to know.
  for (auto [i, write] : llvm::enumerate(writes))
    for (auto [j, read] : llvm::enumerate(reads)) {
      auto w = write.getDefiningOp<plan::PersistentOp>(), r = read.getDefiningOp<plan::PersistentOp>();
      if (w && r && w.getOffset() == r.getOffset())
        kernel.setResultAttr(i, "flow.tied", b.getI64IntegerAttr(j));
    }
  int64_t columns = 1, kernelColumns = kernel->getAttrOfType<IntegerAttr>("flow.columns").getInt();
  auto match = [&](Type formal, Type actual) {
    Shape shape = flow::getShape(formal);
    bool counts = shape == Shape::Matrix || shape == Shape::ColumnVector;
    if (counts && kernelColumns > 0 && flow::getColumns(formal) > 0)
      columns = flow::getColumns(actual) * kernelColumns / flow::getColumns(formal);
  };
  for (auto [formal, actual] : llvm::zip(kernel.getResultTypes(), call.getResultTypes()))
    match(formal, actual);
  for (auto [formal, actual] : llvm::zip(kernel.getArgumentTypes(), call.getOperandTypes()))
    match(formal, actual);
  plan::KernelOp::create(b, loc, kernel.getSymName(), reads, writes, plan::rowsOfCall, columns,
                         getGroupName(kernel));
}

} // namespace kowari
