//===- Operations.cpp - One table over all families -----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reader.h"

#include "Runtime/Support/Errors.h"

#include <array>

using namespace nnhal::rt;
using namespace nnhal::rt::signatures;

OperandView OperandView::of(const Model &model, const Operand &operand) {
  OperandView view;
  view.type = TensorType::of(operand);
  if (isScalar(operand.type))
    view.type.isRanked = true;
  view.isOmitted = operand.lifetime == OperandLifeTime::NO_VALUE;
  if (isConstant(operand.lifetime))
    if (Result<std::span<const std::byte>> bytes =
            constantBytes(model, operand);
        bytes.isOk())
      view.value = *bytes;
  if (const auto *data = std::get_if<ExtensionParams>(&operand.extraParams))
    view.extensionData = data->bytes;
  return view;
}

OperationView OperationView::of(const Model &model, const Subgraph &subgraph,
                                const Operation &operation) {
  OperationView view;
  view.type = operation.type;
  for (uint32_t index : operation.inputs)
    view.inputs.push_back(OperandView::of(model, subgraph.operands[index]));
  for (uint32_t index : operation.outputs)
    view.outputs.push_back(OperandView::of(model, subgraph.operands[index]));
  return view;
}

/// The row of \p type; null when there is none.
static const Row *lookUpRow(OperationType type) {
  static const std::array<const Row *, operationCount> table = [] {
    std::array<const Row *, operationCount> rows{};
    for (std::span<const Row> family :
         {elementwiseRows(), activationRows(), contractionRows(), windowRows(),
          normalizationRows(), reductionRows(), dataMovementRows(),
          quantizationRows(), lookupRows(), recurrentRows(), detectionRows(),
          controlFlowRows()})
      for (const Row &row : family)
        rows[size_t(row.type)] = &row;
    return rows;
  }();
  return size_t(type) < table.size() ? table[size_t(type)] : nullptr;
}

Result<OperationFacts>
nnhal::rt::inferOperation(const OperationView &operation) {
  OperationFacts facts;
  if (isExtension(operation.type) ||
      operation.type == OperationType::OEM_OPERATION) {
    for (const OperandView &output : operation.outputs)
      facts.results.push_back(output.type);
    return facts;
  }
  const Row *row = lookUpRow(operation.type);
  if (!row)
    return badData("{} is not an operation of the HAL", nameOf(operation.type));
  Reader reader(operation);
  NNHAL_RETURN_IF_ERROR(reader.checkOperands());
  return row->check(reader);
}

Result<OperationFacts>
nnhal::rt::checkOperation(const OperationView &operation) {
  NNHAL_ASSIGN_OR_RETURN(OperationFacts facts, inferOperation(operation));
  for (size_t i = 0; i < facts.results.size(); ++i) {
    TensorType &result = facts.results[i];
    const TensorType &stated = operation.outputs[i].type;
    NNHAL_RETURN_IF_ERROR(checkStated(
        result, stated,
        facts.results.size() == 1 ? "output" : fmt::format("output {}", i)));
    if (result.isQuantizationFree) {
      result.scale = stated.scale;
      result.zeroPoint = stated.zeroPoint;
      result.isQuantizationFree = false;
    }
  }
  return facts;
}
