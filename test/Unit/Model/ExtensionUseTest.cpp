//===- ExtensionUseTest.cpp - Extensions that devices list ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime/Model/ExtensionUse.h"
#include "nnhal/Runtime/Extensions.h"

#include <gtest/gtest.h>

using namespace nnhal::rt;

namespace {

Operand operandOf(uint32_t type, std::vector<uint32_t> dimensions) {
  Operand operand;
  operand.type = OperandType(type);
  operand.dimensions = std::move(dimensions);
  return operand;
}

/// One operation of the extension of points, with prefix 7, beside one with
/// prefix 9.
Model pointsModel() {
  Model model;
  model.extensionNameToPrefix = {{"com.example.points", 7},
                                 {"com.example.other", 9}};
  model.main.operands = {operandOf(0x70003, {2, 0}), operandOf(0x70004, {}),
                         operandOf(uint32_t(OperandType::TENSOR_FLOAT32), {2})};
  model.main.operations = {{OperationType(0x70001), {0, 1}, {2}}};
  return model;
}

std::string complaint(const Model &model, std::vector<Extension> extensions) {
  std::string whole = checkExtensionUse(model, extensions).message();
  std::string one =
      checkExtensionUse(model, model.main, model.main.operations[0], extensions)
          .message();
  // Both find the same, the former says where.
  EXPECT_TRUE(whole.ends_with(one)) << whole;
  EXPECT_EQ(whole.empty(), one.empty());
  return whole;
}

struct ExtensionUseTest : ::testing::Test {
  const Extension points = {"com.example.points",
                            {{3, true, 12}, {4, false, 8}}};
  const Extension other = {"com.example.other", {{0, true, 2}}};
  /// The size of an element differs.
  const Extension narrowPoints = {"com.example.points",
                                  {{3, true, 6}, {4, false, 8}}};
};

// H-009, H-013, H-014: what two entries describe differently is disabled, and
// equal entries are one.
TEST_F(ExtensionUseTest, entriesAgree) {
  std::vector<Extension> list = {points, other, points};
  EXPECT_EQ(lookUpExtension(list, "com.example.points"), &list[0]);
  EXPECT_EQ(lookUpExtension(list, "com.example.nobody"), nullptr);
  auto enabled = enabledExtensions(list);
  ASSERT_EQ(enabled.size(), 2u);
  EXPECT_EQ(enabled[0].name, "com.example.points");
  EXPECT_EQ(enabled[1].name, "com.example.other");
  list.push_back(narrowPoints);
  EXPECT_EQ(lookUpExtension(list, "com.example.points"), nullptr);
  enabled = enabledExtensions(list);
  ASSERT_EQ(enabled.size(), 1u);
  EXPECT_EQ(enabled[0].name, "com.example.other");
  EXPECT_FALSE(describeType(pointsModel(), list, OperandType(0x70003)));
  EXPECT_EQ(complaint(pointsModel(), list),
            "main: operation 0: extension 'com.example.points' is disabled: "
            "its types are described in two ways");
}

// H-013, H-014: descriptions are compared field by field.
TEST_F(ExtensionUseTest, allFieldsCount) {
  for (Extension::OperandTypeInfo last :
       {Extension::OperandTypeInfo{5, false, 8},
        Extension::OperandTypeInfo{4, true, 8},
        Extension::OperandTypeInfo{4, false, 4}}) {
    std::vector<Extension> list = {points, points};
    list[1].operandTypes[1] = last;
    EXPECT_EQ(lookUpExtension(list, points.name), nullptr);
  }
}

// A device of an older version does not say what elements are.
TEST_F(ExtensionUseTest, kindsAreNotCompared) {
  std::vector<Extension> list = {points, points};
  list[1].operandTypes[1].kind = elementKindOf(uint32_t(ElementKind::int64),
                                               points.operandTypes[1].byteSize);
  ASSERT_EQ(list[1].operandTypes[1].kind, ElementKind::int64);
  EXPECT_EQ(lookUpExtension(list, points.name), &list[0]);
}

TEST_F(ExtensionUseTest, kindsOfLaterVersionsAreOpaque) {
  EXPECT_EQ(elementKindOf(12, 8), ElementKind::complex64);
  EXPECT_EQ(elementKindOf(13, 8), ElementKind::opaque);
  EXPECT_EQ(elementKindOf(uint32_t(ElementKind::int64), 4),
            ElementKind::opaque);
}

// H-007, H-016, H-022, H-032: an extension that a device lists is there with
// all of its types, under the prefix that the model gives it.
TEST_F(ExtensionUseTest, isListed) {
  Model model = pointsModel();
  EXPECT_EQ(complaint(model, {other, points}), "");
  EXPECT_EQ(complaint(model, {other}),
            "main: operation 0: the device does not have extension "
            "'com.example.points'");
  EXPECT_EQ(complaint(model, {}),
            "main: operation 0: the device does not have extension "
            "'com.example.points'");
  auto info =
      describeType(model, std::vector{other, points}, OperandType(0x70004));
  ASSERT_TRUE(info.has_value());
  EXPECT_EQ(*info, points.operandTypes[1]);
  EXPECT_FALSE(
      describeType(model, std::vector{points}, OperandType::TENSOR_FLOAT32));
  model.main.operands[0].type = OperandType(0x70007);
  EXPECT_EQ(complaint(model, {points}),
            "main: operand 0: extension 'com.example.points' has no type 7");
  model.main.operations[0].type = OperationType(0x80001);
  EXPECT_EQ(complaint(model, {points}),
            "main: operation 0: extension prefix 8 has no name");
}

// H-028: operands may be of the HAL's types and of other extensions.
TEST_F(ExtensionUseTest, operandsAreOfOtherExtensions) {
  Model model = pointsModel();
  model.main.operands[2] = operandOf(0x90000, {4});
  EXPECT_EQ(complaint(model, {points, other}), "");
  EXPECT_EQ(complaint(model, {points}),
            "main: operand 2: the device does not have extension "
            "'com.example.other'");
}

// A-032, H-016, H-017: the description says which dimensions are legal.
TEST_F(ExtensionUseTest, dimensionsFit) {
  Model model = pointsModel();
  model.main.operands[1].dimensions = {1};
  EXPECT_EQ(complaint(model, {points}),
            "main: operand 1: scalar com.example.points:4 must not have "
            "dimensions, found 1");
  model = pointsModel();
  model.main.operands[0].dimensions = {65536, 0, 65536};
  EXPECT_EQ(complaint(model, {points}),
            "main: operand 0: dimensions [65536, 0, 65536] of "
            "com.example.points:3 exceed 4294967295 bytes");
  model.main.operands[0].dimensions = {};
  EXPECT_EQ(complaint(model, {points}), "");
}

// H-024: what the operands of an operation are is its device's affair.
TEST_F(ExtensionUseTest, operationsAreNotChecked) {
  Model model = pointsModel();
  model.main.operations[0] = {OperationType(0x7FFFF), {2, 2, 2}, {}};
  EXPECT_EQ(complaint(model, {points}), "");
}

TEST_F(ExtensionUseTest, referencedSubgraphsCount) {
  Model model = pointsModel();
  model.referenced = {model.main};
  model.referenced[0].operands[1].dimensions = {2, 3};
  EXPECT_EQ(checkExtensionUse(model, std::vector{points}).message(),
            "referenced 0: operand 1: scalar com.example.points:4 must not "
            "have dimensions, found 2");
}

// H-033: each operation has an answer of its own.
TEST_F(ExtensionUseTest, answersAreOfSingleOperations) {
  Model model = pointsModel();
  model.main.operations.push_back({OperationType(0x90000), {}, {}});
  std::vector<Status> answers(2);
  refuseForeign(model, std::vector{points}, answers);
  EXPECT_TRUE(answers[0].isOk());
  EXPECT_EQ(answers[1].message(),
            "the device does not have extension 'com.example.other'");
}

TEST_F(ExtensionUseTest, codesHaveNames) {
  Model model = pointsModel();
  EXPECT_EQ(nameOf(model, OperandType(0x7FFFF)), "com.example.points:65535");
  EXPECT_EQ(nameOf(model, OperationType(0x90000)), "com.example.other:0");
  EXPECT_EQ(nameOf(model, OperandType(0x80000)), "code 524288");
  EXPECT_EQ(nameOf(model, OperandType::TENSOR_FLOAT32), "TENSOR_FLOAT32");
  EXPECT_EQ(nameOf(model, OperationType::ADD), "ADD");
}

// H-019: what is listed and not used is left out.
TEST_F(ExtensionUseTest, usedOnesAreFound) {
  Model model = pointsModel();
  auto used = usedExtensions(model);
  ASSERT_EQ(used.size(), 1u);
  EXPECT_EQ(used[0].name, "com.example.points");
  model.referenced = {Subgraph()};
  model.referenced[0].operands = {operandOf(0x90000, {})};
  EXPECT_EQ(usedExtensions(model).size(), 2u);
  model.main = {};
  model.referenced[0].operands.clear();
  EXPECT_TRUE(usedExtensions(model).empty());
}

TEST_F(ExtensionUseTest, mayBeUnwanted) {
  Model model = pointsModel();
  EXPECT_EQ(checkNoExtensions(model).message(),
            "main: operation 0 is com.example.points:1, of an extension");
  model.main.operations.clear();
  EXPECT_EQ(checkNoExtensions(model).message(),
            "main: operand 0 is of type com.example.points:3, of an extension");
  model.referenced = {model.main};
  model.main = {};
  EXPECT_EQ(checkNoExtensions(model).message(),
            "referenced 0: operand 0 is of type com.example.points:3, of an "
            "extension");
  model.referenced.clear();
  EXPECT_TRUE(checkNoExtensions(model).isOk());
}

} // namespace
