//===- KnownExtents.cpp - Extents that checks and callers state -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KnownExtents.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace nnhal;

std::optional<KnownExtents::Passed>
KnownExtents::find(Value memory, unsigned dim, Operation *reader) {
  while (true) {
    auto type = dyn_cast<MemRefType>(memory.getType());
    if (!type)
      return Passed{.isAny = true};
    if (!type.isDynamicDim(dim))
      return Passed{.extent = type.getDimSize(dim)};
    for (Operation *user : memory.getUsers()) {
      auto asked = dyn_cast<memref::DimOp>(user);
      if (!asked || asked.getConstantIndex() != int64_t(dim))
        continue;
      if (std::optional<int64_t> extent =
              loaded.constantAt(asked.getResult(), reader))
        return Passed{.extent = *extent};
    }
    auto cast = memory.getDefiningOp<memref::CastOp>();
    if (!cast)
      break;
    memory = cast.getSource();
  }
  auto argument = dyn_cast<BlockArgument>(memory);
  if (!argument || !onlyCalled.contains(argument.getOwner()->getParentOp()))
    return Passed{.isAny = true};
  auto it = ofArguments.find({memory, dim});
  return it == ofArguments.end() ? std::nullopt : std::optional(it->second);
}

/// True when \p passed tells something new of the extent of \p argument.
bool KnownExtents::join(Value argument, unsigned dim,
                        std::optional<Passed> passed) {
  if (!passed)
    return false;
  auto [it, isFirst] = ofArguments.try_emplace({argument, dim}, *passed);
  if (isFirst || it->second.isAny || it->second == *passed)
    return isFirst;
  it->second = {.isAny = true};
  return true;
}

bool KnownExtents::visit(func::CallOp call, func::FuncOp callee) {
  bool hasChanged = false;
  for (auto [operand, argument] :
       llvm::zip_equal(call.getOperands(), callee.getArguments())) {
    auto type = dyn_cast<MemRefType>(argument.getType());
    for (int64_t dim = 0; type && dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim))
        hasChanged |= join(argument, dim, find(operand, dim, call));
  }
  return hasChanged;
}

/// Visits calls until nothing changes. What an argument is known by changes at
/// most twice, so that this takes time in proportion to the calls, however
/// deep they nest.
void KnownExtents::visitCalls() {
  DenseMap<Operation *, func::FuncOp> callees;
  DenseMap<Operation *, SmallVector<func::CallOp>> callsWithin;
  DenseSet<Operation *> usedOtherwise;
  SymbolTable symbols(module);
  auto uses = SymbolTable::getSymbolUses(&module.getBodyRegion());
  for (SymbolTable::SymbolUse use : uses ? *uses : SymbolTable::UseRange({})) {
    auto function =
        symbols.lookup<func::FuncOp>(use.getSymbolRef().getRootReference());
    auto call = dyn_cast<func::CallOp>(use.getUser());
    if (!function || function.isExternal())
      continue;
    if (!call || !function.isPrivate()) {
      usedOtherwise.insert(function);
      continue;
    }
    callees[call] = function;
    callsWithin[call->getParentOfType<func::FuncOp>()].push_back(call);
    onlyCalled.insert(function);
  }
  for (Operation *function : usedOtherwise)
    onlyCalled.erase(function);
  llvm::SetVector<Operation *> pending;
  for (auto &[function, calls] : callsWithin)
    pending.insert_range(calls);
  while (!pending.empty()) {
    auto call = cast<func::CallOp>(pending.pop_back_val());
    func::FuncOp callee = callees.lookup(call);
    if (!onlyCalled.contains(callee) || !visit(call, callee))
      continue;
    auto found = callsWithin.find(callee);
    if (found != callsWithin.end())
      pending.insert_range(found->second);
  }
}

std::optional<int64_t> KnownExtents::of(Value memory, unsigned dim,
                                        Operation *reader) {
  auto type = dyn_cast<MemRefType>(memory.getType());
  if (type && !type.isDynamicDim(dim))
    return type.getDimSize(dim);
  if (!hasVisitedCalls) {
    hasVisitedCalls = true;
    visitCalls();
  }
  std::optional<Passed> passed = find(memory, dim, reader);
  if (!passed || passed->isAny)
    return std::nullopt;
  return passed->extent;
}
