//===- TestCaseWriterTest.cpp - Cases written and read again --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/JsonModel.h"
#include "nnhal/Runtime/TestCase.h"

#include "../Faults/Allocations.h"
#include "../Model/TestModels.h"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

using namespace nnhal::rt;
using namespace nnhal::rt::test;

namespace {

std::vector<TestCase> read(std::string_view text) {
  std::vector<TestCase> cases;
  Status status = readTestCases(text, [&](TestCase test) {
    cases.push_back(std::move(test));
    return Status::ok();
  });
  EXPECT_EQ(status.message(), "");
  return cases;
}

std::string write(const std::vector<TestCase> &cases) {
  auto text = writeTestCases(cases);
  EXPECT_EQ(text.status().message(), "");
  return text.isOk() ? *text : "";
}

/// One addition with one example.
TestCase smallCase() {
  TestCase test;
  test.name = "small";
  test.spec = "a \"spec\"";
  test.model = addTwice();
  TestTensor tensor = {false, {2}, std::vector<uint8_t>(8, 1)};
  test.examples = {{{tensor}, {tensor}, std::nullopt}};
  return test;
}

TEST(TestCaseWriterTest, ownCasesRoundTrip) {
  std::ifstream stream(NNHAL_TEST_DATA "/Cases/basic.json");
  std::stringstream text;
  text << stream.rdbuf();
  std::vector<TestCase> cases = read(text.str());
  ASSERT_FALSE(cases.empty());
  std::string written = write(cases);
  std::vector<TestCase> again = read(written);
  ASSERT_EQ(again.size(), cases.size());
  for (size_t i = 0; i < cases.size(); ++i) {
    EXPECT_EQ(again[i].name, cases[i].name);
    EXPECT_EQ(again[i].minHalVersion, cases[i].minHalVersion);
    EXPECT_EQ(again[i].expectFailure, cases[i].expectFailure);
    ASSERT_EQ(again[i].examples.size(), cases[i].examples.size());
    for (size_t e = 0; e < cases[i].examples.size(); ++e)
      for (size_t t = 0; t < cases[i].examples[e].outputs.size(); ++t) {
        const TestTensor &tensor = cases[i].examples[e].outputs[t];
        const TestTensor &other = again[i].examples[e].outputs[t];
        EXPECT_EQ(other.isAbsent, tensor.isAbsent);
        EXPECT_EQ(other.dimensions, tensor.dimensions);
        EXPECT_EQ(other.bytes, tensor.bytes);
      }
  }
  EXPECT_EQ(write(again), written);
}

TEST(TestCaseWriterTest, everythingThatACaseMayState) {
  TestCase test = smallCase();
  test.minHalVersion = HalVersion::V1_1;
  test.expectFailure = true;
  test.atol = 0.25;
  test.rtol = 0.5;
  test.examples[0].multinomialTolerance = 0.125;
  test.examples[0].outputs[0] = {true, {}, {}};
  std::vector<TestCase> again = read(write({test, smallCase()}));
  ASSERT_EQ(again.size(), 2u);
  EXPECT_EQ(again[0].spec, "a \"spec\"");
  EXPECT_EQ(again[0].minHalVersion, HalVersion::V1_1);
  EXPECT_TRUE(again[0].expectFailure);
  EXPECT_EQ(again[0].atol, 0.25);
  EXPECT_EQ(again[0].rtol, 0.5);
  EXPECT_EQ(again[0].examples[0].multinomialTolerance, 0.125);
  EXPECT_TRUE(again[0].examples[0].outputs[0].isAbsent);
  EXPECT_FALSE(again[1].expectFailure);
  EXPECT_FALSE(again[1].atol);
  EXPECT_TRUE(read(write({})).empty());
}

TestCase recordedCase() {
  TestCase test = smallCase();
  Recording &recording = test.recording.emplace();
  recording.settings.devices = {"a", "b"};
  recording.settings.timeout = 9;
  recording.preparation = {StatusCode::none, 12};
  recording.calls = {{RecordedWay::fenced, {StatusCode::deadObject, 34}, 56}};
  return test;
}

TEST(TestCaseWriterTest, recordingsRoundTrip) {
  TestCase test = recordedCase();
  // Numbers do not say which NaN this is.
  std::vector<uint8_t> strange = {1, 2, 0xC0, 0xFF, 0, 0, 0x80, 0x7F};
  test.examples[0].outputs[0].bytes = strange;
  std::string text = write({test, smallCase()});
  std::vector<TestCase> again = read(text);
  ASSERT_EQ(again.size(), 2u);
  EXPECT_EQ(again[0].recording, test.recording);
  EXPECT_EQ(again[0].examples[0].outputs[0].bytes, strange);
  EXPECT_EQ(again[0].examples[0].inputs[0].bytes,
            test.examples[0].inputs[0].bytes);
  EXPECT_FALSE(again[1].recording);
  EXPECT_EQ(write(again), text);
  EXPECT_NE(text.find(R"("recording":{"settings":{)"), std::string::npos);
  EXPECT_NE(
      text.find(
          R"(},"preparation":{"status":"NONE","nanoseconds":12},"calls":[{"way":"fenced","status":"DEAD_OBJECT","nanoseconds":34,"loopTimeoutNanoseconds":56}]})"),
      std::string::npos)
      << text;
  // Few numbers are there for people.
  EXPECT_NE(text.find("\"value\":["), std::string::npos);
  EXPECT_NE(text.find("\"base64\":\"AQLA/wAAgH8=\""), std::string::npos);
}

/// What is wrong with the text of recordedCase(), where \p from is \p to.
std::string problem(std::string_view from, std::string_view to) {
  std::string text = write({recordedCase()});
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos);
  text.replace(at, from.size(), to);
  return readTestCases(text, [](const TestCase &) { return Status::ok(); })
      .message();
}

