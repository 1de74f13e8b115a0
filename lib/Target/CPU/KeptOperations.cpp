//===- KeptOperations.cpp - What operations became earlier ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KeptOperations.h"

#include "CodeEmission.h"
#include "KernelSplit.h"

#include "Codegen/CallConvention.h"
#include "nnhal/Dialect/NNHal/IR/NNHal.h"
#include "nnhal/Runtime/CompileOptions.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace nnhal;

/// The name of the module of operations that are kept, and of the function in a
/// record.
static constexpr StringLiteral keptName = "kept_operations";
static constexpr StringLiteral recordName = "operation";

static std::string recordKeyOf(StringRef digest) {
  return std::string(rt::operationKeyPrefix) + digest.str();
}

static StringAttr keyOf(func::FuncOp function) {
  return function->getAttrOfType<StringAttr>(operationAttrName);
}

static StringAttr kernelKeyOf(func::FuncOp function) {
  return function->getAttrOfType<StringAttr>(kernelAttrName);
}

/// Calls \p visit for the names of the functions and constants that \p function
/// refers to, and what they are looked up with.
static void
visitSymbols(func::FuncOp function,
             llvm::function_ref<void(Operation *, StringRef)> visit) {
  function.walk([&](Operation *op) {
    if (auto call = dyn_cast<func::CallOp>(op))
      visit(op, call.getCallee());
    else if (auto constant = dyn_cast<memref::GetGlobalOp>(op))
      visit(op, constant.getName());
  });
}

//===----------------------------------------------------------------------===//
// Reuse
//===----------------------------------------------------------------------===//

namespace {
/// Not registered: it needs a library, which only a compilation has.
struct ReuseOperationsPass
    : PassWrapper<ReuseOperationsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ReuseOperationsPass)

  explicit ReuseOperationsPass(KernelLibrary &library) : library(library) {}

  StringRef getArgument() const override { return "nnhal-reuse-operations"; }
  StringRef getDescription() const override {
    return "Replace operations whose kernels' machine code there is by calls";
  }
  void runOnOperation() override;

private:
  OwningOpRef<ModuleOp> readRecord(StringRef key);
  bool hasKernels(ModuleOp record);
  void reuse(func::FuncOp operation, ModuleOp record, SymbolTable &symbols);

  KernelLibrary &library;
};
} // namespace

/// The record with \p key; null where there is none that can be read.
OwningOpRef<ModuleOp> ReuseOperationsPass::readRecord(StringRef key) {
  Object record;
  if (!library.lookUp(recordKeyOf(key), record))
    return nullptr;
  // A damaged record costs the time that it would have saved, and no more.
  ScopedDiagnosticHandler ignore(&getContext(),
                                 [](Diagnostic &) { return success(); });
  return parseSourceString<ModuleOp>(StringRef(record.data(), record.size()),
                                     ParserConfig(&getContext()));
}

/// Whether the library has the code of all kernels that \p record declares.
bool ReuseOperationsPass::hasKernels(ModuleOp record) {
  return llvm::all_of(record.getOps<func::FuncOp>(), [&](func::FuncOp kernel) {
    if (!kernel.isExternal())
      return true;
    StringAttr key = kernelKeyOf(kernel);
    if (!key)
      return false;
    std::string piece = (kernel.getName() + pieceSuffix).str();
    SmallVector<StringRef> names = {kernel.getName()};
    if (kernel->hasAttr(isSplitAttrName))
      names.push_back(piece);
    return library.find(key, [&](ArrayRef<char> object) {
      return definesFunctions(object, names);
    });
  });
}

/// Gives \p operation the body that \p record has for it.
void ReuseOperationsPass::reuse(func::FuncOp operation, ModuleOp record,
                                SymbolTable &symbols) {
  auto body = record.lookupSymbol<func::FuncOp>(recordName);
  OpBuilder builder(&getContext());
  // A name that one constant gets may be that of another in the record.
  llvm::DenseMap<StringAttr, StringAttr> names;
  for (Operation &symbol : llvm::make_early_inc_range(*record.getBody())) {
    if (auto global = dyn_cast<memref::GlobalOp>(symbol)) {
      StringAttr before = global.getSymNameAttr();
      global->remove();
      builder.setInsertionPoint(operation);
      builder.insert(global);
      names[before] = symbols.insert(global, Block::iterator(global));
      continue;
    }
    auto kernel = cast<func::FuncOp>(symbol);
    if (kernel == body || symbols.lookup(kernel.getName()))
      continue;
    kernel->remove();
    builder.setInsertionPointAfter(operation);
    builder.insert(kernel);
    symbols.insert(kernel, Block::iterator(kernel));
  }
  body.walk([&](memref::GetGlobalOp use) {
    use.setName(names.lookup(use.getNameAttr().getAttr()));
  });
  operation.getBody().takeBody(body.getBody());
  operation->removeAttr(operationAttrName);
}

