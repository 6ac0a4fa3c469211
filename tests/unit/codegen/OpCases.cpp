//===- OpCases.cpp - kernels and their formulas in plain loops ------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "OpCases.h"

#include <cmath>

namespace kowari::test {

using In = const std::vector<double> &;
using Out = std::vector<double> &;

static double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
static double cdf(double x) { return 0.5 * (1 + std::erf(x * M_SQRT1_2)); }

static OpCase activation(const std::string &kind, double (*f)(double)) {
  return {"activation_" + kind, "M", "M",
          "%1 = flow.activation %0 {kind = #flow.activation<" + kind + ">} : ($M) -> $M\n return %1 : $M",
          pointwise([f](In x, Out y) { y[0] = f(x[0]); })};
}

static OpCase activationGrad(const std::string &kind, double (*f)(double, double)) {
  return {"activation_grad_" + kind, "MM", "M",
          "%2 = flow.activation_grad %0, %1 {kind = #flow.activation<" + kind +
              ">} : ($M, $M) -> $M\n return %2 : $M",
          pointwise([f](In x, Out y) { y[0] = f(x[0], x[1]); })};
}

std::vector<OpCase> getPointwiseCases() {
  return {
      activation("elu", [](double x) { return x > 0 ? x : std::expm1(x); }),
      activation("relu", [](double x) { return x > 0 ? x : 0.0; }),
      activation("leaky_relu", [](double x) { return x > 0 ? x : 0.01 * x; }),
      activation("gelu", [](double x) { return x * cdf(x); }),
      activationGrad("elu", [](double dy, double y) { return y > 0 ? dy : dy * (y + 1); }),
      activationGrad("relu", [](double dy, double y) { return y > 0 ? dy : 0.0; }),
      activationGrad("leaky_relu", [](double dy, double y) { return y > 0 ? dy : 0.01 * dy; }),
      activationGrad(
          "gelu",
          [](double dy, double x) { return dy * (cdf(x) + x * std::exp(-x * x / 2) / std::sqrt(2 * M_PI)); }),
      {"add", "MM", "M", "%2 = flow.add %0, %1 : ($M, $M) -> $M\n return %2 : $M",
       pointwise([](In x, Out y) { y[0] = x[0] + x[1]; })},
      {"sub", "MM", "M", "%2 = flow.sub %0, %1 : ($M, $M) -> $M\n return %2 : $M",
       pointwise([](In x, Out y) { y[0] = x[0] - x[1]; })},
      {"sub_bias", "MC", "M", "%2 = flow.sub_bias %0, %1 : ($M, $C) -> $M\n return %2 : $M",
       pointwise([](In x, Out y) { y[0] = x[0] - x[1]; })},
      {"add_bias", "MC", "M", "%2 = flow.add_bias %0, %1 : ($M, $C) -> $M\n return %2 : $M",
       pointwise([](In x, Out y) { y[0] = x[0] + x[1]; })},
      {"glu", "MM", "M", "%2 = flow.glu %0, %1 : ($M, $M) -> $M\n return %2 : $M",
       pointwise([](In x, Out y) { y[0] = x[0] * sigmoid(x[1]); })},
      {"glu_grad", "MMM", "MM",
       "%3, %4 = flow.glu_grad %0, %1, %2 : ($M, $M, $M) -> ($M, $M)\n return %3, %4 : $M, $M",
       pointwise([](In x, Out y) {
         double s = sigmoid(x[2]);
         y[0] = x[0] * s;
         y[1] = x[0] * x[1] * s * (1 - s);
       })},
      {"base_log_prob_grad", "MR", "M",
       "%2 = flow.base_log_prob_grad %0, %1 : ($M, $R) -> $M\n return %2 : $M",
       pointwise([](In x, Out y) { y[0] = -x[0] * x[1]; })},
  };
}

static double keepSum(double v, double, double) { return v; }
static double overRows(double v, double rows, double) { return v / rows; }
static double overColumns(double v, double, double columns) { return v / columns; }

static std::vector<OpCase> getBatchNormCases() {
  auto xhat = [](double x, double mean, double variance) { return (x - mean) / std::sqrt(variance + 1e-3); };
  std::vector<OpCase> cases = {
      {"column_mean", "M", "C", "%1 = flow.column_mean %0 : ($M) -> $C\n return %1 : $C",
       summed([](In x, Out y) { y[0] = x[0]; }, overRows), Cuts::Columns},
      {"column_variance", "MC", "C", "%2 = flow.column_variance %0, %1 : ($M, $C) -> $C\n return %2 : $C",
       summed([](In x, Out y) { y[0] = (x[0] - x[1]) * (x[0] - x[1]); }, overRows), Cuts::Columns},
      {"sum_rows", "M", "C", "%1 = flow.sum_rows %0 : ($M) -> $C\n return %1 : $C",
       summed([](In x, Out y) { y[0] = x[0]; }, keepSum), Cuts::Columns},
      {"batch_norm", "MCCCC", "M",
       "%5 = flow.batch_norm %0, %1, %2, %3, %4 {epsilon = 1.0e-3 : f64} : ($M, $C, $C, $C, $C) -> $M\n "
       "return %5 : $M",
       pointwise([xhat](In x, Out y) { y[0] = xhat(x[0], x[1], x[2]) * x[3] + x[4]; })},
      {"batch_norm_grad_params", "MMCC", "CC",
       "%4, %5 = flow.batch_norm_grad_params %0, %1, %2, %3 {epsilon = 1.0e-3 : f64} : ($M, $M, $C, $C) -> "
       "($C, $C)\n"
       " return %4, %5 : $C, $C",
       summed([xhat](In x, Out y) { y[0] = x[0] * xhat(x[1], x[2], x[3]), y[1] = x[0]; }, keepSum),
       Cuts::Columns},
      {"batch_norm_grad_input_eval", "MMCCCCC", "M",
       "%7 = flow.batch_norm_grad_input %0, %1, %2, %3, %4, %5, %6 {epsilon = 1.0e-3 : f64} : ($M, $M, $C, "
       "$C, $C, $C, "
       "$C) -> $M\n return %7 : $M",
       pointwise([](In x, Out y) { y[0] = x[4] / std::sqrt(x[3] + 1e-3) * x[0]; })},
      {"batch_norm_grad_input_training", "MMCCCCC", "M",
       "%7 = flow.batch_norm_grad_input %0, %1, %2, %3, %4, %5, %6 {epsilon = 1.0e-3 : f64, training} : ($M, "
       "$M, $C, $C, "
       "$C, $C, $C) -> $M\n return %7 : $M",
       [xhat](const std::vector<Array> &in, std::vector<Array> &out, int64_t rows, int64_t columns) {
         for (int64_t r = 0; r < rows; ++r)
           for (int64_t c = 0; c < columns; ++c) {
             auto x = [&](int i) { return in[i].see(r, c); };
             out[0].at(r, c) =
                 x(4) / std::sqrt(x(3) + 1e-3) * (x(0) - x(6) / rows - xhat(x(1), x(2), x(3)) * x(5) / rows);
           }
       }},
  };
  for (OpCase &c : cases)
    if (c.name.rfind("batch_norm", 0) == 0)
      c.positive = {c.name.find("grad") == std::string::npos ? 2 : 3}, c.tolerance32 = 1e-5;
  return cases;
}

static std::vector<OpCase> getLayerNormCases() {
  auto xhat = [](double x, double mean, double variance) { return (x - mean) / std::sqrt(variance + 1e-5); };
  std::vector<OpCase> cases = {
      {"row_mean", "M", "R", "%1 = flow.row_mean %0 : ($M) -> $R\n return %1 : $R",
       summed([](In x, Out y) { y[0] = x[0]; }, overColumns), Cuts::Rows},
      {"row_variance", "MR", "R", "%2 = flow.row_variance %0, %1 : ($M, $R) -> $R\n return %2 : $R",
       summed([](In x, Out y) { y[0] = (x[0] - x[1]) * (x[0] - x[1]); }, overColumns), Cuts::Rows},
      {"base_log_prob", "M", "R", "%1 = flow.base_log_prob %0 : ($M) -> $R\n return %1 : $R",
       summed([](In x, Out y) { y[0] = -0.5 * x[0] * x[0] - 0.5 * std::log(2 * M_PI); }, keepSum),
       Cuts::Rows},
      {"normalize_rows", "MRRCC", "M",
       "%5 = flow.normalize_rows %0, %1, %2, %3, %4 {epsilon = 1.0e-5 : f64} : ($M, $R, $R, $C, $C) -> $M\n"
       " return %5 : $M",
       pointwise([xhat](In x, Out y) { y[0] = xhat(x[0], x[1], x[2]) * x[3] + x[4]; })},
      {"layer_norm_grad_params", "MMRR", "CC",
       "%4, %5 = flow.layer_norm_grad_params %0, %1, %2, %3 {epsilon = 1.0e-5 : f64} : ($M, $M, $R, $R) -> "
       "($C, $C)\n"
       " return %4, %5 : $C, $C",
       summed([xhat](In x, Out y) { y[0] = x[0] * xhat(x[1], x[2], x[3]), y[1] = x[0]; }, keepSum),
       Cuts::Columns},
      {"layer_norm_grad_sums", "MMRRC", "RR",
       "%5, %6 = flow.layer_norm_grad_sums %0, %1, %2, %3, %4 {epsilon = 1.0e-5 : f64} : ($M, $M, $R, $R, "
       "$C) -> ($R, "
       "$R)\n return %5, %6 : $R, $R",
       summed([xhat](In x, Out y) { y[0] = x[0] * x[4], y[1] = x[0] * x[4] * xhat(x[1], x[2], x[3]); },
              overColumns),
       Cuts::Rows},
      {"layer_norm_grad_apply", "MMRRCRR", "M",
       "%7 = flow.layer_norm_grad_apply %0, %1, %2, %3, %4, %5, %6 {epsilon = 1.0e-5 : f64} : ($M, $M, $R, "
       "$R, $C, $R, "
       "$R) -> $M\n return %7 : $M",
       pointwise([xhat](In x, Out y) {
         y[0] = (x[0] * x[4] - x[5] - xhat(x[1], x[2], x[3]) * x[6]) / std::sqrt(x[3] + 1e-5);
       })},
  };
  for (OpCase &c : cases)
    if (c.forms.find("RR") != std::string::npos)
      c.positive = {(int)c.forms.find("RR") + 1}, c.tolerance32 = 1e-5;
  return cases;
}

std::vector<OpCase> getNormCases() {
  std::vector<OpCase> cases = getBatchNormCases();
  for (OpCase &c : getLayerNormCases())
    cases.push_back(std::move(c));
  return cases;
}

std::vector<OpCase> getVectorCases() {
  std::vector<OpCase> cases = {
      {"add_scalar", "RS", "R", "%2 = flow.add_scalar %0, %1 : ($R, $S) -> $R\n return %2 : $R",
       pointwise([](In x, Out y) { y[0] = x[0] + x[1]; }), Cuts::Any},
      {"negative_mean", "R", "S", "%1 = flow.negative_mean %0 : ($R) -> $S\n return %1 : $S",
       summed([](In x, Out y) { y[0] = -x[0]; }, overRows), Cuts::Columns},
      {"sum_of_row_vector", "R", "S", "%1 = flow.sum_rows %0 : ($R) -> $S\n return %1 : $S",
       summed([](In x, Out y) { y[0] = x[0]; }, keepSum), Cuts::Columns},
      {"negative_mean_grad", "RS", "R",
       "%2 = flow.negative_mean_grad %0, %1 : ($R, $S) -> $R\n return %2 : $R",
       [](const std::vector<Array> &in, std::vector<Array> &out, int64_t rows, int64_t) {
         for (double &v : out[0].data)
           v = -in[1].data[0] / rows;
       }},
  };
  for (OpCase &c : cases)
    c.oneDimension = 1;
  OpCase running = {
      "batch_norm_running",
      "CCCC",
      "CC",
      "%4, %5 = flow.batch_norm_running %0, %1, %2, %3 {momentum = 0.1 : f64} : ($C, $C, $C, $C) -> ($C, "
      "$C)\n return %4, %5 : $C, $C",
      [](const std::vector<Array> &in, std::vector<Array> &out, int64_t rows, int64_t columns) {
        for (int64_t c = 0; c < columns; ++c) {
          out[0].data[c] = 0.9 * in[0].data[c] + 0.1 * in[2].data[c];
          out[1].data[c] = 0.9 * in[1].data[c] + 0.1 * in[3].data[c] * rows / (rows - 1.0);
        }
      },
      Cuts::Columns};
  running.oneDimension = 2;
  cases.push_back(running);
  OpCase finite = {"is_finite", "S", "S", "%1 = flow.is_finite %0 : ($S) -> $S\n return %1 : $S",
                   pointwise([](In x, Out y) { y[0] = std::isfinite(x[0]); })};
  OpCase one = {"one", "", "S", "%0 = flow.one : () -> $S\n return %0 : $S",
                pointwise([](In, Out y) { y[0] = 1; })};
  finite.oneDimension = one.oneDimension = 3;
  cases.push_back(finite);
  cases.push_back(one);
  return cases;
}

//===-- optimizers --------------------------------------------------------===//

static OpCase adam(const std::string &name, bool amsgrad, bool decoupled, bool maximize, double decay) {
  std::string flags = std::string(decoupled ? ", decoupled" : "") + (maximize ? ", maximize" : "");
  std::string attributes = "{beta1 = 0.9 : f64, beta2 = 0.99 : f64, epsilon = 1.0e-8 : f64, weight_decay = " +
                           std::to_string(decay) + " : f64" + flags + "}";
  std::string body = "%w1, %m1, %v1";
  body += amsgrad ? ", %x1" : "";
  body += " = flow.adam state(%0, %1, %2, %3 : $C, $C, $C, $C) scalars(%4, %5, %6, %7 : $S, $S, $S, $S) ";
  body += amsgrad ? "maximum(%8 : $C) " : "";
  body += attributes + " -> $C, $C, $C" + (amsgrad ? ", $C" : "") + "\n return %w1, %m1, %v1";
  body += amsgrad ? ", %x1 : $C, $C, $C, $C" : " : $C, $C, $C";
  OpCase c = {"adam_" + name,
              amsgrad ? "CCCCSSSSC" : "CCCCSSSS",
              amsgrad ? "CCCC" : "CCC",
              body,
              pointwise([=](In x, Out y) {
                double w = x[0], g = maximize ? -x[1] : x[1];
                double start = decoupled ? w * (1 - x[6] * decay) : w;
                g += decoupled ? 0 : decay * w;
                y[1] = x[2] + 0.1 * (g - x[2]);
                y[2] = 0.99 * x[3] + 0.01 * g * g;
                double largest = amsgrad ? std::max(x[8], y[2]) : y[2];
                y[0] = start - x[4] * y[1] / (std::sqrt(largest) / x[5] + 1e-8);
                if (amsgrad)
                  y[3] = largest;
              }),
              Cuts::Columns};
  c.positive = {3, 4, 5, 6, 7, 8};
  c.tolerance32 = 1e-5;
  c.oneDimension = 2;
  return c;
}

static OpCase sgd(const std::string &name, double momentum, double dampening, bool nesterov) {
  std::string buffer = momentum != 0 ? "buffer(%5 : $C) " : "";
  std::string body = std::string(momentum != 0 ? "%w1, %b1" : "%w1") +
                     " = flow.sgd state(%0, %1 : $C, $C) scalars(%2, %3, %4 : $S, $S, $S) " + buffer +
                     "{momentum = " + std::to_string(momentum) +
                     " : f64, dampening = " + std::to_string(dampening) +
                     " : f64, weight_decay = 0.01 : f64" + (nesterov ? ", nesterov" : "") + "} -> $C" +
                     (momentum != 0 ? ", $C\n return %w1, %b1 : $C, $C" : "\n return %w1 : $C");
  OpCase c = {"sgd_" + name,
              momentum != 0 ? "CCSSSC" : "CCSSS",
              momentum != 0 ? "CC" : "C",
              body,
              pointwise([=](In x, Out y) {
                double g = x[1] + 0.01 * x[0];
                if (momentum != 0) {
                  y[1] = x[3] < 1.5 ? g : momentum * x[5] + (1 - dampening) * g;
                  g = nesterov ? g + momentum * y[1] : y[1];
                }
                y[0] = x[0] - x[2] * g;
              }),
              Cuts::Columns};
  c.positive = {2, 3, 4};
  c.oneDimension = 2;
  return c;
}

std::vector<OpCase> getOptimizerCases() {
  return {adam("plain", false, false, false, 0.0),
          adam("decayed", false, false, false, 0.01),
          adam("decoupled", false, true, true, 0.1),
          adam("amsgrad", true, false, false, 0.0),
          sgd("plain", 0, 0, false),
          sgd("momentum", 0.9, 0.1, false),
          sgd("nesterov", 0.9, 0, true)};
}

} // namespace kowari::test
