//===- OperationSections.cpp - Operations, partitions and the roofline ----===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sections.h"

#include "Tools/Benchmark/ResultTable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

using namespace nnhal;
using namespace nnhal::tools;

static constexpr std::string_view operationNote =
    "One execution from left to right: the wider, the longer an operation "
    "took. What is fused counts for the first of its operations.";
static constexpr std::string_view partitionNote =
    "Every operation in order, in the color of the device that executes it. "
    "Gaps are where another step begins.";
static constexpr std::string_view rooflineNote =
    "One thread, executed in this process. The line is what the machine can do "
    "at most: at the left memory bounds it, at the right arithmetic. Points "
    "count multiplications and additions of contractions, and the bytes of "
    "constants, inputs and outputs.";

static std::string colorNumber(size_t index) {
  constexpr size_t colorCount = 8;
  return fmt::format("var(--c{})", index % colorCount + 1);
}

/// The types of operations with their times, the longest first.
static std::vector<std::pair<std::string, uint64_t>>
timesByType(const RunResult &run) {
  std::map<std::string, uint64_t> sums;
  for (const OperationResult &operation : run.operations)
    sums[operation.type] += operation.nanoseconds.value_or(0);
  std::vector<std::pair<std::string, uint64_t>> types(sums.begin(), sums.end());
  std::ranges::sort(types, [](const auto &a, const auto &b) {
    return std::tie(b.second, a.first) < std::tie(a.second, b.first);
  });
  return types;
}

static void writeOperationsOf(Markup &page, const RunResult &run) {
  auto types = timesByType(run);
  uint64_t total = 0;
  std::map<std::string, std::string> colors;
  for (const auto &[type, time] : types) {
    total += time;
    colors.try_emplace(type, colorNumber(colors.size()));
  }
  if (total == 0)
    return;
  page.element("h3", fmt::format("{} · {} · {}", run.name.model, run.name.data,
                                 nameOfRun(run)));
  page.open("svg", attribute("class", "strip") + attribute("role", "img"));
  page.element("title", fmt::format("Times of {} operations, {} in all",
                                    run.operations.size(),
                                    timeText(double(total) / 1e3)));
  double place = 0.0;
  std::vector<std::vector<std::string>> table = {{"operation", "time", "part"}};
  for (size_t i = 0; i < run.operations.size(); ++i) {
    const OperationResult &operation = run.operations[i];
    uint64_t time = operation.nanoseconds.value_or(0);
    double width = 100.0 * double(time) / double(total);
    std::string text = timeText(double(time) / 1e3);
    page.raw(rectangle(place, width, 0, 34,
                       "fill:" + colors[operation.type] +
                           ";stroke:var(--card);stroke-width:.5",
                       fmt::format("{} {}: {}", i, operation.type, text)));
    place += width;
    table.push_back({fmt::format("{} {}", i, operation.type), text,
                     fmt::format("{:.1f} %", width)});
  }
  page.close();
  page.open("div", attribute("class", "legend"));
  for (size_t i = 0; i < std::min<size_t>(types.size(), 8); ++i) {
    page.open("span");
    page.element(
        "span", "",
        attribute("class", "swatch") +
            attribute("style", "background:" + colors[types[i].first]));
    page.text(fmt::format("{} {:.1f} %", types[i].first,
                          100.0 * double(types[i].second) / double(total)));
    page.close();
  }
  page.close();
  foldedTable(page, "Operations as a table", table);
}

void tools::writeOperations(Markup &page, const PageContext &context) {
  auto isTimed = [](const RunResult &run) {
    return std::ranges::any_of(run.operations, [](const auto &operation) {
      return operation.nanoseconds.value_or(0) > 0;
    });
  };
  if (std::ranges::none_of(context.report.runs, isTimed))
    return;
  page.open("section").element("h2", "Operations").element("p", operationNote);
  // One picture for each model on each device.
  std::set<std::pair<std::string, std::string>> seen;
  for (const RunResult &run : context.report.runs)
    if (isTimed(run) && seen.emplace(run.name.model, run.name.device).second)
      writeOperationsOf(page, run);
  page.close();
}

