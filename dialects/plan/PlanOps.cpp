//===- PlanOps.cpp - the plan dialect -------------------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/plan/PlanOps.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include "dialects/plan/PlanDialect.cpp.inc"
#include "dialects/plan/PlanInterfaces.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/plan/PlanTypes.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/plan/PlanOps.cpp.inc"

using namespace mlir;

namespace kowari::plan {

void PlanDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/plan/PlanTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/plan/PlanOps.cpp.inc"
      >();
}

int64_t getElementBytes(Type elementType) { return elementType.getIntOrFloatBitWidth() / 8; }

int64_t getSpan(ViewType view, int64_t maxRows) {
  int64_t dim0 = view.getDim0() == rowsOfCall ? maxRows : view.getDim0();
  int64_t dim1 = view.getDim1() == rowsOfCall ? maxRows : view.getDim1();
  if (dim0 == 0 || dim1 == 0)
    return 0;
  int64_t last = (dim0 - 1) * view.getStride0() + (dim1 - 1) * view.getStride1() + 1;
  return llvm::alignTo(last, 16);
}

std::pair<Operation *, int64_t> getBase(Value view) {
  int64_t offset = 0;
  while (auto subview = view.getDefiningOp<SubviewOp>()) {
    offset += subview.getOffset();
    view = subview.getSource();
  }
  return {view.getDefiningOp(), offset};
}

//===-- verifiers ---------------------------------------------------------===//

LogicalResult PlanDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (!llvm::is_contained({"plan.max_rows", "plan.persistent_bytes", "plan.arena_bytes"}, name))
    return success();
  auto number = dyn_cast<IntegerAttr>(attribute.getValue());
  if (isa<ModuleOp>(op) && number && number.getType().isInteger(64) && number.getInt() >= 0)
    return success();
  return op->emitOpError("(C1) ") << name << " is an i64 of the module, not negative";
}

LogicalResult ViewType::verify(llvm::function_ref<InFlightDiagnostic()> emitError, int64_t dim0, int64_t dim1,
                               int64_t stride0, int64_t stride1, Type elementType) {
  if (dim0 < rowsOfCall || dim1 < rowsOfCall || (dim0 == rowsOfCall && dim1 == rowsOfCall))
    return emitError() << "(C1) a dimension is negative, and not the one that is the row count";
  if (stride0 <= 0 || stride1 <= 0)
    return emitError() << "(C2) a stride is not positive";
  if (!elementType.isF32() && !elementType.isF64() && !elementType.isSignlessInteger(64))
    return emitError() << "(C3) the element type " << elementType << " is none of f32, f64, i64";
  return success();
}

static LogicalResult check(Operation *op, bool holds, int constraint, const Twine &message) {
  if (holds)
    return success();
  return op->emitOpError("(C") << constraint << ") " << message;
}

/// What the attributes say, not what an unsigned reading of them does.
static int64_t getSigned(IntegerAttr attribute) { return attribute.getValue().getSExtValue(); }

static ViewType getType(Value view) { return cast<ViewType>(view.getType()); }

static bool isReal(Type elementType) { return elementType.isF32() || elementType.isF64(); }

/// Whether a tensor of this shape lies in the view as it is: dimensions that it lacks are 1.
static bool hasShape(ViewType view, ArrayRef<int64_t> shape) {
  auto getDim = [&](size_t i) { return i < shape.size() ? shape[i] : 1; };
  return shape.size() <= 2 && view.getDim0() == getDim(0) && view.getDim1() == getDim(1);
}

LogicalResult TensorOp::verify() {
  bool kind =
      llvm::is_contained({"parameter", "state", "constant", "optimizer", "scalar", "input"}, getKind());
  bool init = llvm::is_contained({"none", "uniform", "fill", "permutation"}, getInit());
  if (failed(check(*this, kind && init, 1, "unknown kind or init")))
    return failure();
  int64_t offset = getSigned(getOffsetAttr());
  if (failed(check(*this, offset >= 0 && offset % 64 == 0, 2, "the offset is negative or no multiple of 64")))
    return failure();
  if (failed(check(*this, hasShape(cast<ViewType>(getView()), getShape()), 3,
                   "the view does not have the shape's dimensions")))
    return failure();
  return check(*this, getTrainable().empty() || getKind() == "parameter", 4,
               "what is no parameter is not trained");
}

