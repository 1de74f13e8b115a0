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

/// The operations in \p root that the pass may expand.
static SmallVector<Operation *> findMath(Operation *root) {
  SmallVector<Operation *> found;
  root->walk([&](Operation *op) {
    bool isMath = isa_and_present<math::MathDialect>(op->getDialect()) &&
                  !isa<math::FmaOp, math::AbsFOp>(op);
    if (isMath || isa<kernel::DoublingHighMulOp>(op))
      found.push_back(op);
  });
  return found;
}

namespace {
struct ExpandMathPass : impl::ExpandMathBase<ExpandMathPass> {
  using impl::ExpandMathBase<ExpandMathPass>::ExpandMathBase;
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet all(context);
    math::populateExpansionPatterns(
        all, {"fpowi", "sinh", "cosh", "tan", "asinh", "acosh", "atanh"});
    populateMathExpansions(all, forShaders);
    if (forShaders)
      populateShaderMathExpansions(all);
    else
      populateDoublingHighMulExpansions(all);
    populateMathPolynomialApproximationPatterns(
        all, MathPolynomialApproximationOptions());
    patterns = std::move(all);
    return success();
  }

  void runOnOperation() override {
    // The greedy driver would visit and hash every operation of a function,
    // where few are mathematical.
    SmallVector<Operation *> math = findMath(getOperation());
    if (math.empty())
      return;
    // Conversions of rounded numbers have a pattern of their own.
    SmallVector<Operation *> roots(math);
    for (Operation *op : math)
      llvm::copy_if(op->getUsers(), std::back_inserter(roots),
                    llvm::IsaPred<arith::FPToSIOp>);
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
    if (failed(applyOpPatternsGreedily(roots, patterns, config)))
      return signalPassFailure();
    // An expansion may use operations that stay, such as roots.
    size_t after = findMath(getOperation()).size();
    numExpanded += math.size() - std::min(math.size(), after);
  }

private:
  FrozenRewritePatternSet patterns;
};
} // namespace

} // namespace nnhal
