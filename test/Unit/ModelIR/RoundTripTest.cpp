//===- RoundTripTest.cpp - What the vectors do not have -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RoundTrip.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

using namespace nnhal;
using namespace nnhal::rt;

namespace {
Operand tensor(OperandType type, std::vector<uint32_t> dimensions,
               OperandLifeTime lifetime) {
  Operand operand;
  operand.type = type;
  operand.dimensions = std::move(dimensions);
  operand.lifetime = lifetime;
  return operand;
}

/// RELU of one tensor: operand 0 to operand 1.
AnnotatedModel reluModel() {
  AnnotatedModel annotated;
  Subgraph &main = annotated.model.main;
  main.operands = {tensor(OperandType::TENSOR_FLOAT32, {2, 3},
                          OperandLifeTime::SUBGRAPH_INPUT),
                   tensor(OperandType::TENSOR_FLOAT32, {2, 3},
                          OperandLifeTime::SUBGRAPH_OUTPUT)};
  main.operations = {{OperationType::RELU, {0}, {1}}};
  main.inputIndexes = {0};
  main.outputIndexes = {1};
  computeConsumers(main);
  return annotated;
}

void expectIdentity(const AnnotatedModel &model) {
  for (bool throughText : {false, true}) {
    auto result = test::roundTrip(model, throughText);
    ASSERT_TRUE(result.isOk()) << result.status().message();
    EXPECT_EQ(test::difference(model, *result), "");
  }
}

std::string errorOf(const AnnotatedModel &model) {
  auto result = test::roundTrip(model);
  return result.isOk() ? "" : result.status().message();
}

void addConstant(AnnotatedModel &annotated, OperandType type,
                 std::vector<uint32_t> dimensions, DataLocation location,
                 OperandLifeTime lifetime = OperandLifeTime::CONSTANT_COPY) {
  Operand operand = tensor(type, std::move(dimensions), lifetime);
  operand.location = location;
  annotated.model.main.operands.push_back(operand);
}
} // namespace

TEST(RoundTrip, KeepsHeaderAndAnnotations) {
  AnnotatedModel annotated = reluModel();
  annotated.model.halVersion = HalVersion::V1_1;
  annotated.model.relaxComputationFloat32toFloat16 = true;
  annotated.inputNames = {"in \"quoted\""};
  annotated.outputNames = {""};
  annotated.statePairs = {{0, 0}};
  expectIdentity(annotated);
}

TEST(RoundTrip, KeepsUnknownRankAndExtents) {
  AnnotatedModel annotated = reluModel();
  annotated.model.main.operands[0].dimensions = {0, 3};
  annotated.model.main.operands[1].dimensions = {};
  expectIdentity(annotated);
}

TEST(RoundTrip, KeepsUnusedOperands) {
  AnnotatedModel annotated = reluModel();
  annotated.model.main.operands.push_back(
      tensor(OperandType::TENSOR_INT32, {}, OperandLifeTime::NO_VALUE));
  addConstant(annotated, OperandType::BOOL, {}, {0, 0, 1});
  annotated.model.operandValues = {2}; // Any byte but 0 is true.
  expectIdentity(annotated);
}

TEST(RoundTrip, KeepsExtensions) {
  AnnotatedModel annotated = reluModel();
  annotated.model.extensionNameToPrefix = {{"com.example.b", 7},
                                           {"com.example.a", 3}};
  Subgraph &main = annotated.model.main;
  main.operands.push_back(tensor(OperandType(7u << 16 | 2), {4, 0},
                                 OperandLifeTime::TEMPORARY_VARIABLE));
  main.operands.back().extraParams = ExtensionParams{{0x00, 0xff}};
  main.operations.push_back({OperationType(3u << 16 | 9), {1}, {2}});
  addConstant(annotated, OperandType(3u << 16 | 5), {}, {0, 0, 3});
  main.operands.back().extraParams = ExtensionParams{};
  addConstant(annotated, OperandType::OEM, {}, {0, 4, 5});
  addConstant(annotated, OperandType::TENSOR_OEM_BYTE, {2}, {0, 12, 2});
  annotated.model.operandValues = {1, 2, 3, 0, 5, 6, 7, 8, 9, 0, 0, 0, 4, 4};
  main.operations.push_back({OperationType::OEM_OPERATION, {}, {}});
  computeConsumers(main);
  expectIdentity(annotated);
}

