//===- PlotSections.cpp - Plots with a row for each run -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sections.h"

#include "Tools/Benchmark/ResultTable.h"
#include "Tools/Report/Percentile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

using namespace nnhal;
using namespace nnhal::tools;

static constexpr std::string_view latencyNote =
    "How often an execution took how long: the taller, the more often. The "
    "line is the median. Logarithmic axes.";
static constexpr std::string_view accuracyNote =
    "The line is the interval in which the rate would be for ever more photos "
    "of the same kind, in 95 of 100 cases.";
static constexpr std::string_view startNote =
    "From the file to the first output: a dot where the model is compiled, a "
    "ring where it comes from the cache. Logarithmic axis.";
static constexpr std::string_view memoryNote =
    "The most that the process had in memory at once; a service's is not in "
    "it.";

static std::vector<PlotTick> timeTicks(const LogAxis &axis) {
  std::vector<PlotTick> ticks;
  for (double tick : axis.ticks())
    ticks.push_back({axis.place(tick), timeText(tick)});
  return ticks;
}

static std::vector<double> sorted(const std::vector<double> &values) {
  std::vector<double> copy = values;
  std::ranges::sort(copy);
  return copy;
}

/// Bars of a histogram over the places of \p axis.
static std::string drawDistribution(const std::vector<double> &latencies,
                                    const LogAxis &axis,
                                    const std::string &color, double median) {
  constexpr size_t bins = 100;
  std::array<size_t, bins> counts = {};
  for (double latency : latencies)
    ++counts[std::min(size_t(axis.place(latency)), bins - 1)];
  double most = double(*std::ranges::max_element(counts));
  constexpr double height = 24.0, bottom = 28.0;
  std::string drawing;
  for (size_t i = 0; i < bins; ++i)
    if (counts[i] > 0) {
      double tall = std::max(1.5, height * double(counts[i]) / most);
      drawing += rectangle(double(i), 1.0, bottom - tall, tall,
                           "fill:" + color + ";opacity:.55");
    }
  return drawing +
         rectangle(axis.place(median) - 0.15, 0.3, 0, bottom, "fill:" + color);
}

void tools::writeLatencies(Markup &page, const PageContext &context) {
  page.open("section").element("h2", "Latency").element("p", latencyNote);
  for (const RunGroup &group : context.groups) {
    LogAxis axis;
    std::vector<PlotRow> rows;
    std::vector<std::vector<std::string>> table = {
        {"run", "executions", "least", "median", "mean", "deviation", "p90",
         "p99", "most"}};
    for (const RunResult *run : group.good())
      for (double latency : run->latencies)
        axis.include(latency);
    for (const RunResult *run : group.good()) {
      std::vector<double> values = sorted(run->latencies);
      std::vector<std::string> cells = {nameOfRun(*run),
                                        fmt::format("{}", values.size())};
      for (double value : {values.front(), run->median(), run->mean(),
                           run->standardDeviation(), percentile(values, 0.9),
                           percentile(values, 0.99), values.back()})
        cells.push_back(timeText(value));
      table.push_back(std::move(cells));
      rows.push_back(
          {run,
           fmt::format("{}, p99 {}", timeText(run->median()),
                       timeText(percentile(values, 0.99))),
           drawDistribution(values, axis, context.colorOf(run->name.device),
                            run->median()),
           fmt::format("Latencies of {}: median {}, from {} to {}",
                       nameOfRun(*run), timeText(run->median()),
                       timeText(values.front()), timeText(values.back()))});
    }
    if (rows.empty())
      continue;
    page.element("h3", group.title());
    plot(page, context, rows, timeTicks(axis));
    foldedTable(page, "Latencies as a table", table);
  }
  page.close();
}

/// Wilson's interval for \p rate of \p count trials, in percent.
static std::array<double, 2> rateInterval(double rate, double count) {
  constexpr double z = 1.96;
  double middle = (rate + z * z / (2 * count)) / (1 + z * z / count);
  double half =
      z / (1 + z * z / count) *
      std::sqrt(rate * (1 - rate) / count + z * z / (4 * count * count));
  return {100 * (middle - half), 100 * (middle + half)};
}

static void writeRates(Markup &page, const PageContext &context,
                       const RunGroup &group) {
  std::vector<PlotRow> rows;
  for (const RunResult *run : group.good()) {
    const EvaluatorValue *top = run->find("top_1");
    if (!top || run->testSetSize == 0)
      continue;
    auto [low, high] = rateInterval(top->value, double(run->testSetSize));
    std::string color = context.colorOf(run->name.device);
    rows.push_back(
        {run, fmt::format("{:.2f} % of {}", 100 * top->value, run->testSetSize),
         rectangle(0, 100, 8, 12, "fill:var(--grid)") +
             rectangle(0, 100 * top->value, 8, 12, "fill:" + color) +
             rectangle(low, high - low, 13, 2, "fill:var(--ink)"),
         fmt::format("Top-1 of {}: {:.2f} %, from {:.1f} to {:.1f} %",
                     nameOfRun(*run), 100 * top->value, low, high)});
  }
  if (rows.empty())
    return;
  page.element("h3", group.title());
  plot(page, context, rows,
       {{0, "0 %"}, {25, "25 %"}, {50, "50 %"}, {75, "75 %"}, {100, "100 %"}});
}

