//===- TFLiteDialect.cpp - Operators that become code ---------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TFLiteDialect.h"

#include "ElementUse.h"
#include "Raising.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/Dialect/Traits.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;
using namespace nnhal;
using namespace nnhal::tflite;

#include "TFLiteDialect.cpp.inc"
#include "TFLiteEnums.cpp.inc"

#define GET_OP_CLASSES
#include "TFLiteOps.cpp.inc"

void TFLiteDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "TFLiteOps.cpp.inc"
      >();
  addInterfaces<TFLiteRaising>();
}

static LogicalResult verifyKnown(Operation *op) {
  for (Type type :
       llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()))
    if (!cast<RankedTensorType>(type).hasStaticShape())
      return op->emitOpError("has a tensor of type ")
             << type << ", whose extents must be known";
  return success();
}

/// Elements of \p moved, which are only moved, keep their type.
static LogicalResult verifyMoved(Operation *op, ValueRange moved) {
  if (failed(verifyKnown(op)))
    return failure();
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  for (Type type : moved.getTypes())
    if (getElementTypeOrSelf(type) != element)
      return op->emitOpError("has an operand of type ")
             << type << ", but a result with elements of type " << element;
  return success();
}

static LogicalResult verifyMoved(Operation *op) {
  return verifyMoved(op, op->getOperands());
}

static LogicalResult verifyActivation(Operation *op, uint32_t activation) {
  if (isActivation(activation))
    return success();
  return op->emitOpError("has the activation ")
         << activation << ", which is none of 0 to 3";
}

LogicalResult ElementwiseOp::verify() {
  if (failed(verifyKnown(*this)) ||
      failed(verifyActivation(*this, getActivation())))
    return failure();
  auto result = cast<RankedTensorType>(getResult().getType());
  std::optional<SmallVector<int64_t>> shape =
      broadcastShape(getFunction(), getInputs().getTypes(), result);
  if (!shape)
    return emitOpError("has inputs that do not broadcast");
  if (ArrayRef(*shape) != result.getShape())
    return emitOpError("has a result of type ")
           << result << ", which is not the shape that the inputs broadcast to";
  StringRef reason = whyElementwiseIsCalled(
      getFunction(), getInputs().getTypes(), getResult().getType());
  return reason.empty() ? success() : emitOpError(reason);
}

LogicalResult tflite::ReshapeOp::verify() {
  if (failed(verifyMoved(*this)))
    return failure();
  std::optional<int64_t> input = elementsOf(getInput().getType().getShape());
  std::optional<int64_t> result = elementsOf(getResult().getType().getShape());
  if (!input || !result)
    return emitOpError("has more elements than 63 bits count");
  if (*input == *result)
    return success();
  return emitOpError("has ") << *input << " elements in its input and "
                             << *result << " in its result";
}

/// Each of \p numbers is one from \p least to \p most.
static LogicalResult verifyBounds(Operation *op, StringRef name,
                                  ArrayRef<int32_t> numbers, int32_t least,
                                  int32_t most) {
  for (int32_t number : numbers)
    if (number < least || number > most)
      return op->emitOpError("has the ")
             << name << " " << number << ", which is none of " << least
             << " to " << most;
  return success();
}

static LogicalResult verifyPlaces(Operation *op, bool areWithin) {
  return areWithin ? success()
                   : op->emitOpError("has places outside of a tensor");
}

/// Whether \p count places from \p first on, which are \p stride apart, are
/// within \p extent. The stride has a magnitude of 63 bits.
static bool areWithin(int64_t first, int64_t stride, int64_t count,
                      int64_t extent) {
  int64_t distance, last;
  if (stride == 0 || stride == std::numeric_limits<int64_t>::min())
    return false;
  if (count == 0)
    return true;
  return !llvm::MulOverflow(stride, count - 1, distance) &&
         !llvm::AddOverflow(first, distance, last) &&
         std::min(first, last) >= 0 && std::max(first, last) < extent;
}

