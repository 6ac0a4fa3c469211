//===- PointArithmetic.cpp - runs what emitPoint builds -------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "PointArithmetic.h"

#include "llvm/ADT/StringMap.h"

#include <cmath>

using namespace mlir;

namespace kowari::interpreter {

using Formula = double (*)(const double *);

static const llvm::StringMap<Formula> &getFormulas() {
  static const llvm::StringMap<Formula> formulas = {
      {"arith.addf", [](const double *x) { return x[0] + x[1]; }},
      {"arith.subf", [](const double *x) { return x[0] - x[1]; }},
      {"arith.mulf", [](const double *x) { return x[0] * x[1]; }},
      {"arith.divf", [](const double *x) { return x[0] / x[1]; }},
      {"arith.negf", [](const double *x) { return -x[0]; }},
      {"arith.minnumf", [](const double *x) { return std::fmin(x[0], x[1]); }},
      {"arith.maxnumf", [](const double *x) { return std::fmax(x[0], x[1]); }},
      {"arith.select", [](const double *x) { return x[0] != 0 ? x[1] : x[2]; }},
      {"arith.andi", [](const double *x) { return double(x[0] != 0 && x[1] != 0); }},
      {"arith.xori", [](const double *x) { return double((x[0] != 0) != (x[1] != 0)); }},
      {"arith.ori", [](const double *x) { return double(x[0] != 0 || x[1] != 0); }},
      {"arith.truncf", [](const double *x) { return x[0]; }}, // in double throughout: nothing is rounded
      {"arith.extf", [](const double *x) { return x[0]; }},
      {"math.exp", [](const double *x) { return std::exp(x[0]); }},
      {"math.log", [](const double *x) { return std::log(x[0]); }},
      {"math.log1p", [](const double *x) { return std::log1p(x[0]); }},
      {"math.sqrt", [](const double *x) { return std::sqrt(x[0]); }},
      {"math.erf", [](const double *x) { return std::erf(x[0]); }},
      {"math.sin", [](const double *x) { return std::sin(x[0]); }},
      {"math.cos", [](const double *x) { return std::cos(x[0]); }},
      {"math.asin", [](const double *x) { return std::asin(x[0]); }},
      {"math.acos", [](const double *x) { return std::acos(x[0]); }},
      {"math.erfc", [](const double *x) { return std::erfc(x[0]); }},
      {"math.floor", [](const double *x) { return std::floor(x[0]); }},
      {"math.roundeven", [](const double *x) { return std::nearbyint(x[0]); }},
      {"math.copysign", [](const double *x) { return std::copysign(x[0], x[1]); }},
      {"math.absf", [](const double *x) { return std::fabs(x[0]); }},
      {"math.sin", [](const double *x) { return std::sin(x[0]); }},
      {"math.cos", [](const double *x) { return std::cos(x[0]); }},
      {"math.asin", [](const double *x) { return std::asin(x[0]); }},
      {"math.acos", [](const double *x) { return std::acos(x[0]); }},
      {"math.erfc", [](const double *x) { return std::erfc(x[0]); }},
      {"math.roundeven", [](const double *x) { return std::nearbyint(x[0]); }},
      {"math.copysign", [](const double *x) { return std::copysign(x[0], x[1]); }},
      {"math.powf", [](const double *x) { return std::pow(x[0], x[1]); }},
      {"math.fma", [](const double *x) { return std::fma(x[0], x[1], x[2]); }}};
  return formulas;
}

static bool compare(arith::CmpFPredicate predicate, double x, double y) {
  switch (predicate) {
  case arith::CmpFPredicate::OGT:
    return x > y;
  case arith::CmpFPredicate::OGE:
    return x >= y;
  case arith::CmpFPredicate::OLT:
    return x < y;
  case arith::CmpFPredicate::OLE:
    return x <= y;
  case arith::CmpFPredicate::OEQ:
    return x == y;
  default:
    llvm::report_fatal_error("a comparison that this test does not know");
  }
}

LogicalResult PointArithmetic::evaluate(Operation *op) {
  SmallVector<double> operands;
  for (Value operand : op->getOperands())
    operands.push_back(lookup(operand));
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (auto real = dyn_cast<FloatAttr>(constant.getValue()))
      bind(constant, real.getValueAsDouble());
    else
      bind(constant, cast<IntegerAttr>(constant.getValue()).getValue().getZExtValue());
    return success();
  }
  if (auto comparison = dyn_cast<arith::CmpFOp>(op)) {
    bind(comparison, compare(comparison.getPredicate(), operands[0], operands[1]));
    return success();
  }
  auto formula = getFormulas().find(op->getName().getStringRef());
  if (formula == getFormulas().end())
    return op->emitError("unknown to PointArithmetic");
  bind(op->getResult(0), formula->second(operands.data()));
  return success();
}

LogicalResult PointArithmetic::run(Block &block) {
  for (Operation &op : block)
    if (failed(evaluate(&op)))
      return failure();
  return success();
}

} // namespace kowari::interpreter
