//===- TFLiteFileErrorsTest.cpp - Files that are not what they say --------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ImportTesting.h"

namespace nnhal::rt {
namespace {

TEST(TFLiteFileErrorsTest, files) {
  EXPECT_EQ(importError({}), "not a TensorFlow Lite file: no identifier TFL3");
  TFLiteWriter old;
  EXPECT_EQ(importError(old.finish({}, {}, 2)),
            "TensorFlow Lite schema version 2 is not supported, expected 3");
  TFLiteWriter file;
  std::vector<std::byte> bytes = file.finish({}, {});
  bytes.resize(bytes.size() / 2);
  EXPECT_EQ(importError(bytes), "damaged TensorFlow Lite file of " +
                                    std::to_string(bytes.size()) + " bytes");
  TFLiteWriter empty;
  schema::FinishModelBuffer(empty.builder,
                            schema::CreateModel(empty.builder, 3));
  const auto *data =
      reinterpret_cast<const std::byte *>(empty.builder.GetBufferPointer());
  EXPECT_EQ(importError({data, data + empty.builder.GetSize()}),
            "the file has no subgraph");
}

TEST(TFLiteFileErrorsTest, variables) {
  TFLiteWriter file;
  int32_t x = file.tensor({{1, 4, 4, 3}}),
          filter = file.tensor({.shape = {4, 3, 3, 3}, .isVariable = true}),
          y = file.tensor({{}});
  file.add(Code::CONV_2D, {x, filter}, {y});
  EXPECT_EQ(importError(file.finish({x}, {y})),
            "operator 0 (CONV_2D): input 1, tensor 1 't1', is a variable");
}

TEST(TFLiteFileErrorsTest, references) {
  TFLiteWriter buffer;
  int32_t x = buffer.tensorOfBuffer({{2}}, 9);
  EXPECT_EQ(importError(buffer.finish({x}, {x})),
            "tensor 0 't0': refers to buffer 9 of 1");
  TFLiteWriter external;
  x = external.external({{2}}, 1 << 20, 8);
  std::vector<std::byte> bytes = external.finish({}, {x});
  EXPECT_EQ(importError(bytes),
            "tensor 0 't0': refers to 8 bytes from byte 1048576 on, in a file "
            "of " +
                std::to_string(bytes.size()));
  TFLiteWriter codes;
  x = codes.tensor({{2}});
  int32_t y = codes.tensor({{2}});
  codes.add(Code::EXP, {x}, {y});
  codes.dropCodes();
  EXPECT_EQ(
      importError(codes.finish({x}, {y})),
      "operator 0 refers to operator code 0, which the file does not have");
  TFLiteWriter variable;
  x = variable.tensor({.shape = {2}, .isVariable = true}),
  y = variable.tensor({{2}});
  variable.add(Code::EXP, {x}, {y});
  EXPECT_EQ(importError(variable.finish({}, {y})),
            "operator 0 (EXP): input 0, tensor 0 't0', is a variable");
  TFLiteWriter scales;
  x = scales.constant<int8_t>({{2}, Type::INT8, {0.5f, 0.25f}, {0, 0}}, {1, 2});
  EXPECT_EQ(
      importError(scales.finish({}, {x})),
      "output 0 is tensor 0 't0', whose several scales no operation can copy");
}

/// A copy of \p file in which the zero points of the first tensor lie at 4
/// bytes behind a multiple of 8, where the verifier lets them be.
std::vector<std::byte> withMovedZeroPoints(std::vector<std::byte> file) {
  const auto &tensor =
      *schema::GetModel(file.data())->subgraphs()->Get(0)->tensors()->Get(0);
  const schema::QuantizationParameters &quantization = *tensor.quantization();
  const auto *field = reinterpret_cast<const std::byte *>(
      reinterpret_cast<const flatbuffers::Table &>(quantization)
          .GetAddressOf(schema::QuantizationParameters::VT_ZERO_POINT));
  const auto *vector =
      reinterpret_cast<const std::byte *>(quantization.zero_point());
  size_t size = sizeof(uint32_t) + quantization.zero_point()->size() * 8;
  std::vector<std::byte> copy(vector, vector + size);
  size_t fieldAt = size_t(field - file.data());
  file.resize((file.size() + 7) / 8 * 8);
  auto distance = uint32_t(file.size() - fieldAt);
  std::memcpy(file.data() + fieldAt, &distance, sizeof(distance));
  file.insert(file.end(), copy.begin(), copy.end());
  return file;
}

TEST(TFLiteFileErrorsTest, misalignedZeroPoints) {
  TFLiteWriter file;
  int32_t x = file.tensor({{2}, Type::UINT8, {0.5f}, {7}}),
          y = file.tensor({{2}, Type::UINT8, {0.5f}, {7}});
  file.add(Code::RELU, {x}, {y});
  AnnotatedModel model =
      importBytes(withMovedZeroPoints(file.finish({x}, {y})));
  ASSERT_FALSE(model.model.main.operands.empty());
  EXPECT_EQ(model.model.main.operands[0].zeroPoint, 7);
}

} // namespace
} // namespace nnhal::rt
