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
  StringRef reason = whyNotLowered(getFunction(), getInputs().getTypes(),
                                   getResult().getType());
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
