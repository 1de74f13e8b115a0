//===- CpuSupport.cpp - Operations that nnhal-cpu takes -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CpuSupport.h"

#include "Runtime/Support/Errors.h"
#include "nnhal/Backend/CalledGraphs.h"
#include "nnhal/Backend/Signatures.h"

#include <algorithm>

using namespace nnhal::rt;

using enum OperationType;

/// Scalars choose what is compiled, but for those that are values.
static bool mayBeComputed(OperationType type, size_t position) {
  switch (type) {
  case FILL:
  case EXPAND_DIMS:
    return position == 1;
  case PAD_V2:
    return position == 2;
#define NNHAL_ROUTINE(SLOT, OPERATION, WHY) case OPERATION:
#include "Runtime/Artifact/Routines.def"
    return true;
  default:
    return false;
  }
}

static Status checkScalars(const Subgraph &subgraph,
                           const Operation &operation) {
  for (size_t i = 0; i < operation.inputs.size(); ++i) {
    const Operand &operand = subgraph.operands[operation.inputs[i]];
    if (isScalar(operand.type) && !isConstant(operand.lifetime) &&
        operand.lifetime != OperandLifeTime::NO_VALUE &&
        !mayBeComputed(operation.type, i))
      return badData("{}: input {} is not a constant but a {}",
                     nameOf(operation.type), i, toString(operand.lifetime));
  }
  return Status::ok();
}

/// The compiler knows the rank of every value.
static Status checkRanks(const OperationView &view) {
  auto isRanked = [](const OperandView &operand) {
    return operand.isOmitted || operand.type.isRanked;
  };
  // Ranks of inputs may still be found.
  if (!std::ranges::all_of(view.inputs, isRanked) ||
      std::ranges::all_of(view.outputs, isRanked))
    return Status::ok();
  NNHAL_ASSIGN_OR_RETURN(OperationFacts facts, checkOperation(view));
  for (size_t i = 0; i < facts.results.size(); ++i)
    if (!facts.results[i].isRanked && !view.outputs[i].type.isRanked)
      return badData("{}: output {} has unknown rank", nameOf(view.type), i);
  return Status::ok();
}

/// IF and WHILE are compiled when all that they can execute is (C-030).
static Status checkSupport(const Model &model, CalledGraphs &graphs,
                           const Subgraph &subgraph,
                           const Operation &operation) {
  if (operation.type == IF || operation.type == WHILE)
    return graphs.check(subgraph, operation,
                        [&](const Subgraph &callee, const Operation &inner) {
                          return checkSupport(model, graphs, callee, inner);
                        });
  // lib/Conversion/NNHalToLinalg lowers every operation of the HAL.
  if (isExtension(operation.type) || operation.type == OEM_OPERATION)
    return badData("{} is not compiled for CPUs", nameOf(operation.type));
  NNHAL_RETURN_IF_ERROR(checkScalars(subgraph, operation));
  return checkRanks(OperationView::of(model, subgraph, operation));
}

Status nnhal::rt::checkCpuSupport(const Model &model, const Subgraph &subgraph,
                                  const Operation &operation) {
  CalledGraphs graphs(model);
  return checkSupport(model, graphs, subgraph, operation);
}

static Status checkInterfaceOperand(const Operand &operand, const char *what,
                                    size_t index) {
  if (isExtension(operand.type) || operand.type == OperandType::OEM ||
      operand.type == OperandType::TENSOR_OEM_BYTE)
    return badData("{} {} of the model is {}, which is not compiled for CPUs",
                   what, index, nameOf(operand.type));
  return Status::ok();
}

Status nnhal::rt::checkCpuInterface(const Model &model) {
  const Subgraph &main = model.main;
  for (size_t i = 0; i < main.inputIndexes.size(); ++i)
    NNHAL_RETURN_IF_ERROR(
        checkInterfaceOperand(main.operands[main.inputIndexes[i]], "input", i));
  for (size_t i = 0; i < main.outputIndexes.size(); ++i)
    NNHAL_RETURN_IF_ERROR(checkInterfaceOperand(
        main.operands[main.outputIndexes[i]], "output", i));
  return Status::ok();
}
