//===- MemoryReport.cpp - what holds the arena ----------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "frontend/inspect/MemoryReport.h"

#include "frontend/inspect/StepAccess.h"

#include <algorithm>
#include <cstdio>
#include <numeric>

namespace kowari::inspect {
namespace {

namespace fb = plan::fb;

constexpr size_t listedBuffers = 10;
constexpr int64_t barColumns = 50;

EntryMemory reportEntry(const fb::Manifest &manifest, const fb::Entry &entry) {
  EntryMemory result;
  result.name = entry.name()->str();
  result.lives = findBufferLives(manifest, entry);
  result.live = result.lives.liveBytes();
  for (const fb::Step *step : *entry.steps())
    result.steps.push_back(stepText(manifest, *step));
  result.peakBytes = manifest.persistent_bytes();
  if (result.live.empty())
    return result;
  result.peakStep = std::max_element(result.live.begin(), result.live.end()) - result.live.begin();
  result.peakBytes += result.live[size_t(result.peakStep)];
  const std::vector<BufferLife> &buffers = result.lives.buffers;
  for (size_t i = 0; i < buffers.size(); ++i)
    if (buffers[i].first <= result.peakStep && result.peakStep <= buffers[i].last)
      result.aliveAtPeak.push_back(int(i));
  std::stable_sort(result.aliveAtPeak.begin(), result.aliveAtPeak.end(),
                   [&](int a, int b) { return buffers[size_t(a)].bytes() > buffers[size_t(b)].bytes(); });
  return result;
}

std::string padded(const std::string &text, size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

std::string rangeText(int64_t first, int64_t last) {
  return first == last ? std::to_string(first) : std::to_string(first) + "-" + std::to_string(last);
}

std::string timelineText(const EntryMemory &entry, int64_t lines) {
  const auto steps = int64_t(entry.live.size());
  const int64_t perLine = std::max<int64_t>(1, (steps + lines - 1) / lines);
  const int64_t most = std::max<int64_t>(1, entry.live[size_t(entry.peakStep)]);
  const size_t width = 2 * std::to_string(steps - 1).size() + 1;
  std::string text = "    scratch alive by step" +
                     std::string(perLine > 1 ? ", the most of the steps of each line" : "") + "\n";
  for (int64_t first = 0; first < steps; first += perLine) {
    const int64_t last = std::min(first + perLine, steps) - 1;
    const int64_t bytes = *std::max_element(entry.live.begin() + first, entry.live.begin() + last + 1);
    const bool peak = first <= entry.peakStep && entry.peakStep <= last;
    const auto bar = size_t(double(bytes) / double(most) * double(barColumns) + 0.5);
    text += "    " + padded(rangeText(first, last), width) + " " + padded(bytesText(bytes), 10) + " " +
            std::string(bar, '#') + (peak ? " <- peak" : "") + "\n";
  }
  return text;
}

std::string entryText(const EntryMemory &entry, int64_t lines) {
  std::string text = "  entry " + entry.name + ": peak " + bytesText(entry.peakBytes);
  if (entry.peakStep < 0)
    return text + ", no steps\n";
  text += ", of it scratch " + bytesText(entry.live[size_t(entry.peakStep)]) + " in " +
          std::to_string(entry.aliveAtPeak.size()) + " buffers, at step " + std::to_string(entry.peakStep) +
          " (" + entry.steps[size_t(entry.peakStep)] + ")\n";
  const size_t listed = std::min(entry.aliveAtPeak.size(), listedBuffers);
  for (size_t i = 0; i < listed; ++i) {
    const BufferLife &buffer = entry.lives.buffers[size_t(entry.aliveAtPeak[i])];
    text += "    " + padded(bytesText(buffer.bytes()), 10) + "  " + buffer.label + ", steps " +
            rangeText(buffer.first, buffer.last) +
            (buffer.output.empty() ? "" : ", output " + buffer.output) + "\n";
  }
  if (listed < entry.aliveAtPeak.size()) {
    int64_t rest = 0;
    for (size_t i = listed; i < entry.aliveAtPeak.size(); ++i)
      rest += entry.lives.buffers[size_t(entry.aliveAtPeak[i])].bytes();
    text += "    " + padded(bytesText(rest), 10) + "  in " +
            std::to_string(entry.aliveAtPeak.size() - listed) + " smaller buffers\n";
  }
  return text + timelineText(entry, lines);
}

Value bufferValue(const BufferLife &buffer) {
  ValueDict dict = {{"label", buffer.label},
                    {"offset", buffer.begin},
                    {"bytes", buffer.bytes()},
                    {"first_step", buffer.first},
                    {"last_step", buffer.last}};
  if (!buffer.output.empty())
    dict["output"] = buffer.output;
  return dict;
}

} // namespace

const EntryMemory *MemoryReport::highest() const {
  const auto found = std::max_element(entries.begin(), entries.end(),
                                      [](const auto &a, const auto &b) { return a.peakBytes < b.peakBytes; });
  return found == entries.end() ? nullptr : &*found;
}

MemoryReport reportMemory(const fb::Manifest &manifest, const std::string &entryName) {
  MemoryReport report;
  report.arenaBytes = manifest.arena_bytes();
  report.persistentBytes = manifest.persistent_bytes();
  report.maxRows = manifest.max_rows();
  for (const fb::Tensor *tensor : *manifest.tensors()) {
    const std::string kind = fb::EnumNameTensorKind(tensor->kind());
    auto found = std::find_if(report.persistentByKind.begin(), report.persistentByKind.end(),
                              [&](const auto &item) { return item.first == kind; });
    if (found == report.persistentByKind.end())
      found = report.persistentByKind.insert(found, {kind, 0});
    found->second += elementBytes(*tensor->view(), report.maxRows);
  }
  for (const fb::Entry *entry : *manifest.entries())
    if (entryName.empty() || entry->name()->string_view() == entryName)
      report.entries.push_back(reportEntry(manifest, *entry));
  return report;
}

std::string memoryText(const MemoryReport &report, int64_t lines) {
  const auto row = [](const std::string &name, int64_t bytes) {
    return "  " + name + std::string(name.size() < 20 ? 20 - name.size() : 1, ' ') +
           padded(bytesText(bytes), 10) + "\n";
  };
  std::string text = "memory (" + std::to_string(report.maxRows) + " rows)\n" +
                     row("arena", report.arenaBytes) + row("persistent", report.persistentBytes);
  for (const auto &[kind, bytes] : report.persistentByKind)
    text += row("  " + kind, bytes);
  text += row("scratch", report.scratchBytes());
  if (const EntryMemory *entry = report.highest())
    text += row("peak in use", entry->peakBytes) + "  held by entry " + entry->name + "\n";
  for (const EntryMemory &entry : report.entries)
    text += entryText(entry, lines);
  return text;
}

Value memoryValue(const MemoryReport &report) {
  ValueDict kinds, entries;
  for (const auto &[kind, bytes] : report.persistentByKind)
    kinds[kind] = bytes;
  for (const EntryMemory &entry : report.entries) {
    ValueList alive, timeline;
    for (int index : entry.aliveAtPeak)
      alive.push_back(bufferValue(entry.lives.buffers[size_t(index)]));
    for (int64_t bytes : entry.live)
      timeline.emplace_back(bytes);
    entries[entry.name] = ValueDict{{"peak_bytes", entry.peakBytes},
                                    {"peak_step", entry.peakStep},
                                    {"alive_at_peak", std::move(alive)},
                                    {"scratch_bytes_by_step", std::move(timeline)}};
  }
  const EntryMemory *highest = report.highest();
  return ValueDict{{"max_rows", report.maxRows},
                   {"arena_bytes", report.arenaBytes},
                   {"persistent_bytes", report.persistentBytes},
                   {"scratch_bytes", report.scratchBytes()},
                   {"peak_bytes", highest ? highest->peakBytes : report.persistentBytes},
                   {"peak_entry", highest ? Value(highest->name) : Value()},
                   {"persistent_bytes_by_kind", std::move(kinds)},
                   {"entries", std::move(entries)}};
}

} // namespace kowari::inspect
