//===- Hdf5Handle.h - owned identifiers of the HDF5 library -----*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// Internal to Hdf5File.cpp and Hdf5Write.cpp.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <hdf5.h>

#include <string>
#include <utility>

namespace kowari::data::hdf5 {

/// An identifier and the function that closes it.
class Handle {
public:
  Handle() = default;
  Handle(hid_t identifier, herr_t (*close)(hid_t)) : id(identifier), closer(close) {}
  Handle(Handle &&other) noexcept : id(std::exchange(other.id, -1)), closer(other.closer) {}
  Handle &operator=(Handle &&other) noexcept {
    std::swap(id, other.id);
    std::swap(closer, other.closer);
    return *this;
  }
  ~Handle() {
    if (id >= 0)
      closer(id);
  }
  operator hid_t() const { return id; }
  bool valid() const { return id >= 0; }

private:
  hid_t id = -1;
  herr_t (*closer)(hid_t) = nullptr;
};

/// Keeps the library from printing its error stack on this thread; cheap, called before every use.
void silence();
/// The innermost description on this thread's error stack: what went wrong, in the library's words.
std::string lastError();
/// In-memory type of complex numbers of the given width (8 or 16 bytes): the compound (r, i).
Handle complexType(size_t bytes);
/// Variable-length UTF-8 text.
Handle textType();

} // namespace kowari::data::hdf5
