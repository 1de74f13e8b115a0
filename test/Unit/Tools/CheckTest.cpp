//===- CheckTest.cpp - Conformance cases and how they are run -------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tools/Check/Check.h"

#include "nnhal/Runtime/ReferenceDevice.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <fstream>
#include <sstream>

using namespace nnhal;
using namespace nnhal::tools;

namespace {

std::string ownCases() {
  std::ifstream stream(NNHAL_TEST_DATA "/Cases/basic.json");
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

rt::TestCase ownCase(std::string_view name) {
  rt::TestCase found;
  rt::Status status =
      rt::readTestCases(ownCases(), [&](rt::TestCase test) -> rt::Status {
        if (test.name == name)
          found = std::move(test);
        return {};
      });
  EXPECT_EQ(status.message(), "");
  EXPECT_EQ(found.name, name);
  return found;
}

CaseResult check(rt::TestCase test, const rt::DerivedForm &form = {}) {
  return checkCase(std::move(test), *rt::createReferenceDevice(), form);
}

using Outcome = CaseResult::Outcome;

TEST(CheckTest, ownCasesPass) {
  size_t count = 0;
  rt::Status status =
      rt::readTestCases(ownCases(), [&](rt::TestCase test) -> rt::Status {
        CaseResult result = check(std::move(test));
        EXPECT_EQ(result.outcome, Outcome::passed)
            << result.name << ": " << result.message;
        ++count;
        return {};
      });
  EXPECT_EQ(status.message(), "");
  EXPECT_EQ(count, 14u);
}

// L-008, L-009, L-011.
TEST(CheckTest, saysWhatDiffers) {
  rt::TestCase test = ownCase("add_quantized");
  test.examples[0].outputs[0].bytes[2] += 7;
  CaseResult result = check(test);
  EXPECT_EQ(result.outcome, Outcome::failed);
  EXPECT_EQ(result.stage, "comparison");
  EXPECT_EQ(result.message,
            "GENERAL_FAILURE: output 0: element 2 [2] is 123, expected 130 "
            "within 1; 1 of 4 differ");
  test.examples[0].outputs[0].dimensions = {2, 2};
  EXPECT_EQ(check(test).message,
            "GENERAL_FAILURE: output 0: shape [4], expected [2,2]");
  test.examples[0].outputs[0].isAbsent = true;
  EXPECT_EQ(check(test).outcome, Outcome::passed);
}

TEST(CheckTest, boundsOfACaseReplaceThoseOfTheType) {
  rt::TestCase test = ownCase("add_quantized");
  test.examples[0].outputs[0].bytes[2] += 7;
  test.atol = 7;
  EXPECT_EQ(check(test).outcome, Outcome::passed);
  test.atol = 6;
  EXPECT_EQ(check(test).outcome, Outcome::failed);
  test.rtol = 0.5;
  EXPECT_EQ(check(test).outcome, Outcome::passed);
}

// L-006: quantized outputs of a MobileNet may be off by three steps.
TEST(CheckTest, mobileNetsMayBeThreeStepsOff) {
  for (auto [spec, allowed] : {std::pair("V1_2/mobilenet_quantized", 3),
                               std::pair("V1_0/add_quant8", 1)}) {
    rt::TestCase test = ownCase("add_quantized");
    test.spec = spec;
    uint8_t &element = test.examples[0].outputs[0].bytes[2];
    element = uint8_t(element - allowed);
    EXPECT_EQ(check(test).outcome, Outcome::passed) << spec;
    element -= 1;
    EXPECT_EQ(check(test).outcome, Outcome::failed) << spec;
  }
}

// L-014.
TEST(CheckTest, failureIsExpectedAtSomeStage) {
  CaseResult result = check(ownCase("concatenation_of_rank_5"));
  EXPECT_EQ(result.stage, "validation");
  result = check(ownCase("embedding_lookup_out_of_range"));
  EXPECT_EQ(result.stage, "execution");
  rt::TestCase test = ownCase("if_1");
  test.expectFailure = true;
  result = check(test);
  EXPECT_EQ(result.outcome, Outcome::failed);
  EXPECT_EQ(result.message, "nothing failed, a failure was expected");
}

TEST(CheckTest, infiniteLoopMissesItsDeadline) { // D-084, L-029
  CaseResult result = check(ownCase("while_infinite_loop"));
  EXPECT_EQ(result.outcome, Outcome::passed);
  EXPECT_EQ(result.message,
            "MISSED_DEADLINE_TRANSIENT: operation 0 (WHILE): the loop ran for "
            "longer than 1000000 ns");
}

TEST(CheckTest, versionIsThatOfTheCase) {
  rt::TestCase test = ownCase("rank_of_unread_elements");
  test.minHalVersion = rt::HalVersion::V1_2;
  CaseResult result = check(test);
  EXPECT_EQ(result.outcome, Outcome::failed);
  EXPECT_EQ(result.stage, "validation");
}

// L-013, L-015, L-029: dynamic shapes, and the other type of bytes.
TEST(CheckTest, derivedForms) {
  rt::DerivedForm inputs{.dynamicInputShape = true};
  rt::DerivedForm outputs{.dynamicOutputShape = true};
  rt::DerivedForm ranks{.unknownRank = true};
  rt::DerivedForm coupled{.quantizationCoupling = true};
  for (const rt::DerivedForm &form : {inputs, outputs, ranks, coupled})
    EXPECT_EQ(check(ownCase("add_quantized"), form).message, "");
  for (const rt::DerivedForm &form : {inputs, outputs})
    for (const char *name : {"if_1", "while_counts", "rank_of_unread_elements",
                             "concatenation_of_rank_5"})
      EXPECT_EQ(check(ownCase(name), form).outcome, Outcome::notApplicable);
  EXPECT_EQ(check(ownCase("add_broadcast"), coupled).outcome,
            Outcome::notApplicable);
  for (const char *name : {"while_counts", "rank_of_unread_elements"})
    EXPECT_EQ(check(ownCase(name), ranks).message, "");
  for (const char *name : {"if_1", "concatenation_of_rank_5"})
    EXPECT_EQ(check(ownCase(name), ranks).outcome, Outcome::notApplicable);

  // L-015: some have no form of the other type.
  for (rt::OperationType type :
       {rt::OperationType::HASHTABLE_LOOKUP, rt::OperationType::LSH_PROJECTION,
        rt::OperationType::PAD_V2, rt::OperationType::CAST,
        rt::OperationType::QUANTIZED_16BIT_LSTM}) {
    rt::TestCase exempt = ownCase("add_quantized");
    exempt.model.main.operations[0].type = type;
    rt::Result<bool> applies = deriveForm(exempt, coupled);
    ASSERT_TRUE(applies.isOk());
    EXPECT_FALSE(*applies) << nameOf(type);
  }
  // Results are one step off at most, also after the shift.
  for (int steps : {1, 2}) {
    rt::TestCase off = ownCase("add_quantized");
    off.examples[0].outputs[0].bytes[2] -= uint8_t(steps);
    EXPECT_EQ(check(off, coupled).outcome,
              steps == 1 ? Outcome::passed : Outcome::failed);
  }

  rt::TestCase test = ownCase("add_quantized");
  rt::Result<bool> applies = deriveForm(test, coupled);
  ASSERT_TRUE(applies.isOk());
  const rt::Operand &operand = test.model.main.operands[0];
  EXPECT_EQ(operand.type, rt::OperandType::TENSOR_QUANT8_ASYMM_SIGNED);
  EXPECT_EQ(operand.zeroPoint, 0);
  EXPECT_EQ(test.examples[0].inputs[0].bytes[1], 4);
}

// L-010.
TEST(CheckTest, multinomialIsComparedByFrequency) {
  rt::TestCase test;
  test.name = test.spec = "multinomial";
  rt::Operand logits, count, seeds, drawn;
  logits.type = rt::OperandType::TENSOR_FLOAT32;
  logits.dimensions = {1, 2};
  logits.lifetime = rt::OperandLifeTime::SUBGRAPH_INPUT;
  count.type = rt::OperandType::INT32;
  count.lifetime = rt::OperandLifeTime::CONSTANT_COPY;
  count.location = {0, 0, 4};
  seeds.type = rt::OperandType::TENSOR_INT32;
  seeds.dimensions = {2};
  seeds.lifetime = rt::OperandLifeTime::CONSTANT_COPY;
  seeds.location = {0, 4, 8};
  drawn.type = rt::OperandType::TENSOR_INT32;
  drawn.dimensions = {1, 4096};
  drawn.lifetime = rt::OperandLifeTime::SUBGRAPH_OUTPUT;
  test.model.operandValues = {0, 16, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0};
  test.model.main.operands = {logits, count, seeds, drawn};
  test.model.main.operations = {
      {rt::OperationType::RANDOM_MULTINOMIAL, {0, 1, 2}, {3}}};
  test.model.main.inputIndexes = {0};
  test.model.main.outputIndexes = {3};
  computeConsumers(test.model.main);
  rt::TestExample &example = test.examples.emplace_back();
  float values[2] = {0.0f, 1.0f};
  auto bytes = std::span(reinterpret_cast<const uint8_t *>(values), 8);
  example.inputs.push_back({false, {1, 2}, {bytes.begin(), bytes.end()}});
  example.outputs.emplace_back().isAbsent = true;
  example.multinomialTolerance = 0.05;
  EXPECT_EQ(check(test).message, "");
  example.multinomialTolerance = 1e-9;
  CaseResult result = check(test);
  EXPECT_EQ(result.outcome, Outcome::failed);
  EXPECT_NE(result.message.find("output 0: class 0 has frequency 0.2"),
            std::string::npos)
      << result.message;
}

TEST(CheckTest, reportIsJson) {
  CheckRequest request;
  request.form.dynamicInputShape = true;
  auto device = rt::createReferenceDevice();
  nlohmann::json report = nlohmann::json::parse(
      reportJson(request, *device,
                 {{"a", "s", Outcome::passed, "", ""},
                  {"b", "s", Outcome::failed, "execution", "why", 7, 9},
                  {"c", "s", Outcome::notApplicable, "", ""}}));
  EXPECT_EQ(report["device"], "nnhal-reference");
  EXPECT_EQ(report["dynamicInputShape"], true);
  EXPECT_EQ(report["passed"], 1);
  EXPECT_EQ(report["failed"], 1);
  EXPECT_EQ(report["notApplicable"], 1);
  EXPECT_EQ(report["cases"][1]["stage"], "execution");
  EXPECT_EQ(report["cases"][1]["message"], "why");
  EXPECT_EQ(report["cases"][1]["preparation_us"], 7);
  EXPECT_EQ(report["cases"][1]["us"], 9);
  EXPECT_EQ(report["cases"][2]["outcome"], "not applicable");
}

TEST(CheckTest, slowCasesAreNamed) {
  CaseResult fast{"fast", "s", Outcome::passed, "", "", 0, 2000000};
  CaseResult slow{"slow", "s", Outcome::passed, "", "", 1960000, 2040000};
  CaseResult slower{"slower", "s", Outcome::failed, "", "", 100000, 30000000};
  EXPECT_EQ(describeSlowCases({fast, slow, slower}),
            "slower: slow: 30.0 s, 0.1 s of it preparation\n"
            "slow: slow: 2.0 s, 2.0 s of it preparation\n");
  EXPECT_EQ(describeSlowCases({fast}), "");
}

std::string readError(std::string_view text) {
  return rt::readTestCases(text, [](rt::TestCase) { return rt::Status(); })
      .message();
}

TEST(CheckTest, namesWhatIsWrongInAFile) {
  EXPECT_EQ(readError(R"({"case":[]})"), "cases: unknown key \"case\"");
  EXPECT_EQ(readError(R"({"cases":[{"name":"a"},{"name":"b","name":"c"}]})"),
            "cases[1]: key \"name\" is given twice");
  EXPECT_EQ(readError(R"({"cases":[],"cases":[]})"),
            "cases: key \"cases\" is given twice");
  std::string model =
      R"("name":"n","spec":"s","model":{"main":{"operands":[],"operations":[],)"
      R"("inputIndexes":[0],"outputIndexes":[]}})";
  EXPECT_EQ(readError(R"({"cases":[{"minHalVersion":"2.0",)" + model + "}]}"),
            "cases[0]: '2.0' is no HAL version");
  EXPECT_EQ(readError(R"({"cases":[{"minHalVersion":"1.0","examples":)"
                      R"([{"inputs":[],"outputs":[]}],)" +
                      model + "}]}"),
            "cases[0].examples[0].inputs: found 0 tensors, the model has 1");
  EXPECT_EQ(readError(R"({"cases":[{"minHalVersion":"1.0","examples":)"
                      R"([{"inputs":[{}],"outputs":[]}],)" +
                      model + "}]}"),
            "cases[0].examples[0].inputs: the model refers to operand 0 of 0");
}

} // namespace
