//===- PartitionKernels.cpp - Modules that compile at once ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Target/CPU/Passes.h"

#include "nnhal/Codegen/EntryFunction.h"

#include "Codegen/CallConvention.h"
#include "Codegen/Preconditions.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/STLExtras.h"

#include <map>

namespace nnhal {
#define GEN_PASS_DEF_PARTITIONKERNELS
#include "nnhal/Target/CPU/Passes.h.inc"

using namespace mlir;

namespace {

struct PartitionKernelsPass : impl::PartitionKernelsBase<PartitionKernelsPass> {
  using Base::Base;
  void runOnOperation() override;
};

/// Functions that are compiled together.
struct Part {
  size_t number = 0;
  SmallVector<func::FuncOp> functions;
  int64_t size = 0;
};

} // namespace

static StringAttr keyOf(func::FuncOp function) {
  return function->getAttrOfType<StringAttr>(kernelAttrName);
}

/// Operations of \p function, by which the time that it takes to compile grows.
static int64_t sizeOf(func::FuncOp function) {
  int64_t size = 0;
  function.walk([&](Operation *) { ++size; });
  return size;
}

/// In the order of \p functions, each as large as \p limit allows, but for
/// functions that are larger. The functions of a kernel follow each other, and
/// stay together. What the runtime calls does little but to call the model's
/// entry function, which comes first: where code for that is made quickly, code
/// for both is.
static void groupBySize(ArrayRef<func::FuncOp> functions, int64_t limit,
                        SmallVectorImpl<Part> &parts) {
  StringAttr previous;
  size_t first = parts.size();
  for (func::FuncOp function : functions) {
    int64_t size = sizeOf(function);
    StringAttr key = keyOf(function);
    bool isCaller = function.getName() == entrySymbolName &&
                    parts.size() > first &&
                    parts[first].functions.front()->hasAttr(entryAttrName);
    bool belongs = isCaller || (key && key == previous);
    if (parts.size() == first || (!belongs && parts.back().size + size > limit))
      parts.push_back({parts.size(), {}, 0});
    Part &part = isCaller ? parts[first] : parts.back();
    part.functions.push_back(function);
    part.size += size;
    previous = key;
  }
}

/// The symbol that \p op refers to; empty when there is none.
static StringRef symbolOf(Operation *op) {
  if (auto call = dyn_cast<func::CallOp>(op))
    return call.getCallee();
  if (auto address = dyn_cast<func::ConstantOp>(op))
    return address.getValue();
  if (auto constant = dyn_cast<memref::GetGlobalOp>(op))
    return constant.getName();
  return {};
}

/// Declares in \p part the functions that other parts define, and copies what
/// constants it has in common with them.
static void declareOthers(ModuleOp part, const SymbolTable &all) {
  // Ordered: the text of the module must not depend on addresses.
  std::map<StringRef, Operation *> missing;
  part.walk([&](Operation *op) {
    StringRef name = symbolOf(op);
    Operation *symbol = name.empty() ? nullptr : all.lookup(name);
    if (symbol && symbol->getParentOp() != part)
      missing.emplace(name, symbol);
  });
  OpBuilder builder = OpBuilder::atBlockEnd(part.getBody());
  for (auto [name, symbol] : missing) {
    if (auto function = dyn_cast<func::FuncOp>(symbol))
      func::FuncOp::create(builder, function.getLoc(), name,
                           function.getFunctionType())
          .setPrivate();
    else
      builder.clone(*symbol);
  }
}

/// Fails unless every symbol of \p module can be had by several modules.
static LogicalResult checkSymbols(ModuleOp module) {
  for (Operation &op : *module.getBody()) {
    if (auto global = dyn_cast<memref::GlobalOp>(op)) {
      if (!global.getConstant())
        return global.emitError("global is not constant: modules that compile "
                                "at once would each have their own");
      continue;
    }
    if (!isa<func::FuncOp>(op))
      return op.emitOpError("cannot be divided among modules, which consist of "
                            "functions and constant globals");
  }
  WalkResult result = module.walk([](Operation *op) {
    if (!isa<SymbolUserOpInterface>(op) ||
        isa<func::CallOp, func::ConstantOp, memref::GetGlobalOp>(op))
      return WalkResult::advance();
    std::optional<SymbolTable::UseRange> uses = SymbolTable::getSymbolUses(op);
    if (uses && uses->empty())
      return WalkResult::advance();
    op->emitOpError("refers to a symbol that other modules would not have");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// The functions of \p functions with a body that are kernels with names of
/// their own, as \p named says, or are not.
static SmallVector<func::FuncOp> defined(ArrayRef<func::FuncOp> functions,
                                         bool named) {
  return llvm::filter_to_vector(functions, [&](func::FuncOp function) {
    return !function.isExternal() && (keyOf(function) != nullptr) == named;
  });
}

/// Divides \p functions among modules of at most \p limit operations, but for
/// larger functions. The module that takes longest to compile comes first.
static SmallVector<Part> divide(ArrayRef<func::FuncOp> functions,
                                int64_t limit) {
  SmallVector<Part> parts;
  groupBySize(defined(functions, /*named=*/false), limit, parts);
  // Others call them.
  if (parts.size() > 1)
    for (const Part &part : parts)
      for (func::FuncOp function : part.functions)
        function->removeAttr(linkageAttrName);
  SmallVector<func::FuncOp> kernels = defined(functions, /*named=*/true);
  for (func::FuncOp kernel : kernels)
    kernel->removeAttr(linkageAttrName);
  groupBySize(kernels, limit, parts);
  llvm::sort(parts, [](const Part &a, const Part &b) {
    return std::pair(-a.size, a.number) < std::pair(-b.size, b.number);
  });
  return parts;
}

void PartitionKernelsPass::runOnOperation() {
  ModuleOp module = getOperation();
  SmallVector<func::FuncOp> functions(module.getOps<func::FuncOp>());
  if (failed(checkOption(module, "max-size", maxSize, 1, INT64_MAX)))
    return signalPassFailure();
  // Without functions there is nothing to compile.
  if (functions.empty())
    return;
  if (failed(checkSymbols(module)))
    return signalPassFailure();
  bool passesDescriptors = llvm::any_of(functions, passesDynamicBuffers);
  SymbolTable symbols(module);
  SmallVector<Part> parts = divide(functions, maxSize);
  SmallVector<ModuleOp> modules;
  OpBuilder builder(&getContext());
  for (const Part &part : parts) {
    builder.setInsertionPointToEnd(module.getBody());
    auto nested = ModuleOp::create(builder, module.getLoc());
    for (func::FuncOp function : part.functions)
      function->moveBefore(nested.getBody(), nested.getBody()->end());
    if (passesDescriptors)
      nested->setAttr(passesDescriptorsAttrName, builder.getUnitAttr());
    modules.push_back(nested);
  }
  for (ModuleOp nested : modules)
    declareOthers(nested, symbols);
  for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
    if (isa<memref::GlobalOp, func::FuncOp>(op))
      op.erase();
  numParts += parts.size();
}

} // namespace nnhal
