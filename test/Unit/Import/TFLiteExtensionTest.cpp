//===- TFLiteExtensionTest.cpp - Operators of 16-bit activations ----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Each operator that TensorFlow Lite computes with 16 bits becomes an operation
// of the extension: its tensors, then its options, in the schema's order.
//
//===----------------------------------------------------------------------===//

#include "RunTesting.h"

#include "Runtime/Formats/TFLite/Extension.h"
#include "Runtime/Formats/TFLite/OperatorTable.h"

#include <map>
#include <regex>

namespace nnhal::rt {
namespace {

TensorSpec spec16(std::vector<int32_t> shape) {
  return {std::move(shape), Type::INT16, {0.5f}, {0}};
}

TestInput s16(std::vector<int32_t> shape) {
  return {spec16(std::move(shape)), {}};
}

TestInput weights(std::vector<int32_t> shape) {
  size_t count = countOf(shape);
  return {{std::move(shape), Type::INT8, {0.5f}, {0}}, Numbers(count, 1), true};
}

TestInput ints(std::vector<int32_t> values, std::vector<int32_t> shape = {-1}) {
  TestInput input = integersInput(std::move(values), std::move(shape));
  input.isConstant = true;
  return input;
}

TestInput wideBias(int32_t count) {
  return {{{count}, Type::INT64}, Numbers(size_t(count), 1), true};
}

/// What one operator becomes whose outputs are like \p output.
std::string text(Code code, const std::vector<TestInput> &inputs,
                 const Options &made = {},
                 const TensorSpec &output = spec16({}), size_t outputs = 1) {
  std::vector<std::byte> file = operatorFile(
      code, inputs, std::vector<TensorSpec>(outputs, output), made);
  AnnotatedModel model = importBytes(file);
  EXPECT_EQ(model.model.extensionNameToPrefix,
            (std::vector<ExtensionNameAndPrefix>{{"nnhal.tflite", 1}}));
  // Some of the HAL's forms fail when the model is validated.
  std::string refused = halImportError(file);
  EXPECT_TRUE(refused.ends_with("; the extension nnhal.tflite takes it") ||
              refused.starts_with("imported model: "))
      << refused;
  std::string text = toText(model);
  return text.ends_with('\n') ? text.substr(0, text.size() - 1) : text;
}

/// Values of the model's inputs, which decide shapes.
TestInput computed(std::vector<int32_t> shape) {
  return {{std::move(shape), Type::INT32}, {}};
}

// The file states the shapes of results that values decide.
TEST(TFLiteExtensionTest, shapesThatValuesDecide) {
  auto of = [](Code code, const std::vector<TestInput> &inputs,
               std::vector<int32_t> shape, const Options &made = {}) {
    return text(code, inputs, made, spec16(std::move(shape)));
  };
  EXPECT_EQ(of(Code::TILE, {s16({2, 3}), computed({2})}, {4, 3}),
            "tflite:TILE(i2x3, i2) -> o4x3");
  EXPECT_EQ(of(Code::SLICE, {s16({2, 3}), computed({2}), ints({1, 2})}, {1, 2}),
            "tflite:SLICE(i2x3, i2, {1 2}) -> o1x2");
  EXPECT_EQ(of(Code::STRIDED_SLICE,
               {s16({4}), ints({0}), computed({1}), ints({1})}, {2}),
            "tflite:STRIDED_SLICE(i4, {0}, i1, {1}, 0, 0, 0, 0, 0, false) -> "
            "o2");
  EXPECT_EQ(of(Code::PAD, {s16({2}), computed({1, 2})}, {5}),
            "tflite:PAD(i2, i1x2) -> o5");
  EXPECT_EQ(of(Code::RESHAPE, {s16({2, 3}), computed({2})}, {3, 2}),
            "tflite:RESHAPE(i2x3, i2) -> o3x2");
  EXPECT_EQ(
      of(Code::SUM, {s16({2, 3}), computed({1})}, {2}, options([](Builder &b) {
           return schema::CreateReducerOptions(b, false);
         })),
      "tflite:SUM(i2x3, i1, false) -> o2");
  EXPECT_EQ(of(Code::RESIZE_BILINEAR, {s16({1, 2, 2, 1}), computed({2})},
               {1, 4, 4, 1}, options([](Builder &b) {
                 return schema::CreateResizeBilinearOptions(b);
               })),
            "tflite:RESIZE_BILINEAR(i1x2x2x1, i2, false, false) -> o1x4x4x1");
  // Nothing tells the shape where the file does not.
  EXPECT_EQ(importError(operatorFile(Code::TILE, {s16({2, 3}), computed({2})},
                                     {spec16({})})),
            "operator 0 (TILE): the shape of output 0 depends on values that "
            "are not constant");
}

TEST(TFLiteExtensionTest, elementwise) {
  auto relu = options([](Builder &b) {
    return schema::CreateAddOptions(b, schema::Activation::RELU);
  });
  EXPECT_EQ(text(Code::ADD, {s16({2, 3}), s16({3})}, relu),
            "tflite:ADD(i2x3, i3, 1) -> o2x3");
  EXPECT_EQ(text(Code::SUB, {s16({2}), s16({2})}),
            "tflite:SUB(i2, i2, 0) -> o2");
  EXPECT_EQ(text(Code::MUL, {s16({2}), s16({2})}),
            "tflite:MUL(i2, i2, 0) -> o2");
  EXPECT_EQ(text(Code::MAXIMUM, {s16({2}), s16({2})}),
            "tflite:MAXIMUM(i2, i2) -> o2");
  EXPECT_EQ(text(Code::MINIMUM, {s16({2}), s16({2})}),
            "tflite:MINIMUM(i2, i2) -> o2");
  EXPECT_EQ(text(Code::SQUARED_DIFFERENCE, {s16({2}), s16({2})}),
            "tflite:SQUARED_DIFFERENCE(i2, i2) -> o2");
  EXPECT_EQ(text(Code::FLOOR_DIV, {s16({2}), s16({2})}),
            "tflite:FLOOR_DIV(i2, i2) -> o2");
  EXPECT_EQ(text(Code::FLOOR_MOD, {s16({2}), s16({2})}),
            "tflite:FLOOR_MOD(i2, i2) -> o2");
  for (Code code : {Code::EQUAL, Code::NOT_EQUAL, Code::LESS, Code::LESS_EQUAL,
                    Code::GREATER, Code::GREATER_EQUAL})
    EXPECT_EQ(text(code, {s16({2}), s16({1})}, {}, {{}, Type::BOOL}),
              std::string("tflite:") + schema::EnumNameBuiltinOperator(code) +
                  "(i2, i1) -> o2");
  TestInput condition = {{{2}, Type::BOOL}, {}};
  EXPECT_EQ(text(Code::SELECT, {condition, s16({2}), s16({2})}),
            "tflite:SELECT(i2, i2, i2) -> o2");
  EXPECT_EQ(text(Code::SELECT_V2, {condition, s16({1}), s16({3, 1})}),
            "tflite:SELECT_V2(i2, i1, i3x1) -> o3x2");
  for (Code code :
       {Code::ABS, Code::EXP, Code::RELU, Code::RELU6, Code::RELU_N1_TO_1,
        Code::TANH, Code::LOGISTIC, Code::ZEROS_LIKE})
    EXPECT_EQ(text(code, {s16({2, 3})}),
              std::string("tflite:") + schema::EnumNameBuiltinOperator(code) +
                  "(i2x3) -> o2x3");
  EXPECT_EQ(text(Code::LEAKY_RELU, {s16({2})}, options([](Builder &b) {
                   return schema::CreateLeakyReluOptions(b, 0.25f);
                 })),
            "tflite:LEAKY_RELU(i2, 0.25f) -> o2");
  EXPECT_EQ(text(Code::SOFTMAX, {s16({1, 2})}, options([](Builder &b) {
                   return schema::CreateSoftmaxOptions(b, 1);
                 })),
            "tflite:SOFTMAX(i1x2, 1f) -> o1x2");
  EXPECT_EQ(text(Code::CAST, {s16({2})}, options([](Builder &b) {
                   return schema::CreateCastOptions(b, Type::INT16,
                                                    Type::INT32);
                 }),
                 {{}, Type::INT32}),
            "tflite:CAST(i2, 7, 2) -> o2");
  EXPECT_EQ(text(Code::BITWISE_XOR, {s16({2}), s16({2})}),
            "tflite:BITWISE_XOR(i2, i2) -> o2");
  EXPECT_EQ(text(Code::RIGHT_SHIFT, {s16({2}), s16({2})}),
            "tflite:RIGHT_SHIFT(i2, i2) -> o2");
}

TEST(TFLiteExtensionTest, contraction) {
  auto conv = options([](Builder &b) {
    return schema::CreateConv2DOptions(b, schema::Padding::VALID, 2, 1,
                                       schema::Activation::RELU6, 1, 1);
  });
  EXPECT_EQ(
      text(Code::CONV_2D, {s16({1, 4, 6, 2}), weights({8, 3, 3, 2})}, conv),
      "tflite:CONV_2D(i1x4x6x2, c8x3x3x2, -, 1, 2, 1, 3, 1, 1) -> o1x2x2x8");
  EXPECT_EQ(text(Code::CONV_2D,
                 {s16({1, 4, 6, 2}), weights({8, 3, 3, 2}), wideBias(8)}, conv),
            "tflite:CONV_2D(i1x4x6x2, c8x3x3x2, c8:0, 1, 2, 1, 3, 1, 1) -> "
            "o1x2x2x8");
  EXPECT_EQ(text(Code::DEPTHWISE_CONV_2D,
                 {s16({1, 4, 4, 2}), weights({1, 3, 3, 4}), wideBias(4)},
                 options([](Builder &b) {
                   return schema::CreateDepthwiseConv2DOptions(
                       b, schema::Padding::SAME, 1, 2, 2);
                 })),
            "tflite:DEPTHWISE_CONV_2D(i1x4x4x2, c1x3x3x4, c4:0, 0, 1, 2, 2, 0, "
            "1, 1) -> o1x2x4x4");
  auto transpose = options([](Builder &b) {
    return schema::CreateTransposeConvOptions(b, schema::Padding::SAME, 2, 2);
  });
  EXPECT_EQ(text(Code::TRANSPOSE_CONV,
                 {ints({1, 8, 8, 2}), weights({2, 3, 3, 3}), s16({1, 4, 4, 3})},
                 transpose),
            "tflite:TRANSPOSE_CONV({1 8 8 2}, c2x3x3x3, i1x4x4x3, -, 0, 2, 2, "
            "0) -> o1x8x8x2");
  EXPECT_EQ(
      text(Code::FULLY_CONNECTED, {s16({2, 3}), weights({4, 3}), wideBias(4)}),
      "tflite:FULLY_CONNECTED(i2x3, c4x3, c4:0, 0, 0, false) -> o2x4");
  EXPECT_EQ(text(Code::BATCH_MATMUL, {s16({3, 2, 4}), s16({4, 5})}),
            "tflite:BATCH_MATMUL(i3x2x4, i4x5, false, false) -> o3x2x5");
}

TEST(TFLiteExtensionTest, windowsAndReductions) {
  auto pool = options([](Builder &b) {
    return schema::CreatePool2DOptions(b, schema::Padding::VALID, 2, 2, 2, 2);
  });
  EXPECT_EQ(text(Code::AVERAGE_POOL_2D, {s16({1, 4, 4, 3})}, pool),
            "tflite:AVERAGE_POOL_2D(i1x4x4x3, 1, 2, 2, 2, 2, 0) -> o1x2x2x3");
  EXPECT_EQ(text(Code::MAX_POOL_2D, {s16({1, 4, 4, 3})}, pool),
            "tflite:MAX_POOL_2D(i1x4x4x3, 1, 2, 2, 2, 2, 0) -> o1x2x2x3");
  EXPECT_EQ(text(Code::RESIZE_BILINEAR, {s16({1, 2, 2, 1}), ints({4, 6})}),
            "tflite:RESIZE_BILINEAR(i1x2x2x1, {4 6}, false, false) -> "
            "o1x4x6x1");
  // The HAL takes signed bytes, too, and rounds otherwise.
  const TensorSpec bytes = {{1, 2, 2, 1}, Type::INT8, {0.5f}, {0}};
  EXPECT_EQ(toText(importBytes(operatorFile(Code::RESIZE_BILINEAR,
                                            {{bytes, {}}, ints({4, 6})},
                                            {{{}, Type::INT8, {0.5f}, {0}}}))),
            "tflite:RESIZE_BILINEAR(i1x2x2x1, {4 6}, false, false) -> "
            "o1x4x6x1\n");
  EXPECT_EQ(
      text(Code::RESIZE_NEAREST_NEIGHBOR, {s16({1, 2, 2, 1}), ints({4, 6})}),
      "tflite:RESIZE_NEAREST_NEIGHBOR(i1x2x2x1, {4 6}, false, false) -> "
      "o1x4x6x1");
  for (Code code : {Code::MEAN, Code::SUM, Code::REDUCE_MAX, Code::REDUCE_MIN})
    EXPECT_EQ(text(code, {s16({2, 3}), ints({-1})}),
              std::string("tflite:") + schema::EnumNameBuiltinOperator(code) +
                  "(i2x3, {-1}, false) -> o2");
  EXPECT_EQ(
      text(Code::ARG_MAX, {s16({2, 3}), ints({1}, {})}, {}, {{}, Type::INT32}),
      "tflite:ARG_MAX(i2x3, {1}, 0) -> o2");
  EXPECT_EQ(
      text(Code::ARG_MIN, {s16({2, 3}), ints({1}, {})}, {}, {{}, Type::INT64}),
      "tflite:ARG_MIN(i2x3, {1}, 0) -> o2:0");
  EXPECT_EQ(toText(importBytes(operatorFile(Code::TOPK_V2,
                                            {s16({2, 3}), ints({2}, {})},
                                            {spec16({}), {{}, Type::INT32}}))),
            "tflite:TOPK_V2(i2x3, {2}) -> o2x2, o2x2\n");
  // The number of elements becomes one of 32 bits, indices of 16 bits stay.
  std::vector<std::byte> file = operatorFile(
      Code::TOPK_V2,
      {{{{2, 3}, Type::FLOAT32}, {}}, constant({{{}, Type::INT16}, {2}})},
      {{{}, Type::FLOAT32}, {{}, Type::INT16}});
  EXPECT_EQ(toText(importBytes(file)),
            "tflite:TOPK_V2(i2x3, {2}) -> o2x2, o2x2\n");
}

TEST(TFLiteExtensionTest, dataMovement) {
  EXPECT_EQ(text(Code::RESHAPE, {s16({2, 3}), ints({3, -1})}),
            "tflite:RESHAPE(i2x3, {3 -1}) -> o3x2");
  EXPECT_EQ(text(Code::SQUEEZE, {s16({1, 3, 1})}),
            "tflite:SQUEEZE(i1x3x1) -> o3");
  EXPECT_EQ(text(Code::EXPAND_DIMS, {s16({3}), ints({0}, {})}),
            "tflite:EXPAND_DIMS(i3, {0}) -> o1x3");
  EXPECT_EQ(text(Code::TRANSPOSE, {s16({2, 3}), ints({1, 0})}),
            "tflite:TRANSPOSE(i2x3, {1 0}) -> o3x2");
  EXPECT_EQ(text(Code::CONCATENATION, {s16({2, 3}), s16({2, 1})},
                 options([](Builder &b) {
                   return schema::CreateConcatenationOptions(b, 1);
                 })),
            "tflite:CONCATENATION(i2x3, i2x1, 1, 0) -> o2x4");
  EXPECT_EQ(
      text(Code::SPLIT, {ints({1}, {}), s16({2, 4})},
           options([](Builder &b) { return schema::CreateSplitOptions(b, 2); }),
           spec16({}), 2),
      "tflite:SPLIT({1}, i2x4, 2) -> o2x2, o2x2");
  EXPECT_EQ(text(Code::SPLIT_V, {s16({2, 4}), ints({1, -1}), ints({1}, {})},
                 options([](Builder &b) {
                   return schema::CreateSplitVOptions(b, 2);
                 }),
                 spec16({}), 2),
            "tflite:SPLIT_V(i2x4, {1 -1}, {1}, 2) -> o2x1, o2x3");
  EXPECT_EQ(text(Code::SLICE, {s16({2, 4}), ints({0, 1}), ints({-1, 2})}),
            "tflite:SLICE(i2x4, {0 1}, {-1 2}) -> o2x2");
  EXPECT_EQ(text(Code::STRIDED_SLICE,
                 {s16({2, 4}), ints({0, 3}), ints({2, 0}), ints({1, -2})}),
            "tflite:STRIDED_SLICE(i2x4, {0 3}, {2 0}, {1 -2}, 0, 0, 0, 0, 0, "
            "false) -> o2x2");
  EXPECT_EQ(text(Code::PAD, {s16({2}), ints({1, 2}, {1, 2})}),
            "tflite:PAD(i2, {1 2}) -> o5");
  EXPECT_EQ(text(Code::PADV2, {s16({2}), ints({1, 2}, {1, 2}), s16({})}),
            "tflite:PADV2(i2, {1 2}, i1) -> o5");
  EXPECT_EQ(text(Code::MIRROR_PAD, {s16({3}), ints({1, 2}, {1, 2})}),
            "tflite:MIRROR_PAD(i3, {1 2}, 0) -> o6");
  EXPECT_EQ(text(Code::TILE, {s16({2}), ints({3})}),
            "tflite:TILE(i2, {3}) -> o6");
  EXPECT_EQ(text(Code::GATHER, {s16({4, 2}), ints({3, 0, 1})}),
            "tflite:GATHER(i4x2, {3 0 1}, 0, 0) -> o3x2");
  EXPECT_EQ(text(Code::GATHER_ND, {s16({4, 2}), ints({3, 0}, {2, 1})}),
            "tflite:GATHER_ND(i4x2, {3 0}) -> o2x2");
  EXPECT_EQ(
      text(Code::SCATTER_ND, {ints({1, 3}, {2, 1}), s16({2, 5}), ints({4, 5})}),
      "tflite:SCATTER_ND({1 3}, i2x5, {4 5}) -> o4x5");
  EXPECT_EQ(text(Code::DYNAMIC_UPDATE_SLICE,
                 {s16({4, 2}), s16({1, 2}), ints({1, 0})}),
            "tflite:DYNAMIC_UPDATE_SLICE(i4x2, i1x2, {1 0}) -> o4x2");
  EXPECT_EQ(text(Code::FILL, {ints({2, 3}), s16({})}),
            "tflite:FILL({2 3}, i1) -> o2x3");
  EXPECT_EQ(text(Code::BROADCAST_TO, {s16({3}), ints({2, 3})}),
            "tflite:BROADCAST_TO(i3, {2 3}) -> o2x3");
  EXPECT_EQ(text(Code::PACK, {s16({3}), s16({3})}, options([](Builder &b) {
                   return schema::CreatePackOptions(b, 2, 1);
                 })),
            "tflite:PACK(i3, i3, 2, 1) -> o3x2");
  EXPECT_EQ(text(Code::UNPACK, {s16({2, 3})}, options([](Builder &b) {
                   return schema::CreateUnpackOptions(b, 2, 0);
                 }),
                 spec16({}), 2),
            "tflite:UNPACK(i2x3, 2, 0) -> o3, o3");
  EXPECT_EQ(text(Code::REVERSE_V2, {s16({2, 3}), ints({1})}),
            "tflite:REVERSE_V2(i2x3, {1}) -> o2x3");
  EXPECT_EQ(text(Code::REVERSE_SEQUENCE, {s16({2, 3}), ints({2, 3})},
                 options([](Builder &b) {
                   return schema::CreateReverseSequenceOptions(b, 1, 0);
                 })),
            "tflite:REVERSE_SEQUENCE(i2x3, {2 3}, 1, 0) -> o2x3");
}

TEST(TFLiteExtensionTest, blocks) {
  EXPECT_EQ(
      text(Code::DEPTH_TO_SPACE, {s16({1, 2, 2, 4})}, options([](Builder &b) {
             return schema::CreateDepthToSpaceOptions(b, 2);
           })),
      "tflite:DEPTH_TO_SPACE(i1x2x2x4, 2) -> o1x4x4x1");
  EXPECT_EQ(
      text(Code::SPACE_TO_DEPTH, {s16({1, 2, 4, 1})}, options([](Builder &b) {
             return schema::CreateSpaceToDepthOptions(b, 2);
           })),
      "tflite:SPACE_TO_DEPTH(i1x2x4x1, 2) -> o1x1x2x4");
  EXPECT_EQ(text(Code::SPACE_TO_BATCH_ND,
                 {s16({1, 3, 4, 1}), ints({2, 2}), ints({1, 0, 0, 0}, {2, 2})}),
            "tflite:SPACE_TO_BATCH_ND(i1x3x4x1, {2 2}, {1 0 0 0}) -> o4x2x2x1");
  EXPECT_EQ(text(Code::BATCH_TO_SPACE_ND,
                 {s16({4, 2, 2, 1}), ints({2, 2}), ints({1, 0, 0, 0}, {2, 2})}),
            "tflite:BATCH_TO_SPACE_ND(i4x2x2x1, {2 2}, {1 0 0 0}) -> o1x3x4x1");
}

TEST(TFLiteExtensionTest, quantization) {
  EXPECT_EQ(text(Code::QUANTIZE, {{{{2}}, {}}}), "tflite:QUANTIZE(i2) -> o2");
  EXPECT_EQ(text(Code::QUANTIZE, {s16({2})}, {}, {{}, Type::INT8, {0.5f}, {1}}),
            "tflite:QUANTIZE(i2) -> o2");
  EXPECT_EQ(text(Code::QUANTIZE, {{{{2}, Type::INT32, {0.5f}, {0}}, {}}}),
            "tflite:QUANTIZE(i2) -> o2");
  EXPECT_EQ(
      text(Code::QUANTIZE, {s16({2})}, {}, {{}, Type::INT32, {0.25f}, {0}}),
      "tflite:QUANTIZE(i2) -> o2");
  EXPECT_EQ(text(Code::DEQUANTIZE, {s16({2})}, {}, {{}}),
            "tflite:DEQUANTIZE(i2) -> o2");
}

TEST(TFLiteExtensionTest, zeroPointOf16Bits) {
  // SOFTMAX of bytes with a result of 16 bits uses all of them.
  AnnotatedModel model = importBytes(operatorFile(
      Code::SOFTMAX, {{{{1, 2}, Type::INT8, {0.5f}, {0}}, {}}},
      {{{}, Type::INT16, {0.25f}, {-32768}}},
      options([](Builder &b) { return schema::CreateSoftmaxOptions(b, 1); })));
  EXPECT_EQ(toText(model), "tflite:SOFTMAX(i1x2, 1f) -> o1x2\n");
  const Operand &output =
      model.model.main.operands.at(model.model.main.outputIndexes.at(0));
  EXPECT_EQ(output.type, OperandType::TENSOR_QUANT16_ASYMM);
  EXPECT_EQ(output.scale, 0.25f);
  EXPECT_EQ(output.zeroPoint, 0);
}

/// The elements that the page of the extension says operators take, by number.
std::map<int, std::string> documentedElements() {
  Result<Memory> file =
      Memory::readFile(NNHAL_TEST_DATA "/../docs/Spec/TFLiteExtension.md");
  EXPECT_TRUE(file.isOk()) << file.status().message();
  auto bytes = *file->bytes();
  const std::string page(reinterpret_cast<const char *>(bytes.data()),
                         bytes.size());
  const std::regex row(R"(\| (\d+) \| [A-Z0-9_]+ \| [^|]* \| \w+: ([^|]*) \|)");
  std::map<int, std::string> elements;
  for (std::sregex_iterator i(page.begin(), page.end(), row), end; i != end;
       ++i)
    elements[std::stoi((*i)[1])] = (*i)[2].str();
  return elements;
}

// The importer makes no operation that the extension then refuses for its type.
// The page is compared with what the extension checks by its own test.
TEST(TFLiteExtensionTest, typesAreThoseOfTheExtension) {
  static constexpr std::pair<uint16_t, std::string_view> names[] = {
      {tflite::F32, "FLOAT32"}, {tflite::F16, "FLOAT16"},
      {tflite::I32, "INT32"},   {tflite::U8, "UINT8"},
      {tflite::S8, "INT8"},     {tflite::B8, "BOOL"},
      {tflite::S16, "INT16"},   {tflite::A16, "UINT16"},
      {tflite::I64, "INT64"},   {tflite::U32, "UINT32"},
      {tflite::U16, "UINT16"},  {tflite::U64, "UINT64"},
      {tflite::F64, "FLOAT64"}};
  const std::map<int, std::string> elements = documentedElements();
  ASSERT_GT(elements.size(), 100u);
  size_t count = 0;
  for (Code code : schema::EnumValuesBuiltinOperator()) {
    const tflite::ExtensionRow *row = tflite::findExtension(code);
    if (!row)
      continue;
    ++count;
    auto found = elements.find(int(code));
    ASSERT_NE(found, elements.end()) << schema::EnumNameBuiltinOperator(code);
    const std::string list = " " + found->second + ",";
    for (auto [type, name] : names)
      if (row->types & type)
        EXPECT_TRUE(list.starts_with(" any,") ||
                    list.find(fmt::format(" {},", name)) != std::string::npos)
            << schema::EnumNameBuiltinOperator(code) << " of " << name;
  }
  EXPECT_GT(count, 100u);
}

} // namespace
} // namespace nnhal::rt
