//===- ContractionKernel.cpp - Contractions as micro-kernels --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Convolutions and products of matrices become nnk.conv_2d_fhwc: with the
// filter that the model has, the bias where sums can begin with it, and the
// zero points of both factors. How a target multiplies them, and in which order
// it wants its constants, is not decided here (nnk-pack-convolutions).
//
// Depthwise convolutions are always computed in f32, and left to loops where a
// sum might not be exact.
//
//===----------------------------------------------------------------------===//

#include "ContractionKernel.h"

#include "ContractionOutput.h"

#include "../Common/ByteWeights.h"
#include "../Common/ConstantData.h"

#include "nnhal/Dialect/Kernel/Kernel.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cstring>
#include <limits>

using namespace mlir;
using namespace nnhal;
using rt::OperandType;

using Shape = ArrayRef<int64_t>;

static bool isByteTensor(const Tensor &tensor) {
  OperandType type = tensor.getType().type;
  return type == OperandType::TENSOR_QUANT8_ASYMM ||
         type == OperandType::TENSOR_QUANT8_ASYMM_SIGNED ||
         type == OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL;
}

static bool hasElements(const Tensor &tensor) {
  RankedTensorType type = tensor.getValueType();
  return type.hasStaticShape() && type.getNumElements() > 0;
}

bool nnhal::isKernelContraction(OperationLowering &op, const Tensor &input,
                                const Tensor &filter, Scalar channels) {
  if (!op.policy().hasMicroKernels() || !hasElements(input) ||
      !hasElements(filter))
    return false;
  if (isByteTensor(input) && isByteTensor(filter))
    return true;
  Tensor bias = op.input(2);
  auto isF32 = [](const Tensor &tensor) {
    return tensor.getValueType().getElementType().isF32();
  };
  return isF32(input) && isF32(filter) && isF32(bias) && hasElements(bias) &&
         bias.rank() == 1 && bias.extent(0).known() == channels.known();
}

//===----------------------------------------------------------------------===//
// Operands of kernels
//===----------------------------------------------------------------------===//

static ByteForm formOf(const rt::TensorType &type) {
  return {type.type == OperandType::TENSOR_QUANT8_ASYMM, type.zeroPoint};
}

static ArrayRef<char> storedBytes(const rt::OperandView &operand) {
  std::span<const std::byte> value = *operand.value;
  return {reinterpret_cast<const char *>(value.data()), value.size()};
}

/// Input 1, of 8 bits, less its zero point.
static ByteWeights weightsOf(const OperationLowering &op) {
  const rt::OperandView &filter = op.view().inputs[1];
  if (!filter.value)
    return ByteWeights::ofForm(formOf(filter.type));
  ByteWeights weights;
  weights.add(storedBytes(filter), formOf(filter.type));
  return weights;
}

/// The elements of \p tensor in \p shape. A constant is shared, not copied.
static Value inShape(OperationLowering &op, const Tensor &tensor, Shape shape) {
  if (ElementsAttr constant = foldedConstantOf(tensor.get()))
    if (TypedAttr shared = reshapeConstant(constant, shape))
      return arith::ConstantOp::create(op.getBuilder(), shared);
  return op.reshape(tensor, op.indices(shape)).get();
}

static Value undefined(OperationLowering &op, Shape shape, Type element) {
  return tensor::EmptyOp::create(op.getBuilder(), shape, element);
}

static rt::TensorType plainType(OperandType type) {
  rt::TensorType result;
  result.type = type;
  return result;
}

namespace {
/// The bias of the integer sums of a contraction.
struct SumBias {
  /// For sums of \p products products each on each of \p channels channels.
  SumBias(const OperationLowering &op, const ByteWeights &weights,
          int64_t channels, int64_t products);

  /// The bias, where sums begin with it; none where it is an input, or of
  /// another size, which is an error that the output's checks find.
  SmallVector<int32_t> values;
  /// With the bias, if it is known.
  double largestSum = std::numeric_limits<double>::infinity();
};
} // namespace

SumBias::SumBias(const OperationLowering &op, const ByteWeights &weights,
                 int64_t channels, int64_t products) {
  if (!op.isConstant(2))
    return;
  ArrayRef<char> known = storedBytes(op.view().inputs[2]);
  if (int64_t(known.size()) != channels * int64_t(sizeof(int32_t)))
    return;
  values.resize(channels);
  std::memcpy(values.data(), known.data(), known.size());
  int64_t largest = 0;
  for (int32_t value : values)
    largest = std::max(largest, std::abs(int64_t(value)));
  largestSum = double(weights.largestSum(products) + largest);
}

