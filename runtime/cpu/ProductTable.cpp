//===- ProductTable.cpp - which library for which product -------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/cpu/ProductForm.h"

namespace kowari::cpu {

ProductLibrary chooseLibrary(const ProductSpec &spec) {
  if (spec.library != ProductLibrary::Auto)
    return spec.library;
  if (spec.element == Element::F64)
    return ProductLibrary::OpenBlas;
  return ProductLibrary::OneDnn;
}

} // namespace kowari::cpu
