//===- ValidateOperandsTest.cpp - Rules of operands -----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestModels.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

using namespace nnhal::rt;
using namespace nnhal::rt::test;

namespace {

/// addTwice() with one more operand, an unread input, number 5 (B-028).
Model withInput(Operand extra) {
  Model model = addTwice();
  model.main.operands.push_back(std::move(extra));
  model.main.inputIndexes.push_back(5);
  return model;
}

/// The message about operand 5 of withInput(), without what all have.
std::string complaint(Operand extra, HalVersion version = HalVersion::V1_3) {
  std::string message =
      validateStructure(withInput(std::move(extra)), version).message();
  std::string prefix = "main: operand 5: ";
  EXPECT_TRUE(message.empty() || message.starts_with(prefix)) << message;
  return message.empty() ? message : message.substr(prefix.size());
}

std::string complaint(OperandType type, float scale, int32_t zeroPoint) {
  Operand extra = input(type, {});
  if (isTensor(type))
    extra.dimensions = {2, 3};
  extra.scale = scale;
  extra.zeroPoint = zeroPoint;
  return complaint(extra);
}

Operand perChannel(std::vector<uint32_t> dimensions, std::vector<float> scales,
                   uint32_t channelDim) {
  Operand result =
      input(OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL, std::move(dimensions));
  result.extraParams = SymmPerChannelQuantParams{std::move(scales), channelDim};
  return result;
}

TEST(ValidateOperandsTest, typeMustExist) { // B-011
  EXPECT_EQ(complaint(input(OperandType(16), {})),
            "code 16 is not an operand type");
  EXPECT_EQ(complaint(input(OperandType(9999), {})),
            "code 9999 is not an operand type");
  EXPECT_EQ(complaint(input(OperandType(10002), {})),
            "code 10002 is not an operand type");
}

TEST(ValidateOperandsTest, typeNeedsVersion) {
  for (const OperandTypeInfo &info : allOperandTypes()) {
    if (info.type == OperandType::SUBGRAPH)
      continue;
    Operand extra = input(info.type, {});
    if (info.isTensor)
      extra.dimensions = {1};
    if (isQuantized(info.type))
      extra.scale = 1.0f;
    if (info.type == OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL)
      extra = perChannel({1}, {1.0f}, 0);
    for (HalVersion version : {HalVersion::V1_0, HalVersion::V1_1,
                               HalVersion::V1_2, HalVersion::V1_3})
      EXPECT_EQ(complaint(extra, version).empty(), version >= info.since)
          << info.name << " in " << toString(version);
  }
  EXPECT_EQ(
      complaint(input(OperandType::TENSOR_FLOAT16, {1}), HalVersion::V1_1),
      "type TENSOR_FLOAT16 needs HAL 1.2, the model is validated as 1.1");
}

// A-074, H-001, H-022: the upper 16 bits are the prefix, which the model gives
// a name, the lower 16 the number of the type.
TEST(ValidateOperandsTest, extensionTypeNeedsPrefix) { // B-008
  Model model = withInput(input(OperandType(7u << 16 | 3), {}));
  EXPECT_EQ(validateStructure(model).message(),
            "main: operand 5: extension prefix 7 of type code 458755 is not "
            "among the 0 of the model");
  model.extensionNameToPrefix = {{"com.example.ext", 7}};
  EXPECT_EQ(validateStructure(model, HalVersion::V1_2).message(), "");
  EXPECT_EQ(validateStructure(model, HalVersion::V1_1).message(),
            "main: operand 5: extension types need HAL 1.2, the model is "
            "validated as 1.1");
  model.main.operands[5].scale = 1.0f;
  EXPECT_EQ(validateStructure(model).message(),
            "main: operand 5: scale 1 of code 458755 must be 0");
  model.main.operands[5].scale = 0.0f;
  model.main.operands[5].extraParams = ExtensionParams{{1, 2}};
  EXPECT_EQ(validateStructure(model).message(), "");
  model.main.operands[5].extraParams = SymmPerChannelQuantParams{};
  EXPECT_EQ(validateStructure(model).message(),
            "main: operand 5: code 458755 must not have per-channel scales");
}

// H-003 to H-005, H-007, H-023, M-264: an extension has any prefix from 1 to
// 65535, another one in another model, and numbers from 0 to 65535.
TEST(ValidateOperandsTest, extensionsHaveAnyPrefix) {
  for (uint32_t prefix : {1u, 7u, 0x7FFFu, 0x8000u, 65535u})
    for (uint32_t number : {0u, 1u, 65535u}) {
      Model model = withInput(input(OperandType(prefix << 16 | number), {}));
      model.extensionNameToPrefix = {{"com.example.ext", uint16_t(prefix)}};
      EXPECT_EQ(validateStructure(model).message(), "");
      // The numbers of operations are others.
      model.main.operations[0].type = OperationType(prefix << 16 | number);
      EXPECT_EQ(validateStructure(model).message(), "");
      model.extensionNameToPrefix[0].prefix = 2;
      EXPECT_EQ(validateStructure(model).message(),
                fmt::format("main: operand 5: extension prefix {} of type code "
                            "{} is not among the 1 of the model",
                            prefix, prefix << 16 | number));
    }
}

// H-017, H-025: dimensions may be unknown, and bytes of the extension absent or
// of any length.
TEST(ValidateOperandsTest, extensionsKnowTheirOperands) {
  using Shape = std::vector<uint32_t>;
  for (Shape dimensions : {Shape{}, Shape{0, 3}, Shape{2}}) {
    Model model =
        withInput(input(OperandType(7u << 16 | 3), std::move(dimensions)));
    model.extensionNameToPrefix = {{"com.example.ext", 7}};
    EXPECT_EQ(validateStructure(model).message(), "");
    for (size_t length : {0, 1, 1000}) {
      model.main.operands[5].extraParams =
          ExtensionParams{std::vector<uint8_t>(length)};
      EXPECT_EQ(validateStructure(model).message(), "");
    }
  }
}

TEST(ValidateOperandsTest, scalarHasNoDimensions) { // B-012, B-042
  EXPECT_EQ(complaint(input(OperandType::INT32, {})), "");
  EXPECT_EQ(complaint(input(OperandType::INT32, {0})),
            "scalar INT32 must not have dimensions, found 1");
}

TEST(ValidateOperandsTest, unknownRankNeedsVersion) { // B-013
  EXPECT_EQ(complaint(input(OperandType::TENSOR_FLOAT32, {}), HalVersion::V1_2),
            "");
  EXPECT_EQ(complaint(input(OperandType::TENSOR_FLOAT32, {}), HalVersion::V1_1),
            "TENSOR_FLOAT32 of unknown rank needs HAL 1.2, the model is "
            "validated as 1.1");
  EXPECT_EQ(
      complaint(input(OperandType::TENSOR_FLOAT32, {0}), HalVersion::V1_0), "");
}

TEST(ValidateOperandsTest, sizeFits32Bits) { // B-088
  EXPECT_EQ(complaint(input(OperandType::TENSOR_FLOAT32, {0x10000, 0x3FFF})),
            "");
  // The bound itself, and one byte or element more.
  EXPECT_EQ(complaint(input(OperandType::TENSOR_BOOL8, {UINT32_MAX})), "");
  EXPECT_EQ(complaint(input(OperandType::TENSOR_BOOL8, {0x10000, 0x10000})),
            "dimensions [65536, 65536] of TENSOR_BOOL8 exceed 4294967295 "
            "bytes");
  EXPECT_EQ(complaint(input(OperandType::TENSOR_FLOAT32, {0x3FFFFFFF})), "");
  EXPECT_EQ(complaint(input(OperandType::TENSOR_FLOAT32, {0x40000000})),
            "dimensions [1073741824] of TENSOR_FLOAT32 exceed 4294967295 "
            "bytes");
  EXPECT_EQ(complaint(input(OperandType::TENSOR_FLOAT32, {0x10000, 0x10000})),
            "dimensions [65536, 65536] of TENSOR_FLOAT32 exceed 4294967295 "
            "bytes");
  EXPECT_EQ(complaint(input(OperandType::TENSOR_FLOAT32, {0, 0x80000000, 4})),
            "dimensions [0, 2147483648, 4] of TENSOR_FLOAT32 exceed "
            "4294967295 bytes");
  EXPECT_EQ(complaint(input(OperandType::TENSOR_BOOL8,
                            std::vector<uint32_t>(9, UINT32_MAX)))
                .substr(0, 10),
            "dimensions");
}

// B-014: of an operand that nothing reads.
TEST(ValidateOperandsTest, scaleFitsType) { // B-043
  EXPECT_EQ(complaint(OperandType::TENSOR_QUANT8_ASYMM, 0.0f, 0),
            "scale 0 of TENSOR_QUANT8_ASYMM must be positive");
  EXPECT_EQ(complaint(OperandType::TENSOR_INT32, -1.0f, 0),
            "scale -1 of TENSOR_INT32 must not be negative");
  EXPECT_EQ(complaint(OperandType::TENSOR_FLOAT32, 1.0f, 0),
            "scale 1 of TENSOR_FLOAT32 must be 0");
  float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(complaint(OperandType::TENSOR_QUANT16_SYMM, infinity, 0),
            "scale inf of TENSOR_QUANT16_SYMM must be finite");

  using enum OperandType;
  for (OperandType type : {FLOAT32, INT32, UINT32, BOOL, FLOAT16, TENSOR_BOOL8,
                           TENSOR_FLOAT16, TENSOR_FLOAT32}) {
    EXPECT_EQ(complaint(type, 0.0f, 0), "");
    EXPECT_NE(complaint(type, 1.0f, 0), "") << nameOf(type);
    EXPECT_NE(complaint(type, 0.0f, 1), "") << nameOf(type);
    EXPECT_NE(complaint(type, std::nanf(""), 0), "") << nameOf(type);
  }
  for (OperandType type :
       {TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED, TENSOR_QUANT8_SYMM,
        TENSOR_QUANT16_ASYMM, TENSOR_QUANT16_SYMM}) {
    EXPECT_EQ(complaint(type, 0.5f, 0), "");
    EXPECT_NE(complaint(type, 0.0f, 0), "") << nameOf(type);
    EXPECT_NE(complaint(type, -0.5f, 0), "") << nameOf(type);
    EXPECT_NE(complaint(type, infinity, 0), "") << nameOf(type);
    EXPECT_NE(complaint(type, std::nanf(""), 0), "") << nameOf(type);
  }
  EXPECT_EQ(complaint(TENSOR_INT32, 0.5f, 0), "");
  EXPECT_NE(complaint(TENSOR_INT32, infinity, 0), "");
  EXPECT_NE(complaint(TENSOR_INT32, std::nanf(""), 0), "");
  EXPECT_EQ(complaint(OEM, -3.0f, 12345), "");
  EXPECT_EQ(complaint(TENSOR_OEM_BYTE, -3.0f, 12345), "");
}

// B-014: of an operand that nothing reads.
TEST(ValidateOperandsTest, zeroPointFitsType) { // B-044
  EXPECT_EQ(complaint(OperandType::TENSOR_QUANT8_ASYMM, 1.0f, 256),
            "zero point 256 of TENSOR_QUANT8_ASYMM must be from 0 to 255");
  EXPECT_EQ(complaint(OperandType::TENSOR_QUANT8_SYMM, 1.0f, 1),
            "zero point 1 of TENSOR_QUANT8_SYMM must be 0");
  struct {
    OperandType type;
    int32_t min, max;
  } ranges[] = {{OperandType::TENSOR_QUANT8_ASYMM, 0, 255},
                {OperandType::TENSOR_QUANT8_ASYMM_SIGNED, -128, 127},
                {OperandType::TENSOR_QUANT8_SYMM, 0, 0},
                {OperandType::TENSOR_QUANT16_ASYMM, 0, 65535},
                {OperandType::TENSOR_QUANT16_SYMM, 0, 0}};
  for (auto [type, min, max] : ranges) {
    EXPECT_EQ(complaint(type, 1.0f, min), "");
    EXPECT_EQ(complaint(type, 1.0f, max), "");
    EXPECT_NE(complaint(type, 1.0f, min - 1), "") << nameOf(type);
    EXPECT_NE(complaint(type, 1.0f, max + 1), "") << nameOf(type);
  }
  EXPECT_EQ(complaint(OperandType::TENSOR_INT32, 0.0f, 1),
            "zero point 1 of TENSOR_INT32 must be 0");
}

TEST(ValidateOperandsTest, channelScales) {
  EXPECT_EQ(complaint(perChannel({2, 3}, {1.0f, 2.0f}, 0)), "");
  EXPECT_EQ(
      complaint(input(OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL, {2, 3})),
      "TENSOR_QUANT8_SYMM_PER_CHANNEL needs per-channel scales");
  EXPECT_EQ(complaint(perChannel({2, 3}, {1.0f, 2.0f}, 2)),
            "channel dimension 2 must be below the rank, 2");
  EXPECT_EQ(complaint(perChannel({0, 3}, {}, 0)),
            "dimension 0, the channel dimension, must be known");
  EXPECT_EQ(complaint(perChannel({2, 3}, {1.0f, 2.0f}, 1)),
            "2 per-channel scales do not match the 3 channels");
  EXPECT_EQ(complaint(perChannel({2, 3}, {1.0f, 0.0f}, 0)),
            "scale 0 of channel 1 must be positive and finite");
  EXPECT_NE(complaint(perChannel({2, 3}, {1.0f, std::nanf("")}, 0)), "");
  EXPECT_EQ(complaint(perChannel(
                {2, 3}, {1.0f, std::numeric_limits<float>::infinity()}, 0)),
            "scale inf of channel 1 must be positive and finite");
  Operand scaled = perChannel({2, 3}, {1.0f, 2.0f}, 0);
  scaled.scale = 1.0f;
  EXPECT_EQ(complaint(scaled),
            "scale 1 of TENSOR_QUANT8_SYMM_PER_CHANNEL must be 0");
}

TEST(ValidateOperandsTest, noExtraParamsOnOtherTypes) {
  for (OperandType type : {OperandType::TENSOR_FLOAT32, OperandType::INT32}) {
    Operand extra = input(type, {});
    extra.extraParams = ExtensionParams{{1}};
    EXPECT_EQ(complaint(extra),
              fmt::format("{} must not have extension data", nameOf(type)));
    extra.extraParams = SymmPerChannelQuantParams{};
    EXPECT_EQ(complaint(extra),
              fmt::format("{} must not have per-channel scales", nameOf(type)));
  }
}

TEST(ValidateOperandsTest, constantCopyLocation) { // B-015, B-016
  expectInvalid(addTwice(),
                "main: operand 1: pool index 1 of a CONSTANT_COPY must be 0",
                [](Model &m) { m.main.operands[1].location.poolIndex = 1; });
  expectInvalid(addTwice(),
                "main: operand 1: offset 5 plus length 8 exceeds the 12 bytes "
                "of operandValues",
                [](Model &m) { m.main.operands[1].location.offset = 5; });
  expectInvalid(addTwice(),
                "main: operand 1: offset 4294967295 plus length 4294967295 "
                "exceeds the 12 bytes of operandValues",
                [](Model &m) {
                  m.main.operands[1].location = {0, UINT32_MAX, UINT32_MAX};
                });
  // B-023: two constants may share a location.
  expectValid(addTwice(),
              [](Model &m) { m.main.operands[1].location.offset = 4; });
}

TEST(ValidateOperandsTest, constantReferenceLocation) { // B-017
  Model model = addTwice();
  model.pools.push_back(
      {"mmap_fd", Memory::adopt(std::vector<std::byte>(16)), {}, 0, false});
  model.main.operands[1].lifetime = OperandLifeTime::CONSTANT_REFERENCE;
  model.main.operands[1].location = {0, 8, 8};
  expectInvalid(model,
                "main: operand 1: pool index 1 must be below the number of "
                "pools, 1",
                [](Model &m) { m.main.operands[1].location.poolIndex = 1; });
  expectInvalid(model,
                "main: operand 1: offset 9 plus length 8 exceeds the 16 bytes "
                "of pool 0",
                [](Model &m) { m.main.operands[1].location.offset = 9; });
}

TEST(ValidateOperandsTest, constantLength) { // B-018, B-019
  expectInvalid(addTwice(),
                "main: operand 1: length 4 of a constant TENSOR_FLOAT32 must "
                "be 8",
                [](Model &m) { m.main.operands[1].location.length = 4; });
  expectInvalid(addTwice(),
                "main: operand 1: a constant TENSOR_FLOAT32 must have a known "
                "rank",
                [](Model &m) { m.main.operands[1].dimensions = {}; });
  expectValid(addTwice(), [](Model &m) {
    m.main.operands[1].dimensions = {0, 2};
    m.main.operands[1].location.length = 0;
  });
  for (OperandType type : {OperandType::OEM, OperandType::TENSOR_OEM_BYTE})
    expectValid(addTwice(), [&](Model &m) {
      m.main.operands.push_back(zeros(m, type, {}, 13));
    });
}

TEST(ValidateOperandsTest, otherLifetimesHaveNoLocation) { // B-020
  expectInvalid(addTwice(),
                "main: operand 3: a TEMPORARY_VARIABLE must not have a "
                "location, found pool index 0, offset 0, length 8",
                [](Model &m) { m.main.operands[3].location.length = 8; });
  expectInvalid(addTwice(),
                "main: operand 0: a SUBGRAPH_INPUT must not have a location, "
                "found pool index 2, offset 0, length 0",
                [](Model &m) { m.main.operands[0].location.poolIndex = 2; });
  expectValid(addTwice(), [](Model &m) {
    m.main.operands.push_back(
        operand(OperandType::TENSOR_FLOAT32, {2}, OperandLifeTime::NO_VALUE));
  });
}

TEST(ValidateOperandsTest, lifetimeFitsType) { // B-022, B-024
  expectInvalid(addTwice(),
                "main: operand 5: lifetime NO_VALUE does not fit type SUBGRAPH",
                [](Model &m) {
                  m.main.operands.push_back(operand(OperandType::SUBGRAPH, {},
                                                    OperandLifeTime::NO_VALUE));
                });
  expectInvalid(addTwice(),
                "main: operand 0: lifetime SUBGRAPH does not fit type "
                "TENSOR_FLOAT32",
                [](Model &m) {
                  m.main.operands[0].lifetime = OperandLifeTime::SUBGRAPH;
                });
  for (OperandType type : {OperandType::TENSOR_FLOAT32, OperandType::SUBGRAPH})
    expectInvalid(
        addTwice(), "main: operand 5: lifetime 7 is unknown", [&](Model &m) {
          m.main.operands.push_back(operand(type, {}, OperandLifeTime(7)));
        });
}

TEST(ValidateOperandsTest, subgraphReference) { // B-021
  auto withReference = [](DataLocation location) {
    return [=](Model &m) {
      m.referenced.push_back(addTwice().main);
      m.main.operands.push_back(
          operand(OperandType::SUBGRAPH, {}, OperandLifeTime::SUBGRAPH));
      m.main.operands.back().location = location;
    };
  };
  expectValid(addTwice(), withReference({0, 0, 0}));
  expectInvalid(addTwice(),
                "main: operand 5: subgraph 1 must be below the number of "
                "referenced subgraphs, 1",
                withReference({0, 1, 0}));
  expectInvalid(addTwice(),
                "main: operand 5: pool index 0 and length 4 of a SUBGRAPH "
                "must be 0",
                withReference({0, 0, 4}));
}

// a graph has no quantization.
TEST(ValidateOperandsTest, subgraphsAreNotQuantized) {
  auto with = [](auto change) {
    return [=](Model &m) {
      m.referenced.push_back(addTwice().main);
      m.main.operands.push_back(
          operand(OperandType::SUBGRAPH, {}, OperandLifeTime::SUBGRAPH));
      change(m.main.operands.back());
    };
  };
  expectValid(addTwice(), with([](Operand &) {}));
  expectInvalid(addTwice(), "main: operand 5: scale 1 of SUBGRAPH must be 0",
                with([](Operand &o) { o.scale = 1.0f; }));
  expectInvalid(addTwice(),
                "main: operand 5: zero point 1 of SUBGRAPH must be 0",
                with([](Operand &o) { o.zeroPoint = 1; }));
  expectInvalid(
      addTwice(), "main: operand 5: SUBGRAPH must not have per-channel scales",
      with([](Operand &o) { o.extraParams = SymmPerChannelQuantParams{}; }));
  expectInvalid(addTwice(),
                "main: operand 5: SUBGRAPH must not have extension data",
                with([](Operand &o) { o.extraParams = ExtensionParams{}; }));
}

TEST(ValidateOperandsTest, numberOfConsumers) { // B-027
  expectInvalid(addTwice(),
                "main: operand 1: numberOfConsumers 1 must be 2, the number "
                "of operation inputs that name it",
                [](Model &m) { m.main.operands[1].numberOfConsumers = 1; });
  // Repeats within one operation count.
  expectInvalid(addTwice(),
                "main: operand 0: numberOfConsumers 1 must be 2, the number "
                "of operation inputs that name it",
                [](Model &m) {
                  m.main.operations[0].inputs = {0, 0, 2};
                  m.main.operands[1].numberOfConsumers = 1;
                });
}

} // namespace
