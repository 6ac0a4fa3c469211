//===- FunctionBuilder.h - one entry point under construction ---*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Declares arguments with their roles (batch, parameter, state, constant) and collects results. Parameters
// are declared in the order of Dingo's state dict, then used by name.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/flow/FlowOps.h"
#include "frontend/settings/ProgramSpec.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/StringMap.h"

namespace kowari::graph {

class FunctionBuilder {
public:
  FunctionBuilder(mlir::ModuleOp module, llvm::StringRef name, const ProgramSpec &spec);

  mlir::ImplicitLocOpBuilder b;
  const ProgramSpec &spec;
  mlir::Type element; // f32 or f64

  mlir::RankedTensorType matrix(int64_t columns) const;
  mlir::RankedTensorType rowVector() const;
  mlir::RankedTensorType columnVector(int64_t entries) const;
  mlir::RankedTensorType scalar() const;

  /// `role` is flow.batch, flow.state, flow.constant, flow.scalar.
  mlir::Value addArgument(llvm::StringRef role, llvm::StringRef name, mlir::Type type);
  /// A parameter drawn from U(-bound, bound).
  void declareUniform(const std::string &name, llvm::ArrayRef<int64_t> shape, double bound);
  /// A parameter filled with one value.
  void declareFill(const std::string &name, llvm::ArrayRef<int64_t> shape, double value);
  void declareState(const std::string &name, int64_t entries, double value);
  void declarePermutation(const std::string &name, int64_t entries);
  /// <prefix>weight (outputs, inputs) and <prefix>bias as torch.nn.Linear draws them, or from U(-bound,
  /// bound).
  void declareLinear(const std::string &prefix, int64_t outputs, int64_t inputs, double bound = 0.0);
  bool has(const std::string &name) const { return values.count(name) != 0; }
  mlir::Value get(const std::string &name) const;

  /// y = [inputs] W^T + b with <prefix>weight, <prefix>bias.
  mlir::Value linear(const std::string &prefix, mlir::ValueRange inputs);

  /// `role` is flow.output or flow.state.
  void addResult(llvm::StringRef role, llvm::StringRef name, mlir::Value value);
  /// Ends the function; call once.
  void finish();

private:
  mlir::Value declare(const std::string &name, llvm::ArrayRef<int64_t> shape, mlir::Type type,
                      llvm::StringRef role, llvm::StringRef init, double value);

  mlir::func::FuncOp function;
  llvm::StringMap<mlir::Value> values;
  llvm::SmallVector<mlir::DictionaryAttr> argumentAttributes, resultAttributes;
  llvm::SmallVector<mlir::Value> results;
};

} // namespace kowari::graph
