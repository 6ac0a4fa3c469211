//===- VectorMath.h - elementary functions without a library ----*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// float32 (scalars and vectors) becomes polynomials of arith and math.fma. Largest errors, as
// tests/unit/codegen/VectorMathTest.cpp measures them against libm in double:
//
//   exp     1.2e-7 relative; 0 below -86.98 (results under 1.7e-38), infinity above 88.73
//   log     1.0e-7 relative; subnormal arguments included; log(+-0) = -infinity, log(x < 0) = NaN
//   log1p   1.5e-7 relative
//   erf     2.0e-7 absolute
//   sin,cos 1.5e-7 absolute for |x| up to 8192
//
// NaN gives NaN. Every other function of float32, and all functions of float64, become calls of libm in
// double, one for each lane (exact to float32 rounding, and slow: nothing hot uses them).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace kowari::codegen {

/// Replaces the math operations of every function in the module; declares the libm functions it calls.
/// math.fma, sqrt, absf, copysign, floor, ceil, trunc, round and roundeven stay: they are machine
/// instructions.
void expandMath(mlir::ModuleOp module);

} // namespace kowari::codegen
