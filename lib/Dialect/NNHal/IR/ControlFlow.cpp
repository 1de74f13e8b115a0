//===- ControlFlow.cpp - Branches and loops -------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuleAdapter.h"

#include "nnhal/Dialect/NNHal/IR/OperandTypes.h"

using namespace mlir;
using namespace nnhal;

//===----------------------------------------------------------------------===//
// Signatures
//===----------------------------------------------------------------------===//

static rt::Result<std::vector<rt::Operand>> operandsOf(TypeRange types) {
  std::vector<rt::Operand> operands;
  for (Type type : types) {
    NNHAL_ASSIGN_OR_RETURN(rt::Operand operand, operandOfType(type, {}));
    operands.push_back(std::move(operand));
  }
  return operands;
}

static rt::Result<rt::GraphSignature> signatureOf(TypeRange inputs,
                                                  TypeRange outputs) {
  rt::GraphSignature signature;
  NNHAL_ASSIGN_OR_RETURN(signature.inputs, operandsOf(inputs));
  NNHAL_ASSIGN_OR_RETURN(signature.outputs, operandsOf(outputs));
  return signature;
}

using GraphRule = rt::Status (*)(const rt::GraphSignature &passed,
                                 const rt::GraphSignature &first,
                                 const rt::GraphSignature &second);

/// Checks what \p op passes against the two graphs that it names.
static rt::Status checkGraphs(Operation *op, ValueRange inputs, GraphOp first,
                              GraphOp second, GraphRule rule) {
  NNHAL_ASSIGN_OR_RETURN(rt::GraphSignature passed,
                         signatureOf(inputs.getTypes(), op->getResultTypes()));
  NNHAL_ASSIGN_OR_RETURN(
      rt::GraphSignature firstGraph,
      signatureOf(first.getArgumentTypes(), first.getResultTypes()));
  NNHAL_ASSIGN_OR_RETURN(
      rt::GraphSignature secondGraph,
      signatureOf(second.getArgumentTypes(), second.getResultTypes()));
  return rule(passed, firstGraph, secondGraph);
}

static LogicalResult verifyGraphs(Operation *op, ValueRange inputs,
                                  FlatSymbolRefAttr first,
                                  FlatSymbolRefAttr second,
                                  SymbolTableCollection &symbols,
                                  GraphRule rule) {
  FlatSymbolRefAttr names[] = {first, second};
  GraphOp graphs[2];
  for (auto [graph, name] : llvm::zip(graphs, names)) {
    graph = symbols.lookupNearestSymbolFrom<GraphOp>(op, name);
    if (!graph)
      return op->emitOpError("refers to ") << name << ", which is no graph";
  }
  return verifyStatus(op, checkGraphs(op, inputs, graphs[0], graphs[1], rule));
}

//===----------------------------------------------------------------------===//
// IfOp
//===----------------------------------------------------------------------===//

rt::Status IfOp::readHalForm(HalView &view) {
  view.setType(getOperationCode());
  view.addInput(getCondition());
  view.addReference();
  view.addReference();
  for (Value input : getInputs())
    view.addInput(input);
  for (Type output : getResultTypes())
    view.addOutput(output);
  return rt::Status(view.getStatus());
}

LogicalResult IfOp::verify() { return verifyHalForm(*this); }

LogicalResult IfOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  return verifyGraphs(*this, getInputs(), getThenGraphAttr(),
                      getElseGraphAttr(), symbolTable, rt::checkIfGraphs);
}

//===----------------------------------------------------------------------===//
// WhileOp
//===----------------------------------------------------------------------===//

rt::Status WhileOp::readHalForm(HalView &view) {
  view.setType(getOperationCode());
  view.addReference();
  view.addReference();
  for (Value input : getInputs())
    view.addInput(input);
  for (Type output : getResultTypes())
    view.addOutput(output);
  return rt::Status(view.getStatus());
}

LogicalResult WhileOp::verify() { return verifyHalForm(*this); }

LogicalResult WhileOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  return verifyGraphs(*this, getInputs(), getConditionGraphAttr(),
                      getBodyGraphAttr(), symbolTable, rt::checkWhileGraphs);
}