LogicalResult ProgramOp::verifyRegions() {
  for (Operation &op : getBlock())
    if (!isa<PersistentOp, BufferOp, SubviewOp, InputOp, OutputOp, StepOpInterface>(op))
      return emitOpError("(C1) holds '") << op.getName() << "', which is no view, input, output or step";
  return success();
}

LogicalResult PersistentOp::verify() {
  int64_t offset = getSigned(getOffsetAttr());
  return check(*this, offset >= 0 && offset % getElementBytes(getType().getElementType()) == 0, 1,
               "the offset is negative or no multiple of the element's size");
}

LogicalResult BufferOp::verify() {
  int64_t offset = getOffset() ? getSigned(getOffsetAttr()) : 0;
  return check(*this, offset >= 0 && offset % 64 == 0, 1, "the offset is negative or no multiple of 64");
}

LogicalResult SubviewOp::verify() {
  if (failed(check(*this,
                   plan::getType(getSource()).getElementType() == plan::getType(getResult()).getElementType(),
                   1, "element types differ")))
    return failure();
  return check(*this, getSigned(getOffsetAttr()) >= 0, 2, "the offset is negative");
}

LogicalResult OutputOp::verify() {
  return check(*this, hasShape(plan::getType(getView()), getShape()), 1,
               "the view does not have the shape's dimensions");
}

LogicalResult InputOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto tensor = symbols.lookupNearestSymbolFrom<TensorOp>(*this, getTensorAttr());
  return check(*this, tensor && tensor.getKind() == "input", 1, "names no plan.tensor of kind input");
}

LogicalResult KernelOp::verify() {
  int64_t rows = getSigned(getRowsAttr()), columns = getSigned(getColumnsAttr());
  return check(*this, (rows == rowsOfCall || rows > 0) && columns > 0, 1, "no points to run over");
}

/// Whether views have the element types of the tensors that a kernel is declared with.
static bool haveElementTypes(ValueRange views, ArrayRef<Type> tensors) {
  return llvm::all_of(llvm::zip(views, tensors), [](auto pair) {
    auto [view, tensor] = pair;
    return getType(view).getElementType() == getElementTypeOrSelf(tensor);
  });
}

/// Whether the views have the rows and columns that a kernel runs over, in the proportion to each other that
/// the tensors of its declaration have. Small square matrices and tables have sizes of their own.
static bool fitIterations(KernelOp step, FunctionOpInterface kernel) {
  auto declared = kernel->getAttrOfType<IntegerAttr>("flow.columns");
  SmallVector<Value> views(step.getInputs());
  llvm::append_range(views, step.getOutputs());
  SmallVector<Type> types(kernel.getArgumentTypes());
  llvm::append_range(types, kernel.getResultTypes());
  auto isMatrix = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.getRank() == 2 && tensor.isDynamicDim(0);
  };
  auto isSquare = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.getRank() == 2 && tensor.hasStaticShape();
  };
  if (!declared || declared.getInt() == 0 || llvm::any_of(types, isSquare))
    return true;
  const bool hasMatrix = llvm::any_of(types, isMatrix);
  for (auto [i, view, type] : llvm::enumerate(views, types)) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    ViewType place = getType(view);
    const bool isResult = i >= step.getInputs().size();
    const bool isColumns =
        tensor && tensor.getRank() == 1 && tensor.hasStaticShape() && (isResult || !hasMatrix);
    if (!isMatrix(type) && !isColumns)
      continue;
    const int64_t extent = isColumns ? place.getDim0() : place.getDim1();
    const int64_t declaredExtent = tensor.getDimSize(tensor.getRank() - 1);
    if (extent * declared.getInt() != declaredExtent * getSigned(step.getColumnsAttr()) ||
        (!isColumns && place.getDim0() != getSigned(step.getRowsAttr())))
      return false;
  }
  return true;
}

LogicalResult KernelOp::verifySymbolUses(SymbolTableCollection &symbols) {
  Operation *callee = symbols.lookupNearestSymbolFrom(*this, getKernelAttr());
  if (!callee) // a plan that was read back from an artifact has none
    return success();
  auto function = dyn_cast<FunctionOpInterface>(callee);
  if (failed(check(*this,
                   function && function->hasAttr("flow.kernel") &&
                       function.getNumArguments() == getInputs().size() &&
                       function.getNumResults() == getOutputs().size(),
                   2, "the callee is no kernel with an argument a read and a result a write")))
    return failure();
  if (failed(check(*this,
                   haveElementTypes(getInputs(), function.getArgumentTypes()) &&
                       haveElementTypes(getOutputs(), function.getResultTypes()),
                   3, "views and kernel differ in element types")))
    return failure();
  return check(*this, fitIterations(*this, function), 4,
               "views do not have the rows and columns that the kernel runs over");
}

