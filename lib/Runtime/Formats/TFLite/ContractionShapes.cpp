//===- ContractionShapes.cpp - Shapes of convolutions and layers ----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperatorTable.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace nnhal::rt::tflite {

int64_t windowExtent(schema::Padding padding, int64_t input, int64_t filter,
                     int64_t stride, int64_t dilation) {
  // SAME yields an element per stride; otherwise windows lie inside (M-007).
  if (padding == schema::Padding::SAME)
    return (input + stride - 1) / stride;
  int64_t effective = (filter - 1) * dilation + 1;
  return input < effective ? 0 : (input - effective) / stride + 1;
}

/// Checks what every convolution shares.
template <typename Options>
static Status checkConvolution(Operator &op, const Options &options,
                               size_t data) {
  for (size_t i : {data, size_t(1)})
    if (op.shape(i).size() != 4)
      return badData("input {} has shape {}, expected rank 4", i,
                     toString(op.shape(i)));
  if (options.padding() != schema::Padding::SAME &&
      options.padding() != schema::Padding::VALID)
    return badData("has unknown padding {}", int(options.padding()));
  // Strides are positive (M-010).
  if (options.stride_w() < 1 || options.stride_h() < 1)
    return badData("stride {}x{} is not positive", options.stride_h(),
                   options.stride_w());
  return Status();
}

template <typename Options>
static Result<std::vector<Shape>>
convolutionShape(Operator &op, const Options &options, int64_t channels) {
  if (options.dilation_w() < 1 || options.dilation_h() < 1)
    return badData("dilation {}x{} is not positive", options.dilation_h(),
                   options.dilation_w());
  const Shape &data = op.shape(0), &filter = op.shape(1);
  int64_t height = windowExtent(options.padding(), data[1], filter[1],
                                options.stride_h(), options.dilation_h());
  int64_t width = windowExtent(options.padding(), data[2], filter[2],
                               options.stride_w(), options.dilation_w());
  if (height < 1 || width < 1)
    return badData("filter {}x{} exceeds the input {}x{}", filter[1], filter[2],
                   data[1], data[2]);
  std::vector<int64_t> dimensions = {data[0], height, width, channels};
  NNHAL_ASSIGN_OR_RETURN(Shape shape, makeShape(dimensions));
  return std::vector<Shape>{shape};
}

Result<std::vector<Shape>> conv2DShape(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::Conv2DOptions>());
  NNHAL_RETURN_IF_ERROR(checkConvolution(op, *options, 0));
  uint32_t channels = op.shape(0)[3], perGroup = op.shape(1)[3];
  uint32_t groups = channels / perGroup;
  if (channels % perGroup != 0 || op.shape(1)[0] % groups != 0)
    return badData("{} channels and {} outputs do not divide into groups of {}"
                   " channels",
                   channels, op.shape(1)[0], perGroup);
  if (groups > 1 && (options->dilation_w() != 1 || options->dilation_h() != 1))
    return badData("has {} groups and dilation {}x{}, but the HAL's "
                   "GROUPED_CONV_2D has none",
                   groups, options->dilation_h(), options->dilation_w());
  return convolutionShape(op, *options, op.shape(1)[0]);
}

Result<std::vector<Shape>> depthwiseConv2DShape(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::DepthwiseConv2DOptions>());
  NNHAL_RETURN_IF_ERROR(checkConvolution(op, *options, 0));
  const Shape &filter = op.shape(1);
  // The output has the input's channels times a multiplier (M-081).
  if (filter[0] != 1 || filter[3] % op.shape(0)[3] != 0)
    return badData("filter has shape {}, which does not fit {} input channels",
                   toString(filter), op.shape(0)[3]);
  return convolutionShape(op, *options, filter[3]);
}