static bool isDivided(const RunResult &run) {
  return std::ranges::any_of(run.operations, [&](const auto &operation) {
    return operation.device != run.operations[0].device ||
           operation.step != run.operations[0].step;
  });
}

void tools::writePartitions(Markup &page, const PageContext &context) {
  if (std::ranges::none_of(context.report.runs, isDivided))
    return;
  page.open("section").element("h2", "Partitions").element("p", partitionNote);
  std::set<std::pair<std::string, std::string>> seen;
  for (const RunResult &run : context.report.runs) {
    if (!isDivided(run) ||
        !seen.emplace(run.name.model, run.name.device).second)
      continue;
    page.element("h3", fmt::format("{} · {}", run.name.model, run.name.device));
    page.open("svg", attribute("class", "strip") + attribute("role", "img"));
    page.element("title", fmt::format("The devices of {} operations",
                                      run.operations.size()));
    std::vector<std::vector<std::string>> table = {
        {"operation", "device", "step"}};
    double width = 100.0 / double(run.operations.size());
    std::set<std::string> devices;
    for (size_t i = 0; i < run.operations.size(); ++i) {
      const OperationResult &operation = run.operations[i];
      bool begins = i > 0 && operation.step != run.operations[i - 1].step;
      double gap = begins ? width * 0.3 : 0.0;
      std::string name = fmt::format("{} {}", i, operation.type);
      page.raw(rectangle(double(i) * width + gap, width - gap, 0, 34,
                         "fill:" + context.colorOf(operation.device),
                         fmt::format("{}: {}, step {}", name, operation.device,
                                     operation.step)));
      table.push_back(
          {name, operation.device, fmt::format("{}", operation.step)});
      devices.insert(operation.device);
    }
    page.close().open("div", attribute("class", "legend"));
    for (const std::string &device : devices) {
      page.open("span");
      page.element(
          "span", "",
          attribute("class", "swatch") +
              attribute("style", "background:" + context.colorOf(device)));
      page.text(device).close();
    }
    page.close();
    foldedTable(page, "Partition as a table", table);
  }
  page.close();
}

//===----------------------------------------------------------------------===//
// The roofline
//===----------------------------------------------------------------------===//

namespace {
struct Point {
  const RunResult *run = nullptr;
  double intensity = 0.0;
  /// 1e9 operations in a second.
  double rate = 0.0;
};

/// The box of the plot, in percent and pixels.
constexpr double left = 12.0, right = 97.0, top = 12.0, bottom = 300.0;

struct Plane {
  LogAxis x;
  LogAxis y;
  double placeX(double value) const {
    return left + (right - left) * x.place(value) / 100.0;
  }
  double placeY(double value) const {
    return bottom - (bottom - top) * y.place(value) / 100.0;
  }
};
} // namespace

static std::string line(double x1, double y1, double x2, double y2,
                        std::string_view style) {
  return fmt::format("<line x1=\"{:.3f}%\" y1=\"{:.1f}\" x2=\"{:.3f}%\" "
                     "y2=\"{:.1f}\" style=\"{}\"/>",
                     x1, y1, x2, y2, style);
}

static std::string label(double x, double y, std::string_view text,
                         std::string_view anchor, std::string_view style = "") {
  return fmt::format("<text x=\"{:.3f}%\" y=\"{:.1f}\" text-anchor=\"{}\" "
                     "class=\"{}\">{}</text>",
                     x, y, anchor, style, escapeMarkup(text));
}

static std::vector<Point> pointsOf(const Report &report) {
  std::vector<Point> points;
  // One for each model on each device: data change nothing.
  std::set<std::pair<std::string, std::string>> seen;
  for (const RunResult &run : report.runs)
    if (!run.hasFailed() && run.name.threads == 1 && run.name.way == "sync" &&
        run.arithmetic > 0.0 && run.traffic > 0.0 && run.median() > 0.0 &&
        seen.emplace(run.name.model, run.name.device).second)
      points.push_back({&run, run.arithmetic / run.traffic,
                        run.arithmetic / run.median() / 1e3});
  return points;
}

