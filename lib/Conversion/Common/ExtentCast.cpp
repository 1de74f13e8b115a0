//===- ExtentCast.cpp - Tensors of which more is known --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExtentCast.h"

#include "Scalar.h"

#include "nnhal/Dialect/Runtime/RuntimeOps.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace nnhal;

void nnhal::buildEqualityCheck(ImplicitLocOpBuilder &builder, Value found,
                               int64_t expected, rt::FailureReason reason) {
  Scalar extent(builder, found), bound = Scalar::index(builder, expected);
  runtime::CheckOp::create(builder, extent == bound, extent.toI64(),
                           bound.toI64(), uint32_t(reason));
}

Value nnhal::castExtents(ImplicitLocOpBuilder &builder, Value value,
                         Type type) {
  if (value.getType() == type)
    return value;
  auto from = dyn_cast<RankedTensorType>(value.getType());
  auto to = dyn_cast<RankedTensorType>(type);
  if (!from || !to || from.getRank() != to.getRank() ||
      from.getElementType() != to.getElementType())
    return nullptr;
  SmallVector<int64_t> open(from.getShape());
  for (int64_t i = 0; i < to.getRank(); ++i) {
    if (to.isDynamicDim(i) || from.getDimSize(i) == to.getDimSize(i))
      continue;
    buildEqualityCheck(builder, tensor::DimOp::create(builder, value, i),
                       to.getDimSize(i),
                       rt::FailureReason::statedExtentDiffers);
    // From one known extent to another it goes through an unknown one: the
    // check has stopped the execution.
    open[i] = ShapedType::kDynamic;
  }
  auto between = from.clone(open);
  if (between != from)
    value = tensor::CastOp::create(builder, between, value);
  return between == to ? value
                       : Value(tensor::CastOp::create(builder, to, value));
}
