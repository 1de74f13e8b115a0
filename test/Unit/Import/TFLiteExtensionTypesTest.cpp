//===- TFLiteExtensionTypesTest.cpp - Integers of 64 bits and others ------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunTesting.h"

#include "Extensions/TFLite/TFLiteExtension.h"
#include "Runtime/Formats/TFLite/ExtensionTypes.h"

#include <algorithm>

namespace nnhal::rt {
namespace {

/// ":0" behind a shape is TENSOR_INT64.
std::string text(TFLiteWriter &file, const std::vector<int32_t> &inputs,
                 const std::vector<int32_t> &outputs) {
  return toText(importBytes(file.finish(inputs, outputs)));
}

// The importer states the kinds of elements beside the extension that
// describes them, since it works without the extension, too.
TEST(TFLiteExtensionTypesTest, kindsAreThoseOfTheExtension) {
  auto backend = nnhal::tflite::createTFLiteExtension();
  const Extension &extension = backend->extension();
  for (OperandType type :
       {tflite::tensorInt64, tflite::tensorUint32, tflite::tensorUint16,
        tflite::tensorUint64, tflite::tensorFloat64, tflite::tensorComplex64}) {
    auto described = std::ranges::find(extension.operandTypes, uint16_t(type),
                                       &Extension::OperandTypeInfo::type);
    ASSERT_NE(described, extension.operandTypes.end()) << uint16_t(type);
    EXPECT_EQ(tflite::elementKindOf(type), described->kind) << uint16_t(type);
    EXPECT_EQ(tflite::elementSizeOf(type), described->byteSize)
        << uint16_t(type);
  }
}

TEST(TFLiteExtensionTypesTest, computedIntegersKeep64Bits) {
  TFLiteWriter file;
  int32_t x = file.tensor({{2}, Type::INT64}),
          sum = file.tensor({{}, Type::INT64});
  int32_t big = file.constant<int64_t>({{1}, Type::INT64}, {INT64_C(1) << 40});
  file.add(Code::ADD, {x, big}, {sum});
  AnnotatedModel model = importBytes(file.finish({x}, {sum}));
  EXPECT_EQ(toText(model), "tflite:ADD(i2:0, c1:0, 0) -> o2:0\n");
  EXPECT_EQ(valuesOf<int64_t>(model, model.model.main.operations[0].inputs[1]),
            std::vector<int64_t>{INT64_C(1) << 40});
}

TEST(TFLiteExtensionTypesTest, constantsFoldedTo32BitsAreWidened) {
  TFLiteWriter file;
  int32_t x = file.tensor({{2}, Type::INT64}),
          shape = file.tensor({{}, Type::INT64}),
          sum = file.tensor({{}, Type::INT64});
  file.add(Code::SHAPE, {x}, {shape});
  file.add(Code::ADD, {x, shape}, {sum});
  AnnotatedModel model = importBytes(file.finish({x}, {sum}));
  EXPECT_EQ(toText(model), "tflite:ADD(i2:0, c1:0, 0) -> o2:0\n");
  EXPECT_EQ(valuesOf<int64_t>(model, model.model.main.operations[0].inputs[1]),
            std::vector<int64_t>{2});
}

TEST(TFLiteExtensionTypesTest, indicesAreNarrowedOnce) {
  TFLiteWriter file;
  int32_t ids = file.tensor({{3}, Type::INT64}), a = file.tensor({{}}),
          b = file.tensor({{}});
  int32_t table = file.floats({5, 2});
  file.add(Code::GATHER, {table, ids}, {a});
  file.add(Code::GATHER, {table, ids}, {b});
  EXPECT_EQ(text(file, {ids}, {a, b}), "tflite:CAST(i3:0, 4, 2) -> t3\n"
                                       "GATHER(c5x2, 0, t3) -> o3x2\n"
                                       "GATHER(c5x2, 0, t3) -> o3x2\n");
}

TEST(TFLiteExtensionTypesTest, indicesThatTheHalCountsAreWidened) {
  TFLiteWriter file;
  int32_t x = file.tensor({{2, 3}}), index = file.tensor({{}, Type::INT64}),
          real = file.tensor({{}}), other = file.tensor({{2}, Type::INT64}),
          sum = file.tensor({{}, Type::INT64});
  file.add(Code::ARG_MAX, {x, file.integers({1})}, {index});
  file.add(Code::CAST, {index}, {real});
  file.add(Code::ADD, {index, other}, {sum});
  EXPECT_EQ(text(file, {x, other}, {real, sum}),
            "ARGMAX(i2x3, 1) -> t2\n"
            "CAST(t2) -> o2\n"
            "tflite:CAST(t2, 2, 4) -> t2:0\n"
            "tflite:ADD(t2:0, i2:0, 0) -> o2:0\n");
}

TEST(TFLiteExtensionTypesTest, outputsAreCopied) {
  TFLiteWriter file;
  int32_t x = file.tensor({{2, 3}, Type::INT64});
  EXPECT_EQ(text(file, {x}, {x}), "tflite:RESHAPE(i2x3:0, -) -> o2x3:0\n");
}

TEST(TFLiteExtensionTypesTest, otherTypes) {
  auto cast = [](Type type) {
    TFLiteWriter file;
    int32_t x = file.tensor({{2}, type}), y = file.tensor({{}});
    file.add(Code::CAST, {x}, {y},
             schema::CreateCastOptions(file.builder, type, Type::FLOAT32));
    return text(file, {x}, {y});
  };
  EXPECT_EQ(cast(Type::UINT32), "tflite:CAST(i2:1, 15, 0) -> o2\n");
  EXPECT_EQ(cast(Type::UINT16), "tflite:CAST(i2:2, 16, 0) -> o2\n");
  EXPECT_EQ(cast(Type::UINT64), "tflite:CAST(i2:3, 12, 0) -> o2\n");
  EXPECT_EQ(cast(Type::FLOAT64), "tflite:CAST(i2:4, 10, 0) -> o2\n");
  EXPECT_EQ(cast(Type::BOOL), "tflite:CAST(i2, 6, 0) -> o2\n");
  TFLiteWriter file;
  int32_t x = file.tensor({{2}, Type::UINT16}),
          y = file.tensor({{}, Type::UINT16});
  int32_t mask = file.constant<uint16_t>({{2}, Type::UINT16}, {3, 5});
  file.add(Code::BITWISE_XOR, {x, mask}, {y});
  EXPECT_EQ(text(file, {x}, {y}), "tflite:BITWISE_XOR(i2:2, c2:2) -> o2:2\n");
}

TEST(TFLiteExtensionTypesTest, numbersThatTheHalDoesNotTake) {
  auto of = [](Code code, const TensorSpec &input, const TensorSpec &output) {
    return toText(importBytes(operatorFile(code, {{input, {}}}, {output})));
  };
  EXPECT_EQ(of(Code::UNPACK, {{1, 2}, Type::INT32}, {{}, Type::INT32}),
            "tflite:UNPACK(i1x2, 0, 0) -> o2\n");
  EXPECT_EQ(of(Code::NEG, {{2}, Type::INT64}, {{}, Type::INT64}),
            "tflite:NEG(i2:0) -> o2:0\n");
  EXPECT_EQ(of(Code::CAST, {{2}}, {{}, Type::BOOL}),
            "tflite:CAST(i2, 0, 0) -> o2\n");
  // The HAL's CAST saturates.
  EXPECT_EQ(of(Code::CAST, {{2}, Type::INT32}, {{}, Type::UINT8}),
            "tflite:CAST(i2, 0, 0) -> o2\n");
  EXPECT_EQ(of(Code::CAST, {{2}}, {{}, Type::UINT8}), "CAST(i2) -> o2\n");
}

TEST(TFLiteExtensionTypesTest, withoutExtensions) {
  TFLiteWriter file;
  int32_t x = file.tensor({{2}, Type::INT64}),
          y = file.tensor({{}, Type::INT64});
  file.add(Code::NEG, {x}, {y});
  EXPECT_EQ(halImportError(file.finish({x}, {y})),
            "input 0: tensor 0 't0' has type INT64, which the HAL does not "
            "have; the extension nnhal.tflite has it");
}

// A call yields the folded integers of its subgraph.
TEST(TFLiteExtensionTypesTest, foldedResultsOfCalls) {
  TFLiteWriter file;
  int32_t x = file.tensor({{2, 3}}), shape = file.tensor({{2}, Type::INT64}),
          y = file.tensor({{}});
  file.add(Code::CALL, {x}, {shape},
           schema::CreateCallOptions(file.builder, 1));
  file.add(Code::RESHAPE, {x, shape}, {y});
  file.endSubgraph({x}, {y});
  int32_t inside = file.tensor({{2, 3}}),
          found = file.tensor({{2}, Type::INT64});
  file.add(Code::SHAPE, {inside}, {found});
  EXPECT_EQ(text(file, {inside}, {found}), "RESHAPE(i2x3, {2 3}) -> o2x3\n");
}

} // namespace
} // namespace nnhal::rt
