//===- Page.cpp - Results as a page to look at ----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Page.h"

#include "Sections.h"

#include "Tools/Benchmark/ResultTable.h"

#include <fmt/format.h>

#include <algorithm>

using namespace nnhal;
using namespace nnhal::tools;

std::string RunGroup::title() const {
  return fmt::format("{} · {}", model, data);
}

std::vector<const RunResult *> RunGroup::good() const {
  std::vector<const RunResult *> ended;
  std::ranges::copy_if(runs, std::back_inserter(ended),
                       [](const RunResult *run) { return !run->hasFailed(); });
  return ended;
}

PageContext::PageContext(const Report &report,
                         std::span<const NamedReport> earlier)
    : report(report), earlier(earlier) {
  constexpr size_t colorCount = 8;
  auto color = [&](const std::string &device) {
    colors.try_emplace(
        device, fmt::format("var(--c{})", colors.size() % colorCount + 1));
  };
  for (const RunResult &run : report.runs) {
    color(run.name.device);
    auto group = std::ranges::find_if(groups, [&](const RunGroup &one) {
      return one.model == run.name.model && one.data == run.name.data;
    });
    if (group == groups.end())
      group = groups.insert(group, {run.name.model, run.name.data, {}});
    group->runs.push_back(&run);
  }
  // Parts of divided models come last.
  for (const RunResult &run : report.runs)
    for (const OperationResult &operation : run.operations)
      color(operation.device);
}

std::string PageContext::colorOf(const std::string &device) const {
  auto found = colors.find(device);
  return found == colors.end() ? "var(--soft)" : found->second;
}

std::string tools::nameOfRun(const RunResult &run) {
  return fmt::format("{}, {}{}", run.name.device, run.name.way,
                     run.name.threads == 1
                         ? ""
                         : fmt::format(", {} threads", run.name.threads));
}

std::string tools::rectangle(double x, double width, double y, double height,
                             std::string_view style, std::string_view title) {
  Markup shape;
  std::string attributes = fmt::format(
      " x=\"{:.3f}%\" width=\"{:.3f}%\" y=\"{:.1f}\" height=\"{:.1f}\"", x,
      std::max(width, 0.0), y, height);
  attributes += attribute("style", style);
  if (title.empty())
    return shape.shape("rect", attributes).take();
  return shape.open("rect", attributes).element("title", title).take();
}

void tools::plot(Markup &page, const PageContext &context,
                 const std::vector<PlotRow> &rows,
                 const std::vector<PlotTick> &ticks) {
  for (const PlotRow &row : rows) {
    page.open("div", attribute("class", "row"));
    page.open("div", attribute("class", "label"));
    page.element(
        "span", "",
        attribute("class", "swatch") +
            attribute("style",
                      "background:" + context.colorOf(row.run->name.device)));
    page.text(nameOfRun(*row.run)).close();
    page.open("div", attribute("class", "plot"));
    page.open("svg", attribute("role", "img"));
    page.element("title", row.title);
    for (const PlotTick &tick : ticks)
      page.shape("line",
                 fmt::format(" class=\"grid\" x1=\"{0:.3f}%\" x2=\"{0:.3f}%\" "
                             "y1=\"0\" y2=\"28\"",
                             tick.place));
    page.raw(row.drawing).close().close();
    page.element("div", row.value, attribute("class", "value")).close();
  }
  if (ticks.empty())
    return;
  page.open("div",
            attribute("class", "row axis") + attribute("aria-hidden", "true"));
  page.element("div", "", attribute("class", "label"));
  page.open("div", attribute("class", "plot"));
  for (const PlotTick &tick : ticks)
    page.element(
        "span", tick.text,
        attribute("style", fmt::format("left:{:.3f}%",
                                       std::clamp(tick.place, 4.0, 96.0))));
  page.close();
  page.element("div", "", attribute("class", "value")).close();
}

void tools::foldedTable(Markup &page, std::string_view summary,
                        const std::vector<std::vector<std::string>> &rows) {
  page.open("details").element("summary", summary);
  page.open("div", attribute("class", "scroll")).open("table");
  page.open("thead").open("tr");
  for (const std::string &title : rows.front())
    page.element("th", title, attribute("scope", "col"));
  page.close().close().open("tbody");
  for (size_t i = 1; i < rows.size(); ++i) {
    page.open("tr");
    for (const std::string &cell : rows[i])
      page.element("td", cell);
    page.close();
  }
  page.close().close().close().close();
}

std::string tools::pageOf(const Report &report,
                          std::span<const NamedReport> earlier) {
  PageContext context(report, earlier);
  Markup page;
  page.raw("<!DOCTYPE html>\n");
  page.open("html", attribute("lang", "en")).open("head");
  page.raw("<meta charset=\"utf-8\"><meta name=\"viewport\" "
           "content=\"width=device-width,initial-scale=1\">\n"
           "<link rel=\"icon\" href=\"data:,\">\n");
  page.element("title", "NNHal benchmark");
  page.open("style").raw(pageStyle).close().close();
  page.open("body").open("main");
  writeOverview(page, context);
  writeSummary(page, context);
  writeLatencies(page, context);
  writeAccuracy(page, context);
  writeStarts(page, context);
  writeMemory(page, context);
  writeOperations(page, context);
  writePartitions(page, context);
  writeRoofline(page, context);
  writeCapabilities(page, context);
  return page.take();
}
