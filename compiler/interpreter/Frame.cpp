//===- Frame.cpp - what an operation sees while it is interpreted ---------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/interpreter/Frame.h"

using namespace mlir;

namespace kowari::interpreter {

ElementKind Frame::getKind(Type elementType) const {
  if (elementType.isInteger())
    return ElementKind::I64;
  return elementType.isF32() && !inDouble ? ElementKind::F32 : ElementKind::F64;
}

std::pair<int64_t, int64_t> Frame::getExtents(Value value, const Tensor &tensor) {
  const std::vector<int64_t> &shape = tensor.getShape();
  switch (flow::getShape(value.getType())) {
  case flow::Shape::RowVector:
    return {shape[0], 1};
  case flow::Shape::ColumnVector:
    return {1, shape[0]};
  case flow::Shape::Scalar:
    return {1, 1};
  case flow::Shape::Matrix:
  case flow::Shape::None:
    break;
  }
  if (shape.size() == 2)
    return {shape[0], shape[1]};
  return {1, tensor.getSize()}; // weights of other ranks are only updated entry by entry
}

std::vector<int64_t> Frame::getShapeFor(Value value, int64_t rows, int64_t columns) {
  switch (flow::getShape(value.getType())) {
  case flow::Shape::RowVector:
    return {rows};
  case flow::Shape::ColumnVector:
    return {columns};
  case flow::Shape::Scalar:
    return {};
  case flow::Shape::Matrix:
  case flow::Shape::None:
    break;
  }
  auto type = cast<RankedTensorType>(value.getType());
  return type.getRank() == 2 ? std::vector<int64_t>{rows, columns} : type.getShape().vec();
}

} // namespace kowari::interpreter
