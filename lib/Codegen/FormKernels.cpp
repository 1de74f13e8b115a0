//===- FormKernels.cpp - Micro-kernels of operations of linalg ------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FormPools.h"

#include "nnhal/Codegen/Passes.h"
#include "nnhal/Dialect/Kernel/Kernel.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace nnhal {
#define GEN_PASS_DEF_FORMKERNELS
#include "nnhal/Codegen/Passes.h.inc"
} // namespace nnhal

using namespace mlir;
using namespace nnhal;

namespace {
struct FormKernelsPass : nnhal::impl::FormKernelsBase<FormKernelsPass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> pools;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (isPool(op))
        pools.push_back(op);
    });
    if (pools.empty())
      return markAllAnalysesPreserved();
    IRRewriter rewriter(&getContext());
    FormedPools formed(rewriter);
    for (linalg::LinalgOp pool : pools)
      if (formed.form(pool))
        ++numPools;
    formed.eraseUnread();
  }
};
} // namespace
