//===- RuntimeBufferization.cpp - One-shot bufferization of nnrt ----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../BufferLayout.h"
#include "nnhal/Dialect/Runtime/RuntimeOps.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace nnhal;
using namespace nnhal::runtime;

namespace {

/// \p buffer, or a copy of it where it is part of another: the runtime knows
/// nothing of offsets and strides.
Value contiguous(OpBuilder &builder, Location loc, Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  if (type.getLayout().isIdentity())
    return buffer;
  return copyContiguously(builder, loc, buffer);
}

/// Operands are read; results, if tensors, are memory that the operation makes.
template <typename OpTy, bool reads>
struct RuntimeModel
    : public bufferization::BufferizableOpInterface::ExternalModel<
          RuntimeModel<OpTy, reads>, OpTy> {
  bool bufferizesToMemoryRead(Operation *, OpOperand &,
                              const bufferization::AnalysisState &) const {
    return reads;
  }
  bool bufferizesToMemoryWrite(Operation *, OpOperand &,
                               const bufferization::AnalysisState &) const {
    return false;
  }
  bufferization::AliasingValueList
  getAliasingValues(Operation *, OpOperand &,
                    const bufferization::AnalysisState &) const {
    return {};
  }
  bool bufferizesToAllocation(Operation *, Value) const { return true; }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const bufferization::BufferizationOptions &options,
                          bufferization::BufferizationState &state) const {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      if (!isa<TensorType>(operand.getType())) {
        operands.push_back(operand);
        continue;
      }
      FailureOr<Value> buffer =
          bufferization::getBuffer(rewriter, operand, options, state);
      if (failed(buffer))
        return failure();
      operands.push_back(reads ? contiguous(rewriter, op->getLoc(), *buffer)
                               : *buffer);
    }
    OperationState newState(op->getLoc(), op->getName());
    newState.addOperands(operands);
    newState.addAttributes(op->getAttrs());
    for (Type type : op->getResultTypes()) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      newState.addTypes(tensor ? Type(MemRefType::get(tensor.getShape(),
                                                      tensor.getElementType()))
                               : type);
    }
    Operation *bufferized = rewriter.create(newState);
    bufferization::replaceOpWithBufferizedValues(rewriter, op,
                                                 bufferized->getResults());
    return success();
  }
};

} // namespace

void nnhal::runtime::registerRuntimeBufferizationModels(
    DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, RuntimeDialect *) {
    DeliverOp::attachInterface<RuntimeModel<DeliverOp, true>>(*context);
    IsPresentOp::attachInterface<RuntimeModel<IsPresentOp, false>>(*context);
    CallRoutineOp::attachInterface<RuntimeModel<CallRoutineOp, true>>(*context);
  });
}
