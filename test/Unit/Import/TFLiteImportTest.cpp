//===- TFLiteImportTest.cpp - Operators of each family --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ImportTesting.h"

#include <functional>

namespace nnhal::rt {
namespace {

using schema::Activation;
using schema::Padding;

/// A file of one operator without options over float inputs of \p shapes; the
/// shape of the output is left to be inferred.
std::string oneOperator(Code code, std::vector<std::vector<int32_t>> shapes,
                        Type type = Type::FLOAT32,
                        Type outputType = Type::FLOAT32) {
  TFLiteWriter file;
  std::vector<int32_t> inputs;
  for (const auto &shape : shapes)
    inputs.push_back(file.tensor({shape, type}));
  int32_t output = file.tensor({{}, outputType});
  file.add(code, inputs, {output});
  return toText(importBytes(file.finish(inputs, {output})));
}

/// Takes options, and constants behind the first input, beside the above.
template <typename Options>
std::string
withOptions(Code code, std::vector<int32_t> shape,
            std::function<flatbuffers::Offset<Options>(TFLiteWriter &)> options,
            std::function<std::vector<int32_t>(TFLiteWriter &)> constants = {},
            Type outputType = Type::FLOAT32) {
  TFLiteWriter file;
  int32_t input = file.tensor({shape});
  std::vector<int32_t> inputs = {input};
  if (constants)
    for (int32_t constant : constants(file))
      inputs.push_back(constant);
  int32_t output = file.tensor({{}, outputType});
  auto created = options(file);
  file.add(code, inputs, {output}, created);
  return toText(importBytes(file.finish({input}, {output})));
}

TEST(TFLiteImportTest, elementwise) {
  EXPECT_EQ(oneOperator(Code::ADD, {{1, 2, 3}, {3}}),
            "ADD(i1x2x3, i3, 0) -> o1x2x3\n");
  EXPECT_EQ(oneOperator(Code::DIV, {{2, 3}, {2, 1}}),
            "DIV(i2x3, i2x1, 0) -> o2x3\n");
  EXPECT_EQ(oneOperator(Code::POW, {{2, 3}, {2, 3}}),
            "POW(i2x3, i2x3) -> o2x3\n");
  EXPECT_EQ(oneOperator(Code::MAXIMUM, {{2}, {4, 1}}),
            "MAXIMUM(i2, i4x1) -> o4x2\n");
  EXPECT_EQ(oneOperator(Code::LESS, {{2}, {2}}, Type::FLOAT32, Type::BOOL),
            "LESS(i2, i2) -> o2\n");
  EXPECT_EQ(oneOperator(Code::LOGICAL_AND, {{2}, {2}}, Type::BOOL, Type::BOOL),
            "LOGICAL_AND(i2, i2) -> o2\n");
  EXPECT_EQ(oneOperator(Code::RSQRT, {{2, 2}}), "RSQRT(i2x2) -> o2x2\n");
  EXPECT_EQ(oneOperator(Code::CAST, {{2, 2}}, Type::FLOAT32, Type::INT32),
            "CAST(i2x2) -> o2x2\n");
  // A single value has one dimension in the HAL.
  EXPECT_EQ(oneOperator(Code::NEG, {{}}), "NEG(i1) -> o1\n");
}

TEST(TFLiteImportTest, selectTakesEqualShapes) {
  TFLiteWriter file;
  int32_t mask = file.tensor({{2, 2}, Type::BOOL}), a = file.tensor({{2, 2}}),
          b = file.tensor({{2, 2}}), output = file.tensor({{}});
  file.add(Code::SELECT_V2, {mask, a, b}, {output});
  EXPECT_EQ(toText(importBytes(file.finish({mask, a, b}, {output}))),
            "SELECT(i2x2, i2x2, i2x2) -> o2x2\n");
}

TEST(TFLiteImportTest, fusedActivationKeepsItsNumber) {
  for (auto [activation, text] :
       {std::pair(Activation::RELU, "ADD(i2, c2, 1) -> o2\n"),
        {Activation::RELU_N1_TO_1, "ADD(i2, c2, 2) -> o2\n"},
        {Activation::RELU6, "ADD(i2, c2, 3) -> o2\n"},
        {Activation::TANH, "ADD(i2, c2, 0) -> t2\nTANH(t2) -> o2\n"}}) {
    auto value = activation;
    EXPECT_EQ(
        withOptions<schema::AddOptions>(
            Code::ADD, {2},
            [&](TFLiteWriter &file) {
              return schema::CreateAddOptions(file.builder, value);
            },
            [](TFLiteWriter &file) { return std::vector{file.floats({2})}; }),
        text);
  }
}

TEST(TFLiteImportTest, activation) {
  EXPECT_EQ(oneOperator(Code::RELU_N1_TO_1, {{2, 3}}), "RELU1(i2x3) -> o2x3\n");
  EXPECT_EQ(oneOperator(Code::ELU, {{2, 3}}), "ELU(i2x3, 1f) -> o2x3\n");
  EXPECT_EQ(oneOperator(Code::ELU, {{2, 3}}, Type::FLOAT16, Type::FLOAT16),
            "ELU(i2x3, 0x3c00h) -> o2x3\n");
  EXPECT_EQ(oneOperator(Code::HARD_SWISH, {{2, 3}}),
            "HARD_SWISH(i2x3) -> o2x3\n");
  EXPECT_EQ(oneOperator(Code::PRELU, {{1, 2, 2, 3}, {3}}),
            "PRELU(i1x2x2x3, i3) -> o1x2x2x3\n");
  EXPECT_EQ(oneOperator(Code::LOG_SOFTMAX, {{2, 3}}),
            "LOG_SOFTMAX(i2x3, 1f, -1) -> o2x3\n");
  EXPECT_EQ(withOptions<schema::SoftmaxOptions>(
                Code::SOFTMAX, {2, 3},
                [](TFLiteWriter &f) {
                  return schema::CreateSoftmaxOptions(f.builder, 2.0f);
                }),
            "SOFTMAX(i2x3, 2f) -> o2x3\n");
}

TEST(TFLiteImportTest, contraction) {
  auto weights = [](std::vector<int32_t> filter, int32_t channels) {
    return [=](TFLiteWriter &file) {
      return std::vector{file.floats(filter), file.floats({channels})};
    };
  };
  EXPECT_EQ(withOptions<schema::Conv2DOptions>(
                Code::CONV_2D, {1, 9, 8, 3},
                [](TFLiteWriter &f) {
                  return schema::CreateConv2DOptions(f.builder, Padding::SAME,
                                                     2, 3, Activation::RELU);
                },
                weights({4, 3, 3, 3}, 4)),
            "CONV_2D(i1x9x8x3, c4x3x3x3, c4, 1, 2, 3, 1) -> o1x3x4x4\n");
  // M-070: dilation needs the layout before it.
  EXPECT_EQ(
      withOptions<schema::Conv2DOptions>(
          Code::CONV_2D, {1, 9, 9, 3},
          [](TFLiteWriter &f) {
            return schema::CreateConv2DOptions(f.builder, Padding::VALID, 1, 1,
                                               Activation::NONE, 2, 3);
          },
          weights({4, 3, 3, 3}, 4)),
      "CONV_2D(i1x9x9x3, c4x3x3x3, c4, 2, 1, 1, 0, false, 2, 3) -> o1x3x5x4\n");
  EXPECT_EQ(
      withOptions<schema::DepthwiseConv2DOptions>(
          Code::DEPTHWISE_CONV_2D, {1, 8, 8, 3},
          [](TFLiteWriter &f) {
            return schema::CreateDepthwiseConv2DOptions(f.builder,
                                                        Padding::SAME, 1, 1, 2);
          },
          weights({1, 3, 3, 6}, 6)),
      "DEPTHWISE_CONV_2D(i1x8x8x3, c1x3x3x6, c6, 1, 1, 1, 2, 0) -> o1x8x8x6\n");
  TFLiteWriter file;
  int32_t input = file.tensor({{1, 4, 4, 3}}), output = file.tensor({{}});
  int32_t shape = file.integers({1, 8, 8, 2}),
          filter = file.floats({2, 3, 3, 3});
  file.add(
      Code::TRANSPOSE_CONV, {shape, filter, input}, {output},
      schema::CreateTransposeConvOptions(file.builder, Padding::SAME, 2, 2));
  EXPECT_EQ(toText(importBytes(file.finish({input}, {output}))),
            "TRANSPOSE_CONV_2D(i1x4x4x3, c2x3x3x3, c2, {1 8 8 2}, 1, 2, 2, 0, "
            "false) -> "
            "o1x8x8x2\n");
}

TEST(TFLiteImportTest, fullyConnected) {
  auto options = [](bool keepsRank) {
    return [=](TFLiteWriter &f) {
      return schema::CreateFullyConnectedOptions(f.builder, Activation::NONE,
                                                 schema::WeightsFormat::DEFAULT,
                                                 keepsRank);
    };
  };
  auto weights = [](TFLiteWriter &file) {
    return std::vector{file.floats({4, 6}), -1};
  };
  // A bias that the file omits is zeros.
  EXPECT_EQ(withOptions<schema::FullyConnectedOptions>(
                Code::FULLY_CONNECTED, {2, 3, 6}, options(false), weights),
            "FULLY_CONNECTED(i2x3x6, c4x6, c4, 0) -> o6x4\n");
  EXPECT_EQ(withOptions<schema::FullyConnectedOptions>(
                Code::FULLY_CONNECTED, {2, 3, 6}, options(true), weights),
            "FULLY_CONNECTED(i2x3x6, c4x6, c4, 0) -> t6x4\n"
            "RESHAPE(t6x4, {2 3 4}) -> o2x3x4\n");
  EXPECT_EQ(withOptions<schema::FullyConnectedOptions>(
                Code::FULLY_CONNECTED, {6}, options(false), weights),
            "RESHAPE(i6, {1 6}) -> t1x6\n"
            "FULLY_CONNECTED(t1x6, c4x6, c4, 0) -> o1x4\n");
}

TEST(TFLiteImportTest, window) {
  EXPECT_EQ(withOptions<schema::Pool2DOptions>(
                Code::AVERAGE_POOL_2D, {1, 9, 8, 3},
                [](TFLiteWriter &f) {
                  return schema::CreatePool2DOptions(f.builder, Padding::VALID,
                                                     2, 3, 2, 3);
                }),
            "AVERAGE_POOL_2D(i1x9x8x3, 2, 2, 3, 2, 3, 0) -> o1x3x4x3\n");
  auto size = [](TFLiteWriter &file) {
    return std::vector{file.integers({5, 7})};
  };
  EXPECT_EQ(withOptions<schema::ResizeBilinearOptions>(
                Code::RESIZE_BILINEAR, {1, 4, 4, 3},
                [](TFLiteWriter &f) {
                  return schema::CreateResizeBilinearOptions(f.builder);
                },
                size),
            "RESIZE_BILINEAR(i1x4x4x3, 7, 5) -> o1x5x7x3\n");
  EXPECT_EQ(
      withOptions<schema::ResizeBilinearOptions>(
          Code::RESIZE_BILINEAR, {1, 4, 4, 3},
          [](TFLiteWriter &f) {
            return schema::CreateResizeBilinearOptions(f.builder, true, false);
          },
          size),
      "RESIZE_BILINEAR(i1x4x4x3, 7, 5, false, true, false) -> o1x5x7x3\n");
  EXPECT_EQ(withOptions<schema::ResizeNearestNeighborOptions>(
                Code::RESIZE_NEAREST_NEIGHBOR, {1, 4, 4, 3},
                [](TFLiteWriter &f) {
                  return schema::CreateResizeNearestNeighborOptions(
                      f.builder, false, true);
                },
                size),
            "RESIZE_NEAREST_NEIGHBOR(i1x4x4x3, 7, 5, false, false, true) -> "
            "o1x5x7x3\n");
}

TEST(TFLiteImportTest, normalization) {
  EXPECT_EQ(
      withOptions<schema::L2NormOptions>(Code::L2_NORMALIZATION, {2, 3},
                                         [](TFLiteWriter &f) {
                                           return schema::CreateL2NormOptions(
                                               f.builder, Activation::RELU);
                                         }),
      "L2_NORMALIZATION(i2x3) -> t2x3\nRELU(t2x3) -> o2x3\n");
  EXPECT_EQ(withOptions<schema::LocalResponseNormalizationOptions>(
                Code::LOCAL_RESPONSE_NORMALIZATION, {1, 2, 2, 3},
                [](TFLiteWriter &f) {
                  return schema::CreateLocalResponseNormalizationOptions(
                      f.builder, 2, 1.0f, 0.5f, 0.25f);
                }),
            "LOCAL_RESPONSE_NORMALIZATION(i1x2x2x3, 2, 1f, 0.5f, 0.25f) -> "
            "o1x2x2x3\n");
}

TEST(TFLiteImportTest, reduction) {
  auto keep = [](bool value) {
    return [=](TFLiteWriter &f) {
      return schema::CreateReducerOptions(f.builder, value);
    };
  };
  auto axes = [](TFLiteWriter &file) {
    return std::vector{file.integers({1, -1})};
  };
  EXPECT_EQ(withOptions<schema::ReducerOptions>(Code::MEAN, {2, 3, 4, 5},
                                                keep(true), axes),
            "MEAN(i2x3x4x5, {1 -1}, 1) -> o2x1x4x1\n");
  EXPECT_EQ(withOptions<schema::ReducerOptions>(Code::SUM, {2, 3, 4, 5},
                                                keep(false), axes),
            "REDUCE_SUM(i2x3x4x5, {1 -1}, false) -> o2x4\n");
  EXPECT_EQ(
      withOptions<schema::ArgMaxOptions>(
          Code::ARG_MAX, {2, 3},
          [](TFLiteWriter &f) {
            return schema::CreateArgMaxOptions(f.builder, Type::INT32);
          },
          [](TFLiteWriter &file) { return std::vector{file.integers({-1})}; },
          Type::INT32),
      "ARGMAX(i2x3, -1) -> o2\n");
  TFLiteWriter file;
  int32_t input = file.tensor({{2, 5}}), k = file.integers({3});
  int32_t values = file.tensor({{}}), indices = file.tensor({{}, Type::INT32});
  file.add(Code::TOPK_V2, {input, k}, {values, indices});
  // The HAL has another order of equal elements.
  auto bytes = file.finish({input}, {values, indices});
  EXPECT_EQ(toText(importBytes(bytes)),
            "tflite:TOPK_V2(i2x5, {3}) -> o2x3, o2x3\n");
  TFLiteImportOptions options;
  options.useExtensions = false;
  EXPECT_EQ(toText(importBytes(bytes, options)),
            "TOPK_V2(i2x5, 3) -> o2x3, o2x3\n");
}

TEST(TFLiteImportTest, reshapes) {
  auto shape = [](std::vector<int32_t> values) {
    return [=](TFLiteWriter &f) {
      return schema::CreateReshapeOptions(f.builder,
                                          f.builder.CreateVector(values));
    };
  };
  EXPECT_EQ(withOptions<schema::ReshapeOptions>(Code::RESHAPE, {2, 6},
                                                shape({3, -1})),
            "RESHAPE(i2x6, {3 4}) -> o3x4\n");
  // The tensor wins over the option, and may have 64 bits.
  EXPECT_EQ(withOptions<schema::ReshapeOptions>(
                Code::RESHAPE, {2, 6}, shape({3, -1}),
                [](TFLiteWriter &file) {
                  return std::vector{
                      file.constant<int64_t>({{2}, Type::INT64}, {-1, 2})};
                }),
            "RESHAPE(i2x6, {6 2}) -> o6x2\n");
  EXPECT_EQ(withOptions<schema::SqueezeOptions>(
                Code::SQUEEZE, {1, 2, 1, 3},
                [](TFLiteWriter &f) {
                  return schema::CreateSqueezeOptions(
                      f.builder,
                      f.builder.CreateVector(std::vector<int32_t>{-2}));
                }),
            "RESHAPE(i1x2x1x3, {1 2 3}) -> o1x2x3\n");
}

TEST(TFLiteImportTest, dataMovementByTensors) {
  auto text =
      [](Code code, std::vector<int32_t> shape,
         std::function<std::vector<int32_t>(TFLiteWriter &)> constants) {
        TFLiteWriter file;
        int32_t input = file.tensor({shape}), output = file.tensor({{}});
        std::vector<int32_t> inputs = {input};
        for (int32_t constant : constants(file))
          inputs.push_back(constant);
        file.add(code, inputs, {output});
        return toText(importBytes(file.finish({input}, {output})));
      };
  using W = TFLiteWriter;
  EXPECT_EQ(text(Code::EXPAND_DIMS, {2, 3},
                 [](W &f) { return std::vector{f.integers({-1})}; }),
            "EXPAND_DIMS(i2x3, -1) -> o2x3x1\n");
  EXPECT_EQ(text(Code::TRANSPOSE, {2, 3},
                 [](W &f) { return std::vector{f.integers({1, 0})}; }),
            "TRANSPOSE(i2x3, {1 0}) -> o3x2\n");
  EXPECT_EQ(text(Code::SLICE, {4, 5},
                 [](W &f) {
                   return std::vector{f.integers({1, 2}), f.integers({2, -1})};
                 }),
            "SLICE(i4x5, {1 2}, {2 -1}) -> o2x3\n");
  auto paddings = [](W &f) {
    return f.constant<int32_t>({{2, 2}, Type::INT32}, {0, 1, 2, 3});
  };
  EXPECT_EQ(
      text(Code::PAD, {4, 5}, [&](W &f) { return std::vector{paddings(f)}; }),
      "PAD(i4x5, {0 1 2 3}) -> o5x10\n");
  EXPECT_EQ(
      text(Code::PADV2, {4, 5},
           [&](W &f) { return std::vector{paddings(f), f.floats({}, 2.5f)}; }),
      "PAD_V2(i4x5, {0 1 2 3}, 2.5f) -> o5x10\n");
  EXPECT_EQ(text(Code::TILE, {4, 5},
                 [](W &f) { return std::vector{f.integers({2, 3})}; }),
            "TILE(i4x5, {2 3}) -> o8x15\n");
  EXPECT_EQ(text(Code::GATHER, {4, 5},
                 [](W &f) { return std::vector{f.integers({3, 1, 1})}; }),
            "GATHER(i4x5, 0, {3 1 1}) -> o3x5\n");
  // A single index removes the dimension.
  EXPECT_EQ(text(Code::GATHER, {4, 5},
                 [](W &f) {
                   return std::vector{
                       f.constant<int32_t>({{}, Type::INT32}, {3})};
                 }),
            "GATHER(i4x5, 0, {3}) -> t1x5\nRESHAPE(t1x5, {5}) -> o5\n");
  auto zeros = [](W &f) {
    return f.constant<int32_t>({{2, 2}, Type::INT32}, {0, 0, 0, 0});
  };
  EXPECT_EQ(
      text(Code::BATCH_TO_SPACE_ND, {4, 2, 2, 1},
           [&](W &f) { return std::vector{f.integers({2, 2}), zeros(f)}; }),
      "BATCH_TO_SPACE_ND(i4x2x2x1, {2 2}) -> o1x4x4x1\n");
  EXPECT_EQ(
      text(Code::SPACE_TO_BATCH_ND, {1, 4, 4, 1},
           [&](W &f) { return std::vector{f.integers({2, 2}), zeros(f)}; }),
      "SPACE_TO_BATCH_ND(i1x4x4x1, {2 2}, {0 0 0 0}) -> o4x2x2x1\n");
}

TEST(TFLiteImportTest, dataMovementByOptions) {
  EXPECT_EQ(withOptions<schema::DepthToSpaceOptions>(
                Code::DEPTH_TO_SPACE, {1, 2, 2, 8},
                [](TFLiteWriter &f) {
                  return schema::CreateDepthToSpaceOptions(f.builder, 2);
                }),
            "DEPTH_TO_SPACE(i1x2x2x8, 2) -> o1x4x4x2\n");
  EXPECT_EQ(withOptions<schema::SpaceToDepthOptions>(
                Code::SPACE_TO_DEPTH, {1, 4, 4, 2},
                [](TFLiteWriter &f) {
                  return schema::CreateSpaceToDepthOptions(f.builder, 2);
                }),
            "SPACE_TO_DEPTH(i1x4x4x2, 2) -> o1x2x2x8\n");
  EXPECT_EQ(withOptions<schema::ConcatenationOptions>(
                Code::CONCATENATION, {2, 3},
                [](TFLiteWriter &f) {
                  return schema::CreateConcatenationOptions(f.builder, -1,
                                                            Activation::RELU6);
                },
                [](TFLiteWriter &f) { return std::vector{f.floats({2, 4})}; }),
            "CONCATENATION(i2x3, c2x4, 1) -> t2x7\nRELU6(t2x7) -> o2x7\n");
  // M-114: a shrunk axis is stated as one element.
  EXPECT_EQ(
      withOptions<schema::StridedSliceOptions>(
          Code::STRIDED_SLICE, {4, 6, 5},
          [](TFLiteWriter &f) {
            return schema::CreateStridedSliceOptions(f.builder, 0, 2, 0, 0, 1);
          },
          [](TFLiteWriter &f) {
            return std::vector{f.integers({-1, 1}), f.integers({0, 0}),
                               f.integers({1, 2})};
          }),
      "STRIDED_SLICE(i4x6x5, {3 1 0}, {4 0 5}, {1 2 1}, 0, 2, 1) -> o3x5\n");
  TFLiteWriter file;
  int32_t input = file.tensor({{2, 6}}), axis = file.integers({-1});
  int32_t a = file.tensor({{}}), b = file.tensor({{}});
  file.add(Code::SPLIT, {axis, input}, {a, b});
  EXPECT_EQ(toText(importBytes(file.finish({input}, {a, b}))),
            "SPLIT(i2x6, 1, 2) -> o2x3, o2x3\n");
}

TEST(TFLiteImportTest, fillAndRank) {
  TFLiteWriter file;
  int32_t dims = file.integers({2, 3}), value = file.floats({}, 1.5f);
  int32_t filled = file.tensor({{}}), rank = file.tensor({{}, Type::INT32});
  file.add(Code::FILL, {dims, value}, {filled});
  file.add(Code::RANK, {filled}, {rank});
  EXPECT_EQ(toText(importBytes(file.finish({}, {filled, rank}))),
            "FILL({2 3}, 1.5f) -> o2x3\nRANK(o2x3) -> o\n");
}

TEST(TFLiteImportTest, lookup) {
  TFLiteWriter file;
  int32_t lookups = file.tensor({{3}, Type::INT32}),
          keys = file.integers({1, 4});
  int32_t values = file.floats({2, 5}), embedded = file.tensor({{}});
  int32_t found = file.tensor({{}}), hits = file.tensor({{}, Type::UINT8});
  file.add(Code::EMBEDDING_LOOKUP, {lookups, values}, {embedded});
  file.add(Code::HASHTABLE_LOOKUP, {lookups, keys, values}, {found, hits});
  AnnotatedModel model =
      importBytes(file.finish({lookups}, {embedded, found, hits}));
  EXPECT_EQ(toText(model), "EMBEDDING_LOOKUP(i3, c2x5) -> o3x5\n"
                           "HASHTABLE_LOOKUP(i3, {1 4}, c2x5) -> o3x5, o3\n");
  EXPECT_EQ(model.model.main.operands[model.model.main.outputIndexes[2]].scale,
            1.0f);
}

TEST(TFLiteImportTest, quantization) {
  TFLiteWriter file;
  int32_t input = file.tensor({{1, 4}});
  int32_t u8 = file.tensor({{}, Type::UINT8, {0.5f}, {128}});
  int32_t s8 = file.tensor({{}, Type::INT8, {0.25f}, {-3}});
  int32_t output = file.tensor({{}});
  file.add(Code::QUANTIZE, {input}, {u8});
  file.add(Code::QUANTIZE, {u8}, {s8});
  file.add(Code::DEQUANTIZE, {s8}, {output});
  AnnotatedModel model = importBytes(file.finish({input}, {output}));
  // The HAL has no requantization.
  EXPECT_EQ(toText(model),
            "QUANTIZE(i1x4) -> t1x4\nDEQUANTIZE(t1x4) -> t1x4\n"
            "QUANTIZE(t1x4) -> t1x4\nDEQUANTIZE(t1x4) -> o1x4\n");
  const Operand &last =
      model.model.main.operands[model.model.main.operations[3].inputs[0]];
  EXPECT_EQ(last.type, OperandType::TENSOR_QUANT8_ASYMM_SIGNED);
  EXPECT_EQ(last.scale, 0.25f);
  EXPECT_EQ(last.zeroPoint, -3);
}

// M-251: where the HAL keeps the input's quantization and the file does not.
TEST(TFLiteImportTest, changedQuantizationIsMadeExplicit) {
  TFLiteWriter file;
  int32_t input = file.tensor({{1, 4}, Type::UINT8, {0.5f}, {1}});
  int32_t axes = file.integers({1}),
          output = file.tensor({{}, Type::UINT8, {0.25f}, {2}});
  file.add(Code::MEAN, {input, axes}, {output});
  EXPECT_EQ(
      toText(importBytes(file.finish({input}, {output}))),
      "MEAN(i1x4, {1}, 0) -> t1\nDEQUANTIZE(t1) -> t1\nQUANTIZE(t1) -> o1\n");
}

TEST(TFLiteImportTest, perChannelWeights) {
  TFLiteWriter file;
  int32_t input = file.tensor({{1, 4, 4, 1}, Type::INT8, {0.5f}, {1}});
  int32_t filter = file.constant<int8_t>(
      {{2, 1, 1, 1}, Type::INT8, {0.5f, 0.25f}, {0, 0}, 0}, {1, 2});
  int32_t bias = file.constant<int32_t>(
      {{2}, Type::INT32, {0.25f, 0.125f}, {0, 0}}, {3, 4});
  int32_t output = file.tensor({{}, Type::INT8, {0.5f}, {1}});
  file.add(Code::CONV_2D, {input, filter, bias}, {output},
           schema::CreateConv2DOptions(file.builder, Padding::SAME, 1, 1));
  AnnotatedModel model = importBytes(file.finish({input}, {output}));
  const Operation &convolution = model.model.main.operations.at(0);
  const Operand &weights = model.model.main.operands[convolution.inputs[1]];
  EXPECT_EQ(weights.type, OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL);
  EXPECT_EQ(std::get<SymmPerChannelQuantParams>(weights.extraParams),
            (SymmPerChannelQuantParams{{0.5f, 0.25f}, 0}));
  EXPECT_EQ(model.model.main.operands[convolution.inputs[2]].scale,
            0.0f); // M-012
}

// M-012: the bias scale is exactly the product.
TEST(TFLiteImportTest, biasScaleIsTheProduct) {
  TFLiteWriter file;
  int32_t input = file.tensor({{1, 2}, Type::UINT8, {0.5f}, {1}});
  int32_t weights =
      file.constant<uint8_t>({{1, 2}, Type::UINT8, {0.1f}, {0}}, {1, 2});
  int32_t bias =
      file.constant<int32_t>({{1}, Type::INT32, {0.0501f}, {0}}, {3});
  int32_t output = file.tensor({{}, Type::UINT8, {0.5f}, {1}});
  file.add(Code::FULLY_CONNECTED, {input, weights, bias}, {output});
  AnnotatedModel model = importBytes(file.finish({input}, {output}));
  EXPECT_EQ(
      model.model.main.operands[model.model.main.operations.at(0).inputs[2]]
          .scale,
      0.5f * 0.1f);
}

} // namespace
} // namespace nnhal::rt
