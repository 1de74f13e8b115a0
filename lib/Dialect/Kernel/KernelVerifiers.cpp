//===- KernelVerifiers.cpp - Shape rules of the micro-kernels -------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Dialect/Kernel/Kernel.h"

using namespace mlir;
using namespace nnhal::kernel;

int64_t nnhal::kernel::outputExtent(int64_t in, int64_t filter, int64_t stride,
                                    int64_t dilation, int64_t padHead,
                                    int64_t padTail) {
  int64_t effective = (filter - 1) * dilation + 1;
  return (in - effective + stride + padHead + padTail) / stride;
}

static ShapedType shaped(Value value) {
  return cast<ShapedType>(value.getType());
}

/// Unknown extents (a dynamic batch) agree with every extent.
static bool agree(int64_t a, int64_t b) {
  return ShapedType::isDynamic(a) || ShapedType::isDynamic(b) || a == b;
}

static LogicalResult checkRank(Operation *op, StringRef name, Value value,
                               int64_t rank) {
  ShapedType type = shaped(value);
  if (!type.hasRank() || type.getRank() != rank)
    return op->emitOpError()
           << name << " type " << type << " must have rank " << rank;
  return success();
}

static LogicalResult checkExtent(Operation *op, StringRef name, int64_t found,
                                 int64_t expected) {
  if (agree(found, expected))
    return success();
  return op->emitOpError() << name << " is " << found << ", expected "
                           << expected;
}

/// `values` must be `count` numbers of at least `least`.
static LogicalResult checkNumbers(Operation *op, StringRef name,
                                  ArrayRef<int64_t> values, size_t count,
                                  int64_t least) {
  if (values.size() != count)
    return op->emitOpError() << name << " has " << values.size()
                             << " elements, expected " << count;
  for (int64_t value : values)
    if (value < least)
      return op->emitOpError()
             << name << " value " << value << " must be at least " << least;
  return success();
}

/// The window of a kernel; heights first.
struct Window {
  ArrayRef<int64_t> filter, strides, dilations, pads;
};

/// Checks batch and both extents of the output against the input (M-006).
static LogicalResult checkWindow(Operation *op, Value input, Value init,
                                 const Window &window) {
  if (failed(checkNumbers(op, "strides", window.strides, 2, 1)) ||
      failed(checkNumbers(op, "dilations", window.dilations, 2, 1)) ||
      failed(checkNumbers(op, "pads", window.pads, 4, 0)))
    return failure();
  ArrayRef<int64_t> in = shaped(input).getShape();
  ArrayRef<int64_t> out = shaped(init).getShape();
  if (failed(checkExtent(op, "output batch", out[0], in[0])))
    return failure();
  static constexpr StringRef names[] = {"output height", "output width"};
  for (int dim : {0, 1}) {
    if (ShapedType::isDynamic(in[dim + 1]))
      continue;
    int64_t expected = outputExtent(
        in[dim + 1], window.filter[dim], window.strides[dim],
        window.dilations[dim], window.pads[2 * dim], window.pads[2 * dim + 1]);
    if (expected < 1)
      return op->emitOpError()
             << names[dim] << " computes to " << expected
             << ", the window does not fit into the padded input";
    if (failed(checkExtent(op, names[dim], out[dim + 1], expected)))
      return failure();
  }
  return success();
}