TEST(RoundTrip, KeepsOtherPackings) {
  AnnotatedModel annotated = reluModel();
  // B-023: the same place twice; a gap that holds data, bytes at the end.
  addConstant(annotated, OperandType::INT32, {}, {0, 8, 4});
  addConstant(annotated, OperandType::INT32, {}, {0, 8, 4});
  annotated.model.operandValues = {0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 0};
  expectIdentity(annotated);
  annotated.model.operandValues[2] = 0xAA;
  expectIdentity(annotated);
}

TEST(RoundTrip, KeepsPools) {
  AnnotatedModel annotated = reluModel();
  std::vector<std::byte> large(5000);
  for (size_t i = 0; i < large.size(); ++i)
    large[i] = std::byte(i * 7);
  annotated.model.pools.push_back(
      {"mmap_fd", Memory::adopt(large), "weights.bin", 64, false});
  annotated.model.pools.push_back(
      {"ashmem", Memory::copy(std::span(large).first(8)), "", 0, true});
  addConstant(annotated, OperandType::TENSOR_FLOAT32, {1200}, {0, 3, 4800},
              OperandLifeTime::CONSTANT_REFERENCE);
  addConstant(annotated, OperandType::TENSOR_FLOAT32, {2}, {1, 0, 8},
              OperandLifeTime::CONSTANT_REFERENCE);
  expectIdentity(annotated);
}

TEST(RoundTrip, CopiesBorrowedPools) {
  std::vector<std::byte> bytes(4096, std::byte(3));
  AnnotatedModel annotated = reluModel();
  annotated.model.pools.push_back(
      {"ashmem", Memory::borrow(bytes), "", 0, false});
  expectIdentity(annotated);
}

TEST(RoundTrip, KeepsLargeConstants) {
  AnnotatedModel annotated = reluModel();
  annotated.model.operandValues.resize(8000);
  for (size_t i = 0; i < 8000; ++i)
    annotated.model.operandValues[i] = uint8_t(i * 13);
  addConstant(annotated, OperandType::TENSOR_FLOAT16, {4, 1000}, {0, 0, 8000});
  expectIdentity(annotated);
}

/// Every bit of a float constant survives: NaN payloads, denormals, -0.
TEST(RoundTrip, KeepsFloatBits) {
  AnnotatedModel annotated = reluModel();
  std::mt19937 random(1);
  annotated.model.operandValues.resize(4 * 200);
  for (uint32_t i = 0; i < 200; ++i) {
    uint32_t bits = i == 0 ? 0x7fc00123 : i == 1 ? 0x80000000 : random();
    std::memcpy(&annotated.model.operandValues[4 * i], &bits, 4);
  }
  for (uint32_t i = 0; i < 100; ++i)
    addConstant(annotated, OperandType::FLOAT32, {}, {0, 4 * i, 4});
  addConstant(annotated, OperandType::TENSOR_FLOAT32, {100}, {0, 400, 400});
  expectIdentity(annotated);
}

TEST(RoundTrip, KeepsEveryQuantization) {
  AnnotatedModel annotated = reluModel();
  std::mt19937 random(2);
  auto scale = [&] {
    float value;
    do {
      uint32_t bits = random() & 0x7fffffff;
      std::memcpy(&value, &bits, 4);
    } while (!std::isfinite(value) || value == 0);
    return value;
  };
  std::vector<Operand> &operands = annotated.model.main.operands;
  for (int i = 0; i < 300; ++i)
    for (auto [type, zeroPoint] :
         {std::pair(OperandType::TENSOR_INT32, 0),
          {OperandType::TENSOR_QUANT8_ASYMM, 255},
          {OperandType::TENSOR_QUANT8_ASYMM_SIGNED, -128},
          {OperandType::TENSOR_QUANT8_ASYMM_SIGNED, 0},
          {OperandType::TENSOR_QUANT8_SYMM, 0},
          {OperandType::TENSOR_QUANT16_SYMM, 0},
          {OperandType::TENSOR_QUANT16_ASYMM, 65535}}) {
      operands.push_back(tensor(type, {2}, OperandLifeTime::NO_VALUE));
      operands.back().scale = scale();
      operands.back().zeroPoint = zeroPoint;
    }
  operands.push_back(tensor(OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL, {2, 3},
                            OperandLifeTime::NO_VALUE));
  operands.back().extraParams =
      SymmPerChannelQuantParams{{scale(), scale(), scale()}, 1};
  expectIdentity(annotated);
}

