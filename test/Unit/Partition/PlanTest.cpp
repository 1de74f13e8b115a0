//===- PlanTest.cpp - Which device gets which operation -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartitionTesting.h"

using namespace nnhal::rt;
using namespace nnhal::rt::partitiontest;

using enum OperationType;

namespace {

class PlanTest : public PartitionTesting {};

// I-003
TEST_F(PlanTest, ModeNoLeavesTheFallbackDeviceAlone) {
  SyntheticDevice &fast = add("fast", {ADD, ABS, MUL, FLOOR}, 0.1f);
  options.mode = PartitionMode::no;
  EXPECT_EQ(describe(chainModel()), "nnhal-reference:0:1:2:3");
  EXPECT_EQ(fast.state->questions, 0u);
}

// I-003: it need not be among the devices.
TEST_F(PlanTest, ModeNoPreparesOnTheFallbackDevice) {
  SyntheticDevice &fast = add("fast", {ADD, ABS, MUL, FLOOR}, 0.1f);
  devices = {&fast};
  options.mode = PartitionMode::no;
  auto model = prepare(chainModel());
  ASSERT_TRUE(model.isOk()) << model.status().message();
  auto result = run(**model, chainInputs());
  ASSERT_TRUE(result.isOk()) << result.status().message();
  EXPECT_EQ(*result, chainResult());
  EXPECT_EQ(fast.state->preparations, 0u);
}

/// out = flag ? f(x) : f(x), where x is of an extension's type.
AnnotatedModel vendorIfModel(std::vector<uint32_t> dimensions) {
  AnnotatedModel annotated;
  Model &model = annotated.model;
  const auto floats = OperandType::TENSOR_FLOAT32;
  const OperandType vendors{0x40000};
  SubgraphBuilder branch(model);
  uint32_t x = branch.input(vendors, dimensions);
  uint32_t result = branch.output(floats, {4});
  branch.operation(OperationType(0x40001), {x}, {result});
  model.referenced.push_back(branch.finish());
  SubgraphBuilder main(model);
  uint32_t flag = main.input(OperandType::TENSOR_BOOL8, {1});
  uint32_t thenGraph = main.subgraphReference(0);
  uint32_t elseGraph = main.subgraphReference(0);
  x = main.input(vendors, dimensions);
  uint32_t out = main.output(floats, {4});
  main.operation(IF, {flag, thenGraph, elseGraph, x}, {out});
  model.main = main.finish();
  model.extensionNameToPrefix = {{"vendor.test", 4}};
  return annotated;
}

// I-019, H-013: a device that lists the extension says how large its types are.
TEST_F(PlanTest, SizesOfExtensionTypesAreKnown) {
  SyntheticOptions vendor;
  vendor.name = "vendor";
  vendor.supports = supportsOnly({OperationType(0x40001)});
  vendor.extensions = {{"vendor.test", {{0, true, 4}}}};
  add(vendor);
  EXPECT_EQ(describe(vendorIfModel({4})), "if vendor:0 goto vendor:0");
  EXPECT_TRUE(describe(vendorIfModel({0}))
                  .starts_with("main: operation 0 (IF) is supported by none "
                               "of 2 devices: "))
      << describe(vendorIfModel({0}));
}

// I-008
TEST_F(PlanTest, DevicesAreAskedOnce) {
  SyntheticDevice &fast = add("fast", {ADD});
  ASSERT_TRUE(plan(chainModel()).isOk());
  EXPECT_EQ(fast.state->questions, 1u);
}

// I-009: execTime decides, or powerUsage where power is saved.
TEST_F(PlanTest, ThePreferenceChoosesTheNumber) {
  SyntheticOptions quick, frugal;
  quick.name = "quick";
  quick.capabilities = uniformCapabilities({0.2f, 0.9f});
  frugal.name = "frugal";
  frugal.capabilities = uniformCapabilities({0.9f, 0.2f});
  add(quick);
  add(frugal);
  for (auto preference : {ExecutionPreference::fastSingleAnswer,
                          ExecutionPreference::sustainedSpeed}) {
    options.prepare.preference = preference;
    EXPECT_EQ(describe(chainModel()), "quick:0:1:2:3");
  }
  options.prepare.preference = ExecutionPreference::lowPower;
  EXPECT_EQ(describe(chainModel()), "frugal:0:1:2:3");
}

// I-014, I-015
TEST_F(PlanTest, TiesGoToTheEarlierDeviceAndToTheFallbackDevice) {
  add("first", {ADD, ABS, MUL, FLOOR}, 0.5f);
  add("second", {ADD, ABS, MUL, FLOOR}, 0.5f);
  EXPECT_EQ(describe(chainModel()), "first:0:1:2:3");
  synthetic.clear();
  devices = {reference.get()};
  add("even", {ADD, ABS, MUL, FLOOR}, 1.0f);
  EXPECT_EQ(describe(chainModel()), "nnhal-reference:0:1:2:3");
  add("slow", {ADD, ABS, MUL, FLOOR}, 1.5f);
  EXPECT_EQ(describe(chainModel()), "nnhal-reference:0:1:2:3");
}

// I-022
TEST_F(PlanTest, OneDeviceMakesASimplePlan) {
  add("all", {ADD, ABS, MUL, FLOOR});
  auto made = plan(chainModel());
  ASSERT_TRUE(made.isOk());
  EXPECT_TRUE(made->isSimple());
  add("none", {});
  EXPECT_EQ(describe(chainModel()), "all:0:1:2:3");
}

// I-023: the operations that are ready on one device are taken first.
TEST_F(PlanTest, StepsAreAsLongAsPossible) {
  AnnotatedModel annotated;
  SubgraphBuilder builder(annotated.model);
  const auto type = OperandType::TENSOR_FLOAT32;
  uint32_t in = builder.input(type, {4});
  uint32_t a = builder.temporary(type, {4}), b = builder.temporary(type, {4});
  uint32_t c = builder.output(type, {4}), d = builder.output(type, {4});
  builder.operation(ABS, {in}, {a});
  builder.operation(FLOOR, {a}, {c});
  builder.operation(ABS, {in}, {b});
  builder.operation(FLOOR, {b}, {d});
  annotated.model.main = builder.finish();
  add("abs", {ABS});
  add("floor", {FLOOR});
  EXPECT_EQ(describe(annotated), "abs:0:2 floor:1:3");
}

TEST_F(PlanTest, AStepPerDeviceWhereTheyAlternate) {
  add("a", {ADD, MUL});
  add("b", {ABS, FLOOR});
  EXPECT_EQ(describe(chainModel()), "a:0 b:1 a:2 b:3");
}

// I-017: the caller's error, with the reason of each device.
TEST_F(PlanTest, AnOperationThatNobodySupports) {
  add("a", {ADD});
  add("b", {ABS, MUL});
  devices.pop_back();
  options.isExplicit = true;
  auto made = plan(chainModel());
  EXPECT_EQ(made.status().code(), StatusCode::invalidArgument);
  EXPECT_EQ(made.status().message(),
            "main: operation 3 (FLOOR) is supported by none of 2 devices: "
            "a: not among the operations of the synthetic device; "
            "b: not among the operations of the synthetic device");
  EXPECT_EQ(prepare(chainModel()).status().message(), made.status().message());
}

TEST_F(PlanTest, ThereHasToBeADevice) {
  devices.clear();
  EXPECT_EQ(plan(chainModel()).status().message(),
            "a model cannot be divided among 0 devices");
  options.mode = PartitionMode::no;
  EXPECT_EQ(
      planPartition(chainModel(), devices, nullptr, options).status().message(),
      "partition mode 0 needs a fallback device");
  EXPECT_EQ(plan(AnnotatedModel()).status().message(),
            "a model without operations cannot be divided");
}

TEST_F(PlanTest, ADeviceThatCannotAnswerSupportsNothing) {
  SyntheticDevice &dead = add("dead", {ADD, ABS, MUL, FLOOR});
  dead.state->isDead = true;
  EXPECT_EQ(describe(chainModel()), "nnhal-reference:0:1:2:3");
}

TEST_F(PlanTest, ADeviceThatForgetsAnAnswerSupportsNothing) {
  SyntheticDevice &all = add("all", {ADD, ABS, MUL, FLOOR});
  all.state->forgetsAnAnswer = true;
  devices.pop_back();
  EXPECT_EQ(describe(chainModel()),
            "main: operation 0 (ADD) is supported by none of 1 devices: all: "
            "the device answered for 3 of 4 operations");
}

TEST_F(PlanTest, OlderDevicesAreNotGivenNewOperations) {
  SyntheticOptions old;
  old.name = "old";
  old.halVersion = HalVersion::V1_1;
  add(old);
  // ABS came with HAL 1.2.
  EXPECT_EQ(describe(chainModel()), "old:0 nnhal-reference:1 old:2:3");
  devices.pop_back();
  EXPECT_EQ(
      describe(chainModel()),
      "main: operation 1 (ABS) is supported by none of 1 devices: old: "
      "HAL 1.1, which old speaks, does not have the operation in this form");
}

} // namespace
