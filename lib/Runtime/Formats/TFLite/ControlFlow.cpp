//===- ControlFlow.cpp - CALL, IF and WHILE -------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operators of a CALL take its place. Branches and loops become referenced
// subgraphs of the HAL. A constant argument stays a constant in them, so that
// shapes and axes that are handed in are known there; in a loop, if the body
// yields it unchanged. A CASE becomes a tree of branches.
//
//===----------------------------------------------------------------------===//

#include "Complex.h"
#include "StableHlo.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>

namespace nnhal::rt::tflite {

//===----------------------------------------------------------------------===//
// Subgraphs
//===----------------------------------------------------------------------===//

/// Calls that a file may make. One that calls itself makes no end of them, and
/// few that call each other twice can make too many.
constexpr uint32_t maxCalls = 1000;
/// Calls within calls, each of which takes room on the stack.
constexpr uint32_t maxDepth = 32;

/// Holds a subgraph on the list of those that are being imported.
class CallScope {
public:
  CallScope(FileImport &file, uint32_t subgraph) : file(file) {
    file.calls.push_back(subgraph);
    ++file.callCount;
  }
  ~CallScope() { file.calls.pop_back(); }
  CallScope(const CallScope &) = delete;
  CallScope &operator=(const CallScope &) = delete;

private:
  FileImport &file;
};

static Result<const schema::SubGraph *> findSubgraph(FileImport &file,
                                                     int64_t index) {
  const auto &subgraphs = *file.model.subgraphs();
  if (index < 0 || index >= int64_t(subgraphs.size()))
    return badData("calls subgraph {} of {}", index, subgraphs.size());
  if (std::ranges::count(file.calls, uint32_t(index)) > 0)
    return badData("subgraph {} calls itself", index);
  if (file.calls.size() > maxDepth)
    return badData("subgraphs are nested more than {} deep", maxDepth);
  if (file.callCount >= maxCalls)
    return badData("subgraphs are called more than {} times", maxCalls);
  return subgraphs.Get(uint32_t(index));
}

/// Inputs of \p op from \p first on, with operands unless they are constants.
static Result<std::vector<Tensor>> argumentsOf(Operator &op, size_t first) {
  std::vector<Tensor> arguments;
  for (size_t i = first; i < op.inputCount(); ++i) {
    Tensor &tensor = op.input(i);
    if (!tensor.shape)
      return badData("input {}, {}, is a variable", i, describe(tensor));
    if (!tensor.isConstant)
      NNHAL_RETURN_IF_ERROR(op.graph.useParts(tensor).takeStatus());
    arguments.push_back(tensor);
  }
  return arguments;
}

namespace {
/// A referenced subgraph of the HAL and what it yields.
struct Called {
  /// Its number among the referenced subgraphs.
  uint32_t subgraph;
  std::vector<Tensor> results;
  /// The operand of the caller that refers to it.
  uint32_t operand = 0;
};
} // namespace

static uint32_t addReferenced(FileImport &file, Subgraph subgraph) {
  std::vector<Subgraph> &referenced = file.result.model.referenced;
  referenced.push_back(std::move(subgraph));
  return uint32_t(referenced.size() - 1);
}

/// An operand of \p graph that refers to \p subgraph.
static uint32_t addReference(Graph &graph, uint32_t subgraph) {
  Operand operand;
  operand.type = OperandType::SUBGRAPH;
  operand.lifetime = OperandLifeTime::SUBGRAPH;
  operand.location.offset = subgraph;
  return graph.addOperand(std::move(operand));
}

/// Imports subgraph \p index as a referenced one. If it \p isBody of a loop, it
/// yields no constants that it was given.
static Result<Called> importReferenced(FileImport &file, int64_t index,
                                       std::span<const Tensor> arguments,
                                       bool isBody = false) {
  NNHAL_ASSIGN_OR_RETURN(const schema::SubGraph *source,
                         findSubgraph(file, index));
  CallScope scope(file, uint32_t(index));
  Subgraph target;
  Graph graph(file, *source, target);
  Called called{};
  NNHAL_RETURN_IF_ERROR(graph.importCalled(arguments, called.results)
                            .withContext(fmt::format("subgraph {}", index)));
  for (size_t i = 0; i < called.results.size(); ++i) {
    Tensor &result = called.results[i];
    if (isBody && i < arguments.size() && arguments[i].isConstant)
      continue;
    NNHAL_ASSIGN_OR_RETURN(std::vector<uint32_t> parts, graph.useParts(result));
    for (uint32_t part : parts)
      target.outputIndexes.push_back(graph.asOutput(part, *result.shape));
  }
  called.subgraph = addReferenced(file, std::move(target));
  return called;
}

/// Imports subgraph \p index as one that an operation of \p op refers to.
static Result<Called> import(Operator &op, int64_t index,
                             std::span<const Tensor> arguments,
                             bool isBody = false) {
  NNHAL_ASSIGN_OR_RETURN(Called called, importReferenced(op.graph.file(), index,
                                                         arguments, isBody));
  called.operand = addReference(op.graph, called.subgraph);
  return called;
}

/// Checks that \p result can be the value of \p tensor outside.
static Status checkResult(Tensor &tensor, const Tensor &result) {
  if (!accepts(tensor, result))
    return badData("{} has another type, scale or zero point than its value, "
                   "{}",
                   describe(tensor), describe(result));
  tensor.type = result.type;
  return Status();
}

static Status checkCount(Operator &op, size_t count) {
  if (count != op.outputCount())
    return badData("has {} outputs, but its subgraph has {}", op.outputCount(),
                   count);
  return Status();
}

/// The operands of \p arguments that are not constants.
static void appendOperands(std::span<const Tensor> arguments,
                           std::vector<uint32_t> &inputs) {
  for (const Tensor &argument : arguments)
    if (!argument.isConstant) {
      inputs.push_back(*argument.operand);
      if (argument.imaginary)
        inputs.push_back(*argument.imaginary);
    }
}

/// Appends the operands of output \p i of \p op, of \p shape, to \p outputs.
static Status defineOutput(Operator &op, size_t i, const Shape &shape,
                           std::vector<uint32_t> &outputs) {
  NNHAL_ASSIGN_OR_RETURN(std::vector<uint32_t> parts,
                         op.graph.defineParts(op.output(i), shape));
  outputs.insert(outputs.end(), parts.begin(), parts.end());
  return Status();
}

//===----------------------------------------------------------------------===//
// CALL
//===----------------------------------------------------------------------===//

Status importCall(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::CallOptions>());
  return importCallOf(op, options->subgraph());
}

