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

/// Elements that are only moved keep their type.
static LogicalResult verifyMoved(Operation *op) {
  if (failed(verifyKnown(op)))
    return failure();
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  for (Type type : op->getOperandTypes())
    if (getElementTypeOrSelf(type) != element)
      return op->emitOpError("has an operand of type ")
             << type << ", but a result with elements of type " << element;
  return success();
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
  StringRef reason =
      whyPoolIsCalled(getInput().getType(), getResult().getType(), getFilter());
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
  StringRef reason =
      whySoftmaxIsCalled(getInput().getType(), getResult().getType());
  return reason.empty() ? success() : emitOpError(reason);
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
