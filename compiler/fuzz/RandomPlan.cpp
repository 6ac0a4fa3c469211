//===- RandomPlan.cpp - plans of several streams at random ----------------===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/fuzz/RandomPlan.h"
#include "compiler/fuzz/Pick.h"

#include <algorithm>
#include <map>
#include <optional>

namespace kowari::fuzz {

namespace {

constexpr int64_t laneMultiple = 16, tableRows = 6;

int64_t alignTo(int64_t value, int64_t multiple) { return (value + multiple - 1) / multiple * multiple; }

std::string text(int64_t number) { return std::to_string(number); }

/// Which steps each stream knows to be over.
using Clock = std::vector<int64_t>;

/// Finds the waits that a plan needs.
class StreamOrder {
public:
  StreamOrder(int64_t streams, int64_t buffers)
      : known(streams, Clock(streams, -1)), users(buffers, Clock(streams, -1)), writers(buffers) {}

  /// Appends a step; returns the earlier ones, of other streams, that it has to wait for.
  std::vector<int64_t> add(int64_t stream, const std::vector<int64_t> &reads, int64_t written) {
    std::vector<std::pair<int64_t, int64_t>> conflicts; // steps and their streams
    for (int64_t buffer : reads)
      conflicts.emplace_back(writers[buffer].step, writers[buffer].stream);
    for (size_t other = 0; other < known.size(); ++other)
      conflicts.emplace_back(users[written][other], other);
    std::sort(conflicts.rbegin(), conflicts.rend()); // a later step may have waited for an earlier one
    std::vector<int64_t> waits;
    for (auto [earlier, other] : conflicts) {
      if (earlier < 0 || other == stream || known[stream][other] >= earlier)
        continue;
      waits.push_back(earlier);
      for (size_t i = 0; i < known.size(); ++i)
        known[stream][i] = std::max(known[stream][i], afterStep[earlier][i]);
    }
    const auto step = static_cast<int64_t>(afterStep.size());
    known[stream][stream] = step;
    afterStep.push_back(known[stream]);
    for (int64_t buffer : reads)
      users[buffer][stream] = step;
    users[written][stream] = step;
    writers[written] = {step, stream};
    return waits;
  }

private:
  struct Writer {
    int64_t step = -1, stream = 0;
  };
  std::vector<Clock> known;     ///< by stream
  std::vector<Clock> afterStep; ///< what its stream knows when a step is over
  std::vector<Clock> users;     ///< by buffer, the last step of each stream that touched it
  std::vector<Writer> writers;  ///< by buffer
};

class PlanPrinter {
public:
  explicit PlanPrinter(const RandomPlan &printed)
      : plan(printed), order(plan.streams, plan.buffers), element(plan.isF64 ? "f64" : "f32"),
        stride(alignTo(plan.columns, laneMultiple)) {}

  std::string print() {
    for (const PlanStatement &statement : plan.statements)
      add(statement);
    return printHead() + printSteps() + printOutputs() + "  }\n}\n";
  }

private:
  struct Step {
    std::string line;
    int64_t stream;
    std::vector<int64_t> waits;
  };

  std::string view(int64_t rows, int64_t columns, bool transposed = false) const {
    return "!plan.view<[" + text(rows) + ", " + text(columns) + "], [" +
           (transposed ? "1, " + text(stride) : text(stride) + ", 1") + "], " + element + ">";
  }
  std::string matrix() const { return view(-1, plan.columns); }
  std::string tensor() const { return "tensor<?x" + text(plan.columns) + "x" + element + ">"; }

  /// A buffer that holds something, other than `target`; nothing if there is none (the input is left).
  std::optional<int64_t> pickSource(uint32_t number, int64_t target) const {
    std::vector<int64_t> choices;
    for (int64_t buffer : written)
      if (buffer != target)
        choices.push_back(buffer);
    const auto at = static_cast<size_t>(number % (choices.size() + 1));
    return at < choices.size() ? std::optional<int64_t>(choices[at]) : std::nullopt;
  }

  void add(const PlanStatement &s);
  void addStep(const PlanStatement &s, const std::string &name, const std::string &operands,
               const std::string &attributes, const std::string &types, std::vector<int64_t> reads,
               int64_t target);
  std::string printHead() const;
  std::string printKernel(const std::string &name, const std::string &arguments,
                          const std::string &types) const;
  std::string printSteps() const;
  std::string printOutputs() const;

