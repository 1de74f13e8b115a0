//===- NameKernels.cpp - Names that stand for contents --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Target/CPU/Passes.h"

#include "nnhal/Dialect/NNHal/IR/NNHalOps.h"
#include "nnhal/Dialect/NNHal/IR/Target.h"

#include "Codegen/CallConvention.h"
#include "KeptOperations.h"
#include "KernelContent.h"
#include "KernelSplit.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"

namespace nnhal {
#define GEN_PASS_DEF_NAMEKERNELS
#include "nnhal/Target/CPU/Passes.h.inc"

using namespace mlir;

namespace {

/// A kernel, and the functions that only call it.
using Unit = SmallVector<func::FuncOp>;

struct NameKernelsPass : impl::NameKernelsBase<NameKernelsPass> {
  void runOnOperation() override;

private:
  void name(const Unit &unit, StringRef key);
  void addDeclarations(ModuleOp module);
  void nameInRecords(ModuleOp module);

  SmallVector<StringRef> keys;
  llvm::StringMap<SmallVector<std::string>> namesOfKey;
  /// The types of declarations by their keys.
  llvm::StringMap<FunctionType> declared;
  /// By the name that a function had.
  llvm::StringMap<std::string> renamed;
};

} // namespace

/// Only functions that nobody outside of the code knows can have other names.
static bool isInternal(func::FuncOp function) {
  auto linkage = function->getAttrOfType<LLVM::LinkageAttr>(linkageAttrName);
  return linkage && linkage.getLinkage() == LLVM::Linkage::Internal;
}

/// The one function that \p function calls, and how often it calls any.
static std::pair<StringRef, size_t> calleeOf(func::FuncOp function) {
  StringRef callee;
  size_t calls = 0;
  function.walk([&](func::CallOp call) {
    callee = call.getCallee();
    ++calls;
  });
  return {callee, calls};
}

static SmallVector<Unit> findUnits(ModuleOp module) {
  llvm::MapVector<StringRef, Unit> units;
  SmallVector<std::pair<StringRef, func::FuncOp>> pieces;
  for (auto function : module.getOps<func::FuncOp>()) {
    // An entry that calls one kernel is no piece of it.
    if (function.isExternal() || !isInternal(function) ||
        function->hasAttr(entryAttrName))
      continue;
    auto [callee, calls] = calleeOf(function);
    if (calls == 0)
      units[function.getName()].push_back(function);
    else if (calls == 1)
      pieces.push_back({callee, function});
  }
  for (auto [callee, piece] : pieces)
    if (auto unit = units.find(callee); unit != units.end())
      unit->second.push_back(piece);
  return llvm::map_to_vector(units, [](auto &entry) { return entry.second; });
}

/// Returns the target and the calling convention of \p module as text: the
/// machine code of a kernel depends on them beside its own operations.
static std::string contextOf(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  TargetAttr target = findTarget(module);
  DictionaryAttr parameters = target ? target.getParameters() : nullptr;
  for (StringRef name : {"triple", "cpu", "features", "vector_bits"})
    if (Attribute value = parameters ? parameters.get(name) : nullptr)
      stream << name << '=' << value << '\n';
  if (llvm::any_of(module.getOps<func::FuncOp>(), passesDynamicBuffers))
    stream << passesDescriptorsAttrName << '\n';
  return text;
}

/// Renames the functions of \p unit, or forgets them when there are some with
/// \p key.
void NameKernelsPass::name(const Unit &unit, StringRef key) {
  SmallVector<std::string> &names = namesOfKey[key];
  bool isFirst = names.empty();
  auto declaration = declared.find(key);
  if (declaration != declared.end() &&
      (unit.size() > names.size() ||
       func::FuncOp(unit.front()).getFunctionType() != declaration->second))
    return;
  for (size_t index = 0; index < unit.size(); ++index) {
    func::FuncOp function = unit[index];
    if (isFirst) {
      // Half a digest tells all kernels apart that a model could have.
      std::string name = ("kernel_" + key.take_front(key.size() / 2)).str();
      if (index > 0)
        name += pieceSuffix;
      if (index > 1)
        name += std::to_string(index);
      names.push_back(name);
    }
    renamed[function.getName()] = names[index];
    if (!isFirst) {
      function.erase();
      continue;
    }
    function.setName(names[index]);
    function->setAttr(kernelAttrName, StringAttr::get(&getContext(), key));
  }
  if (isFirst)
    keys.push_back(namesOfKey.find(key)->first());
}

/// Adds the kernels that \p module only declares, because their code is kept: a
/// kernel that was made anew may be one of them.
void NameKernelsPass::addDeclarations(ModuleOp module) {
  for (auto kernel : module.getOps<func::FuncOp>()) {
    auto key = kernel->getAttrOfType<StringAttr>(kernelAttrName);
    if (!key || !kernel.isExternal())
      continue;
    SmallVector<std::string> &names = namesOfKey[key];
    names = {kernel.getName().str(), (kernel.getName() + pieceSuffix).str()};
    declared[key] = kernel.getFunctionType();
    keys.push_back(key);
  }
}

/// Gives the kernels that records of operations call the names, the keys and
/// the last argument that they have by now.
void NameKernelsPass::nameInRecords(ModuleOp module) {
  ModuleOp kept = findKeptOperations(module);
  if (!kept)
    return;
  SymbolTable symbols(module);
  for (auto kernel : llvm::make_early_inc_range(kept.getOps<func::FuncOp>())) {
    auto name = renamed.find(kernel.getName());
    if (!kernel.isExternal() || name == renamed.end())
      continue;
    if (kept.lookupSymbol(name->second)) {
      kernel.erase();
      continue;
    }
    auto function = symbols.lookup<func::FuncOp>(name->second);
    if (function.getNumArguments() > kernel.getNumArguments())
      kernel->setAttr(pollsFlagAttrName, UnitAttr::get(&getContext()));
    kernel->setAttr(kernelAttrName, function->getAttr(kernelAttrName));
    kernel.setName(name->second);
  }
}

void NameKernelsPass::runOnOperation() {
  keys.clear();
  namesOfKey.clear();
  declared.clear();
  renamed.clear();
  ModuleOp module = getOperation();
  std::string context = contextOf(module);
  SymbolTable symbols(module);
  KernelContent content(symbols, context);
  addDeclarations(module);
  for (const Unit &unit : findUnits(module))
    if (std::optional<std::string> key = content.keyOf(unit))
      name(unit, *key);
  if (keys.empty())
    return;
  module.walk([&](Operation *op) {
    if (auto call = dyn_cast<func::CallOp>(op)) {
      if (auto name = renamed.find(call.getCallee()); name != renamed.end())
        call.setCallee(name->second);
    } else if (auto address = dyn_cast<func::ConstantOp>(op)) {
      if (auto name = renamed.find(address.getValue()); name != renamed.end())
        address.setValue(name->second);
    }
  });
  nameInRecords(module);
  // The order in which kernels were found depends on which of them are kept.
  llvm::sort(keys);
  module->setAttr(kernelsAttrName,
                  Builder(&getContext()).getStrArrayAttr(keys));
  numNamed += keys.size() - declared.size();
}

} // namespace nnhal
