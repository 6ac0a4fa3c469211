//===- StepCheckTest.cpp - how far a compiled step may be off -------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Modules that the fuzzer once failed on, and neighbors of theirs, go through the whole check.
//
//===----------------------------------------------------------------------===//
#include "compiler/Passes.h"
#include "compiler/fuzz/CaseCheck.h"

#include "mlir/Transforms/Passes.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <unistd.h>

namespace kowari::fuzz {
namespace {

/// A product, with a bias or without, and `biases` more of them in a row, read by `last`.
std::string chainOfBiases(bool withBias, int biases, const std::string &last, const std::string &element) {
  const std::string matrix = "tensor<?x2x" + element + ">", vector = "tensor<2x" + element + ">";
  std::string arguments = "%x: tensor<?x3x" + element + "> {flow.batch = \"x\"}, %w: tensor<2x3x" + element +
                          "> {flow.parameter = \"w\"}, %c: " + vector + " {flow.parameter = \"c\"}";
  std::string body = "  %v0 = flow.linear ins(%x : tensor<?x3x" + element + ">) weight(%w : tensor<2x3x" +
                     element + ">)" + (withBias ? " bias(%c : " + vector + ")" : "") + " -> " + matrix + "\n";
  for (int i = 1; i <= biases; ++i) {
    const std::string number = std::to_string(i);
    arguments += ", %b" + number + ": " + vector + " {flow.parameter = \"b" + number + "\"}";
    body += "  %v" + number + " = flow.add_bias %v" + std::to_string(i - 1) + ", %b" + number + " : (" +
            matrix + ", " + vector + ") -> " + matrix + "\n";
  }
  const std::string type = last == "sum_rows"        ? vector
                           : last == "base_log_prob" ? "tensor<?x" + element + ">"
                                                     : matrix;
  return "module {\nfunc.func @function(" + arguments + ") -> (" + type +
         " {flow.output = \"y\"}) attributes {flow.max_rows = 9 : i64} {\n" + body + "  %y = flow." + last +
         " %v" + std::to_string(biases) + " : (" + matrix + ") -> " + type + "\n  return %y : " + type +
         "\n}\n}\n";
}

TEST(WholeCheck, ChainsOfBiases) {
  registerKowariPasses();
  mlir::registerTransformsPasses();
  CheckOptions options;
  options.scratchFolder = ::testing::TempDir() + "kowari-step-check-" + std::to_string(::getpid());
  std::filesystem::create_directories(options.scratchFolder);
  for (const char *last : {"sum_rows", "negate", "base_log_prob"})
    for (int biases : {0, 1, 2, 3})
      for (bool withBias : {false, true}) {
        const std::string module = chainOfBiases(withBias, biases, last, biases % 2 ? "f32" : "f64");
        EXPECT_EQ(checkCase(FuzzCase(module), options).value_or("agrees"), "agrees") << module;
      }
  std::filesystem::remove_all(options.scratchFolder);
}

} // namespace
} // namespace kowari::fuzz
