//===- ValidateControlFlow.cpp - Structural rules of IF and WHILE ---------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Validation.h"

#include "Runtime/Support/Errors.h"
#include "nnhal/Backend/Rules.h"
#include "nnhal/Backend/SignatureTable.h"

#include <algorithm>
#include <initializer_list>
#include <set>
#include <utility>

namespace nnhal::rt::validation {

namespace {

constexpr size_t ifOperands = 3;    // condition, then, else
constexpr size_t whileOperands = 2; // condition, body

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

/// Whether operations of a graph, or of those that it names, cannot do without
/// an input of the graph. Every input is looked at once, however often, deeply
/// and in whatever cycles graphs name others.
class NeededArgument {
public:
  explicit NeededArgument(const Model &model) : model(model) {}

  bool isNeeded(const Subgraph &graph, size_t input) {
    enter(graph, input);
    while (!open.empty()) {
      auto [next, argument] = open.back();
      open.pop_back();
      for (const Operation &operation : next->operations)
        for (size_t i = 0; i < operation.inputs.size(); ++i)
          if (operation.inputs[i] == next->inputIndexes[argument] &&
              isNeeded(*next, operation, i))
            return true;
    }
    return false;
  }

private:
  using Argument = std::pair<const Subgraph *, size_t>;

  void enter(const Subgraph &graph, size_t input) {
    if (input < graph.inputIndexes.size() &&
        seen.insert({&graph, input}).second)
      open.emplace_back(&graph, input);
  }

  /// An argument of control flow is needed if the graphs need it, which is
  /// found out later.
  void enterNamed(const Subgraph &graph, const Operation &operation,
                  std::initializer_list<size_t> names, size_t position,
                  size_t skip) {
    for (size_t name : names) {
      if (position < skip || name >= operation.inputs.size())
        continue;
      const Operand &operand = graph.operands[operation.inputs[name]];
      if (operand.lifetime == OperandLifeTime::SUBGRAPH)
        enter(model.referenced[operand.location.offset], position - skip);
    }
  }

  bool isNeeded(const Subgraph &graph, const Operation &operation,
                size_t position) {
    if (operation.type == OperationType::IF)
      enterNamed(graph, operation, {1, 2}, position, ifOperands);
    else if (operation.type == OperationType::WHILE)
      enterNamed(graph, operation, {0, 1}, position, whileOperands);
    const Signature *signature = nnhal::rt::signatureOf(operation.type);
    if (!signature)
      return false;
    std::vector<OperandType> types;
    types.reserve(operation.inputs.size());
    for (uint32_t index : operation.inputs)
      types.push_back(graph.operands[index].type);
    std::vector<const InputRow *> rows = inputRowsOf(*signature, types);
    return position < rows.size() && !rows[position]->isOmittable;
  }

  const Model &model;
  std::vector<Argument> open;
  std::set<Argument> seen;
};

/// An argument that the model omits is one that \p graph, called \p name, can
/// do without.
Status checkOmitted(const Model &model, const Subgraph &subgraph,
                    const Operation &operation, size_t skip,
                    const Subgraph &graph, std::string_view name) {
  for (size_t i = skip; i < operation.inputs.size(); ++i)
    if (subgraph.operands[operation.inputs[i]].lifetime ==
            OperandLifeTime::NO_VALUE &&
        NeededArgument(model).isNeeded(graph, i - skip))
      return badData("input {} is omitted, and the {} subgraph needs it", i,
                     name);
  return Status::ok();
}

Status checkIf(const Model &model, const Subgraph &subgraph,
               const Operation &operation) {
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
  NNHAL_RETURN_IF_ERROR(
      checkOmitted(model, subgraph, operation, ifOperands, *thenGraph, "then"));
  return checkOmitted(model, subgraph, operation, ifOperands, *elseGraph,
                      "else");
}

Status checkWhile(const Model &model, const Subgraph &subgraph,
                  const Operation &operation) {
  NNHAL_RETURN_IF_ERROR(checkInputCount(operation));
  NNHAL_ASSIGN_OR_RETURN(const Subgraph *condition,
                         subgraphAt(model, subgraph, operation, 0));
  NNHAL_ASSIGN_OR_RETURN(const Subgraph *body,
                         subgraphAt(model, subgraph, operation, 1));
  NNHAL_RETURN_IF_ERROR(
      checkWhileGraphs(passedBy(subgraph, operation, whileOperands),
                       signatureOf(*condition), signatureOf(*body)));
  // A value that the body yields is there before the first iteration, too: the
  // loop may end without one.
  for (size_t i = 0; i < body->outputIndexes.size(); ++i)
    if (subgraph.operands[operation.inputs[whileOperands + i]].lifetime ==
        OperandLifeTime::NO_VALUE)
      return badData("input {} is omitted, and the body subgraph yields it",
                     whileOperands + i);
  NNHAL_RETURN_IF_ERROR(checkOmitted(model, subgraph, operation, whileOperands,
                                     *condition, "condition"));
  return checkOmitted(model, subgraph, operation, whileOperands, *body, "body");
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

Status checkControlFlow(const Model &model, const Subgraph &subgraph) {
  for (size_t index = 0; index < subgraph.operations.size(); ++index) {
    const Operation &operation = subgraph.operations[index];
    Status status;
    if (operation.type == OperationType::IF)
      status = checkIf(model, subgraph, operation);
    else if (operation.type == OperationType::WHILE)
      status = checkWhile(model, subgraph, operation);
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
