//===- ExtensionTable.cpp - The operators of the extension ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Extension.h"
#include "Rewriter.h"

#include "Runtime/Numerics/FixedPoint.h"
#include "Runtime/Numerics/Quantization.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace nnhal::rt::tflite {

using Code = schema::BuiltinOperator;

/// Every type that numbers have.
static constexpr uint16_t anyNumber =
    Numeric | B8 | (BeyondHal & ~uint16_t(A16));

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

template <typename T> static void addField(OperationBuilder &builder, T value) {
  if constexpr (std::is_same_v<T, bool>)
    builder.boolean(value);
  else if constexpr (std::is_same_v<T, float>)
    builder.real(value);
  else
    builder.int32(int32_t(value));
}

/// Adds \p fields of the options table \p Options, in this order.
template <typename Options, auto... fields>
static Status options(Operator &op, OperationBuilder &builder) {
  NNHAL_ASSIGN_OR_RETURN(const auto *table, op.options<Options>());
  (addField(builder, (table->*fields)()), ...);
  return Status();
}

/// The function of REDUCE_WINDOW, whose options are of the second union.
static Status reduceWindowOptions(Operator &op, OperationBuilder &builder) {
  NNHAL_ASSIGN_OR_RETURN(const auto *table,
                         op.options2<schema::ReduceWindowOptions>());
  auto function = int32_t(table->reduce_function());
  if (function < int32_t(schema::ReduceWindowFunction::ADD) ||
      function > int32_t(schema::ReduceWindowFunction::ANY))
    return badData("reduce_function is {}, which is not in 1..6", function);
  builder.int32(function);
  return Status();
}

//===----------------------------------------------------------------------===//
// Forms that the HAL's operations lack
//===----------------------------------------------------------------------===//

/// The options of \p op; null where the file states those of another operator.
template <typename Options> static const Options *optionsOf(Operator &op) {
  Result<const Options *> options = op.options<Options>();
  return options.isOk() ? *options : nullptr;
}

/// Arithmetic on integers has no activation in the HAL (M-020).
template <typename Options> static bool hasIntegerActivation(Operator &op) {
  const auto *options = optionsOf<Options>(op);
  return options && op.input(0).type == OperandType::TENSOR_INT32 &&
         options->activation() >= schema::Activation::RELU &&
         options->activation() <= schema::Activation::RELU6;
}

/// Floats, int32 and unsigned bytes can be cast to each other (M-150), and any
/// type to itself.
static bool hasOtherCast(Operator &op) {
  constexpr uint16_t convertible = Float | I32 | U8;
  const Tensor &from = op.input(0), &to = op.output(0);
  if (!from.type || !to.type || *from.type == *to.type)
    return false;
  bool isByteToReal = *from.type == OperandType::TENSOR_QUANT8_ASYMM_SIGNED &&
                      from.isPlain && *to.type == OperandType::TENSOR_FLOAT32;
  // TensorFlow Lite keeps the low bits where the HAL saturates.
  bool isNarrowed = *from.type == OperandType::TENSOR_INT32 &&
                    *to.type == OperandType::TENSOR_QUANT8_ASYMM;
  return isNarrowed ||
         (!isByteToReal && !(typeSetOf(*from.type) & convertible &&
                             typeSetOf(*to.type) & convertible));
}

static bool hasExactGelu(Operator &op) {
  const auto *options = optionsOf<schema::GeluOptions>(op);
  return options && !options->approximate();
}

static bool hasDilatedGroups(Operator &op) {
  const auto *options = optionsOf<schema::Conv2DOptions>(op);
  return options && op.shape(0).size() == 4 && op.shape(1).size() == 4 &&
         op.shape(0)[3] != op.shape(1)[3] &&
         (options->dilation_w() != 1 || options->dilation_h() != 1);
}

static bool hasLongSum(Operator &op) {
  constexpr uint32_t maxMatrix = 4096; // of the matrix that CUMSUM becomes
  return std::ranges::any_of(
      op.shape(0), [](uint32_t extent) { return extent > maxMatrix; });
}

/// Whether \p op has indices. TOPK_V2 of TensorFlow Lite orders equal elements
/// by ascending index, that of the HAL by descending index (M-137).
static bool hasPlaces(Operator &op) { return extensionTopKShape(op).isOk(); }

static bool hasOtherSlice(Operator &op) {
  const auto *options = optionsOf<schema::StridedSliceOptions>(op);
  return options &&
         (options->ellipsis_mask() != 0 || options->new_axis_mask() != 0 ||
          !op.isConstant(1) || !op.isConstant(2) || !op.isConstant(3));
}

static bool hasComputedPadding(Operator &op) { return !op.isConstant(2); }

static bool hasComputedShape(Operator &op) { return !op.isConstant(1); }

/// The HAL does not reshape integers, which have one dimension more when they
/// are gathered with a single index.
static bool hasOtherGather(Operator &op) {
  const auto *options = optionsOf<schema::GatherOptions>(op);
  bool isInteger = op.input(0).type == OperandType::TENSOR_INT32;
  return options &&
         (options->batch_dims() != 0 || (isInteger && op.shape(1).empty()));
}

/// FILL, whose value and shape are constants in the HAL's form.
static bool hasComputedFill(Operator &op) {
  return !op.isConstant(0) || !op.isConstant(1);
}

static bool hasComputedRange(Operator &op) {
  return !op.isConstant(0) || !op.isConstant(1) || !op.isConstant(2);
}