void tools::writeAccuracy(Markup &page, const PageContext &context) {
  std::vector<std::vector<std::string>> table = {
      {"model and data", "run", "what", "value"}};
  std::vector<std::string> errors;
  for (const RunResult &run : context.report.runs) {
    std::string title = run.name.model + " · " + run.name.data;
    for (const EvaluatorValue &value : run.evaluators)
      table.push_back({title, nameOfRun(run), value.key,
                       fmt::format("{:.6g}", value.value)});
    if (run.maxSingleError > 0.0)
      table.push_back({title, nameOfRun(run), "largest single error",
                       fmt::format("{:.6g}", run.maxSingleError)});
    for (const std::string &error : run.validationErrors)
      errors.push_back(run.name.text() + ": " + error);
  }
  if (table.size() == 1)
    return;
  page.open("section").element("h2", "Accuracy").element("p", accuracyNote);
  for (const RunGroup &group : context.groups)
    writeRates(page, context, group);
  if (!errors.empty()) {
    page.open("ul", attribute("class", "bad"));
    for (const std::string &error : errors)
      page.element("li", error);
    page.close();
  }
  foldedTable(page, "Everything that evaluators found", table);
  page.close();
}

static std::string dot(double place, bool isFilled, const std::string &color) {
  return fmt::format(
      "<circle cx=\"{:.3f}%\" cy=\"14\" r=\"5\" style=\"stroke:{};"
      "stroke-width:2;fill:{}\"/>",
      place, color, isFilled ? color : "var(--card)");
}

void tools::writeStarts(Markup &page, const PageContext &context) {
  LogAxis axis;
  std::vector<std::vector<std::string>> table = {
      {"model and data", "run", "start", "load", "prepare", "first execution"}};
  auto addTimes = [&](const RunResult &run, const char *name,
                      const StartTimes &times) {
    axis.include(times.total());
    table.push_back({run.name.model + " · " + run.name.data, nameOfRun(run),
                     name, timeText(times.load), timeText(times.prepare),
                     timeText(times.first)});
  };
  for (const RunResult &run : context.report.runs) {
    if (run.hasFailed())
      continue;
    addTimes(run, "cold", run.cold);
    if (run.warm)
      addTimes(run, "warm", *run.warm);
  }
  if (axis.isEmpty())
    return;
  page.open("section").element("h2", "Cold and warm start");
  page.element("p", startNote);
  for (const RunGroup &group : context.groups) {
    std::vector<PlotRow> rows;
    for (const RunResult *run : group.good()) {
      std::string color = context.colorOf(run->name.device);
      double cold = axis.place(run->cold.total());
      std::string drawing = dot(cold, true, color);
      std::string value = timeText(run->cold.total());
      if (run->warm) {
        double warm = axis.place(run->warm->total());
        drawing = rectangle(std::min(cold, warm), std::abs(cold - warm), 13, 2,
                            "fill:" + color + ";opacity:.5") +
                  drawing + dot(warm, false, color);
        value += ", " + timeText(run->warm->total());
      }
      rows.push_back({run, value, drawing,
                      fmt::format("Starts of {}: {}", nameOfRun(*run), value)});
    }
    if (rows.empty())
      continue;
    page.element("h3", group.title());
    plot(page, context, rows, timeTicks(axis));
  }
  foldedTable(page, "Parts of the starts", table);
  page.close();
}

void tools::writeMemory(Markup &page, const PageContext &context) {
  uint64_t most = 0;
  std::vector<std::vector<std::string>> table = {
      {"model and data", "run", "process", "intermediate results", "artifact"}};
  for (const RunResult &run : context.report.runs) {
    most = std::max(most, run.peakMemory);
    if (!run.hasFailed())
      table.push_back({run.name.model + " · " + run.name.data, nameOfRun(run),
                       sizeText(run.peakMemory), sizeText(run.arena),
                       sizeText(run.artifact)});
  }
  if (most == 0)
    return;
  page.open("section").element("h2", "Memory").element("p", memoryNote);
  for (const RunGroup &group : context.groups) {
    std::vector<PlotRow> rows;
    for (const RunResult *run : group.good())
      rows.push_back(
          {run, sizeText(run->peakMemory),
           rectangle(0, 100, 8, 12, "fill:var(--grid)") +
               rectangle(0, 100 * double(run->peakMemory) / double(most), 8, 12,
                         "fill:" + context.colorOf(run->name.device)),
           fmt::format("Memory of {}: {}", nameOfRun(*run),
                       sizeText(run->peakMemory))});
    if (rows.empty())
      continue;
    page.element("h3", group.title());
    plot(page, context, rows);
  }
  foldedTable(page, "Memory as a table", table);
  page.close();
}
