//===- KernelBufferization.cpp - One-shot bufferization of nnk ------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../BufferLayout.h"
#include "nnhal/Dialect/Kernel/Kernel.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"

using namespace mlir;
using namespace nnhal;
using namespace nnhal::kernel;

namespace {

/// \p buffer, or a copy of it where its strides are unknown: those of the
/// result of an IF whose graphs leave it in buffers of different layouts.
Value withKnownStrides(OpBuilder &builder, Location loc, Value buffer) {
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  auto type = cast<MemRefType>(buffer.getType());
  if (succeeded(type.getStridesAndOffset(strides, offset)) &&
      !ShapedType::isDynamicShape(strides))
    return buffer;
  return copyContiguously(builder, loc, buffer);
}

/// Every kernel reads its inputs and extras, and writes the destination without
/// reading it. None is declared elementwise, even for extras: the lowering
/// recomputes a few elements rather than masking the tail, so an extra that
/// shared the destination's memory would be read after it was written.
template <typename OpTy>
struct KernelModel
    : public bufferization::DstBufferizableOpInterfaceExternalModel<
          KernelModel<OpTy>, OpTy> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const bufferization::AnalysisState &) const {
    return !cast<DestinationStyleOpInterface>(op).isDpsInit(&operand);
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const bufferization::BufferizationOptions &options,
                          bufferization::BufferizationState &state) const {
    auto destination = cast<DestinationStyleOpInterface>(op);
    if (destination.hasPureBufferSemantics())
      return success();
    if (!destination.hasPureTensorSemantics())
      return op->emitOpError("mixes tensors and memrefs");
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(op);
    SmallVector<Value> buffers;
    for (Value operand : op->getOperands()) {
      FailureOr<Value> buffer =
          bufferization::getBuffer(rewriter, operand, options, state);
      if (failed(buffer))
        return failure();
      buffers.push_back(
          operand == destination.getDpsInits().front()
              ? *buffer
              : withKnownStrides(rewriter, op->getLoc(), *buffer));
    }
    OperationState newState(op->getLoc(), op->getName());
    newState.addOperands(buffers);
    newState.addAttributes(op->getAttrs());
    newState.addRegion();
    Operation *bufferized = rewriter.create(newState);
    rewriter.inlineRegionBefore(op->getRegion(0), bufferized->getRegion(0),
                                bufferized->getRegion(0).begin());
    bufferization::replaceOpWithBufferizedValues(
        rewriter, op, bufferized->getOperands().back());
    return success();
  }
};

} // namespace

void nnhal::kernel::registerKernelBufferizationModels(
    DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, KernelDialect *) {
    Conv2DOp::attachInterface<KernelModel<Conv2DOp>>(*context);
    DepthwiseConv2DOp::attachInterface<KernelModel<DepthwiseConv2DOp>>(
        *context);
    Pool2DOp::attachInterface<KernelModel<Pool2DOp>>(*context);
  });
}
