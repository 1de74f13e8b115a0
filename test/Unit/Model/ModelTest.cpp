//===- ModelTest.cpp - The NN HAL 1.3 model -------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestModels.h"

#include <sstream>

using namespace nnhal::rt;
using namespace nnhal::rt::test;

namespace {

TEST(ModelTest, versions) {
  EXPECT_EQ(toString(HalVersion::V1_0), "1.0");
  EXPECT_EQ(toString(HalVersion::V1_3), "1.3");
  EXPECT_EQ(toString(HalVersion(4)), "unknown version");
  EXPECT_EQ(parseHalVersion("1.2"), HalVersion::V1_2);
  EXPECT_EQ(parseHalVersion("1.4"), std::nullopt);
  EXPECT_EQ(parseHalVersion(""), std::nullopt);
}

/// The HAL's facts about an operand type.
struct HalType {
  uint32_t code;
  std::string_view name;
  /// Bytes of an element; 0 where the vendor knows.
  uint32_t size;
  HalVersion since;
};
constexpr HalType halTypes[] = {
    {0, "FLOAT32", 4, HalVersion::V1_0},
    {1, "INT32", 4, HalVersion::V1_0},
    {2, "UINT32", 4, HalVersion::V1_0},
    {3, "TENSOR_FLOAT32", 4, HalVersion::V1_0},
    {4, "TENSOR_INT32", 4, HalVersion::V1_0},
    {5, "TENSOR_QUANT8_ASYMM", 1, HalVersion::V1_0},
    {6, "BOOL", 1, HalVersion::V1_2},
    {7, "TENSOR_QUANT16_SYMM", 2, HalVersion::V1_2},
    {8, "TENSOR_FLOAT16", 2, HalVersion::V1_2},
    {9, "TENSOR_BOOL8", 1, HalVersion::V1_2},
    {10, "FLOAT16", 2, HalVersion::V1_2},
    {11, "TENSOR_QUANT8_SYMM_PER_CHANNEL", 1, HalVersion::V1_2},
    {12, "TENSOR_QUANT16_ASYMM", 2, HalVersion::V1_2},
    {13, "TENSOR_QUANT8_SYMM", 1, HalVersion::V1_2},
    {14, "TENSOR_QUANT8_ASYMM_SIGNED", 1, HalVersion::V1_3},
    {15, "SUBGRAPH", 0, HalVersion::V1_3},
    {10000, "OEM", 0, HalVersion::V1_0},
    {10001, "TENSOR_OEM_BYTE", 1, HalVersion::V1_0},
};

TEST(ModelTest, operandTypeTable) {
  EXPECT_EQ(std::size(halTypes), 16u + 2u);
  ASSERT_EQ(allOperandTypes().size(), std::size(halTypes));
  for (const HalType &type : halTypes) {
    const OperandTypeInfo *info = lookUp(OperandType(type.code));
    ASSERT_NE(info, nullptr) << type.name;
    EXPECT_EQ(info->name, type.name);
    EXPECT_EQ(info->elementSize, type.size) << type.name;
    EXPECT_EQ(info->since, type.since) << type.name;
    EXPECT_EQ(lookUpOperandType(type.name), info);
    EXPECT_EQ(nameOf(info->type), type.name);
    bool isTensorType = type.name.starts_with("TENSOR_");
    EXPECT_EQ(info->isTensor, isTensorType) << type.name;
    EXPECT_EQ(isTensor(info->type), isTensorType) << type.name;
    EXPECT_EQ(isScalar(info->type), !isTensorType) << type.name;
    EXPECT_EQ(isQuantized(info->type),
              type.name.find("QUANT") != std::string_view::npos);
    EXPECT_FALSE(isExtension(info->type)) << type.name;
  }
}

/// The operations of the HAL in the order of their codes.
constexpr std::string_view operationNames =
    "ADD AVERAGE_POOL_2D CONCATENATION CONV_2D DEPTHWISE_CONV_2D "
    "DEPTH_TO_SPACE DEQUANTIZE EMBEDDING_LOOKUP FLOOR FULLY_CONNECTED "
    "HASHTABLE_LOOKUP L2_NORMALIZATION L2_POOL_2D "
    "LOCAL_RESPONSE_NORMALIZATION LOGISTIC LSH_PROJECTION LSTM MAX_POOL_2D "
    "MUL RELU RELU1 RELU6 RESHAPE RESIZE_BILINEAR RNN SOFTMAX "
    "SPACE_TO_DEPTH SVDF TANH BATCH_TO_SPACE_ND DIV MEAN PAD "
    "SPACE_TO_BATCH_ND SQUEEZE STRIDED_SLICE SUB TRANSPOSE ABS ARGMAX "
    "ARGMIN AXIS_ALIGNED_BBOX_TRANSFORM BIDIRECTIONAL_SEQUENCE_LSTM "
    "BIDIRECTIONAL_SEQUENCE_RNN BOX_WITH_NMS_LIMIT CAST CHANNEL_SHUFFLE "
    "DETECTION_POSTPROCESSING EQUAL EXP EXPAND_DIMS GATHER "
    "GENERATE_PROPOSALS GREATER GREATER_EQUAL GROUPED_CONV_2D "
    "HEATMAP_MAX_KEYPOINT INSTANCE_NORMALIZATION LESS LESS_EQUAL LOG "
    "LOGICAL_AND LOGICAL_NOT LOGICAL_OR LOG_SOFTMAX MAXIMUM MINIMUM NEG "
    "NOT_EQUAL PAD_V2 POW PRELU QUANTIZE QUANTIZED_16BIT_LSTM "
    "RANDOM_MULTINOMIAL REDUCE_ALL REDUCE_ANY REDUCE_MAX REDUCE_MIN "
    "REDUCE_PROD REDUCE_SUM ROI_ALIGN ROI_POOLING RSQRT SELECT SIN SLICE "
    "SPLIT SQRT TILE TOPK_V2 TRANSPOSE_CONV_2D "
    "UNIDIRECTIONAL_SEQUENCE_LSTM UNIDIRECTIONAL_SEQUENCE_RNN "
    "RESIZE_NEAREST_NEIGHBOR QUANTIZED_LSTM IF WHILE ELU HARD_SWISH FILL "
    "RANK";

HalVersion versionOfOperation(uint32_t code) {
  if (code <= 28)
    return HalVersion::V1_0;
  if (code <= 37)
    return HalVersion::V1_1;
  return code <= 94 ? HalVersion::V1_2 : HalVersion::V1_3;
}

TEST(ModelTest, operationTable) {
  EXPECT_EQ(allOperations().size(), 102u);
  std::istringstream names{std::string(operationNames)};
  std::string name;
  uint32_t code = 0;
  for (; names >> name; ++code) {
    const OperationInfo *info = lookUp(OperationType(code));
    ASSERT_NE(info, nullptr) << code;
    EXPECT_EQ(info->name, name);
    EXPECT_EQ(info->since, versionOfOperation(code)) << info->name;
    EXPECT_EQ(lookUpOperation(info->name), info);
    EXPECT_EQ(nameOf(info->type), info->name);
  }
  EXPECT_EQ(code, 102u);
}

TEST(ModelTest, codesWithoutRow) {
  EXPECT_EQ(lookUp(OperandType(16)), nullptr);
  EXPECT_EQ(lookUp(OperandType(1u << 16)), nullptr);
  EXPECT_EQ(lookUp(OperationType(102)), nullptr);
  EXPECT_EQ(lookUp(OperationType::OEM_OPERATION), nullptr);
  EXPECT_EQ(nameOf(OperandType(4711)), "code 4711");
  EXPECT_EQ(nameOf(OperationType(4711)), "code 4711");
  EXPECT_EQ(nameOf(OperationType::OEM_OPERATION), "OEM_OPERATION");
  EXPECT_EQ(lookUpOperandType("FLOAT64"), nullptr);
  EXPECT_EQ(lookUpOperation("BATCH_MATMUL"), nullptr);
  EXPECT_FALSE(isExtension(OperandType(0xFFFF))); // A-019, H-002
  EXPECT_TRUE(isExtension(OperandType(0x10000)));
  EXPECT_TRUE(isExtension(OperandType(0xFFFFFFFF))); // Codes are unsigned.
  EXPECT_FALSE(isExtension(OperandType::OEM));       // H-051
  EXPECT_FALSE(isExtension(OperandType::TENSOR_OEM_BYTE));
  EXPECT_FALSE(isExtension(OperationType::OEM_OPERATION));
  EXPECT_TRUE(isExtension(OperationType(0x10000)));
}

TEST(ModelTest, lifetimes) {
  const char *names[] = {"TEMPORARY_VARIABLE",
                         "SUBGRAPH_INPUT",
                         "SUBGRAPH_OUTPUT",
                         "CONSTANT_COPY",
                         "CONSTANT_REFERENCE",
                         "NO_VALUE",
                         "SUBGRAPH"};
  for (uint32_t code = 0; code < std::size(names); ++code)
    EXPECT_EQ(toString(OperandLifeTime(code)), names[code]);
  EXPECT_EQ(toString(OperandLifeTime(7)), "unknown lifetime");
}

TEST(ModelTest, byteSizes) { // K-049
  auto size = [](OperandType type, std::vector<uint32_t> dimensions) {
    return byteSizeOf(input(type, std::move(dimensions)));
  };
  EXPECT_EQ(size(OperandType::TENSOR_FLOAT32, {2, 3}), 24u);
  EXPECT_EQ(size(OperandType::TENSOR_FLOAT16, {2, 3}), 12u);
  EXPECT_EQ(size(OperandType::INT32, {7}), 4u);
  EXPECT_EQ(size(OperandType::BOOL, {}), 1u);
  EXPECT_EQ(size(OperandType::TENSOR_FLOAT32, {}), std::nullopt);
  EXPECT_EQ(size(OperandType::TENSOR_FLOAT32, {2, 0}), std::nullopt);
  EXPECT_EQ(size(OperandType::TENSOR_FLOAT32, {0x10000, 0x10000}),
            std::nullopt);
  EXPECT_EQ(size(OperandType::TENSOR_BOOL8, {UINT32_MAX}), UINT32_MAX);
  EXPECT_EQ(size(OperandType::TENSOR_BOOL8, {UINT32_MAX, UINT32_MAX, 2}),
            std::nullopt);
  EXPECT_EQ(size(OperandType::SUBGRAPH, {}), std::nullopt);
  EXPECT_EQ(size(OperandType(1u << 16), {2}), std::nullopt);
}

TEST(ModelTest, consumers) { // B-027
  Model model = addTwice();
  model.main.operations[0].inputs = {0, 0, 99};
  computeConsumers(model.main);
  EXPECT_EQ(model.main.operands[0].numberOfConsumers, 2u);
  EXPECT_EQ(model.main.operands[1].numberOfConsumers, 1u);
  EXPECT_EQ(model.main.operands[4].numberOfConsumers, 0u);
}

TEST(ModelTest, constantBytes) {
  Model model = addTwice();
  model.operandValues = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  auto bytes = constantBytes(model, model.main.operands[2]);
  ASSERT_TRUE(bytes.isOk());
  EXPECT_EQ((*bytes).size(), 4u);
  EXPECT_EQ((*bytes)[0], std::byte(8));

  auto complaint = [&](auto set) {
    Operand changed = model.main.operands[1];
    set(changed);
    return constantBytes(model, changed).status().message();
  };
  EXPECT_EQ(complaint([](Operand &o) { o.location.offset = 5; }),
            "constant at offset 5 of length 8 exceeds the 12 bytes that hold "
            "it");
  EXPECT_EQ(complaint([](Operand &o) { o.location.poolIndex = 1; }),
            "pool index 1 of a CONSTANT_COPY operand must be 0");
  EXPECT_EQ(complaint([](Operand &o) {
              o.lifetime = OperandLifeTime::CONSTANT_REFERENCE;
            }),
            "pool index 0 is not below the number of pools, 0");
  EXPECT_EQ(
      complaint([](Operand &o) { o.lifetime = OperandLifeTime::NO_VALUE; }),
      "an operand of lifetime NO_VALUE has no constant bytes");
  model.pools.push_back(
      {"ashmem", Memory::fromDescriptor(UniqueFd(), 0, 8, 0), {}, 0, false});
  EXPECT_EQ(complaint([](Operand &o) {
              o.lifetime = OperandLifeTime::CONSTANT_REFERENCE;
            }),
            "memory behind a descriptor has not been materialized");
}

} // namespace
