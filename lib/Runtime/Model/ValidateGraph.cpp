//===- ValidateGraph.cpp - Structural rules of operations and graphs ------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Validation.h"

#include "Runtime/Support/Errors.h"

namespace nnhal::rt::validation {

namespace {

/// "operation 4 (ADD)".
std::string describe(const Subgraph &subgraph, size_t operationIndex) {
  return fmt::format("operation {} ({})", operationIndex,
                     nameOf(subgraph.operations[operationIndex].type));
}

/// Operations name operands that exist (B-031).
Status checkIndices(std::span<const uint32_t> indices, std::string_view what,
                    size_t operandCount) {
  for (size_t position = 0; position < indices.size(); ++position)
    if (indices[position] >= operandCount)
      return badData("{} {} names operand {}, which must be below the number "
                     "of operands, {}",
                     what, position, indices[position], operandCount);
  return Status::ok();
}

Status checkOperation(const Context &context, const Subgraph &subgraph,
                      const Operation &operation) {
  const std::vector<Operand> &operands = subgraph.operands;
  NNHAL_RETURN_IF_ERROR(checkOperationType(context, operation.type));
  NNHAL_RETURN_IF_ERROR(
      checkIndices(operation.inputs, "input", operands.size()));
  NNHAL_RETURN_IF_ERROR(
      checkIndices(operation.outputs, "output", operands.size()));

  // Every operation of the table has inputs and outputs; what an extension or
  // OEM operation has is its own affair.
  if (lookUp(operation.type)) {
    if (operation.inputs.empty())
      return badData("the operation must have inputs");
    if (operation.outputs.empty())
      return badData("the operation must have outputs");
    bool takesSubgraphs = operation.type == OperationType::IF ||
                          operation.type == OperationType::WHILE;
    // Graphs are operands of IF and WHILE, or of extensions and OEM only
    // (B-072).
    for (size_t position = 0; position < operation.inputs.size(); ++position)
      if (operands[operation.inputs[position]].type == OperandType::SUBGRAPH &&
          !takesSubgraphs)
        return badData("input {} must not be a SUBGRAPH", position);
  }

  for (size_t position = 0; position < operation.outputs.size(); ++position) {
    OperandLifeTime lifetime = operands[operation.outputs[position]].lifetime;
    // Operations write temporaries and outputs only (B-034).
    if (lifetime != OperandLifeTime::TEMPORARY_VARIABLE &&
        lifetime != OperandLifeTime::SUBGRAPH_OUTPUT)
      return badData("output {} names operand {}, a {} that must not be "
                     "written",
                     position, operation.outputs[position], toString(lifetime));
  }
  return Status::ok();
}

/// The list of inputs (B-052, B-053) or outputs (B-054, B-055) names each
/// operand of \p lifetime once, and nothing else.
Status checkList(const Subgraph &subgraph, std::span<const uint32_t> indices,
                 OperandLifeTime lifetime, std::string_view list) {
  const std::vector<Operand> &operands = subgraph.operands;
  std::vector<bool> isListed(operands.size());
  for (size_t position = 0; position < indices.size(); ++position) {
    uint32_t index = indices[position];
    if (index >= operands.size())
      return badData("{} {} is operand {}, which must be below the number of "
                     "operands, {}",
                     list, position, index, operands.size());
    if (operands[index].lifetime != lifetime)
      return badData("{} {} is operand {}, a {} that must be a {}", list,
                     position, index, toString(operands[index].lifetime),
                     toString(lifetime));
    if (isListed[index])
      return badData("{} {} is operand {}, which is listed twice", list,
                     position, index);
    isListed[index] = true;
  }
  for (size_t index = 0; index < operands.size(); ++index)
    if (operands[index].lifetime == lifetime && !isListed[index])
      return badData("operand {}: a {} must be listed in {}", index,
                     toString(lifetime), list);
  return Status::ok();
}

bool needsWriter(OperandLifeTime lifetime) {
  return lifetime == OperandLifeTime::TEMPORARY_VARIABLE ||
         lifetime == OperandLifeTime::SUBGRAPH_OUTPUT;
}

} // namespace

Status checkOperationType(const Context &context, OperationType type) {
  HalVersion version = context.version;
  // Operations of extensions need HAL 1.2 and a prefix of the model (B-033).
  if (isExtension(type)) {
    if (version < HalVersion::V1_2)
      return badData("extension operations need HAL 1.2, the model is "
                     "validated as {}",
                     toString(version));
    if (!context.hasExtensionPrefix(uint32_t(type)))
      return badData("extension prefix {} is not among the {} of the model",
                     uint32_t(type) >> 16,
                     context.model.extensionNameToPrefix.size());
    return Status::ok();
  }
  // Operands of an OEM operation are not checked (B-032).
  if (type == OperationType::OEM_OPERATION)
    return Status::ok();
  const OperationInfo *info = lookUp(type);
  // The HAL has the operation (B-030).
  if (!info)
    return badData("code {} is not an operation", uint32_t(type));
  // The validated version has the operation (B-039).
  if (info->since > version)
    return badData("the operation needs HAL {}, the model is validated as {}",
                   toString(info->since), toString(version));
  return Status::ok();
}

Status checkOperations(const Context &context, const Subgraph &subgraph) {
  for (size_t index = 0; index < subgraph.operations.size(); ++index) {
    Status status =
        checkOperation(context, subgraph, subgraph.operations[index]);
    if (!status.isOk())
      return std::move(status).withContext(describe(subgraph, index));
  }
  return Status::ok();
}

Status checkInputsAndOutputs(const Subgraph &subgraph) {
  NNHAL_RETURN_IF_ERROR(checkList(subgraph, subgraph.inputIndexes,
                                  OperandLifeTime::SUBGRAPH_INPUT,
                                  "inputIndexes"));
  return checkList(subgraph, subgraph.outputIndexes,
                   OperandLifeTime::SUBGRAPH_OUTPUT, "outputIndexes");
}

Status checkOrder(const Subgraph &subgraph) {
  const std::vector<Operand> &operands = subgraph.operands;
  std::vector<bool> isWritten(operands.size());
  for (size_t index = 0; index < subgraph.operations.size(); ++index) {
    const Operation &operation = subgraph.operations[index];
    for (size_t position = 0; position < operation.inputs.size(); ++position) {
      uint32_t input = operation.inputs[position];
      // An operand that an operation reads is known or written before (B-035).
      if (needsWriter(operands[input].lifetime) && !isWritten[input])
        return badData("{}: input {} reads operand {} before it is written",
                       describe(subgraph, index), position, input);
    }
    for (size_t position = 0; position < operation.outputs.size(); ++position) {
      uint32_t output = operation.outputs[position];
      // An operand is written once (B-037).
      if (isWritten[output])
        return badData("{}: output {} writes operand {} a second time",
                       describe(subgraph, index), position, output);
      isWritten[output] = true;
    }
  }
  // Every temporary and output is written (B-029).
  for (size_t index = 0; index < operands.size(); ++index)
    if (needsWriter(operands[index].lifetime) && !isWritten[index])
      return badData("operand {}: a {} must be written by an operation", index,
                     toString(operands[index].lifetime));
  return Status::ok();
}

} // namespace nnhal::rt::validation