TEST(RoundTrip, KeepsSubgraphs) {
  AnnotatedModel annotated = reluModel();
  annotated.model.referenced = {annotated.model.main, annotated.model.main};
  Operand reference;
  reference.type = OperandType::SUBGRAPH;
  reference.lifetime = OperandLifeTime::SUBGRAPH;
  reference.location.offset = 1;
  annotated.model.main.operands.push_back(reference);
  expectIdentity(annotated);
}

// whatever scale and zero point of a vendor's types mean, they stay.
TEST(RoundTrip, KeepsQuantizationOfOemOperands) {
  for (OperandType type : {OperandType::OEM, OperandType::TENSOR_OEM_BYTE})
    for (auto [scale, zeroPoint] : {std::pair(0.5f, 3),
                                    {-0.1f, 0},
                                    {0.0f, INT32_MIN},
                                    {INFINITY, INT32_MAX},
                                    {0x1p-149f, -1}}) {
      AnnotatedModel annotated = reluModel();
      Operand vendors =
          tensor(type,
                 type == OperandType::OEM ? std::vector<uint32_t>{}
                                          : std::vector<uint32_t>{2, 3},
                 OperandLifeTime::SUBGRAPH_INPUT);
      vendors.scale = scale;
      vendors.zeroPoint = zeroPoint;
      annotated.model.main.inputIndexes.push_back(
          uint32_t(annotated.model.main.operands.size()));
      annotated.model.main.operands.push_back(std::move(vendors));
      expectIdentity(annotated);
    }
}

TEST(RoundTrip, ReportsWhatHasNoPlace) {
  AnnotatedModel annotated = reluModel();
  Operand &input = annotated.model.main.operands[0];
  input.type = OperandType::TENSOR_QUANT8_ASYMM;
  input.scale = INFINITY;
  EXPECT_EQ(errorOf(annotated),
            "main subgraph: operand 0: scale out of expressed type range "
            "[1.401298e-45, 3.402823e+38]");
  input.scale = 1;
  input.zeroPoint = 256;
  EXPECT_EQ(errorOf(annotated),
            "main subgraph: operand 0: zero point 256 is outside 0 to 255 of "
            "TENSOR_QUANT8_ASYMM");
  input = tensor(OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL, {2, 3},
                 OperandLifeTime::SUBGRAPH_INPUT);
  EXPECT_EQ(errorOf(annotated),
            "main subgraph: operand 0: a TENSOR_QUANT8_SYMM_PER_CHANNEL "
            "operand has no channel scales");
  input = tensor(OperandType::INT32, {1}, OperandLifeTime::SUBGRAPH_INPUT);
  EXPECT_EQ(errorOf(annotated),
            "main subgraph: operand 0: a scalar operand has rank 1");
  input = tensor(OperandType(5u << 16), {}, OperandLifeTime::SUBGRAPH_INPUT);
  EXPECT_EQ(errorOf(annotated),
            "main subgraph: operand 0: extension prefix 5 of operand type "
            "327680 is not declared");
}

TEST(RoundTrip, ReportsDamagedModels) {
  AnnotatedModel annotated = reluModel();
  annotated.model.main.operations[0].inputs = {7};
  EXPECT_EQ(errorOf(annotated),
            "main subgraph: operation 0: operand 7 exceeds the 2 operands");
  annotated.model.main.operations[0].inputs = {1};
  EXPECT_EQ(errorOf(annotated),
            "main subgraph: operation 0: operand 1 is read before it is "
            "written");
  annotated.model.main.operations[0] = {OperationType::RELU, {0}, {0}};
  EXPECT_EQ(errorOf(annotated),
            "main subgraph: operation 0: operand 0 is written twice");
  annotated.model.main.operations[0].type = OperationType(9999);
  EXPECT_EQ(errorOf(annotated),
            "main subgraph: operation 0: operation type 9999 is unknown");
  annotated = reluModel();
  Operand graph;
  graph.type = OperandType::SUBGRAPH;
  graph.lifetime = OperandLifeTime::SUBGRAPH;
  graph.location.offset = 3;
  annotated.model.main.operands.push_back(graph);
  annotated.model.main.operations[0].inputs = {2};
  EXPECT_EQ(errorOf(annotated),
            "main subgraph: operation 0: operand 2 refers to subgraph 3 of 0");
  annotated = reluModel();
  annotated.model.operandValues.resize(8);
  addConstant(annotated, OperandType::TENSOR_FLOAT32, {1}, {0, 0, 8});
  annotated.model.main.operations[0].inputs = {2};
  EXPECT_EQ(errorOf(annotated),
            "main subgraph: operation 0: operand 2: a constant has 8 bytes, "
            "its type needs 4");
}
