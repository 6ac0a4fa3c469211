//===- PersistentLayout.cpp - parameters and state in the arena -----------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/PersistentLayout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using kowari::flow::Shape;

namespace kowari {

int64_t getPaddedStride(int64_t columns) {
  int64_t stride = llvm::alignTo(std::max<int64_t>(columns, 1), 16);
  return stride % 64 == 0 ? stride + 16 : stride;
}

plan::ViewType getViewType(Type type, bool featureMajor, int64_t maxRows) {
  auto tensor = cast<RankedTensorType>(type);
  auto get = [&](int64_t dim0, int64_t dim1, int64_t stride0, int64_t stride1) {
    return plan::ViewType::get(type.getContext(), dim0, dim1, stride0, stride1, tensor.getElementType());
  };
  switch (flow::getShape(type)) {
  case Shape::Matrix: {
    int64_t columns = tensor.getDimSize(1);
    return featureMajor ? get(plan::rowsOfCall, columns, 1, getPaddedStride(maxRows))
                        : get(plan::rowsOfCall, columns, getPaddedStride(columns), 1);
  }
  case Shape::RowVector:
    return get(plan::rowsOfCall, 1, 1, 1);
  case Shape::ColumnVector:
    return get(tensor.getDimSize(0), 1, 1, 1);
  case Shape::Scalar:
    return get(1, 1, 1, 1);
  case Shape::None:
    return get(tensor.getDimSize(0), tensor.getDimSize(1), getPaddedStride(tensor.getDimSize(1)), 1);
  }
  llvm_unreachable("a shape");
}

static std::string makeKey(StringRef role, StringRef name) { return (role + "|" + name).str(); }

/// Which parameters are updated together: those of one flow step, the embedding, the frozen-able rb layers.
static std::string getBucketName(StringRef parameter) {
  if (parameter.contains("layers_rb"))
    return "rb";
  StringRef prefix = "flow._transform._transforms.";
  if (parameter.consume_front(prefix))
    return parameter.take_until([](char c) { return c == '.'; }).str();
  return "embedding";
}

PersistentLayout::PersistentLayout(ModuleOp module, int64_t rows) : maxRows(rows) {
  collect(module);
  placeParameters();
  placeOptimizerState();
  placeOthers();
  write(module);
}

const PersistentLayout::Place &PersistentLayout::getPlace(StringRef role, StringRef name) const {
  auto it = places.find(makeKey(role, name));
  assert(it != places.end() && "every argument has a place");
  return it->second;
}

int64_t PersistentLayout::reserve(int64_t size) {
  int64_t offset = bytes;
  bytes += llvm::alignTo(size, 64);
  return offset;
}

void PersistentLayout::collect(ModuleOp module) {
  llvm::StringSet<> seen;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function->hasAttr("flow.kernel"))
      continue;
    for (BlockArgument argument : function.getArguments()) {
      DictionaryAttr attributes = function.getArgAttrDict(argument.getArgNumber());
      for (StringRef role :
           {"flow.parameter", "flow.state", "flow.constant", "flow.optimizer", "flow.scalar", "flow.batch"})
        if (auto name = attributes ? attributes.getAs<StringAttr>(role) : StringAttr())
          if (seen.insert(makeKey(role, name)).second)
            arguments.push_back(
                {role.str(), name.str(), cast<RankedTensorType>(argument.getType()), attributes});
    }
  }
}

