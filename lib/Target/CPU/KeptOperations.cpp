//===- KeptOperations.cpp - What operations became earlier ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KeptOperations.h"

#include "CodeEmission.h"
#include "KernelSplit.h"
#include "LibraryPass.h"

#include "Codegen/CallConvention.h"
#include "nnhal/Runtime/CompileOptions.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <utility>

using namespace mlir;
using namespace nnhal;

/// The name of the function in a record.
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

/// The name of the function or the constant that \p op refers to; empty where
/// it refers to none.
static StringRef symbolOf(Operation *op) {
  if (auto call = dyn_cast<func::CallOp>(op))
    return call.getCallee();
  if (auto constant = dyn_cast<memref::GetGlobalOp>(op))
    return constant.getName();
  return {};
}

/// Calls \p visit for the operations of \p function that refer to functions and
/// constants, and for the names of these.
static void
visitSymbols(func::FuncOp function,
             llvm::function_ref<void(Operation *, StringRef)> visit) {
  function.walk([&](Operation *op) {
    if (StringRef name = symbolOf(op); !name.empty())
      visit(op, name);
  });
}

//===----------------------------------------------------------------------===//
// Reuse
//===----------------------------------------------------------------------===//

namespace {
struct ReuseOperationsPass : LibraryPass<ReuseOperationsPass> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ReuseOperationsPass)

  StringRef getArgument() const override { return "nnhal-reuse-operations"; }
  StringRef getDescription() const override {
    return "Replace operations whose kernels' machine code there is by calls";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry
        .insert<arith::ArithDialect, LLVM::LLVMDialect, memref::MemRefDialect,
                scf::SCFDialect, vector::VectorDialect>();
  }
  void runOnOperation() override;

private:
  OwningOpRef<ModuleOp> readRecord(StringRef key);
  bool hasCode(func::FuncOp kernel);
  bool isUsable(ModuleOp record, func::FuncOp operation,
                const SymbolTable &symbols);
  void reuse(func::FuncOp operation, ModuleOp record, SymbolTable &symbols);
  memref::GlobalOp globalFor(memref::GlobalOp global, func::FuncOp operation,
                             SymbolTable &symbols);

  /// The constants of the module by type and content.
  llvm::DenseMap<std::pair<Type, Attribute>, memref::GlobalOp> globals;
};
} // namespace

/// The record with \p key; null where there is none that can be read.
OwningOpRef<ModuleOp> ReuseOperationsPass::readRecord(StringRef key) {
  Object record;
  if (!library->lookUp(recordKeyOf(key), record))
    return nullptr;
  StringRef bytes(record.data(), record.size());
  if (!isBytecode(llvm::MemoryBufferRef(bytes, "record")))
    return nullptr;
  // A damaged record costs the time that it would have saved, and no more.
  ScopedDiagnosticHandler ignore(&getContext(),
                                 [](Diagnostic &) { return success(); });
  return parseSourceString<ModuleOp>(bytes, ParserConfig(&getContext()));
}

/// Whether the library has the code of \p kernel, a declaration, and of the
/// function that runs pieces of it, where it has one.
bool ReuseOperationsPass::hasCode(func::FuncOp kernel) {
  StringAttr key = kernelKeyOf(kernel);
  if (!key)
    return false;
  std::string piece = (kernel.getName() + pieceSuffix).str();
  SmallVector<StringRef> names = {kernel.getName()};
  if (kernel->hasAttr(isSplitAttrName))
    names.push_back(piece);
  return library->find(key, [&](ArrayRef<char> object) {
    return definesFunctions(object, names);
  });
}

/// Whether \p found, which has the name of \p kernel, declares it, too.
static bool declares(Operation *found, func::FuncOp kernel) {
  auto function = dyn_cast<func::FuncOp>(found);
  return function && function.isExternal() &&
         function.getFunctionType() == kernel.getFunctionType() &&
         kernelKeyOf(function) == kernelKeyOf(kernel);
}

