//===- PageTest.cpp - The page and its parts ------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tools/Benchmark/Page/Page.h"
#include "Tools/Benchmark/Page/Axis.h"
#include "Tools/Benchmark/Page/Markup.h"

#include <gtest/gtest.h>

using namespace nnhal::tools;

namespace {

TEST(MarkupTest, TextsAreEscapedAndElementsClosed) {
  Markup markup;
  markup.open("p", attribute("title", "\"a\" & b")).text("1 < 2 > 0");
  markup.open("b").text("x");
  EXPECT_EQ(markup.take(), "<p title=\"&quot;a&quot; &amp; b\">1 &lt; 2 &gt; 0"
                           "<b>x</b>\n</p>\n");
}

TEST(LogAxisTest, PlacesAreLogarithmic) {
  LogAxis axis;
  EXPECT_TRUE(axis.isEmpty());
  EXPECT_EQ(axis.place(1), 0.0);
  EXPECT_TRUE(axis.ticks().empty());
  axis.include(0);
  axis.include(-1);
  EXPECT_TRUE(axis.isEmpty());
  axis.include(1);
  axis.include(10000);
  EXPECT_NEAR(axis.place(100), 50.0, 1e-9);
  EXPECT_EQ(axis.place(1e9), 100.0);
  EXPECT_EQ(axis.place(0.001), 0.0);
  EXPECT_EQ(axis.ticks(), (std::vector<double>{1, 10, 100, 1000, 10000}));
}

TEST(LogAxisTest, NarrowAxesHaveMoreTicks) {
  LogAxis axis;
  axis.include(2);
  axis.include(6);
  EXPECT_EQ(axis.ticks(), (std::vector<double>{2, 3, 5}));
}

RunResult runOf(const std::string &device, std::vector<double> latencies) {
  RunResult run;
  run.name = {"<net>", "data", device, "sync", 1};
  run.latencies = std::move(latencies);
  run.testSetSize = 100;
  run.evaluators = {{"top_1", 0.25}};
  run.cold = {1, 1000, 10};
  run.warm = StartTimes{1, 10, 10};
  run.peakMemory = 5000000;
  run.operations = {{"CONV_2D", device, 0, 3000}, {"ADD", device, 0, 1000}};
  run.arithmetic = 1e6;
  run.traffic = 1e5;
  return run;
}

bool has(const std::string &page, const std::string &text) {
  return page.find(text) != std::string::npos;
}

// L-093.
TEST(PageTest, ShowsEverythingBesideTheBaselineAndEarlierRuns) {
  Report report = {
      "now",       "1",
      "machine",   "base",
      {10, 20, 5}, {runOf("cpu", {10, 11, 12}), runOf("base", {20, 22, 24})}};
  RunResult failed;
  failed.name = {"<net>", "data", "gone", "sync", 1};
  failed.benchmarkError = "no <device>";
  report.runs.push_back(failed);
  report.runs[0].operations[1].device = "base";
  report.runs[0].operations[1].step = 1;
  report.runs[1].validationErrors = {"top-1 is too low"};
  std::vector<NamedReport> earlier = {{"yesterday", report}};
  earlier[0].report.runs[0].latencies = {33, 33, 33};
  std::string page = pageOf(report, earlier);
  for (const char *part : {"<h2>Summary</h2>",
                           "<h2>Latency</h2>",
                           "<h2>Accuracy</h2>",
                           "<h2>Cold and warm start</h2>",
                           "<h2>Memory</h2>",
                           "<h2>Operations</h2>",
                           "<h2>Partitions</h2>",
                           "<h2>Roofline</h2>",
                           "&lt;net&gt; · data",
                           "vs yesterday",
                           "2.00×",
                           "3.00×",
                           "no &lt;device&gt;",
                           "25.00 % of 100",
                           "CONV_2D 75.0 %",
                           "top-1 is too low",
                           "prefers-color-scheme:dark",
                           "var(--c",
                           "<line x1=\"",
                           "\" text-anchor=\"",
                           " runs below a roof of ",
                           "\" r=\"6\" style=\"fill:",
                           "var(--c",
                           "%\" width=\"",
                           " class=\"grid\" x1=\"",
                           "left:",
                           "Latencies of ",
                           " %, from ",
                           "%\" cy=\"14\" r=\"5\" style=\"stroke:",
                           "Memory of ",
                           " · baseline "})
    EXPECT_TRUE(has(page, part)) << part;
  for (const char *part : {"<net>", "http", "<script", "src="})
    EXPECT_FALSE(has(page, part)) << part;
}

// The colors of a strip of operations are named below it.
TEST(PageTest, PartitionsHaveALegend) {
  RunResult run = runOf("cpu", {10});
  run.operations[1].device = "base";
  run.operations[1].step = 1;
  std::string page = pageOf({"now", "1", "machine", "cpu", {}, {run}});
  std::string partitions = page.substr(page.find("<h2>Partitions</h2>"));
  size_t strip = partitions.find("</svg>\n<div class=\"legend\">");
  ASSERT_NE(strip, std::string::npos);
  std::string legend = partitions.substr(strip);
  legend.resize(legend.find("</div>"));
  EXPECT_TRUE(has(legend, "</span>\nbase</span>")) << legend;
  EXPECT_TRUE(has(legend, "</span>\ncpu</span>")) << legend;
}

TEST(PageTest, OnlyWhatIsCertainlySlowerIsCalledBad) {
  Report report = {"now", "1", "machine", "cpu", {}, {runOf("cpu", {})}};
  std::vector<NamedReport> earlier = {{"yesterday", report}};
  earlier[0].report.runs[0].latencies = {1, 1, 1};
  report.runs[0].latencies = {2, 2, 2};
  EXPECT_TRUE(has(pageOf(report, earlier), "class=\"bad\">0.50×"));
  // The interval ends at a ratio of 1.
  report.runs[0].latencies = {1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2};
  std::string page = pageOf(report, earlier);
  EXPECT_TRUE(has(page, "0.50×"));
  EXPECT_FALSE(has(page, "class=\"bad\">0.50×"));
}

TEST(PageTest, PartsWithoutAnythingAreLeftOut) {
  RunResult run = runOf("cpu", {10});
  run.evaluators.clear();
  run.operations = {{"ADD", "cpu", 0, std::nullopt}};
  std::string page = pageOf({"now", "1", "machine", "cpu", {}, {run}});
  for (const char *part : {"<h2>Accuracy</h2>", "<h2>Operations</h2>",
                           "<h2>Partitions</h2>", "<h2>Roofline</h2>"})
    EXPECT_FALSE(has(page, part)) << part;
  EXPECT_TRUE(has(page, "<h2>Latency</h2>"));
}

} // namespace
