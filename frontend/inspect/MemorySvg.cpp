//===- MemorySvg.cpp - a picture of the scratch memory --------------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "frontend/inspect/MemoryReport.h"
#include "frontend/inspect/StepAccess.h"

#include <algorithm>
#include <cstdio>

namespace kowari::inspect {
namespace {

// Pixels.
constexpr double width = 1000, panelHeight = 260, margin = 20, titleHeight = 24;

std::string escaped(const std::string &text) {
  std::string result;
  for (char c : text)
    result += c == '<'   ? "&lt;"
              : c == '>' ? "&gt;"
              : c == '&' ? "&amp;"
              : c == '"' ? "&quot;"
                         : std::string(1, c);
  return result;
}

std::string rectangle(double x, double y, double w, double h, const std::string &fill) {
  char text[160];
  std::snprintf(text, sizeof text, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\"",
                x, y, w, h, fill.c_str());
  return text;
}

std::string title(double x, double y, const std::string &text) {
  char place[64];
  std::snprintf(place, sizeof place, "<text x=\"%.2f\" y=\"%.2f\">", x, y);
  return place + escaped(text) + "</text>\n";
}

/// A color that depends on the label alone, so that buffers of one kernel look alike in every picture.
std::string colorOf(const std::string &label) {
  uint32_t hash = 2166136261u; // FNV-1a
  for (char c : label)
    hash = (hash ^ uint8_t(c)) * 16777619u;
  return "hsl(" + std::to_string(hash % 360) + ",55%,65%)";
}

std::string panel(const EntryMemory &entry, const MemoryReport &report, double top) {
  std::string svg =
      title(margin, top + 16,
            entry.name + ": peak " + bytesText(entry.peakBytes) + ", scratch area " +
                bytesText(report.scratchBytes()) + ", " + std::to_string(entry.live.size()) + " steps");
  const double y0 = top + titleHeight, steps = std::max<double>(1, double(entry.live.size()));
  const double perByte = panelHeight / double(std::max<int64_t>(1, report.scratchBytes()));
  svg += rectangle(margin, y0, width, panelHeight, "#f4f4f4") + "/>\n";
  for (const BufferLife &buffer : entry.lives.buffers) {
    const double x = margin + double(buffer.first) / steps * width;
    const double w = double(buffer.last - buffer.first + 1) / steps * width;
    const double h = double(buffer.bytes()) * perByte;
    const double y = y0 + panelHeight - double(buffer.end - report.persistentBytes) * perByte;
    svg += rectangle(x, y, w, h, colorOf(buffer.label)) + " stroke=\"#555\" stroke-width=\"0.2\"><title>" +
           escaped(buffer.label) + ", " + bytesText(buffer.bytes()) + ", steps " +
           std::to_string(buffer.first) + "-" + std::to_string(buffer.last) + "</title></rect>\n";
  }
  if (entry.peakStep >= 0)
    svg += rectangle(margin + (double(entry.peakStep) + 0.5) / steps * width, y0, 0.8, panelHeight, "#c00") +
           "><title>peak at step " + std::to_string(entry.peakStep) + "</title></rect>\n";
  return svg;
}

} // namespace

std::string memorySvg(const MemoryReport &report) {
  const double each = titleHeight + panelHeight + margin;
  char head[256];
  std::snprintf(head, sizeof head,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
                "font-family=\"sans-serif\" font-size=\"13\">\n",
                width + 2 * margin, margin + each * double(report.entries.size()));
  std::string svg = head;
  for (size_t i = 0; i < report.entries.size(); ++i)
    svg += panel(report.entries[i], report, margin / 2 + each * double(i));
  return svg + "</svg>\n";
}

} // namespace kowari::inspect
