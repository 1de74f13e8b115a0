//===- TFLiteDialect.cpp - Operators that become code ---------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TFLiteDialect.h"

#include "Raising.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/Dialect/Traits.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

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

LogicalResult ElementwiseOp::verify() {
  if (failed(verifyKnown(*this)))
    return failure();
  SmallVector<int64_t> shape;
  for (Value input : getInputs()) {
    SmallVector<int64_t> joined;
    auto next = cast<RankedTensorType>(input.getType()).getShape();
    if (!OpTrait::util::getBroadcastedShape(shape, next, joined))
      return emitOpError("has inputs that do not broadcast");
    shape = std::move(joined);
  }
  auto result = cast<RankedTensorType>(getResult().getType());
  bool isRepeated = getFunction() == Function::broadcast_to;
  if (!isRepeated && ArrayRef(shape) != result.getShape())
    return emitOpError("has a result of type ")
           << result << ", which is not the shape that the inputs broadcast to";
  StringRef reason = whyElementwiseIsCalled(
      getFunction(), getInputs().getTypes(), getResult().getType());
  return reason.empty() ? success() : emitOpError(reason);
}

LogicalResult tflite::ReshapeOp::verify() {
  if (failed(verifyKnown(*this)))
    return failure();
  auto input = cast<RankedTensorType>(getInput().getType());
  auto result = cast<RankedTensorType>(getResult().getType());
  if (input.getNumElements() == result.getNumElements())
    return success();
  return emitOpError("has ")
         << input.getNumElements() << " elements in its input and "
         << result.getNumElements() << " in its result";
}

static LogicalResult verifyPlaces(Operation *op, bool areWithin) {
  if (failed(verifyKnown(op)))
    return failure();
  return areWithin ? success()
                   : op->emitOpError("has places outside of a tensor");
}

LogicalResult tflite::SliceOp::verify() {
  ArrayRef<int64_t> input = getInput().getType().getShape();
  ArrayRef<int64_t> result = getResult().getType().getShape();
  bool areWithin = input.size() == result.size() &&
                   input.size() == getOffsets().size() &&
                   input.size() == getStrides().size();
  for (size_t axis = 0; areWithin && axis < input.size(); ++axis) {
    int64_t first = getOffsets()[axis];
    int64_t last = first + getStrides()[axis] * (result[axis] - 1);
    areWithin = getStrides()[axis] != 0 &&
                (result[axis] == 0 || (std::min(first, last) >= 0 &&
                                       std::max(first, last) < input[axis]));
  }
  return verifyPlaces(*this, areWithin);
}

LogicalResult tflite::TransposeOp::verify() {
  ArrayRef<int64_t> input = getInput().getType().getShape();
  ArrayRef<int64_t> permutation = getPermutation();
  bool areWithin =
      isPermutationVector(permutation) && permutation.size() == input.size() &&
      llvm::equal(getResult().getType().getShape(),
                  llvm::map_range(permutation,
                                  [&](int64_t axis) { return input[axis]; }));
  return verifyPlaces(*this, areWithin);
}

LogicalResult ConcatenateOp::verify() {
  SmallVector<int64_t> shape;
  bool areWithin = !getInputs().empty();
  for (Value input : getInputs()) {
    auto part = cast<RankedTensorType>(input.getType()).getShape();
    if (shape.empty()) {
      shape.assign(part.begin(), part.end());
      areWithin = areWithin && getAxis() < shape.size();
      continue;
    }
    areWithin = areWithin && part.size() == shape.size();
    for (size_t axis = 0; areWithin && axis < shape.size(); ++axis)
      areWithin = axis == getAxis() || part[axis] == shape[axis];
    if (areWithin)
      shape[getAxis()] += part[getAxis()];
  }
  return verifyPlaces(*this, areWithin && getResult().getType().getShape() ==
                                              ArrayRef(shape));
}

LogicalResult tflite::PadOp::verify() {
  ArrayRef<int64_t> input = getInput().getType().getShape();
  ArrayRef<int64_t> result = getResult().getType().getShape();
  bool areWithin = input.size() == result.size() &&
                   input.size() == getLow().size() &&
                   (!getValue() || getValue().getType().getNumElements() == 1);
  for (size_t axis = 0; areWithin && axis < input.size(); ++axis)
    areWithin =
        getLow()[axis] >= 0 && getLow()[axis] + input[axis] <= result[axis];
  return verifyPlaces(*this, areWithin);
}

LogicalResult tflite::PoolOp::verify() {
  ArrayRef<int64_t> input = getInput().getType().getShape();
  ArrayRef<int64_t> result = getResult().getType().getShape();
  bool areWithin =
      input.size() == 4 && result.size() == 4 && input[0] == result[0] &&
      input[3] == result[3] && getFilter().size() == 2 &&
      getStrides().size() == 2 &&
      (getReducer() == Reducer::mean || getReducer() == Reducer::maximum);
  // Each window has an element of the input.
  for (size_t axis = 0; areWithin && axis < 2; ++axis) {
    int64_t last = (result[axis + 1] - 1) * getStrides()[axis];
    areWithin = getFilter()[axis] > 0 && getStrides()[axis] > 0 &&
                last < input[axis + 1];
  }
  if (failed(verifyPlaces(*this, areWithin)))
    return failure();
  StringRef reason =
      whyPoolIsCalled(getInput().getType(), getResult().getType(), getFilter());
  return reason.empty() ? success() : emitOpError(reason);
}

LogicalResult ReduceOp::verify() {
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
  auto input = cast<RankedTensorType>(getInput().getType());
  if (input.getRank() == 0 ||
      input.getShape() !=
          cast<RankedTensorType>(getResult().getType()).getShape())
    return emitOpError("has an input of type ")
           << input << " and a result of another shape, or without rows";
  StringRef reason = whySoftmaxIsCalled(input, getResult().getType());
  return reason.empty() ? success() : emitOpError(reason);
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
