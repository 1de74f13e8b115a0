//===- NNHalToLinalg.cpp - nnhal to linalg and micro-kernels --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Conversion/NNHalToLinalg.h"

#include "Patterns.h"

#include "nnhal/Dialect/Kernel/Kernel.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace nnhal {
#define GEN_PASS_DEF_CONVERTNNHALTOLINALG
#include "nnhal/Conversion/Passes.h.inc"
} // namespace nnhal

using namespace mlir;
using namespace nnhal;

namespace {

struct ConvertNNHalToLinalg
    : nnhal::impl::ConvertNNHalToLinalgBase<ConvertNNHalToLinalg> {
  using Base::Base;

  void runOnOperation() override {
    if (failed(foldPads()))
      return signalPassFailure();
    LinalgLowering lowering(
        {.vectorBits = vectorBits, .registers = vectorRegisters});
    if (failed(convert(lowering)))
      return signalPassFailure();
    numPacked += lowering.packedCount();
    if (failed(reportLeftovers(lowering)))
      return signalPassFailure();
    eraseUnusedConstants();
  }

private:
  LogicalResult foldPads() {
    RewritePatternSet patterns(&getContext());
    populateNNHalLoweringPreparationPatterns(patterns, &numFoldedPads);
    return applyPatternsGreedily(getOperation(), std::move(patterns));
  }

  LogicalResult convert(LinalgLowering &lowering) {
    MLIRContext *context = &getContext();
    ConversionTarget target(*context);
    // What the lowerings produce; later passes of the CPU pipeline take each.
    target.addLegalDialect<arith::ArithDialect, linalg::LinalgDialect,
                           math::MathDialect, scf::SCFDialect,
                           tensor::TensorDialect, kernel::KernelDialect>();
    // Neither the dialect nor anything else is marked illegal: an operation
    // that no pattern takes stays, so that reportLeftovers() can name all of
    // them at once with reasons. Together the two are a full conversion.
    // Functions, calls and branches stay because no type changes.
    TypeConverter converter;
    converter.addConversion([](Type type) { return type; });
    RewritePatternSet patterns(context);
    populateNNHalToLinalgPatterns(converter, patterns, lowering);
    return applyPartialConversion(getOperation(), target, std::move(patterns));
  }

  LogicalResult reportLeftovers(const LinalgLowering &lowering) {
    bool hasLeftovers = false;
    getOperation()->walk([&](Operation *op) {
      if (!isa_and_present<NNHalDialect>(op->getDialect()))
        return;
      hasLeftovers = true;
      op->emitOpError("cannot be lowered: ") << lowering.reasonFor(op);
    });
    return failure(hasLeftovers);
  }

  /// Constants that were replaced by packed ones would stay in the artifact.
  void eraseUnusedConstants() {
    getOperation()->walk([](arith::ConstantOp op) {
      if (op.use_empty())
        op.erase();
    });
  }
};

} // namespace