LogicalResult tflite::SliceOp::verify() {
  if (failed(verifyMoved(*this)))
    return failure();
  ArrayRef<int64_t> input = getInput().getType().getShape();
  ArrayRef<int64_t> result = getResult().getType().getShape();
  bool isWithin = input.size() == result.size() &&
                  input.size() == getOffsets().size() &&
                  input.size() == getStrides().size();
  for (size_t axis = 0; isWithin && axis < input.size(); ++axis)
    isWithin = areWithin(getOffsets()[axis], getStrides()[axis], result[axis],
                         input[axis]);
  return verifyPlaces(*this, isWithin);
}

LogicalResult tflite::TransposeOp::verify() {
  if (failed(verifyMoved(*this)))
    return failure();
  ArrayRef<int64_t> input = getInput().getType().getShape();
  ArrayRef<int64_t> permutation = getPermutation();
  bool areWithin =
      permutation.size() == input.size() && isPermutationVector(permutation) &&
      llvm::equal(getResult().getType().getShape(),
                  llvm::map_range(permutation,
                                  [&](int64_t axis) { return input[axis]; }));
  return verifyPlaces(*this, areWithin);
}

LogicalResult ConcatenateOp::verify() {
  if (failed(verifyMoved(*this)))
    return failure();
  ArrayRef<int64_t> result = getResult().getType().getShape();
  bool areWithin = getAxis() < result.size();
  int64_t sum = 0;
  for (Value input : getInputs()) {
    auto part = cast<RankedTensorType>(input.getType()).getShape();
    areWithin = areWithin && part.size() == result.size();
    for (size_t axis = 0; areWithin && axis < result.size(); ++axis)
      areWithin = axis == getAxis() || part[axis] == result[axis];
    areWithin = areWithin && !llvm::AddOverflow(sum, part[getAxis()], sum);
  }
  return verifyPlaces(*this, areWithin && sum == result[getAxis()] &&
                                 !getInputs().empty());
}

LogicalResult tflite::PadOp::verify() {
  if (failed(verifyMoved(*this)))
    return failure();
  ArrayRef<int64_t> input = getInput().getType().getShape();
  ArrayRef<int64_t> result = getResult().getType().getShape();
  bool areWithin =
      input.size() == result.size() && input.size() == getLow().size() &&
      (!getValue() || elementsOf(getValue().getType().getShape()) == 1);
  for (size_t axis = 0; areWithin && axis < input.size(); ++axis)
    areWithin =
        getLow()[axis] >= 0 && getLow()[axis] <= result[axis] - input[axis];
  return verifyPlaces(*this, areWithin);
}

LogicalResult tflite::PoolOp::verify() {
  if (failed(verifyKnown(*this)) ||
      failed(verifyActivation(*this, getActivation())))
    return failure();
  bool areWithin =
      (getReducer() == Reducer::mean || getReducer() == Reducer::maximum) &&
      hasWindows(getInput().getType().getShape(),
                 getResult().getType().getShape(), getFilter(), getStrides());
  if (failed(verifyPlaces(*this, areWithin)))
    return failure();
  StringRef reason = whyPoolIsCalled(getReducer(), getInput().getType(),
                                     getResult().getType(), getFilter());
  return reason.empty() ? success() : emitOpError(reason);
}

LogicalResult ReduceOp::verify() {
  if (failed(verifyKnown(*this)))
    return failure();
  ArrayRef<int64_t> input = getInput().getType().getShape();
  SmallVector<int64_t> kept;
  for (auto [axis, extent] : llvm::enumerate(input))
    if (!llvm::is_contained(getAxes(), int64_t(axis)))
      kept.push_back(extent);
  bool areWithin = llvm::is_sorted(getAxes(), std::less_equal<>()) &&
                   kept.size() + getAxes().size() == input.size() &&
                   getResult().getType().getShape() == ArrayRef(kept);
  if (failed(verifyPlaces(*this, areWithin)))
    return failure();
  StringRef reason = whyReduceIsCalled(getReducer(), getInput().getType(),
                                       getResult().getType());
  return reason.empty() ? success() : emitOpError(reason);
}

