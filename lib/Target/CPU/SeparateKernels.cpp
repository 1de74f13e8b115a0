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
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace nnhal;

/// The symbols that \p kernel refers to and does not define, in the order in
/// which it does.
static SmallVector<StringAttr> findMissing(ModuleOp kernel) {
  llvm::SetVector<StringAttr> missing;
  std::optional<SymbolTable::UseRange> uses =
      SymbolTable::getSymbolUses(&kernel.getBodyRegion());
  if (uses)
    for (const SymbolTable::SymbolUse &use : *uses)
      missing.insert(use.getSymbolRef().getRootReference());
  return llvm::filter_to_vector(
      missing, [&](StringAttr name) { return !kernel.lookupSymbol(name); });
}

/// Gives \p kernel what it refers to in \p part: declarations of functions, and
/// constants of its own, whose names depend on nothing but \p kernel.
static void complete(ModuleOp kernel, const SymbolTable &part) {
  OpBuilder builder = OpBuilder::atBlockEnd(kernel.getBody());
  unsigned constants = 0;
  for (StringAttr name : findMissing(kernel)) {
    Operation *symbol = part.lookup(name);
    if (isa<LLVM::LLVMFuncOp>(symbol)) {
      builder.cloneWithoutRegions(*symbol);
      continue;
    }
    auto global = cast<LLVM::GlobalOp>(builder.clone(*symbol));
    StringAttr own =
        builder.getStringAttr("constant_" + std::to_string(constants++));
    if (failed(SymbolTable::replaceAllSymbolUses(name, own,
                                                 &kernel.getBodyRegion())))
      llvm_unreachable("the uses are those of calls and addresses");
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