/// Extras must match the destination and the epilogue its extras.
static LogicalResult checkEpilogue(KernelOpInterface op) {
  ShapedType out = shaped(op.getDestination());
  if (isa<TensorType>(out) != (op->getNumResults() == 1))
    return op->emitOpError("must have one result on tensors and none on "
                           "memrefs");
  if (op->getNumResults() == 1 && op->getResult(0).getType() != out)
    return op->emitOpError() << "result type " << op->getResult(0).getType()
                             << " must be the destination's type " << out;
  for (auto [index, extra] : llvm::enumerate(op.getExtras())) {
    ShapedType type = shaped(extra);
    bool channels = type.hasRank() && type.getRank() == 1 &&
                    agree(type.getDimSize(0), out.getShape().back());
    SmallVector<int64_t> pixels(out.getShape());
    pixels.back() = 1;
    if (!channels &&
        failed(verifyCompatibleShape(type.getShape(), out.getShape())) &&
        failed(verifyCompatibleShape(type.getShape(), pixels)))
      return op->emitOpError()
             << "extra " << index << " of type " << type
             << " must have the output's shape, or one element for each of its "
                "pixels, or be a vector of its "
             << out.getShape().back() << " channels";
  }
  Region &region = op.getEpilogue();
  if (region.empty()) {
    if (!op.getExtras().empty())
      return op->emitOpError("has extras but no epilogue");
    if (out.getElementType() != op.getAccumulatorType())
      return op->emitOpError() << "stores " << op.getAccumulatorType()
                               << " into a destination of " << out;
    return success();
  }
  Block &body = region.front();
  size_t expected = op.getExtras().size() + 1;
  if (body.getNumArguments() != expected)
    return op->emitOpError() << "epilogue has " << body.getNumArguments()
                             << " arguments, expected " << expected;
  for (BlockArgument argument : body.getArguments()) {
    unsigned number = argument.getArgNumber();
    Type expectedType =
        number == 0 ? op.getAccumulatorType()
                    : shaped(op.getExtras()[number - 1]).getElementType();
    if (argument.getType() != expectedType)
      return op->emitOpError() << "epilogue argument " << number
                               << " must be of type " << expectedType;
  }
  auto yield = body.empty() ? YieldOp() : dyn_cast<YieldOp>(body.back());
  if (!yield)
    return op->emitOpError("epilogue must end in 'nnk.yield'");
  if (yield.getValue().getType() != out.getElementType())
    return op->emitOpError() << "epilogue must yield " << out.getElementType();
  for (Operation &inner : body.without_terminator())
    if (!inner.hasTrait<OpTrait::ConstantLike>() &&
        !OpTrait::hasElementwiseMappableTraits(&inner))
      return op->emitOpError() << "epilogue operation '" << inner.getName()
                               << "' is not elementwise";
  return success();
}

static LogicalResult checkElements(Operation *op, StringRef name, Value value,
                                   ArrayRef<Type> allowed) {
  Type element = shaped(value).getElementType();
  if (llvm::is_contained(allowed, element))
    return success();
  InFlightDiagnostic error = op->emitOpError() << name << " elements of type "
                                               << element << " must be ";
  llvm::interleave(allowed, error, [&](Type type) { error << type; }, " or ");
  return error;
}

/// f16 or f32 that f32 accumulates, or pairs of i16 or quads of i8 that i32
/// does.
static LogicalResult checkConvolutionElements(Conv2DOp op) {
  Builder builder(op.getContext());
  Type f32 = builder.getF32Type(), f16 = builder.getF16Type();
  Type i16 = builder.getI16Type(), i8 = builder.getI8Type();
  if (failed(checkElements(op, "input", op.getInput(), {f32, f16, i16, i8})))
    return failure();
  int64_t step = op.getStepChannels();
  if (op.getUnsignedInput() && step != 4)
    return op.emitOpError("has unsigned inputs that are not of i8");
  if (step == 1) {
    SmallVector<Type> weights = {f32};
    if (shaped(op.getInput()).getElementType() == f16)
      weights.push_back(f16);
    return success(
        succeeded(checkElements(op, "filter", op.getFilter(), weights)) &&
        succeeded(checkElements(op, "bias", op.getBias(), {f32})));
  }
  int64_t channels = shaped(op.getInput()).getDimSize(3);
  if (!ShapedType::isDynamic(channels) && channels % step != 0)
    return op.emitOpError() << "input has " << channels << " channels, "
                            << (step == 2 ? "pairs need an even number"
                                          : "quads need a multiple of 4");
  SmallVector<Type> weights = {i8};
  if (step == 2)
    weights.push_back(i16);
  return success(
      succeeded(checkElements(op, "filter", op.getFilter(), weights)) &&
      succeeded(
          checkElements(op, "bias", op.getBias(), {builder.getI32Type()})));
}

