//===- ReuseKernels.cpp - Kernels that are compiled already ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReuseKernels.h"

#include "CodeEmission.h"
#include "LibraryPass.h"
#include "nnhal/Dialect/NNHal/IR/DiscardableAttributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace nnhal;

namespace {
struct ReuseKernelsPass : LibraryPass<ReuseKernelsPass> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ReuseKernelsPass)

  StringRef getArgument() const override { return "nnhal-reuse-kernels"; }
  StringRef getDescription() const override {
    return "Drop the bodies of kernels whose machine code there is";
  }
  void runOnOperation() override;
};
} // namespace

void ReuseKernelsPass::runOnOperation() {
  llvm::StringMap<SmallVector<func::FuncOp>> kernels;
  for (auto function : getOperation().getOps<func::FuncOp>())
    if (auto key = function->getAttrOfType<StringAttr>(kernelAttrName))
      kernels[key].push_back(function);
  for (auto &[key, functions] : kernels) {
    // nnhal-reuse-operations has found what is only declared.
    if (functions.front().isExternal()) {
      functions.front()->removeAttr(kernelAttrName);
      continue;
    }
    auto names = llvm::map_to_vector(
        functions, [](func::FuncOp function) { return function.getName(); });
    if (!library->find(key, [&](ArrayRef<char> object) {
          return definesFunctions(object, names);
        }))
      continue;
    for (func::FuncOp function : functions) {
      function.eraseBody();
      function->removeAttr(kernelAttrName);
    }
  }
}

std::unique_ptr<Pass> nnhal::createReuseKernels(KernelLibrary &library) {
  return createLibraryPass<ReuseKernelsPass>(library);
}