void PersistentLayout::placeParameters() {
  std::vector<std::pair<std::string, std::vector<const Argument *>>> byBucket; // in order of first appearance
  auto add = [&](const Argument &a) {
    std::string name = getBucketName(a.name);
    auto it = llvm::find_if(byBucket, [&](const auto &bucket) { return bucket.first == name; });
    if (it == byBucket.end())
      it = byBucket.insert(byBucket.end(), {name, {}});
    it->second.push_back(&a);
  };
  for (bool rb : {false, true}) // what a stage may freeze comes last
    for (const Argument &a : arguments)
      if (a.role == "flow.parameter" && (getBucketName(a.name) == "rb") == rb)
        add(a);
  parameterRegion = bytes;
  for (auto &[name, parameters] : byBucket) {
    Bucket bucket;
    bucket.offset = bytes;
    int64_t elementBytes = 4;
    // Weights of one shape side by side: the gates of a flow step become one product.
    llvm::stable_sort(parameters, [](const Argument *x, const Argument *y) {
      auto rank = [](const Argument *a) {
        return StringRef(a->name).contains("context_layer.weight") ? 0 : 1;
      };
      return rank(x) < rank(y);
    });
    for (const Argument *a : parameters) {
      plan::ViewType view = getViewType(a->type, false, maxRows);
      elementBytes = plan::getElementBytes(view.getElementType());
      int64_t span = std::max<int64_t>(plan::getSpan(view, maxRows), 16);
      if (view.getDim1() > 1) // whole rows, so that weights side by side form one matrix
        span = std::max<int64_t>(llvm::alignTo(view.getDim0() * view.getStride0(), 16), 16);
      places[makeKey(a->role, a->name)] = {view, reserve(span * elementBytes),
                                           static_cast<int>(buckets.size()), span};
      bucket.parameters += a->type.getNumElements() > 0;
    }
    bucket.elements = (bytes - bucket.offset) / elementBytes;
    buckets.push_back(bucket);
  }
}

void PersistentLayout::placeOptimizerState() {
  int64_t regionBytes = bytes - parameterRegion;
  for (const Argument &a : arguments) {
    if (a.role != "flow.optimizer")
      continue;
    auto [kind, parameter] = StringRef(a.name).split('/');
    if (!stateRegions.count(kind))
      stateRegions[kind] = reserve(regionBytes);
    Place place = getPlace("flow.parameter", parameter);
    place.offset += getStateDistance(kind);
    places[makeKey(a.role, a.name)] = place;
  }
}

void PersistentLayout::placeOthers() {
  for (const Argument &a : arguments) {
    if (a.role == "flow.parameter" || a.role == "flow.optimizer")
      continue;
    plan::ViewType view = getViewType(a.type, false, maxRows);
    int64_t size =
        std::max<int64_t>(plan::getSpan(view, maxRows), 16) * plan::getElementBytes(view.getElementType());
    places[makeKey(a.role, a.name)] = {view, reserve(size), -1};
  }
}

void PersistentLayout::write(ModuleOp module) {
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  auto stages = module->getAttrOfType<ArrayAttr>("flow.stages");
  for (const Argument &a : arguments) {
    const Place &place = getPlace(a.role, a.name);
    StringRef kind = StringRef(a.role).drop_front(5);
    SmallVector<int64_t> shape(a.type.getShape());
    for (int64_t &dim : shape)
      dim = ShapedType::isDynamic(dim) ? plan::rowsOfCall : dim;
    SmallVector<bool> trainable;
    if (kind == "parameter" && stages)
      for (auto stage : stages.getAsRange<DictionaryAttr>())
        trainable.push_back(!(stage.getAs<BoolAttr>("freeze_rb_layer").getValue() &&
                              StringRef(a.name).contains("layers_rb")));
    auto init = a.attributes.getAs<StringAttr>("flow.init");
    auto value = a.attributes.getAs<FloatAttr>("flow.init_value");
    plan::TensorOp::create(b, module.getLoc(), a.name, kind == "batch" ? "input" : kind, shape, place.view,
                           place.offset, init ? init.getValue() : "none",
                           llvm::APFloat(value ? value.getValueAsDouble() : 0.0), trainable);
  }
  module->setAttr("plan.persistent_bytes", b.getI64IntegerAttr(bytes));
  module->setAttr("plan.max_rows", b.getI64IntegerAttr(maxRows));
}

} // namespace kowari
