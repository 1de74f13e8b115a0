//===- nnhal-benchmark.cpp - How fast and how right models are ------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// Standard output carries the table of results only, everything else goes to
// standard error. Exit status: 0 success, 1 the work failed, 2 wrong usage.
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "Runtime/Support/AtomicFile.h"
#include "Runtime/Support/Errors.h"
#include "Tools/Benchmark/Comparison.h"
#include "Tools/Benchmark/Csv.h"
#include "Tools/Benchmark/Page/Page.h"
#include "Tools/Benchmark/ResultJson.h"
#include "Tools/Benchmark/ResultTable.h"
#include "Tools/Benchmark/Suite.h"
#include "Tools/Benchmark/SuiteProgress.h"
#include "Tools/Process/Process.h"
#include "nnhal/Runtime/Version.h"

#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <thread>

using namespace nnhal;
using namespace nnhal::tools;
using rt::Status;

/// The time in UTC.
static std::string nowText() {
  std::time_t now = std::time(nullptr);
  std::tm parts = {};
  ::gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

/// The processor and its threads.
static std::string machineText() {
  std::ifstream file("/proc/cpuinfo");
  std::string model = "unknown processor";
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) {
      if (size_t colon = line.find(": "); colon != std::string::npos)
        model = line.substr(colon + 2);
      break;
    }
  return fmt::format("{}, {} threads", model,
                     std::thread::hardware_concurrency());
}

static Status write(const std::string &path, const std::string &text) {
  if (path.empty())
    return Status::ok();
  return rt::writeFileAtomically(path, std::as_bytes(std::span(text)));
}

/// Fails, before hours of measurements, for a file that cannot be written.
static Status checkFiles(const benchmark::Options &options) {
  for (const std::string &path : {options.json, options.csv, options.html})
    if (!path.empty())
      NNHAL_RETURN_IF_ERROR(rt::checkWritable(path));
  return Status::ok();
}

/// The results that the page shows beside those of this run, read before hours
/// of measurements.
static rt::Result<std::vector<NamedReport>>
readEarlier(const benchmark::Options &options) {
  std::vector<NamedReport> earlier;
  for (const std::string &path : options.against) {
    NamedReport &named = earlier.emplace_back();
    named.name = std::filesystem::path(path).stem().string();
    NNHAL_ASSIGN_OR_RETURN(named.report, readReport(path));
  }
  return earlier;
}

static Status measure(const benchmark::Options &options,
                      const Description &description) {
  NNHAL_RETURN_IF_ERROR(checkFiles(options));
  NNHAL_ASSIGN_OR_RETURN(std::vector<NamedReport> earlier,
                         readEarlier(options));
  std::vector<RunPlan> plans = planRuns(description);
  SuiteProgress progress;
  auto suite = runSuite(plans, description.roofs, progress.observer());
  progress.finish();
  NNHAL_ASSIGN_OR_RETURN(Report report, std::move(suite));
  report.time = nowText();
  report.build = NNHAL_VERSION;
  report.machine = machineText();
  report.baseline = description.baseline;
  fmt::print("{}", tableOf(report));
  NNHAL_RETURN_IF_ERROR(write(options.json, jsonOf(report)));
  NNHAL_RETURN_IF_ERROR(write(options.csv, csvOf(report)));
  if (options.html.empty())
    return Status::ok();
  return write(options.html, pageOf(report, earlier));
}

static Status compare(const benchmark::Options &options) {
  NNHAL_ASSIGN_OR_RETURN(Report before, readReport(options.paths[0]));
  NNHAL_ASSIGN_OR_RETURN(Report after, readReport(options.paths[1]));
  std::vector<Change> changes =
      compareReports(before, after, options.threshold);
  fmt::print("{}", describeChanges(changes));
  return isWorse(changes) ? rt::failure("'{}' is worse than '{}'",
                                        options.paths[1], options.paths[0])
                          : Status::ok();
}

static int runTool(std::span<const std::string_view> arguments) {
  auto options = benchmark::parseOptions(arguments);
  if (!options.isOk())
    return fail(options.status(), exitUsage);
  if (options->help) {
    fmt::print("{}", benchmark::helpText());
    return finish(Status::ok());
  }
  if (options->version) {
    fmt::print("nnhal-benchmark {}\n", NNHAL_VERSION);
    return finish(Status::ok());
  }
  if (options->compare)
    return finish(compare(*options));
  auto description = benchmark::describe(*options);
  if (!description.isOk())
    return fail(description.status(), exitUsage);
  return finish(measure(*options, *description));
}

int main(int argc, char **argv) {
  return tools::runProcess(argc, argv, runTool);
}
