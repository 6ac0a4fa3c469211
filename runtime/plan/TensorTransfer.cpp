//===- TensorTransfer.cpp - dense host values <-> arena views ---*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/plan/TensorTransfer.h"

#include <type_traits>
#include <utility>

namespace kowari::plan {
namespace {

/// Calls action(Element{}) for the C++ type of `dtype`.
template <class Action> auto withElement(DType dtype, const Action &action) {
  switch (dtype) {
  case DType::F32:
    return action(float{});
  case DType::F64:
    return action(double{});
  case DType::I32:
    return action(int32_t{});
  case DType::I64:
    break;
  }
  return action(int64_t{});
}

template <class T, class Element> Status checkKinds(const View &view) {
  if (std::is_floating_point_v<T> == std::is_floating_point_v<Element>)
    return Status::ok();
  return Status::error(std::string("its elements are ") + dtypeName(view.dtype) + ", which takes " +
                       (std::is_floating_point_v<Element> ? "floating-point" : "integer") + " values");
}

Status checkCount(const View &view, size_t count) {
  if (int64_t(count) == view.dim0 * view.dim1)
    return Status::ok();
  return Status::error("it has " + std::to_string(view.dim0) + " x " + std::to_string(view.dim1) + " = " +
                       std::to_string(view.dim0 * view.dim1) + " elements, not " + std::to_string(count));
}

template <class T, class Element>
Status storeAs(const View &view, Element *target, std::span<const T> values) {
  const T *source = values.data();
  for (int64_t i = 0; i < view.dim0; ++i) {
    Element *line = target + i * view.stride0;
    for (int64_t j = 0; j < view.dim1; ++j, ++source) {
      if constexpr (std::is_integral_v<T>)
        if (!std::in_range<Element>(*source))
          return Status::error("the value " + std::to_string(*source) + " does not fit in " +
                               dtypeName(view.dtype));
      line[j * view.stride1] = static_cast<Element>(*source);
    }
  }
  return Status::ok();
}

template <class T, class Element> void loadAs(const View &view, const Element *source, std::span<T> values) {
  T *target = values.data();
  for (int64_t i = 0; i < view.dim0; ++i) {
    const Element *line = source + i * view.stride0;
    for (int64_t j = 0; j < view.dim1; ++j)
      *target++ = static_cast<T>(line[j * view.stride1]);
  }
}

} // namespace

const char *dtypeName(DType dtype) {
  switch (dtype) {
  case DType::F32:
    return "F32";
  case DType::F64:
    return "F64";
  case DType::I64:
    return "I64";
  case DType::I32:
    return "I32";
  }
  return "unknown";
}

template <class T> Status storeDense(const View &view, char *address, std::span<const T> values) {
  KOWARI_TRY(checkCount(view, values.size()));
  return withElement(view.dtype, [&](auto element) -> Status {
    using Element = decltype(element);
    KOWARI_TRY((checkKinds<T, Element>(view)));
    if constexpr (std::is_floating_point_v<T> == std::is_floating_point_v<Element>)
      return storeAs<T, Element>(view, reinterpret_cast<Element *>(address), values);
    return Status::ok();
  });
}

template <class T> Status loadDense(const View &view, const char *address, std::span<T> values) {
  KOWARI_TRY(checkCount(view, values.size()));
  return withElement(view.dtype, [&](auto element) -> Status {
    using Element = decltype(element);
    KOWARI_TRY((checkKinds<T, Element>(view)));
    loadAs<T, Element>(view, reinterpret_cast<const Element *>(address), values);
    return Status::ok();
  });
}

template Status storeDense<float>(const View &, char *, std::span<const float>);
template Status storeDense<double>(const View &, char *, std::span<const double>);
template Status storeDense<int64_t>(const View &, char *, std::span<const int64_t>);
template Status loadDense<float>(const View &, const char *, std::span<float>);
template Status loadDense<double>(const View &, const char *, std::span<double>);
template Status loadDense<int64_t>(const View &, const char *, std::span<int64_t>);

} // namespace kowari::plan
