//===- PlanBuilder.h - one function as a plan program -----------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Keeps for every tensor value the view that holds it, decides layouts, and implements what operations call
// to lower themselves (flow::PlanEmitter).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/PersistentLayout.h"
#include "compiler/WideProducts.h"

namespace kowari {

/// Kernels of the optimizers, shared by all programs of a module.
using OptimizerKernels = llvm::StringMap<mlir::func::FuncOp>;

class PlanBuilder : public flow::PlanEmitter {
public:
  PlanBuilder(mlir::func::FuncOp function, const PersistentLayout &layout, int64_t maxRows,
              OptimizerKernels &optimizerKernels);

  /// Writes the plan.program behind the function.
  mlir::LogicalResult build();

  mlir::Value getView(mlir::Value tensor) override;
  mlir::Value getResultView(unsigned index) override;
  void setResultView(unsigned index, mlir::Value view) override;
  mlir::Value transpose(mlir::Value view) override;
  mlir::Value getColumnsOf(mlir::Value view, int64_t start, int64_t count, int64_t step) override;
  int64_t getColumnCount(mlir::Value view) override;
  void emitProduct(mlir::Value a, mlir::Value b, mlir::Value c, mlir::Value bias, bool accumulate) override;
  void emitCopy(mlir::Value source, mlir::Value target) override;
  void emitFill(mlir::Value target, double value) override;
  void emitGather(mlir::Value table, mlir::Value index, mlir::Value target) override;

private:
  struct BucketUpdate {
    llvm::SmallVector<mlir::Operation *> updates; // one optimizer operation a parameter
    mlir::Operation *last = nullptr;              // behind which the bucket can be updated
    mlir::Value gradients;                        // flat buffer
    llvm::SmallVector<std::pair<mlir::Value, mlir::Value>>
        copies; // gradients that lie elsewhere, and their slots
  };

  /// The flow.* attribute of an argument or result, and the name it gives.
  static std::pair<llvm::StringRef, llvm::StringRef> getRole(mlir::DictionaryAttr attributes);
  /// Where the parameter lies that an optimizer operation updates.
  const PersistentLayout::Place &getParameterPlace(mlir::Operation *update);

  void bindArguments();
  void planBuckets();
  void planWideProducts();
  bool placeSideBySide(llvm::ArrayRef<mlir::Value> parts, int64_t columns);
  void lowerWide(const WideProduct &wide, mlir::Operation *member);
  void bindGradient(mlir::Operation *update);
  void bindStateResults();
  void bindBatchResult(mlir::Value value, mlir::Value place);
  bool writesRowMajor(mlir::Value value);
  void lowerConcatenation(flow::ConcatColumnsOp op);
  mlir::LogicalResult lower(mlir::Operation *op);
  void lowerFused(flow::FusedOp call);
  void emitBucketUpdate(BucketUpdate &bucket);
  void emitUpdate(BucketUpdate &bucket, mlir::Operation *update, int64_t start, int64_t elements);
  mlir::func::FuncOp getOptimizerKernel(mlir::Operation *update);
  void emitOutputs();

  bool isFeatureMajor(mlir::Value tensor);
  bool wantsFeatureMajor(mlir::OpOperand &use);
  /// The tensor's view in the layout asked for, copied if it lies in the other.
  mlir::Value getViewAs(mlir::Value tensor, bool featureMajor);
  mlir::Value createBuffer(plan::ViewType type);
  mlir::Value createPersistent(int64_t offset, plan::ViewType type);
  mlir::Value createSubview(mlir::Value source, int64_t offset, plan::ViewType type);
  mlir::func::FuncOp getKernel(flow::FusedOp call);

  mlir::func::FuncOp function;
  const PersistentLayout &layout;
  int64_t maxRows;
  OptimizerKernels &optimizerKernels;
  mlir::OpBuilder b;
  mlir::Location loc;
  mlir::SymbolTable symbols;
  mlir::Operation *current = nullptr; // being lowered
  llvm::DenseMap<mlir::Value, mlir::Value> views, converted;
  llvm::MapVector<int, BucketUpdate> buckets;
  std::vector<WideProduct> wideProducts;
  llvm::DenseMap<mlir::Operation *, size_t> wideMembers; // index into wideProducts
  llvm::DenseSet<mlir::Value> inPlace; // inputs of a concatenation that are computed where it lies
};

} // namespace kowari