Status importCallOf(Operator &op, int64_t subgraph, size_t first) {
  NNHAL_ASSIGN_OR_RETURN(std::vector<Tensor> arguments, argumentsOf(op, first));
  FileImport &file = op.graph.file();
  NNHAL_ASSIGN_OR_RETURN(const schema::SubGraph *source,
                         findSubgraph(file, subgraph));
  CallScope scope(file, uint32_t(subgraph));
  std::vector<Tensor> results;
  NNHAL_RETURN_IF_ERROR(op.graph.importInlined(*source, arguments, results)
                            .withContext(fmt::format("subgraph {}", subgraph)));
  NNHAL_RETURN_IF_ERROR(checkCount(op, results.size()));
  for (size_t i = 0; i < results.size(); ++i) {
    Tensor &output = op.output(i);
    NNHAL_RETURN_IF_ERROR(checkResult(output, results[i]));
    if (results[i].isConstant) {
      // The parts of a complex constant are made anew where it is used.
      NNHAL_RETURN_IF_ERROR(op.graph.bindConstant(output, results[i]));
      continue;
    }
    NNHAL_RETURN_IF_ERROR(
        op.graph.bind(output, *results[i].operand, *results[i].shape));
    output.imaginary = results[i].imaginary;
  }
  return Status();
}

//===----------------------------------------------------------------------===//
// IF and WHILE
//===----------------------------------------------------------------------===//

