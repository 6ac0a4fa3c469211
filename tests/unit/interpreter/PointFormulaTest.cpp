//===- PointFormulaTest.cpp - emitPoint against the evaluators ------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
// The example of every rowwise operation's description runs twice: through its evaluator, and point by point
// through the arithmetic that emitPoint and emitFinish build for the code generator.
//
//===----------------------------------------------------------------------===//
#include "FlowModule.h"
#include "PointArithmetic.h"

#include "compiler/interpreter/Evaluators.h"

#include "mlir/Parser/Parser.h"

using namespace mlir;

namespace kowari::interpreter {
namespace {

constexpr int64_t batchRows = 5;

/// One operation with its operands, and the points its kernel would run over.
class PointRun {
public:
  explicit PointRun(flow::RowwiseOpInterface op) : op(op), frame(batchRows, /*inDouble=*/true) {
    std::mt19937_64 generator(11);
    std::uniform_real_distribution<double> uniform(0.05, 0.95);
    for (Value operand : op->getOperands()) {
      auto type = cast<RankedTensorType>(operand.getType());
      std::vector<int64_t> shape;
      for (int64_t extent : type.getShape())
        shape.push_back(ShapedType::isDynamic(extent) ? batchRows : extent);
      Tensor tensor = makeRandom(generator, shape);
      for (int64_t i = 0; flow::getShape(type) != flow::Shape::Matrix && i < tensor.getSize(); ++i)
        tensor.setReal(i, uniform(generator)); // variances, rates, probabilities
      frame.bind(operand, tensor);
    }
    for (unsigned i = 0; i < op->getNumOperands(); ++i)
      widen(op->getOperand(i).getType(), op.getOperandPointWidth(i));
    for (unsigned i = 0; i < op->getNumResults(); ++i)
      widen(op->getResult(i).getType(), op.getResultPointWidth(i));
  }

  std::vector<Tensor> runEvaluator() {
    EvaluatorTable::get().find(op, frame)(op, frame);
    std::vector<Tensor> results;
    for (Value result : op->getResults())
      results.push_back(frame.lookup(result));
    return results;
  }

  std::vector<Tensor> runPoints(const std::vector<Tensor> &like) {
    std::vector<Tensor> results;
    for (const Tensor &tensor : like)
      results.push_back(Tensor(ElementKind::F64, tensor.getShape()));
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < columns; ++c)
        runPoint(r, c, results);
    for (unsigned i = 0; i < results.size(); ++i)
      if (op.getResultKind(i) != flow::ResultKind::Pointwise)
        for (int64_t j = 0; j < results[i].getSize(); ++j)
          results[i].setReal(j, finish(i, results[i].getReal(j)));
    return results;
  }

private:
  void widen(Type type, int64_t width) {
    flow::Shape shape = flow::getShape(type);
    if (shape == flow::Shape::Matrix || shape == flow::Shape::RowVector)
      rows = batchRows;
    if (shape == flow::Shape::Matrix || shape == flow::Shape::ColumnVector)
      columns = flow::getColumns(type) / width;
  }

  /// Row-major position of number `i` of the point in a tensor of the given shape.
  static int64_t locate(Type type, int64_t r, int64_t c, int64_t i, int64_t width) {
    switch (flow::getShape(type)) {
    case flow::Shape::Matrix:
      return r * flow::getColumns(type) + c * width + i;
    case flow::Shape::RowVector:
      return r;
    case flow::Shape::ColumnVector:
      return c * width + i;
    default:
      return 0;
    }
  }

  flow::PointExtent getExtent(OpBuilder &builder) {
    auto constant = [&](double value) -> Value {
      return arith::ConstantOp::create(builder, op->getLoc(), builder.getF64FloatAttr(value));
    };
    return {constant(batchRows), constant(columns), Value()};
  }

