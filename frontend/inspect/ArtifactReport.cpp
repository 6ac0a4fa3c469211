//===- ArtifactReport.cpp - what is in an artifact ------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "frontend/inspect/ArtifactReport.h"

#include "frontend/inspect/StepAccess.h"
#include "frontend/settings/ProgramSpec.h"

#include <cstdio>
#include <cstring>

namespace kowari::inspect {
namespace {

namespace fb = plan::fb;

std::string line(const std::string &name, const std::string &value) {
  return "  " + name + std::string(name.size() < 14 ? 14 - name.size() : 1, ' ') + value + "\n";
}

std::string shapeText(const flatbuffers::Vector<int64_t> &shape) {
  std::string text;
  for (int64_t dim : shape)
    text += (text.empty() ? "" : ", ") + dimText(dim);
  return "(" + text + ")";
}

std::string countsText(const EntryCounts &counts) {
  std::string text = std::to_string(counts.steps) + " steps: " + std::to_string(counts.kernels) +
                     " kernels, " + std::to_string(counts.gemms) + " gemms";
  for (const auto &[kind, count] : counts.others)
    text += ", " + std::to_string(count) + " " + kind;
  return text;
}

Value countsValue(const EntryCounts &counts) {
  ValueDict dict = {{"steps", counts.steps}, {"kernels", counts.kernels}, {"gemms", counts.gemms}};
  for (const auto &[kind, count] : counts.others)
    dict[kind] = count;
  return dict;
}

ValueList featureList(const fb::Manifest &manifest) {
  ValueList list;
  for (const auto *feature : *manifest.cpu_features())
    list.emplace_back(feature->str());
  return list;
}

Value viewValue(const fb::View &view) {
  return ValueDict{{"offset", view.offset()},
                   {"dims", ValueList{view.dim0(), view.dim1()}},
                   {"strides", ValueList{view.stride0(), view.stride1()}},
                   {"type", typeName(view.dtype())}};
}

Value tensorValue(const fb::Tensor &tensor) {
  ValueList shape;
  for (int64_t dim : *tensor.shape())
    shape.emplace_back(dim);
  return ValueDict{{"kind", fb::EnumNameTensorKind(tensor.kind())},
                   {"shape", std::move(shape)},
                   {"view", viewValue(*tensor.view())}};
}

bool isChosen(const fb::Entry &entry, const std::string &name) {
  return name.empty() || entry.name()->string_view() == name;
}

} // namespace

int64_t KernelUse::uses() const {
  int64_t count = 0;
  for (const auto &[entry, list] : steps)
    count += int64_t(list.size());
  return count;
}

EntryCounts countSteps(const fb::Entry &entry) {
  EntryCounts counts;
  counts.name = entry.name()->str();
  for (const fb::Step *step : *entry.steps()) {
    ++counts.steps;
    if (step->what_as_KernelStep())
      ++counts.kernels;
    else if (step->what_as_GemmStep())
      ++counts.gemms;
    else
      ++counts.others[kindName(*step)];
  }
  return counts;
}

std::vector<KernelUse> findKernelUses(const fb::Manifest &manifest) {
  std::vector<KernelUse> uses;
  for (const fb::Kernel *kernel : *manifest.kernels()) {
    KernelUse use;
    use.symbol = kernel->symbol()->str();
    use.lanes = fb::EnumNameLanes(kernel->lanes());
    use.chunks = fb::EnumNameChunks(kernel->chunks());
    use.costPerPoint = kernel->cost_per_point();
    use.outputs = kernel->outputs();
    uses.push_back(std::move(use));
  }
  for (const fb::Entry *entry : *manifest.entries())
    for (flatbuffers::uoffset_t i = 0; i < entry->steps()->size(); ++i)
      if (const auto *kernel = entry->steps()->Get(i)->what_as_KernelStep()) {
        auto &steps = uses[kernel->kernel()].steps;
        if (steps.empty() || steps.back().first != entry->name()->str())
          steps.push_back({entry->name()->str(), {}});
        steps.back().second.push_back(i);
      }
  return uses;
}

std::string specText(const std::string &json) {
  const Result<ProgramSpec> parsed = ProgramSpec::fromJson(json);
  if (!parsed)
    return json;
  const ProgramSpec &spec = *parsed;
  std::string text = std::to_string(spec.flow.numFlowSteps) + " flow steps of " +
                     std::to_string(spec.flow.inputDim) + " parameters, hidden " +
                     std::to_string(spec.flow.hiddenDim) + " x " +
                     std::to_string(spec.flow.numTransformBlocks) + " blocks, " +
                     std::to_string(spec.flow.numBins) + " spline bins";
  if (spec.hasEmbedding)
    text += "; embedding of " + std::to_string(spec.embedding.detectors) + " detectors x " +
            std::to_string(spec.embedding.bins) + " bins to " + std::to_string(spec.embedding.outputDim);
  if (spec.contextParameters > 0)
    text += "; " + std::to_string(spec.contextParameters) + " context parameters";
  return text + "; " + std::to_string(spec.stages.size()) + " training stages";
}

std::string summaryText(const plan::ArtifactFile &file) {
  const fb::Manifest &manifest = file.manifest();
  std::string features;
  for (const auto *feature : *manifest.cpu_features())
    features += (features.empty() ? "" : " ") + feature->str();
  std::string text = file.path() + ": artifact of format " + std::to_string(manifest.format_version()) +
                     "\n" + line("network", specText(manifest.spec()->str())) +
                     line("element type", typeName(manifest.element_type())) +
                     line("rows", "up to " + std::to_string(manifest.max_rows())) +
                     line("target", manifest.target()->str()) +
                     line("needs", features.empty() ? "nothing special" : features) +
                     line("compiler", manifest.build_id()->str()) + line("digest", file.digest()) +
                     line("size", bytesText(file.fileBytes()) + ": manifest " +
                                      bytesText(int64_t(file.manifestBytes().size())) + ", code " +
                                      bytesText(int64_t(file.code().size()))) +
                     line("arena", bytesText(manifest.arena_bytes()) + ", of it persistent " +
                                       bytesText(manifest.persistent_bytes())) +
                     line("tensors", std::to_string(manifest.tensors()->size())) +
                     line("kernels", std::to_string(manifest.kernels()->size())) + "  entries\n";
  for (const fb::Entry *entry : *manifest.entries())
    text += "    " + entry->name()->str() + ": " + countsText(countSteps(*entry)) + "\n";
  return text;
}

Value summaryValue(const plan::ArtifactFile &file) {
  const fb::Manifest &manifest = file.manifest();
  ValueDict entries;
  for (const fb::Entry *entry : *manifest.entries())
    entries[entry->name()->str()] = countsValue(countSteps(*entry));
  return ValueDict{{"file", file.path()},
                   {"type", "artifact"},
                   {"format_version", int64_t(manifest.format_version())},
                   {"network", specText(manifest.spec()->str())},
                   {"spec", manifest.spec()->str()},
                   {"element_type", typeName(manifest.element_type())},
                   {"max_rows", manifest.max_rows()},
                   {"target", manifest.target()->str()},
                   {"cpu_features", featureList(manifest)},
                   {"build_id", manifest.build_id()->str()},
                   {"digest", file.digest()},
                   {"file_bytes", file.fileBytes()},
                   {"manifest_bytes", int64_t(file.manifestBytes().size())},
                   {"code_bytes", int64_t(file.code().size())},
                   {"arena_bytes", manifest.arena_bytes()},
                   {"persistent_bytes", manifest.persistent_bytes()},
                   {"tensors", int64_t(manifest.tensors()->size())},
                   {"kernels", int64_t(manifest.kernels()->size())},
                   {"entries", std::move(entries)}};
}

std::string kernelsText(const fb::Manifest &manifest) {
  std::string text = "kernels\n";
  for (const KernelUse &use : findKernelUses(manifest)) {
    char cost[32];
    std::snprintf(cost, sizeof cost, "%g", use.costPerPoint);
    text += "  " + use.symbol + ": " + std::to_string(use.uses()) + " uses, lanes over " + use.lanes +
            ", chunks of " + use.chunks + ", cost " + cost + ", outputs " + std::to_string(use.outputs) +
            "\n";
    for (const auto &[entry, steps] : use.steps) {
      text += "    " + entry + ": step";
      for (int64_t step : steps)
        text += " " + std::to_string(step);
      text += "\n";
    }
  }
  return text;
}

Value kernelsValue(const fb::Manifest &manifest) {
  ValueList list;
  for (const KernelUse &use : findKernelUses(manifest)) {
    ValueDict entries;
    for (const auto &[entry, steps] : use.steps)
      entries[entry] = ValueList(steps.begin(), steps.end());
    list.emplace_back(ValueDict{{"symbol", use.symbol},
                                {"lanes", use.lanes},
                                {"chunks", use.chunks},
                                {"cost_per_point", use.costPerPoint},
                                {"outputs", use.outputs},
                                {"uses", use.uses()},
                                {"steps", std::move(entries)}});
  }
  return list;
}

std::string tensorsText(const fb::Manifest &manifest, const std::string &entryName) {
  const auto row = [](const fb::Tensor &tensor) {
    return "  " + tensor.name()->str() + " " + fb::EnumNameTensorKind(tensor.kind()) + " " +
           shapeText(*tensor.shape()) + ": " + viewText(*tensor.view()) + "\n";
  };
  std::string text = "persistent tensors\n";
  for (const fb::Tensor *tensor : *manifest.tensors())
    text += row(*tensor);
  for (const fb::Entry *entry : *manifest.entries()) {
    if (!isChosen(*entry, entryName))
      continue;
    text += "inputs and outputs of " + entry->name()->str() + "\n";
    for (const fb::Tensor *tensor : *entry->tensors())
      text += row(*tensor);
  }
  return text;
}

Value tensorsValue(const fb::Manifest &manifest, const std::string &entryName) {
  // The names are unique (checkManifest), and a dictionary's look-up is linear: entries are appended.
  const auto dictOf = [](const auto &tensors) {
    ValueDict dict;
    for (const fb::Tensor *tensor : tensors)
      dict.items().emplace_back(tensor->name()->str(), tensorValue(*tensor));
    return dict;
  };
  ValueDict entries;
  for (const fb::Entry *entry : *manifest.entries())
    if (isChosen(*entry, entryName))
      entries[entry->name()->str()] = dictOf(*entry->tensors());
  return ValueDict{{"persistent", dictOf(*manifest.tensors())}, {"entries", std::move(entries)}};
}

std::string planText(const fb::Manifest &manifest, const std::string &entryName) {
  std::string text;
  for (const fb::Entry *entry : *manifest.entries()) {
    if (!isChosen(*entry, entryName))
      continue;
    text += "plan of " + entry->name()->str() + "\n";
    for (flatbuffers::uoffset_t i = 0; i < entry->steps()->size(); ++i) {
      const fb::Step &step = *entry->steps()->Get(i);
      text += "  " + std::to_string(i) + " " + stepText(manifest, step) +
              (step.group() && step.group()->size() ? " [" + step.group()->str() + "]" : "") + "\n";
      for (const Access &access : accesses(manifest, step))
        text += std::string("      ") + access.role + ": " + viewText(access.view) + "\n";
    }
  }
  return text;
}

Value planValue(const fb::Manifest &manifest, const std::string &entryName) {
  ValueDict entries;
  for (const fb::Entry *entry : *manifest.entries()) {
    if (!isChosen(*entry, entryName))
      continue;
    ValueList steps;
    for (const fb::Step *step : *entry->steps()) {
      ValueList operands;
      for (const Access &access : accesses(manifest, *step)) {
        ValueDict operand = {{"role", access.role}, {"read", access.read}, {"written", access.written}};
        operand["view"] = viewValue(access.view);
        operands.emplace_back(std::move(operand));
      }
      steps.emplace_back(ValueDict{{"kind", kindName(*step)},
                                   {"text", stepText(manifest, *step)},
                                   {"group", step->group() ? step->group()->str() : ""},
                                   {"operands", std::move(operands)}});
    }
    entries[entry->name()->str()] = std::move(steps);
  }
  return entries;
}

} // namespace kowari::inspect
