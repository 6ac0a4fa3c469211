//===- EntryChecks.cpp - whether functions can become plans ---------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/EntryChecks.h"
#include "dialects/flow/FlowOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace kowari {

namespace {

class EntryChecker {
public:
  explicit EntryChecker(ModuleOp checked) : symbols(checked) {
    for (auto function : checked.getOps<func::FuncOp>())
      if (!function->hasAttr("flow.kernel"))
        functions.push_back(function);
  }

  LogicalResult run() {
    for (func::FuncOp function : functions)
      if (failed(collectArguments(function)))
        return failure();
    for (func::FuncOp function : functions)
      if (function->hasAttr("flow.max_rows") &&
          (failed(checkResults(function)) || failed(checkKernels(function))))
        return failure();
    return success();
  }

private:
  static std::string getKey(NamedAttribute role) {
    auto name = dyn_cast<StringAttr>(role.getValue());
    return name ? (role.getName().getValue() + " = \"" + name.getValue() + "\"").str() : std::string();
  }

  /// The type of every tensor that lies in the persistent part, which is one for all functions.
  LogicalResult collectArguments(func::FuncOp function) {
    for (BlockArgument argument : function.getArguments()) {
      auto attributes = function.getArgAttrDict(argument.getArgNumber());
      for (NamedAttribute role : attributes ? attributes.getValue() : ArrayRef<NamedAttribute>()) {
        if (!llvm::is_contained({"flow.batch", "flow.parameter", "flow.state", "flow.constant",
                                 "flow.optimizer", "flow.scalar"},
                                role.getName()))
          continue;
        auto [it, isNew] = types.insert({getKey(role), argument.getType()});
        if (!isNew && it->second != argument.getType())
          return function.emitOpError("has ")
                 << it->first() << " as " << argument.getType() << ", another function as " << it->second;
      }
    }
    return success();
  }

  /// Batches and state that go out are inputs of an entry: that is where they are written.
  LogicalResult checkResults(func::FuncOp function) {
    for (auto [index, type] : llvm::enumerate(function.getResultTypes())) {
      auto attributes = function.getResultAttrDict(index);
      for (StringRef name : {"flow.batch", "flow.state"}) {
        auto role = attributes ? attributes.getNamed(name) : std::nullopt;
        if (!role)
          continue;
        Type expected = types.lookup(getKey(*role));
        if (!expected)
          return function.emitOpError("returns ")
                 << getKey(*role) << ", which is an argument of no function in the module";
        if (expected != type)
          return function.emitOpError("returns ")
                 << getKey(*role) << " as " << type << ", which is taken as " << expected;
      }
    }
    return success();
  }

  static bool isOneOf(DictionaryAttr schedule, StringRef key, ArrayRef<StringRef> values) {
    auto value = schedule.getAs<StringAttr>(key);
    return value && llvm::is_contained(values, value.getValue());
  }

  LogicalResult checkKernels(func::FuncOp function) {
    for (auto call : function.getBody().front().getOps<flow::FusedOp>()) {
      auto kernel = symbols.lookup<func::FuncOp>(call.getKernel());
      auto schedule = kernel->getAttrOfType<DictionaryAttr>("flow.kernel");
      auto columns = kernel->getAttrOfType<IntegerAttr>("flow.columns");
      if (kernel.isExternal() || !columns || !schedule || !isOneOf(schedule, "lanes", {"rows", "columns"}) ||
          !isOneOf(schedule, "chunks", {"rows", "columns", "none"}))
        return kernel.emitOpError(
            "needs a body, flow.columns, and flow.kernel with lanes (rows or columns) and "
            "chunks (rows, columns or none)");
    }
    return success();
  }

  SymbolTable symbols;
  std::vector<func::FuncOp> functions;
  llvm::StringMap<Type> types;
};

} // namespace

LogicalResult checkEntries(ModuleOp module) { return EntryChecker(module).run(); }

} // namespace kowari
