//===- RandomFunction.cpp - functions of flow operations at random --------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/fuzz/RandomFunction.h"
#include "compiler/fuzz/Pick.h"

#include <map>
#include <set>

namespace kowari::fuzz {

namespace {

constexpr int64_t columnChoices[] = {1, 2, 3, 5, 8, 16, 17, 20};

struct Matrix {
  std::string name;
  int64_t columns;
};

/// Writes the statements of one function down.
class FunctionPrinter {
public:
  explicit FunctionPrinter(const RandomFunction &printed)
      : function(printed), element(function.isF64 ? "f64" : "f32") {}

  std::string print() {
    for (int64_t columns : function.inputColumns)
      matrices.push_back({addArgument("batch", matrixType(columns)), columns});
    for (const Statement &statement : function.statements)
      add(statement);
    return function.hasLoss ? printLoss() : printFunction();
  }

private:
  //===-- types and arguments ---------------------------------------------===//

  std::string tensor(const std::string &extents) const { return "tensor<" + extents + element + ">"; }
  std::string matrixType(int64_t columns) const { return tensor("?x" + std::to_string(columns) + "x"); }
  std::string columnType(int64_t columns) const { return tensor(std::to_string(columns) + "x"); }
  std::string rowType() const { return tensor("?x"); }
  std::string weightType(int64_t outputs, int64_t inputs) const {
    return tensor(std::to_string(outputs) + "x" + std::to_string(inputs) + "x");
  }

  std::string addArgument(const std::string &role, const std::string &type, std::string key = "") {
    std::string name = "%" + role + std::to_string(argumentCount++);
    if (key.empty())
      key = name.substr(1);
    arguments +=
        (arguments.empty() ? "" : ",\n    ") + name + ": " + type + " {flow." + role + " = \"" + key + "\"}";
    return name;
  }
  std::string addParameter(const std::string &type) { return addArgument("parameter", type); }
  std::string addNamed(const std::string &role, const std::string &key, const std::string &type) {
    std::string &name = named[key];
    if (name.empty())
      name = addArgument(role, type, key);
    return name;
  }

  //===-- values ----------------------------------------------------------===//

  std::string newValue() { return "%v" + std::to_string(valueCount++); }
  void line(const std::string &text) { body += "  " + text + "\n"; }

  const Matrix &getMatrix(uint32_t number) const { return matrices[number % matrices.size()]; }
  /// Some matrix with as many columns as the first.
  const Matrix &getMatch(uint32_t number, const Matrix &first) const {
    std::vector<const Matrix *> matches;
    for (const Matrix &m : matrices)
      if (m.columns == first.columns)
        matches.push_back(&m);
    return *matches[number % matches.size()];
  }
  void addMatrix(const std::string &name, int64_t columns) { matrices.push_back({name, columns}); }
  std::string use(const Matrix &m) {
    used.insert(m.name);
    return m.name;
  }

  /// "%v = flow.NAME operands attributes : (types) -> (types)"
  std::string addOperation(const std::string &name, const std::vector<std::string> &operands,
                           const std::vector<std::string> &types, const std::string &attributes,
                           const std::vector<std::string> &resultTypes) {
    auto join = [](const std::vector<std::string> &parts) {
      std::string text;
      for (const std::string &part : parts)
        text += (text.empty() ? "" : ", ") + part;
      return text;
    };
    std::vector<std::string> results;
    for (size_t i = 0; i < resultTypes.size(); ++i)
      results.push_back(newValue());
    line(join(results) + " = flow." + name + " " + join(operands) +
         (attributes.empty() ? "" : " {" + attributes + "}") + " : (" + join(types) + ") -> (" +
         join(resultTypes) + ")");
    return results.front();
  }
  std::string getLast(int64_t before) const { return "%v" + std::to_string(valueCount - before); }

  std::string addLinear(const std::vector<Matrix> &inputs, int64_t outputs, const std::string &weight,
                        bool withBias) {
    std::string names, types, result = newValue();
    int64_t columns = 0;
    for (const Matrix &m : inputs) {
      names += (names.empty() ? "" : ", ") + use(m);
      types += (types.empty() ? "" : ", ") + matrixType(m.columns);
      columns += m.columns;
    }
    std::string bias = withBias ? addParameter(columnType(outputs)) : "";
    line(result + " = flow.linear ins(" + names + " : " + types + ") weight(" + weight + " : " +
         weightType(outputs, columns) + ")" +
         (withBias ? " bias(" + bias + " : " + columnType(outputs) + ")" : "") + " -> " +
         matrixType(outputs));
    return result;
  }
  std::string addLinear(const std::vector<Matrix> &inputs, int64_t outputs, bool withBias) {
    int64_t columns = 0;
    for (const Matrix &m : inputs)
      columns += m.columns;
    return addLinear(inputs, outputs, addParameter(weightType(outputs, columns)), withBias);
  }

