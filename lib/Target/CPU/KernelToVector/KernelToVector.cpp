//===- KernelToVector.cpp - Micro-kernels to loops ------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelToVector.h"

#include "Emitter.h"

#include "nnhal/Target/CPU/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

namespace nnhal {
#define GEN_PASS_DEF_CONVERTNNKTOVECTORPASS
#include "nnhal/Target/CPU/Passes.h.inc"
} // namespace nnhal

using namespace mlir;
using namespace nnhal::kernel;

LogicalResult nnhal::kernel::lowerKernel(KernelOpInterface op,
                                         RewriterBase &rewriter,
                                         const KernelTarget &target) {
  if (op->getNumResults() != 0)
    return op->emitOpError("must be bufferized before it is lowered");
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  Emitter emitter(rewriter, op, target.costs());
  LogicalResult emitted =
      TypeSwitch<Operation *, LogicalResult>(op)
          .Case([&](Conv2DOp conv) {
            return emitConvolution(conv, emitter, target);
          })
          .Case([&](DepthwiseConv2DOp conv) {
            return emitDepthwise(conv, emitter, target);
          })
          .Case([&](Pool2DOp pool) { return emitPool(pool, emitter, target); })
          .DefaultUnreachable("every kernel has a lowering above");
  if (failed(emitted))
    return failure();
  rewriter.eraseOp(op);
  return success();
}

namespace {

struct ConvertNNKToVectorPass
    : public nnhal::impl::ConvertNNKToVectorPassBase<ConvertNNKToVectorPass> {
  using Base::Base;

  void runOnOperation() override {
    std::optional<KernelTarget> target = KernelTarget::of(getOperation());
    if (!target)
      return signalPassFailure();
    IRRewriter rewriter(&getContext());
    WalkResult result = getOperation()->walk([&](KernelOpInterface op) {
      if (failed(lowerKernel(op, rewriter, *target)))
        return WalkResult::interrupt();
      ++numLowered;
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
