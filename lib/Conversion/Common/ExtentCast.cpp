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
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

using namespace mlir;
using namespace nnhal;

void nnhal::buildEqualityCheck(ImplicitLocOpBuilder &builder, Value found,
                               int64_t expected, rt::FailureReason reason) {
  Scalar extent(builder, found), bound = Scalar::index(builder, expected);
  runtime::CheckOp::create(builder, extent == bound, extent.toI64(),
                           bound.toI64(), uint32_t(reason));
}

/// Follows extent \p dimension of \p value to where it comes from, and goes to
/// before the operations on the way. A cast may give all of them the extent
/// that is checked: the check comes before they read elements that are not
/// there.
static void goToOrigin(OpBuilder &builder, Value &value, int64_t &dimension) {
  Block *block = builder.getInsertionBlock();
  while (Operation *maker = value.getDefiningOp()) {
    if (auto writer = dyn_cast<DestinationStyleOpInterface>(maker);
        writer && maker->getBlock() == block) {
      builder.setInsertionPoint(maker);
      value = writer.getTiedOpOperand(cast<OpResult>(value))->get();
      continue;
    }
    auto empty = dyn_cast<tensor::EmptyOp>(maker);
    if (!empty || !empty.getType().isDynamicDim(dimension))
      return;
    auto extent =
        empty.getDynamicSize(dimension).getDefiningOp<tensor::DimOp>();
    std::optional<int64_t> source =
        extent ? extent.getConstantIndex() : std::nullopt;
    if (!source)
      return;
    value = extent.getSource();
    dimension = *source;
  }
}

/// Stops the execution unless extent \p dimension of \p value is \p expected.
static void checkExtent(ImplicitLocOpBuilder &builder, Value value,
                        int64_t dimension, int64_t expected) {
  OpBuilder::InsertionGuard guard(builder);
  goToOrigin(builder, value, dimension);
  buildEqualityCheck(builder, tensor::DimOp::create(builder, value, dimension),
                     expected, rt::FailureReason::statedExtentDiffers);
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
    checkExtent(builder, value, i, to.getDimSize(i));
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
