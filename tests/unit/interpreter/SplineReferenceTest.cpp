//===- SplineReferenceTest.cpp - the spline against Dingo's numbers -------===//
//
// Part of Kowari, under the Apache License 2.0.
//
// tests/data/reference/spline.hdf5: for each bound and bin count 50 points, among them the bounds, their
// neighbors, far tails and points beside knots, with the spline, its inverse and the gradients of a weighted
// sum of its results.
//
//===----------------------------------------------------------------------===//
#include "FlowModule.h"

#include "runtime/data/Hdf5File.h"

#include <cmath>

namespace kowari::interpreter {
namespace {

std::vector<double> read(const data::Hdf5File &file, const std::string &name) {
  auto values = file.readDoubles(name);
  EXPECT_TRUE(values.isOk()) << values.status().message();
  return values.isOk() ? *values : std::vector<double>();
}

/// @spline, @gradient and @inverse on one feature; u is already divided.
std::string makeText(int64_t bins, double bound) {
  char options[128];
  std::snprintf(options, sizeof options,
                "{num_bins = %d : i64, tail_bound = %.1f : f64, divisor = 1.0 : f64}", static_cast<int>(bins),
                bound);
  std::string u = "tensor<?x" + std::to_string(3 * bins - 1) + "xf64>", x = "tensor<?x1xf64>",
              row = "tensor<?xf64>";
  std::string in = "(" + x + ", " + u + ")", out = "(" + x + ", " + row + ")";
  auto makeFunction = [&](const std::string &name, const std::string &op) {
    return "func.func @" + name + "(%x: " + x + ", %u: " + u + ") -> " + out + " { %y, %l = flow." + op +
           " %x, %u " + options + " : " + in + " -> " + out + " return %y, %l : " + x + ", " + row + " }\n";
  };
  return makeFunction("spline", "rq_spline") + makeFunction("inverse", "rq_spline_inverse") +
         "func.func @gradient(%x: " + x + ", %u: " + u + ", %dy: " + x + ", %dl: " + row + ") -> " + in +
         " { %dx, %du = flow.rq_spline_grad %x, %u, %dy, %dl " + options + " : (" + x + ", " + u + ", " + x +
         ", " + row + ") -> " + in + " return %dx, %du : " + x + ", " + u + " }";
}

/// Columns of several matrices side by side.
Tensor join(const std::vector<std::pair<std::vector<double>, int64_t>> &parts, int64_t rows) {
  int64_t columns = 0, start = 0;
  for (auto &[entries, width] : parts)
    columns += width;
  Tensor whole(ElementKind::F64, {rows, columns});
  for (auto &[entries, width] : parts) {
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < width; ++c)
        whole.setReal(r * columns + start + c, entries[r * width + c]);
    start += width;
  }
  return whole;
}

/// Largest |a - b|/max(1, |b|), entry by entry, which is stricter than findLargestDifference.
void expectEachNear(const Tensor &expected, const Tensor &actual, double tolerance, const std::string &what) {
  ASSERT_EQ(expected.getSize(), actual.getSize()) << what;
  for (int64_t i = 0; i < expected.getSize(); ++i) {
    double e = expected.getReal(i);
    EXPECT_NEAR(e, actual.getReal(i), tolerance * std::max(1.0, std::fabs(e))) << what << ", entry " << i;
  }
}

TEST(SplineReference, isMatchedInDouble) {
  auto opened = data::Hdf5File::open(KOWARI_TEST_DATA "/reference/spline.hdf5");
  ASSERT_TRUE(opened.isOk()) << opened.status().message();
  const data::Hdf5File &file = *opened;
  auto groups = file.children("/");
  ASSERT_TRUE(groups.isOk());
  ASSERT_EQ(groups->size(), 6u);
  for (const std::string &group : *groups) {
    SCOPED_TRACE(group);
    auto bound = file.readDoubleAttribute(group, "tail_bound");
    ASSERT_TRUE(bound.isOk()) << bound.status().message();
    std::vector<double> x = read(file, group + "/x"), widths = read(file, group + "/widths");
    int64_t rows = x.size(), bins = widths.size() / rows;
    FlowModule module(makeText(bins, *bound));
    ASSERT_TRUE(module.isValid());
    Tensor xs = reals({rows, 1}, x);
    Tensor u = join({{widths, bins},
                     {read(file, group + "/heights"), bins},
                     {read(file, group + "/derivatives"), bins - 1}},
                    rows);
    auto expectResult = [&](const std::string &name, const Tensor &actual) {
      expectEachNear(reals(actual.getShape(), read(file, group + "/float64/" + name)), actual, 1e-11, name);
    };
    auto forward = module.run("spline", {xs, u}), inverse = module.run("inverse", {xs, u});
    expectResult("output", forward[0]);
    expectResult("logabsdet", forward[1]);
    expectResult("inverse_output", inverse[0]);
    expectResult("inverse_logabsdet", inverse[1]);
    auto gradients = module.run("gradient", {xs, u, reals({rows, 1}, read(file, group + "/weight_output")),
                                             reals({rows}, read(file, group + "/weight_logabsdet"))});
    expectResult("gradients/x", gradients[0]);
    std::string g = group + "/float64/gradients/";
    expectEachNear(join({{read(file, g + "widths"), bins},
                         {read(file, g + "heights"), bins},
                         {read(file, g + "derivatives"), bins - 1}},
                        rows),
                   gradients[1], 1e-11, "gradients of u");
  }
}

} // namespace
} // namespace kowari::interpreter
