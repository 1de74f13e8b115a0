//===- Contraction.cpp - Rules of convolutions and products ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>
#include <cmath>

using namespace nnhal::rt;
using namespace nnhal::rt::rules;

/// Scale of the bias of a quantized product (M-012).
static Status checkBiasScale(const TensorType &input, const TensorType &filter,
                             const TensorType &bias) {
  if (bias.zeroPoint != 0) // bias C3
    return badData("bias zero point {} must be 0", bias.zeroPoint);
  if (filter.type == OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL) {
    if (bias.scale != 0.0f) // bias C4
      return badData("bias scale {} must be 0 with a filter quantized per "
                     "channel",
                     bias.scale);
    return Status::ok();
  }
  double product = double(input.scale) * double(filter.scale);
  double tolerance = 1e-6 * std::min(product, double(bias.scale));
  if (std::abs(product - double(bias.scale)) > tolerance) // bias C5
    return badData("bias scale {} differs from {}, the product of input and "
                   "filter scale",
                   bias.scale, float(product));
  return Status::ok();
}

static Status checkBias(const TensorType &input, const TensorType &filter,
                        const TensorType &bias, int64_t channels) {
  bool isQuantizedInput = isAsymmetric(input.type);
  OperandType expected =
      isQuantizedInput ? OperandType::TENSOR_INT32 : input.type;
  NNHAL_RETURN_IF_ERROR(
      checkOperand("bias", bias, std::span(&expected, 1), {1, 1})); // bias C1
  if (bias.isRanked)
    NNHAL_RETURN_IF_ERROR(checkSameExtent("bias extent", bias.dimensions[0],
                                          "output channels",
                                          channels)); // bias C2
  return isQuantizedInput ? checkBiasScale(input, filter, bias) : Status::ok();
}

/// Type and rank of a filter; \p channelDim is where a filter quantized per
/// channel has its scales.
static Status checkFilter(const TensorType &input, const TensorType &filter,
                          uint32_t channelDim) {
  if (filter.type != OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL ||
      !isAsymmetric(input.type)) // filter C1
    NNHAL_RETURN_IF_ERROR(checkSameType("filter", filter, "input", input));
  NNHAL_RETURN_IF_ERROR(checkOperand("filter", filter,
                                     std::span(&filter.type, 1),
                                     rank4)); // filter C2
  if (filter.type != OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL)
    return Status::ok();
  if (filter.channelQuant.channelDim != channelDim) // filter C3
    return badData("filter scales are along dimension {}, expected {}",
                   filter.channelQuant.channelDim, channelDim);
  if (!filter.isRanked)
    return Status::ok();
  return checkSameExtent(
      "number of filter scales", int64_t(filter.channelQuant.scales.size()),
      "filter extent", filter.dimensions[channelDim]); // filter C4
}

static const char *const filterAxes[] = {"filter dimension 0", "filter height",
                                         "filter width", "filter dimension 3"};
static const char *const inputAxes[] = {"input batch", "input height",
                                        "input width", "input channels"};

/// The checks with which the rules of all convolutions begin.
static Status checkConvolution(const TensorType &input,
                               const TensorType &filter,
                               const ConvolutionParams &params,
                               uint32_t channelDim) {
  NNHAL_RETURN_IF_ERROR(checkOperand("input", input, floatsAndQuantized,
                                     rank4)); // convolution C1
  NNHAL_RETURN_IF_ERROR(checkFilter(input, filter, channelDim));
  NNHAL_RETURN_IF_ERROR(
      checkPositive("stride", params.strides)); // convolution C2
  NNHAL_RETURN_IF_ERROR(
      checkPositive("dilation", params.dilations));          // convolution C3
  NNHAL_RETURN_IF_ERROR(checkActivation(params.activation)); // convolution C4
  for (size_t i = 0; i < 4; ++i) {
    if (input.isRanked && i > 0) // convolution C5
      NNHAL_RETURN_IF_ERROR(checkPositive(inputAxes[i], input.dimensions[i]));
    if (filter.isRanked) // convolution C6
      NNHAL_RETURN_IF_ERROR(checkPositive(filterAxes[i], filter.dimensions[i]));
  }
  return Status::ok();
}

