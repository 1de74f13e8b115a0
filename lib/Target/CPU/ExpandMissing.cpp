//===- ExpandMissing.cpp - What a target has no instructions for ----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpandMissing.h"

#include "ExpandHalves.h"
#include "ExpandRounding.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

static void expandFused(Function &function) {
  for (Instruction &instruction :
       make_early_inc_range(instructions(function))) {
    auto *call = dyn_cast<IntrinsicInst>(&instruction);
    if (!call || call->getIntrinsicID() != Intrinsic::fma)
      continue;
    IRBuilder<> builder(call);
    Value *product =
        builder.CreateFMul(call->getArgOperand(0), call->getArgOperand(1));
    call->replaceAllUsesWith(
        builder.CreateFAdd(product, call->getArgOperand(2)));
    call->eraseFromParent();
  }
}

namespace nnhal {

PreservedAnalyses ExpandMissingPass::run(Function &function,
                                         FunctionAnalysisManager &) {
  // In f32, halves have the operations that are expanded behind them.
  if (missing.halves)
    expandHalves(function);
  if (missing.fused)
    expandFused(function);
  if (missing.rounding)
    expandRounding(function);
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

} // namespace nnhal
