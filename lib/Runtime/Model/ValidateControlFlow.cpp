//===- ValidateControlFlow.cpp - Structural rules of IF and WHILE ---------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ControlFlowOperands.h"
#include "NeededArguments.h"
#include "Validation.h"

#include "Runtime/Support/Errors.h"
#include "nnhal/Backend/Rules.h"

#include <algorithm>

namespace nnhal::rt::validation {

namespace {

/// The subgraph that input \p position names.
Result<const Subgraph *> subgraphAt(const Model &model,
                                    const Subgraph &subgraph,
                                    const Operation &operation,
                                    size_t position) {
  const Operand &operand = subgraph.operands[operation.inputs[position]];
  if (operand.type != OperandType::SUBGRAPH)
    return badData("input {} of type {} must be a SUBGRAPH", position,
                   nameOf(operand.type));
  return &model.referenced[operand.location.offset];
}

/// Checks how many inputs IF and WHILE have (B-061, B-065). Every operation of
/// the HAL is known to have outputs.
Status checkInputCount(const Operation &operation) {
  if (operation.inputs.size() < 3)
    return badData("the operation needs at least 3 inputs, found {}",
                   operation.inputs.size());
  return Status::ok();
}

/// Returns the signature that \p outer passes on: its inputs from \p skip on.
GraphSignature passedBy(const Subgraph &subgraph, const Operation &outer,
                        size_t skip) {
  GraphSignature passed;
  for (size_t index = skip; index < outer.inputs.size(); ++index)
    passed.inputs.push_back(subgraph.operands[outer.inputs[index]]);
  for (uint32_t index : outer.outputs)
    passed.outputs.push_back(subgraph.operands[index]);
  return passed;
}

GraphSignature signatureOf(const Subgraph &graph) {
  GraphSignature signature;
  for (uint32_t index : graph.inputIndexes)
    signature.inputs.push_back(graph.operands[index]);
  for (uint32_t index : graph.outputIndexes)
    signature.outputs.push_back(graph.operands[index]);
  return signature;
}

/// An argument that the model omits is one that \p graph, called \p name, can
/// do without.
Status checkOmitted(NeededArguments &needed, const Subgraph &subgraph,
                    const Operation &operation, size_t skip,
                    const Subgraph &graph, std::string_view name) {
  for (size_t i = skip; i < operation.inputs.size(); ++i)
    if (subgraph.operands[operation.inputs[i]].lifetime ==
            OperandLifeTime::NO_VALUE &&
        needed.isNeeded(graph, i - skip))
      return badData("input {} is omitted, and the {} subgraph needs it", i,
                     name);
  return Status::ok();
}

Status checkIf(const Model &model, NeededArguments &needed,
               const Subgraph &subgraph, const Operation &operation) {
  NNHAL_RETURN_IF_ERROR(checkInputCount(operation));
  NNHAL_RETURN_IF_ERROR(
      checkCondition(subgraph.operands[operation.inputs[0]], "input 0"));
  NNHAL_ASSIGN_OR_RETURN(const Subgraph *thenGraph,
                         subgraphAt(model, subgraph, operation, 1));
  NNHAL_ASSIGN_OR_RETURN(const Subgraph *elseGraph,
                         subgraphAt(model, subgraph, operation, 2));
  NNHAL_RETURN_IF_ERROR(checkIfGraphs(passedBy(subgraph, operation, ifOperands),
                                      signatureOf(*thenGraph),
                                      signatureOf(*elseGraph)));
  NNHAL_RETURN_IF_ERROR(checkOmitted(needed, subgraph, operation, ifOperands,
                                     *thenGraph, "then"));
  return checkOmitted(needed, subgraph, operation, ifOperands, *elseGraph,
                      "else");
}

Status checkWhile(const Model &model, NeededArguments &needed,
                  const Subgraph &subgraph, const Operation &operation) {
  NNHAL_RETURN_IF_ERROR(checkInputCount(operation));
  NNHAL_ASSIGN_OR_RETURN(const Subgraph *condition,
                         subgraphAt(model, subgraph, operation, 0));
  NNHAL_ASSIGN_OR_RETURN(const Subgraph *body,
                         subgraphAt(model, subgraph, operation, 1));
  NNHAL_RETURN_IF_ERROR(
      checkWhileGraphs(passedBy(subgraph, operation, whileOperands),
                       signatureOf(*condition), signatureOf(*body)));
  for (size_t i = 0; i < operation.inputs.size(); ++i)
    if (subgraph.operands[operation.inputs[i]].lifetime ==
            OperandLifeTime::NO_VALUE &&
        isYielded(*body, i))
      return badData("input {} is omitted, and the body subgraph yields it", i);
  NNHAL_RETURN_IF_ERROR(checkOmitted(needed, subgraph, operation, whileOperands,
                                     *condition, "condition"));
  return checkOmitted(needed, subgraph, operation, whileOperands, *body,
                      "body");
}

/// Indices of the subgraphs that \p subgraph names, without repetition checks.
std::vector<uint32_t> referencesOf(const Subgraph &subgraph) {
  std::vector<uint32_t> references;
  for (const Operand &operand : subgraph.operands)
    if (operand.lifetime == OperandLifeTime::SUBGRAPH)
      references.push_back(operand.location.offset);
  return references;
}

} // namespace

Status checkControlFlow(const Model &model, const Subgraph &subgraph,
                        NeededArguments &needed) {
  for (size_t index = 0; index < subgraph.operations.size(); ++index) {
    const Operation &operation = subgraph.operations[index];
    Status status;
    if (operation.type == OperationType::IF)
      status = checkIf(model, needed, subgraph, operation);
    else if (operation.type == OperationType::WHILE)
      status = checkWhile(model, needed, subgraph, operation);
    if (!status.isOk())
      return std::move(status).withContext(
          fmt::format("operation {} ({})", index, nameOf(operation.type)));
  }
  return Status::ok();
}

Status checkReferenceCycles(const Model &model) {
  // Depth first with an explicit path: chains may be as long as the list. Main
  // cannot be referenced, so it is on no cycle.
  enum class Mark : uint8_t { unseen, onPath, done };
  struct Step {
    uint32_t subgraph;
    std::vector<uint32_t> references;
    size_t next = 0;
  };
  std::vector<Mark> marks(model.referenced.size(), Mark::unseen);
  for (uint32_t root = 0; root < marks.size(); ++root) {
    if (marks[root] != Mark::unseen)
      continue;
    std::vector<Step> path;
    auto enter = [&](uint32_t subgraph) {
      marks[subgraph] = Mark::onPath;
      path.push_back({subgraph, referencesOf(model.referenced[subgraph])});
    };
    enter(root);
    while (!path.empty()) {
      Step &step = path.back();
      if (step.next == step.references.size()) {
        marks[step.subgraph] = Mark::done;
        path.pop_back();
        continue;
      }
      uint32_t target = step.references[step.next++];
      if (target >= marks.size() || marks[target] == Mark::done)
        continue;
      if (marks[target] == Mark::onPath)
        return badData("referenced[{}]: the reference to referenced[{}] closes "
                       "a cycle",
                       step.subgraph, target);
      enter(target);
    }
  }
  return Status::ok();
}

} // namespace nnhal::rt::validation
