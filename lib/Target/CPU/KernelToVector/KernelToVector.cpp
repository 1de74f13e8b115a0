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

namespace nnhal {
#define GEN_PASS_DEF_CONVERTNNKTOVECTORPASS
#include "nnhal/Target/CPU/Passes.h.inc"
} // namespace nnhal

using namespace mlir;
using namespace nnhal::kernel;

//===----------------------------------------------------------------------===//
// Loops of each kernel
//===----------------------------------------------------------------------===//

namespace {
/// Emits the loops of an OpTy by \p emit.
template <typename OpTy,
          LogicalResult (*emit)(OpTy, Emitter &, const KernelTarget &)>
struct LoweringModel
    : KernelLoweringInterface::ExternalModel<LoweringModel<OpTy, emit>, OpTy> {
  LogicalResult emitLoops(Operation *op, RewriterBase &rewriter,
                          const KernelTarget &target) const {
    Emitter emitter(rewriter, op, target.costs());
    return emit(cast<OpTy>(op), emitter, target);
  }
};
} // namespace

void nnhal::kernel::registerKernelLoweringModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, KernelDialect *) {
    Conv2DOp::attachInterface<LoweringModel<Conv2DOp, emitConvolution>>(
        *context);
    DepthwiseConv2DOp::attachInterface<
        LoweringModel<DepthwiseConv2DOp, emitDepthwise>>(*context);
    Pool2DOp::attachInterface<LoweringModel<Pool2DOp, emitPool>>(*context);
  });
}

LogicalResult nnhal::kernel::lowerKernel(KernelOpInterface op,
                                         RewriterBase &rewriter,
                                         const KernelTarget &target) {
  if (op->getNumResults() != 0)
    return op->emitOpError("must be bufferized before it is lowered");
  for (Type type : op->getOperandTypes())
    if (getElementTypeOrSelf(type).isF16())
      return op->emitOpError("accesses ")
             << type << ", expected elements of f32 or of integers";
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  if (failed(cast<KernelLoweringInterface>(op.getOperation())
                 .emitLoops(rewriter, target)))
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