/// TensorFlow Lite computes with the integers of bytes, and rounds a product
/// after each of its factors.
static bool hasSignedBytes(Operator &op) {
  return op.input(0).type == OperandType::TENSOR_QUANT8_ASYMM_SIGNED &&
         !op.input(0).isPlain && !op.output(0).isPlain;
}
static bool hasBytes(Operator &op) {
  return hasSignedBytes(op) ||
         (op.input(0).type == OperandType::TENSOR_QUANT8_ASYMM &&
          !op.input(0).isPlain && !op.output(0).isPlain);
}

/// The HAL's quotients of integers are rounded down, those of TensorFlow Lite
/// toward zero. Those of bytes are computed with integers.
static bool dividesIntegers(Operator &op) {
  return op.input(0).type == OperandType::TENSOR_INT32 || hasBytes(op);
}

/// The HAL has no products of such scales (M-039).
static bool hasLargeFactor(Operator &op) {
  return hasIntegerActivation<schema::MulOptions>(op) ||
         (hasBytes(op) &&
          op.output(0).scale <= op.input(0).scale * op.input(1).scale);
}

/// TensorFlow Lite compares stored numbers, the HAL those that they stand for.
static bool hasOtherScales(Operator &op) {
  auto differs = [&](const Tensor &tensor) {
    return tensor.scale != op.input(0).scale ||
           tensor.zeroPoint != op.input(0).zeroPoint;
  };
  return hasBytes(op) && (differs(op.input(1)) || differs(op.output(0)));
}

/// The HAL has one scale of weights, and convolutions with several round twice.
static bool hasSeveralScales(Operator &op) {
  return op.input(0).type == OperandType::TENSOR_QUANT8_ASYMM_SIGNED &&
         op.input(1).channels && op.input(1).channels->channelDim == 0 &&
         op.output(0).type == OperandType::TENSOR_QUANT8_ASYMM_SIGNED;
}

/// Results of bytes that are 32-bit integers.
static bool yieldsIntegers(Operator &op) {
  return op.input(0).type && isQuantized(*op.input(0).type) &&
         op.output(0).type == OperandType::TENSOR_INT32;
}

/// The real numbers that a quantized operator yields.
struct RealBounds {
  float least = -std::numeric_limits<float>::infinity();
  float most = std::numeric_limits<float>::infinity();
};

/// Whether bytes that \p op bounds by \p bounds and brings to another scale may
/// be rounded otherwise by way of reals, as the HAL has it, than by TensorFlow
/// Lite's \p factor, which the result's bounds follow.
static bool hasOtherSteps(Operator &op, double factor, RealBounds bounds = {}) {
  const Tensor &from = op.input(0), &to = op.output(0);
  if (!from.type || !isQuantized(*from.type) || from.isPlain || !to.type ||
      !isQuantized(*to.type) || to.isPlain ||
      (from.scale == to.scale && from.zeroPoint == to.zeroPoint))
    return false;
  // A larger factor brings every byte beyond the range of results.
  constexpr double mostFactor = 0x1p20;
  const double ratio = double(from.scale) / double(to.scale);
  if (!(ratio < mostFactor))
    return false;
  const FixedPointFactor multiplier = fixedPointFactor(factor);
  auto bounded = [&](double steps, float scale) {
    return std::clamp(steps, stepsOfBound(bounds.least, scale),
                      stepsOfBound(bounds.most, scale));
  };
  for (int32_t steps = -255; steps <= 255; ++steps) {
    const double exact = bounded(steps, from.scale) * ratio;
    const double size = std::fabs(exact);
    // Reals have single precision.
    if (std::fabs(size - std::floor(size) - 0.5) <= size * 1e-6 ||
        bounded(multiplyByFactor(steps, multiplier), to.scale) !=
            std::round(exact))
      return true;
  }
  return false;
}

/// The factor of activations, in single precision.
static double activationFactor(Operator &op) {
  return double(op.input(0).scale / op.output(0).scale);
}

static bool hasOtherRelu(Operator &op) {
  return hasOtherSteps(op, activationFactor(op), {.least = 0});
}
static bool hasOtherRelu6(Operator &op) {
  return hasOtherSteps(op, activationFactor(op), {0, 6});
}
static bool hasOtherReluN1To1(Operator &op) {
  return hasOtherSteps(op, activationFactor(op), {-1, 1});
}
static bool hasOtherMagnitudes(Operator &op) {
  return op.input(0).scale != op.output(0).scale &&
         hasOtherSteps(op, activationFactor(op));
}

/// Whether QUANTIZE yields integers, or other bytes than by way of reals.
static bool hasOtherQuantization(Operator &op) {
  return yieldsIntegers(op) ||
         hasOtherSteps(op,
                       double(op.input(0).scale) / double(op.output(0).scale));
}

