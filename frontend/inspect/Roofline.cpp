//===- Roofline.cpp - predicted time of a plan ----------------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "frontend/inspect/Roofline.h"

#include "frontend/inspect/StepAccess.h"

#include <algorithm>
#include <cstdio>

namespace kowari::inspect {
namespace {

namespace fb = plan::fb;

class Predictor {
public:
  Predictor(const fb::Manifest &planned, const Device &target, int64_t callRows)
      : manifest(planned), device(target), rows(callRows) {}

  EntryTime predict(const fb::Entry &entry) const {
    EntryTime time;
    time.name = entry.name()->str();
    time.total.group = "total";
    for (const fb::Step *step : *entry.steps()) {
      const GroupTime one = predict(*step);
      add(groupOf(time.groups, one.group), one);
      add(time.total, one);
    }
    std::stable_sort(time.groups.begin(), time.groups.end(),
                     [](const GroupTime &a, const GroupTime &b) { return a.seconds > b.seconds; });
    return time;
  }

private:
  static void add(GroupTime &sum, const GroupTime &one) {
    sum.steps += one.steps;
    sum.flops += one.flops;
    sum.bytes += one.bytes;
    sum.seconds += one.seconds;
    sum.launchSeconds += one.launchSeconds;
    sum.computeSeconds += one.computeSeconds;
  }

  static GroupTime &groupOf(std::vector<GroupTime> &groups, const std::string &name) {
    for (GroupTime &group : groups)
      if (group.group == name)
        return group;
    groups.push_back({name});
    return groups.back();
  }

  double flopsOf(const fb::Step &step) const {
    if (const auto *gemm = step.what_as_GemmStep())
      return 2.0 * double(extent(gemm->a()->dim0(), rows)) * double(extent(gemm->a()->dim1(), rows)) *
             double(extent(gemm->b()->dim1(), rows));
    if (const auto *kernel = step.what_as_KernelStep())
      return double(extent(kernel->rows(), rows)) * double(kernel->columns()) *
             double(manifest.kernels()->Get(kernel->kernel())->cost_per_point());
    return 0;
  }

  /// A product is as wide as its operands; a kernel computes in the network's element type.
  double peakOf(const fb::Step &step) const {
    if (const auto *gemm = step.what_as_GemmStep())
      return gemm->a()->dtype() == fb::DType::F64 ? device.productF64 : device.productF32;
    return manifest.element_type() == fb::DType::F64 ? device.vectorF64 : device.vectorF32;
  }

  GroupTime predict(const fb::Step &step) const {
    GroupTime time;
    time.group = step.group() ? step.group()->str() : kindName(step);
    time.steps = 1;
    if (step.what_as_RecordStep() || step.what_as_WaitStep())
      return time;
    time.flops = flopsOf(step);
    for (const Access &access : accesses(manifest, step))
      time.bytes += double(elementBytes(access.view, rows)) * (int(access.read) + int(access.written));
    const double compute = time.flops / peakOf(step), traffic = time.bytes / device.bandwidth;
    time.launchSeconds = device.launchSeconds;
    time.computeSeconds = compute > traffic ? compute : 0;
    time.seconds = time.launchSeconds + std::max(compute, traffic);
    return time;
  }

  const fb::Manifest &manifest;
  const Device &device;
  const int64_t rows;
};

std::string row(const GroupTime &time, double total) {
  char text[200];
  std::snprintf(text, sizeof text, "    %-14.60s %7lld %11.3f %9.3f %12.3f %10.3f %6.1f%%\n",
                time.group.c_str(), static_cast<long long>(time.steps), time.flops / 1e9, time.bytes / 1e9,
                time.seconds * 1e3, time.launchSeconds * 1e3, total > 0 ? 100 * time.seconds / total : 0.0);
  return text;
}

Value valueOf(const GroupTime &time) {
  return ValueDict{{"steps", time.steps},
                   {"flops", time.flops},
                   {"bytes", time.bytes},
                   {"predicted_seconds", time.seconds},
                   {"launch_seconds", time.launchSeconds},
                   {"compute_bound_seconds", time.computeSeconds}};
}

} // namespace

RooflineReport predict(const fb::Manifest &manifest, const Device &device, int64_t rows,
                       const std::string &entryName) {
  RooflineReport report;
  report.device = &device;
  report.rows = rows;
  for (const fb::Entry *entry : *manifest.entries())
    if (entryName.empty() || entry->name()->string_view() == entryName)
      report.entries.push_back(Predictor(manifest, device, rows).predict(*entry));
  return report;
}

std::string rooflineText(const RooflineReport &report) {
  const Device &device = *report.device;
  char head[320];
  std::snprintf(head, sizeof head,
                "roofline on %s (%s): a prediction for %lld rows, not a measurement\n"
                "  products %.3g Tflop/s in f32, %.3g in f64; memory %.4g GB/s; launch %.2g us a step\n",
                device.name, device.description, static_cast<long long>(report.rows),
                device.productF32 / 1e12, device.productF64 / 1e12, device.bandwidth / 1e9,
                device.launchSeconds * 1e6);
  std::string text = head;
  for (const EntryTime &entry : report.entries) {
    char line[64];
    std::snprintf(line, sizeof line, ": predicted %.3f ms\n", entry.total.seconds * 1e3);
    text += "  entry " + entry.name + line;
    text += "    group            steps       Gflop        GB predicted ms  launch ms   share\n";
    for (const GroupTime &group : entry.groups)
      text += row(group, entry.total.seconds);
    text += row(entry.total, entry.total.seconds);
  }
  return text;
}

Value rooflineValue(const RooflineReport &report) {
  ValueDict entries;
  for (const EntryTime &entry : report.entries) {
    ValueDict groups;
    for (const GroupTime &group : entry.groups)
      groups[group.group] = valueOf(group);
    entries[entry.name] = ValueDict{{"total", valueOf(entry.total)}, {"groups", std::move(groups)}};
  }
  const Device &device = *report.device;
  return ValueDict{{"kind", "prediction"},
                   {"device", device.name},
                   {"device_description", device.description},
                   {"rows", report.rows},
                   {"product_flops_f32", device.productF32},
                   {"product_flops_f64", device.productF64},
                   {"vector_flops_f32", device.vectorF32},
                   {"vector_flops_f64", device.vectorF64},
                   {"bandwidth", device.bandwidth},
                   {"launch_seconds", device.launchSeconds},
                   {"entries", std::move(entries)}};
}

} // namespace kowari::inspect
