//===- EpilogueCost.cpp - What epilogues of kernels cost ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EpilogueCost.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Block.h"

using namespace mlir;

bool nnhal::kernel::hasFunctions(Block &body) {
  return llvm::any_of(body.without_terminator(), [](Operation &inner) {
    return isa<math::MathDialect>(inner.getDialect()) &&
           !isa<math::AbsFOp, math::CeilOp, math::FloorOp, math::FmaOp,
                math::RoundEvenOp, math::SqrtOp, math::TruncOp>(inner);
  });
}
