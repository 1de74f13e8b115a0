//===- PackIntegers.cpp - Convolutions of integers in panels --------------===//
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
// runs. A constant bias is what sums begin with.
//
//===----------------------------------------------------------------------===//

#include "PackIntegers.h"

#include "ComputedPanels.h"

#include "Conversion/Common/ByteWeights.h"
#include "Conversion/Common/TensorBuilder.h"

#include "nnhal/Dialect/Kernel/Packing.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cstring>

using namespace mlir;
using namespace nnhal;
using rt::OperandType;

std::optional<ConstantBytes> nnhal::constantBehind(Value value) {
  Operation *op = value.getDefiningOp();
  if (op && isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
    value = op->getOperand(0);
  ElementsAttr constant = foldedConstantOf(value);
  return constant ? ConstantBytes::of(constant) : std::nullopt;
}

Tensor nnhal::integersOf(TensorBuilder &build, Value value, ByteForm form) {
  rt::TensorType type;
  type.type = !getElementTypeOrSelf(value).isInteger(8)
                  ? OperandType::TENSOR_QUANT16_SYMM
              : form.isUnsigned ? OperandType::TENSOR_QUANT8_ASYMM
                                : OperandType::TENSOR_QUANT8_ASYMM_SIGNED;
  type.zeroPoint = form.zeroPoint;
  return {build.getBuilder(), value, type};
}

//===----------------------------------------------------------------------===//
// Filters
//===----------------------------------------------------------------------===//

using Shape = std::array<int64_t, 4>;

/// The rows of \p values, of \p size elements, each after \p lead zeros and
/// with zeros up to \p padded.
static SmallVector<int16_t> padRows(ArrayRef<int16_t> values, int64_t size,
                                    int64_t padded, int64_t lead = 0) {
  SmallVector<int16_t> result;
  for (; !values.empty(); values = values.drop_front(size)) {
    result.append(lead, 0);
    result.append(values.begin(), values.begin() + size);
    result.append(padded - lead - size, 0);
  }
  return result;
}

/// \p weights, a filter \p ohwi, in panels of \p width pairs: of i8 where all
/// of them fit. An odd number of channels is padded.
static Value packPairs(TensorBuilder &build, const ByteWeights &weights,
                       const Shape &ohwi, int64_t width) {
  int64_t channels = llvm::alignTo(ohwi[3], 2);
  SmallVector<int16_t> rows = padRows(weights.values, ohwi[3], channels);
  bool isNarrow = weights.fitsI8();
  SmallVector<int8_t> narrow;
  if (isNarrow)
    narrow = llvm::to_vector_of<int8_t>(rows);
  // A pair is one element for packing.
  std::vector<char> packed = kernel::packConvFilter(
      isNarrow ? bytesOf<int8_t>(narrow) : bytesOf<int16_t>(rows),
      {ohwi[0], ohwi[1], ohwi[2], channels / 2}, width, isNarrow ? 2 : 4);
  Builder &builder = build.getBuilder();
  auto type = RankedTensorType::get({kernel::panelCount(ohwi[0], width),
                                     ohwi[1], ohwi[2], channels / 2, 2 * width},
                                    isNarrow ? builder.getI8Type()
                                             : builder.getI16Type());
  return build.constantResource(type, packed, "filter_packed");
}

/// The bytes of a filter \p ohwi, in panels of \p width quads. Channels are
/// padded to whole ones.
static Value packQuads(TensorBuilder &build, ArrayRef<int8_t> values,
                       const Shape &ohwi, int64_t width) {
  int64_t quads = llvm::divideCeil(ohwi[3], 4);
  SmallVector<int8_t> rows;
  for (; !values.empty(); values = values.drop_front(ohwi[3])) {
    rows.append(values.begin(), values.begin() + ohwi[3]);
    rows.append(4 * quads - ohwi[3], 0);
  }
  std::vector<char> packed = kernel::packConvFilter(
      bytesOf<int8_t>(rows), {ohwi[0], ohwi[1], ohwi[2], quads}, width);
  auto type = RankedTensorType::get(
      {kernel::panelCount(ohwi[0], width), ohwi[1], ohwi[2], quads, 4 * width},
      build.getBuilder().getI8Type());
  return build.constantResource(type, packed, "filter_packed");
}

static ByteForm inputForm(kernel::Conv2DFhwcOp op) {
  return {op.getUnsignedInput(), int32_t(op.getInputZeroPoint())};
}

static ByteForm filterForm(kernel::Conv2DFhwcOp op) {
  return {op.getUnsignedFilter(), int32_t(op.getFilterZeroPoint())};
}

/// The weights of \p op less their zero point, constant or not.
static ByteWeights weightsOf(kernel::Conv2DFhwcOp op) {
  bool isNarrow = getElementTypeOrSelf(op.getFilter()).isInteger(8);
  std::optional<ConstantBytes> constant = constantBehind(op.getFilter());
  ByteWeights weights;
  if (!constant) {
    if (isNarrow)
      return ByteWeights::ofForm(filterForm(op));
    weights.largest = -int64_t(INT16_MIN);
  } else if (isNarrow) {
    weights.add(constant->bytes(), filterForm(op));
  } else {
    SmallVector<int16_t> numbers(constant->bytes().size() / sizeof(int16_t));
    std::memcpy(numbers.data(), constant->bytes().data(),
                numbers.size() * sizeof(int16_t));
    weights.add(numbers);
  }
  return weights;
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

/// \p integers less their zero point, with zeros from the last channel on.
static Tensor centered(TensorBuilder &build, const Tensor &integers,
                       Type element, int64_t channels) {
  SmallVector<Scalar> extents = integers.extents();
  int64_t existing = *extents.back().known();
  bool isPlain = integers.getValueType().getElementType() == element;
  if (isPlain && existing == channels)
    return integers;
  extents.back() = build.index(channels);
  if (isPlain) {
    Tensor zeros = build.define(element, extents, [&](Indices) {
      return Scalar::integer(build.getBuilder(), element, 0);
    });
    return build.insert(integers, zeros,
                        SmallVector<Scalar>(extents.size(), build.index(0)));
  }
  return build.define(element, extents, [&](Indices at) {
    if (existing == channels)
      return integers.centered(at).to(element);
    SmallVector<Scalar> from(at);
    from.back() = min(at.back(), double(existing - 1));
    Scalar value = integers.centered(from);
    return select(at.back() < double(existing), value, value.like(0))
        .to(element);
  });
}

namespace {
struct Window {
  explicit Window(kernel::Conv2DFhwcOp op)
      : strides(op.getStrides()), dilations(op.getDilations()),
        pads(op.getPads()) {}

  SmallVector<int64_t, 2> strides, dilations;
  /// [top, bottom, left, right].
  SmallVector<int64_t, 4> pads;
};

/// The inputs of a contraction in quads: unsigned or not, as the target's
/// instruction takes them.
struct QuadInput {
  QuadInput(QuadSigns signs, const Tensor &input);

  /// With padding and channels up to a multiple of 4, where what stands for
  /// real 0 is.
  Tensor build(TensorBuilder &build, const Window &window) const;

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

Tensor QuadInput::build(TensorBuilder &build, const Window &window) const {
  Type i8 = build.getBuilder().getI8Type();
  SmallVector<Scalar> extents = stored.extents();
  Tensor source = stored;
  if (isShifted)
    source = build.define(i8, extents, [&](Indices at) {
      return stored.stored(at) + double(INT8_MIN);
    });
  int64_t channels = *extents[3].known();
  int64_t top = window.pads[0], left = window.pads[2];
  if (llvm::all_of(window.pads, [](int64_t pad) { return pad == 0; }) &&
      channels % 4 == 0)
    return source;
  extents[1] = extents[1] + double(top + window.pads[1]);
  extents[2] = extents[2] + double(left + window.pads[3]);
  extents[3] = build.index(llvm::alignTo(channels, 4));
  Tensor zeros = build.define(i8, extents, [&](Indices) {
    return Scalar::integer(build.getBuilder(), i8, int8_t(zeroPoint));
  });
  return build.insert(source, zeros, build.indices({0, top, left, 0}));
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

namespace {
/// Builds the kernels of one convolution.
class IntegerPacking {
public:
  IntegerPacking(kernel::Conv2DFhwcOp op, OpBuilder &builder,
                 const LoweringPolicy &policy);

  Value pack();

private:
  Tensor centered(Type element, int64_t channels) {
    return ::centered(build, input, element, channels);
  }
  void readBias();
  bool takesQuads() const;
  /// Whether f32 holds every sum of products; if so, and not with the bias,
  /// the bias is added later.
  bool isExactInF32();
  Value start(Type element, ArrayRef<int64_t> shape);
  void convolveQuads(QuadSigns signs);
  kernel::Conv2DOp multiplyQuads(const Tensor &source, bool isUnsigned,
                                 ArrayRef<int8_t> values, const Shape &shape,
                                 ArrayRef<int32_t> start);
  void convolvePairs();
  Value packInPairs();
  bool convolveRowsInPairs();
  void convolveFloats();
  void createConvolution(Value source, Value packed, Value start,
                         const Window &kernelWindow);
  Value undefined(Type element) {
    return tensor::EmptyOp::create(builder, sumShape, element);
  }
  Value finish();

  kernel::Conv2DFhwcOp op;
  TensorBuilder build;
  ImplicitLocOpBuilder &builder;
  const LoweringPolicy &policy;
  Tensor input;
  ByteWeights weights;
  Window window;
  Shape ohwi;
  /// Output channels of a panel.
  int64_t width;
  SmallVector<int64_t> sumShape;
  /// Sums begin with these; none where the model computes the bias.
  SmallVector<int32_t> bias;
  Value sums;
  // To be added to the sums, if there is something: to those of all channels of
  // a pixel, and to those of a channel.
  Tensor pixelSums, laterBias;
};
} // namespace

IntegerPacking::IntegerPacking(kernel::Conv2DFhwcOp op, OpBuilder &builder,
                               const LoweringPolicy &policy)
    : op(op), build(op.getLoc(), builder), builder(build.getBuilder()),
      policy(policy), input(integersOf(build, op.getInput(), inputForm(op))),
      weights(weightsOf(op)), window(op) {
  llvm::copy(cast<RankedTensorType>(op.getFilter().getType()).getShape(),
             ohwi.begin());
  width = policy.panelWidth(ohwi[0]);
  sumShape.assign(cast<RankedTensorType>(op.getInit().getType()).getShape());
}

void IntegerPacking::readBias() {
  if (std::optional<ConstantBytes> known = constantBehind(op.getBias())) {
    bias.resize(ohwi[0]);
    std::memcpy(bias.data(), known->bytes().data(), known->bytes().size());
  } else {
    laterBias = integersOf(build, op.getBias(), ByteForm());
  }
}

bool IntegerPacking::takesQuads() const {
  return input.getValueType().getElementType().isInteger(8) &&
         weights.spansI8() && !weights.values.empty();
}

bool IntegerPacking::isExactInF32() {
  constexpr int64_t limit = int64_t(1) << 24;
  int64_t largestSum = weights.largestSum(ohwi[1] * ohwi[2] * ohwi[3]);
  if (!input.getValueType().getElementType().isInteger(8) ||
      largestSum >= limit)
    return false;
  int64_t largest = 0;
  for (int32_t value : bias)
    largest = std::max(largest, std::abs(int64_t(value)));
  if (largestSum + largest >= limit) {
    bias.clear();
    laterBias = integersOf(build, op.getBias(), ByteForm());
  }
  return true;
}

/// The numbers that accumulators start with: the bias, if it is known, else
/// zeros.
Value IntegerPacking::start(Type element, ArrayRef<int64_t> shape) {
  auto type = RankedTensorType::get(shape, element);
  SmallVector<int32_t> values(bias);
  values.resize(type.getNumElements());
  if (element.isF32())
    return build.constantResource(
        type, bytesOf<float>(llvm::to_vector_of<float>(values)), "bias_packed");
  return build.constantResource(type, bytesOf<int32_t>(values), "bias_packed");
}

void IntegerPacking::createConvolution(Value source, Value packed, Value start,
                                       const Window &kernelWindow) {
  sums = kernel::Conv2DOp::create(builder, source, packed, start,
                                  undefined(getElementTypeOrSelf(start)),
                                  kernelWindow.strides, kernelWindow.dilations,
                                  kernelWindow.pads)
             ->getResult(0);
}

/// A convolution without padding whose sums begin with \p start.
kernel::Conv2DOp IntegerPacking::multiplyQuads(const Tensor &source,
                                               bool isUnsigned,
                                               ArrayRef<int8_t> values,
                                               const Shape &shape,
                                               ArrayRef<int32_t> start) {
  Type i32 = builder.getI32Type();
  int64_t lanes = shape[0] == 1 ? 1 : policy.panelWidth(shape[0]);
  int64_t panels = kernel::panelCount(shape[0], lanes);
  SmallVector<int32_t> padded(start);
  padded.resize(panels * lanes);
  Value first =
      build.constantResource(RankedTensorType::get({panels, lanes}, i32),
                             bytesOf<int32_t>(padded), "bias_packed");
  SmallVector<int64_t> result(sumShape);
  result.back() = shape[0];
  auto conv = kernel::Conv2DOp::create(
      builder, source.get(), packQuads(build, values, shape, lanes), first,
      tensor::EmptyOp::create(builder, result, i32), window.strides,
      window.dilations, std::array<int64_t, 4>());
  conv.setUnsignedInput(isUnsigned);
  return conv;
}

/// With x the inputs, z what stands for their real 0, and w the weights less
/// their zero point, the sum of (x - z) w is that of x v, less z times the sum
/// of v, plus c times the sum of x - z, where w = v + c, and v fits 8 bits. All
/// modulo 2^32.
void IntegerPacking::convolveQuads(QuadSigns signs) {
  QuadInput quads(signs, input);
  Tensor source = quads.build(build, window);
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
  pixelSums = build.define(type, inputSums.extents(), [&](Indices at) {
    return inputSums.stored(at) * double(excess);
  });
}

Value IntegerPacking::packInPairs() {
  if (!weights.values.empty())
    return packPairs(build, weights, ohwi, width);
  int64_t channels = llvm::alignTo(ohwi[3], 2);
  ByteForm form = filterForm(op);
  Tensor filter = integersOf(build, op.getFilter(), form);
  Type element = filter.getValueType().getElementType();
  // Bytes that are no others less a zero point stay bytes.
  if (form.isUnsigned || form.zeroPoint != 0)
    element = builder.getI16Type();
  Tensor factors = ::centered(build, filter, element, channels);
  return packComputedPanels(build, factors,
                            {ohwi[0], ohwi[1], ohwi[2], channels}, width,
                            /*group=*/2);
}

void IntegerPacking::convolvePairs() {
  Value packed = packInPairs();
  createConvolution(
      centered(builder.getI16Type(), llvm::alignTo(ohwi[3], 2)).get(), packed,
      start(builder.getI32Type(), {kernel::panelCount(ohwi[0], width), width}),
      window);
}

/// An odd number of channels: the elements of a row, whatever pixel they belong
/// to, are taken in pairs, and the window moves by whole pairs. Where it begins
/// or ends within one, a weight is zero.
bool IntegerPacking::convolveRowsInPairs() {
  ArrayRef<int64_t> shape = input.getValueType().getShape();
  int64_t channels = ohwi[3], rowSize = shape[2] * channels;
  int64_t step = window.strides[1] * channels;
  int64_t padHead = window.pads[2] * channels;
  if (window.dilations[1] != 1 || step % 2 != 0 || rowSize % 2 != 0)
    return false;
  int64_t lead = padHead % 2;
  int64_t size = ohwi[2] * channels;
  int64_t padded = llvm::alignTo(lead + size, 2);
  ByteWeights rows =
      weights.withValues(padRows(weights.values, size, padded, lead));
  Shape pairs = {ohwi[0], ohwi[1], padded / 2, 2};
  Window inPairs = window;
  inPairs.strides[1] = step / 2;
  inPairs.pads[2] = (padHead + lead) / 2;
  int64_t end = (sumShape[2] - 1) * inPairs.strides[1] + pairs[2];
  inPairs.pads[3] = std::max<int64_t>(end - inPairs.pads[2] - rowSize / 2, 0);
  Tensor source =
      build.reshape(centered(builder.getI16Type(), channels),
                    build.indices({shape[0], shape[1], rowSize / 2, 2}));
  createConvolution(
      source.get(), packPairs(build, rows, pairs, width),
      start(builder.getI32Type(), {kernel::panelCount(ohwi[0], width), width}),
      inPairs);
  return true;
}

void IntegerPacking::convolveFloats() {
  int64_t panels = kernel::panelCount(ohwi[0], width);
  Type f32 = builder.getF32Type();
  std::vector<char> packed =
      kernel::packConvFilter(bytesOf<float>(weights.as<float>()), ohwi, width);
  auto type =
      RankedTensorType::get({panels, ohwi[1], ohwi[2], ohwi[3], width}, f32);
  createConvolution(centered(f32, ohwi[3]).get(),
                    build.constantResource(type, packed, "filter_packed"),
                    start(f32, {panels, width}), window);
}

Value IntegerPacking::pack() {
  readBias();
  std::optional<QuadSigns> signs = policy.quadSigns(ohwi[3]);
  bool isOdd = ohwi[3] % 2 != 0;
  // A copy that pads an odd number of channels costs more than pairs gain, but
  // for products of matrices: of those the weights are most of what is read.
  bool isProduct = sumShape[1] == 1 && ohwi[1] == 1 && ohwi[2] == 1;
  if (signs && takesQuads())
    convolveQuads(*signs);
  else if (weights.values.empty() || !isOdd)
    convolvePairs();
  else if (!convolveRowsInPairs()) {
    if (!isProduct && isExactInF32())
      convolveFloats();
    else
      convolvePairs();
  }
  return finish();
}

/// The sums with what is added later, as i32.
Value IntegerPacking::finish() {
  rt::TensorType type;
  type.type = OperandType::TENSOR_INT32;
  if (getElementTypeOrSelf(sums).isF32())
    type.type = OperandType::TENSOR_FLOAT32;
  else if (!pixelSums.get() && !laterBias.get())
    return sums;
  Tensor accumulated(builder, sums, type);
  type.type = OperandType::TENSOR_INT32;
  return build
      .define(type, accumulated.extents(),
              [&](Indices at) {
                Scalar sum = accumulated.stored(at).toI32();
                if (pixelSums.get()) {
                  SmallVector<Scalar> pixel(at);
                  pixel.back() = build.index(0);
                  sum = sum + pixelSums.stored(pixel);
                }
                return laterBias.get() ? sum + laterBias.stored({at.back()})
                                       : sum;
              })
      .get();
}

Value nnhal::packIntegers(kernel::Conv2DFhwcOp op, OpBuilder &builder,
                          const LoweringPolicy &policy) {
  return IntegerPacking(op, builder, policy).pack();
}