LogicalResult tflite::SoftmaxOp::verify() {
  if (failed(verifyKnown(*this)))
    return failure();
  StringRef reason = whySoftmaxIsCalled(
      getInput().getType(), getResult().getType(), getBeta().convertToFloat());
  return reason.empty() ? success() : emitOpError(reason);
}

LogicalResult tflite::NormalizeOp::verify() {
  if (failed(verifyKnown(*this)))
    return failure();
  StringRef reason =
      whyNormalizeIsCalled(getInput().getType(), getResult().getType());
  return reason.empty() ? success() : emitOpError(reason);
}

/// \p shape without dimension \p axis; none where it has no such one.
static std::optional<SmallVector<int64_t>> withoutAxis(ArrayRef<int64_t> shape,
                                                       uint64_t axis) {
  if (axis >= shape.size())
    return std::nullopt;
  SmallVector<int64_t> rest(shape);
  rest.erase(rest.begin() + int64_t(axis));
  return rest;
}

LogicalResult tflite::ArgOp::verify() {
  if (failed(verifyKnown(*this)))
    return failure();
  ArrayRef<int64_t> shape = getInput().getType().getShape();
  auto rest = withoutAxis(shape, getAxis());
  bool areWithin =
      (getReducer() == Reducer::maximum || getReducer() == Reducer::minimum) &&
      rest && shape[getAxis()] > 0 &&
      getResult().getType().getShape() == ArrayRef(*rest);
  if (failed(verifyPlaces(*this, areWithin)))
    return failure();
  StringRef reason =
      whyArgIsCalled(getInput().getType(), getResult().getType(), getAxis());
  return reason.empty() ? success() : emitOpError(reason);
}

static LogicalResult verifyIndices(Operation *op, Type indices) {
  std::optional<IntegerForm> form = integerFormOf(indices);
  return form && form->isSigned && form->bits > 8
             ? success()
             : op->emitOpError("has indices of type ")
                   << indices << ", which are no integers of 16 bits or more";
}

LogicalResult tflite::GatherOp::verify() {
  if (failed(verifyMoved(*this, getInput())) ||
      failed(verifyIndices(*this, getIndices().getType())))
    return failure();
  ArrayRef<int64_t> input = getInput().getType().getShape();
  ArrayRef<int64_t> indices = getIndices().getType().getShape();
  uint64_t axis = getAxis(), batch = getBatch();
  bool areWithin = axis < input.size() && batch <= axis &&
                   batch <= indices.size() && input[axis] > 0 &&
                   input.take_front(batch) == indices.take_front(batch);
  if (areWithin) {
    SmallVector<int64_t> expected(input.take_front(axis));
    llvm::append_range(expected, indices.drop_front(batch));
    llvm::append_range(expected, input.drop_front(axis + 1));
    areWithin = getResult().getType().getShape() == ArrayRef(expected);
  }
  return verifyPlaces(*this, areWithin);
}

LogicalResult tflite::GatherNdOp::verify() {
  if (failed(verifyMoved(*this, getInput())) ||
      failed(verifyIndices(*this, getIndices().getType())))
    return failure();
  ArrayRef<int64_t> input = getInput().getType().getShape();
  ArrayRef<int64_t> indices = getIndices().getType().getShape();
  bool areWithin = !indices.empty() && indices.back() > 0 &&
                   indices.back() <= int64_t(input.size());
  if (areWithin) {
    auto depth = size_t(indices.back());
    SmallVector<int64_t> expected(indices.drop_back());
    llvm::append_range(expected, input.drop_front(depth));
    areWithin = !llvm::is_contained(input.take_front(depth), 0) &&
                getResult().getType().getShape() == ArrayRef(expected);
  }
  return verifyPlaces(*this, areWithin);
}