/// The extents of a ranked or unranked tensor of rank 4.
static std::vector<int64_t> extentsOf(const TensorType &type) {
  return type.isRanked ? type.dimensions
                       : std::vector<int64_t>(4, unknownExtent);
}

static int64_t dilate(int64_t extent, int64_t dilation) {
  return isKnown(extent) ? (extent - 1) * dilation + 1 : unknownExtent;
}

/// The result of a convolution with \p channels output channels, apart from
/// what each kind demands of its channels.
static Result<TensorType> convolve(const TensorType &input,
                                   const TensorType &filter,
                                   const TensorType &bias,
                                   const ConvolutionParams &params,
                                   int64_t channels) {
  NNHAL_RETURN_IF_ERROR(checkBias(input, filter, bias, channels));
  std::vector<int64_t> in = extentsOf(input), window = extentsOf(filter);
  int64_t windowHeight = dilate(window[1], params.dilations.height);
  int64_t windowWidth = dilate(window[2], params.dilations.width);
  NNHAL_RETURN_IF_ERROR(
      checkPads(params.pads, windowHeight, windowWidth)); // convolution C7
  NNHAL_ASSIGN_OR_RETURN(
      int64_t height, windowedExtent({"filter", "height", in[1], windowHeight,
                                      params.strides.height, params.pads.top,
                                      params.pads.bottom})); // convolution C8
  NNHAL_ASSIGN_OR_RETURN(int64_t width,
                         windowedExtent({"filter", "width", in[2], windowWidth,
                                         params.strides.width, params.pads.left,
                                         params.pads.right})); // convolution C8
  return withFreeQuantization(
      withShape(input, {in[0], height, width, channels}));
}

Result<TensorType> nnhal::rt::conv2D(const TensorType &input,
                                     const TensorType &filter,
                                     const TensorType &bias,
                                     const ConvolutionParams &params) {
  NNHAL_RETURN_IF_ERROR(checkConvolution(input, filter, params, 0));
  NNHAL_RETURN_IF_ERROR(checkSameExtent("filter channels", extentsOf(filter)[3],
                                        "input channels",
                                        extentsOf(input)[3])); // conv_2d C1
  return convolve(input, filter, bias, params, extentsOf(filter)[0]);
}

Result<TensorType> nnhal::rt::depthwiseConv2D(const TensorType &input,
                                              const TensorType &filter,
                                              const TensorType &bias,
                                              const ConvolutionParams &params,
                                              int64_t depthMultiplier) {
  NNHAL_RETURN_IF_ERROR(checkConvolution(input, filter, params, 3));
  int64_t outer = extentsOf(filter)[0];
  if (isKnown(outer) && outer != 1) // depthwise_conv_2d C1
    return badData("filter dimension 0 is {}, expected 1", outer);
  if (depthMultiplier < 1) // depthwise_conv_2d C2
    return badData("depth multiplier {} must be positive", depthMultiplier);
  NNHAL_ASSIGN_OR_RETURN(int64_t channels,
                         multiplyExtents(extentsOf(input)[3], depthMultiplier));
  NNHAL_RETURN_IF_ERROR(checkSameExtent("filter channels", extentsOf(filter)[3],
                                        "input channels times depth multiplier",
                                        channels)); // depthwise_conv_2d C3
  int64_t stated = extentsOf(filter)[3];
  return convolve(input, filter, bias, params,
                  isKnown(stated) ? stated : channels);
}

Result<TensorType> nnhal::rt::groupedConv2D(const TensorType &input,
                                            const TensorType &filter,
                                            const TensorType &bias,
                                            const ConvolutionParams &params,
                                            int64_t groups) {
  NNHAL_RETURN_IF_ERROR(checkConvolution(input, filter, params, 0));
  if (groups < 1) // grouped_conv_2d C1
    return badData("groups {} must be positive", groups);
  int64_t outputChannels = extentsOf(filter)[0];
  if (isKnown(outputChannels) &&
      outputChannels % groups != 0) // grouped_conv_2d C2
    return badData("output channels {} are not a multiple of groups {}",
                   outputChannels, groups);
  NNHAL_ASSIGN_OR_RETURN(int64_t inputChannels,
                         multiplyExtents(extentsOf(filter)[3], groups));
  NNHAL_RETURN_IF_ERROR(checkSameExtent(
      "filter channels times groups", inputChannels, "input channels",
      extentsOf(input)[3])); // grouped_conv_2d C3
  return convolve(input, filter, bias, params, outputChannels);
}

