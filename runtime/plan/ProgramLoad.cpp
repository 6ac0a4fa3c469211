//===- ProgramLoad.cpp - from an artifact to a program ----------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/cpu/CpuFeatures.h"
#include "runtime/cpu/Threads.h"
#include "runtime/plan/ProgramState.h"

namespace kowari::plan {
namespace {

View viewOf(const fb::View &view) {
  return {view.offset(),  view.dim0(),    view.dim1(),
          view.stride0(), view.stride1(), static_cast<DType>(view.dtype())};
}

std::string join(const std::vector<std::string> &words) {
  std::string text;
  for (const std::string &word : words)
    text += (text.empty() ? "" : " ") + word;
  return text.empty() ? "none" : text;
}

/// The processor must have every instruction set that the code was compiled for.
Status checkProcessor(const fb::Manifest &manifest) {
  std::vector<std::string> needed;
  for (const flatbuffers::String *name : *manifest.cpu_features())
    needed.push_back(name->str());
  const std::vector<std::string> missing = cpu::missingCpuFeatures(needed);
  if (missing.empty())
    return Status::ok();
  return Status::error("it was compiled for " + manifest.target()->str() + ", but this processor (" +
                       cpu::cpuModelName() + ", " + cpu::cpuLevel() + ") lacks: " + join(missing) +
                       ". The artifact needs: " + join(needed) + ". The processor has: " +
                       join(cpu::cpuFeatures()) + ". Compile it again with --target " + cpu::cpuLevel());
}

template <class Map> void indexByName(const std::vector<TensorInfo> &tensors, Map &index) {
  for (size_t i = 0; i < tensors.size(); ++i)
    index.emplace(tensors[i].name, i);
}

} // namespace

TensorInfo tensorInfo(const fb::Tensor &tensor) {
  TensorInfo info;
  info.name = tensor.name()->str();
  info.kind = static_cast<TensorKind>(tensor.kind());
  info.shape.assign(tensor.shape()->begin(), tensor.shape()->end());
  info.view = viewOf(*tensor.view());
  info.init = static_cast<InitKind>(tensor.init());
  info.initValue = tensor.init_value();
  if (tensor.trainable())
    for (const uint8_t flag : *tensor.trainable())
      info.trainable.push_back(flag != 0);
  return info;
}

Program::Program() = default;
Program::~Program() = default;

Result<std::unique_ptr<Program>> Program::load(const std::string &path, const ProgramOptions &options) {
  KOWARI_ASSIGN(ArtifactFile file, ArtifactFile::open(path));
  const std::string context = "loading artifact " + path;
  std::unique_ptr<Program> program(new Program());
  program->state = std::make_unique<State>(std::move(file));
  State &state = *program->state;
  const fb::Manifest &manifest = state.file.manifest();
  KOWARI_TRY(checkProcessor(manifest).withContext(context));
  state.spec = manifest.spec()->str();
  state.threads = options.threads > 0 ? options.threads : cpu::availableCores();
  state.products = std::make_unique<cpu::ProductCache>(state.threads);

  Result<CodeObject> code = CodeObject::load(state.file.code());
  if (!code)
    return code.status().withContext(context);
  state.code = code.take();
  for (const fb::Kernel *kernel : *manifest.kernels()) {
    Result<KowariKernel> function = state.code.find(kernel->symbol()->str());
    if (!function)
      return function.status().withContext(context);
    state.kernels.push_back({*function, kernel->lanes(), kernel->chunks(), double(kernel->cost_per_point())});
  }
  Result<Arena> arena = Arena::make(manifest.arena_bytes());
  if (!arena)
    return arena.status().withContext(context);
  state.arena = arena.take();

  for (const fb::Tensor *tensor : *manifest.tensors())
    state.tensors.push_back(tensorInfo(*tensor));
  indexByName(state.tensors, state.tensorIndex);
  for (const fb::Entry *plan : *manifest.entries()) {
    LoadedEntry &entry = state.entries.emplace_back();
    entry.plan = plan;
    entry.name = plan->name()->str();
    for (const fb::Tensor *tensor : *plan->tensors())
      entry.tensors.push_back(tensorInfo(*tensor));
    indexByName(entry.tensors, entry.tensorIndex);
  }
  return program;
}

} // namespace kowari::plan
