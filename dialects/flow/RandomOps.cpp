//===- RandomOps.cpp - counter-based random operations --------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/flow/PhiloxBuilder.h"
#include "dialects/flow/PointBuilder.h"

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace kowari::flow {

/// Counter words: sample (low half), epoch, site, column; key words: low and high half of the seed. u =
/// word/2^32 >= p is compared in integers: exact, and the same for f32 and f64.
void DropoutOp::emitPoint(OpBuilder &builder, Location location, ArrayRef<SmallVector<Value>> operands,
                          const PointExtent &extent, SmallVector<SmallVector<Value>> &results) {
  PointBuilder p(builder, location);
  PhiloxBuilder philox(builder, location);
  Value x = operands[0][0], seed = operands[2][0], column = philox.getWord(extent.column, 0);
  PhiloxBuilder::Words counter = {philox.getWord(operands[1][0], 0), philox.getWord(operands[3][0], 0),
                                  philox.constant((uint32_t)getSite(), column), column};
  Value word = philox.generate(counter, philox.getWord(seed, 0), philox.getWord(seed, 1))[0];
  double probability = getProbability().convertToDouble();
  auto threshold = (uint32_t)std::min(std::ceil(std::ldexp(probability, 32)), 4294967295.0);
  Value keep = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::uge, word,
                                     philox.constant(threshold, word));
  results = {{p.select(keep, p.mul(x, p.constant(1.0 / (1.0 - probability), x)), p.constant(0.0, x))}};
}

} // namespace kowari::flow
