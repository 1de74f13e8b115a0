//===- Reshape.cpp - The same elements in another shape -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TFLiteDialect.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;
using namespace nnhal;
using namespace nnhal::tflite;

namespace {

/// All dimensions as one group.
SmallVector<ReassociationIndices> oneGroup(int64_t rank) {
  ReassociationIndices all;
  for (int64_t axis = 0; axis < rank; ++axis)
    all.push_back(axis);
  return {all};
}

/// tflite.reshape -> tensor.collapse_shape and tensor.expand_shape, which move
/// nothing.
struct ReshapeLowering : OpConversionPattern<tflite::ReshapeOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tflite::ReshapeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto result = dyn_cast_or_null<RankedTensorType>(
        getTypeConverter()->convertType(op.getResult().getType()));
    if (!result)
      return failure();
    Value value = adaptor.getInput();
    auto type = cast<RankedTensorType>(value.getType());
    if (type.getRank() > 1)
      value = tensor::CollapseShapeOp::create(rewriter, op.getLoc(), value,
                                              oneGroup(type.getRank()));
    if (result.getRank() > 1)
      value = tensor::ExpandShapeOp::create(rewriter, op.getLoc(), result,
                                            value, oneGroup(result.getRank()));
    rewriter.replaceOp(op, value);
    return success();
  }
};

} // namespace

void tflite::populateReshapeLowering(const TypeConverter &converter,
                                     RewritePatternSet &patterns) {
  patterns.add<ReshapeLowering>(converter, patterns.getContext());
}
