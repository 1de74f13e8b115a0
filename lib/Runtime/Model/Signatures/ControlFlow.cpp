//===- ControlFlow.cpp - Forms of IF and WHILE ----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Rules/Checks.h"
#include "Reader.h"

#include "Runtime/Support/Errors.h"

using namespace nnhal::rt;
using namespace nnhal::rt::signatures;

static Status checkSubgraphs(const Reader &reader, size_t first) {
  for (size_t i : {first, first + 1})
    if (reader.inputType(i) != OperandType::SUBGRAPH) // control_flow C2
      return badData("input {} has type {}, expected SUBGRAPH", i,
                     nameOf(reader.inputType(i)));
  return Status::ok();
}

/// Results are what the subgraphs say, which structural validation has compared
/// with the outputs (B-061 to B-070).
static Result<OperationFacts> statedFacts(Reader &reader) {
  std::vector<TensorType> results;
  for (size_t i = 0; i < reader.outputCount(); ++i)
    results.push_back(reader.output(i));
  return OperationFacts{reader.since(), std::move(results)};
}

static Result<OperationFacts> ifFacts(Reader &reader) {
  NNHAL_RETURN_IF_ERROR(checkSubgraphs(reader, 1));
  const TensorType &condition = reader.input(0);
  NNHAL_RETURN_IF_ERROR(rules::checkOperand(
      "condition", condition, rules::bools, {1, 1})); // control_flow C3
  if (condition.isRanked && condition.dimensions[0] != unknownExtent &&
      condition.dimensions[0] != 1) // control_flow C4
    return badData("condition has {} elements, expected 1",
                   condition.dimensions[0]);
  return statedFacts(reader);
}

static Result<OperationFacts> whileFacts(Reader &reader) {
  NNHAL_RETURN_IF_ERROR(checkSubgraphs(reader, 0));
  return statedFacts(reader);
}

std::span<const Row> signatures::controlFlowRows() {
  static constexpr Row rows[] = {
      {OperationType::IF, ifFacts},
      {OperationType::WHILE, whileFacts},
  };
  return rows;
}
