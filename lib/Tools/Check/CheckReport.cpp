//===- CheckReport.cpp - Runs many conformance cases ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check.h"

#include "CaseFiles.h"

#include "Runtime/Support/AtomicFile.h"
#include "Runtime/Support/Errors.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <mutex>
#include <thread>
#include <unistd.h>

using namespace nnhal;
using namespace nnhal::tools;
using rt::Status;

/// Does nothing when \p path is empty.
static Status createFolder(const std::string &path) {
  std::error_code error;
  if (!path.empty())
    std::filesystem::create_directories(path, error);
  return error ? rt::failure("cannot create '{}': {}", path, error.message())
               : Status::ok();
}

namespace {
/// Many cases on several threads; a file is the unit of work.
class CheckRun {
public:
  CheckRun(const CheckRequest &request, CaseSubject subject,
           CaseSelection &selection, std::vector<std::string> files)
      : request(request), subject(std::move(subject)), selection(selection),
        files(std::move(files)), results(this->files.size()) {}

  rt::Result<std::vector<CaseResult>> run() {
    std::vector<std::thread> threads;
    for (uint64_t i = 1; i < request.jobs; ++i)
      threads.emplace_back([this] { work(); });
    work();
    for (std::thread &thread : threads)
      thread.join();
    if (isTerminal)
      fmt::print(stderr, "\r\033[K");
    NNHAL_RETURN_IF_ERROR(firstError);
    std::vector<CaseResult> all;
    for (std::vector<CaseResult> &some : results)
      std::ranges::move(some, std::back_inserter(all));
    return all;
  }

private:
  void work() {
    for (size_t i; (i = next++) < files.size();) {
      Status status = visitCases(files[i], [&](rt::TestCase test) {
        if (selection.contains(test))
          results[i].push_back(checkCase(std::move(test), subject, form()));
        return Status::ok();
      });
      std::lock_guard lock(mutex);
      if (!status.isOk() && firstError.isOk())
        firstError = std::move(status);
      done += 1;
      if (isTerminal)
        fmt::print(stderr, "\r\033[K{} of {} files", done, files.size());
    }
  }

  rt::DerivedForm form() const { return request.form; }

  const CheckRequest &request;
  CaseSubject subject;
  CaseSelection &selection;
  std::vector<std::string> files;
  std::vector<std::vector<CaseResult>> results;
  std::atomic<size_t> next = 0;
  std::mutex mutex;
  size_t done = 0;
  Status firstError;
  bool isTerminal = isatty(STDERR_FILENO) != 0;
};
} // namespace

static std::string_view toString(CaseResult::Outcome outcome) {
  switch (outcome) {
  case CaseResult::Outcome::passed:
    return "passed";
  case CaseResult::Outcome::failed:
    return "failed";
  case CaseResult::Outcome::notApplicable:
    return "not applicable";
  }
  return "";
}

static uint64_t count(const std::vector<CaseResult> &results,
                      CaseResult::Outcome outcome) {
  return uint64_t(std::ranges::count(results, outcome, &CaseResult::outcome));
}

static std::vector<std::string_view> namesOf(const std::vector<Way> &ways) {
  std::vector<std::string_view> names;
  names.reserve(ways.size());
  for (Way way : ways)
    names.push_back(nameOf(way));
  return names;
}

std::string tools::reportJson(const CheckRequest &request,
                              const rt::Device &device,
                              const std::vector<CaseResult> &results) {
  using enum CaseResult::Outcome;
  nlohmann::ordered_json report = {
      {"device", device.name()},
      {"dynamicInputShape", request.form.dynamicInputShape},
      {"dynamicOutputShape", request.form.dynamicOutputShape},
      {"unknownRank", request.form.unknownRank},
      {"quantizationCoupling", request.form.quantizationCoupling},
      {"passed", count(results, passed)},
      {"failed", count(results, failed)},
      {"notApplicable", count(results, notApplicable)}};
  if (!request.ways.list.empty())
    report["ways"] = namesOf(request.ways.list);
  report["cases"] = nlohmann::ordered_json::array();
  for (const CaseResult &result : results) {
    nlohmann::ordered_json row = {{"name", result.name},
                                  {"spec", result.spec},
                                  {"outcome", toString(result.outcome)}};
    if (!result.stage.empty())
      row["stage"] = result.stage;
    if (!result.message.empty())
      row["message"] = result.message;
    if (!request.ways.list.empty()) {
      row["failures"] = nlohmann::ordered_json::array();
      for (const WayFailure &failure : result.failures)
        row["failures"].push_back({{"way", nameOf(failure.way)},
                                   {"stage", failure.stage},
                                   {"message", failure.message}});
      row["undefinedWays"] = namesOf(result.undefined);
    }
    row["preparation_us"] = result.preparationMicroseconds;
    row["us"] = result.microseconds;
    report["cases"].push_back(std::move(row));
  }
  return report.dump(1) + "\n";
}

