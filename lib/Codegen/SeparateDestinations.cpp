//===- SeparateDestinations.cpp - A place of its own for each result ------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Codegen/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace nnhal {
#define GEN_PASS_DEF_SEPARATEDESTINATIONS
#include "nnhal/Codegen/Passes.h.inc"

using namespace mlir;

namespace {
struct SeparateDestinationsPass
    : impl::SeparateDestinationsBase<SeparateDestinationsPass> {
  void runOnOperation() override {
    SmallVector<Operation *> worklist;
    // Fills before the places that they fill: copies of fills use those again.
    getOperation().walk([&](linalg::FillOp op) { worklist.push_back(op); });
    getOperation().walk([&](tensor::EmptyOp op) { worklist.push_back(op); });
    for (Operation *op : worklist)
      separate(op);
  }

private:
  /// A copy of \p op, which has one result, for each use but the first.
  void separate(Operation *op) {
    if (op->getNumResults() != 1 || op->use_empty())
      return;
    OpBuilder builder(op);
    for (OpOperand &use :
         llvm::make_early_inc_range(llvm::drop_begin(op->getUses()))) {
      use.set(builder.clone(*op)->getResult(0));
      ++numSeparated;
    }
  }
};
} // namespace

} // namespace nnhal
