//===- FuncToLLVM.cpp - Functions to LLVM, by the buffers they pass -------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Codegen/Passes.h"

#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

namespace nnhal {
#define GEN_PASS_DEF_FUNCTOLLVM
#include "nnhal/Codegen/Passes.h.inc"

using namespace mlir;

namespace {
struct FuncToLLVMPass : impl::FuncToLLVMBase<FuncToLLVMPass> {
  void runOnOperation() override;
};
} // namespace

static bool passesOnlyStaticBuffers(ModuleOp module) {
  for (func::FuncOp func : module.getOps<func::FuncOp>())
    for (Type type : func.getArgumentTypes())
      if (auto buffer = dyn_cast<MemRefType>(type);
          buffer &&
          (!buffer.hasStaticShape() ||
           ShapedType::isDynamic(buffer.getStridesAndOffset().second) ||
           llvm::any_of(buffer.getStridesAndOffset().first,
                        ShapedType::isDynamic)))
        return false;
  return true;
}

void FuncToLLVMPass::runOnOperation() {
  ConvertFuncToLLVMPassOptions options;
  options.useBarePtrCallConv = passesOnlyStaticBuffers(getOperation());
  OpPassManager pipeline(ModuleOp::getOperationName());
  pipeline.addPass(createConvertFuncToLLVMPass(options));
  if (failed(runPipeline(pipeline, getOperation())))
    signalPassFailure();
}

} // namespace nnhal
