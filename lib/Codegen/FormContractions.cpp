//===- FormContractions.cpp - Contractions of linalg as micro-kernels -----===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Convolutions and products of matrices become nnk.conv_2d_fhwc: with the
// filter that the model has, what sums begin with, and the zero points of both
// factors. Of linalg, padding is a tensor.pad with 0, what sums begin with a
// linalg.broadcast of one number for each output channel, or a fill with 0, and
// a factor of 8 bits a generic that takes the zero point off as i16. How a
// target multiplies them, and in which order it wants its constants, is not
// decided here (nnk-pack-convolutions).
//
// Depthwise convolutions become nnk.depthwise_conv_2d, which computes in f32.
// Those of integers stay linalg's where f32 might not hold a sum. A constant
// bias is what sums begin with unless f32 might not hold that: then it is added
// to them as integers.
//
// The sums of floats may be rounded otherwise than linalg's, which have no
// defined order either, and the kernels leave out products of padding, which
// are NaN beside a weight that is infinite. Sums of integers are the same.
//
//===----------------------------------------------------------------------===//

#include "FormContractions.h"

#include "EpilogueCost.h"
#include "PackIntegers.h"

#include "Conversion/Common/ByteWeights.h"
#include "Conversion/Common/TensorBuilder.h"

#include "nnhal/Dialect/Kernel/Kernel.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cstring>

using namespace mlir;
using namespace nnhal;
using matchers::m_Any;

using Shape = ArrayRef<int64_t>;

bool nnhal::isContraction(linalg::LinalgOp op) {
  if (auto product = dyn_cast<linalg::MatmulTransposeBOp>(op.getOperation()))
    return product.getCast() == linalg::TypeFn::cast_signed;
  return isa<linalg::Conv2DNhwcFhwcOp, linalg::DepthwiseConv2DNhwcHwcOp,
             linalg::DepthwiseConv2DNhwcHwcmOp>(op.getOperation());
}

static Shape shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

//===----------------------------------------------------------------------===//
// Factors
//===----------------------------------------------------------------------===//

namespace {
/// The factors of a contraction as they are stored.
struct Factors {
  Value stored;
  /// The sign and the zero point, if the factors have 8 bits.
  ByteForm form;

  bool areBytes() const { return getElementTypeOrSelf(stored).isInteger(8); }
};
} // namespace

static bool isByteForm(ByteForm form) {
  int32_t low = form.isUnsigned ? 0 : INT8_MIN;
  int32_t high = form.isUnsigned ? UINT8_MAX : INT8_MAX;
  return form.zeroPoint >= low && form.zeroPoint <= high;
}

/// Returns the bytes that \p op yields as i16 less a zero point; nothing where
/// it does anything else.
static std::optional<Factors> centeredBytes(linalg::GenericOp op) {
  Value element = elementOf(op);
  if (!element || !element.getType().isInteger(16) ||
      op.getNumDpsInputs() != 1 ||
      !op.getIndexingMapsArray().front().isIdentity())
    return std::nullopt;
  BlockArgument byte = op.getBody()->getArgument(0);
  if (auto cut = element.getDefiningOp<arith::TruncIOp>())
    element = cut.getIn();
  Factors factors;
  factors.stored = op.getDpsInputOperand(0)->get();
  llvm::APInt zeroPoint;
  Value extended;
  if (matchPattern(element, m_Op<arith::SubIOp>(m_Any(&extended),
                                                m_ConstantInt(&zeroPoint)))) {
    element = extended;
    factors.form.zeroPoint = int32_t(zeroPoint.getSExtValue());
  }
  Operation *extension = element.getDefiningOp();
  factors.form.isUnsigned = isa_and_nonnull<arith::ExtUIOp>(extension);
  bool isExtension =
      factors.form.isUnsigned || isa_and_nonnull<arith::ExtSIOp>(extension);
  // A difference of bytes fits 16 bits.
  if (!isExtension || extension->getOperand(0) != byte ||
      !byte.getType().isInteger(8) ||
      element.getType().getIntOrFloatBitWidth() < 16 ||
      !isByteForm(factors.form))
    return std::nullopt;
  return factors;
}

