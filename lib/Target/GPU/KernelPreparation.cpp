//===- KernelPreparation.cpp - Before conversions of kernels --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelPreparation.h"

#include "nnhal/Codegen/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void nnhal::addKernelPreparation(OpPassManager &pm) {
  pm.addPass(createLowerAffinePass());
  pm.addPass(createExpandMath({.forShaders = true}));
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createLoopInvariantCodeMotionPass());
}

bool nnhal::isFunctionOfDouble(Operation *op) {
  if (!isa_and_present<math::MathDialect>(op->getDialect()) ||
      isa<math::AbsFOp, math::CeilOp, math::CopySignOp, math::FloorOp,
          math::FmaOp, math::RoundEvenOp, math::RoundOp, math::RsqrtOp,
          math::SqrtOp>(op))
    return false;
  return llvm::any_of(op->getOperandTypes(), [](Type type) {
    return getElementTypeOrSelf(type).isF64();
  });
}

LogicalResult
nnhal::checkOperations(Operation *module, StringRef language,
                       llvm::function_ref<bool(Operation *)> isRefused) {
  WalkResult result = module->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isRefused(op))
      return WalkResult::advance();
    InFlightDiagnostic error = op->emitOpError("has no form in ") << language;
    if (op->getNumOperands() > 0)
      error << " for " << op->getOperandTypes().front();
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}