/// Whether \p record is one of \p operation, and has declarations of kernels
/// whose code there is and constants beside the function alone. The parser has
/// verified that this refers to nothing else.
bool ReuseOperationsPass::isUsable(ModuleOp record, func::FuncOp operation,
                                   const SymbolTable &symbols) {
  auto body = record.lookupSymbol<func::FuncOp>(recordName);
  if (!body || body.isExternal() ||
      body.getFunctionType() != operation.getFunctionType())
    return false;
  WalkResult calls = body.walk([&](func::CallOp call) {
    auto kernel = record.lookupSymbol<func::FuncOp>(call.getCallee());
    return call->hasAttr(grainAttrName) && !kernel->hasAttr(isSplitAttrName)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  if (calls.wasInterrupted())
    return false;
  return llvm::all_of(*record.getBody(), [&](Operation &op) {
    if (auto global = dyn_cast<memref::GlobalOp>(op))
      return global.getConstant() && global.getInitialValue().has_value();
    auto kernel = dyn_cast<func::FuncOp>(op);
    if (!kernel || kernel == body)
      return kernel == body;
    Operation *other = symbols.lookup(kernel.getName());
    return kernel.isExternal() && (!other || declares(other, kernel)) &&
           hasCode(kernel);
  });
}

/// The constant of the module that contains what \p global of a record does.
memref::GlobalOp ReuseOperationsPass::globalFor(memref::GlobalOp global,
                                                func::FuncOp operation,
                                                SymbolTable &symbols) {
  memref::GlobalOp &known =
      globals[{global.getType(), *global.getInitialValue()}];
  if (!known) {
    known = global;
    known->remove();
    OpBuilder(operation).insert(known);
    symbols.insert(known, Block::iterator(known));
  }
  return known;
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
      names[before] = globalFor(global, operation, symbols).getSymNameAttr();
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

void ReuseOperationsPass::runOnOperation() {
  ModuleOp module = getOperation();
  // Kernels that are kept have pointers for buffers.
  if (llvm::any_of(module.getOps<func::FuncOp>(), passesDynamicBuffers))
    return;
  globals.clear();
  for (auto global : module.getOps<memref::GlobalOp>())
    if (global.getConstant() && global.getInitialValue())
      globals.try_emplace({global.getType(), *global.getInitialValue()},
                          global);
  SymbolTable symbols(module);
  for (auto operation :
       llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
    StringAttr key = keyOf(operation);
    if (!key)
      continue;
    OwningOpRef<ModuleOp> record = readRecord(key);
    if (record && isUsable(*record, operation, symbols))
      reuse(operation, *record, symbols);
  }
}

std::unique_ptr<Pass> nnhal::createReuseOperations(KernelLibrary &library) {
  return createLibraryPass<ReuseOperationsPass>(library);
}

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

ModuleOp nnhal::findKeptOperations(ModuleOp module) {
  for (auto nested : module.getOps<ModuleOp>())
    if (nested->hasAttr(keptOperationsAttrName))
      return nested;
  return nullptr;
}

/// Whether a module of its own can have \p operation with declarations of what
/// it calls.
static bool isSelfContained(func::FuncOp operation,
                            const SymbolTable &symbols) {
  WalkResult result = operation.walk([&](Operation *op) {
    if (!isa<SymbolUserOpInterface>(op))
      return WalkResult::advance();
    StringRef name = symbolOf(op);
    Operation *symbol = name.empty() ? nullptr : symbols.lookup(name);
    auto function = dyn_cast_if_present<func::FuncOp>(symbol);
    auto global = dyn_cast_if_present<memref::GlobalOp>(symbol);
    bool isUsable = (function && function.isPrivate() && !keyOf(function)) ||
                    (global && global.getConstant());
    return isUsable && name != recordName ? WalkResult::advance()
                                          : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

void nnhal::addKeptOperations(ArrayRef<func::FuncOp> operations,
                              ModuleOp module, SymbolTable &symbols) {
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  auto kept = ModuleOp::create(builder, module.getLoc());
  kept->setAttr(keptOperationsAttrName, builder.getUnitAttr());
  SymbolTable declared(kept);
  builder.setInsertionPointToEnd(kept.getBody());
  for (func::FuncOp operation : operations) {
    if (!isSelfContained(operation, symbols))
      continue;
    declared.insert(builder.clone(*operation));
    visitSymbols(operation, [&](Operation *op, StringRef name) {
      Operation *symbol = declared.lookup(name);
      if (!symbol) {
        symbol = symbols.lookup(name)->cloneWithoutRegions();
        symbol->removeAttr(linkageAttrName);
        declared.insert(symbol);
      }
      if (op->hasAttr(grainAttrName))
        symbol->setAttr(isSplitAttrName, builder.getUnitAttr());
    });
  }
}

namespace {
struct KeepOperationsPass : LibraryPass<KeepOperationsPass> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(KeepOperationsPass)

  StringRef getArgument() const override { return "nnhal-keep-operations"; }
  StringRef getDescription() const override {
    return "Keep records of the kernels that operations consist of";
  }
  void runOnOperation() override;

private:
  void keep(func::FuncOp operation, const SymbolTable &kept);
};
} // namespace

/// Writes the record of \p operation, unless a kernel that it calls has no key.
void KeepOperationsPass::keep(func::FuncOp operation, const SymbolTable &kept) {
  OpBuilder builder(&getContext());
  OwningOpRef<ModuleOp> record = ModuleOp::create(builder.getUnknownLoc());
  SymbolTable declared(*record);
  auto body = cast<func::FuncOp>(operation->clone());
  body.setName(recordName);
  body->removeAttr(operationAttrName);
  declared.insert(body);
  bool isComplete = true;
  visitSymbols(body, [&](Operation *, StringRef name) {
    Operation *symbol = kept.lookup(name);
    auto kernel = dyn_cast<func::FuncOp>(symbol);
    isComplete &= !kernel || kernelKeyOf(kernel);
    if (!declared.lookup(name))
      declared.insert(symbol->clone());
  });
  if (!isComplete)
    return;
  record->walk([&](Operation *op) { op->setLoc(builder.getUnknownLoc()); });
  Object bytes;
  llvm::raw_svector_ostream stream(bytes);
  if (succeeded(writeBytecodeToFile(*record, stream)))
    library->keep(recordKeyOf(keyOf(operation)), bytes);
}

void KeepOperationsPass::runOnOperation() {
  ModuleOp module = getOperation();
  ModuleOp kept = findKeptOperations(module);
  if (!kept)
    return;
  SymbolTable symbols(kept);
  // Kernels that pass descriptors are for modules where all do.
  if (llvm::none_of(module.getOps<func::FuncOp>(), passesDynamicBuffers))
    for (auto operation : kept.getOps<func::FuncOp>())
      if (!operation.isExternal() && keyOf(operation))
        keep(operation, symbols);
  kept.erase();
}

std::unique_ptr<Pass> nnhal::createKeepOperations(KernelLibrary &library) {
  return createLibraryPass<KeepOperationsPass>(library);
}