LogicalResult GemmOp::verify() {
  ViewType a = plan::getType(getA()), b = plan::getType(getB()), c = plan::getType(getC());
  ViewType bias = getBias() ? plan::getType(getBias()) : ViewType();
  bool dims = a.getDim0() == c.getDim0() && a.getDim1() == b.getDim0() && b.getDim1() == c.getDim1();
  if (bias)
    dims = dims && bias.getDim0() == c.getDim1() && bias.getDim1() == 1;
  if (failed(check(*this, dims, 1, "dimensions do not agree")))
    return failure();
  for (ViewType view : {a, b, c})
    if (failed(check(*this, view.getStride0() == 1 || view.getStride1() == 1, 2, "neither stride is 1")))
      return failure();
  Type element = c.getElementType();
  return check(*this,
               isReal(element) && a.getElementType() == element && b.getElementType() == element &&
                   (!bias || bias.getElementType() == element),
               3, "element types differ or are not real");
}

LogicalResult CopyOp::verify() {
  ViewType s = plan::getType(getSource()), t = plan::getType(getTarget());
  return check(*this,
               s.getDim0() == t.getDim0() && s.getDim1() == t.getDim1() &&
                   s.getElementType() == t.getElementType(),
               1, "dimensions or element types differ");
}

LogicalResult GatherOp::verify() {
  ViewType table = plan::getType(getTable()), index = plan::getType(getIndex()),
           target = plan::getType(getTarget());
  if (failed(check(*this,
                   table.getDim1() == target.getDim1() && table.getElementType() == target.getElementType() &&
                       table.getDim0() != rowsOfCall,
                   1, "table and target do not fit")))
    return failure();
  return check(*this,
               index.getDim0() == target.getDim0() && index.getDim1() == 1 &&
                   index.getElementType().isInteger(64),
               2, "the index does not fit the target");
}

LogicalResult FillOp::verify() {
  bool real = isReal(plan::getType(getTarget()).getElementType());
  return check(*this, real || getValue().isInteger(), 1, "an integer view gets a fraction");
}

LogicalResult AllReduceOp::verify() {
  if (failed(check(*this, getSigned(getStreamAttr()) >= 0, 1, "the stream is negative")))
    return failure();
  return check(*this, isReal(plan::getType(getTarget()).getElementType()), 2, "the element type is not real");
}

LogicalResult RecordOp::verify() {
  return check(*this, getSigned(getEventAttr()) >= 0 && getSigned(getStreamAttr()) >= 0, 1,
               "event or stream is negative");
}

LogicalResult WaitOp::verify() {
  return check(*this, getSigned(getEventAttr()) >= 0 && getSigned(getStreamAttr()) >= 0, 1,
               "event or stream is negative");
}

//===-- what steps read and write -----------------------------------------===//

SmallVector<Value> KernelOp::getReads() { return SmallVector<Value>(getInputs()); }
SmallVector<Value> KernelOp::getWrites() { return SmallVector<Value>(getOutputs()); }
SmallVector<Value> GemmOp::getReads() {
  SmallVector<Value> reads{getA(), getB()};
  if (getBias())
    reads.push_back(getBias());
  if (getAccumulate())
    reads.push_back(getC());
  return reads;
}
SmallVector<Value> GemmOp::getWrites() { return {getC()}; }
SmallVector<Value> CopyOp::getReads() { return {getSource()}; }
SmallVector<Value> CopyOp::getWrites() { return {getTarget()}; }
SmallVector<Value> GatherOp::getReads() { return {getTable(), getIndex()}; }
SmallVector<Value> GatherOp::getWrites() { return {getTarget()}; }
SmallVector<Value> FillOp::getReads() { return {}; }
SmallVector<Value> FillOp::getWrites() { return {getTarget()}; }
SmallVector<Value> AllReduceOp::getReads() { return {getTarget()}; }
SmallVector<Value> AllReduceOp::getWrites() { return {getTarget()}; }
SmallVector<Value> RecordOp::getReads() { return {}; }
SmallVector<Value> RecordOp::getWrites() { return {}; }
SmallVector<Value> WaitOp::getReads() { return {}; }
SmallVector<Value> WaitOp::getWrites() { return {}; }

} // namespace kowari::plan