/// The factors that \p value has, possibly in another shape; nothing where it
/// is not of f32, i8 or i16.
static std::optional<Factors> factorsOf(Value value) {
  Type element = getElementTypeOrSelf(value);
  if (element.isInteger(16))
    if (auto bytes = centeredBytes(
            behindReshapes(value).getDefiningOp<linalg::GenericOp>()))
      return bytes;
  if (element.isF32() || element.isInteger(8) || element.isInteger(16))
    return Factors{value, ByteForm()};
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// One contraction
//===----------------------------------------------------------------------===//

namespace {
/// A contraction of linalg that becomes a kernel.
class ContractionForming {
public:
  ContractionForming(linalg::LinalgOp op, FormedKernels &formed)
      : op(op), formed(formed), build(op.getLoc(), formed.getRewriter()),
        builder(build.getBuilder()) {}

  bool form();

private:
  bool isDepthwise() {
    return isa<linalg::DepthwiseConv2DNhwcHwcOp,
               linalg::DepthwiseConv2DNhwcHwcmOp>(op.getOperation());
  }
  bool isProduct() {
    return isa<linalg::MatmulTransposeBOp>(op.getOperation());
  }
  bool readFactors();
  void readWindow();
  bool hasAllWindows();
  bool readFirst();

  void readLast();

  Value inShape(Value value, Shape shape);
  Value zeros(Type element);
  Value undefined(Type element);
  Value firstInShape(Type element);
  void replaceByKernel(kernel::KernelOpInterface kernel);
  void formConvolution();
  Value floatFactors(const ByteWeights &weights);
  kernel::DepthwiseConv2DOp createDepthwise(Value factors, Value bias);
  bool formDepthwiseBytes();
  bool readsAsFloats(linalg::GenericOp reader, OpOperand &operand,
                     Value floats);
  void replaceByFloats(Value floats, Value laterBias);

  linalg::LinalgOp op;
  FormedKernels &formed;
  TensorBuilder build;
  ImplicitLocOpBuilder &builder;
  /// Without its padding.
  Value image;
  Factors input, filter;
  SmallVector<int64_t, 2> strides = {1, 1}, dilations = {1, 1};
  std::array<int64_t, 4> pads = {0, 0, 0, 0};
  /// The shapes of the kernel's filter, [out, height, width, in] or depthwise
  /// [height, width, out], and of its result, NHWC.
  SmallVector<int64_t, 4> taps, sums;
  /// The values that sums begin with, one for each output channel; null for 0.
  Value first;
  /// The operation whose result has the sums, in the kernel's shape or that of
  /// a matrix.
  Operation *last;
  /// The only reader of float sums, if it can be the kernel's epilogue; else
  /// null.
  linalg::GenericOp activation;
};
} // namespace

bool ContractionForming::readFactors() {
  Value padded = op.getDpsInputOperand(0)->get();
  Type element = getElementTypeOrSelf(padded);
  if (!element.isIntOrFloat())
    return false;
  PaddedImage found =
      isProduct() ? PaddedImage{padded}
                  : withoutPadding(padded, builder.getZeroAttr(element));
  image = found.image;
  pads = found.pads;
  std::optional<Factors> left = factorsOf(image);
  std::optional<Factors> right = factorsOf(op.getDpsInputOperand(1)->get());
  if (!left || !right)
    return false;
  input = *left;
  filter = *right;
  auto isFloat = [](Value value) {
    return getElementTypeOrSelf(value).isF32();
  };
  Type sum = getElementTypeOrSelf(op->getResult(0));
  return isFloat(input.stored) == isFloat(filter.stored) &&
         (isFloat(input.stored) ? sum.isF32() : sum.isInteger(32));
}

/// Reads how the window moves, and the shapes that a kernel has.
void ContractionForming::readWindow() {
  Shape result = shapeOf(op->getResult(0)),
        weights = shapeOf(op.getDpsInputOperand(1)->get());
  if (isProduct()) {
    taps = {weights[0], 1, 1, weights[1]};
    sums = {1, 1, result[0], result[1]};
    return;
  }
  auto read = [&](auto named) {
    strides =
        llvm::to_vector<2>(named.getStrides().template getValues<int64_t>());
    dilations =
        llvm::to_vector<2>(named.getDilations().template getValues<int64_t>());
  };
  llvm::TypeSwitch<Operation *>(op.getOperation())
      .Case<linalg::Conv2DNhwcFhwcOp, linalg::DepthwiseConv2DNhwcHwcOp,
            linalg::DepthwiseConv2DNhwcHwcmOp>(read);
  taps.assign(weights.begin(), weights.end());
  sums.assign(result.begin(), result.end());
  if (result.size() == 5) {
    // The output channels of an input channel are neighbors.
    taps = {weights[0], weights[1], weights[2] * weights[3]};
    sums = {result[0], result[1], result[2], result[3] * result[4]};
  }
}

/// Whether there is a result for each window that the image has room for.
/// linalg takes fewer results, too.
bool ContractionForming::hasAllWindows() {
  auto atLeast = [](Shape numbers, int64_t least) {
    return llvm::all_of(numbers,
                        [least](int64_t number) { return number >= least; });
  };
  if (!atLeast(strides, 1) || !atLeast(dilations, 1) || !atLeast(pads, 0) ||
      !atLeast(taps, 1) || !atLeast(sums, 1) || !atLeast(shapeOf(image), 1))
    return false;
  if (isProduct())
    return true;
  Shape window = Shape(taps).slice(isDepthwise() ? 0 : 1, 2);
  for (size_t axis : {0, 1})
    if (kernel::outputExtent(shapeOf(image)[axis + 1], window[axis],
                             strides[axis], dilations[axis], pads[2 * axis],
                             pads[2 * axis + 1]) != sums[axis + 1])
      return false;
  return true;
}

/// Reads the values that sums begin with, if there is one for each output
/// channel.
bool ContractionForming::readFirst() {
  Value init = op.getDpsInitOperand(0)->get();
  if (Attribute everywhere = filling(init))
    return everywhere == builder.getZeroAttr(getElementTypeOrSelf(init));
  auto broadcast = init.getDefiningOp<linalg::BroadcastOp>();
  if (!broadcast)
    return false;
  first = broadcast.getInput();
  auto type = cast<RankedTensorType>(first.getType());
  auto others = llvm::seq<int64_t>(0, op.getRank(op.getDpsInitOperand(0)) -
                                          type.getRank());
  return type.hasStaticShape() && type.getNumElements() == sums.back() &&
         llvm::equal(broadcast.getDimensions(), others);
}

/// Whether \p op computes an f32 from each f32 of its only operand by a few
/// instructions.
static bool isActivation(linalg::GenericOp op) {
  return isPlainElementwise(op) && elementOf(op).getType().isF32() &&
         op.getNumDpsInputs() == 1 &&
         op.getIndexingMapsArray().front().isIdentity() &&
         op.getBody()->getArgument(0).getType().isF32() &&
         !kernel::hasFunctions(*op.getBody());
}

/// Finds the operations whose results are replaced.
void ContractionForming::readLast() {
  last = op;
  auto reader = [&]() -> Operation * {
    return last->hasOneUse() ? *last->user_begin() : nullptr;
  };
  auto collapse = dyn_cast_or_null<tensor::CollapseShapeOp>(reader());
  if (collapse && collapse.getType().getShape() == Shape(sums))
    last = collapse;
  auto generic = dyn_cast_or_null<linalg::GenericOp>(reader());
  if (isActivation(generic))
    activation = generic;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// \p value in \p shape, of as many elements. A constant is shared, not copied.
Value ContractionForming::inShape(Value value, Shape shape) {
  Value behind = behindReshapes(value);
  if (shapeOf(value) == shape || shapeOf(behind) == shape)
    return shapeOf(value) == shape ? value : behind;
  if (ElementsAttr constant = foldedConstantOf(behind))
    if (TypedAttr shared = reshapeConstant(constant, shape))
      return arith::ConstantOp::create(builder, shared);
  return build.reshape(Tensor(builder, value, {}), build.indices(shape)).get();
}

/// Zeros for each output channel.
Value ContractionForming::zeros(Type element) {
  return arith::ConstantOp::create(
      builder,
      builder.getZeroAttr(RankedTensorType::get(sums.back(), element)));
}

Value ContractionForming::undefined(Type element) {
  return tensor::EmptyOp::create(builder, sums, element);
}

/// Returns the values that sums begin with, one for each output channel.
Value ContractionForming::firstInShape(Type element) {
  return first ? inShape(first, sums.back()) : zeros(element);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Replaces the sums, and of floats the activation that they go through, by the
/// result of \p kernel. Fusion would take the activation to the kernel, too,
/// but to a reduction that reads it before that.
void ContractionForming::replaceByKernel(kernel::KernelOpInterface kernel) {
  if (activation) {
    OpBuilder::InsertionGuard guard(builder);
    Block *body = activation.getBody();
    Block *block = builder.createBlock(
        &kernel.getEpilogue(), {}, builder.getF32Type(), activation.getLoc());
    IRMapping mapping;
    mapping.map(body->getArgument(0), block->getArgument(0));
    for (Operation &inner : body->without_terminator())
      builder.clone(inner, mapping);
    kernel::YieldOp::create(builder,
                            mapping.lookupOrDefault(elementOf(activation)));
    last = activation;
  }
  formed.replace(last,
                 inShape(kernel->getResult(0), shapeOf(last->getResult(0))));
}

void ContractionForming::formConvolution() {
  Type element = getElementTypeOrSelf(op->getResult(0));
  Value source = input.stored;
  // The rows of a matrix become one row of pixels.
  if (isProduct())
    source = inShape(source, {1, 1, sums[2], taps[3]});
  auto conv = kernel::Conv2DFhwcOp::create(
      builder, source, inShape(filter.stored, taps), firstInShape(element),
      undefined(element), strides, dilations, pads);
  conv.setUnsignedInput(input.form.isUnsigned);
  conv.setInputZeroPoint(input.form.zeroPoint);
  conv.setUnsignedFilter(filter.form.isUnsigned);
  conv.setFilterZeroPoint(filter.form.zeroPoint);
  replaceByKernel(conv);
}

kernel::DepthwiseConv2DOp ContractionForming::createDepthwise(Value factors,
                                                              Value bias) {
  return kernel::DepthwiseConv2DOp::create(
      builder, image, factors, bias, undefined(builder.getF32Type()), strides,
      dilations, pads, sums[3] / shapeOf(image)[3]);
}

/// The bytes of the filter less their zero point as f32.
Value ContractionForming::floatFactors(const ByteWeights &weights) {
  Type f32 = builder.getF32Type();
  if (!weights.values.empty())
    return build.constantResource(RankedTensorType::get(taps, f32),
                                  bytesOf<float>(weights.as<float>()),
                                  "filter_centered");
  Tensor bytes = integersOf(build, inShape(filter.stored, taps), filter.form);
  return build
      .define(f32, bytes.extents(),
              [&](Indices at) { return bytes.centered(at).to(f32); })
      .get();
}

/// Lets \p reader, which makes floats of the integers \p operand, read \p
/// floats in place of these. False where it does anything else with them.
bool ContractionForming::readsAsFloats(linalg::GenericOp reader,
                                       OpOperand &operand, Value floats) {
  BlockArgument sum = reader.getMatchingBlockArgument(&operand);
  if (!reader.isDpsInput(&operand) || !sum.hasOneUse() ||
      shapeOf(operand.get()) != shapeOf(floats))
    return false;
  auto real = dyn_cast<arith::SIToFPOp>(*sum.user_begin());
  if (!real || !real.getType().isF32())
    return false;
  RewriterBase &rewriter = formed.getRewriter();
  rewriter.modifyOpInPlace(reader, [&] {
    operand.set(floats);
    sum.setType(real.getType());
  });
  rewriter.replaceOp(real, sum);
  return true;
}

/// Replaces the sums, of integers, by \p floats, which are integers; plus
/// \p laterBias, if that is not null.
void ContractionForming::replaceByFloats(Value floats, Value laterBias) {
  Value old = last->getResult(0);
  auto reader = old.hasOneUse() ? dyn_cast<linalg::GenericOp>(*old.user_begin())
                                : nullptr;
  if (reader && !laterBias && readsAsFloats(reader, *old.use_begin(), floats)) {
    formed.leave(last);
    return;
  }
  Tensor reals = integersOf(build, floats, ByteForm());
  Tensor bias;
  if (laterBias)
    bias = integersOf(build, laterBias, ByteForm());
  Value integers =
      build
          .define(builder.getI32Type(), reals.extents(),
                  [&](Indices at) {
                    Scalar sum = reals.stored(at).toI32();
                    return laterBias ? sum + bias.stored({at.back()}) : sum;
                  })
          .get();
  formed.replace(last, inShape(integers, shapeOf(old)));
}

/// Forms a depthwise convolution of 8 bits, if f32 holds all sums.
bool ContractionForming::formDepthwiseBytes() {
  constexpr int64_t limit = int64_t(1) << 24;
  ByteWeights weights;
  if (std::optional<ConstantBytes> known =
          constantBehind(behindReshapes(filter.stored)))
    weights.add(known->bytes(), filter.form);
  else
    weights = ByteWeights::ofForm(filter.form);
  int64_t largestSum = weights.largestSum(taps[0] * taps[1]);
  if (!input.areBytes() || !filter.areBytes() || largestSum >= limit)
    return false;
  Type f32 = builder.getF32Type();
  Value bias, laterBias;
  if (first) {
    first = inShape(first, sums.back());
    SmallVector<int32_t> values;
    int64_t most = 0;
    if (std::optional<ConstantBytes> known = constantBehind(first)) {
      values.resize(sums.back());
      std::memcpy(values.data(), known->bytes().data(), known->bytes().size());
      for (int32_t value : values)
        most = std::max(most, std::abs(int64_t(value)));
    }
    if (values.empty() || largestSum + most >= limit)
      laterBias = first;
    else
      bias = build.constantResource(
          RankedTensorType::get(sums.back(), f32),
          bytesOf<float>(llvm::to_vector_of<float>(values)), "bias");
  }
  if (!bias)
    bias = zeros(f32);
  replaceByFloats(createDepthwise(floatFactors(weights), bias)->getResult(0),
                  laterBias);
  return true;
}

bool ContractionForming::form() {
  if (!op.hasPureTensorSemantics() || op.hasDynamicShape() || !readFactors())
    return false;
  readWindow();
  if (!hasAllWindows() || !readFirst())
    return false;
  readLast();
  builder.setInsertionPoint(activation ? activation.getOperation() : last);
  if (!isDepthwise())
    formConvolution();
  else if (getElementTypeOrSelf(image).isF32())
    replaceByKernel(createDepthwise(inShape(filter.stored, taps),
                                    firstInShape(builder.getF32Type())));
  else
    return formDepthwiseBytes();
  return true;
}

bool nnhal::formContraction(linalg::LinalgOp op, FormedKernels &formed) {
  return ContractionForming(op, formed).form();
}
