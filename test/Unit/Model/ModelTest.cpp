//===- ModelTest.cpp - The NN HAL 1.3 model -------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestModels.h"

#include <map>
#include <set>

using namespace nnhal::rt;
using namespace nnhal::rt::test;

namespace {

TEST(ModelTest, versions) {
  EXPECT_EQ(toString(HalVersion::V1_0), "1.0");
  EXPECT_EQ(toString(HalVersion::V1_3), "1.3");
  EXPECT_EQ(parseHalVersion("1.2"), HalVersion::V1_2);
  EXPECT_EQ(parseHalVersion("1.4"), std::nullopt);
  EXPECT_EQ(parseHalVersion(""), std::nullopt);
}

TEST(ModelTest, operandTypeTable) {
  size_t oem = 0;
  std::set<uint32_t> codes;
  for (const OperandTypeInfo &info : allOperandTypes()) {
    oem += uint32_t(info.type) >= 10000;
    codes.insert(uint32_t(info.type));
    EXPECT_EQ(lookUp(info.type), &info);
    EXPECT_EQ(lookUpOperandType(info.name), &info);
    EXPECT_EQ(nameOf(info.type), info.name);
    EXPECT_EQ(isTensor(info.type), info.isTensor);
    EXPECT_EQ(isScalar(info.type), !info.isTensor);
    EXPECT_EQ(isTensor(info.type), info.name.starts_with("TENSOR_"));
    EXPECT_EQ(isQuantized(info.type),
              info.name.find("QUANT") != std::string_view::npos);
  }
  EXPECT_EQ(codes.size() - oem, 16u);
  EXPECT_EQ(oem, 2u);
  EXPECT_EQ(uint32_t(OperandType::SUBGRAPH), 15u);
  EXPECT_EQ(uint32_t(OperandType::TENSOR_QUANT8_ASYMM_SIGNED), 14u);
  EXPECT_EQ(uint32_t(OperandType::TENSOR_OEM_BYTE), 10001u);
}

TEST(ModelTest, operationTable) {
  std::map<HalVersion, uint32_t> last;
  for (const OperationInfo &info : allOperations()) {
    EXPECT_EQ(lookUp(info.type), &info);
    EXPECT_EQ(lookUpOperation(info.name), &info);
    EXPECT_EQ(nameOf(info.type), info.name);
    last[info.since] = uint32_t(info.type);
  }
  EXPECT_EQ(allOperations().size(), 102u);
  EXPECT_EQ(last[HalVersion::V1_0], 28u);
  EXPECT_EQ(last[HalVersion::V1_1], 37u);
  EXPECT_EQ(last[HalVersion::V1_2], 94u);
  EXPECT_EQ(last[HalVersion::V1_3], 101u);
  EXPECT_EQ(uint32_t(OperationType::WHILE), 97u);
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
  EXPECT_FALSE(isExtension(OperandType(0xFFFF)));
  EXPECT_TRUE(isExtension(OperandType(0x10000)));
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
