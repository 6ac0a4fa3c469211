//===- CaseList.cpp - the cases of a folder -------------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "frontend/refcheck/CaseList.h"

#include "frontend/refcheck/DataCheck.h"
#include "frontend/refcheck/ModelCheck.h"
#include "frontend/refcheck/PreparationCheck.h"
#include "frontend/refcheck/SplineCheck.h"
#include "runtime/data/Hdf5File.h"

#include <filesystem>
#include <fnmatch.h>
#include <optional>

namespace fs = std::filesystem;

namespace kowari::refcheck {

/// What a file is, by name or, for models, by content; no value for other HDF5 files.
static std::optional<CaseKind> kindOf(const std::string &name, const std::string &path) {
  if (name.starts_with("preprocessing_"))
    return CaseKind::Preprocessing;
  if (name == "detectors")
    return CaseKind::Detectors;
  if (name == "priors")
    return CaseKind::Priors;
  if (name == "split")
    return CaseKind::Split;
  if (name == "spline")
    return CaseKind::Spline;
  if (name == "optimizers_schedulers")
    return CaseKind::Schedulers;
  const Result<data::Hdf5File> file = data::Hdf5File::open(path);
  // A file that cannot be opened is kept, so that its check says why.
  if (!file || (file->hasAttribute("/", "settings") && file->has("parameters") && file->has("inputs")))
    return CaseKind::Model;
  return std::nullopt;
}

Result<std::vector<CaseFile>> findCases(const std::string &folder, const std::string &glob) {
  std::error_code code;
  std::vector<CaseFile> files;
  for (const fs::directory_entry &entry : fs::directory_iterator(folder, code)) {
    const fs::path &path = entry.path();
    const std::string name = path.stem().string();
    if (path.extension() != ".hdf5" || ::fnmatch(glob.c_str(), name.c_str(), 0) != 0)
      continue;
    if (const std::optional<CaseKind> kind = kindOf(name, path.string()))
      files.push_back({name, path.string(), *kind});
  }
  if (code)
    return Status::error(folder + ": cannot be read: " + code.message());
  if (files.empty())
    return Status::error(
        folder + ": holds no case" + (glob == "*" ? "" : " that fits --only " + glob) +
        "; a case is a model's .hdf5 file, preprocessing_*.hdf5, detectors.hdf5, priors.hdf5 "
        "or split.hdf5 (docs/reference-check.md)");
  std::sort(files.begin(), files.end(), [](const CaseFile &a, const CaseFile &b) { return a.name < b.name; });
  return files;
}

static Result<CaseResult> skip(const std::string &reason) {
  CaseResult result;
  result.skipped = reason;
  return result;
}

Result<CaseResult> checkCase(const Compiler &compiler, const CaseFile &file) {
  switch (file.kind) {
  case CaseKind::Model:
    return checkModel(compiler, file.path);
  case CaseKind::Preprocessing:
    return checkPreparation(compiler, file.path);
  case CaseKind::Detectors:
    return checkDetectors(file.path);
  case CaseKind::Priors:
    return checkPriors(file.path);
  case CaseKind::Split:
    return checkSplit(file.path);
  case CaseKind::Spline:
    return checkSpline(compiler, file.path);
  case CaseKind::Schedulers:
    return skip("learning rates are compared in tests/unit/train (LearningRateTest)");
  }
  return skip("unknown kind of case");
}

} // namespace kowari::refcheck
