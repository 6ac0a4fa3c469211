//===- PickleTest.cpp -------------------------------------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/train/Pickle.h"

#include "runtime/train/PickleConversion.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <random>

using namespace kowari;
using namespace kowari::train;
using testing::HasSubstr;

namespace {

template <size_t n> std::string bytes(const char (&text)[n]) { return std::string(text, n - 1); }

std::string errorOf(const std::string &pickle, const PickleLimits &limits = {}) {
  Result<PickleValue> value = readPickle(pickle, limits);
  return value.isOk() ? "" : value.status().message();
}

PickleTensor tensorOf(std::vector<int64_t> shape, std::vector<int64_t> strides, int64_t elements) {
  PickleTensor tensor;
  tensor.type = ScalarType::Int64;
  tensor.shape = std::move(shape);
  tensor.strides = std::move(strides);
  tensor.storageKey = "12";
  tensor.storageElements = elements;
  return tensor;
}

TEST(Pickle, ReadsProtocol2AsPythonWritesIt) {
  // pickle.dumps({'a': [1, -2, 300, 70000, 1.5, True, False, None], 'b': (1, 2), 'c': ()}, protocol=2)
  Result<PickleValue> value = readPickle(bytes("\x80\x02}q\x00(X\x01\x00\x00\x00\x61q\x01]q\x02("
                                               "K\x01J\xfe\xff\xff\xffM,\x01Jp\x11\x01\x00G?\xf8\x00\x00"
                                               "\x00\x00\x00\x00\x88\x89NeX\x01\x00\x00\x00\x62q\x03K\x01K"
                                               "\x02\x86q\x04X\x01\x00\x00\x00\x63q\x05)u."));
  ASSERT_TRUE(value.isOk()) << value.status().message();
  Value converted = toValue(*value, "x").take();
  EXPECT_EQ(converted.toPythonLiteral(),
            "{'a': [1, -2, 300, 70000, 1.5, True, False, None], 'b': [1, 2], 'c': []}");
  EXPECT_EQ(value->find("b")->kind(), PickleValue::Kind::Tuple);
}

TEST(Pickle, ReadsProtocol4) {
  // pickle.dumps({'k': ['v', 'v', 2**40, -1]}, protocol=4): frames, short strings, MEMOIZE, LONG1
  Result<PickleValue> value = readPickle(
      bytes("\x80\x04\x95\x1f\x00\x00\x00\x00\x00\x00\x00}\x94\x8c\x01k\x94]\x94(\x8c\x01v\x94h\x03"
            "\x8a\x06\x00\x00\x00\x00\x00\x01J\xff\xff\xff\xff\x65s."));
  ASSERT_TRUE(value.isOk()) << value.status().message();
  EXPECT_EQ(toValue(*value, "x").take().toPythonLiteral(), "{'k': ['v', 'v', 1099511627776, -1]}");
}

TEST(Pickle, ContainersAreFilledAfterTheyAreShared) {
  // [d, d] with d = {1: 2}: the dict is memoized empty, filled later and reached twice.
  Result<PickleValue> value = readPickle(bytes("\x80\x02]q\x00(}q\x01K\x01K\x02sh\x01\x65."));
  ASSERT_TRUE(value.isOk()) << value.status().message();
  ASSERT_EQ(value->items().size(), 2u);
  for (const PickleValue &dict : value->items()) {
    ASSERT_EQ(dict.entries().size(), 1u);
    EXPECT_EQ(dict.entries()[0].value.asInt(), 2);
  }
}

TEST(Pickle, LaterValueOfAKeyCounts) {
  Result<PickleValue> value = readPickle(bytes("\x80\x02}(K\x01K\x02K\x01K\x03u."));
  ASSERT_TRUE(value.isOk());
  ASSERT_EQ(value->entries().size(), 1u);
  EXPECT_EQ(value->entries()[0].value.asInt(), 3);
}

TEST(Pickle, WritesWhatItReads) {
  PickleValue dict = PickleValue::dict();
  dict.set("none", PickleValue());
  dict.set("numbers",
           PickleValue::list({0, 255, 256, -1, int64_t(1) << 40, std::numeric_limits<int64_t>::min(), 0.1,
                              std::numeric_limits<double>::infinity(), -0.0}));
  dict.set("tuple", PickleValue::tuple({true, "text", PickleValue::tuple(), PickleValue::list()}));
  dict.entries().push_back({7, PickleValue(tensorOf({2, 3}, {3, 1}, 6))});
  PickleValue ordered = PickleValue::orderedDict();
  for (int i = 0; i < 300; ++i) // more memo entries than one byte counts
    ordered.set("key" + std::to_string(i), "value" + std::to_string(i));
  dict.set("ordered", ordered);
  dict.set("again", ordered);

  Result<PickleValue> read = readPickle(writePickle(dict));
  ASSERT_TRUE(read.isOk()) << read.status().message();
  const PickleTensor &tensor = read->entries()[3].value.asTensor();
  EXPECT_EQ(tensor.shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(tensor.strides, (std::vector<int64_t>{3, 1}));
  EXPECT_EQ(tensor.type, ScalarType::Int64);
  EXPECT_EQ(tensor.storageKey, "12");
  EXPECT_TRUE(read->find("ordered")->isOrderedDict());
  EXPECT_TRUE(std::signbit(read->find("numbers")->items()[8].asDouble()));
  EXPECT_EQ(read->find("tuple")->kind(), PickleValue::Kind::Tuple);
  read->entries().erase(read->entries().begin() + 3);
  dict.entries().erase(dict.entries().begin() + 3);
  EXPECT_EQ(toValue(*read, "x").take(), toValue(dict, "x").take());
}

TEST(Pickle, OtherFunctionsAreRefusedByName) {
  EXPECT_THAT(
      errorOf(bytes("\x80\x02"
                    "cos\nsystem\n(X\x02\x00\x00\x00lstR.")),
      testing::AllOf(HasSubstr("\"os system\""), HasSubstr("nothing was executed"), HasSubstr("byte 2")));
  EXPECT_THAT(errorOf(bytes("\x80\x04\x8c\x08"
                            "builtins\x8c\x04"
                            "eval\x93.")),
              HasSubstr("\"builtins eval\""));
}

TEST(Pickle, DamageIsNamed) {
  EXPECT_THAT(errorOf(""), HasSubstr("ends in the middle"));
  EXPECT_THAT(errorOf(bytes("\x80\x02.")), HasSubstr("empty stack"));
  EXPECT_THAT(errorOf(bytes("\x80\x02X\xff\xff\xff\xff"
                            "a.")),
              HasSubstr("ends in the middle"));
  EXPECT_THAT(errorOf(bytes("\x80\x02h\x05.")), HasSubstr("never stored"));
  EXPECT_THAT(errorOf(bytes("\x80\x02K\x01t.")), HasSubstr("mark is missing"));
  EXPECT_THAT(errorOf(bytes("\x80\x02K\x01K\x02"
                            "a.")),
              HasSubstr("no list"));
  EXPECT_THAT(errorOf(bytes("\x80\x02i.")), HasSubstr("0x69"));
  EXPECT_THAT(errorOf(bytes("\x80\x02\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\x01.")), HasSubstr("64 bits"));
  EXPECT_THAT(errorOf(bytes("\x80\x09N.")), HasSubstr("protocol 9"));
}

TEST(Pickle, ValuesThatContainThemselvesAndDeepOnesAreErrors) {
  EXPECT_THAT(errorOf(bytes("\x80\x02]q\x00h\x00\x61.")), HasSubstr("contains itself"));
  std::string deep = "\x80\x02" + std::string(1000, ']') + std::string(999, 'a') + ".";
  EXPECT_THAT(errorOf(deep), HasSubstr("nested deeper than 128"));
}

TEST(Pickle, SharingCannotBlowUp) {
  // Each list holds the one before twice: 2^40 values in 200 bytes.
  std::string pickle = bytes("\x80\x02]q\x00");
  for (char i = 0; i < 40; ++i)
    pickle += std::string("](h") + i + "h" + i + "eq" + static_cast<char>(i + 1);
  PickleLimits limits;
  limits.values = 100000;
  EXPECT_THAT(errorOf(pickle + ".", limits), HasSubstr("more than 100000 values"));
}

TEST(Pickle, TensorsMustFitTheirStorage) {
  EXPECT_EQ(errorOf(writePickle(tensorOf({2, 3}, {3, 1}, 6))), "");
  EXPECT_EQ(errorOf(writePickle(tensorOf({0, 3}, {3, 1}, 0))), "");
  EXPECT_THAT(errorOf(writePickle(tensorOf({2, 3}, {3, 1}, 5))), HasSubstr("(2, 3) does not fit"));
  EXPECT_THAT(errorOf(writePickle(tensorOf({-2, 3}, {3, 1}, 6))), HasSubstr("does not fit"));
  EXPECT_THAT(errorOf(writePickle(tensorOf({2, 3}, {-3, 1}, 6))), HasSubstr("does not fit"));
  EXPECT_THAT(errorOf(writePickle(tensorOf({int64_t(1) << 40, int64_t(1) << 40}, {0, 0}, 6))),
              HasSubstr("does not fit"));
  PickleTensor shifted = tensorOf({2}, {1}, 6);
  shifted.storageOffset = 5;
  EXPECT_THAT(errorOf(writePickle(shifted)), HasSubstr("does not fit"));
}

TEST(Pickle, AnyDamageGivesAValueOrAnError) {
  PickleValue dict = PickleValue::orderedDict();
  dict.set("tensor", PickleValue(tensorOf({2, 3}, {3, 1}, 6)));
  dict.set("list", PickleValue::list({1, 2.5, "text", PickleValue::tuple({1, 2}), PickleValue::dict()}));
  const std::string good = writePickle(dict);
  std::mt19937 random(7);
  PickleLimits limits;
  limits.values = 10000;
  int errors = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string bad = good;
    for (unsigned change = 0; change <= random() % 4; ++change)
      bad[random() % bad.size()] = static_cast<char>(random());
    if (random() % 4 == 0)
      bad.resize(random() % bad.size());
    errors += readPickle(bad, limits).isOk() ? 0 : 1;
  }
  EXPECT_GT(errors, 10000);
}

TEST(PickleConversion, SaysWhereAValueDoesNotFit) {
  PickleValue dict = PickleValue::dict();
  dict.set("list", PickleValue::list({1, PickleValue(tensorOf({}, {}, 1))}));
  EXPECT_THAT(toValue(dict, "metadata").status().message(), HasSubstr("metadata.list[1] is a tensor"));
  dict = PickleValue::dict();
  dict.entries().push_back({1, 2});
  EXPECT_THAT(toValue(dict, "metadata").status().message(), HasSubstr("metadata has a key that is no text"));
}

} // namespace