/// QUANTIZE, whose input and result of INT32 may have zero points: INT32 of the
/// extension has none, so that the one is subtracted and the other one added.
static Status importQuantizeWithZeroPoint(Operator &op) {
  auto zeroPointOf = [](const Tensor &tensor) {
    return tensor.type == OperandType::TENSOR_INT32 ? tensor.zeroPoint : 0;
  };
  if (const int32_t zeroPoint = zeroPointOf(op.input(0))) {
    Rewriter r(op);
    int32_t steps = r.temporary(op.inputs[0]);
    op.graph.tensor(uint32_t(steps)).zeroPoint = 0;
    NNHAL_RETURN_IF_ERROR(
        r.apply(Code::SUB, {op.inputs[0], r.integers({zeroPoint})}, {steps}));
    return r.finish(Code::QUANTIZE, {steps});
  }
  const int32_t zeroPoint = zeroPointOf(op.output(0));
  if (zeroPoint == 0)
    return OperationBuilder(op, op.row.type)
        .operand(op.graph.useAsStated(op.input(0)))
        .finish();
  Rewriter r(op);
  int32_t steps = r.temporary(op.outputs[0]);
  op.graph.tensor(uint32_t(steps)).zeroPoint = 0;
  NNHAL_RETURN_IF_ERROR(r.extend(Code::QUANTIZE, {op.inputs[0]}, {steps}));
  return r.finish(Code::ADD, {steps, r.integers({zeroPoint})});
}

/// Whether a mean of signed bytes may be a half: the HAL rounds those up,
/// TensorFlow Lite away from 0.
static bool hasHalves(Operator &op) {
  const auto *options = optionsOf<schema::Pool2DOptions>(op);
  if (!options || !hasSignedBytes(op))
    return false;
  // The windows at the borders may have other numbers of elements.
  return options->padding() == schema::Padding::SAME ||
         int64_t(options->filter_width()) * options->filter_height() % 2 == 0;
}

/// The HAL divides two dimensions between batch and channels into blocks.
static bool isNotImage(Operator &op) { return op.shape(0).size() != 4; }

