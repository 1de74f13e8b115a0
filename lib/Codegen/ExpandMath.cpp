//===- ExpandMath.cpp - Polynomial approximations of math operations ------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Codegen/Passes.h"

#include "MathExpansions.h"

#include "nnhal/Dialect/Kernel/Kernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace nnhal {
#define GEN_PASS_DEF_EXPANDMATH
#include "nnhal/Codegen/Passes.h.inc"

using namespace mlir;

namespace {
struct ExpandMathPass : impl::ExpandMathBase<ExpandMathPass> {
  void runOnOperation() override {
    // Most functions have nothing to expand; the greedy driver would still
    // visit and hash every operation.
    bool hasMath = getOperation()
                       .walk([](Operation *op) {
                         bool isMath = isa_and_present<math::MathDialect>(
                                           op->getDialect()) &&
                                       !isa<math::FmaOp, math::AbsFOp>(op);
                         return isMath || isa<kernel::DoublingHighMulOp>(op)
                                    ? WalkResult::interrupt()
                                    : WalkResult::advance();
                       })
                       .wasInterrupted();
    if (!hasMath)
      return;
    RewritePatternSet patterns(&getContext());
    math::populateExpansionPatterns(
        patterns, {"fpowi", "sinh", "cosh", "tan", "asinh", "acosh", "atanh"});
    populateMathExpansions(patterns);
    populateDoublingHighMulExpansions(patterns);
    populateMathPolynomialApproximationPatterns(
        patterns, MathPolynomialApproximationOptions());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace

} // namespace nnhal
