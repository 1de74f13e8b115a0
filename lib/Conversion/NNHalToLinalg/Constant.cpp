//===- Constant.cpp - Constants -------------------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "nnhal/Dialect/NNHal/IR/NNHalOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace nnhal;

namespace {

/// nnhal.constant -> arith.constant of the same attribute, which holds stored
/// values: a resource stays one, no element is copied.
struct ConstantLowering : OpConversionPattern<ConstantOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(ConstantOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(
        op, cast<TypedAttr>(op.getValue()));
    return success();
  }
};

} // namespace

void nnhal::populateConstantPatterns(const TypeConverter &converter,
                                     RewritePatternSet &patterns) {
  patterns.add<ConstantLowering>(converter, patterns.getContext());
}