static Status checkCondition(const Tensor &condition) {
  if (condition.type != OperandType::TENSOR_BOOL8)
    return badData("the condition, {}, has type {}, expected BOOL",
                   describe(condition), nameOf(condition.sourceType));
  return Status();
}

Status importIf(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options, op.options<schema::IfOptions>());
  NNHAL_RETURN_IF_ERROR(checkCondition(op.input(0)));
  NNHAL_ASSIGN_OR_RETURN(uint32_t condition, op.graph.use(op.input(0)));
  NNHAL_ASSIGN_OR_RETURN(std::vector<Tensor> arguments, argumentsOf(op, 1));
  NNHAL_ASSIGN_OR_RETURN(Called then,
                         import(op, options->then_subgraph_index(), arguments));
  NNHAL_ASSIGN_OR_RETURN(Called otherwise,
                         import(op, options->else_subgraph_index(), arguments));
  NNHAL_RETURN_IF_ERROR(checkCount(op, then.results.size()));
  NNHAL_RETURN_IF_ERROR(checkCount(op, otherwise.results.size()));
  std::vector<uint32_t> inputs = {condition, then.operand, otherwise.operand},
                        outputs;
  appendOperands(arguments, inputs);
  for (size_t i = 0; i < op.outputCount(); ++i) {
    const Shape &shape = *then.results[i].shape;
    if (shape != *otherwise.results[i].shape)
      return badData("output {} has shape {} from one branch and {} from the "
                     "other",
                     i, toString(shape), toString(*otherwise.results[i].shape));
    for (const Called *branch : {&then, &otherwise})
      NNHAL_RETURN_IF_ERROR(checkResult(op.output(i), branch->results[i]));
    NNHAL_RETURN_IF_ERROR(defineOutput(op, i, shape, outputs));
  }
  op.graph.addOperation(OperationType::IF, std::move(inputs),
                        std::move(outputs));
  return Status();
}

/// Whether the body of a loop yields its input \p i as output \p i.
static bool isKept(const schema::SubGraph &body, size_t i) {
  std::span<const int32_t> inputs = elementsOf(body.inputs()),
                           outputs = elementsOf(body.outputs());
  return i < inputs.size() && i < outputs.size() && inputs[i] == outputs[i];
}

Status importWhile(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::WhileOptions>());
  NNHAL_ASSIGN_OR_RETURN(
      const schema::SubGraph *bodySource,
      findSubgraph(op.graph.file(), options->body_subgraph_index()));
  NNHAL_ASSIGN_OR_RETURN(std::vector<Tensor> values, argumentsOf(op, 0));
  NNHAL_RETURN_IF_ERROR(checkCount(op, values.size()));
  std::vector<uint32_t> initial;
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i].isConstant && !isKept(*bodySource, i)) {
      NNHAL_RETURN_IF_ERROR(op.graph.useParts(op.input(i)).takeStatus());
      values[i] = op.input(i);
      values[i].isConstant = false;
    }
  appendOperands(values, initial);
  NNHAL_ASSIGN_OR_RETURN(Called condition,
                         import(op, options->cond_subgraph_index(), values));
  if (condition.results.size() != 1)
    return badData("the condition has {} outputs, expected 1",
                   condition.results.size());
  NNHAL_RETURN_IF_ERROR(checkCondition(condition.results[0]));
  NNHAL_ASSIGN_OR_RETURN(Called body, import(op, options->body_subgraph_index(),
                                             values, /*isBody=*/true));
  NNHAL_RETURN_IF_ERROR(checkCount(op, body.results.size()));
  std::vector<uint32_t> outputs;
  for (size_t i = 0; i < values.size(); ++i) {
    if (*body.results[i].shape != *values[i].shape)
      return badData("value {} has shape {} before and {} after an iteration",
                     i, toString(*values[i].shape),
                     toString(*body.results[i].shape));
    NNHAL_RETURN_IF_ERROR(checkResult(op.output(i), body.results[i]));
    if (values[i].isConstant) {
      NNHAL_RETURN_IF_ERROR(op.graph.bindConstant(op.output(i), values[i]));
      continue;
    }
    NNHAL_RETURN_IF_ERROR(defineOutput(op, i, *values[i].shape, outputs));
  }
  std::vector<uint32_t> inputs = {condition.operand, body.operand};
  inputs.insert(inputs.end(), initial.begin(), initial.end());
  op.graph.addOperation(OperationType::WHILE, std::move(inputs),
                        std::move(outputs));
  return Status();
}

