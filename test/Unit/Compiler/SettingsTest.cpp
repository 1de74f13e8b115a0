//===- SettingsTest.cpp - Settings that change no code --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompilerTesting.h"

#include "Runtime/Artifact/ModelCache.h"
#include "nnhal/Runtime/ReferenceDevice.h"

#include <gtest/gtest.h>

#include <cstring>

namespace nnhal::rt {
namespace {

/// output = SOFTMAX(LOGISTIC(input) * input + input): in float16 each of its
/// elements would be another one.
AnnotatedModel floatModel(bool isRelaxed) {
  AnnotatedModel annotated;
  Model &model = annotated.model;
  model.relaxComputationFloat32toFloat16 = isRelaxed;
  const int32_t none = 0;
  const float beta = 1;
  model.operandValues.resize(8);
  std::memcpy(model.operandValues.data(), &none, 4);
  std::memcpy(model.operandValues.data() + 4, &beta, 4);
  Subgraph &main = model.main;
  auto add = [&](OperandType type, OperandLifeTime lifetime,
                 std::vector<uint32_t> dimensions, uint32_t offset = 0) {
    Operand &operand = main.operands.emplace_back();
    operand.type = type;
    operand.lifetime = lifetime;
    operand.dimensions = std::move(dimensions);
    if (isConstant(lifetime))
      operand.location = {0, offset, 4};
    return uint32_t(main.operands.size() - 1);
  };
  using enum OperandLifeTime;
  OperandType tensor = OperandType::TENSOR_FLOAT32;
  uint32_t x = add(tensor, SUBGRAPH_INPUT, {1, 64});
  uint32_t noActivation = add(OperandType::INT32, CONSTANT_COPY, {});
  uint32_t betaOperand = add(OperandType::FLOAT32, CONSTANT_COPY, {}, 4);
  uint32_t gate = add(tensor, TEMPORARY_VARIABLE, {1, 64});
  uint32_t product = add(tensor, TEMPORARY_VARIABLE, {1, 64});
  uint32_t sum = add(tensor, TEMPORARY_VARIABLE, {1, 64});
  uint32_t y = add(tensor, SUBGRAPH_OUTPUT, {1, 64});
  main.operations = {{OperationType::LOGISTIC, {x}, {gate}},
                     {OperationType::MUL, {gate, x, noActivation}, {product}},
                     {OperationType::ADD, {product, x, noActivation}, {sum}},
                     {OperationType::SOFTMAX, {sum, betaOperand}, {y}}};
  main.inputIndexes = {x};
  main.outputIndexes = {y};
  computeConsumers(main);
  return annotated;
}

/// The bytes that \p device computes, for inputs that float16 cannot represent,
/// and what it keeps of the compilation in \p kept.
std::vector<std::byte> outputOf(const Device &device, bool isRelaxed,
                                ExecutionPreference preference,
                                std::optional<CompiledModel> &kept) {
  PrepareOptions options;
  options.preference = preference;
  PrepareObserver observer;
  observer.keepArtifact = [&](const CompiledModel &compiled) {
    kept = compiled;
    return Status::ok();
  };
  auto prepared = device.prepareModel(floatModel(isRelaxed), options, observer);
  EXPECT_TRUE(prepared.isOk()) << prepared.status().message();
  Arguments arguments(**prepared);
  for (int i = 0; i < 64; ++i) {
    float element = 0.7654321f * float(i - 31) / 16;
    std::memcpy(arguments.inputs[0].data() + i * 4, &element, 4);
  }
  ExecutionResult result;
  EXPECT_EQ((*prepared)->execute(arguments.request, result).message(), "");
  return arguments.outputs[0];
}

/// Code and constants, without the key of what they were made from.
std::vector<std::byte> codeOf(const CompiledModel &compiled) {
  auto artifact = readModelCache(compiled.modelCache);
  EXPECT_TRUE(artifact.isOk()) << artifact.status().message();
  std::vector<std::byte> bytes;
  for (const CodeSection &section : artifact->code)
    bytes.insert(bytes.end(), section.bytes.begin(), section.bytes.end());
  EXPECT_FALSE(bytes.empty());
  auto constants = compiled.dataCache.bytes();
  EXPECT_TRUE(constants.isOk());
  bytes.insert(bytes.end(), constants->begin(), constants->end());
  return bytes;
}

// A-033, C-044, C-054: docs/Using/Performance.md says that neither the relaxed
// flag nor the preference changes what these devices compute, and with which
// code.
TEST(SettingsTest, ChangeNeitherCodeNorResults) {
  std::unique_ptr<Device> devices[] = {createCpuDevice(),
                                       createReferenceDevice()};
  for (const std::unique_ptr<Device> &device : devices) {
    std::optional<CompiledModel> strict;
    std::vector<std::byte> expected =
        outputOf(*device, false, ExecutionPreference::fastSingleAnswer, strict);
    EXPECT_EQ(strict.has_value(), device->traits().compiles);
    for (bool isRelaxed : {false, true})
      for (auto preference : {ExecutionPreference::lowPower,
                              ExecutionPreference::fastSingleAnswer,
                              ExecutionPreference::sustainedSpeed}) {
        std::optional<CompiledModel> kept;
        EXPECT_EQ(outputOf(*device, isRelaxed, preference, kept), expected);
        if (!strict)
          continue;
        ASSERT_TRUE(kept.has_value());
        EXPECT_EQ(codeOf(*kept), codeOf(*strict));
        // A changed flag is a changed model, though.
        EXPECT_EQ(kept->modelCache == strict->modelCache, !isRelaxed);
      }
  }
}

} // namespace
} // namespace nnhal::rt