std::string tools::describeSlowCases(std::vector<CaseResult> results) {
  std::erase_if(results, [](const CaseResult &result) {
    return result.microseconds <= slowCaseMicroseconds;
  });
  std::ranges::sort(results, std::greater{}, &CaseResult::microseconds);
  std::string text;
  for (const CaseResult &result : results)
    text += fmt::format("{}: slow: {:.1f} s, {:.1f} s of it preparation\n",
                        result.name, double(result.microseconds) / 1e6,
                        double(result.preparationMicroseconds) / 1e6);
  return text;
}

std::string tools::describeFailure(const CheckRequest &request,
                                   const CaseResult &result) {
  auto line = [&](std::string_view way, std::string_view stage,
                  std::string_view message) {
    return fmt::format("{}: {}{}: {}\n", result.name, way,
                       stage.empty() ? "execution" : stage, message);
  };
  if (request.ways.list.empty() || result.failures.empty())
    return line("", result.stage, result.message);
  std::string text;
  for (const WayFailure &failure : result.failures)
    text += line(fmt::format("{}: ", nameOf(failure.way)), failure.stage,
                 failure.message);
  return text;
}

/// A run of no case at all says nothing about the device.
static Status checkSelection(const CheckRequest &request, size_t cases) {
  if (cases > 0)
    return Status::ok();
  return request.filter.empty()
             ? rt::failure("there is no test case in '{}'",
                           fmt::join(request.paths, "', '"))
             : rt::failure("no test case matches --filter='{}'",
                           request.filter);
}

static void printTotals(const CheckRequest &request,
                        const std::vector<CaseResult> &results) {
  using enum CaseResult::Outcome;
  fmt::print("{}", describeSlowCases(results));
  // A way that was not taken must not look as if it had been.
  for (Way way : request.ways.list) {
    auto skipped =
        std::ranges::count_if(results, [&](const CaseResult &result) {
          return std::ranges::find(result.undefined, way) !=
                 result.undefined.end();
        });
    if (skipped > 0)
      fmt::print(stderr, "note: way {} is not defined for {} of {} cases\n",
                 nameOf(way), skipped, results.size());
  }
  fmt::print("{} {}, {} failed\n", count(results, passed),
             request.emit.empty() ? "passed" : "compiled",
             count(results, failed));
  if (!results.empty() && count(results, notApplicable) == results.size())
    fmt::print(stderr,
               "note: no case ran: the form is defined for none of "
               "{}\n",
               results.size());
}

rt::Result<bool> tools::runCheck(const CheckRequest &request,
                                 const rt::Device &device,
                                 rt::LazyCompiler &compiler) {
  NNHAL_ASSIGN_OR_RETURN(std::vector<std::string> files,
                         findCaseFiles(request.paths));
  CaseSelection selection(request.filter, request.sample);
  NNHAL_RETURN_IF_ERROR(selection.prepare(files));
  NNHAL_RETURN_IF_ERROR(createFolder(request.emit));
  CaseSubject subject{&device, preparationOf(request, device, compiler),
                      cachedPreparationOf(request, device), request.ways,
                      request.timeLimit};
  CheckRun check(request, std::move(subject), selection, std::move(files));
  NNHAL_ASSIGN_OR_RETURN(std::vector<CaseResult> results, check.run());
  using enum CaseResult::Outcome;
  for (const CaseResult &result : results)
    if (result.outcome == failed)
      fmt::print("{}", describeFailure(request, result));
  if (!request.report.empty()) {
    std::string text = reportJson(request, device, results);
    NNHAL_RETURN_IF_ERROR(rt::writeFileAtomically(
        request.report, std::as_bytes(std::span(text))));
  }
  printTotals(request, results);
  NNHAL_RETURN_IF_ERROR(checkSelection(request, results.size()));
  return count(results, failed) == 0;
}
