//===- ValidationTest.cpp - Every mutation of the small cases -------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CarelessDevice.h"
#include "Shards.h"

#include "Conformance/Conformance.h"
#include "Tools/Check/CaseFiles.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <set>
#include <stdexcept>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace nnhal;
using namespace nnhal::mutations;
using rt::StatusCode;

namespace {

std::vector<std::string> caseFiles() {
  auto files = tools::findCaseFiles({NNHAL_TEST_DATA "/Cases"});
  EXPECT_EQ(files.status().message(), "");
  return files.isOk() ? *files : std::vector<std::string>();
}

std::vector<rt::TestCase> smallCases() {
  std::vector<rt::TestCase> cases;
  for (const std::string &file : caseFiles())
    EXPECT_EQ(tools::visitCases(file,
                                [&](rt::TestCase test) {
                                  cases.push_back(std::move(test));
                                  return rt::Status::ok();
                                })
                  .message(),
              "");
  return cases;
}

rt::TestCase caseOf(std::string_view name) {
  for (rt::TestCase &test : smallCases())
    if (test.name == name)
      return std::move(test);
  ADD_FAILURE() << "there is no case " << name;
  return {};
}

bool hasViolation(const Tally &tally, std::string_view first,
                  std::string_view second = "") {
  return std::ranges::any_of(
      tally.violations, [&](const std::string &violation) {
        return violation.find(first) != std::string::npos &&
               violation.find(second) != std::string::npos;
      });
}

/// Whether a mutation of \p kind, which messages name, was a violation that
/// \p text tells of.
bool hasViolationOf(const Tally &tally, Kind kind, std::string_view text = "") {
  return hasViolation(tally, fmt::format(": {}: ", nameOf(kind)), text);
}

/// The judgement of a device with \p fault on one small case.
Tally judgeCareless(Carelessness fault, std::string_view name = "dequantize",
                    std::chrono::milliseconds patience = defaultPatience) {
  CarelessDevice device(rt::conformance::createDeviceUnderTest(), fault);
  Tally tally;
  judgeCase(caseOf(name), device, tally, {}, patience);
  return tally;
}

/// The ways to execute a request, as messages name them.
constexpr std::string_view everyWay[] = {"execute", "executeAsync",
                                         "executeFenced", "a burst",
                                         "a burst with pools"};

// VTS demands this of a device: the status of every mutation of a model, by
// each of the three calls that take it, and of a request, in every way to
// execute it. L-012, L-031, B-003, B-041 to B-047, B-084, B-089.
TEST(ValidationTest, EveryMutationOfSmallCases) {
  Tally tally;
  auto device = rt::conformance::createDeviceUnderTest();
  for (const rt::TestCase &test : smallCases())
    judgeCase(test, *device, tally);
  EXPECT_EQ(fmt::format("{}", fmt::join(tally.violations, "\n")), "");
  EXPECT_GT(tally.total(), 10'000u);
  EXPECT_EQ(tally.prepared, tally.cases);
  // A kind that no case has says nothing.
  std::set<Kind> seen;
  for (const auto &[key, count] : tally.counts)
    seen.insert(key.first);
  for (size_t kind = 0; kind < kindCount; ++kind)
    if (Kind(kind) != Kind::legalRemoval) // No small case has an optional tail.
      EXPECT_TRUE(seen.contains(Kind(kind))) << nameOf(Kind(kind));
}

TEST(ValidationTest, DevicesThatAcceptEverythingAreFound) {
  CarelessDevice device(rt::conformance::createDeviceUnderTest(),
                        Carelessness::acceptsModels);
  Tally tally;
  judgeCase(caseOf("if_1"), device, tally);
  for (Kind kind : {Kind::operandType,
                    Kind::operandRank,
                    Kind::operandScale,
                    Kind::operandZeroPoint,
                    Kind::operandLifetime,
                    Kind::operandInputOutput,
                    Kind::operandConsumers,
                    Kind::operandAddWriter,
                    Kind::operationOperandType,
                    Kind::operationType,
                    Kind::operationInputIndex,
                    Kind::operationOutputIndex,
                    Kind::operationRemoveWrite,
                    Kind::removeOperand,
                    Kind::removeOperation,
                    Kind::removeOperationInput,
                    Kind::removeOperationOutput,
                    Kind::addOperationInput,
                    Kind::addOperationOutput,
                    Kind::preference,
                    Kind::priority,
                    Kind::operandExtents,
                    Kind::operandLocation,
                    Kind::constantRegion,
                    Kind::channelScales,
                    Kind::modelInputs,
                    Kind::modelOutputs,
                    Kind::emptyGraph,
                    Kind::subgraphReference,
                    Kind::pools,
                    Kind::extensionNames})
    EXPECT_TRUE(hasViolationOf(tally, kind)) << nameOf(kind);
  // Two operations, one of which reads what the other writes.
  judgeCase(caseOf("gather_of_box_with_nms_limit"), device, tally);
  EXPECT_TRUE(hasViolationOf(tally, Kind::executionOrder));
}

TEST(ValidationTest, DevicesThatRefuseWhatIsLegalAreFound) {
  Tally tally = judgeCareless(Carelessness::refusesModels);
  EXPECT_TRUE(hasViolationOf(tally, Kind::legalOperandType));
  EXPECT_TRUE(hasViolationOf(tally, Kind::legalAddition));
}

TEST(ValidationTest, DevicesThatExecuteEverythingAreFound) {
  Tally tally = judgeCareless(Carelessness::acceptsRequests);
  for (Kind kind : {Kind::requestInputRemoved, Kind::requestInputAdded,
                    Kind::requestInputOmitted, Kind::requestInputShape,
                    Kind::requestInputLength, Kind::requestInputRegion,
                    Kind::requestOutputRemoved, Kind::requestOutputAdded,
                    Kind::requestOutputOmitted, Kind::requestOutputShape,
                    Kind::requestOutputLength, Kind::requestOutputRegion,
                    Kind::requestDeadline})
    for (std::string_view way : everyWay)
      EXPECT_TRUE(
          hasViolationOf(tally, kind, fmt::format(": {} answers NONE", way)))
          << nameOf(kind) << ", " << way;
}

TEST(ValidationTest, SecondCallbacksAreFound) {
  Tally tally = judgeCareless(Carelessness::callsBackTwice);
  EXPECT_TRUE(hasViolationOf(tally, Kind::pools,
                             ": prepareModelAsync calls back 2 times"));
  EXPECT_TRUE(hasViolationOf(tally, Kind::requestInputRemoved,
                             ": executeAsync calls back 2 times"));
}

TEST(ValidationTest, MissingCallbacksAndSignalsAreFound) {
  using std::chrono::milliseconds;
  Tally tally = judgeCareless(Carelessness::neverCallsBack, "dequantize",
                              milliseconds(2));
  // Each call is made once.
  ASSERT_EQ(tally.violations.size(), 2u);
  EXPECT_TRUE(hasViolation(
      tally, ": prepareModelAsync does not call back within 2 ms"));
  EXPECT_TRUE(
      hasViolation(tally, ": executeAsync does not call back within 2 ms"));
  tally =
      judgeCareless(Carelessness::neverSignals, "dequantize", milliseconds(2));
  ASSERT_EQ(tally.violations.size(), 1u);
  EXPECT_TRUE(hasViolation(
      tally, ": executeFenced does not signal its fence within 2 ms"));
}

TEST(ValidationTest, DurationsBesideErrorsAreFound) {
  Tally tally = judgeCareless(Carelessness::reportsDurations);
  for (std::string_view way : everyWay)
    EXPECT_TRUE(hasViolationOf(
        tally, Kind::requestInputRemoved,
        fmt::format(": {} answers INVALID_ARGUMENT with durations", way)))
        << way;
}

TEST(ValidationTest, ShapesBesideErrorsAreFound) {
  Tally tally = judgeCareless(Carelessness::reportsShapes);
  for (std::string_view way : everyWay)
    // Fenced executions report none.
    EXPECT_EQ(
        hasViolationOf(
            tally, Kind::requestInputRemoved,
            fmt::format(": {} answers INVALID_ARGUMENT with shapes", way)),
        way != "executeFenced")
        << way;
}

TEST(ValidationTest, FencedExecutionsThatContradictTheirFenceAreFound) {
  Tally tally = judgeCareless(Carelessness::hidesFailures);
  EXPECT_TRUE(hasViolationOf(tally, Kind::requestInputRemoved,
                             "the information of executeFenced answers NONE"));
}

TEST(ValidationTest, WritesOutsideOfOutputsAreFound) {
  Tally tally = judgeCareless(Carelessness::writesBehindOutputs);
  for (Kind kind : {Kind::requestOutputLength, Kind::requestOverlap})
    for (std::string_view way :
         {"execute", "executeAsync", "a burst with pools"})
      EXPECT_TRUE(
          hasViolationOf(tally, kind, fmt::format(": {} writes outside", way)))
          << nameOf(kind) << ", " << way;
  // The client of a burst copies borrowed outputs only.
  EXPECT_FALSE(hasViolationOf(tally, Kind::requestOutputLength,
                              ": a burst writes outside"));
  tally = judgeCareless(Carelessness::writesBeforeOutputs);
  EXPECT_TRUE(hasViolationOf(tally, Kind::requestOutputLength,
                             ": a burst with pools writes outside"));
}

/// Violations of the judgement of \p file without the name of the file.
std::vector<std::string> judgeInProcess(unsigned seconds,
                                        const JudgeFile &judge) {
  auto judged = judgeFiles({"a file"}, 1, seconds, judge);
  EXPECT_TRUE(judged.isOk()) << judged.status().message();
  return judged.isOk() ? judged->violations : std::vector<std::string>();
}

[[noreturn]] void stay() {
  while (true)
    ::pause();
}

TEST(ValidationTest, ProcessesThatDoNotEndAreKilled) {
  std::vector<std::string> expected = {
      "a file: what takes long: it did not end"};
  auto stays = [](const std::string &, Tally &,
                  const Progress &progress) -> rt::Status {
    progress("what takes long");
    stay();
  };
  EXPECT_EQ(judgeInProcess(1, stays), expected);
  // A report that ends before its process, as nothing more can be read.
  auto closes = [&](const std::string &file, Tally &tally,
                    const Progress &progress) {
    for (int fd = 3; fd < 1024; ++fd)
      ::close(fd);
    return stays(file, tally, progress);
  };
  EXPECT_EQ(judgeInProcess(1, closes), expected);
}

TEST(ValidationTest, ProcessesThatEndWithoutReportNameTheirMutation) {
  for (int status : {0, 3})
    EXPECT_EQ(judgeInProcess(60,
                             [&](const std::string &, Tally &tally,
                                 const Progress &progress) -> rt::Status {
                               tally.violations = {"lost"};
                               progress("what was next");
                               ::_exit(status);
                             }),
              std::vector<std::string>{fmt::format(
                  "a file: what was next: the process ended with status {}",
                  status)});
}

TEST(ValidationTest, ExceptionsNameTheirMutation) {
  auto throws = [](const std::string &, Tally &,
                   const Progress &progress) -> rt::Status {
    progress("what was next");
    throw std::runtime_error("unexpected");
  };
  EXPECT_EQ(judgeInProcess(60, throws),
            std::vector<std::string>{
                "a file: what was next: the process died of signal 6"});
}

// The report is longer than a pipe has room for.
TEST(ValidationTest, LongReports) {
  std::vector<std::string> many(20'000, std::string(100, 'x'));
  EXPECT_EQ(
      judgeInProcess(60,
                     [&](const std::string &, Tally &tally, const Progress &) {
                       tally.violations = many;
                       return rt::Status::ok();
                     }),
      many);
}

TEST(ValidationTest, NoProcessIsLeftWhenOneCannotStart) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  ::close(ends[0]);
  ::close(ends[1]);
  // There is room for the pipe of one process.
  rlimit few = before;
  few.rlim_cur = rlim_t(std::max(ends[0], ends[1])) + 1;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  auto judged = judgeFiles({"a file", "another"}, 2, 60,
                           [](const std::string &, Tally &,
                              const Progress &) -> rt::Status { stay(); });
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(judged.status().code(), StatusCode::resourceExhaustedTransient);
  EXPECT_EQ(judged.status().message(), "no memory or pipe for a process");
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(ValidationTest, CrashesNameTheirMutation) {
  auto judged = judgeFiles(
      caseFiles(), 2, 60,
      [](const std::string &, Tally &tally, const Progress &progress) {
        tally.cases = 1;
        progress("what was next");
        ::raise(SIGKILL);
        return rt::Status::ok();
      });
  ASSERT_TRUE(judged.isOk()) << judged.status().message();
  ASSERT_EQ(judged->violations.size(), caseFiles().size());
  EXPECT_EQ(judged->violations[0].substr(judged->violations[0].find(": ")),
            ": what was next: the process died of signal 9");
  EXPECT_EQ(judged->cases, 0u);
}

TEST(ValidationTest, SumsOfProcesses) {
  auto judged =
      judgeFiles(caseFiles(), 2, 60,
                 [](const std::string &, Tally &tally, const Progress &) {
                   tally.cases = 2;
                   tally.prepared = 1;
                   tally.counts[{Kind::pools, StatusCode::invalidArgument}] = 3;
                   tally.violations = {"one"};
                   return rt::Status::ok();
                 });
  ASSERT_TRUE(judged.isOk()) << judged.status().message();
  size_t files = caseFiles().size();
  EXPECT_EQ(judged->cases, 2 * files);
  EXPECT_EQ(judged->total(), 3 * files);
  EXPECT_EQ(judged->violations.size(), files);
  auto failed = judgeFiles(
      {"a file"}, 1, 60, [](const std::string &, Tally &, const Progress &) {
        return rt::Status(StatusCode::invalidArgument, "no such device");
      });
  EXPECT_EQ(failed.status().message(), "a file: no such device");
}

} // namespace
