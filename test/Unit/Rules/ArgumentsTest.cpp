//===- ArgumentsTest.cpp - Which operands of operations may be missing ----===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecurrentUses.h"

#include <gtest/gtest.h>

#include <set>

using namespace nnhal::rt;
using namespace nnhal::rt::testing;
using Op = OperationType;

namespace {

const TensorType openFloat = unrankedTensor(OperandType::TENSOR_FLOAT32);

bool isCount(const std::string &message) {
  return message.starts_with("found ") &&
         message.find(" inputs, expected ") != std::string::npos;
}

//===----------------------------------------------------------------------===//
// Recurrent operations
//===----------------------------------------------------------------------===//

/// \p use with a tensor for each optional operand.
RecurrentUse withEverything(RecurrentUse use) {
  // The input gate, peepholes, projection and norms of the only cell.
  use.zeros(9, floatTensor({2}));
  use.zeros(10, floatTensor({2}));
  use.zeros(11, floatTensor({2}));
  use.zeros(16, floatTensor({2, 2}));
  use.zeros(17, floatTensor({2}));
  for (size_t i = 23; i < 27; ++i)
    use.zeros(i, floatTensor({2}));
  return use;
}

// M-166: between 15 and 27 inputs are there.
TEST(ArgumentsTest, LstmMayOmit) {
  // Coupled gates, no peephole, no projection, no norm.
  RecurrentUse least = lstmUse();
  for (size_t i : {1, 5, 12})
    least.omit(i);
  least.outputs[0] = floatTensor({1, 6});
  EXPECT_EQ(least.message(), "");
  size_t present = 0;
  for (const RecurrentUse::Input &input : least.inputs)
    present += !input.isOmitted;
  EXPECT_EQ(present, 15u);
  RecurrentUse all = withEverything(lstmUse27());
  EXPECT_EQ(all.message(), "");
  for (const RecurrentUse::Input &input : all.inputs)
    EXPECT_FALSE(input.isOmitted);

  // Sets of weights go together; what is in none stays.
  const std::set<size_t> optional = {1,  5,  9,  10, 11, 12,
                                     16, 17, 23, 24, 25, 26};
  for (size_t i = 0; i < 27; ++i) {
    RecurrentUse use = all;
    use.omit(i);
    bool isRequired =
        use.message().ends_with("is omitted, but it is not optional");
    EXPECT_EQ(isRequired, !optional.contains(i)) << i << ": " << use.message();
  }
}

// M-176: 61 inputs, each in its place.
TEST(ArgumentsTest, BidirectionalLstmHas61Inputs) {
  const RecurrentUse right = bidirectionalLstmUse();
  EXPECT_EQ(right.inputs.size(), 61u);
  EXPECT_EQ(right.message(), "");
  RecurrentUse use = right;
  use.inputs.pop_back();
  EXPECT_TRUE(isCount(use.message())) << use.message();
  use = right;
  use.inputs.push_back(right.inputs.back());
  EXPECT_TRUE(isCount(use.message())) << use.message();
  EXPECT_EQ(use.message(), "found 62 inputs, expected 61");

  // Weights, peepholes, biases and projections of both directions.
  std::set<size_t> optional;
  for (size_t direction : {1, 18})
    for (size_t i : {0, 4, 8, 9, 10, 11, 15, 16})
      optional.insert(direction + i);
  // Auxiliary input, auxiliary weights and norms.
  optional.insert(39);
  for (size_t i = 40; i < 48; ++i)
    optional.insert(i);
  for (size_t i = 53; i < 61; ++i)
    optional.insert(i);
  for (size_t i = 0; i < 61; ++i) {
    use = right;
    use.omit(i);
    bool isRequired =
        use.message().ends_with("is omitted, but it is not optional");
    EXPECT_EQ(isRequired, !optional.contains(i)) << i << ": " << use.message();
  }

  // Activation, clips and flags.
  for (size_t i = 48; i < 53; ++i) {
    use = right;
    use.zeros(i, floatTensor({1}));
    EXPECT_NE(use.message().find("input " + std::to_string(i) + " ("),
              std::string::npos)
        << i << ": " << use.message();
  }
  // States are those of forward and backward, output and cell.
  for (size_t i = 35; i < 39; ++i) {
    use = right;
    use.zeros(i, floatTensor({2, 2}));
    EXPECT_NE(use.message().find("state dimension 0 is 2"), std::string::npos)
        << i << ": " << use.message();
  }
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

struct Convolution {
  Op type;
  /// NHWC, and how many channels come out.
  TensorType filter;
  size_t scalars;
};

/// All of them on 1x4x4x4; of the transposed one the explicit form.
const Convolution convolutions[] = {
    {Op::CONV_2D, floatTensor({3, 1, 1, 4}), 4},
    {Op::DEPTHWISE_CONV_2D, floatTensor({1, 1, 1, 8}), 5},
    {Op::GROUPED_CONV_2D, floatTensor({4, 1, 1, 2}), 5},
    {Op::TRANSPOSE_CONV_2D, floatTensor({3, 1, 1, 4}), 7},
    {Op::FULLY_CONNECTED, floatTensor({3, 4}), 1},
};

int64_t channelsOf(const Convolution &convolution) {
  return convolution.type == Op::DEPTHWISE_CONV_2D
             ? convolution.filter.dimensions[3]
             : convolution.filter.dimensions[0];
}

std::string message(const Convolution &convolution, TensorType input,
                    TensorType filter, TensorType bias,
                    const TensorType &output, bool areConstant = false) {
  OperationBuilder builder(convolution.type);
  builder.tensor(std::move(input));
  auto add = [&](TensorType weights) {
    if (!areConstant) {
      builder.tensor(std::move(weights));
      return;
    }
    size_t count = 1;
    for (int64_t extent : weights.dimensions)
      count *= size_t(extent);
    builder.tensor(std::move(weights), std::vector<double>(count, 1.0));
  };
  add(std::move(filter));
  add(std::move(bias));
  switch (convolution.type) {
  case Op::FULLY_CONNECTED:
    builder.int32(0);
    break;
  case Op::DEPTHWISE_CONV_2D:
    builder.int32(1).int32(1).int32(1).int32(2).int32(0);
    break;
  case Op::GROUPED_CONV_2D:
    builder.int32(1).int32(1).int32(1).int32(2).int32(0);
    break;
  case Op::TRANSPOSE_CONV_2D:
    builder.int32(0).int32(0).int32(0).int32(0).int32(1).int32(1).int32(0);
    break;
  default:
    builder.int32(1).int32(1).int32(1).int32(0);
  }
  if (convolution.type == Op::GROUPED_CONV_2D ||
      convolution.type == Op::TRANSPOSE_CONV_2D)
    builder.boolean(false);
  return builder.output(output).message();
}

TensorType inputOf(const Convolution &convolution) {
  return convolution.type == Op::FULLY_CONNECTED ? floatTensor({2, 4})
                                                 : floatTensor({1, 4, 4, 4});
}

// M-077: filter and bias may be constants or not.
TEST(ArgumentsTest, FiltersMayBeComputed) {
  for (const Convolution &each : convolutions)
    for (bool areConstant : {false, true})
      EXPECT_EQ(message(each, inputOf(each), each.filter,
                        floatTensor({channelsOf(each)}), openFloat,
                        areConstant),
                "")
          << nameOf(each.type) << " " << areConstant;
}

// M-088: as many elements as channels, of the input's type or, beside quantized
// types, integers.
TEST(ArgumentsTest, BiasesHaveAnElementPerChannel) {
  for (const Convolution &each : convolutions) {
    if (each.type == Op::FULLY_CONNECTED)
      continue;
    SCOPED_TRACE(nameOf(each.type));
    int64_t channels = channelsOf(each);
    auto floats = [&](TensorType bias) {
      return message(each, inputOf(each), each.filter, std::move(bias),
                     openFloat);
    };
    EXPECT_EQ(floats(floatTensor({channels})), "");
    EXPECT_NE(floats(floatTensor({channels - 1})), "");
    EXPECT_NE(floats(floatTensor({channels + 1})), "");
    EXPECT_NE(floats(floatTensor({channels, 1})), "");
    EXPECT_NE(floats(halfTensor({channels})), "");
    EXPECT_NE(floats(int32Tensor({channels})), "");
    auto quantized = [&](TensorType bias) {
      TensorType filter = quantTensor(each.filter.dimensions, 0.5f, 3);
      TensorType output = unrankedTensor(OperandType::TENSOR_QUANT8_ASYMM);
      output.scale = 4.0f;
      return message(each, quantTensor({1, 4, 4, 4}, 0.5f, 1), filter,
                     std::move(bias), output);
    };
    TensorType bias = int32Tensor({channels});
    bias.scale = 0.25f;
    EXPECT_EQ(quantized(bias), "");
    EXPECT_NE(quantized(floatTensor({channels})), "");
    EXPECT_NE(quantized(quantTensor({channels}, 0.25f, 0)), "");
  }
}

//===----------------------------------------------------------------------===//
// Arguments more or less
//===----------------------------------------------------------------------===//

OperationBuilder image(Op type) {
  OperationBuilder builder(type);
  builder.tensor(floatTensor({1, 4, 4, 4}));
  return builder;
}

/// \p type on an image with the first \p count of \p scalars behind it: 'i' is
/// an INT32 of 1, 'f' a FLOAT32, 'b' a BOOL.
std::string onImage(Op type, std::string_view scalars) {
  OperationBuilder builder = image(type);
  for (char scalar : scalars)
    scalar == 'i'   ? builder.int32(1)
    : scalar == 'f' ? builder.float32(1.0f)
                    : builder.boolean(false);
  return builder.output(openFloat).message();
}

// B-049: the tails that may be left out.
TEST(ArgumentsTest, InputsThatMayBeRemoved) {
  auto concatenation = [](size_t count, bool hasAxis) {
    OperationBuilder builder(Op::CONCATENATION);
    for (size_t i = 0; i < count; ++i)
      builder.tensor(floatTensor({2, 2}));
    if (hasAxis)
      builder.int32(0);
    return builder.output(openFloat).message();
  };
  EXPECT_EQ(concatenation(3, true), "");
  EXPECT_EQ(concatenation(2, true), "");
  EXPECT_EQ(concatenation(1, true), "");
  EXPECT_NE(concatenation(0, true), "");
  EXPECT_NE(concatenation(3, false), "");

  struct Tail {
    Op type;
    std::string_view scalars;
    /// How many of them may go, one by one from the last.
    size_t optional;
  };
  for (const Tail &tail :
       {Tail{Op::AVERAGE_POOL_2D, "iiiiiib", 1},
        Tail{Op::L2_POOL_2D, "iiiiiib", 1}, Tail{Op::MAX_POOL_2D, "iiiiiib", 1},
        Tail{Op::DEPTH_TO_SPACE, "ib", 1}, Tail{Op::SPACE_TO_DEPTH, "ib", 1},
        Tail{Op::RESIZE_BILINEAR, "iibbb", 3},
        Tail{Op::RESIZE_NEAREST_NEIGHBOR, "iibbb", 2},
        Tail{Op::L2_NORMALIZATION, "i", 1},
        Tail{Op::LOCAL_RESPONSE_NORMALIZATION, "ifffi", 1},
        Tail{Op::SOFTMAX, "fi", 1}}) {
    SCOPED_TRACE(nameOf(tail.type));
    for (size_t left = 0; left <= tail.optional; ++left)
      EXPECT_EQ(onImage(tail.type,
                        tail.scalars.substr(0, tail.scalars.size() - left)),
                "")
          << left;
    // The one before is needed.
    if (size_t needed = tail.scalars.size() - tail.optional; needed != 0)
      EXPECT_TRUE(
          isCount(onImage(tail.type, tail.scalars.substr(0, needed - 1))));
  }
}

// B-050: nothing may be added but what was left out.
TEST(ArgumentsTest, InputsThatMayBeAdded) {
  EXPECT_EQ(onImage(Op::L2_NORMALIZATION, ""), "");
  EXPECT_EQ(onImage(Op::L2_NORMALIZATION, "i"), "");
  EXPECT_TRUE(isCount(onImage(Op::L2_NORMALIZATION, "ii")));
  EXPECT_EQ(onImage(Op::LOCAL_RESPONSE_NORMALIZATION, "ifff"), "");
  EXPECT_EQ(onImage(Op::LOCAL_RESPONSE_NORMALIZATION, "ifffi"), "");
  EXPECT_TRUE(isCount(onImage(Op::LOCAL_RESPONSE_NORMALIZATION, "ifffii")));
  EXPECT_EQ(onImage(Op::SOFTMAX, "f"), "");
  EXPECT_EQ(onImage(Op::SOFTMAX, "fi"), "");
  EXPECT_TRUE(isCount(onImage(Op::SOFTMAX, "fii")));
  EXPECT_EQ(onImage(Op::RESIZE_BILINEAR, "iibbb"), "");
  EXPECT_TRUE(isCount(onImage(Op::RESIZE_BILINEAR, "iibbbb")));
  EXPECT_EQ(onImage(Op::RESIZE_NEAREST_NEIGHBOR, "iibbb"), "");
  EXPECT_TRUE(isCount(onImage(Op::RESIZE_NEAREST_NEIGHBOR, "iibbbb")));
  for (Op type : {Op::RELU, Op::TANH, Op::FLOOR, Op::ABS, Op::HARD_SWISH})
    for (std::string_view added : {"i", "b", "f"}) {
      EXPECT_EQ(onImage(type, ""), "") << nameOf(type);
      EXPECT_TRUE(isCount(onImage(type, added))) << nameOf(type);
    }
  EXPECT_EQ(onImage(Op::DEPTH_TO_SPACE, "ib"), "");
  EXPECT_TRUE(isCount(onImage(Op::DEPTH_TO_SPACE, "ibb")));
}

OperationBuilder split(bool isKnown, int32_t results, int outputs) {
  OperationBuilder builder(Op::SPLIT);
  builder.tensor(floatTensor({6})).int32(0);
  if (isKnown)
    builder.int32(results);
  else
    builder.scalar(OperandType::INT32);
  for (int i = 0; i < outputs; ++i)
    builder.output(openFloat);
  return builder;
}

// B-048, B-051: a SPLIT may lose outputs as long as nobody knows how many it
// has to have, a sequence operation may lose those of its states.
TEST(ArgumentsTest, OutputsThatMayBeRemoved) {
  EXPECT_EQ(split(false, 0, 3).message(), "");
  EXPECT_EQ(split(false, 0, 2).message(), "");
  EXPECT_EQ(split(true, 3, 3).message(), "");
  EXPECT_NE(split(true, 3, 2).message(), "");

  auto without = [](RecurrentUse use, size_t count) {
    use.outputs.resize(count);
    return use.message();
  };
  auto with = [](RecurrentUse use, std::initializer_list<TensorType> states) {
    use.outputs.insert(use.outputs.end(), states);
    return use;
  };
  const TensorType state = floatTensor({1, 2});
  RecurrentUse lstm = with(sequenceLstmUse(), {state, state});
  EXPECT_EQ(lstm.message(), "");
  EXPECT_EQ(without(lstm, 1), "");
  RecurrentUse rnn = with(sequenceRnnUse(), {floatTensor({1, 1})});
  EXPECT_EQ(rnn.message(), "");
  EXPECT_EQ(without(rnn, 1), "");
  RecurrentUse both =
      with(bidirectionalLstmUse(), {state, state, state, state});
  EXPECT_EQ(both.message(), "");
  EXPECT_EQ(without(both, 2), "");
  EXPECT_NE(without(both, 0), "");
  RecurrentUse bothRnn =
      with(bidirectionalRnnUse(), {floatTensor({1, 1}), floatTensor({1, 1})});
  EXPECT_EQ(bothRnn.message(), "");
  EXPECT_EQ(without(bothRnn, 2), "");
}

// L-021: what else this project tries; an index out of range is a case of
// test/Cases.
TEST(ArgumentsTest, NegativeCases) {
  OperationBuilder squeeze(Op::SQUEEZE);
  squeeze.tensor(floatTensor({1, 2})).tensor(int32Tensor({1}), {1});
  EXPECT_NE(squeeze.output(openFloat).message(), "");
  OperationBuilder conv = image(Op::CONV_2D);
  conv.tensor(floatTensor({3, 1, 1, 4})).tensor(floatTensor({3}));
  conv.int32(1).int32(0).int32(1).int32(0);
  EXPECT_EQ(conv.output(openFloat).message(),
            "stride width 0 must be positive");
  EXPECT_NE(split(true, 4, 4).message(), "");
  for (int axis : {-2, -3, 1, 2}) {
    OperationBuilder argmax(Op::ARGMAX);
    argmax.tensor(floatTensor({2})).int32(axis);
    EXPECT_NE(
        argmax.output(unrankedTensor(OperandType::TENSOR_INT32)).message(), "")
        << axis;
  }
  OperationBuilder pad(Op::PAD);
  pad.tensor(floatTensor({2})).tensor(int32Tensor({1, 2}), {-1, 0});
  EXPECT_NE(pad.output(openFloat).message(), "");
  OperationBuilder reshape(Op::RESHAPE);
  reshape.tensor(floatTensor({2, 3})).tensor(int32Tensor({1}), {5});
  EXPECT_NE(reshape.output(openFloat).message(), "");
}

//===----------------------------------------------------------------------===//
// Quantization of results
//===----------------------------------------------------------------------===//

TensorType bytes(std::vector<int64_t> shape, float scale = 0.5f,
                 int32_t zeroPoint = 3) {
  return quantTensor(std::move(shape), scale, zeroPoint);
}

// M-252: any scale and zero point will do.
TEST(ArgumentsTest, QuantizationOfResultsIsFree) {
  for (float scale : {0.3f, 0.5f, 4.0f, 100.0f})
    for (int32_t zeroPoint : {0, 3, 255}) {
      TensorType out = unrankedTensor(OperandType::TENSOR_QUANT8_ASYMM);
      out.scale = scale;
      out.zeroPoint = zeroPoint;
      auto accepts = [&](OperationBuilder builder) {
        EXPECT_EQ(builder.output(out).message(), "")
            << nameOf(builder.operation().type) << " " << scale << " "
            << zeroPoint;
      };
      for (Op type : {Op::ADD, Op::SUB}) {
        OperationBuilder builder(type);
        builder.tensor(bytes({2, 2})).tensor(bytes({2, 2})).int32(0);
        accepts(std::move(builder));
      }
      if (scale > 0.25f) { // The product of the scales (M-039).
        OperationBuilder builder(Op::MUL);
        builder.tensor(bytes({2, 2})).tensor(bytes({2, 2})).int32(0);
        accepts(std::move(builder));
      }
      for (Op type : {Op::MAXIMUM, Op::MINIMUM, Op::PRELU}) {
        if (type == Op::PRELU && scale <= 0.25f)
          continue;
        OperationBuilder builder(type);
        builder.tensor(bytes({2, 2})).tensor(bytes({2, 2}));
        accepts(std::move(builder));
      }
      OperationBuilder concatenation(Op::CONCATENATION);
      concatenation.tensor(bytes({2, 2})).tensor(bytes({2, 2}, 1.0f, 0));
      concatenation.int32(0);
      accepts(std::move(concatenation));
      OperationBuilder select(Op::SELECT);
      select.tensor(boolTensor({2})).tensor(bytes({2})).tensor(bytes({2}));
      accepts(std::move(select));
      OperationBuilder swish(Op::HARD_SWISH);
      swish.tensor(bytes({2}));
      accepts(std::move(swish));
      OperationBuilder quantize(Op::QUANTIZE);
      quantize.tensor(floatTensor({2}));
      accepts(std::move(quantize));
      TensorType places =
          tensorType(OperandType::TENSOR_QUANT16_ASYMM, {1, 4}, 0.125f);
      OperationBuilder align(Op::ROI_ALIGN);
      align.tensor(bytes({1, 4, 4, 4})).tensor(places);
      align.tensor(int32Tensor({1})).int32(2).int32(2);
      align.float32(1.0f).float32(1.0f).int32(0).int32(0).boolean(false);
      accepts(std::move(align));
      TensorType keypoints = places;
      keypoints.isRanked = false;
      keypoints.dimensions.clear();
      OperationBuilder heatmap(Op::HEATMAP_MAX_KEYPOINT);
      heatmap.tensor(bytes({1, 4, 4, 4})).tensor(places).boolean(false);
      EXPECT_EQ(heatmap.output(out).output(keypoints).message(), "");
      for (const Convolution &each : convolutions) {
        TensorType bias = int32Tensor({channelsOf(each)});
        bias.scale = 0.25f;
        EXPECT_EQ(message(each, bytes(inputOf(each).dimensions),
                          bytes(each.filter.dimensions), bias, out),
                  "")
            << nameOf(each.type) << " " << scale;
      }
    }
}

} // namespace
