//===- TFLiteErrorsTest.cpp - Messages of the importer --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ImportTesting.h"

#include <functional>
#include <limits>

namespace nnhal::rt {
namespace {

using schema::Activation;
using schema::Padding;

using W = TFLiteWriter;
using Constants = std::function<std::vector<int32_t>(W &)>;

/// The message for one operator without options over \p input and constants,
/// less "operator 0 (NAME): ".
std::string error(Code code, const TensorSpec &input, Constants constants = {},
                  const TensorSpec &output = {{}}) {
  TFLiteWriter file;
  int32_t first = file.tensor(input);
  std::vector<int32_t> inputs = {first};
  if (constants)
    for (int32_t constant : constants(file))
      inputs.push_back(constant);
  int32_t result = file.tensor(output);
  file.add(code, inputs, {result});
  std::string message = halImportError(file.finish({first}, {result}));
  std::string prefix = std::string("operator 0 (") +
                       schema::EnumNameBuiltinOperator(code) + "): ";
  return message.starts_with(prefix) ? message.substr(prefix.size()) : message;
}

/// Takes options beside what the function above takes.
template <typename Options>
std::string
optionsError(Code code, const TensorSpec &input,
             std::function<flatbuffers::Offset<Options>(W &)> options,
             Constants constants = {}, const TensorSpec &output = {{}}) {
  TFLiteWriter file;
  int32_t first = file.tensor(input);
  std::vector<int32_t> inputs = {first};
  if (constants)
    for (int32_t constant : constants(file))
      inputs.push_back(constant);
  int32_t result = file.tensor(output);
  auto created = options(file);
  file.add(code, inputs, {result}, created);
  std::string message = halImportError(file.finish({first}, {result}));
  std::string prefix = std::string("operator 0 (") +
                       schema::EnumNameBuiltinOperator(code) + "): ";
  return message.starts_with(prefix) ? message.substr(prefix.size()) : message;
}

const TensorSpec image = {{1, 4, 4, 3}};
const TensorSpec byte = {{1, 4}, Type::UINT8, {0.5f}, {3}};

TEST(TFLiteErrorsTest, inputsAndOutputs) {
  auto message = [](std::vector<int32_t> inputs, std::vector<int32_t> outputs) {
    TFLiteWriter file;
    int32_t x = file.tensor({{2}}), y = file.tensor({{}});
    file.floats({2});
    file.tensor({.shape = {2}, .isVariable = true});
    file.add(Code::EXP, {x}, {y});
    return importError(file.finish(inputs, outputs));
  };
  EXPECT_EQ(message({7}, {1}), "input 0 refers to tensor 7 of 4");
  EXPECT_EQ(message({0}, {-1}), "output 0 refers to tensor -1 of 4");
  EXPECT_EQ(message({0}, {}), "the model has no outputs");
  EXPECT_EQ(message({0, 0}, {1}), "input 1 't0' is listed twice");
  EXPECT_EQ(message({0, 2}, {1}), "input 1 't2' is a constant");
  EXPECT_EQ(message({0}, {3}), "output 0 is the variable tensor 3 't3', which "
                               "is a state output already");
  EXPECT_EQ(message({}, {1}), "operator 0 (EXP): input 0, tensor 0 't0', is "
                              "used before it is computed");
  EXPECT_EQ(
      message({0, 1}, {1}),
      "operator 0 (EXP): computes tensor 1 't1', which has a value already");
}

TEST(TFLiteErrorsTest, operators) {
  EXPECT_EQ(error(Code::SCATTER_ND, image),
            "the HAL has no such operation, and no composition is known; the "
            "extension nnhal.tflite takes it");
  EXPECT_EQ(
      error(Code::EXP, image, [](W &f) { return std::vector{f.floats({1})}; }),
      "has 2 inputs, expected 1");
  EXPECT_EQ(
      error(Code::RESHAPE, image, [](W &f) { return std::vector{-1, -1}; }),
      "has 3 inputs, expected 1 to 2");
  EXPECT_EQ(error(Code::ADD, image, [](W &) { return std::vector{-1}; }),
            "input 1 is missing");
  // The others have no bound for the number of their inputs.
  for (Code code : {Code::CALL, Code::IF, Code::WHILE, Code::STABLEHLO_WHILE,
                    Code::STABLEHLO_COMPOSITE, Code::STABLEHLO_CONCATENATE,
                    Code::CONCATENATION, Code::PACK})
    EXPECT_EQ(error(code, image, [](W &) { return std::vector{-1}; }),
              "input 1 is missing");
  EXPECT_EQ(error(Code::STABLEHLO_DYNAMIC_SLICE, image,
                  [](W &f) { return std::vector{f.integers({0}), -1}; }),
            "input 2 is missing");
  EXPECT_EQ(error(Code::ADD, image, [](W &) { return std::vector{9}; }),
            "input 1 refers to tensor 9 of 2");
  EXPECT_EQ(error(Code::EXP, {{2}, Type::INT32}),
            "input type TENSOR_INT32 is not among TENSOR_FLOAT32, "
            "TENSOR_FLOAT16");
  EXPECT_EQ(error(Code::CEIL, {{2}, Type::INT32}),
            "the HAL's FLOOR does not take input 0 of type INT32");
  EXPECT_EQ(error(Code::TANH, {{1, 1, 1, 2, 2}}),
            "input rank 5 is above 4; the extension nnhal.tflite takes it");
  EXPECT_EQ(
      error(Code::ADD, {{2}},
            [](W &f) { return std::vector{f.integers({1, 2})}; }),
      "input 1 has type TENSOR_INT32, but input 0 has type TENSOR_FLOAT32");
  EXPECT_EQ(optionsError<schema::SubOptions>(
                Code::ADD, {{2}},
                [](W &f) { return schema::CreateSubOptions(f.builder); },
                [](W &f) { return std::vector{f.floats({2})}; }),
            "has SubOptions, expected AddOptions");
  TFLiteWriter custom;
  int32_t x = custom.tensor({{2}}), y = custom.tensor({{2}});
  custom.add(Code::CUSTOM, {x}, {y}, schema::BuiltinOptions::NONE, 0,
             {.custom = "Sparkle"});
  EXPECT_EQ(importError(custom.finish({x}, {y})),
            "operator 0 (CUSTOM 'Sparkle'): no extension claims this custom "
            "operator");
  TFLiteWriter constant;
  x = constant.tensor({{2}}), y = constant.floats({2});
  constant.add(Code::EXP, {x}, {y});
  EXPECT_EQ(importError(constant.finish({x}, {x})),
            "operator 0 (EXP): computes tensor 1 't1', which is a constant");
  TFLiteWriter variable;
  x = variable.tensor({{2}}),
  y = variable.tensor({.shape = {2}, .isVariable = true});
  variable.add(Code::EXP, {x}, {y});
  EXPECT_EQ(importError(variable.finish({x}, {x})),
            "operator 0 (EXP): computes tensor 1 't1', which is a variable");
}

TEST(TFLiteErrorsTest, tensors) {
  EXPECT_EQ(
      error(Code::EXP, {{2}, Type::STRING}),
      "input 0: tensor 0 't0' has type STRING, which the HAL does not have");
  EXPECT_EQ(
      error(Code::RELU, {{2}, Type::UINT8, {0.5f}, {300}}),
      "input 0: tensor 0 't0' has zero point 300, which is not in 0..255");
  EXPECT_EQ(
      error(Code::RELU, {{2}, Type::UINT8, {-0.5f}, {3}}),
      "input 0: tensor 0 't0' has scale -0.5, which is not a positive number");
  EXPECT_EQ(
      error(Code::RELU, {{2}, Type::UINT8, {0.5f, 0.5f}, {0, 0}}),
      "input 0: tensor 0 't0' has 2 scales, which the HAL has only for INT8");
  EXPECT_EQ(error(Code::RELU, {{2}, Type::INT8, {0.5f, 0.5f}, {0, 1}}),
            "input 0: tensor 0 't0' has zero point 1 beside several scales; "
            "the HAL has only 0");
  EXPECT_EQ(error(Code::RELU, {{3}, Type::INT8, {0.5f, 0.5f}, {0, 0}}),
            "input 0: tensor 0 't0' has 2 scales, which is not the size of its "
            "dimension 0");
  TFLiteWriter stretched;
  int32_t channels =
      stretched.tensor({{2, 3}, Type::INT8, {0.5f, 0.25f}, {0, 0}});
  int32_t absolute = stretched.tensor({{2, 3}});
  stretched.add(Code::DEQUANTIZE, {channels}, {absolute});
  EXPECT_EQ(
      importError(stretched.finish({channels}, {absolute}), {{{"0", {4, 3}}}}),
      "input 0: tensor 0 't0' has 2 scales, which is not the size of "
      "dimension 0 of its shape 4x3");
  EXPECT_EQ(error(Code::RELU, {{-2}}), "tensor 0 't0': has dimension -2");
  EXPECT_EQ(error(Code::RELU, {std::vector<int32_t>(9, 1)}),
            "tensor 0 't0': has rank 9, which exceeds 8");
  EXPECT_EQ(
      error(Code::RELU, {.shape = {2}, .signature = {2, 3}}),
      "tensor 0 't0': has rank 1 in its shape and 2 in its shape signature");
  EXPECT_EQ(
      error(Code::RELU, {{65536, 65536}}),
      "input 0 't0': shape 65536x65536 has more than 4294967295 elements");
  EXPECT_EQ(error(Code::RELU, {{65536, 65535}}),
            "input 0: tensor 0 't0' of shape 65536x65535 needs more than "
            "4294967295 bytes");
  EXPECT_EQ(
      error(Code::ADD, {{2}},
            [](W &f) { return std::vector{f.constant<float>({{3}}, {1, 2})}; }),
      "tensor 1 't1': has 8 bytes of data, but its shape 3 of FLOAT32 needs "
      "12");
}

TEST(TFLiteErrorsTest, elementwise) {
  auto add = [](Activation activation) {
    return
        [=](W &f) { return schema::CreateAddOptions(f.builder, activation); };
  };
  EXPECT_EQ(
      error(Code::ADD, {{2}}, [](W &f) { return std::vector{f.floats({3})}; }),
      "shapes 2 and 3 do not broadcast");
  EXPECT_EQ(error(Code::ADD, {{2}},
                  [](W &f) { return std::vector{f.floats({1, 1, 1, 1, 2})}; }),
            "the HAL's ADD takes at most rank 4, but input 1 has shape "
            "1x1x1x1x2; the extension nnhal.tflite takes it");
  EXPECT_EQ(optionsError<schema::AddOptions>(
                Code::ADD, {{1}, Type::INT32}, add(Activation::RELU),
                [](W &f) { return std::vector{f.integers({1})}; },
                {{}, Type::INT32}),
            "the HAL has no fused activation for INT32; the extension "
            "nnhal.tflite takes it");
  auto two = [](W &f) { return std::vector{f.floats({2})}; };
  EXPECT_EQ(optionsError<schema::AddOptions>(Code::ADD, {{2}},
                                             add(Activation::SIGN_BIT), two),
            "the HAL has no activation SIGN_BIT");
  EXPECT_EQ(optionsError<schema::AddOptions>(Code::ADD, {{2}},
                                             add(Activation(9)), two),
            "has unknown activation 9");
  EXPECT_EQ(optionsError<schema::AddOptions>(
                Code::ADD, byte, add(Activation::TANH),
                [](W &f) {
                  return std::vector{f.constant<uint8_t>(
                      {{1}, Type::UINT8, {0.5f}, {3}}, {1})};
                },
                byte),
            "fused activation TANH of a quantized result is not expressible: "
            "the scale before it "
            "is not stated");
  EXPECT_EQ(error(Code::CAST, {{2}}, {}, {{}, Type::BOOL}),
            "the HAL's CAST does not convert FLOAT32 to BOOL; the extension "
            "nnhal.tflite takes it");
  EXPECT_EQ(error(Code::CAST, {{2}}, {}, {{}, Type::INT64}),
            "tensor 1 't1' has type INT64, which the HAL does not have; the "
            "extension "
            "nnhal.tflite has it; the extension nnhal.tflite takes it");
  EXPECT_EQ(
      error(Code::SELECT, {{1}, Type::BOOL},
            [](W &f) { return std::vector{f.floats({2}), f.floats({2})}; }),
      "lhs shape 2 differs from condition shape 1");
  EXPECT_EQ(
      error(Code::SELECT, {{2}},
            [](W &f) { return std::vector{f.floats({2}), f.floats({2})}; }),
      "input 0 has type FLOAT32, expected BOOL");
  EXPECT_EQ(error(Code::SOFTMAX, {{2}}), "beta is 0, which is not positive");
}

TEST(TFLiteErrorsTest, contraction) {
  auto conv = [](const TensorSpec &input, std::vector<int32_t> filter,
                 int32_t stride, int32_t dilation = 1,
                 Padding padding = Padding::VALID,
                 std::vector<int32_t> bias = {4}) {
    return optionsError<schema::Conv2DOptions>(
        Code::CONV_2D, input,
        [=](W &f) {
          return schema::CreateConv2DOptions(f.builder, padding, stride, stride,
                                             Activation::NONE, dilation,
                                             dilation);
        },
        [=](W &f) { return std::vector{f.floats(filter), f.floats(bias)}; },
        {{}, input.type, input.scales, input.zeroPoints});
  };
  EXPECT_EQ(conv(image, {4, 3, 3}, 1),
            "input 1 has shape 4x3x3, expected rank 4");
  EXPECT_EQ(conv(image, {4, 3, 3, 3}, 0), "stride height 0 must be positive");
  EXPECT_EQ(conv(image, {4, 3, 3, 3}, 1, 0),
            "dilation height 0 must be positive");
  EXPECT_EQ(conv(image, {4, 3, 3, 3}, 1, 1, Padding(7)),
            "has unknown padding 7");
  EXPECT_EQ(conv(image, {4, 5, 5, 3}, 1),
            "filter height 5 exceeds padded input height 4");
  EXPECT_EQ(conv(image, {4, 3, 3, 2}, 1),
            "filter channels 2 differs from input channels 3");
  EXPECT_EQ(conv(image, {4, 3, 3, 1}, 1),
            "output channels 4 are not a multiple of groups 3");
  EXPECT_EQ(conv(image, {3, 1, 1, 1}, 1, 0),
            "has dilation 0x0, expected 1 or more; the extension nnhal.tflite "
            "takes it");
  EXPECT_EQ(conv(image, {4, 3, 3, 3}, 1, 1, Padding::SAME, {5}),
            "bias has shape 5, expected 4");
  EXPECT_EQ(conv({{1, 4, 4, 3}, Type::UINT8, {0.5f}, {1}}, {4, 3, 3, 3}, 1),
            "weights have type TENSOR_FLOAT32, but the input has type "
            "TENSOR_QUANT8_ASYMM");
  EXPECT_EQ(optionsError<schema::DepthwiseConv2DOptions>(
                Code::DEPTHWISE_CONV_2D, image,
                [](W &f) {
                  return schema::CreateDepthwiseConv2DOptions(
                      f.builder, Padding::SAME, 1, 1, 1);
                },
                [](W &f) {
                  return std::vector{f.floats({1, 3, 3, 4}), f.floats({4})};
                }),
            "filter channels 4 differs from input channels times depth "
            "multiplier 3");
  auto dense = [](const TensorSpec &input, Constants constants,
                  schema::WeightsFormat format = schema::WeightsFormat::DEFAULT,
                  bool keepsRank = false) {
    return optionsError<schema::FullyConnectedOptions>(
        Code::FULLY_CONNECTED, input,
        [=](W &f) {
          return schema::CreateFullyConnectedOptions(
              f.builder, Activation::NONE, format, keepsRank);
        },
        constants, input);
  };
  auto weights = [](std::vector<int32_t> shape) {
    return [=](W &f) { return std::vector{f.floats(shape)}; };
  };
  EXPECT_EQ(
      dense({{2, 3}}, weights({4, 3}), schema::WeightsFormat::SHUFFLED4x16INT8),
      "weights have format SHUFFLED4x16INT8, only DEFAULT is expressible");
  EXPECT_EQ(dense({{2, 3}}, weights({3})),
            "weights have shape 3, expected rank 2");
  EXPECT_EQ(dense({{2, 3}}, weights({4, 4})),
            "input shape 2x3 is not divisible into rows of 4");
  EXPECT_EQ(
      dense({{2, 6}}, weights({4, 3}), schema::WeightsFormat::DEFAULT, true),
      "input shape 2x6 does not end in 3");
  EXPECT_EQ(dense({{1, 1, 1, 2, 3}}, weights({4, 3})),
            "the HAL's FULLY_CONNECTED takes at most rank 4, but input 0 has "
            "shape 1x1x1x2x3; the extension nnhal.tflite takes it");
  TensorSpec s8 = {{1, 2}, Type::INT8, {0.5f}, {1}};
  EXPECT_EQ(dense(s8,
                  [](W &f) {
                    return std::vector{f.constant<int8_t>(
                        {{2, 2}, Type::INT8, {0.5f, 0.25f}, {0, 0}, 1},
                        {1, 2, 3, 4})};
                  }),
            "weights have several scales along dimension 1, the HAL wants 0");
  EXPECT_EQ(dense(s8,
                  [](W &f) {
                    return std::vector{f.tensor(
                        {{2, 2}, Type::INT8, {0.5f, 0.25f}, {0, 0}, 0})};
                  }),
            "input 1, tensor 1 't1', is used before it is computed");
  EXPECT_EQ(
      dense(s8,
            [](W &f) {
              return std::vector{
                  f.constant<int8_t>({{1, 2}, Type::INT8, {0.5f}, {0}}, {1, 2}),
                  f.constant<int32_t>({{1}, Type::INT32, {0.5f}, {0}}, {1})};
            }),
      "bias has scale 0.5, but input and weights give 0.25");
}

TEST(TFLiteErrorsTest, transposeConv) {
  auto message = [](std::vector<int32_t> shape, std::vector<int32_t> filter) {
    TFLiteWriter file;
    int32_t input = file.tensor(image), output = file.tensor({{}});
    file.add(
        Code::TRANSPOSE_CONV,
        {file.integers(shape), file.floats(filter), input}, {output},
        schema::CreateTransposeConvOptions(file.builder, Padding::SAME, 2, 2));
    return importError(file.finish({input}, {output}));
  };
  std::string where = "operator 0 (TRANSPOSE_CONV): ";
  EXPECT_EQ(message({1, 9, 8, 2}, {2, 3, 3, 3}),
            where + "output shape is 9x8, but input 4x4 gives 7x8");
  EXPECT_EQ(message({8, 8}, {2, 3, 3, 3}),
            where + "output shape has 2 elements, expected 4");
  EXPECT_EQ(message({1, 8, 8, 2}, {2, 3, 3, 4}),
            where + "filter channels 4 differs from input channels 3");
}

TEST(TFLiteErrorsTest, windowAndNormalization) {
  auto pool = [](const TensorSpec &input, int32_t stride, int32_t size) {
    return optionsError<schema::Pool2DOptions>(
        Code::MAX_POOL_2D, input, [=](W &f) {
          return schema::CreatePool2DOptions(f.builder, Padding::VALID, stride,
                                             stride, size, size);
        });
  };
  EXPECT_EQ(pool({{4, 4}}, 1, 2), "input rank 2 is below 4");
  EXPECT_EQ(pool(image, 0, 2), "stride height 0 must be positive");
  EXPECT_EQ(pool(image, 1, 0), "window height 0 must be positive");
  EXPECT_EQ(pool(image, 1, 5), "window height 5 exceeds padded input height 4");
  auto resize = [](std::vector<int32_t> size, bool both) {
    return optionsError<schema::ResizeBilinearOptions>(
        Code::RESIZE_BILINEAR, image,
        [=](W &f) {
          return schema::CreateResizeBilinearOptions(f.builder, both, both);
        },
        [=](W &f) { return std::vector{f.integers(size)}; });
  };
  EXPECT_EQ(resize({2, 2}, true),
            "align_corners and half_pixel_centers are both set");
  EXPECT_EQ(resize({2}, false), "size has 1 values, expected 2");
  EXPECT_EQ(resize({2, 0}, false), "result width 0 must be positive");
  EXPECT_EQ(optionsError<schema::LocalResponseNormalizationOptions>(
                Code::LOCAL_RESPONSE_NORMALIZATION, image,
                [](W &f) {
                  return schema::CreateLocalResponseNormalizationOptions(
                      f.builder, -1);
                }),
            "radius -1 is negative");
}

TEST(TFLiteErrorsTest, reductionAndLookup) {
  auto ints = [](std::vector<int32_t> values) {
    return [=](W &f) { return std::vector{f.integers(values)}; };
  };
  EXPECT_EQ(error(Code::MEAN, image, ints({4})), "axis 4 is outside [-4, 4)");
  EXPECT_EQ(error(Code::ARG_MAX, image, ints({1, 2})),
            "input 1 has 2 values, expected 1");
  EXPECT_EQ(error(Code::ARG_MAX, image,
                  [](W &f) { return std::vector{f.floats({1})}; }),
            "tensor 1 't1' has type FLOAT32, expected INT32 or INT64");
  EXPECT_EQ(error(Code::ARG_MAX, {{1}}, [](W &) { return std::vector{0}; }),
            "input 1 must be a constant");
  auto topK = [](std::vector<int32_t> shape, int32_t k) {
    TFLiteWriter file;
    int32_t x = file.tensor({shape}), a = file.tensor({{}}),
            b = file.tensor({{}, Type::INT32});
    file.add(Code::TOPK_V2, {x, file.integers({k})}, {a, b});
    return importError(file.finish({x}, {a, b}));
  };
  EXPECT_EQ(topK({5}, 6),
            "operator 0 (TOPK_V2): k 6 exceeds the last extent 5");
  EXPECT_EQ(
      topK({}, 1),
      "operator 0 (TOPK_V2): input 0 is a scalar, expected rank 1 or more");
  EXPECT_EQ(error(Code::EMBEDDING_LOOKUP, {{3}},
                  [](W &f) { return std::vector{f.floats({2, 2})}; }),
            "lookups type TENSOR_FLOAT32 is not among TENSOR_INT32");
  EXPECT_EQ(error(Code::EMBEDDING_LOOKUP, {{3}, Type::INT32},
                  [](W &f) { return std::vector{f.floats({2})}; }),
            "values rank 1 is below 2");
  auto hashtable = [](int32_t keys, Type hitsType) {
    TFLiteWriter file;
    int32_t x = file.tensor({{3}, Type::INT32}), a = file.tensor({{}}),
            b = file.tensor({{}, hitsType});
    file.add(
        Code::HASHTABLE_LOOKUP,
        {x, file.integers(std::vector<int32_t>(keys, 1)), file.floats({2, 2})},
        {a, b});
    return importError(file.finish({x}, {a, b}));
  };
  EXPECT_EQ(hashtable(3, Type::UINT8),
            "operator 0 (HASHTABLE_LOOKUP): number of keys 3 differs from "
            "number of rows 2");
  EXPECT_EQ(
      hashtable(2, Type::INT32),
      "operator 0 (HASHTABLE_LOOKUP): output 1 has type INT32, expected UINT8");
}

TEST(TFLiteErrorsTest, dataMovement) {
  auto ints = [](std::vector<std::vector<int32_t>> lists) {
    return [=](W &f) {
      std::vector<int32_t> constants;
      for (const auto &list : lists)
        constants.push_back(f.integers(list));
      return constants;
    };
  };
  const TensorSpec matrix = {{2, 6}};
  EXPECT_EQ(error(Code::RESHAPE, matrix, ints({{-1, -1}})),
            "new shape has more than one -1");
  EXPECT_EQ(error(Code::RESHAPE, matrix, ints({{0, 3}})),
            "new shape has dimension 0");
  EXPECT_EQ(error(Code::RESHAPE, matrix, ints({{2, 7}})),
            "new shape needs more than the 12 elements of input 0");
  EXPECT_EQ(error(Code::RESHAPE, matrix, ints({{2, 5}})),
            "new shape needs 10 elements, but input 0 has 12");
  EXPECT_EQ(error(Code::RESHAPE, matrix, ints({{1, 1, 1, 2, 6}})),
            "the HAL's RESHAPE gives at most rank 4, but output 0 has shape "
            "1x1x1x2x6; the extension nnhal.tflite takes it");
  EXPECT_EQ(error(Code::TRANSPOSE, matrix, ints({{0}})),
            "permutation has 1 elements, expected 2");
  EXPECT_EQ(error(Code::TRANSPOSE, matrix, ints({{0, 0}})),
            "permutation repeats dimension 0");
  EXPECT_EQ(error(Code::TILE, matrix, ints({{2}})),
            "multiples has 1 elements, expected 2");
  EXPECT_EQ(error(Code::PAD, matrix, ints({{0, 1}})),
            "paddings have shape 2, expected 2x2");
  EXPECT_EQ(error(Code::PAD, matrix,
                  [](W &f) {
                    return std::vector{f.constant<int32_t>(
                        {{2, 2}, Type::INT32}, {0, 0, -1, 0})};
                  }),
            "paddings -1 and 0 of dimension 1 must not be negative");
  EXPECT_EQ(error(Code::SLICE, matrix, ints({{0}, {1}})),
            "begin has 1 elements, expected 2");
  EXPECT_EQ(
      error(Code::PADV2, matrix,
            [](W &f) {
              return std::vector{
                  f.constant<int32_t>({{2, 2}, Type::INT32}, {0, 0, 0, 0}),
                  f.constant<uint8_t>({{1}, Type::BOOL}, {1})};
            }),
      "the padding value has another type or scale than input 0");
  EXPECT_EQ(error(Code::SLICE, matrix, ints({{0, 4}, {2, 3}})),
            "3 elements from 4 leave dimension 1 of extent 6");
  EXPECT_EQ(error(Code::PADV2, matrix,
                  [](W &f) {
                    return std::vector{f.constant<int32_t>(
                                           {{2, 2}, Type::INT32}, {0, 0, 0, 0}),
                                       f.integers({1})};
                  }),
            "the padding value has another type or scale than input 0");
  EXPECT_EQ(error(Code::DEPTH_TO_SPACE, image),
            "block size 0 must be positive");
  EXPECT_EQ(
      optionsError<schema::GatherOptions>(
          Code::GATHER, matrix,
          [](W &f) { return schema::CreateGatherOptions(f.builder, 0, 1); },
          ints({{1}})),
      "batch_dims is 1, which the HAL does not have; the extension "
      "nnhal.tflite takes it");
  EXPECT_EQ(optionsError<schema::SqueezeOptions>(
                Code::SQUEEZE, matrix,
                [](W &f) {
                  return schema::CreateSqueezeOptions(
                      f.builder,
                      f.builder.CreateVector(std::vector<int32_t>{0}));
                }),
            "extent 2 of axis 0 must be 1");
  EXPECT_EQ(
      optionsError<schema::ConcatenationOptions>(
          Code::CONCATENATION, matrix,
          [](W &f) { return schema::CreateConcatenationOptions(f.builder, 0); },
          [](W &f) { return std::vector{f.floats({2, 5})}; }),
      "input 1 dimension 1 is 5, expected 6");
  // A computed shape is only good for what the file states.
  TFLiteWriter file;
  int32_t x = file.tensor(matrix), shape = file.tensor({{2}, Type::INT32}),
          y = file.tensor({{}});
  file.add(Code::RESHAPE, {x, shape}, {y});
  EXPECT_EQ(importError(file.finish({x, shape}, {y})),
            "operator 0 (RESHAPE): the shape of output 0 depends on values "
            "that are not constant");
}

TEST(TFLiteErrorsTest, stridedSlice) {
  auto slice = [](int32_t ellipsis, int32_t newAxis, int32_t shrink,
                  std::vector<int32_t> begin, std::vector<int32_t> end,
                  std::vector<int32_t> strides) {
    return optionsError<schema::StridedSliceOptions>(
        Code::STRIDED_SLICE, {{2, 6}},
        [=](W &f) {
          return schema::CreateStridedSliceOptions(f.builder, 0, 0, ellipsis,
                                                   newAxis, shrink);
        },
        [=](W &f) {
          return std::vector{f.integers(begin), f.integers(end),
                             f.integers(strides)};
        });
  };
  EXPECT_EQ(slice(1, 0, 0, {0}, {1}, {1}),
            "ellipsis_mask is 1, which the HAL does not have; the extension "
            "nnhal.tflite takes it");
  EXPECT_EQ(slice(0, 2, 0, {0}, {1}, {1}),
            "new_axis_mask is 2, which the HAL does not have; the extension "
            "nnhal.tflite takes it");
  EXPECT_EQ(slice(0, 0, 0, {0}, {1}, {0}), "stride of dimension 0 is 0");
  EXPECT_EQ(
      slice(0, 0, 0, {0, 1}, {1}, {1}),
      "begin, end and strides have 2, 1 and 1 values, but input 0 has rank 2");
  EXPECT_EQ(slice(0, 0, 1, {2}, {3}, {1}),
            "shrunk dimension 0 has begin 2 and stride 1 in a size of 2");
}

TEST(TFLiteErrorsTest, quantization) {
  EXPECT_EQ(error(Code::QUANTIZE, {{2}}, {}, {{}, Type::INT32}),
            "the HAL's QUANTIZE does not give type INT32");
  EXPECT_EQ(error(Code::DEQUANTIZE, byte, {}, {{}, Type::FLOAT16}),
            "output 0 has type FLOAT16, expected FLOAT32");
  EXPECT_EQ(
      error(Code::DEQUANTIZE, {{1, 1, 1, 1, 2}, Type::UINT8, {0.5f}, {0}}),
      "the HAL's DEQUANTIZE takes at most rank 4, but input 0 has shape "
      "1x1x1x1x2; the extension nnhal.tflite takes it");
  EXPECT_EQ(error(Code::DENSIFY, {{2}}), "input 0 must be a constant");
}

TEST(TFLiteErrorsTest, recurrent) {
  auto svdf = [](int32_t rank, int32_t inputSize, std::vector<int32_t> bias) {
    return optionsError<schema::SVDFOptions>(
        Code::SVDF, {{1, 3}},
        [=](W &f) { return schema::CreateSVDFOptions(f.builder, rank); },
        [=](W &f) {
          return std::vector{f.floats({4, inputSize}), f.floats({4, 5}),
                             f.floats(bias), f.floats({1, 20})};
        });
  };
  EXPECT_EQ(svdf(3, 3, {1}), "rank 3 does not divide 4 filters");
  EXPECT_EQ(svdf(2, 2, {2}), "input 1 has shape 4x2, expected 4x3");
  EXPECT_EQ(svdf(2, 3, {4}), "input 3 has shape 4, expected 2");
  auto lstm = [](schema::LSTMKernel kernel, bool hasInputGate,
                 bool hasProjectionBias, int32_t outputs) {
    TFLiteWriter file;
    int32_t x = file.tensor({{1, 3}});
    std::vector<int32_t> inputs = {x, hasInputGate ? file.floats({4, 3}) : -1};
    for (int i = 0; i < 3; ++i)
      inputs.push_back(file.floats({4, 3}));
    inputs.push_back(-1);
    for (int i = 0; i < 3; ++i)
      inputs.push_back(file.floats({4, outputs}));
    inputs.insert(inputs.end(), {-1, -1, -1, -1});
    for (int i = 0; i < 3; ++i)
      inputs.push_back(file.floats({4}));
    inputs.push_back(-1);
    inputs.push_back(hasProjectionBias ? file.floats({outputs}) : -1);
    inputs.push_back(file.tensor({.shape = {1, outputs}, .isVariable = true}));
    inputs.push_back(file.tensor({.shape = {1, 4}, .isVariable = true}));
    int32_t y = file.tensor({{}});
    file.add(Code::LSTM, inputs, {y},
             schema::CreateLSTMOptions(file.builder, Activation::TANH, 0, 0,
                                       kernel));
    return importError(file.finish({x}, {y}))
        .substr(strlen("operator 0 (LSTM): "));
  };
  using schema::LSTMKernel;
  EXPECT_EQ(lstm(LSTMKernel::BASIC, false, false, 4),
            "kernel type BASIC is not expressible, only FULL");
  EXPECT_EQ(lstm(LSTMKernel::FULL, true, false, 4),
            "inputs 1 and 5 must be present together");
  EXPECT_EQ(lstm(LSTMKernel::FULL, false, true, 4),
            "has a projection bias, but no projection");
  EXPECT_EQ(lstm(LSTMKernel::FULL, false, false, 2),
            "has 4 cells and 2 outputs, but no projection");
  // The weights are inputs of the model, so that nobody has to hold them.
  TFLiteWriter wide;
  const int32_t cells = 1 << 29;
  std::vector<int32_t> inputs = {wide.tensor({{1, 1}}), -1};
  auto take = [&](int count, std::vector<int32_t> shape) {
    for (int i = 0; i < count; ++i)
      inputs.push_back(wide.tensor({shape}));
  };
  take(3, {cells, 1});
  inputs.push_back(-1);
  take(3, {cells, 1});
  inputs.insert(inputs.end(), {-1, -1, -1, -1});
  take(3, {cells});
  take(1, {1, cells});
  inputs.push_back(-1);
  std::vector<int32_t> given;
  std::ranges::copy_if(inputs, std::back_inserter(given),
                       [](int32_t tensor) { return tensor >= 0; });
  inputs.push_back(wide.tensor({.shape = {1, 1}, .isVariable = true}));
  inputs.push_back(wide.tensor({.shape = {1, cells}, .isVariable = true}));
  int32_t wideOutput = wide.tensor({{}});
  wide.add(Code::LSTM, inputs, {wideOutput},
           schema::CreateLSTMOptions(wide.builder, Activation::TANH));
  EXPECT_EQ(importError(wide.finish(given, {wideOutput})),
            "operator 0 (LSTM): has 536870912 cells, which are too many");
  auto rnn = [](Activation activation, std::vector<int32_t> state) {
    return optionsError<schema::RNNOptions>(
        Code::RNN, {{1, 3}},
        [=](W &f) { return schema::CreateRNNOptions(f.builder, activation); },
        [=](W &f) {
          return std::vector{f.floats({4, 3}), f.floats({4, 4}), f.floats({4}),
                             f.floats(state)};
        });
  };
  EXPECT_EQ(rnn(Activation::SIGN_BIT, {1, 4}),
            "the HAL has no recurrent activation 5");
  EXPECT_EQ(rnn(Activation::TANH, {1, 5}),
            "state input 4 has shape 1x5, expected 1x4");
}

TEST(TFLiteErrorsTest, outputTypes) {
  EXPECT_EQ(error(Code::EXP, {{2}}, {}, {{}, Type::INT32}),
            "output 0 has type TENSOR_INT32, expected TENSOR_FLOAT32");
  EXPECT_EQ(
      error(Code::LESS, {{2}}, [](W &f) { return std::vector{f.floats({2})}; }),
      "output 0 has type TENSOR_FLOAT32, expected TENSOR_BOOL8");
  EXPECT_EQ(error(Code::CAST, {{2}}, {}, {{}, Type::INT64}),
            "tensor 1 't1' has type INT64, which the HAL does not have; the "
            "extension "
            "nnhal.tflite has it; the extension nnhal.tflite takes it");
}

TEST(TFLiteErrorsTest, bias) {
  auto dense = [](bool isConstant, const TensorSpec &bias) {
    TFLiteWriter file;
    int32_t x = file.tensor({{1, 2}, Type::UINT8, {0.5f}, {1}});
    int32_t weights =
        file.constant<uint8_t>({{1, 2}, Type::UINT8, {0.5f}, {0}}, {1, 2});
    int32_t b =
        isConstant ? file.constant<float>(bias, {1.0f}) : file.tensor(bias);
    int32_t y = file.tensor({{}, Type::UINT8, {0.5f}, {1}});
    file.add(Code::FULLY_CONNECTED, {x, weights, b}, {y});
    std::vector<int32_t> inputs = {x};
    if (!isConstant)
      inputs.push_back(b);
    return importError(file.finish(inputs, {y}));
  };
  EXPECT_EQ(dense(true, {{1}}), "operator 0 (FULLY_CONNECTED): bias has type "
                                "TENSOR_FLOAT32, expected TENSOR_INT32");
  EXPECT_EQ(dense(false, {{1}, Type::INT32, {0.2501f}, {0}}),
            "operator 0 (FULLY_CONNECTED): bias is computed with scale 0.2501, "
            "but input and "
            "weights give 0.25");
  EXPECT_EQ(
      optionsError<schema::Conv2DOptions>(
          Code::CONV_2D, {{1, 2, 2, 2}, Type::INT8, {0.5f}, {1}},
          [](W &f) {
            return schema::CreateConv2DOptions(f.builder, Padding::SAME, 1, 1);
          },
          [](W &f) {
            return std::vector{f.constant<int8_t>(
                {{1, 1, 1, 2}, Type::INT8, {0.5f, 0.25f}, {0, 0}, 3}, {1, 2})};
          },
          {{}, Type::INT8, {0.5f}, {1}}),
      "weights have several scales along dimension 3, the HAL wants 0");
}

TEST(TFLiteErrorsTest, blocksAndPieces) {
  auto space = [](std::vector<int32_t> shape, std::vector<int32_t> block,
                  int32_t margin) {
    return error(Code::SPACE_TO_BATCH_ND, {shape}, [=](W &f) {
      return std::vector{
          f.integers(block),
          f.constant<int32_t>({{2, 2}, Type::INT32}, {margin, 0, 0, 0})};
    });
  };
  EXPECT_EQ(space({1, 4, 4, 1}, {3, 2}, 0),
            "padded height 4 is not a multiple of block height 3");
  EXPECT_EQ(space({1, 4, 4, 1}, {2, 2}, -1), "pad top -1 must not be negative");
  EXPECT_EQ(space({1, 4, 4}, {2, 2}, 0),
            "input rank 3 is below 4; the extension nnhal.tflite takes it");
  EXPECT_EQ(
      optionsError<schema::SpaceToDepthOptions>(
          Code::SPACE_TO_DEPTH, image,
          [](W &f) { return schema::CreateSpaceToDepthOptions(f.builder, 3); }),
      "input height 4 is not a multiple of block size 3");
  auto crop = [](std::vector<int32_t> shape, std::vector<int32_t> crops) {
    return error(Code::BATCH_TO_SPACE_ND, {{4, 1, 2, 1}}, [=](W &f) {
      return std::vector{f.integers({2, 2}),
                         f.constant<int32_t>({shape, Type::INT32}, crops)};
    });
  };
  EXPECT_EQ(crop({2, 2}, {0, 0, 2, 2}),
            "crops 2 and 2 leave nothing of dimension 2 of size 4");
  EXPECT_EQ(crop({2, 2}, {0, 0, -1, 0}),
            "begin -1 of dimension 2 must not be negative");
  EXPECT_EQ(crop({1, 2}, {0, 1}), "has 2 crops, expected 4");
  TFLiteWriter split;
  int32_t x = split.tensor({{5}}), a = split.tensor({{}}),
          b = split.tensor({{}});
  split.add(Code::SPLIT, {split.integers({0}), x}, {a, b});
  EXPECT_EQ(importError(split.finish({x}, {a, b})),
            "operator 0 (SPLIT): extent 5 of axis 0 is not a multiple of 2 "
            "results");
  EXPECT_EQ(error(Code::GATHER, {{2}},
                  [](W &f) { return std::vector{f.floats({1})}; }),
            "indices have type FLOAT32, expected INT32");
  EXPECT_EQ(error(Code::GATHER, {{2, 3}, Type::INT32},
                  [](W &f) {
                    return std::vector{
                        f.constant<int32_t>({{}, Type::INT32}, {0})};
                  },
                  {{}, Type::INT32}),
            "the HAL computes shape 1x3 and cannot reshape it to 3 for type "
            "TENSOR_INT32; the extension nnhal.tflite takes it");
  EXPECT_EQ(error(Code::PADV2, {{2}},
                  [](W &f) {
                    return std::vector{
                        f.constant<int32_t>({{1, 2}, Type::INT32}, {0, 1}),
                        f.floats({2})};
                  }),
            "input 2 has shape 2, expected a scalar");
  EXPECT_EQ(error(Code::RANK, {{}}, {}, {{}, Type::INT32}),
            "the HAL has no rank 0, which is that of input 0");
}

} // namespace
} // namespace nnhal::rt
