//===- ControlFlow.cpp - Rules of branches and loops ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime/Model/ControlFlowOperands.h"
#include "Runtime/Support/Errors.h"
#include "nnhal/Backend/Rules.h"

using namespace nnhal::rt;
using validation::ifOperands;
using validation::whileOperands;

/// Returns the reason why \p a and \p b cannot stand for one value; empty when
/// they can (B-069).
static std::string incompatibility(const Operand &a, const Operand &b) {
  if (a.type != b.type)
    return fmt::format("type {} and {}", nameOf(a.type), nameOf(b.type));
  if (a.scale != b.scale)
    return fmt::format("scale {} and {}", a.scale, b.scale);
  if (a.zeroPoint != b.zeroPoint)
    return fmt::format("zero point {} and {}", a.zeroPoint, b.zeroPoint);
  if (a.extraParams != b.extraParams)
    return "extra parameters";
  if (a.dimensions.empty() || b.dimensions.empty())
    return {};
  bool fits = a.dimensions.size() == b.dimensions.size();
  for (size_t index = 0; fits && index < a.dimensions.size(); ++index)
    fits = a.dimensions[index] == b.dimensions[index] ||
           a.dimensions[index] == 0 || b.dimensions[index] == 0;
  if (!fits)
    return fmt::format("dimensions [{}] and [{}]",
                       fmt::join(a.dimensions, ", "),
                       fmt::join(b.dimensions, ", "));
  return {};
}

/// All passed inputs, the first of which is input \p skip, against all inputs
/// of
/// \p graph.
static Status checkPassedInputs(const GraphSignature &passed, size_t skip,
                                const GraphSignature &graph,
                                std::string_view name) {
  size_t count = passed.inputs.size();
  if (graph.inputs.size() != count)
    return badData("the {} subgraph has {} inputs, must have {}", name,
                   graph.inputs.size(), count);
  for (size_t index = 0; index < count; ++index) {
    std::string reason =
        incompatibility(passed.inputs[index], graph.inputs[index]);
    if (!reason.empty())
      return badData("input {} and input {} of the {} subgraph differ in {}",
                     skip + index, index, name, reason);
  }
  return Status::ok();
}

/// The first outputs of \p graph against all that come back.
static Status checkPassedOutputs(const GraphSignature &passed,
                                 const GraphSignature &graph,
                                 std::string_view name) {
  for (size_t index = 0; index < passed.outputs.size(); ++index) {
    std::string reason =
        incompatibility(passed.outputs[index], graph.outputs[index]);
    if (!reason.empty())
      return badData("output {} and output {} of the {} subgraph differ in {}",
                     index, index, name, reason);
  }
  return Status::ok();
}

Status nnhal::rt::checkCondition(const Operand &operand,
                                 std::string_view what) {
  if (operand.type != OperandType::TENSOR_BOOL8)
    return badData("{} of type {} must be a TENSOR_BOOL8", what,
                   nameOf(operand.type));
  if (operand.dimensions != std::vector<uint32_t>{1})
    return badData("{} must have dimensions [1], found [{}]", what,
                   fmt::join(operand.dimensions, ", "));
  return Status::ok();
}

Status nnhal::rt::checkIfGraphs(const GraphSignature &passed,
                                const GraphSignature &thenGraph,
                                const GraphSignature &elseGraph) {
  // Both branches take the passed types and yield the types that come back
  // (B-063, B-064).
  for (const GraphSignature *graph : {&thenGraph, &elseGraph}) {
    std::string_view name = graph == &thenGraph ? "then" : "else";
    NNHAL_RETURN_IF_ERROR(checkPassedInputs(passed, ifOperands, *graph, name));
    if (graph->outputs.size() != passed.outputs.size())
      return badData("the {} subgraph has {} outputs, must have {}", name,
                     graph->outputs.size(), passed.outputs.size());
    NNHAL_RETURN_IF_ERROR(checkPassedOutputs(passed, *graph, name));
  }
  return Status::ok();
}

Status nnhal::rt::checkWhileGraphs(const GraphSignature &passed,
                                   const GraphSignature &condition,
                                   const GraphSignature &body) {
  // The condition takes the loop state and yields one boolean (B-066).
  NNHAL_RETURN_IF_ERROR(
      checkPassedInputs(passed, whileOperands, condition, "condition"));
  if (condition.outputs.size() != 1)
    return badData("the condition subgraph has {} outputs, must have 1",
                   condition.outputs.size());
  NNHAL_RETURN_IF_ERROR(checkCondition(condition.outputs[0],
                                       "the output of the condition subgraph"));

  // The body yields the results and the rest of the loop state first; inputs
  // behind them stay as they are (B-067, B-068).
  NNHAL_RETURN_IF_ERROR(checkPassedInputs(passed, whileOperands, body, "body"));
  size_t bodyOutputs = body.outputs.size();
  if (bodyOutputs < passed.outputs.size())
    return badData("the body subgraph has {} outputs, must have at least {}",
                   bodyOutputs, passed.outputs.size());
  if (bodyOutputs > body.inputs.size())
    return badData("the body subgraph has {} outputs, must have at most {}",
                   bodyOutputs, body.inputs.size());
  for (size_t index = 0; index < bodyOutputs; ++index) {
    std::string reason =
        incompatibility(passed.inputs[index], body.outputs[index]);
    if (!reason.empty())
      return badData("input {} and output {} of the body subgraph differ in {}",
                     whileOperands + index, index, reason);
  }
  return checkPassedOutputs(passed, body, "body");
}