/// Zeros, of \p element, for each of \p channels channels.
static Value noBias(OperationLowering &op, int64_t channels, Type element) {
  ImplicitLocOpBuilder &builder = op.getBuilder();
  return arith::ConstantOp::create(
      builder, builder.getZeroAttr(RankedTensorType::get(channels, element)));
}

/// Defines the output from \p sums, which have its shape; they begin with the
/// bias if \p hasBias.
static void finish(OperationLowering &op, const Tensor &sums, bool hasBias,
                   double largestSum, rt::FusedActivation activation) {
  ContractionOutput output(op, activation, largestSum);
  SmallVector<Scalar> extents = sums.extents();
  output.checkChannels(extents.back());
  op.setOutput(op.define(op.outputType(), extents, [&](Indices at) {
    Scalar sum = sums.stored(at);
    return hasBias ? output.finishBiased(sum, at.back())
                   : output.finish(sum.toI32(), at.back());
  }));
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

/// \p image, NHWC, times \p filter, [out, height, width, in], on top of
/// \p bias.
static kernel::Conv2DFhwcOp convolve(OperationLowering &op, Value image,
                                     Value filter, Value bias,
                                     const KernelWindow &window) {
  int64_t batches = cast<RankedTensorType>(image.getType()).getDimSize(0);
  int64_t channels = cast<RankedTensorType>(filter.getType()).getDimSize(0);
  Value init =
      undefined(op, {batches, window.output[0], window.output[1], channels},
                getElementTypeOrSelf(bias));
  return kernel::Conv2DFhwcOp::create(op.getBuilder(), image, filter, bias,
                                      init, window.strides, window.dilations,
                                      window.pads);
}

/// The sums of 8-bit \p image and \p filter, both less their zero points.
static Value sumProducts(OperationLowering &op, const Tensor &image,
                         Value filter, ByteForm filterForm, Value bias,
                         const KernelWindow &window) {
  kernel::Conv2DFhwcOp conv = convolve(op, image.get(), filter, bias, window);
  ByteForm form = formOf(image.getType());
  conv.setUnsignedInput(form.isUnsigned);
  conv.setInputZeroPoint(form.zeroPoint);
  conv.setUnsignedFilter(filterForm.isUnsigned);
  conv.setFilterZeroPoint(filterForm.zeroPoint);
  return conv->getResult(0);
}

/// Defines the output as \p image convolved with \p filter, both of 8 bits.
static void lowerBytes(OperationLowering &op, const Tensor &image,
                       const Tensor &filter, Shape ohwi,
                       const KernelWindow &window, Indices outputExtents,
                       rt::FusedActivation activation) {
  ByteWeights weights = weightsOf(op);
  SumBias known(op, weights, ohwi[0], ohwi[1] * ohwi[2] * ohwi[3]);
  bool hasBias = !known.values.empty();
  Value bias = hasBias ? op.input(2).get()
                       : noBias(op, ohwi[0], op.getBuilder().getI32Type());
  Tensor sums(op.getBuilder(),
              sumProducts(op, image, inShape(op, filter, ohwi),
                          formOf(filter.getType()), bias, window),
              plainType(OperandType::TENSOR_INT32));
  finish(op, op.reshape(sums, outputExtents), hasBias, known.largestSum,
         activation);
}

/// Defines the output as \p image convolved with \p filter, both of f32.
static void lowerFloats(OperationLowering &op, const Tensor &image,
                        const Tensor &filter, Shape ohwi,
                        const KernelWindow &window, Indices outputExtents,
                        rt::FusedActivation activation) {
  kernel::Conv2DFhwcOp conv = convolve(
      op, image.get(), inShape(op, filter, ohwi), op.input(2).get(), window);
  addEpilogue(op.getBuilder(), conv, activation);
  Tensor result(op.getBuilder(), conv->getResult(0), op.outputType());
  op.setOutput(op.reshape(result, outputExtents));
}

void nnhal::lowerToConvolutionKernel(OperationLowering &op, const Tensor &input,
                                     const Tensor &filter,
                                     const KernelWindow &window,
                                     rt::FusedActivation activation) {
  Scalar extents[] = {input.extent(0), op.index(window.output[0]),
                      op.index(window.output[1]), filter.extent(0)};
  auto lower = input.isFloat() ? lowerFloats : lowerBytes;
  lower(op, input, filter, filter.getValueType().getShape(), window, extents,
        activation);
}

void nnhal::lowerToProductKernel(OperationLowering &op, const Tensor &input,
                                 const Tensor &filter,
                                 rt::FusedActivation activation) {
  Shape shape = filter.getValueType().getShape();
  int64_t rows = input.getValueType().getDimSize(0);
  KernelWindow window;
  window.output = {1, rows};
  // The rows of the input become one row of pixels.
  Tensor pixels = op.reshape(input, op.indices({1, 1, rows, shape[1]}));
  auto lower = input.isFloat() ? lowerFloats : lowerBytes;
  lower(op, pixels, filter, {shape[0], 1, 1, shape[1]}, window,
        op.indices({rows, shape[0]}), activation);
}

//===----------------------------------------------------------------------===//
// Depthwise convolutions
//===----------------------------------------------------------------------===//

/// The sums of a depthwise convolution. The filter loses its leading dimension.
static kernel::DepthwiseConv2DOp convolveDepthwise(OperationLowering &op,
                                                   const Tensor &image,
                                                   Value factors, Value bias,
                                                   const KernelWindow &window) {
  ArrayRef<int64_t> shape = image.getValueType().getShape();
  int64_t channels = cast<RankedTensorType>(factors.getType()).getDimSize(2);
  return kernel::DepthwiseConv2DOp::create(
      op.getBuilder(), image.get(), factors, bias,
      undefined(op, {shape[0], window.output[0], window.output[1], channels},
                op.getBuilder().getF32Type()),
      window.strides, window.dilations, window.pads, channels / shape[3]);
}

/// The filter less its zero point as f32, in \p shape.
static Value depthwiseFactors(OperationLowering &op, const Tensor &filter,
                              const ByteWeights &weights, Shape shape) {
  Type f32 = op.getBuilder().getF32Type();
  if (op.isConstant(1))
    return op.constantResource(RankedTensorType::get(shape, f32),
                               bytesOf<float>(weights.as<float>()),
                               "filter_centered");
  Tensor floats = op.define(f32, filter.extents(), [&](Indices at) {
    return filter.centered(at).to(f32);
  });
  return op.reshape(floats, op.indices(shape)).get();
}

/// Lowers a depthwise convolution of 8 bits, where f32 holds all sums.
static bool lowerDepthwiseBytes(OperationLowering &op, const Tensor &input,
                                const Tensor &filter, Shape factorShape,
                                const KernelWindow &window,
                                rt::FusedActivation activation) {
  ImplicitLocOpBuilder &builder = op.getBuilder();
  int64_t products = factorShape[0] * factorShape[1];
  ByteWeights weights = weightsOf(op);
  constexpr int64_t limit = int64_t(1) << 24;
  if (weights.largestSum(products) >= limit)
    return false;
  SumBias known(op, weights, factorShape[2], products);
  bool hasBias = !known.values.empty() && known.largestSum < double(limit);
  Value bias =
      hasBias
          ? op.constantResource(
                RankedTensorType::get(factorShape[2], builder.getF32Type()),
                bytesOf<float>(llvm::to_vector_of<float>(known.values)), "bias")
          : noBias(op, factorShape[2], builder.getF32Type());
  Type i16 = builder.getI16Type();
  Tensor centered = op.define(i16, input.extents(), [&](Indices at) {
    return input.centered(at).to(i16);
  });
  Value factors = depthwiseFactors(op, filter, weights, factorShape);
  auto conv = convolveDepthwise(op, centered, factors, bias, window);
  finish(op,
         Tensor(builder, conv->getResult(0),
                plainType(OperandType::TENSOR_FLOAT32)),
         hasBias, known.largestSum, activation);
  return true;
}

bool nnhal::lowerToDepthwiseKernel(OperationLowering &op, const Tensor &input,
                                   const Tensor &filter,
                                   const KernelWindow &window,
                                   rt::FusedActivation activation) {
  Shape shape = filter.getValueType().getShape().drop_front();
  if (!input.isFloat())
    return lowerDepthwiseBytes(op, input, filter, shape, window, activation);
  auto conv = convolveDepthwise(op, input, inShape(op, filter, shape),
                                op.input(2).get(), window);
  addEpilogue(op.getBuilder(), conv, activation);
  op.setOutput({op.getBuilder(), conv->getResult(0), op.outputType()});
  return true;
}

//===----------------------------------------------------------------------===//
// Products of recurrent cells
//===----------------------------------------------------------------------===//

/// The pixels that the rows of \p vectors are.
static Tensor rowOfPixels(OperationLowering &op, const Tensor &vectors) {
  // A tensor that a loop carries is a buffer of unknown layout; its copy is
  // not.
  Tensor copy(op.getBuilder(),
              bufferization::AllocTensorOp::create(
                  op.getBuilder(), vectors.getValueType(),
                  /*dynamicSizes=*/ValueRange(), /*copy=*/vectors.get()),
              vectors.getType());
  Scalar one = op.index(1);
  return op.reshape(copy, {one, one, vectors.extent(0), vectors.extent(1)});
}

/// Products with \p units columns of each of \p rows.
static KernelWindow windowOfRows(int64_t rows) {
  KernelWindow window;
  window.output = {1, rows};
  return window;
}

std::optional<Tensor> nnhal::multiplyByByteMatrices(OperationLowering &op,
                                                    const Tensor &vectors,
                                                    ArrayRef<size_t> matrices) {
  if (!op.policy().hasMicroKernels() || !isByteTensor(vectors) ||
      !hasElements(vectors))
    return std::nullopt;
  int64_t size = vectors.getValueType().getDimSize(1);
  ByteWeights weights;
  for (size_t index : matrices) {
    const rt::OperandView &matrix = op.view().inputs[index];
    OperandType type = matrix.type.type;
    bool isByteMatrix = type == OperandType::TENSOR_QUANT8_ASYMM ||
                        type == OperandType::TENSOR_QUANT8_ASYMM_SIGNED ||
                        type == OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL ||
                        type == OperandType::TENSOR_QUANT8_SYMM;
    if (!op.isConstant(index) || !isByteMatrix ||
        !matrix.type.channelQuant.scales.empty())
      return std::nullopt;
    weights.add(storedBytes(matrix), formOf(matrix.type));
  }
  auto units = int64_t(weights.values.size()) / size;
  // Modulo 2^32 would not do for a sum that is saturated later.
  if (units == 0 || units * size != int64_t(weights.values.size()) ||
      size * 255 * weights.largest > std::numeric_limits<int32_t>::max())
    return std::nullopt;
  ImplicitLocOpBuilder &builder = op.getBuilder();
  bool isNarrow = weights.fitsI8();
  SmallVector<int8_t> narrow;
  if (isNarrow)
    narrow = weights.as<int8_t>();
  auto type = RankedTensorType::get({units, 1, 1, size},
                                    isNarrow ? builder.getI8Type()
                                             : builder.getI16Type());
  Value filter = op.constantResource(
      type,
      isNarrow ? bytesOf<int8_t>(narrow) : bytesOf<int16_t>(weights.values),
      "weights");
  Tensor pixels = rowOfPixels(op, vectors);
  int64_t rows = vectors.getValueType().getDimSize(0);
  Value sums =
      sumProducts(op, pixels, filter, ByteForm(),
                  noBias(op, units, builder.getI32Type()), windowOfRows(rows));
  return op.reshape(Tensor(builder, sums, plainType(OperandType::TENSOR_INT32)),
                    op.indices({rows, units}));
}

bool nnhal::isKernelMatrix(const OperationLowering &op, size_t index) {
  if (!op.policy().hasMicroKernels() || !op.hasInput(index) ||
      !op.isConstant(index))
    return false;
  const rt::OperandView &matrix = op.view().inputs[index];
  return matrix.type.type == OperandType::TENSOR_FLOAT32 &&
         !matrix.value->empty();
}

/// The bytes of the inputs \p indices, one after the other.
static SmallVector<char> stackedBytes(const OperationLowering &op,
                                      ArrayRef<size_t> indices) {
  SmallVector<char> bytes;
  for (size_t index : indices)
    llvm::append_range(bytes, storedBytes(op.view().inputs[index]));
  return bytes;
}

Tensor nnhal::multiplyByMatrices(OperationLowering &op, const Tensor &vectors,
                                 ArrayRef<size_t> matrices,
                                 ArrayRef<size_t> biases) {
  ImplicitLocOpBuilder &builder = op.getBuilder();
  Type f32 = builder.getF32Type();
  int64_t size = vectors.getValueType().getDimSize(1);
  int64_t rows = vectors.getValueType().getDimSize(0);
  SmallVector<char> weights = stackedBytes(op, matrices);
  int64_t units = int64_t(weights.size() / sizeof(float)) / size;
  Value filter = op.constantResource(
      RankedTensorType::get({units, 1, 1, size}, f32), weights, "weights");
  SmallVector<char> start = stackedBytes(op, biases);
  Value bias = start.empty()
                   ? noBias(op, units, f32)
                   : op.constantResource(RankedTensorType::get(units, f32),
                                         start, "bias");
  Tensor pixels = rowOfPixels(op, vectors);
  kernel::Conv2DFhwcOp product =
      convolve(op, pixels.get(), filter, bias, windowOfRows(rows));
  return op.reshape(Tensor(builder, product->getResult(0),
                           plainType(OperandType::TENSOR_FLOAT32)),
                    op.indices({rows, units}));
}