//===----------------------------------------------------------------------===//
// CASE
//===----------------------------------------------------------------------===//

namespace {
/// The branches of a CASE. Each has the arguments that are no constants as
/// inputs, and behind them the index, so that a choice among some of them is a
/// subgraph of the same form.
struct Branches {
  std::vector<uint32_t> subgraphs;
  std::vector<Tensor> arguments, results;
};
} // namespace

static Operand indexOperand() {
  Operand operand;
  operand.type = OperandType::TENSOR_INT32;
  operand.dimensions = {1};
  return operand;
}

/// The operand of \p graph that says whether \p index is below \p bound.
static uint32_t addIsBelow(Graph &graph, uint32_t index, int32_t bound) {
  Operand truth;
  truth.type = OperandType::TENSOR_BOOL8;
  truth.dimensions = {1};
  uint32_t result = graph.addOperand(std::move(truth));
  graph.addOperation(
      OperationType::LESS,
      {index, graph.addConstant(OperandType::TENSOR_INT32, {1},
                                std::as_bytes(std::span(&bound, 1)))},
      {result});
  return result;
}

/// Imports the branches \p numbers, which yield the same shapes.
static Result<Branches> importBranches(Operator &op,
                                       std::span<const int32_t> numbers) {
  Branches branches;
  FileImport &file = op.graph.file();
  NNHAL_ASSIGN_OR_RETURN(branches.arguments, argumentsOf(op, 1));
  for (size_t number = 0; number < numbers.size(); ++number) {
    NNHAL_ASSIGN_OR_RETURN(
        Called branch,
        importReferenced(file, numbers[number], branches.arguments));
    NNHAL_RETURN_IF_ERROR(checkCount(op, branch.results.size()));
    Subgraph &subgraph = file.result.model.referenced[branch.subgraph];
    subgraph.inputIndexes.push_back(uint32_t(subgraph.operands.size()));
    subgraph.operands.push_back(indexOperand());
    subgraph.operands.back().lifetime = OperandLifeTime::SUBGRAPH_INPUT;
    branches.subgraphs.push_back(branch.subgraph);
    if (number == 0)
      branches.results = branch.results;
    for (size_t i = 0; i < op.outputCount(); ++i) {
      const Shape &first = *branches.results[i].shape,
                  &shape = *branch.results[i].shape;
      if (shape != first)
        return badData("output {} has shape {} from branch 0 and {} from "
                       "branch {}",
                       i, toString(first), toString(shape), number);
      NNHAL_RETURN_IF_ERROR(checkResult(op.output(i), branch.results[i]));
    }
  }
  return branches;
}

static Result<uint32_t> addChoice(FileImport &file, const Branches &branches,
                                  size_t first, size_t count);

/// Adds an IF to \p graph that executes one of \p count branches from \p first
/// on: the one that \p inputs end with the index of, or the last one.
static Status addBranch(Graph &graph, const Branches &branches, size_t first,
                        size_t count, const std::vector<uint32_t> &inputs,
                        std::vector<uint32_t> outputs) {
  // Each IF halves the branches, so that subgraphs are nested log2(count) deep.
  size_t half = count / 2;
  NNHAL_ASSIGN_OR_RETURN(uint32_t lower,
                         addChoice(graph.file(), branches, first, half));
  NNHAL_ASSIGN_OR_RETURN(uint32_t upper, addChoice(graph.file(), branches,
                                                   first + half, count - half));
  std::vector<uint32_t> operands = {
      addIsBelow(graph, inputs.back(), int32_t(first + half)),
      addReference(graph, lower), addReference(graph, upper)};
  operands.insert(operands.end(), inputs.begin(), inputs.end());
  graph.addOperation(OperationType::IF, std::move(operands),
                     std::move(outputs));
  return Status();
}

