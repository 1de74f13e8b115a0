//===- NamedOperations.cpp - Upstream's operations for windows ------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NamedOperations.h"

#include "ContractionOutput.h"
#include "Weights.h"

#include "../Common/PoolWindows.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>
#include <limits>

using namespace mlir;
using namespace nnhal;
using rt::OperandType;

using Shape = ArrayRef<int64_t>;

bool nnhal::isNamedContraction(const Tensor &input, const Tensor &filter) {
  return hasElements(input.getValueType()) &&
         hasElements(filter.getValueType());
}

/// Whether a tensor of f32 of \p shape has fewer bytes than the HAL allows.
static bool hasRoom(Shape shape) {
  int64_t size = sizeof(float);
  for (int64_t extent : shape)
    if (llvm::MulOverflow(size, extent, size))
      return false;
  return size <= std::numeric_limits<uint32_t>::max();
}

/// The extents of \p shape, NHWC, with the pads of \p window.
static SmallVector<int64_t> paddedShape(Shape shape,
                                        const KernelWindow &window) {
  auto [top, bottom, left, right] = window.pads;
  return {shape[0], shape[1] + top + bottom, shape[2] + left + right, shape[3]};
}

bool nnhal::hasRoomForPads(const Tensor &image, const KernelWindow &window) {
  return hasRoom(paddedShape(image.getValueType().getShape(), window));
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// A value without a meaning for the HAL: an intermediate result.
static Tensor intermediate(OperationLowering &op, Value value) {
  rt::TensorType type;
  type.type = isa<FloatType>(getElementTypeOrSelf(value))
                  ? OperandType::TENSOR_FLOAT32
                  : OperandType::TENSOR_INT32;
  return {op.getBuilder(), value, type};
}

/// The factors of products: f32, or i16 less the zero point.
static Tensor factorsOf(OperationLowering &op, const Tensor &tensor) {
  if (tensor.isFloat())
    return widened(op, tensor);
  Type element = op.getBuilder().getI16Type();
  return op.define(element, tensor.extents(),
                   [&](Indices at) { return tensor.centered(at).to(element); });
}

/// \p image with the pads of \p window around it, elements of \p value.
static Value padded(OperationLowering &op, Value image,
                    const KernelWindow &window, TypedAttr value) {
  auto [top, bottom, left, right] = window.pads;
  if (top == 0 && bottom == 0 && left == 0 && right == 0)
    return image;
  ImplicitLocOpBuilder &builder = op.getBuilder();
  auto type = cast<RankedTensorType>(image.getType());
  auto attributes = [&](Shape pads) {
    return getAsIndexOpFoldResult(builder.getContext(), pads);
  };
  Value border = arith::ConstantOp::create(builder, value);
  return tensor::PadOp::create(
      builder, type.clone(paddedShape(type.getShape(), window)), image,
      attributes({0, top, left, 0}), attributes({0, bottom, right, 0}), border);
}

/// A tensor of \p shape that holds \p element everywhere.
static Value filledWith(OperationLowering &op, Shape shape, Scalar element) {
  ImplicitLocOpBuilder &builder = op.getBuilder();
  Value empty = tensor::EmptyOp::create(builder, shape, element.getType());
  return linalg::FillOp::create(builder, element.get(), empty).getResult(0);
}

/// \p value in \p shape, of as many elements. A constant is shared, not copied.
static Value reshaped(OperationLowering &op, Value value, Shape shape) {
  if (ElementsAttr constant = foldedConstantOf(value))
    if (TypedAttr shared = reshapeConstant(constant, shape))
      return arith::ConstantOp::create(op.getBuilder(), shared);
  return op.reshape(intermediate(op, value), op.indices(shape)).get();
}

static DenseIntElementsAttr pairOf(OperationLowering &op,
                                   std::array<int64_t, 2> pair) {
  return op.getBuilder().getI64TensorAttr(pair);
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

/// Input 1, of 8 bits, less its zero point.
static ByteWeights weightsOf(const OperationLowering &op) {
  const rt::OperandView &filter = op.view().inputs[1];
  if (!filter.value)
    return ByteWeights::ofForm(byteFormOf(filter.type));
  ByteWeights weights;
  weights.add(storedBytes(filter), byteFormOf(filter.type));
  return weights;
}

namespace {
/// The bias of a contraction, as far as its sums have it in them.
struct SumBias {
  /// For \p channels channels of sums of \p products products each.
  SumBias(OperationLowering &op, int64_t channels, int64_t products);

  /// Sums begin with the bias. It is added to them later where it is of f16, or
  /// of integers that are an input, or of another size, which is an error that
  /// the output's checks find.
  bool isFirst = false;
  /// The largest magnitude of a sum of integers, bias included, if it is known.
  double largest = std::numeric_limits<double>::infinity();
};

/// The values that the sums of a contraction begin with, and the output that
/// they become.
class ContractionEnds {
public:
  /// For \p channels channels of sums of \p products products each.
  ContractionEnds(OperationLowering &op, rt::FusedActivation activation,
                  int64_t channels, int64_t products)
      : op(op), bias(op, channels, products), activation(activation),
        output(op, activation, bias.largest) {
    output.checkChannels(op.index(channels));
  }

  /// A tensor of \p shape, whose last dimensions are \p channels, the output
  /// channels.
  Value first(Shape shape, Shape channels) const;
  /// Makes the output of \p sums, which has the output's shape.
  void finish(Value sums) const;

private:
  OperationLowering &op;
  SumBias bias;
  rt::FusedActivation activation;
  ContractionOutput output;
};
} // namespace

SumBias::SumBias(OperationLowering &op, int64_t channels, int64_t products) {
  Tensor bias = op.input(2);
  if (bias.isFloat()) {
    RankedTensorType type = bias.getValueType();
    isFirst =
        type.getElementType().isF32() && type.getShape() == Shape(channels);
    return;
  }
  if (!op.isConstant(2))
    return;
  ArrayRef<char> known = storedBytes(op.view().inputs[2]);
  if (int64_t(known.size()) != channels * int64_t(sizeof(int32_t)))
    return;
  isFirst = true;
  SmallVector<int32_t> values(channels);
  std::memcpy(values.data(), known.data(), known.size());
  int64_t most = 0;
  for (int32_t value : values)
    most = std::max(most, std::abs(int64_t(value)));
  largest = double(weightsOf(op).largestSum(products) + most);
}

Value ContractionEnds::first(Shape shape, Shape channels) const {
  if (!bias.isFirst)
    return filledWith(op, shape, output.zero());
  Value element = reshaped(op, op.input(2).get(), channels);
  Value init = tensor::EmptyOp::create(op.getBuilder(), shape,
                                       getElementTypeOrSelf(element));
  auto others = llvm::to_vector(
      llvm::seq<int64_t>(0, int64_t(shape.size() - channels.size())));
  return linalg::BroadcastOp::create(op.getBuilder(), element, init, others)
      ->getResult(0);
}

void ContractionEnds::finish(Value sums) const {
  Tensor source = intermediate(op, sums);
  bool isFloat = source.isFloat();
  if (isFloat && bias.isFirst && activation == rt::FusedActivation::none) {
    op.setOutput({op.getBuilder(), sums, op.outputType()});
    return;
  }
  op.setOutput(op.define(op.outputType(), source.extents(), [&](Indices at) {
    Scalar sum = source.stored(at);
    if (!bias.isFirst)
      return output.finish(sum, at.back());
    return isFloat ? activated(sum, activation)
                   : output.finishBiased(sum, at.back());
  }));
}

/// A convolution `Op` that adds products of \p image and \p filter to
/// \p first.
template <typename Op>
static Value convolve(OperationLowering &op, Value image, Value filter,
                      Value first, const KernelWindow &window) {
  return Op::create(op.getBuilder(), first.getType(), ValueRange{image, filter},
                    first, pairOf(op, window.strides),
                    pairOf(op, window.dilations))
      .getResult(0);
}

static Value paddedFactors(OperationLowering &op, const Tensor &input,
                           const KernelWindow &window) {
  Value factors = factorsOf(op, input).get();
  return padded(op, factors, window,
                op.getBuilder().getZeroAttr(getElementTypeOrSelf(factors)));
}

void nnhal::lowerToNamedConvolution(OperationLowering &op, const Tensor &input,
                                    const Tensor &filter,
                                    const KernelWindow &window, int64_t groups,
                                    rt::FusedActivation activation) {
  Shape image = input.getValueType().getShape(),
        taps = filter.getValueType().getShape();
  auto [height, width] = window.output;
  int64_t batch = image[0], channels = taps[0], depth = taps[3];
  ContractionEnds ends(op, activation, channels, taps[1] * taps[2] * depth);
  Value source = paddedFactors(op, input, window);
  Value factors = factorsOf(op, filter).get();
  if (groups == 1) {
    Value first = ends.first({batch, height, width, channels}, channels);
    ends.finish(
        convolve<linalg::Conv2DNhwcFhwcOp>(op, source, factors, first, window));
    return;
  }
  Shape extents = cast<RankedTensorType>(source.getType()).getShape();
  int64_t each = channels / groups;
  source = reshaped(op, source, {batch, extents[1], extents[2], groups, depth});
  factors = reshaped(op, factors, {groups, each, taps[1], taps[2], depth});
  Value first =
      ends.first({batch, height, width, groups, each}, {groups, each});
  Value sums =
      convolve<linalg::Conv2DNhwgcGfhwcOp>(op, source, factors, first, window);
  ends.finish(reshaped(op, sums, {batch, height, width, channels}));
}

void nnhal::lowerToNamedDepthwise(OperationLowering &op, const Tensor &input,
                                  const Tensor &filter,
                                  const KernelWindow &window,
                                  rt::FusedActivation activation) {
  Shape image = input.getValueType().getShape(),
        taps = filter.getValueType().getShape();
  auto [height, width] = window.output;
  int64_t batch = image[0], depth = image[3], channels = taps[3];
  ContractionEnds ends(op, activation, channels, taps[1] * taps[2]);
  Value source = paddedFactors(op, input, window);
  Value factors = factorsOf(op, filter).get();
  if (channels == depth) {
    factors = reshaped(op, factors, taps.drop_front());
    Value first = ends.first({batch, height, width, channels}, channels);
    ends.finish(convolve<linalg::DepthwiseConv2DNhwcHwcOp>(op, source, factors,
                                                           first, window));
    return;
  }
  // The output channels of an input channel are neighbors (M-081).
  int64_t multiplier = channels / depth;
  factors = reshaped(op, factors, {taps[1], taps[2], depth, multiplier});
  Value first = ends.first({batch, height, width, depth, multiplier},
                           {depth, multiplier});
  Value sums = convolve<linalg::DepthwiseConv2DNhwcHwcmOp>(op, source, factors,
                                                           first, window);
  ends.finish(reshaped(op, sums, {batch, height, width, channels}));
}

/// \p filter with rows and columns in reverse order.
static Value reversed(OperationLowering &op, const Tensor &filter) {
  Scalar lastRow = filter.extent(1) - 1, lastColumn = filter.extent(2) - 1;
  Type element = filter.getValueType().getElementType();
  return op
      .define(element, filter.extents(),
              [&](Indices at) {
                return filter.stored(
                    {at[0], lastRow - at[1], lastColumn - at[2], at[3]});
              })
      .get();
}

bool nnhal::lowerToNamedTransposed(OperationLowering &op, const Tensor &input,
                                   const Tensor &filter,
                                   const KernelWindow &window,
                                   rt::FusedActivation activation) {
  Shape image = input.getValueType().getShape(),
        taps = filter.getValueType().getShape();
  // The pixels of the input, a stride apart, among zeros.
  SmallVector<int64_t> apart(image);
  std::array<int64_t, 2> heads;
  for (size_t axis : {0, 1}) {
    int64_t reach = taps[axis + 1] - 1;
    heads[axis] = reach - window.pads[2 * axis];
    int64_t tail = reach - window.pads[2 * axis + 1];
    // Pixels that lie far apart would leave little but zeros to multiply.
    if (heads[axis] < 0 || tail < 0 ||
        window.strides[axis] > 2 * taps[axis + 1])
      return false;
    apart[axis + 1] =
        (image[axis + 1] - 1) * window.strides[axis] + 1 + heads[axis] + tail;
  }
  if (!hasRoom(apart))
    return false;
  ContractionEnds ends(op, activation, taps[0], taps[1] * taps[2] * taps[3]);
  Tensor factors = factorsOf(op, input);
  Type element = factors.getValueType().getElementType();
  Value zeros = filledWith(
      op, apart,
      Scalar(op.getBuilder(),
             arith::ConstantOp::create(op.getBuilder(),
                                       op.getBuilder().getZeroAttr(element))));
  Tensor source = op.insert(
      factors, intermediate(op, zeros), op.indices({0, heads[0], heads[1], 0}),
      op.indices({1, window.strides[0], window.strides[1], 1}));
  KernelWindow still;
  Value first = ends.first(
      {image[0], window.output[0], window.output[1], taps[0]}, taps[0]);
  ends.finish(convolve<linalg::Conv2DNhwcFhwcOp>(
      op, source.get(), reversed(op, factorsOf(op, filter)), first, still));
  return true;
}

void nnhal::lowerToNamedProduct(OperationLowering &op, const Tensor &rows,
                                const Tensor &weights,
                                rt::FusedActivation activation) {
  Shape shape = weights.getValueType().getShape();
  int64_t batch = rows.getValueType().getDimSize(0), units = shape[0];
  ContractionEnds ends(op, activation, units, shape[1]);
  Value first = ends.first({batch, units}, units);
  auto product = linalg::MatmulTransposeBOp::create(
      op.getBuilder(), op.getBuilder().getLoc(), first.getType(),
      ValueRange{factorsOf(op, rows).get(), factorsOf(op, weights).get()},
      first);
  ends.finish(product->getResult(0));
}

//===----------------------------------------------------------------------===//
// Pools
//===----------------------------------------------------------------------===//

/// linalg has the extents of a window from a tensor whose elements nobody
/// reads.
static Value windowShape(OperationLowering &op, const NamedPool &pool,
                         Type element) {
  return tensor::EmptyOp::create(op.getBuilder(), Shape(pool.extents), element);
}

static SmallVector<int64_t> pooledShape(const NamedPool &pool,
                                        const Tensor &image) {
  RankedTensorType type = image.getValueType();
  return {type.getDimSize(0), pool.window.output[0], pool.window.output[1],
          type.getDimSize(3)};
}

template <typename Op>
static Tensor poolWindows(OperationLowering &op, const NamedPool &pool,
                          const Tensor &image, TypedAttr pad, Scalar first) {
  Value source = padded(op, image.get(), pool.window, pad);
  Value init = filledWith(op, pooledShape(pool, image), first);
  Value window = windowShape(op, pool, getElementTypeOrSelf(source));
  return intermediate(op, Op::create(op.getBuilder(), init.getType(),
                                     ValueRange{source, window}, init,
                                     pairOf(op, pool.window.strides),
                                     pairOf(op, {1, 1}))
                              .getResult(0));
}

Tensor nnhal::sumWindows(OperationLowering &op, const NamedPool &pool,
                         const Tensor &image, Scalar zero) {
  Type element = image.getValueType().getElementType();
  return poolWindows<linalg::PoolingNhwcSumOp>(
      op, pool, image, op.getBuilder().getZeroAttr(element), zero);
}

Tensor nnhal::maximizeWindows(OperationLowering &op, const NamedPool &pool,
                              const Tensor &image, Scalar lowest) {
  Type element = image.getValueType().getElementType();
  return poolWindows<linalg::PoolingNhwcMaxOp>(
      op, pool, image, op.getBuilder().getIntegerAttr(element, *lowest.known()),
      lowest);
}

Tensor nnhal::maximizeFloatWindows(OperationLowering &op, const NamedPool &pool,
                                   const Tensor &image) {
  ImplicitLocOpBuilder &builder = op.getBuilder();
  constexpr double lowest = -std::numeric_limits<double>::infinity();
  Value source =
      padded(op, image.get(), pool.window, builder.getF32FloatAttr(lowest));
  Value init = filledWith(op, pooledShape(pool, image), op.f32(lowest));
  Value window = windowShape(op, pool, builder.getF32Type());
  std::array<AffineMap, 3> maps =
      poolMaps(builder.getContext(), pool.window.strides);
  using utils::IteratorType;
  SmallVector<IteratorType> iterators(4, IteratorType::parallel);
  iterators.append(2, IteratorType::reduction);
  auto generic = linalg::GenericOp::create(
      builder, init.getType(), ValueRange{source, window}, init, maps,
      iterators, [](OpBuilder &nested, Location loc, ValueRange arguments) {
        ImplicitLocOpBuilder body(loc, nested);
        // In this order a NaN is passed over.
        Scalar largest =
            max(Scalar(body, arguments[0]), Scalar(body, arguments[2]));
        linalg::YieldOp::create(body, ValueRange{largest.get()});
      });
  return intermediate(op, generic.getResult(0));
}