TEST(TestCaseWriterTest, recordingsThatNobodyWrites) {
  EXPECT_EQ(problem("\"fenced\"", "\"slowly\""),
            "cases[0].recording.calls[0].way: expected one of sync, async, "
            "fenced, burst, found \"slowly\"");
  EXPECT_EQ(problem("\"DEAD_OBJECT\"", "\"DEAD\""),
            "cases[0].recording.calls[0].status: 'DEAD' is no status");
  EXPECT_EQ(problem("\"calls\":[{\"way\"", "\"calls\":[],\"x\":[{\"way\""),
            "cases[0].recording: unknown key \"x\"");
  std::string text = write({recordedCase()});
  std::string call = text.substr(text.find("{\"way\""));
  call.resize(call.find('}') + 1);
  EXPECT_EQ(problem(call, ""),
            "cases[0].recording: found 0 calls, the case has 1 examples");
  std::string value = text.substr(text.find("\"inputs\":[{"));
  value = value.substr(value.find("\"value\":"));
  value.resize(value.find(']') + 1);
  EXPECT_EQ(problem(value, "\"base64\":\"AAAA\"," + value),
            "cases[0].examples[0].inputs[0]: \"value\" and \"base64\" are "
            "given");
  EXPECT_EQ(problem(value, "\"base64\":\"AAAA\""),
            "cases[0].examples[0].inputs[0].base64: 3 bytes are not elements "
            "of 4 bytes");
}

TEST(TestCaseWriterTest, tensorsThatDoNotFit) {
  TestCase test = smallCase();
  test.examples[0].inputs[0].bytes.pop_back();
  EXPECT_EQ(writeTestCases(std::span(&test, 1)).status().message(),
            "small: example 0: input 0: 7 bytes are not elements of 4 bytes");
  test = smallCase();
  test.examples[0].outputs.clear();
  EXPECT_EQ(writeTestCases(std::span(&test, 1)).status().message(),
            "small: example 0: found 0 outputs, the model has 1");
  test = smallCase();
  test.model.main.inputIndexes[0] = uint32_t(test.model.main.operands.size());
  EXPECT_EQ(writeTestCases(std::span(&test, 1)).status().message(),
            fmt::format("small: example 0: input 0 is operand {0}, the model "
                        "has {0}",
                        test.model.main.operands.size()));
  test = smallCase();
  test.name = "\xff";
  EXPECT_EQ(writeTestCases(std::span(&test, 1)).status().message(),
            "the name of a test case is not UTF-8");
}

TEST(TestCaseWriterTest, lackOfMemory) {
  if (!AllocationFailure::isPossible())
    GTEST_SKIP() << "allocations cannot fail here";
  TestCase test = smallCase();
  std::set<std::string> failures = failuresWithoutMemory(
      [&] { return writeTestCases(std::span(&test, 1)).status(); });
  EXPECT_TRUE(failures.contains("RESOURCE_EXHAUSTED_TRANSIENT: no memory for "
                                "the JSON of test cases"));
}

} // namespace
