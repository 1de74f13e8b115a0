//===- ValidateControlFlow.cpp - Structural rules of IF and WHILE ---------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Validation.h"

namespace nnhal::rt::validation {

namespace {

constexpr size_t ifOperands = 3;    // condition, then, else
constexpr size_t whileOperands = 2; // condition, body

/// Why \p a and \p b cannot stand for the same value; empty when they can
/// (B-069).
std::string incompatibility(const Operand &a, const Operand &b) {
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

/// A condition is one boolean (B-062, B-066).
Status checkCondition(const Operand &operand, std::string_view what) {
  if (operand.type != OperandType::TENSOR_BOOL8)
    return badData("{} of type {} must be a TENSOR_BOOL8", what,
                   nameOf(operand.type));
  if (operand.dimensions != std::vector<uint32_t>{1})
    return badData("{} must have dimensions [1], found [{}]", what,
                   fmt::join(operand.dimensions, ", "));
  return Status::ok();
}

/// Counts of IF and WHILE themselves (B-061, B-065).
Status checkCounts(const Operation &operation) {
  if (operation.inputs.size() < 3)
    return badData("the operation needs at least 3 inputs, found {}",
                   operation.inputs.size());
  if (operation.outputs.empty())
    return badData("the operation needs at least 1 output, found 0");
  return Status::ok();
}

/// Inputs of \p outer from \p skip on against all inputs of \p inner.
Status checkPassedInputs(const Subgraph &subgraph, const Operation &outer,
                         size_t skip, const Subgraph &inner,
                         std::string_view innerName) {
  size_t count = outer.inputs.size() - skip;
  if (inner.inputIndexes.size() != count)
    return badData("the {} subgraph has {} inputs, must have {}", innerName,
                   inner.inputIndexes.size(), count);
  for (size_t index = 0; index < count; ++index) {
    std::string reason =
        incompatibility(subgraph.operands[outer.inputs[skip + index]],
                        inner.operands[inner.inputIndexes[index]]);
    if (!reason.empty())
      return badData("input {} and input {} of the {} subgraph differ in {}",
                     skip + index, index, innerName, reason);
  }
  return Status::ok();
}

/// The first outputs of \p inner against all outputs of \p outer.
Status checkPassedOutputs(const Subgraph &subgraph, const Operation &outer,
                          const Subgraph &inner, std::string_view innerName) {
  for (size_t index = 0; index < outer.outputs.size(); ++index) {
    std::string reason =
        incompatibility(subgraph.operands[outer.outputs[index]],
                        inner.operands[inner.outputIndexes[index]]);
    if (!reason.empty())
      return badData("output {} and output {} of the {} subgraph differ in {}",
                     index, index, innerName, reason);
  }
  return Status::ok();
}

Status checkIf(const Model &model, const Subgraph &subgraph,
               const Operation &operation) {
  NNHAL_RETURN_IF_ERROR(checkCounts(operation));
  NNHAL_RETURN_IF_ERROR(
      checkCondition(subgraph.operands[operation.inputs[0]], "input 0"));
  for (size_t position : {1, 2}) { // B-063, B-064
    std::string_view name = position == 1 ? "then" : "else";
    NNHAL_ASSIGN_OR_RETURN(const Subgraph *branch,
                           subgraphAt(model, subgraph, operation, position));
    NNHAL_RETURN_IF_ERROR(
        checkPassedInputs(subgraph, operation, ifOperands, *branch, name));
    if (branch->outputIndexes.size() != operation.outputs.size())
      return badData("the {} subgraph has {} outputs, must have {}", name,
                     branch->outputIndexes.size(), operation.outputs.size());
    NNHAL_RETURN_IF_ERROR(
        checkPassedOutputs(subgraph, operation, *branch, name));
  }
  return Status::ok();
}

Status checkWhile(const Model &model, const Subgraph &subgraph,
                  const Operation &operation) {
  NNHAL_RETURN_IF_ERROR(checkCounts(operation));
  NNHAL_ASSIGN_OR_RETURN(const Subgraph *condition,
                         subgraphAt(model, subgraph, operation, 0));
  NNHAL_ASSIGN_OR_RETURN(const Subgraph *body,
                         subgraphAt(model, subgraph, operation, 1));

  // B-066.
  NNHAL_RETURN_IF_ERROR(checkPassedInputs(subgraph, operation, whileOperands,
                                          *condition, "condition"));
  if (condition->outputIndexes.size() != 1)
    return badData("the condition subgraph has {} outputs, must have 1",
                   condition->outputIndexes.size());
  NNHAL_RETURN_IF_ERROR(
      checkCondition(condition->operands[condition->outputIndexes[0]],
                     "the output of the condition subgraph"));

  // B-067, B-068: outputs and loop state first, then inputs that stay as they
  // are.
  NNHAL_RETURN_IF_ERROR(
      checkPassedInputs(subgraph, operation, whileOperands, *body, "body"));
  size_t bodyOutputs = body->outputIndexes.size();
  if (bodyOutputs < operation.outputs.size())
    return badData("the body subgraph has {} outputs, must have at least {}",
                   bodyOutputs, operation.outputs.size());
  if (bodyOutputs > body->inputIndexes.size())
    return badData("the body subgraph has {} outputs, must have at most {}",
                   bodyOutputs, body->inputIndexes.size());
  for (size_t index = 0; index < bodyOutputs; ++index) {
    std::string reason = incompatibility(
        subgraph.operands[operation.inputs[whileOperands + index]],
        body->operands[body->outputIndexes[index]]);
    if (!reason.empty())
      return badData("input {} and output {} of the body subgraph differ in {}",
                     whileOperands + index, index, reason);
  }
  return checkPassedOutputs(subgraph, operation, *body, "body");
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