/// The number of a subgraph that executes one of \p count branches.
static Result<uint32_t> addChoice(FileImport &file, const Branches &branches,
                                  size_t first, size_t count) {
  if (count == 1)
    return branches.subgraphs[first];
  Subgraph target;
  Graph graph(file, *file.model.subgraphs()->Get(0), target);
  auto add = [&](Operand operand, OperandLifeTime lifetime,
                 std::vector<uint32_t> &indices) {
    operand.lifetime = lifetime;
    indices.push_back(graph.addOperand(std::move(operand)));
  };
  auto addParts = [&](const Tensor &tensor, OperandLifeTime lifetime,
                      std::vector<uint32_t> &indices) -> Status {
    NNHAL_ASSIGN_OR_RETURN(std::vector<Operand> parts,
                           partsFor(tensor, *tensor.shape));
    for (Operand &part : parts)
      add(std::move(part), lifetime, indices);
    return Status();
  };
  for (const Tensor &argument : branches.arguments)
    if (!argument.isConstant)
      NNHAL_RETURN_IF_ERROR(addParts(argument, OperandLifeTime::SUBGRAPH_INPUT,
                                     target.inputIndexes));
  add(indexOperand(), OperandLifeTime::SUBGRAPH_INPUT, target.inputIndexes);
  for (const Tensor &result : branches.results)
    NNHAL_RETURN_IF_ERROR(addParts(result, OperandLifeTime::SUBGRAPH_OUTPUT,
                                   target.outputIndexes));
  NNHAL_RETURN_IF_ERROR(addBranch(graph, branches, first, count,
                                  target.inputIndexes, target.outputIndexes));
  return addReferenced(file, std::move(target));
}

/// The number of the branch that index \p value, as computed, names: the last
/// one for those below 0, too. Those above need no care.
static uint32_t addNumber(Graph &graph, uint32_t value, size_t count) {
  auto last = int32_t(count - 1);
  uint32_t isNegative = addIsBelow(graph, value, 0);
  uint32_t number = graph.addOperand(indexOperand());
  graph.addOperation(OperationType::SELECT,
                     {isNegative,
                      graph.addConstant(OperandType::TENSOR_INT32, {1},
                                        std::as_bytes(std::span(&last, 1))),
                      value},
                     {number});
  return number;
}

Status importStableHloCase(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options2<schema::StablehloCaseOptions>());
  std::span<const int32_t> numbers =
      elementsOf(options->branch_subgraph_indices());
  if (numbers.empty())
    return badData("has no branches");
  NNHAL_RETURN_IF_ERROR(checkKnown(op));
  Tensor &index = op.input(0);
  if (index.sourceType != schema::TensorType::INT32)
    return badData("the index, {}, has type {}, expected INT32",
                   describe(index), nameOf(index.sourceType));
  if (index.shape->size() > 1 || elementCount(*index.shape) != 1)
    return badData("the index, {}, has shape {}, expected one element",
                   describe(index), toString(*index.shape));
  if (numbers.size() == 1)
    return importCallOf(op, numbers[0], 1);
  if (index.isConstant) {
    NNHAL_ASSIGN_OR_RETURN(int32_t value, op.integer(0));
    bool isInside = value >= 0 && size_t(value) < numbers.size();
    return importCallOf(op, isInside ? numbers[size_t(value)] : numbers.back(),
                        1);
  }
  NNHAL_ASSIGN_OR_RETURN(Branches branches, importBranches(op, numbers));
  std::vector<uint32_t> inputs, outputs;
  appendOperands(branches.arguments, inputs);
  NNHAL_ASSIGN_OR_RETURN(uint32_t value, op.graph.use(index));
  inputs.push_back(addNumber(op.graph, value, numbers.size()));
  for (size_t i = 0; i < op.outputCount(); ++i) {
    NNHAL_RETURN_IF_ERROR(
        defineOutput(op, i, *branches.results[i].shape, outputs));
  }
  return addBranch(op.graph, branches, 0, numbers.size(), inputs,
                   std::move(outputs));
}

} // namespace nnhal::rt::tflite