LogicalResult tflite::OneHotOp::verify() {
  if (failed(verifyMoved(*this, getOperands().drop_front())) ||
      failed(verifyIndices(*this, getIndices().getType())))
    return failure();
  auto rest = withoutAxis(getResult().getType().getShape(), getAxis());
  return verifyPlaces(
      *this, rest && getIndices().getType().getShape() == ArrayRef(*rest) &&
                 elementsOf(getOn().getType().getShape()) == 1 &&
                 elementsOf(getOff().getType().getShape()) == 1);
}

LogicalResult tflite::CumsumOp::verify() {
  if (failed(verifyKnown(*this)) ||
      failed(verifyPlaces(*this, getAxis() <
                                     uint64_t(getInput().getType().getRank()))))
    return failure();
  StringRef reason =
      whyCumsumIsCalled(getInput().getType(), getResult().getType());
  return reason.empty() ? success() : emitOpError(reason);
}

LogicalResult tflite::ResizeOp::verify() {
  if (failed(verifyKnown(*this)) ||
      failed(verifyPlaces(*this, isResized(getInput().getType().getShape(),
                                           getResult().getType().getShape()))))
    return failure();
  if (getAlignCorners() && getHalfPixelCenters())
    return emitOpError("has align_corners together with half_pixel_centers");
  StringRef reason = whyResizeIsCalled(getSampler(), getInput().getType(),
                                       getResult().getType());
  return reason.empty() ? success() : emitOpError(reason);
}

LogicalResult tflite::DiagonalOp::verify() {
  if (failed(verifyMoved(*this)))
    return failure();
  ArrayRef<int64_t> input = getInput().getType().getShape();
  ArrayRef<int64_t> result = getResult().getType().getShape();
  return verifyPlaces(
      *this, !input.empty() && result.size() == input.size() + 1 &&
                 result.drop_back() == input && result.back() == input.back());
}

/// Whether the windows of dimension \p axis of lines and columns, whose extents
/// in the filter are \p size, lie in the image with the elements that are
/// missing before it, and fewer than all of theirs.
template <typename Op>
static bool hasWindowsOf(Op op, unsigned axis, int64_t size) {
  int64_t input = op.getInput().getType().getDimSize(axis + 1);
  int64_t result = op.getResult().getType().getDimSize(axis + 1);
  int64_t stride = op.getStrides()[axis], dilation = op.getDilations()[axis];
  constexpr int64_t most = 65535;
  int64_t before = op.getLow()[axis];
  return stride > 0 && stride <= most && dilation > 0 && dilation <= most &&
         before >= 0 && before <= (size - 1) * dilation && result >= 0 &&
         (result == 0 || (result - 1) <= (input + before) / stride);
}

/// Whether \p op has windows of the extents \p size in its input, and numbers
/// for each channel.
template <typename Op>
static bool hasChannelsAndWindows(Op op, ArrayRef<int64_t> size) {
  ArrayRef<int64_t> input = op.getInput().getType().getShape();
  ArrayRef<int64_t> result = op.getResult().getType().getShape();
  bool areWithin =
      input.size() == 4 && result.size() == 4 && input[0] == result[0];
  for (ArrayRef<int64_t> pair :
       {op.getStrides(), op.getDilations(), op.getLow()})
    areWithin = areWithin && pair.size() == 2;
  for (ArrayRef<int32_t> numbers :
       {op.getBiases(), op.getMultipliers(), op.getShifts()})
    areWithin = areWithin && int64_t(numbers.size()) == result[3];
  return areWithin && hasWindowsOf(op, 0, size[0]) &&
         hasWindowsOf(op, 1, size[1]);
}

