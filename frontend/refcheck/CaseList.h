//===- CaseList.h - the cases of a folder -----------------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "frontend/refcheck/CompileCase.h"
#include "frontend/refcheck/Measures.h"

#include <string>
#include <vector>

namespace kowari::refcheck {

enum class CaseKind { Model, Preprocessing, Detectors, Priors, Split, Spline, Schedulers };

struct CaseFile {
  std::string name, path; // the file's name without .hdf5
  CaseKind kind = CaseKind::Model;
};

/// The files of `folder` (not of folders in it) that are cases and fit `glob`, by name. Error if there are
/// none, so that a wrong folder does not pass.
Result<std::vector<CaseFile>> findCases(const std::string &folder, const std::string &glob);

/// An error: the case could not be compared, which counts as failed.
Result<CaseResult> checkCase(const Compiler &compiler, const CaseFile &file);

} // namespace kowari::refcheck
