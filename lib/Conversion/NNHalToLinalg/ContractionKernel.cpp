//===- ContractionKernel.cpp - Quantized contractions as kernels ----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel multiplies what it is given, and quantized values have zero points,
// of the inputs and of the weights, which are constants. There are three ways
// to deal with these.
//
// In pairs, both zero points are taken off before: of the input in an
// elementwise copy of i16, of the weights while compiling. Weights are packed
// as i8 where all fit. An odd number of channels is read in pairs along whole
// rows, whatever pixel an element belongs to; where that cannot be, in f32 if
// all sums are integers below 2^24, so that nothing is rounded, and only
// otherwise in padded pairs, which take a copy.
//
// In quads, for targets with such an instruction, both are multiplied as they
// are stored, but for a sign that the instruction wants otherwise. With x the
// inputs, z their zero point and w the weights less theirs, the sum of (x - z)
// w is that of x w less z times the sum of w: a constant of each output
// channel, which sums begin with. Where w does not fit in 8 bits, it is v + c,
// and c times the sum of x - z over the window is computed by another small
// kernel and added.
//
// A filter that the model computes is taken in pairs, packed when the model
// runs.
//
// Depthwise convolutions are always computed in f32, and left to loops where a
// sum might not be exact. The bias is what sums begin with where it is known.
// The scaling to the output is elementwise and left to fusion.
//
//===----------------------------------------------------------------------===//

#include "ContractionKernel.h"

#include "ByteWeights.h"
#include "ComputedFilter.h"
#include "ContractionOutput.h"

#include "nnhal/Dialect/Kernel/Kernel.h"
#include "nnhal/Dialect/Kernel/Packing.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cstring>
#include <limits>

using namespace mlir;
using namespace nnhal;
using rt::OperandType;

static bool isByteTensor(OperandType type) {
  return type == OperandType::TENSOR_QUANT8_ASYMM ||
         type == OperandType::TENSOR_QUANT8_ASYMM_SIGNED ||
         type == OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL;
}

bool nnhal::isKernelContraction(const OperationLowering &op,
                                const Tensor &input, const Tensor &filter) {
  auto hasElements = [](const Tensor &tensor) {
    return tensor.getValueType().hasStaticShape() &&
           tensor.getValueType().getNumElements() > 0;
  };
  return op.policy().hasMicroKernels() && isByteTensor(input.getType().type) &&
         isByteTensor(filter.getType().type) && hasElements(input) &&
         hasElements(filter);
}

//===----------------------------------------------------------------------===//
// Operands of kernels
//===----------------------------------------------------------------------===//

/// \p bytes less their zero point, with zeros from the last channel on.
static Tensor centered(OperationLowering &op, const Tensor &bytes, Type element,
                       int64_t channels) {
  SmallVector<Scalar> extents = bytes.extents();
  int64_t existing = *extents.back().known();
  extents.back() = op.index(channels);
  return op.define(element, extents, [&](Indices at) {
    if (existing == channels)
      return bytes.centered(at).to(element);
    SmallVector<Scalar> from(at);
    from.back() = min(at.back(), double(existing - 1));
    Scalar value = bytes.centered(from);
    return select(at.back() < double(existing), value, value.like(0))
        .to(element);
  });
}

namespace {
/// The inputs of a contraction in quads: unsigned or not, as the target's
/// instruction takes them.
struct QuadInput {
  QuadInput(QuadSigns signs, const Tensor &input);

  /// With padding and channels up to a multiple of 4, where what stands for
  /// real 0 is.
  Tensor build(OperationLowering &op, const KernelWindow &window) const;

  const Tensor &stored;
  bool isUnsigned;
  /// Stored values have the other sign.
  bool isShifted;
  int32_t zeroPoint;
};
} // namespace

QuadInput::QuadInput(QuadSigns signs, const Tensor &input)
    : stored(input), isUnsigned(signs == QuadSigns::unsignedBySigned),
      zeroPoint(input.getType().zeroPoint) {
  isShifted =
      isUnsigned != (input.getType().type == OperandType::TENSOR_QUANT8_ASYMM);
  if (isShifted)
    zeroPoint += isUnsigned ? 128 : -128;
}

