//===- SeparateKernels.cpp - A module for each kernel ---------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CodeEmission.h"

#include "nnhal/Dialect/NNHal/IR/DiscardableAttributes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace nnhal;

/// By symbols that \p kernel refers to and does not define, in the order in
/// which it does, the operations that take their addresses; calls have none.
/// SymbolTable::getSymbolUses() looks into every attribute, which takes a
/// hundredth of a compilation.
using Missing = llvm::MapVector<StringAttr, SmallVector<LLVM::AddressOfOp>>;
static Missing findMissing(ModuleOp kernel) {
  Missing missing;
  kernel.walk([&](Operation *op) {
    if (auto address = dyn_cast<LLVM::AddressOfOp>(op))
      missing[address.getGlobalNameAttr().getAttr()].push_back(address);
    else if (auto call = dyn_cast<LLVM::CallOp>(op);
             call && call.getCalleeAttr())
      (void)missing[call.getCalleeAttr().getAttr()];
  });
  missing.remove_if(
      [&](const auto &use) { return kernel.lookupSymbol(use.first); });
  return missing;
}

/// Gives \p kernel what it refers to in \p part: declarations of functions, and
/// constants of its own, whose names depend on nothing but \p kernel.
static void complete(ModuleOp kernel, const SymbolTable &part) {
  OpBuilder builder = OpBuilder::atBlockEnd(kernel.getBody());
  unsigned constants = 0;
  for (auto &[name, addresses] : findMissing(kernel)) {
    Operation *symbol = part.lookup(name);
    if (isa<LLVM::LLVMFuncOp>(symbol)) {
      builder.cloneWithoutRegions(*symbol);
      continue;
    }
    auto global = cast<LLVM::GlobalOp>(builder.clone(*symbol));
    StringAttr own =
        builder.getStringAttr("constant_" + std::to_string(constants++));
    for (LLVM::AddressOfOp address : addresses)
      address.setGlobalName(own);
    global.setSymNameAttr(own);
  }
}

/// Moves the kernels of \p part into modules of their own, behind it.
static void separate(ModuleOp part) {
  llvm::MapVector<StringAttr, SmallVector<LLVM::LLVMFuncOp>> kernels;
  for (auto function : part.getOps<LLVM::LLVMFuncOp>())
    if (auto key = function->getAttrOfType<StringAttr>(kernelAttrName))
      kernels[key].push_back(function);
  if (kernels.empty())
    return;
  SymbolTable symbols(part);
  OpBuilder builder(part.getContext());
  builder.setInsertionPointAfter(part);
  for (auto &[key, functions] : kernels) {
    auto kernel = ModuleOp::create(builder, part.getLoc());
    kernel->setAttrs(part->getAttrDictionary());
    kernel->setAttr(kernelAttrName, key);
    for (LLVM::LLVMFuncOp function : functions) {
      function->removeAttr(kernelAttrName);
      function->moveBefore(kernel.getBody(), kernel.getBody()->end());
    }
    complete(kernel, symbols);
  }
  bool isEmpty = llvm::all_of(
      part.getOps<LLVM::LLVMFuncOp>(),
      [](LLVM::LLVMFuncOp function) { return function.isExternal(); });
  if (isEmpty)
    part.erase();
}

void nnhal::separateKernels(ModuleOp module) {
  for (ModuleOp part : llvm::make_early_inc_range(module.getOps<ModuleOp>()))
    separate(part);
}