LogicalResult Conv2DOp::verify() {
  Operation *op = getOperation();
  if (failed(checkRank(op, "input", getInput(), 4)) ||
      failed(checkRank(op, "filter", getFilter(), 5)) ||
      failed(checkRank(op, "bias", getBias(), 2)) ||
      failed(checkRank(op, "output", getInit(), 4)))
    return failure();
  ArrayRef<int64_t> filter = shaped(getFilter()).getShape();
  ArrayRef<int64_t> bias = shaped(getBias()).getShape();
  if (llvm::any_of(filter, ShapedType::isDynamic))
    return emitOpError("filter must have a static shape");
  if (failed(checkConvolutionElements(*this)))
    return failure();
  int64_t panels = filter[0], width = getPanelWidth();
  bool isOneOfQuads = width == 1 && getStepChannels() == 4;
  if (!isOneOfQuads && (width < 4 || width % 4 != 0))
    return emitOpError() << "panel width " << width
                         << " must be a positive multiple of 4";
  if (failed(checkExtent(op, "input channels", shaped(getInput()).getDimSize(3),
                         filter[3] * getStepChannels())) ||
      failed(checkExtent(op, "bias panels", bias[0], panels)) ||
      failed(checkExtent(op, "bias panel width", bias[1], width)))
    return failure();
  int64_t channels = shaped(getInit()).getDimSize(3);
  if (channels > panels * width || channels <= (panels - 1) * width)
    return emitOpError() << channels << " output channels do not fill "
                         << panels << " panels of " << width;
  if (failed(checkWindow(
          op, getInput(), getInit(),
          {filter.slice(1, 2), getStrides(), getDilations(), getPads()})))
    return failure();
  return checkEpilogue(cast<KernelOpInterface>(op));
}

/// A zero point of \p type, one of the storage types of quantized tensors.
static LogicalResult checkZeroPoint(Operation *op, StringRef name,
                                    int32_t zeroPoint, Type type,
                                    bool isUnsigned) {
  if (!type.isInteger(8)) {
    if (zeroPoint == 0 && !isUnsigned)
      return success();
    return op->emitOpError() << name << " elements of type " << type
                             << " have a sign and no zero point";
  }
  int32_t low = isUnsigned ? 0 : INT8_MIN;
  int32_t high = isUnsigned ? UINT8_MAX : INT8_MAX;
  if (zeroPoint >= low && zeroPoint <= high)
    return success();
  return op->emitOpError() << name << " zero point " << zeroPoint
                           << " must be in the range [" << low << ", " << high
                           << "]";
}

/// f32 alone, or integers that i32 accumulates, without an epilogue.
static LogicalResult checkPlainElements(Conv2DFhwcOp op) {
  Builder builder(op.getContext());
  Type f32 = builder.getF32Type(), i32 = builder.getI32Type();
  Type i16 = builder.getI16Type(), i8 = builder.getI8Type();
  if (failed(checkElements(op, "input", op.getInput(), {f32, i16, i8})))
    return failure();
  Type input = shaped(op.getInput()).getElementType();
  Type filter = shaped(op.getFilter()).getElementType();
  bool isFloat = input == f32;
  SmallVector<Type> weights =
      isFloat ? SmallVector<Type>{f32} : SmallVector<Type>{i16, i8};
  if (failed(checkElements(op, "filter", op.getFilter(), weights)) ||
      failed(checkElements(op, "bias", op.getBias(), {isFloat ? f32 : i32})) ||
      failed(checkZeroPoint(op, "input", op.getInputZeroPoint(), input,
                            op.getUnsignedInput())) ||
      failed(checkZeroPoint(op, "filter", op.getFilterZeroPoint(), filter,
                            op.getUnsignedFilter())))
    return failure();
  if (!isFloat && !op.getEpilogue().empty())
    return op.emitOpError("of integers has no epilogue before it is packed");
  return success();
}

