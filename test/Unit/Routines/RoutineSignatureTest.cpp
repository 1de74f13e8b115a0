//===- RoutineSignatureTest.cpp - Operations passed to routines -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime/Artifact/RoutineSignature.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

using namespace nnhal::rt;

static const int32_t k = 3;

/// TOPK_V2 with a quantized input, a constant scalar and an omitted operand:
/// everything that a signature can say.
static OperationView sampleOperation() {
  OperationView operation;
  operation.type = OperationType::TOPK_V2;
  OperandView tensor;
  tensor.type.type = OperandType::TENSOR_QUANT8_ASYMM;
  tensor.type.dimensions = {2, unknownExtent};
  tensor.type.scale = 0.25f;
  tensor.type.zeroPoint = 128;
  OperandView count;
  count.type.type = OperandType::INT32;
  count.value = std::as_bytes(std::span(&k, 1));
  OperandView omitted;
  omitted.type.type = OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL;
  omitted.type.isRanked = false;
  omitted.type.channelQuant.channelDim = 1;
  omitted.type.channelQuant.scales = {0.5f, 2.0f};
  omitted.isOmitted = true;
  operation.inputs = {tensor, count, omitted};
  operation.outputs = {tensor};
  return operation;
}

static void expectSame(const std::vector<OperandView> &found,
                       const std::vector<OperandView> &expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].type, expected[i].type) << i;
    EXPECT_EQ(found[i].isOmitted, expected[i].isOmitted) << i;
    ASSERT_EQ(found[i].value.has_value(), expected[i].value.has_value()) << i;
    if (found[i].value) {
      EXPECT_TRUE(std::ranges::equal(*found[i].value, *expected[i].value)) << i;
    }
  }
}

TEST(RoutineSignatureTest, RoundTrip) {
  OperationView operation = sampleOperation();
  std::vector<uint8_t> bytes = writeRoutineSignature(operation);
  auto read = readRoutineSignature(bytes);
  ASSERT_TRUE(read.isOk()) << read.status().message();
  EXPECT_EQ(read->operation.type, operation.type);
  expectSame(read->operation.inputs, operation.inputs);
  expectSame(read->operation.outputs, operation.outputs);
  EXPECT_EQ(read->arguments, std::vector<size_t>{0});
}

TEST(RoutineSignatureTest, ExtensionsHaveNames) {
  OperationView operation = sampleOperation();
  const std::string names[] = {"com.example.own", "com.example.other",
                               "com.example.third"};
  std::vector<uint8_t> bytes = writeRoutineSignature(operation, names);
  auto read = readRoutineSignature(bytes);
  ASSERT_TRUE(read.isOk()) << read.status().message();
  EXPECT_EQ(read->extension, names[0]);
  EXPECT_EQ(read->otherExtensions,
            (std::vector<std::string_view>{names[1], names[2]}));
}

TEST(RoutineSignatureTest, GarbageIsRejected) {
  std::vector<uint8_t> bytes(40, 0xa5);
  auto read = readRoutineSignature(bytes);
  ASSERT_FALSE(read.isOk());
  EXPECT_EQ(read.status().code(), StatusCode::invalidArgument);
  EXPECT_EQ(read.status().message(),
            "40 bytes are not a signature of a routine of the runtime");
  EXPECT_EQ(readRoutineSignature({}).status().message(),
            "0 bytes are not a signature of a routine of the runtime");
}

/// Whatever the bytes are, the answer is an error or a signature within them.
TEST(RoutineSignatureTest, DamageIsAnswered) {
  const std::vector<uint8_t> whole = writeRoutineSignature(sampleOperation());
  std::mt19937 random(1);
  size_t rejected = 0;
  for (size_t i = 0; i < 4000; ++i) {
    std::vector<uint8_t> bytes = whole;
    if (i % 4 == 0)
      bytes.resize(random() % whole.size());
    for (size_t flips = i % 3 + 1; flips > 0 && !bytes.empty(); --flips)
      bytes[random() % bytes.size()] ^= uint8_t(1u << random() % 8);
    auto read = readRoutineSignature(bytes);
    rejected += !read.isOk();
    if (!read.isOk())
      continue;
    for (const OperandView &input : read->operation.inputs) {
      if (!input.value || input.value->empty())
        continue;
      auto *begin = reinterpret_cast<const uint8_t *>(input.value->data());
      EXPECT_GE(begin, bytes.data());
      EXPECT_LE(begin + input.value->size(), bytes.data() + bytes.size());
    }
  }
  EXPECT_GT(rejected, 1000u);
}

TEST(RoutineSignatureTest, SlotsAreThoseOfTheTable) {
  EXPECT_EQ(routineSlot(OperationType::BOX_WITH_NMS_LIMIT), 0u);
  EXPECT_EQ(routineSlot(OperationType::TOPK_V2), 6u);
  EXPECT_EQ(routineSlot(OperationType::ADD), std::nullopt);
}
