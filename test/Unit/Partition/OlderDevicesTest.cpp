//===- OlderDevicesTest.cpp - Models divided among older devices ----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartitionTesting.h"

#include "nnhal/Runtime/DevicePlugins.h"

#include <cstdlib>

using namespace nnhal::rt;
using namespace nnhal::rt::partitiontest;

using enum OperationType;

namespace {

constexpr auto floats = OperandType::TENSOR_FLOAT32;

class OlderDevicesTest : public PartitionTesting {
protected:
  /// A device of \p version that takes everything and is fast.
  SyntheticDevice &addOld(HalVersion version) {
    SyntheticOptions made;
    made.name = "old";
    made.capabilities = uniformCapabilities({0.1f, 0.1f});
    return addOlder(std::move(made), version);
  }

  /// Adds the sample devices of \p version.
  void addSamples(HalVersion version) {
    setenv("NNHAL_SAMPLE_HAL", std::string(toString(version)).c_str(), 1);
    auto loaded = loadPlugin(NNHAL_SAMPLE_DEVICES, {});
    unsetenv("NNHAL_SAMPLE_HAL");
    ASSERT_EQ(loaded.status().message(), "");
    for (std::unique_ptr<Device> &device : loaded->devices) {
      older.push_back(std::move(device));
      devices.insert(devices.end() - 1, older.back().get());
    }
  }
};

// I-064, I-070, I-073: ABS is the one operation of the chain that 1.0 and 1.1
// do not have, and what a step gets is a model of its device's version.
TEST_F(OlderDevicesTest, DevicesGetWhatTheirVersionHas) {
  options.strictSlicing = true; // C-034, I-005
  for (HalVersion version :
       {HalVersion::V1_0, HalVersion::V1_1, HalVersion::V1_2}) {
    devices = {reference.get()};
    SyntheticDevice &old = addOld(version);
    bool has = version == HalVersion::V1_2;
    auto model = prepare(chainModel());
    ASSERT_EQ(model.status().message(), "");
    EXPECT_EQ(describe((*model)->plan()),
              has ? "old:0:1:2:3" : "old:0 nnhal-reference:1 old:2:3");
    EXPECT_EQ(old.state->questions, 1u);
    EXPECT_EQ(old.state->preparations, has ? 1u : 2u);
    for (const AnnotatedModel &prepared : old.state->models)
      EXPECT_EQ(prepared.model.halVersion, version);
    auto result = run(**model, chainInputs());
    ASSERT_EQ(result.status().message(), "");
    EXPECT_EQ(*result, chainResult());
    EXPECT_EQ((*model)->fallbacks().steps, 0u);
  }
}

TEST_F(OlderDevicesTest, ThePlanSaysWhy) { // I-068
  addOld(HalVersion::V1_1);
  auto made = plan(chainModel());
  ASSERT_TRUE(made.isOk());
  EXPECT_EQ(made->candidates[0].halVersion, HalVersion::V1_1);
  EXPECT_EQ(made->assignments[1].device, 1u);
  devices.pop_back();
  auto refused = planPartition(chainModel(), devices, nullptr, options);
  EXPECT_EQ(refused.status().message(),
            "main: operation 1 (ABS) is supported by none of 1 devices: old: "
            "HAL 1.1, which old speaks, does not have the operation in this "
            "form");
}

/// out = abs(a): nothing of it is older than 1.2.
TEST_F(OlderDevicesTest, NothingIsAskedWithoutASlice) { // I-069
  AnnotatedModel annotated;
  SubgraphBuilder builder(annotated.model);
  uint32_t in = builder.input(floats, {4}), out = builder.output(floats, {4});
  builder.operation(ABS, {in}, {out});
  annotated.model.main = builder.finish();
  SyntheticDevice &old = addOld(HalVersion::V1_0);
  EXPECT_EQ(describe(annotated), "nnhal-reference:0");
  EXPECT_EQ(old.state->questions, 0u);
}

// I-074: the branches of an IF are asked about on their own.
TEST_F(OlderDevicesTest, BranchesOfControlFlow) {
  AnnotatedModel model = conformance::ifModel();
  SyntheticDevice &old = addOld(HalVersion::V1_1);
  auto prepared = prepare(model);
  ASSERT_EQ(prepared.status().message(), "");
  EXPECT_EQ(describe((*prepared)->plan()), "if old:0 goto old:0");
  for (const AnnotatedModel &step : old.state->models)
    EXPECT_TRUE(step.model.referenced.empty());
}

// D-011: a value of unknown extents cannot leave a step on a device of 1.1. The
// step is repeated where it can.
TEST_F(OlderDevicesTest, ValuesOfUnknownExtents) {
  AnnotatedModel model = chainModel();
  for (uint32_t operand : model.model.main.operations[0].outputs)
    model.model.main.operands[operand].dimensions = {0};
  addOld(HalVersion::V1_1);
  auto prepared = prepare(model);
  ASSERT_EQ(prepared.status().message(), "");
  auto result = run(**prepared, chainInputs());
  ASSERT_EQ(result.status().message(), "");
  EXPECT_EQ(*result, chainResult());
}

// C-102 to C-106: with every version the results are those of one device, and
// C-103 makes steps.
TEST_F(OlderDevicesTest, SampleDevices) {
  for (HalVersion version : {HalVersion::V1_0, HalVersion::V1_1,
                             HalVersion::V1_2, HalVersion::V1_3}) {
    devices = {reference.get()};
    addSamples(version);
    auto model = prepare(chainModel());
    ASSERT_EQ(model.status().message(), "");
    EXPECT_EQ(describe((*model)->plan()),
              version < HalVersion::V1_2
                  ? "nnapi-sample_minimal:0 nnhal-reference:1 "
                    "nnapi-sample_float_fast:2:3"
                  : "nnapi-sample_minimal:0 nnapi-sample_float_fast:1:2:3");
    auto result = run(**model, chainInputs());
    ASSERT_EQ(result.status().message(), "");
    EXPECT_EQ(*result, chainResult());
    // Where power is saved the slow device is the best (C-105).
    options.prepare.preference = ExecutionPreference::lowPower;
    EXPECT_EQ(describe(chainModel()),
              version < HalVersion::V1_2
                  ? "nnapi-sample_float_slow:0 nnhal-reference:1 "
                    "nnapi-sample_float_slow:2:3"
                  : "nnapi-sample_float_slow:0:1:2:3");
    options.prepare.preference = ExecutionPreference::fastSingleAnswer;
  }
}

} // namespace