  void runPoint(int64_t r, int64_t c, std::vector<Tensor> &results) {
    Block block;
    OpBuilder builder(op->getContext());
    builder.setInsertionPointToEnd(&block);
    PointArithmetic arithmetic;
    SmallVector<SmallVector<Value>> operands(op->getNumOperands()), points;
    for (unsigned i = 0; i < operands.size(); ++i)
      for (int64_t j = 0, width = op.getOperandPointWidth(i); j < width; ++j) {
        Value argument = block.addArgument(builder.getF64Type(), op->getLoc());
        Value operand = op->getOperand(i);
        arithmetic.bind(argument, frame.lookup(operand).getReal(locate(operand.getType(), r, c, j, width)));
        operands[i].push_back(argument);
      }
    op.emitPoint(builder, op->getLoc(), operands, getExtent(builder), points);
    ASSERT_EQ(points.size(), results.size());
    ASSERT_TRUE(succeeded(arithmetic.run(block)));
    for (unsigned i = 0; i < results.size(); ++i) {
      int64_t width = op.getResultPointWidth(i);
      ASSERT_EQ(static_cast<int64_t>(points[i].size()), width);
      for (int64_t j = 0; j < width; ++j) {
        int64_t position = locate(op->getResult(i).getType(), r, c, j, width);
        double before = op.getResultKind(i) == flow::ResultKind::Pointwise ? 0 : results[i].getReal(position);
        results[i].setReal(position, before + arithmetic.lookup(points[i][j]));
      }
    }
  }

  double finish(unsigned index, double total) {
    Block block;
    OpBuilder builder(op->getContext());
    builder.setInsertionPointToEnd(&block);
    PointArithmetic arithmetic;
    Value argument = block.addArgument(builder.getF64Type(), op->getLoc());
    arithmetic.bind(argument, total);
    Value finished = op.emitFinish(builder, op->getLoc(), index, argument, getExtent(builder));
    EXPECT_TRUE(succeeded(arithmetic.run(block)));
    return arithmetic.lookup(finished);
  }

  flow::RowwiseOpInterface op;
  Frame frame;
  int64_t rows = 1, columns = 1;
};

/// Runs every rowwise operation of real operands both ways; returns their number.
int compareAll(ModuleOp module) {
  int count = 0;
  module.walk([&](flow::RowwiseOpInterface op) {
    SCOPED_TRACE(op->getName().getStringRef().str());
    auto isReal = [](Value v) { return isa<FloatType>(flow::getElementType(v)); };
    if (!llvm::all_of(op->getOperands(), isReal))
      return; // random numbers, whose integers only compiled code runs
    PointRun run(op);
    std::vector<Tensor> expected = run.runEvaluator(), actual = run.runPoints(expected);
    for (unsigned i = 0; i < expected.size(); ++i)
      expectNear(expected[i], actual[i], 1e-11, "result " + std::to_string(i));
    ++count;
  });
  return count;
}

TEST(PointFormula, agreesWithTheEvaluatorForEveryExample) {
  getContext().loadDialect<arith::ArithDialect, math::MathDialect>();
  auto module = parseSourceFile<ModuleOp>(KOWARI_FLOW_EXAMPLES, &getContext());
  ASSERT_TRUE(module);
  EXPECT_GT(compareAll(*module), 30);
}

TEST(PointFormula, agreesForEveryFamilyOfPriors) {
  getContext().loadDialect<arith::ArithDialect, math::MathDialect>();
  for (auto [family, count] : {std::pair{"DeltaFunction", 1},
                               {"Uniform", 2},
                               {"Sine", 2},
                               {"Cosine", 2},
                               {"LogUniform", 2},
                               {"PowerLaw", 3},
                               {"Gaussian", 2},
                               {"Normal", 2}}) {
    std::string names, types = "tensor<?xf64>", arguments = "%u: tensor<?xf64>";
    for (int i = 0; i < count; ++i) {
      std::string name = "%p" + std::to_string(i);
      names += ", " + name;
      types += ", tensor<f64>";
      arguments += ", " + name + ": tensor<f64>";
    }
    FlowModule module("func.func @f(" + arguments + ") { %x = flow.prior_rescale %u" + names +
                      " {family = \"" + family + "\"} : (" + types + ") -> tensor<?xf64> return }");
    ASSERT_TRUE(module.isValid());
    EXPECT_EQ(compareAll(module.get()), 1) << family;
  }
}

} // namespace
} // namespace kowari::interpreter