Tensor QuadInput::build(OperationLowering &op,
                        const KernelWindow &window) const {
  Type i8 = op.getBuilder().getI8Type();
  SmallVector<Scalar> extents = stored.extents();
  Tensor source = stored;
  if (isShifted)
    source = op.define(i8, extents, [&](Indices at) {
      return stored.stored(at) + double(INT8_MIN);
    });
  int64_t channels = *extents[3].known();
  if (window.pads == std::array<int64_t, 4>() && channels % 4 == 0)
    return source;
  const auto &[top, bottom, left, right] = window.pads;
  extents[1] = extents[1] + double(top + bottom);
  extents[2] = extents[2] + double(left + right);
  extents[3] = op.index(llvm::alignTo(channels, 4));
  Tensor zeros = op.define(i8, extents, [&](Indices) {
    return Scalar::integer(op.getBuilder(), i8, int8_t(zeroPoint));
  });
  return op.insert(source, zeros,
                   {op.index(0), op.index(top), op.index(left), op.index(0)});
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

namespace {
/// Builds one kernel and defines the output from what it accumulates.
class KernelContraction {
public:
  KernelContraction(OperationLowering &op, const Tensor &input,
                    const Tensor &filter, rt::FusedActivation activation)
      : op(op), builder(op.getBuilder()), input(input), filter(filter),
        activation(activation), weights(op.view().inputs[1]) {}

  /// For a filter that is \p ohwi.
  void convolve(const std::array<int64_t, 4> &ohwi, const KernelWindow &window,
                Indices outputExtents);
  bool convolveDepthwise(const KernelWindow &window);

private:
  Tensor centered(Type element, int64_t channels) {
    return ::centered(op, input, element, channels);
  }
  Value start(Type element, ArrayRef<int64_t> shape);
  void convolveQuads(const std::array<int64_t, 4> &ohwi, QuadSigns signs,
                     Indices outputExtents);
  kernel::Conv2DOp multiplyQuads(const Tensor &source, bool isUnsigned,
                                 ArrayRef<int8_t> values,
                                 const std::array<int64_t, 4> &ohwi,
                                 ArrayRef<int32_t> start);
  void convolvePairs(const std::array<int64_t, 4> &ohwi);
  Value packInPairs(const std::array<int64_t, 4> &ohwi, int64_t width);
  bool convolveRowsInPairs(const std::array<int64_t, 4> &ohwi);
  void convolveFloats(const std::array<int64_t, 4> &ohwi);
  Value depthwiseFactors();
  void createConvolution(Value source, Value packed, Value start,
                         const KernelWindow &kernelWindow);
  Value undefined(Type element) {
    return tensor::EmptyOp::create(builder, sumShape, element);
  }
  /// Defines the output from the sums.
  void finish(Indices outputExtents);
  void readBias(int64_t products);
  /// Whether f32 holds every sum of \p products products; if so, and not with
  /// the bias, forgets the bias.
  bool isExactInF32(int64_t products);

  OperationLowering &op;
  ImplicitLocOpBuilder &builder;
  const Tensor &input, &filter;
  rt::FusedActivation activation;
  ByteWeights weights;
  const KernelWindow *window = nullptr;
  SmallVector<int64_t> sumShape;
  /// The bias, where sums begin with it; none where it is an input, or of
  /// another size, which is an error that the output's checks find.
  SmallVector<int32_t> bias;
  /// With the bias, if it is known.
  double largestSum = std::numeric_limits<double>::infinity();
  Value sums;
  /// To be added to those of all channels of a pixel, if there is something.
  Tensor pixelSums;
};
} // namespace

/// Reads a constant bias of sums of \p products products each.
void KernelContraction::readBias(int64_t products) {
  if (!op.isConstant(2))
    return;
  std::span<const std::byte> known = *op.view().inputs[2].value;
  if (int64_t(known.size()) != sumShape.back() * int64_t(sizeof(int32_t)))
    return;
  bias.resize(sumShape.back());
  std::memcpy(bias.data(), known.data(), known.size());
  int64_t largest = 0;
  for (int32_t value : bias)
    largest = std::max(largest, std::abs(int64_t(value)));
  largestSum = double(weights.largestSum(products) + largest);
}

bool KernelContraction::isExactInF32(int64_t products) {
  constexpr int64_t limit = int64_t(1) << 24;
  if (weights.largestSum(products) >= limit)
    return false;
  if (largestSum >= double(limit))
    bias.clear();
  return true;
}

/// What accumulators start with: the bias, if it is known, else zeros.
Value KernelContraction::start(Type element, ArrayRef<int64_t> shape) {
  auto type = RankedTensorType::get(shape, element);
  SmallVector<int32_t> values(bias);
  values.resize(type.getNumElements());
  StringRef name = bias.empty() ? "no_bias" : "bias_packed";
  if (element.isF32())
    return op.constantResource(
        type, bytesOf<float>(llvm::to_vector_of<float>(values)), name);
  return op.constantResource(type, bytesOf<int32_t>(values), name);
}

void KernelContraction::createConvolution(Value source, Value packed,
                                          Value start,
                                          const KernelWindow &kernelWindow) {
  Type accumulator = cast<RankedTensorType>(start.getType()).getElementType();
  sums = kernel::Conv2DOp::create(builder, source, packed, start,
                                  undefined(accumulator), kernelWindow.strides,
                                  kernelWindow.dilations, kernelWindow.pads)
             ->getResult(0);
}

/// A convolution without padding whose sums begin with \p start.
kernel::Conv2DOp KernelContraction::multiplyQuads(
    const Tensor &source, bool isUnsigned, ArrayRef<int8_t> values,
    const std::array<int64_t, 4> &ohwi, ArrayRef<int32_t> start) {
  Type i32 = builder.getI32Type();
  int64_t width = ohwi[0] == 1 ? 1 : op.policy().panelWidth(ohwi[0]);
  int64_t panels = kernel::panelCount(ohwi[0], width);
  SmallVector<int32_t> padded(start);
  padded.resize(panels * width);
  Value first = op.constantResource(RankedTensorType::get({panels, width}, i32),
                                    bytesOf<int32_t>(padded), "bias_packed");
  SmallVector<int64_t> shape(sumShape);
  shape.back() = ohwi[0];
  auto conv = kernel::Conv2DOp::create(
      builder, source.get(), packQuads(op, values, ohwi, width), first,
      tensor::EmptyOp::create(builder, shape, i32), window->strides,
      window->dilations, std::array<int64_t, 4>());
  conv.setUnsignedInput(isUnsigned);
  return conv;
}

/// With x the inputs, z what stands for their real 0, and w the weights less
/// their zero point, the sum of (x - z) w is that of x v, less z times the sum
/// of v, plus c times the sum of x - z, where w = v + c, and v fits 8 bits. All
/// modulo 2^32.
void KernelContraction::convolveQuads(const std::array<int64_t, 4> &ohwi,
                                      QuadSigns signs, Indices outputExtents) {
  QuadInput quads(signs, input);
  Tensor source = quads.build(op, *window);
  int64_t products = ohwi[1] * ohwi[2] * ohwi[3];
  int32_t excess = weights.excessOverI8();
  auto zeroPoint = uint32_t(quads.zeroPoint);
  SmallVector<int8_t> values;
  values.resize_for_overwrite(weights.values.size());
  llvm::transform(weights.values, values.begin(),
                  [&](int16_t weight) { return int8_t(weight - excess); });
  SmallVector<int32_t> start(bias);
  start.resize(ohwi[0]);
  ArrayRef<int8_t> left(values);
  for (int32_t &first : start) {
    uint32_t sum = 0;
    for (int8_t value : left.take_front(products))
      sum += uint32_t(value);
    first = int32_t(uint32_t(first) - zeroPoint * sum);
    left = left.drop_front(products);
  }
  sums = multiplyQuads(source, quads.isUnsigned, values, ohwi, start)
             ->getResult(0);
  if (excess == 0)
    return;
  SmallVector<int8_t> ones(products, 1);
  auto taken = int32_t(0 - zeroPoint * uint32_t(products));
  rt::TensorType type;
  type.type = OperandType::TENSOR_INT32;
  Tensor inputSums(builder,
                   multiplyQuads(source, quads.isUnsigned, ones,
                                 {1, ohwi[1], ohwi[2], ohwi[3]}, {taken})
                       ->getResult(0),
                   type);
  SmallVector<Scalar> pixels(outputExtents);
  pixels.back() = op.index(1);
  inputSums = op.reshape(inputSums, pixels);
  pixelSums = op.define(type, pixels, [&](Indices at) {
    return inputSums.stored(at) * double(excess);
  });
}

Value KernelContraction::packInPairs(const std::array<int64_t, 4> &ohwi,
                                     int64_t width) {
  if (op.isConstant(1))
    return packPairs(op, weights, ohwi, width);
  int64_t channels = llvm::alignTo(ohwi[3], 2);
  Tensor factors = ::centered(op, filter, builder.getI16Type(), channels);
  return packComputedFilter(op, factors, {ohwi[0], ohwi[1], ohwi[2], channels},
                            width, /*group=*/2);
}

void KernelContraction::convolvePairs(const std::array<int64_t, 4> &ohwi) {
  int64_t width = op.policy().panelWidth(ohwi[0]);
  Value packed = packInPairs(ohwi, width);
  createConvolution(
      centered(builder.getI16Type(), llvm::alignTo(ohwi[3], 2)).get(), packed,
      start(builder.getI32Type(), {kernel::panelCount(ohwi[0], width), width}),
      *window);
}

/// An odd number of channels: the elements of a row, whatever pixel they belong
/// to, are taken in pairs, and the window moves by whole pairs. Where it begins
/// or ends within one, a weight is zero.
bool KernelContraction::convolveRowsInPairs(
    const std::array<int64_t, 4> &ohwi) {
  ArrayRef<int64_t> shape = input.getValueType().getShape();
  int64_t channels = ohwi[3], rowSize = shape[2] * channels;
  int64_t step = window->strides[1] * channels;
  int64_t padHead = window->pads[2] * channels;
  if (window->dilations[1] != 1 || step % 2 != 0 || rowSize % 2 != 0)
    return false;
  int64_t lead = padHead % 2;
  int64_t size = ohwi[2] * channels;
  int64_t padded = llvm::alignTo(lead + size, 2);
  ByteWeights rows =
      weights.withValues(padRows(weights.values, size, padded, lead));
  std::array<int64_t, 4> pairs = {ohwi[0], ohwi[1], padded / 2, 2};
  KernelWindow inPairs = *window;
  inPairs.strides[1] = step / 2;
  inPairs.pads[2] = (padHead + lead) / 2;
  int64_t end = (inPairs.output[1] - 1) * inPairs.strides[1] + pairs[2];
  inPairs.pads[3] = std::max<int64_t>(end - inPairs.pads[2] - rowSize / 2, 0);
  Tensor source = op.reshape(centered(builder.getI16Type(), channels),
                             {op.index(shape[0]), op.index(shape[1]),
                              op.index(rowSize / 2), op.index(2)});
  int64_t width = op.policy().panelWidth(ohwi[0]);
  createConvolution(
      source.get(), packPairs(op, rows, pairs, width),
      start(builder.getI32Type(), {kernel::panelCount(ohwi[0], width), width}),
      inPairs);
  return true;
}

void KernelContraction::convolveFloats(const std::array<int64_t, 4> &ohwi) {
  int64_t width = op.policy().panelWidth(ohwi[0]);
  int64_t panels = kernel::panelCount(ohwi[0], width);
  Type f32 = builder.getF32Type();
  std::vector<char> packed =
      kernel::packConvFilter(bytesOf<float>(weights.as<float>()), ohwi, width);
  auto type =
      RankedTensorType::get({panels, ohwi[1], ohwi[2], ohwi[3], width}, f32);
  createConvolution(centered(f32, ohwi[3]).get(),
                    op.constantResource(type, packed, "filter_packed"),
                    start(f32, {panels, width}), *window);
}

void KernelContraction::convolve(const std::array<int64_t, 4> &ohwi,
                                 const KernelWindow &kernelWindow,
                                 Indices outputExtents) {
  window = &kernelWindow;
  sumShape = {input.getValueType().getDimSize(0), window->output[0],
              window->output[1], ohwi[0]};
  int64_t products = ohwi[1] * ohwi[2] * ohwi[3];
  readBias(products);
  if (!op.isConstant(1)) {
    convolvePairs(ohwi);
  } else if (std::optional<QuadSigns> signs = op.policy().quadSigns(ohwi[3])) {
    convolveQuads(ohwi, *signs, outputExtents);
  } else if (ohwi[3] % 2 == 0 || !convolveRowsInPairs(ohwi)) {
    // To pad an odd number of channels is a copy that costs more than pairs
    // gain.
    if (ohwi[3] % 2 != 0 && isExactInF32(products))
      convolveFloats(ohwi);
    else
      convolvePairs(ohwi);
  }
  finish(outputExtents);
}

/// The filter less its zero point, without its first dimension, which is 1.
Value KernelContraction::depthwiseFactors() {
  Type f32 = builder.getF32Type();
  ArrayRef<int64_t> shape = filter.getValueType().getShape();
  if (op.isConstant(1))
    return op.constantResource(RankedTensorType::get(shape.drop_front(), f32),
                               bytesOf<float>(weights.as<float>()),
                               "filter_centered");
  SmallVector<Scalar> extents = filter.extents();
  return op
      .reshape(::centered(op, filter, f32, shape.back()),
               ArrayRef(extents).drop_front())
      .get();
}

bool KernelContraction::convolveDepthwise(const KernelWindow &kernelWindow) {
  window = &kernelWindow;
  ArrayRef<int64_t> shape = filter.getValueType().getShape();
  int64_t channels = input.getValueType().getDimSize(3);
  sumShape = {input.getValueType().getDimSize(0), window->output[0],
              window->output[1], shape[3]};
  readBias(shape[1] * shape[2]);
  if (!isExactInF32(shape[1] * shape[2]))
    return false;
  Type f32 = builder.getF32Type();
  Value factors = depthwiseFactors();
  sums = kernel::DepthwiseConv2DOp::create(
             builder, centered(builder.getI16Type(), channels).get(), factors,
             start(f32, shape[3]), undefined(f32), window->strides,
             window->dilations, window->pads, shape[3] / channels)
             ->getResult(0);
  finish(op.indices(sumShape));
  return true;
}

void KernelContraction::finish(Indices outputExtents) {
  ContractionOutput output(op, activation, largestSum);
  output.checkChannels(op.index(sumShape.back()));
  rt::TensorType type;
  type.type = getElementTypeOrSelf(sums).isF32() ? OperandType::TENSOR_FLOAT32
                                                 : OperandType::TENSOR_INT32;
  Tensor accumulated = op.reshape(Tensor(builder, sums, type), outputExtents);
  op.setOutput(op.define(op.outputType(), outputExtents, [&](Indices at) {
    Scalar sum = accumulated.stored(at);
    if (pixelSums.get()) {
      SmallVector<Scalar> pixel(at);
      pixel.back() = op.index(0);
      sum = sum + pixelSums.stored(pixel);
    }
    return bias.empty() ? output.finish(sum.toI32(), at.back())
                        : output.finishBiased(sum, at.back());
  }));
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

void nnhal::lowerToConvolutionKernel(OperationLowering &op, const Tensor &input,
                                     const Tensor &filter,
                                     const KernelWindow &window,
                                     rt::FusedActivation activation) {
  ArrayRef<int64_t> shape = filter.getValueType().getShape();
  Scalar extents[] = {input.extent(0), op.index(window.output[0]),
                      op.index(window.output[1]), filter.extent(0)};
  KernelContraction(op, input, filter, activation)
      .convolve({shape[0], shape[1], shape[2], shape[3]}, window, extents);
}

bool nnhal::lowerToDepthwiseKernel(OperationLowering &op, const Tensor &input,
                                   const Tensor &filter,
                                   const KernelWindow &window,
                                   rt::FusedActivation activation) {
  return KernelContraction(op, input, filter, activation)
      .convolveDepthwise(window);
}

void nnhal::lowerToProductKernel(OperationLowering &op, const Tensor &input,
                                 const Tensor &filter,
                                 rt::FusedActivation activation) {
  ArrayRef<int64_t> shape = filter.getValueType().getShape();
  Scalar one = op.index(1);
  KernelWindow window;
  window.output = {1, input.getValueType().getDimSize(0)};
  // One row of pixels.
  Tensor pixels =
      op.reshape(input, {one, one, input.extent(0), input.extent(1)});
  KernelContraction(op, pixels, filter, activation)
      .convolve({shape[0], 1, 1, shape[1]}, window,
                {input.extent(0), filter.extent(0)});
}

//===----------------------------------------------------------------------===//
// Products of recurrent cells
//===----------------------------------------------------------------------===//

/// \p pixels, [rows, size], times the \p packed filter, on top of \p bias.
static Tensor multiply(OperationLowering &op, const Tensor &pixels,
                       int64_t units, Value packed, Value bias,
                       OperandType type) {
  ImplicitLocOpBuilder &builder = op.getBuilder();
  Scalar one = op.index(1), rows = pixels.extent(0);
  // A tensor that a loop carries is a buffer of unknown layout; its copy is
  // not.
  Tensor copy(builder,
              bufferization::AllocTensorOp::create(
                  builder, pixels.getValueType(), /*dynamicSizes=*/ValueRange(),
                  /*copy=*/pixels.get()),
              pixels.getType());
  Tensor row = op.reshape(copy, {one, one, rows, pixels.extent(1)});
  Value init = tensor::EmptyOp::create(
      builder, ArrayRef<int64_t>{1, 1, *rows.known(), units},
      getElementTypeOrSelf(bias));
  int64_t ones[] = {1, 1}, noPads[] = {0, 0, 0, 0};
  auto product = kernel::Conv2DOp::create(builder, row.get(), packed, bias,
                                          init, ones, ones, noPads);
  rt::TensorType sumType;
  sumType.type = type;
  return op.reshape(Tensor(builder, product->getResult(0), sumType),
                    {rows, op.index(units)});
}

std::optional<Tensor> nnhal::multiplyByByteMatrices(OperationLowering &op,
                                                    const Tensor &vectors,
                                                    ArrayRef<size_t> matrices) {
  RankedTensorType type = vectors.getValueType();
  if (!op.policy().hasMicroKernels() || !isByteTensor(vectors.getType().type) ||
      !type.hasStaticShape() || type.getNumElements() == 0)
    return std::nullopt;
  int64_t size = type.getDimSize(1);
  ByteWeights weights;
  for (size_t index : matrices) {
    const rt::OperandView &matrix = op.view().inputs[index];
    bool isByteMatrix = isByteTensor(matrix.type.type) ||
                        matrix.type.type == OperandType::TENSOR_QUANT8_SYMM;
    if (!op.isConstant(index) || !isByteMatrix ||
        !matrix.type.channelQuant.scales.empty())
      return std::nullopt;
    weights.add(matrix);
  }
  auto units = int64_t(weights.values.size()) / size;
  // Modulo 2^32 would not do for a sum that is saturated later.
  if (units == 0 || units * size != int64_t(weights.values.size()) ||
      size * 255 * weights.largest > std::numeric_limits<int32_t>::max())
    return std::nullopt;
  int64_t width = op.policy().panelWidth(units);
  Value packed = packPairs(op, weights, {units, 1, 1, size}, width);
  Builder &builder = op.getBuilder();
  auto startType = RankedTensorType::get(
      {kernel::panelCount(units, width), width}, builder.getI32Type());
  std::vector<char> zeros(startType.getNumElements() * sizeof(int32_t));
  Value start = op.constantResource(startType, zeros, "no_bias");
  return multiply(
      op, centered(op, vectors, builder.getI16Type(), llvm::alignTo(size, 2)),
      units, packed, start, OperandType::TENSOR_INT32);
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
  for (size_t index : indices) {
    std::span<const std::byte> value = *op.view().inputs[index].value;
    const char *data = reinterpret_cast<const char *>(value.data());
    bytes.append(data, data + value.size());
  }
  return bytes;
}

Tensor nnhal::multiplyByMatrices(OperationLowering &op, const Tensor &vectors,
                                 ArrayRef<size_t> matrices,
                                 ArrayRef<size_t> biases) {
  Type f32 = op.getBuilder().getF32Type();
  int64_t size = vectors.getValueType().getDimSize(1);
  SmallVector<char> weights = stackedBytes(op, matrices);
  int64_t units = int64_t(weights.size() / sizeof(float)) / size;
  int64_t width = op.policy().panelWidth(units);
  int64_t panels = kernel::panelCount(units, width);
  Value packed = op.constantResource(
      RankedTensorType::get({panels, 1, 1, size, width}, f32),
      kernel::packConvFilter(weights, {units, 1, 1, size}, width),
      "weights_packed");
  std::vector<char> start =
      kernel::packConvBias(stackedBytes(op, biases), width);
  start.resize(panels * width * sizeof(float));
  Value bias = op.constantResource(RankedTensorType::get({panels, width}, f32),
                                   start, "bias_packed");
  return multiply(op, vectors, units, packed, bias,
                  OperandType::TENSOR_FLOAT32);
}
