//===- Contraction.cpp - Import of convolutions and fully connected layers ===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Composition.h"
#include "Constants.h"
#include "Extension.h"
#include "Rewriter.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace nnhal::rt::tflite {

/// Checks that inputs \p data and 1 have rank 4, for what reads their extents
/// before the rules do.
static Status checkRanks(Operator &op, size_t data) {
  for (size_t i : {data, size_t(1)})
    if (op.shape(i).size() != 4)
      return badData("input {} has shape {}, expected rank 4", i,
                     toString(op.shape(i)));
  return Status();
}

/// Checks the type of filter input \p i (M-013) and the dimension of its
/// several scales.
static Status checkFilter(Operator &op, size_t i, uint32_t channelDim) {
  const Tensor &data = op.input(op.row.dataInput), &filter = op.input(i);
  if (!filter.type)
    return badData("{} {}", describe(filter), filter.typeProblem);
  if (filter.channels) {
    if (filter.channels->channelDim != channelDim)
      return badData(
          "weights have several scales along dimension {}, the HAL wants {}",
          filter.channels->channelDim, channelDim);
    if (isQuantized(*data.type))
      return Status();
  }
  if (hasDynamicRange(op, i))
    return Status();
  if (*filter.type != *data.type)
    return badData("weights have type {}, but the input has type {}",
                   nameOf(*filter.type), nameOf(*data.type));
  return Status();
}

/// The bias operand: input \p i, or zeros where it is absent.
static Result<uint32_t> biasOperand(Operator &op, size_t i, size_t filterInput,
                                    uint32_t channels) {
  const Tensor &data = op.input(op.row.dataInput),
               &filter = op.input(filterInput);
  bool isQuantizedData = isQuantized(*data.type);
  OperandType type = isQuantizedData ? OperandType::TENSOR_INT32 : *data.type;
  // M-012: derived where the weights have several scales.
  float scale =
      isQuantizedData && !filter.channels ? data.scale * filter.scale : 0.0f;
  if (!op.hasInput(i)) {
    NNHAL_RETURN_IF_ERROR(
        op.graph.file().checkConstants(channels * sizeof(uint32_t)));
    if (type == OperandType::TENSOR_FLOAT16)
      return addConstant(op.graph, type, std::vector<uint16_t>(channels));
    return addConstant(op.graph, type, std::vector<uint32_t>(channels), scale);
  }
  Tensor &bias = op.input(i);
  if (!bias.type)
    return badData("{} {}", describe(bias), bias.typeProblem);
  if (*bias.type != type)
    return badData("bias has type {}, expected {}", nameOf(*bias.type),
                   nameOf(type));
  if (!bias.shape || *bias.shape != Shape{channels})
    return badData("bias has shape {}, expected {}",
                   bias.shape ? toString(*bias.shape) : "?", channels);
  if (!isQuantizedData)
    return op.graph.use(bias);
  if (!filter.channels && bias.scale != 0 &&
      std::fabs(bias.scale - scale) > 0.02f * scale)
    return badData("bias has scale {}, but input and weights give {}",
                   bias.scale, scale);
  NNHAL_ASSIGN_OR_RETURN(uint32_t index, op.graph.use(bias));
  if (op.graph.operand(index).scale == scale)
    return index;
  // The HAL asks for exactly this product; files round it.
  Operand adjusted = op.graph.operand(index);
  if (!isConstant(adjusted.lifetime))
    return badData(
        "bias is computed with scale {}, but input and weights give {}",
        adjusted.scale, scale);
  adjusted.scale = scale;
  return op.graph.addOperand(std::move(adjusted));
}

