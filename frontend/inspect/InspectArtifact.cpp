//===- InspectArtifact.cpp - kowari inspect artifact.kwa ------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "frontend/inspect/InspectArtifact.h"

#include "frontend/inspect/ArtifactReport.h"
#include "frontend/inspect/Difference.h"
#include "frontend/inspect/MemoryReport.h"
#include "frontend/inspect/PlanMlir.h"
#include "frontend/inspect/Roofline.h"

#include <cerrno>
#include <cstring>
#include <fstream>

namespace kowari::inspect {
namespace {

using plan::ArtifactFile;
namespace fb = plan::fb;

Status checkOptions(const InspectOptions &options, const fb::Manifest &manifest) {
  if (options.mlir && !options.plan)
    return Status::error("--mlir is a form of the plan: give --plan --mlir");
  if (options.mlir && (options.json || options.memory || options.kernels || options.tensors ||
                       !options.roofline.empty() || !options.diff.empty()))
    return Status::error(
        "--plan --mlir writes IR and nothing else: ask for the other sections in a second call");
  if (!options.roofline.empty() && !findDevice(options.roofline))
    return Status::error("--roofline " + options.roofline + " is no device of the table; known are " +
                         deviceNames());
  if (options.rows < 0 || options.rows > manifest.max_rows())
    return Status::error("--rows " + std::to_string(options.rows) + " is not between 1 and the " +
                         std::to_string(manifest.max_rows()) + " rows that were compiled");
  if (options.entry.empty())
    return Status::ok();
  std::string names;
  for (const fb::Entry *entry : *manifest.entries()) {
    if (entry->name()->string_view() == options.entry)
      return Status::ok();
    names += (names.empty() ? "" : ", ") + entry->name()->str();
  }
  return Status::error("--entry " + options.entry + " is not in the artifact; it has " + names);
}

Status writePicture(const std::string &path, const MemoryReport &memory) {
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  file << memorySvg(memory);
  file.close();
  if (file)
    return Status::ok();
  return Status::error("cannot write the picture " + path + ": " + std::strerror(errno ? errno : EIO));
}

/// Sections in their order, each as text and as a value; only the form asked for is made.
class Report {
public:
  Report(const ArtifactFile &artifact, const InspectOptions &inspectOptions)
      : file(artifact), manifest(artifact.manifest()), options(inspectOptions) {}

  Status write(std::ostream &out) {
    if (options.json)
      dict = summaryValue(file).asDict();
    else
      text = summaryText(file);
    if (options.tensors)
      add(
          "tensor_list", [&] { return tensorsText(manifest, options.entry); },
          [&] { return tensorsValue(manifest, options.entry); });
    if (options.kernels)
      add("kernel_list", [&] { return kernelsText(manifest); }, [&] { return kernelsValue(manifest); });
    if (options.plan)
      add(
          "plan", [&] { return planText(manifest, options.entry); },
          [&] { return planValue(manifest, options.entry); });
    KOWARI_TRY(addMemory());
    if (!options.roofline.empty())
      addRoofline();
    if (!options.diff.empty())
      KOWARI_TRY(addDifference());
    out << (options.json ? Value(std::move(dict)).toJson(2) + "\n" : text);
    return Status::ok();
  }

private:
  template <class Text, class Make> void add(const char *key, Text &&toText, Make &&toValue) {
    if (options.json)
      dict[key] = toValue();
    else
      text += "\n" + toText();
  }

  Status addMemory() {
    if (!options.memory && options.svg.empty())
      return Status::ok();
    const MemoryReport memory = reportMemory(manifest, options.entry);
    if (options.memory)
      add("memory", [&] { return memoryText(memory); }, [&] { return memoryValue(memory); });
    return options.svg.empty() ? Status::ok() : writePicture(options.svg, memory);
  }

  void addRoofline() {
    const RooflineReport report =
        predict(manifest, *findDevice(options.roofline),
                options.rows > 0 ? options.rows : manifest.max_rows(), options.entry);
    add("roofline", [&] { return rooflineText(report); }, [&] { return rooflineValue(report); });
  }

  Status addDifference() {
    KOWARI_ASSIGN(const ArtifactFile other, ArtifactFile::open(options.diff));
    const Difference difference = compare(other, file);
    add(
        "difference", [&] { return differenceText(difference, other.path(), file.path()); },
        [&] { return differenceValue(difference, other.path(), file.path()); });
    return Status::ok();
  }

  const ArtifactFile &file;
  const fb::Manifest &manifest;
  const InspectOptions &options;
  std::string text;
  ValueDict dict;
};

} // namespace

Status inspectArtifact(const std::string &path, const InspectOptions &options, std::ostream &out) {
  KOWARI_ASSIGN(const ArtifactFile file, ArtifactFile::open(path));
  KOWARI_TRY(checkOptions(options, file.manifest()).withContext(path));
  if (!options.mlir)
    return Report(file, options).write(out);
  out << planMlir(file.manifest(), options.entry);
  if (!options.svg.empty())
    return writePicture(options.svg, reportMemory(file.manifest(), options.entry));
  return Status::ok();
}

} // namespace kowari::inspect
