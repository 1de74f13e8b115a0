//===- FuncToLLVM.cpp - Functions to LLVM, by the buffers they pass -------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Codegen/Passes.h"

#include "CallConvention.h"

#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
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

bool passesDynamicBuffers(func::FuncOp function) {
  return llvm::any_of(function.getArgumentTypes(), [](Type type) {
    auto buffer = dyn_cast<MemRefType>(type);
    if (!buffer)
      return false;
    SmallVector<int64_t> strides;
    int64_t offset = 0;
    return failed(buffer.getStridesAndOffset(strides, offset)) ||
           !buffer.hasStaticShape() || ShapedType::isDynamic(offset) ||
           llvm::any_of(strides, ShapedType::isDynamic);
  });
}

void FuncToLLVMPass::runOnOperation() {
  ConvertFuncToLLVMPassOptions options;
  ModuleOp module = getOperation();
  options.useBarePtrCallConv =
      !module->hasAttr(passesDescriptorsAttrName) &&
      llvm::none_of(module.getOps<func::FuncOp>(), passesDynamicBuffers);
  OpPassManager pipeline(ModuleOp::getOperationName());
  pipeline.addPass(createConvertFuncToLLVMPass(options));
  unsigned functions = llvm::range_size(module.getOps<func::FuncOp>());
  if (failed(runPipeline(pipeline, module)))
    return signalPassFailure();
  numConverted += functions;
  numBare += options.useBarePtrCallConv ? functions : 0;
}

} // namespace nnhal