LogicalResult Conv2DFhwcOp::verify() {
  Operation *op = getOperation();
  if (failed(checkRank(op, "input", getInput(), 4)) ||
      failed(checkRank(op, "filter", getFilter(), 4)) ||
      failed(checkRank(op, "bias", getBias(), 1)) ||
      failed(checkRank(op, "output", getInit(), 4)))
    return failure();
  for (Value value : {getInput(), getFilter(), getBias(), getInit()})
    if (!shaped(value).hasStaticShape())
      return emitOpError() << "has an operand of type " << value.getType()
                           << ", all extents must be known";
  if (failed(checkPlainElements(*this)))
    return failure();
  if (shaped(getFilter()).getNumElements() == 0)
    return emitOpError() << "has a filter of type " << getFilter().getType()
                         << ", which has no elements";
  ArrayRef<int64_t> filter = shaped(getFilter()).getShape();
  if (failed(checkExtent(op, "input channels", shaped(getInput()).getDimSize(3),
                         filter[3])) ||
      failed(checkExtent(op, "bias channels", shaped(getBias()).getDimSize(0),
                         filter[0])) ||
      failed(checkExtent(op, "output channels", shaped(getInit()).getDimSize(3),
                         filter[0])) ||
      failed(checkWindow(
          op, getInput(), getInit(),
          {filter.slice(1, 2), getStrides(), getDilations(), getPads()})))
    return failure();
  return checkEpilogue(cast<KernelOpInterface>(op));
}

LogicalResult DepthwiseConv2DOp::verify() {
  Operation *op = getOperation();
  if (failed(checkRank(op, "input", getInput(), 4)) ||
      failed(checkRank(op, "filter", getFilter(), 3)) ||
      failed(checkRank(op, "bias", getBias(), 1)) ||
      failed(checkRank(op, "output", getInit(), 4)))
    return failure();
  Builder builder(getContext());
  Type f32 = builder.getF32Type();
  if (failed(checkElements(op, "input", getInput(),
                           {f32, builder.getF16Type(), builder.getI8Type(),
                            builder.getI16Type()})) ||
      failed(checkElements(op, "filter", getFilter(), {f32})) ||
      failed(checkElements(op, "bias", getBias(), {f32})))
    return failure();
  int64_t multiplier = getDepthMultiplier();
  if (multiplier < 1)
    return emitOpError() << "depth multiplier " << multiplier
                         << " must be at least 1";
  ArrayRef<int64_t> filter = shaped(getFilter()).getShape();
  if (llvm::any_of(filter, ShapedType::isDynamic))
    return emitOpError("filter must have a static shape");
  int64_t channels = shaped(getInput()).getDimSize(3);
  if (!ShapedType::isDynamic(channels) &&
      failed(checkExtent(op, "output channels", shaped(getInit()).getDimSize(3),
                         channels * multiplier)))
    return failure();
  if (failed(checkExtent(op, "filter channels", filter[2],
                         shaped(getInit()).getDimSize(3))) ||
      failed(checkExtent(op, "bias channels", shaped(getBias()).getDimSize(0),
                         filter[2])) ||
      failed(checkWindow(
          op, getInput(), getInit(),
          {filter.take_front(2), getStrides(), getDilations(), getPads()})))
    return failure();
  return checkEpilogue(cast<KernelOpInterface>(op));
}

LogicalResult Pool2DOp::verify() {
  Operation *op = getOperation();
  if (failed(checkRank(op, "input", getInput(), 4)) ||
      failed(checkRank(op, "output", getInit(), 4)) ||
      failed(checkElements(
          op, "input", getInput(),
          {Float32Type::get(getContext()), Float16Type::get(getContext())})) ||
      failed(checkNumbers(op, "window", getWindow(), 2, 1)) ||
      failed(checkWindow(op, getInput(), getInit(),
                         {getWindow(), getStrides(), {1, 1}, getPads()})) ||
      failed(checkExtent(op, "output channels", shaped(getInit()).getDimSize(3),
                         shaped(getInput()).getDimSize(3))))
    return failure();
  // A window that lies in the padding has neither a maximum nor a mean.
  for (auto [index, pad] : llvm::enumerate(getPads()))
    if (pad >= getWindow()[index / 2])
      return emitOpError() << "padding " << pad
                           << " must be smaller than the window extent "
                           << getWindow()[index / 2];
  return checkEpilogue(cast<KernelOpInterface>(op));
}
