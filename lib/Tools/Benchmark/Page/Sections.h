//===- Sections.h - The parts of the page -----------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_BENCHMARK_PAGE_SECTIONS_H
#define NNHAL_LIB_TOOLS_BENCHMARK_PAGE_SECTIONS_H

#include "Axis.h"
#include "Markup.h"
#include "Page.h"

#include <map>

namespace nnhal::tools {

/// The runs of one model on one data set.
struct RunGroup {
  std::string model;
  std::string data;
  std::vector<const RunResult *> runs;

  std::string title() const;
  /// Those that came to their end.
  std::vector<const RunResult *> good() const;
};

/// What all sections draw from.
struct PageContext {
  const Report &report;
  std::span<const NamedReport> earlier;
  std::vector<RunGroup> groups;
  /// The color of each device.
  std::map<std::string, std::string> colors;

  PageContext(const Report &report, std::span<const NamedReport> earlier);
  /// The color for \p device, as CSS names it.
  std::string colorOf(const std::string &device) const;
};

/// One row of a plot: what it is about, and its value in words.
struct PlotRow {
  const RunResult *run = nullptr;
  std::string value;
  /// What is drawn: elements of SVG in a box of 100 % times 28 pixels.
  std::string drawing;
  /// What the drawing shows, in words.
  std::string title;
};

/// Rows one below the other, with an axis if there are ticks: their places in
/// percent and their texts.
struct PlotTick {
  double place = 0.0;
  std::string text;
};
void plot(Markup &page, const PageContext &context,
          const std::vector<PlotRow> &rows,
          const std::vector<PlotTick> &ticks = {});

/// A table behind a line that opens it: the first of \p rows has the titles.
void foldedTable(Markup &page, std::string_view summary,
                 const std::vector<std::vector<std::string>> &rows);

/// " rect" and the like with percent in x.
std::string rectangle(double x, double width, double y, double height,
                      std::string_view style, std::string_view title = {});

/// "nnhal-cpu, burst, 2 threads".
std::string nameOfRun(const RunResult &run);

/// The sections in their order on the page. Each writes nothing where there is
/// nothing to show.
void writeOverview(Markup &page, const PageContext &context);
void writeSummary(Markup &page, const PageContext &context);
void writeLatencies(Markup &page, const PageContext &context);
void writeAccuracy(Markup &page, const PageContext &context);
void writeStarts(Markup &page, const PageContext &context);
void writeMemory(Markup &page, const PageContext &context);
void writeOperations(Markup &page, const PageContext &context);
void writePartitions(Markup &page, const PageContext &context);
void writeRoofline(Markup &page, const PageContext &context);
void writeCapabilities(Markup &page, const PageContext &context);

/// The style sheet.
extern const std::string_view pageStyle;

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_BENCHMARK_PAGE_SECTIONS_H
