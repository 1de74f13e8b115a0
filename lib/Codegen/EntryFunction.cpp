//===- EntryFunction.cpp - The function that computes a graph -------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Codegen/EntryFunction.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace nnhal;

/// The entry of ABI v1 calls the entry function. Nothing else may refer to it,
/// because passes give it more arguments.
static LogicalResult checkUser(Operation *user, func::FuncOp entry) {
  auto caller = user->getParentOfType<func::FuncOp>();
  if (isa<func::CallOp>(user) && caller && caller.getName() == entrySymbolName)
    return success();
  InFlightDiagnostic error = user->emitError("refers to the entry function '")
                             << entry.getName() << "', which only '"
                             << entrySymbolName << "' may call";
  error.attachNote(entry.getLoc()) << "the entry function is here";
  return error;
}

FailureOr<func::FuncOp> nnhal::findEntryFunction(ModuleOp module) {
  SmallVector<func::FuncOp> entries;
  SmallVector<std::pair<Operation *, StringRef>> users;
  module.walk([&](Operation *op) {
    if (auto function = dyn_cast<func::FuncOp>(op);
        function && function->hasAttr(entryAttrName))
      entries.push_back(function);
    else if (auto call = dyn_cast<func::CallOp>(op))
      users.push_back({op, call.getCallee()});
    else if (auto constant = dyn_cast<func::ConstantOp>(op))
      users.push_back({op, constant.getValue()});
  });
  if (entries.empty())
    return func::FuncOp();
  if (entries.size() > 1) {
    InFlightDiagnostic error = module.emitError("found ")
                               << entries.size() << " functions with '"
                               << entryAttrName << "', expected at most one";
    error.attachNote(entries[1].getLoc()) << "the second is here";
    return error;
  }
  func::FuncOp entry = entries.front();
  if (entry->getParentOp() != module)
    return entry.emitError("the entry function must be directly in the module "
                           "that a pass works on");
  if (entry.isExternal())
    return entry.emitError("the entry function is a declaration, expected a "
                           "body");
  for (auto [user, name] : users)
    if (name == entry.getName() && failed(checkUser(user, entry)))
      return failure();
  return entry;
}
