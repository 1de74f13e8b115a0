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
#include <cstdlib>
#include <set>

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

/// The kinds of \p tally that had a violation, by the names in the messages.
bool hasViolationOf(const Tally &tally, Kind kind) {
  std::string text = fmt::format(": {}: ", nameOf(kind));
  return std::ranges::any_of(tally.violations,
                             [&](const std::string &violation) {
                               return violation.find(text) != std::string::npos;
                             });
}

// What VTS demands of a device: the status of every mutation of a model, by
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
  CarelessDevice device(rt::conformance::createDeviceUnderTest(),
                        Carelessness::refusesModels);
  Tally tally;
  judgeCase(caseOf("dequantize"), device, tally);
  EXPECT_TRUE(hasViolationOf(tally, Kind::legalOperandType));
  EXPECT_TRUE(hasViolationOf(tally, Kind::legalAddition));
}

TEST(ValidationTest, DevicesThatExecuteEverythingAreFound) {
  CarelessDevice device(rt::conformance::createDeviceUnderTest(),
                        Carelessness::acceptsRequests);
  Tally tally;
  judgeCase(caseOf("dequantize"), device, tally);
  for (Kind kind : {Kind::requestInputRemoved, Kind::requestInputAdded,
                    Kind::requestInputOmitted, Kind::requestInputShape,
                    Kind::requestInputLength, Kind::requestInputRegion,
                    Kind::requestOutputRemoved, Kind::requestOutputAdded,
                    Kind::requestOutputShape, Kind::requestOutputLength,
                    Kind::requestOutputRegion, Kind::requestDeadline})
    EXPECT_TRUE(hasViolationOf(tally, kind)) << nameOf(kind);
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