/// The filter with \p height - 1 and \p width - 1 zeros between neighbours: a
/// convolution with it is the dilated one with \p filter.
static Result<Tensor> dilatedConstant(Operator &op, const Tensor &filter,
                                      uint32_t height, uint32_t width) {
  FileImport &file = op.graph.file();
  const Shape &shape = *filter.shape;
  NNHAL_ASSIGN_OR_RETURN(Shape wide,
                         makeShape(std::vector<int64_t>{
                             shape[0], (int64_t(shape[1]) - 1) * height + 1,
                             (int64_t(shape[2]) - 1) * width + 1, shape[3]}));
  std::vector<std::byte> dense;
  NNHAL_RETURN_IF_ERROR(expandConstant(filter, file.constantLimit(), dense)
                            .withContext(describe(filter)));
  size_t size = dense.size() / *elementCount(shape), channels = shape[3] * size;
  NNHAL_RETURN_IF_ERROR(
      file.checkConstants(uint64_t(*elementCount(wide)) * size));
  // Only bytes have a zero point, which is what they mean by 0.
  std::vector<std::byte> spread(*elementCount(wide) * size,
                                std::byte(filter.zeroPoint));
  auto from = dense.begin();
  for (size_t filterIndex = 0; filterIndex < shape[0]; ++filterIndex)
    for (size_t y = 0; y < shape[1]; ++y)
      for (size_t x = 0; x < shape[2]; ++x, from += ptrdiff_t(channels)) {
        size_t line = filterIndex * wide[1] + y * height;
        std::copy_n(from, channels,
                    spread.begin() +
                        ptrdiff_t((line * wide[2] + x * width) * channels));
      }
  Tensor dilated = filter;
  dilated.operand.reset();
  dilated.shape = std::move(wide);
  dilated.expansion = Expansion::None;
  if (filter.type == OperandType::TENSOR_FLOAT32)
    dilated.sourceType = schema::TensorType::FLOAT32;
  else if (elementsPerByte(filter.sourceType) > 1)
    dilated.sourceType = filter.sourceType == schema::TensorType::UINT4
                             ? schema::TensorType::UINT8
                             : schema::TensorType::INT8;
  dilated.sparsity = nullptr;
  dilated.isFolded = true;
  dilated.bytes = file.keepFolded(std::move(spread));
  return dilated;
}

/// Replaces the filter of \p op, which has groups, by one that is as wide as
/// the dilated one: the HAL's GROUPED_CONV_2D has no dilations.
static Status dilateFilter(Operator &op, uint32_t height, uint32_t width) {
  Graph &graph = op.graph;
  if (op.isConstant(1)) {
    NNHAL_ASSIGN_OR_RETURN(Tensor dilated,
                           dilatedConstant(op, op.input(1), height, width));
    op.inputs[1] = int32_t(graph.addTensor(std::move(dilated)));
    return Status();
  }
  const Tensor &filter = op.input(1);
  if (!graph.usesExtension() || !isQuantized(*filter.type))
    return badData("has dilation {}x{} and a computed filter in groups, but "
                   "the HAL's GROUPED_CONV_2D has none",
                   height, width);
  Tensor zero = filter;
  zero.operand.reset();
  zero.shape = Shape{};
  zero.isConstant = zero.isFolded = true;
  zero.bytes = graph.file().keepFolded({std::byte(filter.zeroPoint)});
  auto padding = int32_t(graph.addTensor(std::move(zero)));
  Rewriter r(op);
  int32_t dilations = r.integers({1, int32_t(height), int32_t(width), 1});
  NNHAL_ASSIGN_OR_RETURN(
      op.inputs[1], r.value(schema::BuiltinOperator::DILATE,
                            {op.inputs[1], dilations, padding}, op.inputs[1]));
  return Status();
}