  //===-- statements ------------------------------------------------------===//

  void add(const Statement &s);
  void addNorm(const Statement &s, const Matrix &x);
  void addSpline(const Statement &s, const Matrix &x);
  void addSplit(const Statement &s, const Matrix &x);
  void addLu(const Matrix &x);
  void addDropout(const Statement &s, const Matrix &x);
  void addSum(const Statement &s, const Matrix &x);

  std::string printLoss();
  std::string printFunction() const;

  const RandomFunction &function;
  std::string element, arguments, body;
  int argumentCount = 0, valueCount = 0;
  std::vector<Matrix> matrices;
  std::vector<std::string> rows;
  std::vector<Matrix> columnVectors;
  std::set<std::string> used;
  std::map<std::string, std::string> named;
  int64_t dropouts = 0;
};

void FunctionPrinter::add(const Statement &s) {
  const Matrix x = getMatrix(s.picks[0]), y = getMatch(s.picks[1], x);
  const std::string type = matrixType(x.columns), vector = columnType(x.columns);
  const int64_t outputs = columnChoices[s.picks[2] % std::size(columnChoices)];
  static const char *const kinds[] = {"elu", "relu", "leaky_relu", "gelu"};
  auto binary = [&](const char *name) {
    addMatrix(addOperation(name, {use(x), use(y)}, {type, type}, "", {type}), x.columns);
  };
  auto withVector = [&](const char *name) {
    addMatrix(addOperation(name, {use(x), addParameter(vector)}, {type, vector}, "", {type}), x.columns);
  };
  switch (s.kind) {
  case StatementKind::Activation:
    return addMatrix(addOperation("activation", {use(x)}, {type},
                                  std::string("kind = #flow.activation<") + kinds[s.picks[3] % 4] + ">",
                                  {type}),
                     x.columns);
  case StatementKind::Add:
    return binary("add");
  case StatementKind::Glu:
    return binary("glu");
  case StatementKind::Sub:
    return binary("sub");
  case StatementKind::Negate:
    return addMatrix(addOperation("negate", {use(x)}, {type}, "", {type}), x.columns);
  case StatementKind::AddBias:
    return withVector("add_bias");
  case StatementKind::SubBias:
    return withVector("sub_bias");
  case StatementKind::Linear:
    return addMatrix(addLinear({x}, outputs, s.picks[3] % 2), outputs);
  case StatementKind::LinearOfTwo:
    return addMatrix(addLinear({x, getMatrix(s.picks[1])}, outputs, s.picks[3] % 2), outputs);
  case StatementKind::LayerNorm:
  case StatementKind::BatchNormTraining:
  case StatementKind::BatchNormEvaluation:
    return addNorm(s, x);
  case StatementKind::Spline:
  case StatementKind::SplineInverse:
    return addSpline(s, x);
  case StatementKind::SplitAndInterleave:
    return addSplit(s, x);
  case StatementKind::LuProduct:
    return addLu(x);
  case StatementKind::Dropout:
    return addDropout(s, x);
  case StatementKind::BaseLogProb:
  case StatementKind::SumRows:
  case StatementKind::ColumnMean:
  case StatementKind::RowMean:
    return addSum(s, x);
  }
}

void FunctionPrinter::addNorm(const Statement &s, const Matrix &x) {
  const std::string type = matrixType(x.columns), vector = columnType(x.columns);
  const std::string epsilon = "epsilon = 1.0e-3 : f64";
  if (s.kind == StatementKind::LayerNorm) {
    std::string gamma = addParameter(vector), beta = addParameter(vector);
    return addMatrix(addOperation("layer_norm", {use(x), gamma, beta}, {type, vector, vector}, epsilon,
                                  {type, rowType(), rowType()}),
                     x.columns);
  }
  bool training = s.kind == StatementKind::BatchNormTraining;
  std::string mean, variance;
  if (training) {
    mean = addOperation("batch_norm_statistics", {use(x)}, {type}, "", {vector, vector});
    variance = getLast(1);
  } else {
    mean = addArgument("state", vector);
    variance = addArgument("state", vector);
  }
  std::string gamma = addParameter(vector), beta = addParameter(vector);
  addMatrix(addOperation("batch_norm", {use(x), mean, variance, gamma, beta},
                         {type, vector, vector, vector, vector}, epsilon + (training ? ", training" : ""),
                         {type}),
            x.columns);
}

void FunctionPrinter::addSpline(const Statement &s, const Matrix &x) {
  const int64_t bins = 1 + s.picks[2] % 6, outputs = x.columns * (3 * bins - 1);
  const std::string type = matrixType(x.columns);
  std::string u = addLinear({getMatrix(s.picks[1])}, outputs, true);
  std::string attributes = "num_bins = " + std::to_string(bins) +
                           " : i64, tail_bound = " + (s.picks[3] % 2 ? "1.0" : "3.0") +
                           " : f64, divisor = 2.0 : f64";
  addMatrix(addOperation(s.kind == StatementKind::Spline ? "rq_spline" : "rq_spline_inverse", {use(x), u},
                         {type, matrixType(outputs)}, attributes, {type, rowType()}),
            x.columns);
  rows.push_back(getLast(1));
}

void FunctionPrinter::addSplit(const Statement &s, const Matrix &x) {
  const int64_t start = x.columns > 1 ? s.picks[3] % 2 : 0, selected = (x.columns - start + 1) / 2;
  const std::string attribute = "start = " + std::to_string(start) + " : i64", type = matrixType(x.columns);
  const std::string a = matrixType(selected), b = matrixType(x.columns - selected);
  std::string first = addOperation("split_columns", {use(x)}, {type}, attribute, {a, b}), others = getLast(1);
  first = addOperation("activation", {first}, {a}, "kind = #flow.activation<gelu>", {a});
  addMatrix(addOperation("interleave_columns", {first, others}, {a, b}, attribute, {type}), x.columns);
}

void FunctionPrinter::addLu(const Matrix &x) {
  const int64_t d = x.columns, entries = d * (d - 1) / 2;
  const std::string half = columnType(entries), vector = columnType(d);
  const std::string indices = "tensor<" + std::to_string(d) + "xi64>";
  std::string lower = addParameter(half), upper = addParameter(half), diagonal = addParameter(vector);
  std::string weight = addOperation("lu_weight", {lower, upper, diagonal, addArgument("constant", indices)},
                                    {half, half, vector, indices}, "", {weightType(d, d), tensor("")});
  std::string logabsdet = getLast(1);
  addMatrix(addLinear({x}, d, weight, true), d);
  std::string density =
      addOperation("base_log_prob", {use(matrices.back())}, {matrixType(d)}, "", {rowType()});
  rows.push_back(addOperation("add_scalar", {density, logabsdet}, {rowType(), tensor("")}, "", {rowType()}));
}

void FunctionPrinter::addDropout(const Statement &s, const Matrix &x) {
  const std::string type = matrixType(x.columns);
  std::string sample = addNamed("batch", "sample_index", "tensor<?xi64>");
  std::string seed = addNamed("scalar", "seed", "tensor<i64>"),
              epoch = addNamed("scalar", "epoch", "tensor<i64>");
  std::string attributes = std::string("probability = ") + (s.picks[3] % 2 ? "0.1" : "0.5") +
                           " : f64, site = " + std::to_string(dropouts++) + " : i64";
  addMatrix(addOperation("dropout", {use(x), sample, seed, epoch},
                         {type, "tensor<?xi64>", "tensor<i64>", "tensor<i64>"}, attributes, {type}),
            x.columns);
}

void FunctionPrinter::addSum(const Statement &s, const Matrix &x) {
  const std::string type = matrixType(x.columns), vector = columnType(x.columns);
  if (s.kind == StatementKind::BaseLogProb || s.kind == StatementKind::RowMean)
    rows.push_back(addOperation(s.kind == StatementKind::RowMean ? "row_mean" : "base_log_prob", {use(x)},
                                {type}, "", {rowType()}));
  else
    columnVectors.push_back({addOperation(s.kind == StatementKind::SumRows ? "sum_rows" : "column_mean",
                                          {use(x)}, {type}, "", {vector}),
                             x.columns});
}

std::string FunctionPrinter::printLoss() {
  const Matrix last = matrices.back();
  std::string sum = addOperation("base_log_prob", {last.name}, {matrixType(last.columns)}, "", {rowType()});
  for (const std::string &row : rows)
    sum = addOperation("add", {sum, row}, {rowType(), rowType()}, "", {rowType()});
  std::string loss = addOperation("negative_mean", {sum}, {rowType()}, "", {tensor("")});
  std::string stage =
      std::string(
          "{freeze_rb_layer = false, maximize = false, amsgrad = false, nesterov = false, optimizer = \"") +
      (function.usesAdam ? "adam" : "sgd") +
      "\", beta1 = 0.9 : f64, beta2 = 0.999 : f64, epsilon = 1.0e-8 : f64, weight_decay = 0.0 : f64, "
      "momentum = 0.9 : f64, dampening = 0.0 : f64}";
  return "module attributes {flow.gradient_entry, flow.stages = [" + stage + "]} {\nfunc.func @loss(" +
         arguments + ")\n    -> (" + tensor("") +
         " {flow.output = \"loss\"})\n    attributes {flow.max_rows = " + std::to_string(function.maxRows) +
         " : i64} {\n" + body + "  return " + loss + " : " + tensor("") + "\n}\n}\n";
}

std::string FunctionPrinter::printFunction() const {
  std::string values, types, results;
  int64_t count = 0;
  auto addResult = [&](const std::string &value, const std::string &type) {
    values += (values.empty() ? "" : ", ") + value;
    types += (types.empty() ? "" : ", ") + type;
    results +=
        (results.empty() ? "" : ", ") + type + " {flow.output = \"out" + std::to_string(count++) + "\"}";
  };
  for (size_t i = function.inputColumns.size(); i < matrices.size(); ++i)
    if (!used.count(matrices[i].name))
      addResult(matrices[i].name, matrixType(matrices[i].columns));
  for (const std::string &row : rows)
    addResult(row, rowType());
  for (const Matrix &vector : columnVectors)
    addResult(vector.name, columnType(vector.columns));
  return "module {\nfunc.func @function(" + arguments + ")\n    -> (" + results +
         ")\n    attributes {flow.max_rows = " + std::to_string(function.maxRows) + " : i64} {\n" + body +
         "  return" + (values.empty() ? "" : " " + values + " : " + types) + "\n}\n}\n";
}

} // namespace

std::string RandomFunction::print() const { return FunctionPrinter(*this).print(); }

RandomFunction makeRandomFunction(std::mt19937_64 &g) {
  RandomFunction f;
  f.isF64 = happens(g, 0.5);
  f.maxRows = f.isF64 ? pick<int64_t>(g, {2, 5, 16, 19, 33}) : pick<int64_t>(g, {5, 8, 16, 19, 33});
  f.hasLoss = happens(g, 0.5);
  f.usesAdam = happens(g, 0.5);
  for (uint64_t inputs = 1 + g() % 3; inputs > 0; --inputs)
    f.inputColumns.push_back(columnChoices[g() % std::size(columnChoices)]);
  const auto kinds =
      static_cast<uint64_t>(f.hasLoss ? StatementKind::lastWithAdjoint : StatementKind::last) + 1;
  for (uint64_t count = 1 + g() % 12; count > 0; --count) {
    Statement s;
    s.kind = static_cast<StatementKind>(g() % kinds);
    for (uint32_t &number : s.picks)
      number = static_cast<uint32_t>(g());
    f.statements.push_back(s);
  }
  return f;
}

std::vector<RandomFunction> simplify(const RandomFunction &function) {
  std::vector<RandomFunction> simpler;
  auto change = [&](auto apply) {
    simpler.push_back(function);
    apply(simpler.back());
  };
  for (size_t i = 0; i < function.statements.size(); ++i)
    if (function.statements.size() > 1)
      change([&](RandomFunction &f) { f.statements.erase(f.statements.begin() + i); });
  for (size_t i = 0; i < function.inputColumns.size(); ++i) {
    if (function.inputColumns.size() > 1)
      change([&](RandomFunction &f) { f.inputColumns.erase(f.inputColumns.begin() + i); });
    for (int64_t columns : {int64_t(1), function.inputColumns[i] / 2})
      if (columns >= 1 && columns < function.inputColumns[i])
        change([&](RandomFunction &f) { f.inputColumns[i] = columns; });
  }
  if (const int64_t least = function.isF64 ? 2 : 5; function.maxRows > least)
    change([least](RandomFunction &f) { f.maxRows = least; });
  if (function.usesAdam && function.hasLoss)
    change([](RandomFunction &f) { f.usesAdam = false; });
  return simpler;
}

} // namespace kowari::fuzz