/// Whether \p record is one of \p operation, and refers to nothing else than
/// what it has.
static bool isUsable(ModuleOp record, func::FuncOp operation) {
  auto body = record.lookupSymbol<func::FuncOp>(recordName);
  if (!body || body.isExternal() ||
      body.getFunctionType() != operation.getFunctionType())
    return false;
  return llvm::all_of(*record.getBody(), [](Operation &op) {
    return isa<func::FuncOp, memref::GlobalOp>(op);
  });
}

void ReuseOperationsPass::runOnOperation() {
  ModuleOp module = getOperation();
  // Kernels that are kept have pointers for buffers.
  if (llvm::any_of(module.getOps<func::FuncOp>(), passesDynamicBuffers))
    return;
  SymbolTable symbols(module);
  for (auto operation :
       llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
    StringAttr key = keyOf(operation);
    if (!key)
      continue;
    OwningOpRef<ModuleOp> record = readRecord(key);
    if (record && isUsable(*record, operation) && hasKernels(*record))
      reuse(operation, *record, symbols);
  }
}

std::unique_ptr<Pass> nnhal::createReuseOperations(KernelLibrary &library) {
  return std::make_unique<ReuseOperationsPass>(library);
}

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

ModuleOp nnhal::findKeptOperations(ModuleOp module) {
  return module.lookupSymbol<ModuleOp>(keptName);
}

void nnhal::addKeptOperation(func::FuncOp operation, ModuleOp module) {
  OpBuilder builder(module.getContext());
  ModuleOp kept = findKeptOperations(module);
  if (!kept) {
    builder.setInsertionPointToEnd(module.getBody());
    kept = ModuleOp::create(builder, module.getLoc(), keptName);
  }
  builder.setInsertionPointToEnd(kept.getBody());
  auto copy = cast<func::FuncOp>(builder.clone(*operation));
  visitSymbols(copy, [&](Operation *op, StringRef name) {
    Operation *symbol = kept.lookupSymbol(name);
    if (!symbol) {
      symbol = builder.cloneWithoutRegions(*module.lookupSymbol(name));
      symbol->removeAttr(linkageAttrName);
    }
    if (op->hasAttr(grainAttrName))
      symbol->setAttr(isSplitAttrName, builder.getUnitAttr());
  });
}

namespace {
/// Not registered: it needs a library, which only a compilation has.
struct KeepOperationsPass
    : PassWrapper<KeepOperationsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(KeepOperationsPass)

  explicit KeepOperationsPass(KernelLibrary &library) : library(library) {}

  StringRef getArgument() const override { return "nnhal-keep-operations"; }
  StringRef getDescription() const override {
    return "Keep records of the kernels that operations consist of";
  }
  void runOnOperation() override;

private:
  void keep(func::FuncOp operation, ModuleOp kept);

  KernelLibrary &library;
};
} // namespace

/// Writes the record of \p operation, unless a kernel that it calls has no key.
void KeepOperationsPass::keep(func::FuncOp operation, ModuleOp kept) {
  OpBuilder builder(&getContext());
  OwningOpRef<ModuleOp> record = ModuleOp::create(builder.getUnknownLoc());
  builder.setInsertionPointToEnd(record->getBody());
  auto body = cast<func::FuncOp>(builder.clone(*operation));
  body.setName(recordName);
  body->removeAttr(operationAttrName);
  bool isComplete = true;
  visitSymbols(body, [&](Operation *, StringRef name) {
    Operation *symbol = kept.lookupSymbol(name);
    auto kernel = dyn_cast<func::FuncOp>(symbol);
    isComplete &= !kernel || kernelKeyOf(kernel);
    if (!record->lookupSymbol(name))
      builder.clone(*symbol);
  });
  if (!isComplete)
    return;
  record->walk([&](Operation *op) { op->setLoc(builder.getUnknownLoc()); });
  Object bytes;
  llvm::raw_svector_ostream stream(bytes);
  if (succeeded(writeBytecodeToFile(*record, stream)))
    library.keep(recordKeyOf(keyOf(operation)), bytes);
}

void KeepOperationsPass::runOnOperation() {
  ModuleOp module = getOperation();
  ModuleOp kept = findKeptOperations(module);
  if (!kept)
    return;
  // Kernels that pass descriptors are for modules where all do.
  if (llvm::none_of(module.getOps<func::FuncOp>(), passesDynamicBuffers))
    for (auto operation : kept.getOps<func::FuncOp>())
      if (!operation.isExternal())
        keep(operation, kept);
  kept.erase();
}

std::unique_ptr<Pass> nnhal::createKeepOperations(KernelLibrary &library) {
  return std::make_unique<KeepOperationsPass>(library);
}
