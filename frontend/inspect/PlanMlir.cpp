//===- PlanMlir.cpp - an artifact's plan as MLIR text ---------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "frontend/inspect/PlanMlir.h"

#include "frontend/inspect/BufferLives.h"
#include "frontend/inspect/StepAccess.h"
#include "runtime/plan/PlanProduct.h"

#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <map>
#include <tuple>

namespace kowari::inspect {
namespace {

namespace fb = plan::fb;

/// Text in MLIR's quotes; other bytes than printable ASCII as two hexadecimal digits.
std::string quoted(const std::string &text) {
  std::string result = "\"";
  for (char c : text) {
    char code[4];
    std::snprintf(code, sizeof code, "\\%02X", unsigned(uint8_t(c)));
    result += c == '"' || c == '\\' || c < ' ' || c > '~' ? std::string(code) : std::string(1, c);
  }
  return result + "\"";
}

std::string symbol(const std::string &name) { return "@" + quoted(name); }

/// A decimal with a point that reads back as the same number; infinities and NaN as their bits.
std::string number(double value) {
  char text[40];
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  if (value - value != 0)
    std::snprintf(text, sizeof text, "0x%016" PRIX64, bits);
  else
    std::snprintf(text, sizeof text, "%.17e", value);
  return text;
}

std::string viewType(const fb::View &view) {
  return "!plan.view<[" + std::to_string(view.dim0()) + ", " + std::to_string(view.dim1()) + "], [" +
         std::to_string(view.stride0()) + ", " + std::to_string(view.stride1()) + "], " +
         typeName(view.dtype()) + ">";
}

std::string integers(const flatbuffers::Vector<int64_t> &list) {
  std::string text;
  for (int64_t value : list)
    text += (text.empty() ? "" : ", ") + std::to_string(value);
  return text;
}

std::string attribute(const char *name, int64_t value) {
  return std::string(name) + " = " + std::to_string(value) + " : i64";
}

const char *kindWord(fb::TensorKind kind) {
  switch (kind) {
  case fb::TensorKind::Parameter:
    return "parameter";
  case fb::TensorKind::State:
    return "state";
  case fb::TensorKind::Constant:
    return "constant";
  case fb::TensorKind::OptimizerState:
    return "optimizer";
  case fb::TensorKind::Scalar:
    return "scalar";
  case fb::TensorKind::Input:
  case fb::TensorKind::Output: // not among the persistent ones
    break;
  }
  return "input";
}

const char *initWord(fb::InitKind init) {
  constexpr const char *words[] = {"none", "uniform", "fill", "permutation"};
  return words[int(init)];
}

std::string tensorText(const fb::Tensor &tensor) {
  std::string text =
      "  plan.tensor " + symbol(tensor.name()->str()) + " {kind = \"" + kindWord(tensor.kind()) +
      "\", shape = array<i64" + (tensor.shape()->size() ? ": " : "") + integers(*tensor.shape()) +
      ">, view = " + viewType(*tensor.view()) + ", " + attribute("offset", tensor.view()->offset());
  if (tensor.init() != fb::InitKind::None)
    text += std::string(", init = \"") + initWord(tensor.init()) +
            "\", init_value = " + number(tensor.init_value()) + " : f64";
  if (tensor.trainable() && tensor.trainable()->size() > 0) {
    text += ", trainable = array<i1";
    for (flatbuffers::uoffset_t i = 0; i < tensor.trainable()->size(); ++i)
      text += std::string(i ? ", " : ": ") + (tensor.trainable()->Get(i) ? "true" : "false");
    text += ">";
  }
  return text + "}\n";
}

/// Writes one entry. Values are defined where they are first used; steps see all that came before.
class ProgramWriter {
public:
  ProgramWriter(const fb::Manifest &planned, const fb::Entry &program)
      : manifest(planned), entry(program), lives(findBufferLives(planned, program)) {}

  std::string write() {
    for (const fb::Tensor *tensor : *entry.tensors())
      if (tensor->kind() == fb::TensorKind::Input)
        body += "    plan.input " + symbol(tensor->name()->str()) + "\n";
    chooseBufferTypes();
    for (flatbuffers::uoffset_t i = 0; i < entry.steps()->size(); ++i)
      writeStep(*entry.steps()->Get(i), lives.operands[i]);
    size_t output = 0;
    for (const fb::Tensor *tensor : *entry.tensors())
      if (tensor->kind() == fb::TensorKind::Output) {
        const std::string value = define(*tensor->view(), lives.outputs[output++]);
        body += "    plan.output " + value + " " + quoted(tensor->name()->str()) + " shape [" +
                integers(*tensor->shape()) + "] : " + viewType(*tensor->view()) + "\n";
      }
    return "  plan.program " + symbol(entry.name()->str()) + " {\n" + body + "  }\n";
  }

private:
  /// A buffer's type is the view that fills it from its start; without one, a plain vector of its size.
  void chooseBufferTypes() {
    types.resize(lives.buffers.size());
    std::vector<int64_t> largest(lives.buffers.size(), -1);
    const auto consider = [&](const fb::View &view, int index) {
      if (index < 0)
        return;
      const int64_t bytes = spanBytes(view, manifest.max_rows());
      if (bytes <= largest[size_t(index)])
        return;
      largest[size_t(index)] = bytes;
      types[size_t(index)] = view;
    };
    for (flatbuffers::uoffset_t i = 0; i < entry.steps()->size(); ++i) {
      const std::vector<Access> list = accesses(manifest, *entry.steps()->Get(i));
      for (size_t k = 0; k < list.size(); ++k)
        consider(list[k].view, lives.operands[i][k]);
    }
    size_t output = 0;
    for (const fb::Tensor *tensor : *entry.tensors())
      if (tensor->kind() == fb::TensorKind::Output)
        consider(*tensor->view(), lives.outputs[output++]);
    for (size_t i = 0; i < types.size(); ++i) {
      const BufferLife &buffer = lives.buffers[i];
      const fb::View &view = types[i];
      const int64_t end = buffer.begin + (largest[i] + 63) / 64 * 64;
      if (view.offset() != buffer.begin || end != buffer.end)
        types[i] =
            fb::View(buffer.begin, buffer.bytes() / plan::elementSize(view.dtype()), 1, 1, 1, view.dtype());
    }
  }