Status importConv2D(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::Conv2DOptions>());
  NNHAL_RETURN_IF_ERROR(checkRanks(op, 0));
  NNHAL_RETURN_IF_ERROR(checkFilter(op, 1, 0));
  NNHAL_ASSIGN_OR_RETURN(int32_t scheme, paddingScheme(options->padding()));
  uint32_t channels = op.shape(0)[3], perGroup = op.shape(1)[3];
  // The rule of CONV_2D says what is wrong with channels that do not divide.
  uint32_t groups = channels % perGroup == 0 ? channels / perGroup : 1;
  if (groups > 1 &&
      (options->dilation_w() != 1 || options->dilation_h() != 1)) {
    if (options->dilation_w() < 1 || options->dilation_h() < 1)
      return badData("has dilation {}x{}, expected 1 or more",
                     options->dilation_h(), options->dilation_w());
    NNHAL_RETURN_IF_ERROR(dilateFilter(op, uint32_t(options->dilation_h()),
                                       uint32_t(options->dilation_w())));
  }
  OperationBuilder builder(op, groups == 1 ? OperationType::CONV_2D
                                           : OperationType::GROUPED_CONV_2D);
  builder.input(0)
      .operand(weightsOperand(op, 1))
      .operand(biasOperand(op, 2, 1, op.shape(1)[0]))
      .int32(scheme)
      .int32(options->stride_w())
      .int32(options->stride_h());
  if (groups != 1)
    builder.int32(int32_t(groups));
  builder.activation(options->activation());
  if (groups != 1)
    builder.boolean(false);
  else if (options->dilation_w() != 1 || options->dilation_h() != 1)
    // Dilations come last, and need the layout before them (M-070).
    builder.boolean(false)
        .int32(options->dilation_w())
        .int32(options->dilation_h());
  return builder.finish();
}

Status importDepthwiseConv2D(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::DepthwiseConv2DOptions>());
  NNHAL_RETURN_IF_ERROR(checkRanks(op, 0));
  NNHAL_RETURN_IF_ERROR(checkFilter(op, 1, 3));
  NNHAL_ASSIGN_OR_RETURN(int32_t scheme, paddingScheme(options->padding()));
  uint32_t channels = op.shape(1)[3];
  OperationBuilder builder(op, OperationType::DEPTHWISE_CONV_2D);
  builder.input(0)
      .operand(weightsOperand(op, 1))
      .operand(biasOperand(op, 2, 1, channels))
      .int32(scheme)
      .int32(options->stride_w())
      .int32(options->stride_h())
      .int32(int32_t(channels / op.shape(0)[3]))
      .activation(options->activation());
  // Dilations come last, and need the layout before them (M-078).
  if (options->dilation_w() != 1 || options->dilation_h() != 1)
    builder.boolean(false)
        .int32(options->dilation_w())
        .int32(options->dilation_h());
  return builder.finish();
}

Status importTransposeConv(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::TransposeConvOptions>());
  NNHAL_RETURN_IF_ERROR(checkRanks(op, 2));
  NNHAL_RETURN_IF_ERROR(checkFilter(op, 1, 0));
  NNHAL_ASSIGN_OR_RETURN(int32_t scheme, paddingScheme(options->padding()));
  OperationBuilder builder(op, OperationType::TRANSPOSE_CONV_2D);
  builder.input(2)
      .operand(weightsOperand(op, 1))
      .operand(biasOperand(op, 3, 1, op.shape(1)[0]))
      .input(0)
      .int32(scheme)
      .int32(options->stride_w())
      .int32(options->stride_h())
      .activation(options->activation())
      .boolean(false);
  NNHAL_RETURN_IF_ERROR(builder.finish());
  if (!op.isConstant(0))
    return Status();
  // The stated shape is that of the result (M-086).
  NNHAL_ASSIGN_OR_RETURN(std::vector<int32_t> given, op.integers(0));
  const Shape &shape = op.outputShapes[0];
  if (int64_t(given[1]) != shape[1] || int64_t(given[2]) != shape[2])
    return badData("output shape is {}x{}, but input {}x{} gives {}x{}",
                   given[1], given[2], op.shape(2)[1], op.shape(2)[2], shape[1],
                   shape[2]);
  return Status();
}

namespace {
/// The options of Convolution2DTransposeBias and the elements that they take
/// off the result.
struct TransposeConvBias {
  int32_t strideWidth, strideHeight;
  int32_t paddingWidth, paddingHeight;
};
} // namespace

