//===- Status.h - errors as values ------------------------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Status says whether something worked and, if not, why, in words meant for the user. Result<T> is a value or
// such a Status. Callers add context on the way up (`status.withContext("reading " + path)`); only main()
// prints. A bug is an assert, never a Status.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace kowari {

class [[nodiscard]] Status {
public:
  static Status ok() { return Status(); }
  /// `message` must not be empty: it is one sentence that names file, line or data set and says what to do.
  static Status error(std::string message) {
    Status s;
    s.text = std::move(message);
    s.failed = true;
    return s;
  }
  bool isOk() const { return !failed; }
  explicit operator bool() const { return isOk(); }
  const std::string &message() const { return text; }
  /// Puts `context: ` in front of the message of an error; leaves success as it is.
  Status withContext(const std::string &context) && {
    if (failed)
      text = context + ": " + text;
    return std::move(*this);
  }

private:
  Status() = default;
  std::string text;
  bool failed = false;
};

template <class T> class [[nodiscard]] Result {
public:
  Result(T value) : content(std::move(value)) {}
  Result(Status status) : content(std::move(status)) { assert(!std::get<1>(content).isOk()); }
  bool isOk() const { return content.index() == 0; }
  explicit operator bool() const { return isOk(); }
  T &operator*() { return std::get<0>(content); }
  const T &operator*() const { return std::get<0>(content); }
  T *operator->() { return &std::get<0>(content); }
  const T *operator->() const { return &std::get<0>(content); }
  /// The error; success if there is a value.
  Status status() const { return isOk() ? Status::ok() : std::get<1>(content); }
  T take() { return std::move(std::get<0>(content)); }

private:
  std::variant<T, Status> content;
};

} // namespace kowari

#define KOWARI_CONCAT_INNER(a, b) a##b
#define KOWARI_CONCAT(a, b) KOWARI_CONCAT_INNER(a, b)

/// Returns the Status of `expression` from the calling function when it is an error.
#define KOWARI_TRY(expression)                                                                               \
  do {                                                                                                       \
    ::kowari::Status kowariStatus = (expression);                                                            \
    if (!kowariStatus.isOk())                                                                                \
      return kowariStatus;                                                                                   \
  } while (false)

/// Defines `lhs` from a Result, or returns its error from the calling function.
#define KOWARI_ASSIGN(lhs, expression)                                                                       \
  KOWARI_ASSIGN_IMPL(KOWARI_CONCAT(kowariResult, __LINE__), lhs, expression)
#define KOWARI_ASSIGN_IMPL(result, lhs, expression)                                                          \
  auto result = (expression);                                                                                \
  if (!result.isOk())                                                                                        \
    return result.status();                                                                                  \
  lhs = result.take()
