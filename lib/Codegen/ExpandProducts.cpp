//===- ExpandProducts.cpp - High halves of products as i64 ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conversion/Common/DoublingHighMul.h"

#include "nnhal/Codegen/Passes.h"
#include "nnhal/Dialect/Kernel/Kernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace nnhal {
#define GEN_PASS_DEF_EXPANDPRODUCTS
#include "nnhal/Codegen/Passes.h.inc"
} // namespace nnhal

using namespace mlir;

namespace {
struct ExpandProductsPass
    : nnhal::impl::ExpandProductsBase<ExpandProductsPass> {
  using Base::Base;

  void runOnOperation() override {
    getOperation()->walk(
        [&](nnhal::kernel::DoublingHighMulOp) { ++numExpanded; });
    RewritePatternSet patterns(&getContext());
    nnhal::populateDoublingHighMulExpansion(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};
} // namespace