  std::string fresh() { return "%" + std::to_string(next++); }

  std::string defineBuffer(int index) {
    std::string &name = names[index];
    if (name.empty()) {
      name = fresh();
      const fb::View &type = types[size_t(index)];
      body += "    " + name + " = plan.buffer {" + attribute("offset", type.offset()) +
              "} : " + viewType(type) + "\n";
    }
    return name;
  }

  /// The value for a view that lies in a buffer (an index of lives) or in the persistent part.
  std::string define(const fb::View &view, int index) {
    const std::string type = viewType(view);
    std::string &name = views[{index, view.offset(), type}];
    if (!name.empty())
      return name;
    if (index < 0) {
      name = fresh();
      body +=
          "    " + name + " = plan.persistent {" + attribute("offset", view.offset()) + "} : " + type + "\n";
      return name;
    }
    const std::string buffer = defineBuffer(index);
    const fb::View &whole = types[size_t(index)];
    if (whole.offset() == view.offset() && viewType(whole) == type)
      return name = buffer;
    name = fresh();
    body += "    " + name + " = plan.subview " + buffer + " {" +
            attribute("offset", (view.offset() - whole.offset()) / plan::elementSize(view.dtype())) +
            "} : " + viewType(whole) + " -> " + type + "\n";
    return name;
  }

  void writeStep(const fb::Step &step, const std::vector<int> &operands) {
    const std::vector<Access> list = accesses(manifest, step);
    std::string readNames, readTypes, writeNames, writeTypes, allNames, allTypes;
    const auto append = [](std::string &to, const std::string &text) {
      to += (to.empty() ? "" : ", ") + text;
    };
    for (size_t i = 0; i < list.size(); ++i) {
      const std::string name = define(list[i].view, operands[i]), type = viewType(list[i].view);
      const bool output = list[i].written;
      append(output ? writeNames : readNames, name);
      append(output ? writeTypes : readTypes, type);
      append(allNames, name);
      append(allTypes, type);
    }
    body += "    plan.";
    if (const auto *kernel = step.what_as_KernelStep())
      body += "kernel " + symbol(stepName(manifest, step)) + " reads(" + readNames + ") writes(" +
              writeNames + ") {" + attribute("rows", kernel->rows()) + ", " +
              attribute("columns", kernel->columns()) +
              ", group = " + quoted(step.group() ? step.group()->str() : "") + "}" +
              (readTypes.empty() ? "" : " : " + readTypes) + " -> " + writeTypes;
    else if (const auto *gemm = step.what_as_GemmStep())
      body += gemmText(*gemm, operands);
    else if (const auto *fill = step.what_as_FillStep())
      body += "fill " + allNames + ", " + number(fill->value()) + " : " + allTypes;
    else if (const auto *collective = step.what_as_CollectiveStep())
      body += "all_reduce " + allNames + " on " + std::to_string(collective->stream()) + " : " + allTypes;
    else if (const auto *record = step.what_as_RecordStep())
      body += "record " + std::to_string(record->event()) + " on " + std::to_string(record->stream());
    else if (const auto *wait = step.what_as_WaitStep())
      body += "wait " + std::to_string(wait->event()) + " on " + std::to_string(wait->stream());
    else
      body += std::string(kindName(step)) + " " + allNames + " : " + allTypes;
    body += "\n";
  }

  /// All values are defined already. In the text the bias stands last.
  std::string gemmText(const fb::GemmStep &gemm, const std::vector<int> &operands) {
    const auto name = [&](const fb::View &view, size_t i) { return define(view, operands[i]); };
    std::string text = "gemm " + name(*gemm.a(), 0) + ", " + name(*gemm.b(), 1) + ", " +
                       name(*gemm.c(), operands.size() - 1);
    if (gemm.bias())
      text += " bias " + name(*gemm.bias(), 2);
    text += std::string(gemm.accumulate() ? " {accumulate}" : "") + " : " + viewType(*gemm.a()) + ", " +
            viewType(*gemm.b()) + ", " + viewType(*gemm.c());
    return text + (gemm.bias() ? ", " + viewType(*gemm.bias()) : "");
  }

  using ViewKey = std::tuple<int, int64_t, std::string>;
  const fb::Manifest &manifest;
  const fb::Entry &entry;
  const BufferLives lives;
  std::vector<fb::View> types; // of the buffers
  std::map<int, std::string> names;
  std::map<ViewKey, std::string> views;
  std::string body;
  int64_t next = 0;
};

} // namespace

std::string planMlir(const fb::Manifest &manifest, const std::string &entryName) {
  std::string text = "module attributes {" + attribute("plan.arena_bytes", manifest.arena_bytes()) + ", " +
                     attribute("plan.max_rows", manifest.max_rows()) + ", " +
                     attribute("plan.persistent_bytes", manifest.persistent_bytes()) + "} {\n";
  for (const fb::Tensor *tensor : *manifest.tensors())
    text += tensorText(*tensor);
  for (const fb::Entry *entry : *manifest.entries())
    if (entryName.empty() || entry->name()->string_view() == entryName)
      text += ProgramWriter(manifest, *entry).write();
  return text + "}\n";
}

} // namespace kowari::inspect