  const RandomPlan &plan;
  StreamOrder order;
  std::string element;
  int64_t stride; ///< of a row, in elements
  std::vector<int64_t> written;
  std::vector<Step> steps;
};

void PlanPrinter::addStep(const PlanStatement &s, const std::string &name, const std::string &operands,
                          const std::string &attributes, const std::string &types, std::vector<int64_t> reads,
                          int64_t target) {
  const int64_t stream = s.stream % plan.streams;
  const bool isCollective = name == "all_reduce";
  std::string all = attributes;
  if (stream > 0 && !isCollective)
    all += (all.empty() ? "" : ", ") + std::string("stream = ") + text(stream) + " : i64";
  std::string line = "plan." + name + " " + operands + (isCollective ? " on " + text(stream) : "") +
                     (all.empty() ? "" : " {" + all + "}") + " : " + types;
  steps.push_back({line, stream, order.add(stream, reads, target)});
  if (std::find(written.begin(), written.end(), target) == written.end())
    written.push_back(target);
}

void PlanPrinter::add(const PlanStatement &s) {
  int64_t target = s.picks[0] % plan.buffers;
  const std::string m = matrix();
  std::vector<int64_t> reads;
  auto source = [&](uint32_t number) {
    std::optional<int64_t> buffer = pickSource(number, target);
    if (buffer)
      reads.push_back(*buffer);
    return buffer ? "%b" + text(*buffer) : std::string("%x");
  };
  const std::string kernel =
      "rows = -1 : i64, columns = " + text(plan.columns) + " : i64, group = \"elementwise\"";
  const std::string to = "%b" + text(target);
  const bool isUpdate = s.kind == PlanStatementKind::Accumulate || s.kind == PlanStatementKind::AllReduce;
  if (isUpdate && std::find(written.begin(), written.end(), target) == written.end())
    return addStep(s, "fill", to + ", 0.5", "", m, {}, target); // nothing there yet
  switch (s.kind) {
  case PlanStatementKind::Copy: {
    std::string from = source(s.picks[1]);
    return addStep(s, "copy", from + ", " + to, "", m + ", " + m, reads, target);
  }
  case PlanStatementKind::Fill:
    return addStep(s, "fill", to + ", 1.5", "", m, reads, target);
  case PlanStatementKind::Negate: {
    std::string from = source(s.picks[1]);
    return addStep(s, "kernel", "@negate reads(" + from + ") writes(" + to + ")", kernel, m + " -> " + m,
                   reads, target);
  }
  case PlanStatementKind::Add: {
    std::string a = source(s.picks[1]), b = source(s.picks[2]);
    return addStep(s, "kernel", "@add reads(" + a + ", " + b + ") writes(" + to + ")", kernel,
                   m + ", " + m + " -> " + m, reads, target);
  }
  case PlanStatementKind::Product:
  case PlanStatementKind::Accumulate: {
    std::string from = source(s.picks[1]);
    if (s.kind == PlanStatementKind::Accumulate)
      reads.push_back(target);
    return addStep(s, "gemm", from + ", %wt, " + to,
                   s.kind == PlanStatementKind::Accumulate ? "accumulate" : "",
                   m + ", " + view(plan.columns, plan.columns, true) + ", " + m, reads, target);
  }
  case PlanStatementKind::Gather:
    return addStep(s, "gather", "%table, %index, " + to, "",
                   view(tableRows, plan.columns) + ", !plan.view<[-1, 1], [1, 1], i64>, " + m, reads, target);
  case PlanStatementKind::AllReduce:
    return addStep(s, "all_reduce", to, "", m, {target}, target);
  }
}

std::string PlanPrinter::printKernel(const std::string &name, const std::string &arguments,
                                     const std::string &types) const {
  std::string formals;
  for (size_t i = 0; i < arguments.size(); i += 4) // "%a, %b"
    formals += (i ? ", " : "") + arguments.substr(i, 2) + ": " + tensor();
  return "  func.func private @" + name + "(" + formals + ") -> " + tensor() +
         "\n      attributes {flow.kernel = {chunks = \"rows\", lanes = \"columns\"}, flow.columns = " +
         text(plan.columns) + " : i64} {\n    %y = flow." + name + " " + arguments + " : (" + types +
         ") -> " + tensor() + "\n    return %y : " + tensor() + "\n  }\n";
}

std::string PlanPrinter::printHead() const {
  const int64_t bytes = plan.isF64 ? 8 : 4, c = plan.columns;
  int64_t end = 0;
  std::string tensors, windows;
  auto place = [&](const std::string &name, const std::string &kind, const std::string &shape,
                   const std::string &type, int64_t size) {
    tensors += "  plan.tensor @" + name + " {kind = \"" + kind + "\", shape = array<i64: " + shape +
               ">, view = " + type + ", offset = " + text(end) + " : i64}\n";
    windows += "    %" + name + " = plan.persistent {offset = " + text(end) + " : i64} : " + type + "\n";
    if (kind == "input")
      windows += "    plan.input @" + name + "\n";
    end += alignTo(size, 64);
  };
  place("x", "input", "-1, " + text(c), matrix(), plan.maxRows * stride * bytes);
  place("index", "input", "-1", "!plan.view<[-1, 1], [1, 1], i64>", alignTo(plan.maxRows, laneMultiple) * 8);
  place("w", "parameter", text(c) + ", " + text(c), view(c, c), c * stride * bytes);
  place("table", "constant", text(tableRows) + ", " + text(c), view(tableRows, c),
        tableRows * stride * bytes);
  windows +=
      "    %wt = plan.subview %w {offset = 0 : i64} : " + view(c, c) + " -> " + view(c, c, true) + "\n";
  const int64_t persistent = end;
  for (int64_t buffer = 0; buffer < plan.buffers; ++buffer) {
    windows +=
        "    %b" + text(buffer) + " = plan.buffer {offset = " + text(end) + " : i64} : " + matrix() + "\n";
    end += alignTo(plan.maxRows * stride * bytes, 64);
  }
  return "module attributes {plan.max_rows = " + text(plan.maxRows) +
         " : i64, plan.persistent_bytes = " + text(persistent) + " : i64, plan.arena_bytes = " + text(end) +
         " : i64} {\n" + tensors + printKernel("negate", "%a", tensor()) +
         printKernel("add", "%a, %b", tensor() + ", " + tensor()) + "  plan.program @plan {\n" + windows;
}

std::string PlanPrinter::printSteps() const {
  std::map<int64_t, int64_t> events; // of the steps that another stream waits for
  for (const Step &step : steps)
    for (int64_t wait : step.waits)
      events.emplace(wait, events.size());
  std::string lines;
  for (size_t i = 0; i < steps.size(); ++i) {
    const std::string on = " on " + text(steps[i].stream) + "\n";
    for (int64_t wait : steps[i].waits)
      lines += "    plan.wait " + text(events.at(wait)) + on;
    lines += "    " + steps[i].line + "\n";
    if (auto event = events.find(static_cast<int64_t>(i)); event != events.end())
      lines += "    plan.record " + text(event->second) + on;
  }
  return lines;
}

std::string PlanPrinter::printOutputs() const {
  std::string lines;
  for (int64_t buffer : written)
    lines += "    plan.output %b" + text(buffer) + " \"out" + text(buffer) + "\" shape [-1, " +
             text(plan.columns) + "] : " + matrix() + "\n";
  return lines;
}

} // namespace

std::string RandomPlan::print() const { return PlanPrinter(*this).print(); }

RandomPlan makeRandomPlan(std::mt19937_64 &g) {
  RandomPlan plan;
  plan.isF64 = happens(g, 0.5);
  plan.maxRows = pick<int64_t>(g, {5, 8, 16, 19, 33});
  plan.columns = pick<int64_t>(g, {1, 2, 3, 5, 8, 16, 17, 20});
  plan.streams = pick<int64_t>(g, {1, 2, 2, 3});
  plan.buffers = pick<int64_t>(g, {1, 2, 3, 4, 5});
  for (uint64_t count = 1 + g() % 16; count > 0; --count) {
    PlanStatement s;
    s.kind = static_cast<PlanStatementKind>(g() % (static_cast<uint64_t>(PlanStatementKind::last) + 1));
    s.stream = static_cast<int64_t>(g() % 3);
    for (uint32_t &number : s.picks)
      number = static_cast<uint32_t>(g());
    plan.statements.push_back(s);
  }
  return plan;
}

std::vector<RandomPlan> simplify(const RandomPlan &plan) {
  std::vector<RandomPlan> simpler;
  auto change = [&](auto apply) {
    simpler.push_back(plan);
    apply(simpler.back());
  };
  for (size_t i = 0; i < plan.statements.size(); ++i)
    if (plan.statements.size() > 1)
      change([&](RandomPlan &p) { p.statements.erase(p.statements.begin() + static_cast<int64_t>(i)); });
  if (plan.streams > 1)
    change([](RandomPlan &p) { --p.streams; });
  if (plan.buffers > 1)
    change([](RandomPlan &p) { --p.buffers; });
  for (int64_t columns : {int64_t(1), plan.columns / 2})
    if (columns >= 1 && columns < plan.columns)
      change([&](RandomPlan &p) { p.columns = columns; });
  if (plan.maxRows > 5)
    change([](RandomPlan &p) { p.maxRows = 5; });
  return simpler;
}

} // namespace kowari::fuzz
