//===- MatrixProduct.cpp - c (+)= a b (+ bias) on the CPU -------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/cpu/MatrixProduct.h"

#include "runtime/cpu/ProductForm.h"

namespace kowari::cpu {
namespace {

/// A product over no terms: c is bias, zero, or what it was.
class EmptyProduct final : public MatrixProduct {
public:
  EmptyProduct(const ProductSpec &spec, int threads) : spec(spec), threads(threads) {}
  Status run(const void *, const void *, void *c, const void *bias) override {
    startResult(spec, c, bias, threads);
    return Status::ok();
  }
  const char *libraryName() const override { return "none"; }

private:
  ProductSpec spec;
  int threads;
};

} // namespace

Result<std::unique_ptr<MatrixProduct>> makeProduct(const ProductSpec &spec, int threads) {
  KOWARI_TRY(checkProductSpec(spec));
  if (spec.m == 0 || spec.n == 0 || spec.k == 0)
    return std::unique_ptr<MatrixProduct>(std::make_unique<EmptyProduct>(spec, threads));
  if (chooseLibrary(spec) == ProductLibrary::OneDnn)
    return makeOneDnnProduct(spec, threads);
  return makeOpenBlasProduct(spec, threads);
}

Result<MatrixProduct *> ProductCache::get(const ProductSpec &spec) {
  auto found = products.find(spec);
  if (found == products.end()) {
    KOWARI_ASSIGN(std::unique_ptr<MatrixProduct> product, makeProduct(spec, threads));
    found = products.emplace(spec, std::move(product)).first;
  }
  return found->second.get();
}

} // namespace kowari::cpu