LogicalResult tflite::DepthwiseOp::verify() {
  if (failed(verifyKnown(*this)) ||
      failed(verifyActivation(*this, getActivation())))
    return failure();
  StringRef reason = whyDepthwiseIsCalled(
      getInput().getType(), getFilter().getType(), getResult().getType());
  if (!reason.empty())
    return emitOpError(reason);
  ArrayRef<int64_t> input = getInput().getType().getShape();
  ArrayRef<int64_t> filter = getFilter().getType().getShape();
  ArrayRef<int64_t> result = getResult().getType().getShape();
  bool areWithin = hasChannelsAndWindows(*this, filter.slice(1, 2)) &&
                   input[3] == result[3] && filter[0] == 1 &&
                   filter[3] == result[3];
  if (failed(verifyPlaces(*this, areWithin)) ||
      failed(verifyBounds(*this, "bias", getBiases(), -mostDepthwiseBias,
                          mostDepthwiseBias)) ||
      failed(verifyBounds(*this, "multiplier", getMultipliers(), 0, 0x7FFF)) ||
      failed(verifyBounds(*this, "shift", getShifts(), 1, 31)))
    return failure();
  SmallVector<int64_t> padded(input);
  for (unsigned axis : {0, 1}) {
    int64_t low = getLow()[axis];
    padded[axis + 1] +=
        low + missingBehind(input[axis + 1], result[axis + 1], filter[axis + 1],
                            getStrides()[axis], getDilations()[axis], low);
  }
  reason = whyPaddingIsCalled(input, padded);
  return reason.empty() ? success() : emitOpError(reason);
}

LogicalResult tflite::ConvolutionOp::verify() {
  if (failed(verifyKnown(*this)) ||
      failed(verifyActivation(*this, getActivation())))
    return failure();
  StringRef reason = whyProductsAreCalled(
      getInput().getType(), getFilter().getType(), getResult().getType());
  if (!reason.empty())
    return emitOpError(reason);
  ArrayRef<int64_t> filter = getFilter().getType().getShape();
  int64_t rank = getFilter().getType().getRank();
  auto parts = int64_t(getParts());
  constexpr int64_t ones[] = {1, 1};
  bool areWithin =
      (rank == 2 || rank == 4) &&
      llvm::all_of(filter, [](int64_t extent) { return extent > 0; }) &&
      hasChannelsAndWindows(*this, rank == 4 ? filter.slice(1, 2) : ones) &&
      getInput().getType().getNumElements() > 0 &&
      getInput().getType().getDimSize(3) == filter.back() &&
      getResult().getType().getDimSize(3) == filter[0] && parts > 0 &&
      parts <= filter.back() &&
      partOf(filter.back(), parts, parts - 1).size > 0 &&
      (parts == 1 || getRounding() == SumRounding::once_in_64);
  if (failed(verifyPlaces(*this, areWithin)))
    return failure();
  bool isTwice = getRounding() == SumRounding::twice;
  bool isIn64 = getRounding() == SumRounding::once_in_64;
  return failed(verifyBounds(*this, "multiplier", getMultipliers(), 0,
                             isTwice ? std::numeric_limits<int32_t>::max()
                                     : 0x7FFF)) ||
                 failed(verifyBounds(*this, "shift", getShifts(),
                                     isTwice ? -31 : 1, isIn64 ? 62 : 31))
             ? failure()
             : success();
}

LogicalResult ByteProductOp::verify() {
  if (failed(verifyKnown(*this)) ||
      failed(verifyActivation(*this, getActivation())))
    return failure();
  StringRef reason = whyByteProductIsCalled(
      getInput().getType(), getWeights().getType(), getResult().getType());
  if (!reason.empty())
    return emitOpError(reason);
  ArrayRef<int64_t> input = getInput().getType().getShape();
  ArrayRef<int64_t> weights = getWeights().getType().getShape();
  ArrayRef<int64_t> result = getResult().getType().getShape();
  bool areWithin = input.size() == 2 && weights.size() == 2 &&
                   result.size() == 2 && input[1] == weights[1] &&
                   result == ArrayRef({input[0], weights[0]}) &&
                   getResult().getType().getNumElements() > 0 && input[1] > 0;
  if (failed(verifyPlaces(*this, areWithin)))
    return failure();
  auto units = size_t(weights[0]);
  if (getBiases().size() != units || getFactors().size() != units)
    return emitOpError("has ")
           << getBiases().size() << " biases and " << getFactors().size()
           << " factors for " << units << " result channels";
  for (double factor : getFactors())
    if (!std::isfinite(factor))
      return emitOpError("has the factor ")
             << factor << ", which is not finite";
  return success();
}

