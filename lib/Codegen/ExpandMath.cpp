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

/// How many operations in \p root the pass may expand.
static size_t countMath(Operation *root) {
  size_t count = 0;
  root->walk([&](Operation *op) {
    bool isMath = isa_and_present<math::MathDialect>(op->getDialect()) &&
                  !isa<math::FmaOp, math::AbsFOp>(op);
    count += isMath || isa<kernel::DoublingHighMulOp>(op);
  });
  return count;
}

namespace {
struct ExpandMathPass : impl::ExpandMathBase<ExpandMathPass> {
  using impl::ExpandMathBase<ExpandMathPass>::ExpandMathBase;
  void runOnOperation() override {
    // Most functions have nothing to expand; the greedy driver would still
    // visit and hash every operation.
    size_t before = countMath(getOperation());
    if (before == 0)
      return;
    RewritePatternSet patterns(&getContext());
    math::populateExpansionPatterns(
        patterns, {"fpowi", "sinh", "cosh", "tan", "asinh", "acosh", "atanh"});
    populateMathExpansions(patterns, forShaders);
    if (forShaders)
      populateShaderMathExpansions(patterns);
    else
      populateDoublingHighMulExpansions(patterns);
    populateMathPolynomialApproximationPatterns(
        patterns, MathPolynomialApproximationOptions());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    // An expansion may use operations that stay, such as roots.
    size_t after = countMath(getOperation());
    numExpanded += before - std::min(before, after);
  }
};
} // namespace

} // namespace nnhal
