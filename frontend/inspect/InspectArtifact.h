//===- InspectArtifact.h - kowari inspect artifact.kwa ----------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Status.h"

#include <cstdint>
#include <ostream>
#include <string>

namespace kowari::inspect {

/// What follows the summary. docs/inspect.md shows each.
struct InspectOptions {
  bool plan = false;    // steps with operands
  bool mlir = false;    // with `plan`: as a module of the plan dialect, and nothing else
  bool memory = false;  // peak, what holds it, timeline
  bool kernels = false; // symbols, where they are used
  bool tensors = false; // persistent ones, inputs and outputs
  bool json = false;    // one JSON object
  std::string svg;      // file that gets the picture of the memory; empty: none
  std::string roofline; // device to predict the time on; empty: none
  std::string diff;     // artifact to compare with: from it to this one; empty: none
  std::string entry;    // only this entry in the sections above; empty: all
  int64_t rows = 0;     // of the prediction; 0: as many as were compiled
};

/// Reads the artifact at `path` and writes the report. Nothing is run, so any machine can inspect any
/// artifact. Errors: unreadable or damaged artifacts, options that do not fit together, unknown device or
/// entry (the message lists the known ones), rows beyond the compiled ones, an unwritable picture.
Status inspectArtifact(const std::string &path, const InspectOptions &options, std::ostream &out);

} // namespace kowari::inspect
