//===- SummarySections.cpp - What is said first on the page ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sections.h"

#include "Tools/Benchmark/ResultTable.h"
#include "Tools/Benchmark/Statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

using namespace nnhal;
using namespace nnhal::tools;

static constexpr std::string_view summaryNote =
    "Medians with the interval that holds them in 95 of 100 cases. Speed-ups "
    "are those over the baseline; a ratio above 1 is faster.";

static void card(Markup &page, std::string_view number, std::string_view name) {
  page.open("div", attribute("class", "card"));
  page.element("b", number).element("span", name).close();
}

/// The geometric mean of the speed-ups of \p device; 0 without any.
static double meanSpeedUp(const Report &report, const std::string &device) {
  double sum = 0.0;
  size_t count = 0;
  for (const RunResult &run : report.runs) {
    const RunResult *base = baselineOf(report, run);
    if (run.name.device != device || run.hasFailed() || !base ||
        !(run.median() > 0.0) || !(base->median() > 0.0))
      continue;
    sum += std::log(base->median() / run.median());
    ++count;
  }
  return count ? std::exp(sum / double(count)) : 0.0;
}

void tools::writeOverview(Markup &page, const PageContext &context) {
  const Report &report = context.report;
  page.element("h1", "NNHal benchmark");
  page.element("p",
               fmt::format("{} · version {} · {} · baseline {}", report.time,
                           report.build, report.machine, report.baseline),
               attribute("class", "facts"));
  size_t failed =
      size_t(std::ranges::count_if(report.runs, &RunResult::hasFailed));
  page.open("div", attribute("class", "cards"));
  card(page, fmt::format("{}", report.runs.size()), "runs");
  if (failed)
    card(page, fmt::format("{}", failed), "failed");
  for (const auto &[device, color] : context.colors)
    if (double mean = meanSpeedUp(report, device);
        mean > 0.0 && device != report.baseline)
      card(page, fmt::format("{:.3g}×", mean),
           fmt::format("{} over {}", device, report.baseline));
  page.close();
}

/// A cell that says on a phone what it is.
static void cell(Markup &page, std::string_view label, std::string_view content,
                 std::string_view style = {}, std::string_view small = {}) {
  std::string attributes = attribute("data-label", label);
  if (!style.empty())
    attributes += attribute("class", style);
  page.open("td", attributes).text(content);
  if (!small.empty())
    page.element("small", small);
  page.close();
}

/// Ratios nearer to 1 than this are what two runs of the same differ by.
static constexpr double noise = 1.05;

/// The time of \p before divided by that of \p after, in words and color.
static void ratioCell(Markup &page, std::string_view label,
                      const RunResult *before, const RunResult &after) {
  if (!before || before->hasFailed() || before == &after ||
      !(after.median() > 0.0) || !(before->median() > 0.0)) {
    cell(page, label, "–");
    return;
  }
  Interval interval =
      bootstrapMedianRatio(after.latencies, before->latencies, 300);
  double ratio = before->median() / after.median();
  std::string_view style = interval.low > 1.0 && ratio > noise          ? "good"
                           : interval.high < 1.0 && ratio < 1.0 / noise ? "bad"
                                                                        : "";
  cell(page, label, fmt::format("{:.2f}×", ratio), style);
}

static void writeRow(Markup &page, const PageContext &context,
                     const RunResult &run) {
  page.open("tr").open("td");
  page.element(
      "span", "",
      attribute("class", "swatch") +
          attribute("style", "background:" + context.colorOf(run.name.device)));
  page.text(nameOfRun(run)).close();
  if (run.hasFailed()) {
    page.element(
        "td", run.benchmarkError,
        attribute("colspan", fmt::format("{}", 6 + context.earlier.size())) +
            attribute("class", "bad reason"));
    page.close();
    return;
  }
  Interval interval = bootstrapMedian(run.latencies, 300);
  cell(page, "median", timeText(run.median()), {},
       fmt::format("{} – {}", timeText(interval.low), timeText(interval.high)));
  ratioCell(page, "speed-up", baselineOf(context.report, run), run);
  for (const NamedReport &earlier : context.earlier)
    ratioCell(page, "vs " + earlier.name, earlier.report.find(run.name), run);
  std::string accuracy = accuracyText(run);
  cell(page, "accuracy", accuracy.empty() ? "–" : accuracy,
       run.validationErrors.empty() ? "" : "bad");
  cell(page, "cold start", timeText(run.cold.total()));
  cell(page, "warm start", run.warm ? timeText(run.warm->total()) : "–");
  cell(page, "memory", sizeText(run.peakMemory));
  page.close();
}

void tools::writeSummary(Markup &page, const PageContext &context) {
  page.open("section").element("h2", "Summary").element("p", summaryNote);
  page.open("div", attribute("class", "scroll"));
  page.open("table", attribute("class", "wide")).open("thead").open("tr");
  std::vector<std::string> titles = {"run", "median", "speed-up"};
  for (const NamedReport &earlier : context.earlier)
    titles.push_back("vs " + earlier.name);
  titles.insert(titles.end(),
                {"accuracy", "cold start", "warm start", "memory"});
  for (const std::string &title : titles)
    page.element("th", title, attribute("scope", "col"));
  page.close().close();
  for (const RunGroup &group : context.groups) {
    page.open("tbody").open("tr");
    page.element("th", group.title(),
                 attribute("scope", "rowgroup") +
                     attribute("colspan", fmt::format("{}", titles.size())));
    page.close();
    for (const RunResult *run : group.runs)
      writeRow(page, context, *run);
    page.close();
  }
  page.close().close().close();
}

void tools::writeCapabilities(Markup &page, const PageContext &context) {
  std::vector<std::vector<std::string>> rows = {
      {"device", "type", "execTime", "models"}};
  for (const auto &[device, color] : context.colors)
    for (const MeasuredCapability &entry :
         capabilitiesOf(context.report, device))
      rows.push_back({device, entry.type, fmt::format("{:.4g}", entry.execTime),
                      fmt::format("{}", entry.models)});
  if (rows.size() > 1)
    foldedTable(page, "Times relative to the baseline, as capabilities", rows);
}