static Result<TransposeConvBias> transposeConvBiasOf(Operator &op) {
  // Three numbers as they lie in memory: padding, stride width and height.
  NNHAL_ASSIGN_OR_RETURN(std::span<const uint8_t> bytes, customOptionsOf(op));
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

Status importTransposeConvBias(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(TransposeConvBias form, transposeConvBiasOf(op));
  // Explicit paddings: the implicit ones follow from the output's size in the
  // HAL, from the input's here.
  OperationBuilder builder(op, OperationType::TRANSPOSE_CONV_2D);
  builder.input(0).input(1).input(2);
  for (int32_t total : {form.paddingWidth, form.paddingHeight})
    builder.int32(total / 2).int32(total - total / 2);
  return builder.int32(form.strideWidth)
      .int32(form.strideHeight)
      .int32(0)
      .boolean(false)
      .finish();
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

/// The HAL's FULLY_CONNECTED takes one scale; a convolution of single elements
/// computes the same with several, but for the second rounding of its sums.
static Status importPerChannel(Operator &op, schema::Activation activation) {
  NNHAL_RETURN_IF_ERROR(checkFilter(op, 1, 0));
  uint32_t units = op.shape(1)[0], inputSize = op.shape(1)[1];
  uint32_t batch = *elementCount(op.shape(0)) / inputSize;
  Composition c(op);
  uint32_t data = c.reshape(c.input(0), {batch, 1, 1, inputSize});
  uint32_t weights = c.input(1);
  NNHAL_RETURN_IF_ERROR(c.takeStatus());
  Operand filter = op.graph.operand(weights);
  if (!isConstant(filter.lifetime))
    return badData("weights with several scales must be a constant");
  filter.dimensions = {units, 1, 1, inputSize};
  return OperationBuilder(op, OperationType::CONV_2D)
      .operand(data)
      .operand(op.graph.addOperand(std::move(filter)))
      .operand(biasOperand(op, 2, 1, units))
      .int32(2) // VALID
      .int32(1)
      .int32(1)
      .activation(activation)
      .shapedAs({batch, 1, 1, units})
      .finish();
}

Status importFullyConnected(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::FullyConnectedOptions>());
  if (options->weights_format() != schema::WeightsFormat::DEFAULT)
    return badData("weights have format {}, only DEFAULT is expressible",
                   schema::EnumNameWeightsFormat(options->weights_format()));
  if (op.shape(0).size() > 4)
    return badData("the HAL's FULLY_CONNECTED takes at most rank 4, but input "
                   "0 has shape {}",
                   toString(op.shape(0)));
  if (op.input(1).channels && isQuantized(*op.input(0).type))
    return importPerChannel(op, options->activation());
  NNHAL_RETURN_IF_ERROR(checkFilter(op, 1, 0));
  uint32_t units = op.shape(1)[0], inputSize = op.shape(1)[1];
  uint32_t batch = *elementCount(op.shape(0)) / inputSize;
  NNHAL_ASSIGN_OR_RETURN(uint32_t data, op.graph.use(op.input(0)));
  // FULLY_CONNECTED takes ranks from 2 on (M-099).
  if (op.shape(0).size() < 2) {
    uint32_t flat = op.graph.addTemporary(data, {batch, inputSize});
    std::vector<int32_t> dimensions = {int32_t(batch), int32_t(inputSize)};
    uint32_t shape =
        addConstant(op.graph, OperandType::TENSOR_INT32, dimensions);
    op.graph.addOperation(OperationType::RESHAPE, {data, shape}, {flat});
    data = flat;
  }
  return OperationBuilder(op, OperationType::FULLY_CONNECTED)
      .operand(data)
      .operand(weightsOperand(op, 1))
      .operand(biasOperand(op, 2, 1, units))
      .activation(options->activation())
      .shapedAs({batch, units})
      .finish();
}

} // namespace nnhal::rt::tflite