// clang-format off
static constexpr ExtensionRow rows[] = {
  // Elementwise
  {.code = Code::ADD, .inputs = {2, 2}, .types = F32 | I32 | S16 | I64, .sameTypeInputs = 2, .isBeyondHal = hasIntegerActivation<schema::AddOptions>, .inferShapes = broadcastShape, .addOptions = options<schema::AddOptions, &schema::AddOptions::activation>},
  {.code = Code::SUB, .inputs = {2, 2}, .types = F32 | I32 | S16 | I64, .sameTypeInputs = 2, .isBeyondHal = hasIntegerActivation<schema::SubOptions>, .inferShapes = broadcastShape, .addOptions = options<schema::SubOptions, &schema::SubOptions::activation>},
  {.code = Code::MUL, .inputs = {2, 2}, .types = F32 | I32 | Quant8 | S16 | I64 | U32, .sameTypeInputs = 2, .isBeyondHal = hasLargeFactor, .inferShapes = broadcastShape, .addOptions = options<schema::MulOptions, &schema::MulOptions::activation>},
  {.code = Code::DIV, .inputs = {2, 2}, .types = F32 | I32 | Quant8 | S16 | I64, .sameTypeInputs = 2, .isBeyondHal = dividesIntegers, .inferShapes = broadcastShape, .addOptions = options<schema::DivOptions, &schema::DivOptions::activation>},
  {.code = Code::POW, .inputs = {2, 2}, .types = F32 | I32, .sameTypeInputs = 2, .halRank = 0, .inferShapes = broadcastShape},
  {.code = Code::MAXIMUM, .inputs = {2, 2}, .types = F32 | I32 | Quant8 | S16 | I64, .sameTypeInputs = 2, .halRank = 0, .isBeyondHal = hasOtherScales, .inferShapes = broadcastShape},
  {.code = Code::MINIMUM, .inputs = {2, 2}, .types = F32 | I32 | Quant8 | S16 | I64, .sameTypeInputs = 2, .halRank = 0, .isBeyondHal = hasOtherScales, .inferShapes = broadcastShape},
  {.code = Code::FLOOR_DIV, .inputs = {2, 2}, .types = F32 | I32 | Quant8 | S16 | I64, .sameTypeInputs = 2, .inferShapes = broadcastShape},
  {.code = Code::FLOOR_MOD, .inputs = {2, 2}, .types = F32 | I32 | Quant8 | S16 | I64, .sameTypeInputs = 2, .inferShapes = broadcastShape},
  {.code = Code::SQUARED_DIFFERENCE, .inputs = {2, 2}, .types = F32 | I32 | S8 | S16 | I64, .sameTypeInputs = 2, .isBeyondHal = hasSignedBytes, .inferShapes = broadcastShape},
  {.code = Code::EQUAL, .inputs = {2, 2}, .types = F32 | I32 | B8 | S16 | I64, .sameTypeInputs = 2, .halRank = 0, .inferShapes = broadcastShape},
  {.code = Code::NOT_EQUAL, .inputs = {2, 2}, .types = F32 | I32 | B8 | S16 | I64, .sameTypeInputs = 2, .halRank = 0, .inferShapes = broadcastShape},
  {.code = Code::LESS, .inputs = {2, 2}, .types = F32 | I32 | S16 | I64, .sameTypeInputs = 2, .halRank = 0, .inferShapes = broadcastShape},
  {.code = Code::LESS_EQUAL, .inputs = {2, 2}, .types = F32 | I32 | S16 | I64, .sameTypeInputs = 2, .halRank = 0, .inferShapes = broadcastShape},
  {.code = Code::GREATER, .inputs = {2, 2}, .types = F32 | I32 | S16 | I64, .sameTypeInputs = 2, .halRank = 0, .inferShapes = broadcastShape},
  {.code = Code::GREATER_EQUAL, .inputs = {2, 2}, .types = F32 | I32 | S16 | I64, .sameTypeInputs = 2, .halRank = 0, .inferShapes = broadcastShape},
  {.code = Code::LOGICAL_AND, .inputs = {2, 2}, .types = B8, .halRank = 0, .inferShapes = broadcastShape},
  {.code = Code::LOGICAL_OR, .inputs = {2, 2}, .types = B8, .halRank = 0, .inferShapes = broadcastShape},
  {.code = Code::LOGICAL_NOT, .types = B8, .halRank = 0, .takesUnknown = true},
  {.code = Code::SELECT, .inputs = {3, 3}, .types = anyNumber, .dataInput = 1, .sameTypeInputs = 2, .halInput = 1, .halRank = 0},
  {.code = Code::SELECT_V2, .inputs = {3, 3}, .types = anyNumber, .dataInput = 1, .sameTypeInputs = 2, .halRank = 0, .inferShapes = selectV2Shape},
  {.code = Code::ADD_N, .inputs = {2, 255}, .types = F32 | I32 | I64, .sameTypeInputs = 255},
  {.code = Code::BITWISE_XOR, .inputs = {2, 2}, .types = I32 | Quant8 | S16 | U32 | U16, .sameTypeInputs = 2, .inferShapes = broadcastShape},
  {.code = Code::RIGHT_SHIFT, .inputs = {2, 2}, .types = I32 | Quant8 | S16 | U32 | U16, .sameTypeInputs = 2, .inferShapes = broadcastShape},
  {.code = Code::STABLEHLO_SHIFT_LEFT, .inputs = {2, 2}, .types = I32 | Quant8 | S16 | U32 | U16, .sameTypeInputs = 2, .inferShapes = broadcastShape},
  {.code = Code::STABLEHLO_REMAINDER, .inputs = {2, 2}, .types = F32 | I32 | Quant8 | S16 | I64, .sameTypeInputs = 2, .inferShapes = broadcastShape},
  {.code = Code::STABLEHLO_CBRT, .types = F32, .takesUnknown = true},
  {.code = Code::ATAN2, .inputs = {2, 2}, .types = F32 | F64, .sameTypeInputs = 2, .inferShapes = broadcastShape},
  {.code = Code::ABS, .types = F32 | I32 | S8 | S16 | I64, .halTypes = Float | I32 | Quant8, .halRank = 0, .isBeyondHal = hasOtherMagnitudes, .takesUnknown = true},
  {.code = Code::NEG, .types = F32 | I32 | S8 | S16 | I64, .halRank = 0, .takesUnknown = true},
  {.code = Code::EXP, .types = F32 | S16, .halRank = 0, .takesUnknown = true},
  {.code = Code::LOG, .types = F32 | S8 | S16, .halRank = 0, .takesUnknown = true},
  {.code = Code::SIN, .types = F32, .halRank = 0, .takesUnknown = true},
  {.code = Code::SQRT, .types = F32 | S8 | S16, .halRank = 0, .takesUnknown = true},
  {.code = Code::RSQRT, .types = F32 | S8 | S16, .halRank = 0, .takesUnknown = true},
  {.code = Code::FLOOR, .types = F32, .takesUnknown = true},
  {.code = Code::CEIL, .types = F32, .takesUnknown = true},
  {.code = Code::ROUND, .types = F32, .takesUnknown = true},
  {.code = Code::COS, .types = F32, .takesUnknown = true},
  {.code = Code::SIGN, .types = F32 | I32 | F64, .takesUnknown = true},
  {.code = Code::SQUARE, .types = F32, .takesUnknown = true},
  {.code = Code::CAST, .types = anyNumber, .halRank = 0, .isBeyondHal = hasOtherCast, .takesUnknown = true, .addOptions = options<schema::CastOptions, &schema::CastOptions::in_data_type, &schema::CastOptions::out_data_type>},
  {.code = Code::BITCAST, .types = anyNumber, .inferShapes = extensionBitcastShape},
  // Activation
  {.code = Code::RELU, .types = F32 | Quant8 | S16, .halTypes = Float | Quant8, .isBeyondHal = hasOtherRelu, .takesUnknown = true},
  {.code = Code::RELU_N1_TO_1, .types = F32 | Quant8 | S16, .halTypes = Float | Quant8, .isBeyondHal = hasOtherReluN1To1, .takesUnknown = true},
  {.code = Code::RELU6, .types = F32 | Quant8 | S16, .halTypes = Float | Quant8, .isBeyondHal = hasOtherRelu6, .takesUnknown = true},
  {.code = Code::TANH, .types = F32 | S16, .takesUnknown = true},
  {.code = Code::LOGISTIC, .types = F32 | S16, .takesUnknown = true},
  {.code = Code::RELU_0_TO_1, .types = F32 | Quant8, .isBeyondHal = hasBytes, .takesUnknown = true},
  {.code = Code::ELU, .types = F32 | S8, .halRank = 0, .takesUnknown = true},
  {.code = Code::HARD_SWISH, .types = F32, .halRank = 0, .takesUnknown = true},
  {.code = Code::GELU, .types = F32 | S16, .isBeyondHal = hasExactGelu, .takesUnknown = true, .addOptions = options<schema::GeluOptions, &schema::GeluOptions::approximate>},
  {.code = Code::LEAKY_RELU, .types = F32 | S16, .halRank = 0, .takesUnknown = true, .addOptions = options<schema::LeakyReluOptions, &schema::LeakyReluOptions::alpha>},
  {.code = Code::PRELU, .inputs = {2, 2}, .types = F32 | S16, .halRank = 0, .inferShapes = broadcastShape},
  {.code = Code::SOFTMAX, .types = F32 | S8 | S16, .addOptions = options<schema::SoftmaxOptions, &schema::SoftmaxOptions::beta>},
  {.code = Code::LOG_SOFTMAX, .types = F32, .halRank = 0},
  // Contraction
  {.code = Code::CONV_2D, .inputs = {2, 3}, .types = F32 | S16, .isBeyondHal = hasDilatedGroups, .inferShapes = extensionConv2DShape, .addOptions = options<schema::Conv2DOptions, &schema::Conv2DOptions::padding, &schema::Conv2DOptions::stride_w, &schema::Conv2DOptions::stride_h, &schema::Conv2DOptions::activation, &schema::Conv2DOptions::dilation_w, &schema::Conv2DOptions::dilation_h>},
  {.code = Code::DEPTHWISE_CONV_2D, .inputs = {2, 3}, .types = F32 | S16, .inferShapes = extensionDepthwiseConv2DShape, .addOptions = options<schema::DepthwiseConv2DOptions, &schema::DepthwiseConv2DOptions::padding, &schema::DepthwiseConv2DOptions::stride_w, &schema::DepthwiseConv2DOptions::stride_h, &schema::DepthwiseConv2DOptions::depth_multiplier, &schema::DepthwiseConv2DOptions::activation, &schema::DepthwiseConv2DOptions::dilation_w, &schema::DepthwiseConv2DOptions::dilation_h>},
  {.code = Code::TRANSPOSE_CONV, .inputs = {3, 4}, .types = F32 | S16, .dataInput = 2, .inferShapes = extensionStatedShape, .addOptions = options<schema::TransposeConvOptions, &schema::TransposeConvOptions::padding, &schema::TransposeConvOptions::stride_w, &schema::TransposeConvOptions::stride_h, &schema::TransposeConvOptions::activation>},
  {.code = Code::FULLY_CONNECTED, .inputs = {2, 3}, .types = F32 | S8 | S16, .isBeyondHal = hasSeveralScales, .inferShapes = fullyConnectedShape, .addOptions = options<schema::FullyConnectedOptions, &schema::FullyConnectedOptions::activation, &schema::FullyConnectedOptions::weights_format, &schema::FullyConnectedOptions::keep_num_dims>},
  {.code = Code::BATCH_MATMUL, .inputs = {2, 2}, .types = F32 | S8 | S16, .isBeyondHal = yieldsIntegers, .inferShapes = batchMatMulShape, .addOptions = options<schema::BatchMatMulOptions, &schema::BatchMatMulOptions::adj_x, &schema::BatchMatMulOptions::adj_y>},
  {.code = Code::CONV_3D, .inputs = {2, 3}, .types = F32, .inferShapes = extensionConv3DShape, .addOptions = options<schema::Conv3DOptions, &schema::Conv3DOptions::padding, &schema::Conv3DOptions::stride_d, &schema::Conv3DOptions::stride_w, &schema::Conv3DOptions::stride_h, &schema::Conv3DOptions::activation, &schema::Conv3DOptions::dilation_d, &schema::Conv3DOptions::dilation_w, &schema::Conv3DOptions::dilation_h>},
  {.code = Code::CONV_3D_TRANSPOSE, .inputs = {3, 4}, .types = F32, .dataInput = 2, .inferShapes = extensionStatedShape, .addOptions = options<schema::Conv3DOptions, &schema::Conv3DOptions::padding, &schema::Conv3DOptions::stride_d, &schema::Conv3DOptions::stride_w, &schema::Conv3DOptions::stride_h, &schema::Conv3DOptions::activation, &schema::Conv3DOptions::dilation_d, &schema::Conv3DOptions::dilation_w, &schema::Conv3DOptions::dilation_h>},
  // Window
  {.code = Code::AVERAGE_POOL_2D, .types = F32 | S8 | S16, .isBeyondHal = hasHalves, .inferShapes = extensionPoolShape, .addOptions = options<schema::Pool2DOptions, &schema::Pool2DOptions::padding, &schema::Pool2DOptions::stride_w, &schema::Pool2DOptions::stride_h, &schema::Pool2DOptions::filter_width, &schema::Pool2DOptions::filter_height, &schema::Pool2DOptions::activation>},
  {.code = Code::MAX_POOL_2D, .types = F32 | S16, .inferShapes = extensionPoolShape, .addOptions = options<schema::Pool2DOptions, &schema::Pool2DOptions::padding, &schema::Pool2DOptions::stride_w, &schema::Pool2DOptions::stride_h, &schema::Pool2DOptions::filter_width, &schema::Pool2DOptions::filter_height, &schema::Pool2DOptions::activation>},
  {.code = Code::L2_POOL_2D, .types = F32, .inferShapes = extensionPoolShape, .addOptions = options<schema::Pool2DOptions, &schema::Pool2DOptions::padding, &schema::Pool2DOptions::stride_w, &schema::Pool2DOptions::stride_h, &schema::Pool2DOptions::filter_width, &schema::Pool2DOptions::filter_height, &schema::Pool2DOptions::activation>},
  {.code = Code::RESIZE_BILINEAR, .inputs = {2, 2}, .types = F32 | Quant8 | S16, .halTypes = Float | U8, .isBeyondHal = hasComputedShape, .inferShapes = extensionResizeShape, .addOptions = options<schema::ResizeBilinearOptions, &schema::ResizeBilinearOptions::align_corners, &schema::ResizeBilinearOptions::half_pixel_centers>},
  {.code = Code::RESIZE_NEAREST_NEIGHBOR, .inputs = {2, 2}, .types = F32 | Quant8 | S16 | I32, .isBeyondHal = hasComputedShape, .inferShapes = extensionResizeShape, .addOptions = options<schema::ResizeNearestNeighborOptions, &schema::ResizeNearestNeighborOptions::align_corners, &schema::ResizeNearestNeighborOptions::half_pixel_centers>},
  {.code = Code::REDUCE_WINDOW, .inputs = {5, 5}, .types = anyNumber & ~uint16_t(F16), .sameTypeInputs = 2, .inferShapes = extensionReduceWindowShape, .addOptions = reduceWindowOptions},
  // Recurrent
  {.code = Code::LSTM, .inputs = {20, 24}, .optionalInputs = 0x31E22, .types = S16, .inferShapes = wideLstmShape, .states = 0xC0000, .import = importWideLstm},
  {.code = Code::UNIDIRECTIONAL_SEQUENCE_LSTM, .inputs = {20, 24}, .optionalInputs = 0x31E22, .types = S16, .inferShapes = wideLstmShape, .states = 0xC0000, .import = importWideLstm},
  // Random
  {.code = Code::RANDOM_UNIFORM, .types = I32, .inferShapes = extensionStatedShape, .import = importRandom},
  {.code = Code::RANDOM_STANDARD_NORMAL, .types = I32, .inferShapes = extensionStatedShape, .import = importRandom},
  {.code = Code::MULTINOMIAL, .inputs = {2, 2}, .types = F32, .inferShapes = multinomialShape, .import = importRandom},
  {.code = Code::STABLEHLO_RNG_BIT_GENERATOR, .outputs = {2, 2}, .types = U64, .inferShapes = randomBitsShape, .addOptions = addRandomBitsOptions},
  // Transform
  {.code = Code::RFFT2D, .inputs = {2, 2}, .types = F32, .halRank = 0, .isBeyondHal = hasLongTransform, .inferShapes = longTransformShape, .import = importLongTransform},
  // Normalization
  {.code = Code::L2_NORMALIZATION, .types = F32 | S8, .isBeyondHal = hasSignedBytes, .addOptions = options<schema::L2NormOptions, &schema::L2NormOptions::activation>},
  // Reduction
  {.code = Code::MEAN, .inputs = {2, 2}, .types = F32 | I32 | S16 | I64, .takesUnknown = true, .inferShapes = extensionReduceShape, .addOptions = options<schema::ReducerOptions, &schema::ReducerOptions::keep_dims>},
  {.code = Code::SUM, .inputs = {2, 2}, .types = F32 | I32 | Quant8 | S16 | I64, .isBeyondHal = hasBytes, .takesUnknown = true, .inferShapes = extensionReduceShape, .addOptions = options<schema::ReducerOptions, &schema::ReducerOptions::keep_dims>},
  {.code = Code::REDUCE_PROD, .inputs = {2, 2}, .types = F32 | I32 | S8 | S16 | I64, .isBeyondHal = hasSignedBytes, .takesUnknown = true, .inferShapes = extensionReduceShape, .addOptions = options<schema::ReducerOptions, &schema::ReducerOptions::keep_dims>},
  {.code = Code::REDUCE_MAX, .inputs = {2, 2}, .types = F32 | I32 | Quant8 | B8 | S16 | I64, .takesUnknown = true, .inferShapes = extensionReduceShape, .addOptions = options<schema::ReducerOptions, &schema::ReducerOptions::keep_dims>},
  {.code = Code::REDUCE_MIN, .inputs = {2, 2}, .types = F32 | I32 | Quant8 | B8 | S16 | I64, .takesUnknown = true, .inferShapes = extensionReduceShape, .addOptions = options<schema::ReducerOptions, &schema::ReducerOptions::keep_dims>},
  {.code = Code::REDUCE_ANY, .inputs = {2, 2}, .types = B8, .takesUnknown = true, .inferShapes = extensionReduceShape, .addOptions = options<schema::ReducerOptions, &schema::ReducerOptions::keep_dims>},
  {.code = Code::REDUCE_ALL, .inputs = {2, 2}, .types = B8, .takesUnknown = true, .inferShapes = extensionReduceShape, .addOptions = options<schema::ReducerOptions, &schema::ReducerOptions::keep_dims>},
  {.code = Code::ARG_MAX, .inputs = {2, 2}, .types = F32 | I32 | Quant8 | B8 | S16 | I64, .halRank = 0, .givesIndices = true, .inferShapes = extensionArgShape, .addOptions = options<schema::ArgMaxOptions, &schema::ArgMaxOptions::output_type>},
  {.code = Code::ARG_MIN, .inputs = {2, 2}, .types = F32 | I32 | Quant8 | B8 | S16 | I64, .halRank = 0, .givesIndices = true, .inferShapes = extensionArgShape, .addOptions = options<schema::ArgMinOptions, &schema::ArgMinOptions::output_type>},
  {.code = Code::TOPK_V2, .inputs = {2, 2}, .outputs = {2, 2}, .types = F32 | I32 | Quant8 | S16 | I64, .halRank = 0, .isBeyondHal = hasPlaces, .inferShapes = extensionTopKShape},
  {.code = Code::CUMSUM, .inputs = {2, 2}, .types = F32 | I32 | I64, .isBeyondHal = hasLongSum, .addOptions = options<schema::CumsumOptions, &schema::CumsumOptions::exclusive, &schema::CumsumOptions::reverse>},
  {.code = Code::SEGMENT_SUM, .inputs = {2, 2}, .types = F32 | I32, .inferShapes = extensionSegmentSumShape},
  {.code = Code::UNSORTED_SEGMENT_PROD, .inputs = {3, 3}, .types = F32 | I32, .inferShapes = extensionUnsortedSegmentShape},
  {.code = Code::UNSORTED_SEGMENT_MAX, .inputs = {3, 3}, .types = F32 | I32, .inferShapes = extensionUnsortedSegmentShape},
  {.code = Code::UNSORTED_SEGMENT_SUM, .inputs = {3, 3}, .types = F32 | I32, .inferShapes = extensionUnsortedSegmentShape},
  {.code = Code::UNSORTED_SEGMENT_MIN, .inputs = {3, 3}, .types = F32 | I32, .inferShapes = extensionUnsortedSegmentShape},
  // Data movement
  {.code = Code::RESHAPE, .inputs = {1, 2}, .types = anyNumber | A16, .inferShapes = extensionReshapeShape},
  {.code = Code::SQUEEZE, .types = anyNumber, .inferShapes = extensionSqueezeShape},
  {.code = Code::EXPAND_DIMS, .inputs = {2, 2}, .types = anyNumber, .halRank = 0, .takesUnknown = true, .inferShapes = extensionExpandDimsShape},
  {.code = Code::TRANSPOSE, .inputs = {2, 2}, .types = anyNumber, .takesUnknown = true, .inferShapes = extensionTransposeShape},
  {.code = Code::CONCATENATION, .inputs = {1, 255}, .types = anyNumber, .sameTypeInputs = 255, .isBeyondHal = hasIntegerActivation<schema::ConcatenationOptions>, .inferShapes = extensionConcatenationShape, .addOptions = options<schema::ConcatenationOptions, &schema::ConcatenationOptions::axis, &schema::ConcatenationOptions::activation>},
  {.code = Code::SPLIT, .inputs = {2, 2}, .outputs = {1, 255}, .types = anyNumber, .dataInput = 1, .halRank = 0, .inferShapes = extensionSplitShape, .addOptions = options<schema::SplitOptions, &schema::SplitOptions::num_splits>},
  {.code = Code::SPLIT_V, .inputs = {3, 3}, .outputs = {1, 255}, .types = anyNumber, .halRank = 0, .inferShapes = splitVShape, .addOptions = options<schema::SplitVOptions, &schema::SplitVOptions::num_splits>},
  {.code = Code::SLICE, .inputs = {3, 3}, .types = anyNumber, .halRank = 0, .inferShapes = extensionSliceShape},
  {.code = Code::STRIDED_SLICE, .inputs = {4, 4}, .types = anyNumber, .isBeyondHal = hasOtherSlice, .inferShapes = extensionStridedSliceShape, .addOptions = options<schema::StridedSliceOptions, &schema::StridedSliceOptions::begin_mask, &schema::StridedSliceOptions::end_mask, &schema::StridedSliceOptions::ellipsis_mask, &schema::StridedSliceOptions::new_axis_mask, &schema::StridedSliceOptions::shrink_axis_mask, &schema::StridedSliceOptions::offset>},
  {.code = Code::PAD, .inputs = {2, 2}, .types = anyNumber, .inferShapes = extensionPadShape},
  {.code = Code::PADV2, .inputs = {3, 3}, .types = anyNumber, .isBeyondHal = hasComputedPadding, .inferShapes = extensionPadShape},
  {.code = Code::MIRROR_PAD, .inputs = {2, 2}, .types = anyNumber, .inferShapes = extensionPadShape, .addOptions = options<schema::MirrorPadOptions, &schema::MirrorPadOptions::mode>},
  {.code = Code::TILE, .inputs = {2, 2}, .types = anyNumber, .halRank = 0, .inferShapes = extensionTileShape},
  {.code = Code::GATHER, .inputs = {2, 2}, .types = anyNumber, .halRank = 0, .isBeyondHal = hasOtherGather, .takesUnknown = true, .inferShapes = extensionGatherShape, .addOptions = options<schema::GatherOptions, &schema::GatherOptions::axis, &schema::GatherOptions::batch_dims>},
  {.code = Code::GATHER_ND, .inputs = {2, 2}, .types = anyNumber, .inferShapes = gatherNdShape},
  {.code = Code::SCATTER_ND, .inputs = {3, 3}, .types = anyNumber & ~uint16_t(F16), .dataInput = 1, .inferShapes = extensionStatedShape},
  {.code = Code::SPARSE_TO_DENSE, .inputs = {4, 4}, .types = anyNumber, .dataInput = 2, .inferShapes = extensionStatedShape, .addOptions = options<schema::SparseToDenseOptions, &schema::SparseToDenseOptions::validate_indices>},
  {.code = Code::DYNAMIC_UPDATE_SLICE, .inputs = {3, 3}, .types = anyNumber, .sameTypeInputs = 2},
  {.code = Code::EMBEDDING_LOOKUP_SPARSE, .inputs = {5, 5}, .types = F32, .dataInput = 4, .inferShapes = extensionSparseLookupShape, .addOptions = options<schema::EmbeddingLookupSparseOptions, &schema::EmbeddingLookupSparseOptions::combiner>},
  {.code = Code::EMBEDDING_LOOKUP, .inputs = {2, 2}, .types = anyNumber, .dataInput = 1, .halInput = 1, .halRank = 0, .inferShapes = extensionEmbeddingShape},
  {.code = Code::FILL, .inputs = {2, 2}, .types = anyNumber, .dataInput = 1, .halRank = 0, .isBeyondHal = hasComputedFill, .inferShapes = extensionStatedShape},
  {.code = Code::BROADCAST_TO, .inputs = {2, 2}, .types = anyNumber, .halRank = 0, .isBeyondHal = hasComputedShape, .inferShapes = extensionStatedShape},
  {.code = Code::BROADCAST_ARGS, .inputs = {2, 2}, .types = I32 | I64, .sameTypeInputs = 2, .inferShapes = extensionBroadcastArgsShape},
  {.code = Code::PACK, .inputs = {1, 255}, .types = anyNumber, .sameTypeInputs = 255, .inferShapes = extensionPackShape, .addOptions = options<schema::PackOptions, &schema::PackOptions::values_count, &schema::PackOptions::axis>},
  {.code = Code::UNPACK, .outputs = {1, 255}, .types = anyNumber, .inferShapes = unpackShape, .addOptions = options<schema::UnpackOptions, &schema::UnpackOptions::num, &schema::UnpackOptions::axis>},
  {.code = Code::DEPTH_TO_SPACE, .types = anyNumber, .inferShapes = extensionBlockShape, .addOptions = options<schema::DepthToSpaceOptions, &schema::DepthToSpaceOptions::block_size>},
  {.code = Code::SPACE_TO_DEPTH, .types = anyNumber, .inferShapes = extensionBlockShape, .addOptions = options<schema::SpaceToDepthOptions, &schema::SpaceToDepthOptions::block_size>},
  {.code = Code::BATCH_TO_SPACE_ND, .inputs = {3, 3}, .types = anyNumber, .isBeyondHal = isNotImage, .inferShapes = extensionBatchToSpaceShape},
  {.code = Code::SPACE_TO_BATCH_ND, .inputs = {3, 3}, .types = anyNumber, .isBeyondHal = isNotImage, .inferShapes = extensionSpaceToBatchShape},
  {.code = Code::DILATE, .inputs = {3, 3}, .types = anyNumber, .inferShapes = extensionDilateShape},
  {.code = Code::REVERSE_V2, .inputs = {2, 2}, .types = anyNumber},
  {.code = Code::REVERSE_SEQUENCE, .inputs = {2, 2}, .types = anyNumber, .addOptions = options<schema::ReverseSequenceOptions, &schema::ReverseSequenceOptions::seq_dim, &schema::ReverseSequenceOptions::batch_dim>},
  {.code = Code::MATRIX_DIAG, .types = anyNumber, .inferShapes = extensionMatrixDiagShape},
  {.code = Code::MATRIX_SET_DIAG, .inputs = {2, 2}, .types = anyNumber, .sameTypeInputs = 2},
  {.code = Code::ONE_HOT, .inputs = {4, 4}, .types = F32 | I32 | Quant8 | B8 | S16 | I64, .dataInput = 2, .sameTypeInputs = 2, .halRank = 0, .inferShapes = oneHotShape, .addOptions = options<schema::OneHotOptions, &schema::OneHotOptions::axis>},
  {.code = Code::ZEROS_LIKE, .types = anyNumber, .halRank = 0, .takesUnknown = true},
  // Results of unknown size
  {.code = Code::WHERE, .types = anyNumber & ~uint16_t(F16), .takesUnknown = true, .inferShapes = extensionWhereShape},
  {.code = Code::UNIQUE, .outputs = {2, 2}, .types = F32 | I32 | Quant8 | S16 | I64, .takesUnknown = true, .inferShapes = extensionUniqueShape, .addOptions = options<schema::UniqueOptions, &schema::UniqueOptions::idx_out_type>},
  {.code = Code::RANGE, .inputs = {3, 3}, .types = F32 | I32 | I64, .sameTypeInputs = 3, .halRank = 0, .givesIndices = true, .isBeyondHal = hasComputedRange, .inferShapes = extensionRangeShape},
  {.code = Code::SHAPE, .types = anyNumber, .sameTypeInputs = 0, .halTypes = anyNumber, .halRank = 0, .givesIndices = true, .takesUnknown = true, .inferShapes = extensionShapeShape, .addOptions = options<schema::ShapeOptions, &schema::ShapeOptions::out_type>},
  {.code = Code::NON_MAX_SUPPRESSION_V4, .inputs = {5, 5}, .outputs = {2, 2}, .types = F32, .inferShapes = extensionSuppressionShape},
  {.code = Code::NON_MAX_SUPPRESSION_V5, .inputs = {6, 6}, .outputs = {3, 3}, .types = F32, .inferShapes = extensionSuppressionShape},
  // Quantization
  {.code = Code::QUANTIZE, .types = F32 | Quant8 | S16 | A16 | I32, .halRank = 0, .isBeyondHal = hasOtherQuantization, .takesUnknown = true, .import = importQuantizeWithZeroPoint},
  {.code = Code::DEQUANTIZE, .types = Quant8 | PerChannel | S16 | A16, .takesUnknown = true},
};
// clang-format on

const ExtensionRow *findExtension(schema::BuiltinOperator code) {
  const auto *row = std::ranges::find(rows, code, &ExtensionRow::code);
  return row == std::end(rows) ? nullptr : row;
}

} // namespace nnhal::rt::tflite
