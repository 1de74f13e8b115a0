//===- CpuSupport.cpp - Operations that nnhal-cpu takes -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CpuSupport.h"

#include "Runtime/Model/ExtensionCalls.h"
#include "Runtime/Model/ExtensionUse.h"
#include "Runtime/Support/Errors.h"
#include "nnhal/Backend/Signatures.h"
#include "nnhal/Runtime/Extensions.h"

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

/// Whether compiled code has elements of the size of \p type's.
static Status checkElement(const Model &model, OperandType type,
                           std::span<const Extension> extensions) {
  auto info = describeType(model, extensions, type);
  uint32_t size = info ? info->byteSize : 0;
  if (size == 1 || size == 2 || size == 4 || size == 8)
    return Status::ok();
  return badData("{} has elements of {} bytes, which are not compiled for CPUs",
                 nameOf(model, type), size);
}

static Status checkExtension(const Model &model, const Subgraph &subgraph,
                             const Operation &operation,
                             std::span<const InstalledExtension> extensions) {
  if (extensions.empty())
    return badData("{} is not compiled for CPUs",
                   nameOf(model, operation.type));
  NNHAL_ASSIGN_OR_RETURN(
      OperationFacts facts,
      checkExtensionOperation(model, subgraph, operation, extensions));
  const std::vector<Extension> descriptions = descriptionsOf(extensions);
  auto check = [&](uint32_t index) {
    OperandType type = subgraph.operands[index].type;
    return isExtension(type) ? checkElement(model, type, descriptions)
                             : Status::ok();
  };
  for (uint32_t index : operation.inputs)
    NNHAL_RETURN_IF_ERROR(check(index));
  for (uint32_t index : operation.outputs)
    NNHAL_RETURN_IF_ERROR(check(index));
  for (size_t i = 0; i < facts.results.size(); ++i)
    if (!facts.results[i].isRanked)
      return badData("{}: output {} has unknown rank",
                     nameOf(model, operation.type), i);
  return Status::ok();
}

/// IF and WHILE are compiled when all that they can execute is (C-030).
Status
nnhal::rt::checkCpuSupport(const Model &model, CalledGraphs &graphs,
                           const Subgraph &subgraph, const Operation &operation,
                           std::span<const InstalledExtension> extensions) {
  if (operation.type == IF || operation.type == WHILE)
    return graphs.check(subgraph, operation,
                        [&](const Subgraph &callee, const Operation &inner) {
                          return checkCpuSupport(model, graphs, callee, inner,
                                                 extensions);
                        });
  // lib/Conversion/NNHalToLinalg lowers every operation of the HAL.
  if (isExtension(operation.type))
    return checkExtension(model, subgraph, operation, extensions);
  if (operation.type == OEM_OPERATION)
    return badData("{} is not compiled for CPUs", nameOf(operation.type));
  NNHAL_RETURN_IF_ERROR(checkScalars(subgraph, operation));
  return checkRanks(OperationView::of(model, subgraph, operation));
}

static Status checkInterfaceOperand(const Model &model, const Operand &operand,
                                    std::span<const Extension> extensions,
                                    const char *what, size_t index) {
  bool isOem = operand.type == OperandType::OEM ||
               operand.type == OperandType::TENSOR_OEM_BYTE;
  if (isOem || (isExtension(operand.type) && extensions.empty()))
    return badData("{} {} of the model is {}, which is not compiled for CPUs",
                   what, index, nameOf(model, operand.type));
  if (!isExtension(operand.type))
    return Status::ok();
  return checkElement(model, operand.type, extensions)
      .withContext(fmt::format("{} {}", what, index));
}

Status
nnhal::rt::checkCpuInterface(const Model &model,
                             std::span<const InstalledExtension> extensions) {
  const Subgraph &main = model.main;
  const std::vector<Extension> descriptions = descriptionsOf(extensions);
  for (size_t i = 0; i < main.inputIndexes.size(); ++i)
    NNHAL_RETURN_IF_ERROR(checkInterfaceOperand(
        model, main.operands[main.inputIndexes[i]], descriptions, "input", i));
  for (size_t i = 0; i < main.outputIndexes.size(); ++i)
    NNHAL_RETURN_IF_ERROR(
        checkInterfaceOperand(model, main.operands[main.outputIndexes[i]],
                              descriptions, "output", i));
  return Status::ok();
}