LogicalResult tflite::MatMulOp::verify() {
  if (failed(verifyKnown(*this)))
    return failure();
  for (Type type : {getX().getType(), getY().getType(), getResult().getType()})
    if (classOf(type) != ElementClass::fixed16)
      return emitOpError(otherTypes);
  ArrayRef<int64_t> x = getX().getType().getShape();
  ArrayRef<int64_t> y = getY().getType().getShape();
  ArrayRef<int64_t> result = getResult().getType().getShape();
  bool areWithin = x.size() == 3 && y.size() == 3 && result.size() == 3 &&
                   result[1] == x[1] &&
                   result[2] == y[getTransposed() ? 1 : 2] &&
                   x[2] == y[getTransposed() ? 2 : 1] &&
                   getX().getType().getNumElements() > 0 &&
                   getResult().getType().getNumElements() > 0;
  for (ArrayRef<int64_t> shape : {x, y})
    areWithin = areWithin && (shape[0] == 1 || shape[0] == result[0]);
  auto number = [](uint32_t value) { return int32_t(value); };
  return failed(verifyPlaces(*this, areWithin)) ||
                 failed(verifyBounds(*this, "multiplier",
                                     number(getMultiplier()), 0, 0x7FFF)) ||
                 failed(verifyBounds(*this, "shift", number(getShift()), 1, 62))
             ? failure()
             : success();
}

bool tflite::isFraction(Type type) { return scaleOf(type) == 1.0f / 32768.0f; }

bool tflite::isActivation(int64_t code) {
  return code >= int64_t(Activation::none) &&
         code <= int64_t(Activation::relu6);
}

std::optional<int64_t> tflite::elementsOf(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    if (llvm::MulOverflow(count, extent, count))
      return std::nullopt;
  return count;
}

std::optional<SmallVector<int64_t>>
tflite::broadcastShape(Function function, TypeRange inputs, Type result) {
  SmallVector<int64_t> shape;
  // The result of BROADCAST_TO is one more shape to join.
  if (function == Function::broadcast_to)
    shape.assign(cast<RankedTensorType>(result).getShape());
  for (Type input : inputs) {
    SmallVector<int64_t> joined;
    ArrayRef<int64_t> next = cast<RankedTensorType>(input).getShape();
    if (!OpTrait::util::getBroadcastedShape(shape, next, joined))
      return std::nullopt;
    shape = std::move(joined);
  }
  return shape;
}

ElementClass tflite::classOf(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (element.isF32())
    return ElementClass::float32;
  if (element.isInteger(32))
    return ElementClass::int32;
  if (element.isInteger(8))
    return ElementClass::boolean;
  if (auto quantized = dyn_cast<quant::UniformQuantizedType>(element))
    return quantized.isSigned() && quantized.getZeroPoint() == 0 &&
                   quantized.getStorageTypeIntegralWidth() == 16
               ? ElementClass::fixed16
               : ElementClass::other;
  if (auto extension = dyn_cast<ExtensionType>(element))
    return extension.getName() == extensionName && extension.getNumber() == 0
               ? ElementClass::int64
               : ElementClass::other;
  return ElementClass::other;
}

std::optional<IntegerForm> tflite::integerFormOf(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (auto quantized = dyn_cast<quant::QuantizedType>(element))
    return IntegerForm{quantized.getStorageTypeIntegralWidth(),
                       quantized.isSigned()};
  if (auto extension = dyn_cast<ExtensionType>(element)) {
    if (extension.getName() != extensionName || extension.getNumber() > 3)
      return std::nullopt;
    // In the order of their numbers: INT64, UINT32, UINT16, UINT64.
    constexpr unsigned bits[] = {64, 32, 16, 64};
    return IntegerForm{bits[extension.getNumber()], extension.getNumber() == 0};
  }
  return element.isSignlessInteger(32) ? std::optional(IntegerForm{32, true})
                                       : std::nullopt;
}
