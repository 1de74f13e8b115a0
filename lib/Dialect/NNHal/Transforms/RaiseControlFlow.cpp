//===- RaiseControlFlow.cpp - Branches and loops --------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Raising.h"

using namespace nnhal;
using rt::OperationType;

/// All inputs from \p first on.
static llvm::SmallVector<mlir::Value> tensorsFrom(Raising &raising,
                                                  unsigned first) {
  llvm::SmallVector<mlir::Value> values;
  for (unsigned index = first; index < raising.size(); ++index)
    values.push_back(raising.tensor(index));
  return values;
}

/// Results keep their stated types: what the graphs yield may not be known in
/// more detail than what reads the results has been raised with.
static void raiseIf(Raising &raising) {
  mlir::Value condition = raising.tensor(0);
  mlir::FlatSymbolRefAttr thenGraph = raising.graph(1);
  mlir::FlatSymbolRefAttr elseGraph = raising.graph(2);
  llvm::SmallVector<mlir::Value> inputs = tensorsFrom(raising, 3);
  raising.replaceGraphs<IfOp>(condition, thenGraph, elseGraph, inputs);
}

static void raiseWhile(Raising &raising) {
  mlir::FlatSymbolRefAttr condition = raising.graph(0);
  mlir::FlatSymbolRefAttr body = raising.graph(1);
  llvm::SmallVector<mlir::Value> inputs = tensorsFrom(raising, 2);
  raising.replaceGraphs<WhileOp>(condition, body, inputs);
}

void nnhal::addControlFlowRows(RaiseTable &table) {
  table.insert({
      {OperationType::IF, raiseIf},
      {OperationType::WHILE, raiseWhile},
  });
}