Result<std::vector<Shape>> transposeConvShape(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::TransposeConvOptions>());
  NNHAL_RETURN_IF_ERROR(checkConvolution(op, *options, 2));
  const Shape &data = op.shape(2), &filter = op.shape(1);
  if (data[3] != filter[3])
    return badData("input has {} channels, but the filter has {}", data[3],
                   filter[3]);
  if (!op.isConstant(0))
    return op.declaredShapes();
  NNHAL_ASSIGN_OR_RETURN(std::vector<int32_t> given, op.integers(0));
  if (given.size() != 4)
    return badData("output shape has {} values, expected 4", given.size());
  int64_t height = windowExtent(options->padding(), given[1], filter[1],
                                options->stride_h());
  int64_t width = windowExtent(options->padding(), given[2], filter[2],
                               options->stride_w());
  // The stated shape is that of the result (M-086).
  if (height != int64_t(data[1]) || width != int64_t(data[2]))
    return badData("output shape {}x{} needs input {}x{}, found {}x{}",
                   given[1], given[2], height, width, data[1], data[2]);
  std::vector<int64_t> dimensions = {data[0], given[1], given[2], filter[0]};
  NNHAL_ASSIGN_OR_RETURN(Shape shape, makeShape(dimensions));
  return std::vector<Shape>{shape};
}

Result<TransposeConvBias> transposeConvBiasOf(Operator &op) {
  // Three numbers as they lie in memory: padding, stride width and height.
  std::span<const uint8_t> bytes = elementsOf(op.source.custom_options());
  std::array<int32_t, 3> numbers;
  if (bytes.size() != sizeof(numbers))
    return badData("has {} bytes of custom options, expected {}", bytes.size(),
                   sizeof(numbers));
  std::memcpy(numbers.data(), bytes.data(), sizeof(numbers));
  auto [padding, strideWidth, strideHeight] = numbers;
  constexpr int32_t same = 1, valid = 2, limit = 1 << 16;
  if (padding != same && padding != valid)
    return badData("has unknown padding {}", padding);
  if (strideWidth < 1 || strideHeight < 1 || strideWidth > limit ||
      strideHeight > limit)
    return badData("stride {}x{} is not in 1..{}", strideHeight, strideWidth,
                   limit);
  const Shape &data = op.shape(0), &filter = op.shape(1);
  for (size_t i : {0, 1})
    if (op.shape(i).size() != 4)
      return badData("input {} has shape {}, expected rank 4", i,
                     toString(op.shape(i)));
  TransposeConvBias form{strideWidth, strideHeight, 0, 0};
  if (padding == same) {
    auto total = [](uint32_t input, uint32_t size, int32_t stride) {
      return std::max(0, int32_t(size) - int32_t(input - 1) % stride - 1);
    };
    form.paddingHeight = total(data[1], filter[1], strideHeight);
    form.paddingWidth = total(data[2], filter[2], strideWidth);
  }
  return form;
}

Result<std::vector<Shape>> transposeConvBiasShape(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(TransposeConvBias form, transposeConvBiasOf(op));
  const Shape &data = op.shape(0), &filter = op.shape(1);
  if (data[3] != filter[3])
    return badData("input has {} channels, but the filter has {}", data[3],
                   filter[3]);
  if (op.shape(2) != Shape{filter[0]})
    return badData("bias has shape {}, expected {}", toString(op.shape(2)),
                   filter[0]);
  auto extent = [](int64_t input, int64_t size, int64_t stride,
                   int64_t padding) {
    return stride * (input - 1) + size - padding;
  };
  std::vector<int64_t> dimensions = {
      data[0],
      extent(data[1], filter[1], form.strideHeight, form.paddingHeight),
      extent(data[2], filter[2], form.strideWidth, form.paddingWidth),
      filter[0]};
  NNHAL_ASSIGN_OR_RETURN(Shape shape, makeShape(dimensions));
  return std::vector<Shape>{shape};
}

Result<std::vector<Shape>> fullyConnectedShape(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::FullyConnectedOptions>());
  const Shape &data = op.shape(0), &weights = op.shape(1);
  if (weights.size() != 2)
    return badData("weights have shape {}, expected rank 2", toString(weights));
  uint32_t count = *elementCount(data);
  // The input is flattened to rows of the weights' size (M-101).
  if (count % weights[1] != 0)
    return badData("input shape {} is not divisible into rows of {}",
                   toString(data), weights[1]);
  if (!options->keep_num_dims())
    return std::vector<Shape>{{count / weights[1], weights[0]}};
  if (data.empty() || data.back() != weights[1])
    return badData("input shape {} does not end in {}", toString(data),
                   weights[1]);
  Shape shape = data;
  shape.back() = weights[0];
  if (!elementCount(shape))
    return badData("shape {} has more than 4294967295 elements",
                   toString(shape));
  return std::vector<Shape>{shape};
}

} // namespace nnhal::rt::tflite
