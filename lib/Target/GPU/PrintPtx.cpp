//===- PrintPtx.cpp - Shows the PTX of kernels ----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Target/GPU/Passes.h"

#include "PtxModule.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "llvm/Support/raw_ostream.h"

namespace nnhal {
#define GEN_PASS_DEF_PRINTPTX
#include "nnhal/Target/GPU/Passes.h.inc"

using namespace mlir;

namespace {
struct PrintPtxPass : impl::PrintPtxBase<PrintPtxPass> {
  void runOnOperation() override {
    Cancellation cancellation(nullptr);
    for (auto module : getOperation().getOps<gpu::GPUModuleOp>()) {
      rt::Result<std::string> text = emitPtx(module, cancellation);
      if (!text.isOk()) {
        emitError(module.getLoc()) << text.status().message();
        return signalPassFailure();
      }
      llvm::outs() << *text;
    }
    markAllAnalysesPreserved();
  }
};
} // namespace

} // namespace nnhal