/// The roof for arithmetic of \p peak, with what bounds it at the left.
static std::string drawRoof(const Plane &plane, double peak, double bandwidth,
                            std::string_view name, double least, double most) {
  constexpr std::string_view style = "stroke:var(--soft);stroke-width:1.5";
  double ridge = std::max(peak / bandwidth, least);
  return line(plane.placeX(least), plane.placeY(least * bandwidth),
              plane.placeX(ridge), plane.placeY(ridge * bandwidth), style) +
         line(plane.placeX(ridge), plane.placeY(peak), plane.placeX(most),
              plane.placeY(peak), style) +
         label(right, plane.placeY(peak) - 5, name, "end");
}

void tools::writeRoofline(Markup &page, const PageContext &context) {
  const Roofs &roofs = context.report.roofs;
  std::vector<Point> points = pointsOf(context.report);
  if (points.empty() || !(roofs.floats > 0.0) || !(roofs.bandwidth > 0.0))
    return;
  Plane plane;
  double least = roofs.floats / roofs.bandwidth / 4, most = least * 16;
  for (const Point &point : points) {
    least = std::min(least, point.intensity / 1.3);
    most = std::max(most, point.intensity * 1.3);
    plane.y.include(point.rate);
  }
  plane.x.include(least);
  plane.x.include(most);
  for (double peak : {roofs.floats * 1.3, roofs.integers * 1.3})
    plane.y.include(peak);
  page.open("section").element("h2", "Roofline").element("p", rooflineNote);
  page.open("svg", attribute("class", "roof") + attribute("role", "img"));
  page.element("title",
               fmt::format("{} runs below a roof of {:.4g} GFLOP/s and "
                           "{:.4g} GB/s",
                           points.size(), roofs.floats, roofs.bandwidth));
  for (double tick : plane.x.ticks())
    page.raw(line(plane.placeX(tick), top, plane.placeX(tick), bottom,
                  "stroke:var(--grid)") +
             label(plane.placeX(tick), bottom + 15, fmt::format("{:g}", tick),
                   "middle"));
  for (double tick : plane.y.ticks())
    page.raw(line(left, plane.placeY(tick), right, plane.placeY(tick),
                  "stroke:var(--grid)") +
             label(left - 1, plane.placeY(tick) + 4, fmt::format("{:g}", tick),
                   "end"));
  page.raw(label(right, bottom + 32, "operations for each byte", "end"));
  page.raw(label(0, 10, "GOP/s", "start"));
  page.raw(
      drawRoof(plane, roofs.floats, roofs.bandwidth, "float32", least, most));
  if (roofs.integers > 0.0)
    page.raw(drawRoof(plane, roofs.integers, roofs.bandwidth, "8 bits", least,
                      most));
  std::vector<std::vector<std::string>> table = {
      {"point", "run", "operations for each byte", "GOP/s", "of the roof"}};
  for (size_t i = 0; i < points.size(); ++i) {
    const Point &point = points[i];
    double peak = point.run->isQuantized && roofs.integers > 0.0
                      ? roofs.integers
                      : roofs.floats;
    double roof = std::min(peak, point.intensity * roofs.bandwidth);
    double x = plane.placeX(point.intensity), y = plane.placeY(point.rate);
    page.raw(fmt::format("<circle cx=\"{:.3f}%\" cy=\"{:.1f}\" r=\"6\" "
                         "style=\"fill:{}\"/>",
                         x, y, context.colorOf(point.run->name.device)));
    page.raw(label(x + 1.6, y + 4, fmt::format("{}", i + 1), "start", "name"));
    table.push_back({fmt::format("{}", i + 1), point.run->name.text(),
                     fmt::format("{:.3g}", point.intensity),
                     fmt::format("{:.3g}", point.rate),
                     fmt::format("{:.0f} %", 100 * point.rate / roof)});
  }
  page.close();
  foldedTable(page, "Points as a table", table);
  page.close();
}
