//===- MatrixProduct.h - c (+)= a b (+ bias) on the CPU ---------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// A product is prepared once for its shape and strides and then run on any addresses. Float32 goes to oneDNN
// or OpenBLAS by a static table (ProductTable.cpp), float64 to OpenBLAS. The same spec always takes the same
// library.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Status.h"

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace kowari::cpu {

enum class Element : uint8_t { F32, F64 };
enum class ProductLibrary : uint8_t { Auto, OneDnn, OpenBlas };

/// Shapes and strides (in elements) of a product: a is m x k, b is k x n, c is m x n. One stride of each
/// matrix must be 1 (unless its dimension is 1) and the other at least as large as the extent it steps over.
struct ProductSpec {
  Element element = Element::F32;
  int64_t m = 0, n = 0, k = 0;
  int64_t aStride0 = 0, aStride1 = 0;
  int64_t bStride0 = 0, bStride1 = 0;
  int64_t cStride0 = 0, cStride1 = 0;
  bool accumulate = false; // c += instead of c =
  bool bias = false;       // n values, added to every row
  ProductLibrary library = ProductLibrary::Auto;

  auto operator<=>(const ProductSpec &) const = default;
};

/// "f32 64x128x64 a(64,1) b(1,64) c(128,1) bias": for messages.
std::string describe(const ProductSpec &spec);

/// Whether the dimensions and strides are ones that a product can have; the error names the operand.
Status checkProductSpec(const ProductSpec &spec);

/// The library that a spec takes: its own choice, or the table's where it says Auto. With k = 0, m = 0 or n =
/// 0 no library is called.
ProductLibrary chooseLibrary(const ProductSpec &spec);

/// A product ready to run. Not thread-safe: one run at a time, since library objects hold the current
/// addresses.
class MatrixProduct {
public:
  virtual ~MatrixProduct() = default;
  /// c (+)= a b (+ bias); `bias` may be null if the spec has none. Uses the pool's current thread count.
  virtual Status run(const void *a, const void *b, void *c, const void *bias) = 0;
  /// "oneDNN", "OpenBLAS", or "none" where the product is empty.
  virtual const char *libraryName() const = 0;
};

/// Prepares one product for `threads` threads.
Result<std::unique_ptr<MatrixProduct>> makeProduct(const ProductSpec &spec, int threads);

/// Prepared products by spec. Making one costs 0.3 to 6 ms; a network needs few distinct ones.
class ProductCache {
public:
  explicit ProductCache(int threads) : threads(threads) {}
  /// The product of `spec`, made on first request; it lives as long as the cache.
  Result<MatrixProduct *> get(const ProductSpec &spec);
  size_t size() const { return products.size(); }

private:
  int threads;
  std::map<ProductSpec, std::unique_ptr<MatrixProduct>> products;
};

} // namespace kowari::cpu