/// One extent of a transposed convolution's result: the last window ends at
/// (input - 1) * stride + window, less the pads.
static Result<int64_t> transposedExtent(std::string_view name, int64_t input,
                                        int64_t window, int64_t stride,
                                        int64_t head, int64_t tail) {
  if (head < 0) // transpose_conv_2d C2
    return badData("leading pad {} of the {} must not be negative", head, name);
  if (isKnown(window) && (head >= window || tail >= window))
    return badData("pads {} and {} of the {} must be below the filter's {}",
                   head, tail, name, window); // transpose_conv_2d C3
  if (!isKnown(input) || !isKnown(window))
    return unknownExtent;
  int64_t result = (input - 1) * stride + window - head - tail;
  if (result < 1) // transpose_conv_2d C4
    return badData("result {} {} must be positive", name, result);
  return result;
}

Result<TensorType> nnhal::rt::transposeConv2D(const TensorType &input,
                                              const TensorType &filter,
                                              const TensorType &bias,
                                              const ConvolutionParams &params) {
  NNHAL_RETURN_IF_ERROR(checkConvolution(input, filter, params, 0));
  std::vector<int64_t> in = extentsOf(input), window = extentsOf(filter);
  NNHAL_RETURN_IF_ERROR(checkSameExtent("filter channels", window[3],
                                        "input channels",
                                        in[3])); // transpose_conv_2d C1
  NNHAL_RETURN_IF_ERROR(checkBias(input, filter, bias, window[0]));
  NNHAL_ASSIGN_OR_RETURN(int64_t height,
                         transposedExtent("height", in[1], window[1],
                                          params.strides.height,
                                          params.pads.top, params.pads.bottom));
  NNHAL_ASSIGN_OR_RETURN(int64_t width,
                         transposedExtent("width", in[2], window[2],
                                          params.strides.width,
                                          params.pads.left, params.pads.right));
  return withFreeQuantization(
      withShape(input, {in[0], height, width, window[0]}));
}

Result<TensorType> nnhal::rt::fullyConnected(const TensorType &input,
                                             const TensorType &weights,
                                             const TensorType &bias,
                                             FusedActivation activation) {
  NNHAL_RETURN_IF_ERROR(checkOperand("input", input, floatsAndQuantized,
                                     {2, 4})); // fully_connected C1
  NNHAL_RETURN_IF_ERROR(
      checkSameType("weights", weights, "input", input)); // fully_connected C2
  NNHAL_RETURN_IF_ERROR(checkOperand("weights", weights, floatsAndQuantized,
                                     {2, 2}));        // fully_connected C3
  NNHAL_RETURN_IF_ERROR(checkActivation(activation)); // fully_connected C4
  int64_t units = unknownExtent, size = unknownExtent;
  if (weights.isRanked) {
    units = weights.dimensions[0];
    size = weights.dimensions[1];
  }
  NNHAL_RETURN_IF_ERROR(checkPositive("units", units)); // fully_connected C5
  NNHAL_RETURN_IF_ERROR(
      checkPositive("weights row size", size)); // fully_connected C5
  NNHAL_RETURN_IF_ERROR(checkBias(input, weights, bias, units));
  NNHAL_ASSIGN_OR_RETURN(int64_t count, elementCount("input", input));
  int64_t batch = unknownExtent;
  if (isKnown(count) && isKnown(size)) {
    if (count % size != 0) // fully_connected C6
      return badData("input has {} elements, no multiple of the weights row "
                     "size {}",
                     count, size);
    batch = count / size;
  }
  return withFreeQuantization(withShape(input, {batch, units}));
}
