//===- HostControlModel.cpp - IF and WHILE of shapes that change ----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostControlModel.h"

#include "ArgumentBytes.h"

#include "Runtime/Devices/Gpu/Support/GpuSupport.h"
#include "Runtime/Partition/CostModel.h"
#include "Runtime/Support/BudgetedBuffer.h"
#include "Runtime/Support/Errors.h"
#include "Runtime/Support/LoopTime.h"
#include "nnhal/Backend/ModelCopy.h"

#include <algorithm>
#include <array>
#include <optional>
#include <ranges>
#include <set>

using namespace nnhal::rt;
using partition::subgraphOf;

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

static bool isControl(const Operation &operation) {
  return operation.type == OperationType::IF ||
         operation.type == OperationType::WHILE;
}

/// The number, as of subgraphOf(), of the graph that input \p position of
/// \p operation names.
static uint32_t calleeOf(const Subgraph &graph, const Operation &operation,
                         size_t position) {
  return graph.operands[operation.inputs[position]].location.offset + 1;
}

/// The places of the inputs of \p operation that name graphs.
static std::array<size_t, 2> placesOfGraphs(const Operation &operation) {
  if (operation.type == OperationType::IF)
    return {1, 2};
  return {0, 1};
}

void HostControlModel::findLastUses(const Subgraph &graph, Graph &divided) {
  std::set<uint32_t> used(graph.outputIndexes.begin(),
                          graph.outputIndexes.end());
  for (Part &part : std::views::reverse(divided.parts)) {
    auto use = [&](const std::vector<uint32_t> &operands) {
      for (uint32_t operand : operands)
        if (used.insert(operand).second)
          part.lastUses.push_back(operand);
    };
    if (part.code) {
      use(part.boundary.inputs);
      use(part.boundary.outputs);
      continue;
    }
    const Operation &operation = graph.operations[part.operations.front()];
    use(operation.inputs);
    use(operation.outputs);
  }
  for (uint32_t input : graph.inputIndexes)
    if (!used.contains(input))
      divided.unusedInputs.push_back(input);
}

Status HostControlModel::divide(uint32_t index,
                                const OpenShapeModel::CodeMaker &maker) {
  if (graphs.contains(index))
    return Status::ok();
  Graph divided;
  Parts &parts = divided.parts;
  const Subgraph &graph = subgraphOf(model.model, index);
  // The operands that the operations of the last part write.
  std::set<uint32_t> written;
  auto isWritten = [&](uint32_t operand) { return written.contains(operand); };
  for (uint32_t i = 0; i < graph.operations.size(); ++i) {
    const Operation &operation = graph.operations[i];
    // The host has to have read a parameter before code is made.
    bool isNew =
        parts.empty() || isControl(operation) ||
        isControl(graph.operations[i - 1]) ||
        std::ranges::any_of(openParametersOf(model.model, graph, operation),
                            isWritten);
    if (isNew) {
      parts.emplace_back();
      written.clear();
    }
    parts.back().operations.push_back(i);
    written.insert(operation.outputs.begin(), operation.outputs.end());
  }
  for (Part &part : parts) {
    const Operation &first = graph.operations[part.operations.front()];
    if (isControl(first)) {
      for (size_t place : placesOfGraphs(first))
        NNHAL_RETURN_IF_ERROR(divide(calleeOf(graph, first, place), maker));
      continue;
    }
    part.boundary = partition::boundaryOf(graph, part.operations);
    AnnotatedModel step =
        partition::extractStep(model, index, part.operations, part.boundary);
    NNHAL_ASSIGN_OR_RETURN(part.code,
                           OpenShapeModel::create(step, /*specializations=*/{},
                                                  maker, LoadObserver()));
  }
  findLastUses(graph, divided);
  graphs.emplace(index, std::move(divided));
  return Status::ok();
}

Result<std::unique_ptr<LoadedModel>>
HostControlModel::create(const AnnotatedModel &model,
                         const std::vector<InputShapes> &specializations,
                         const OpenShapeModel::CodeMaker &maker,
                         const LoadObserver &observer) {
  if (observer.keepArtifact)
    return badData("a model whose shapes or parameters only an execution knows "
                   "is compiled when it is executed: there is no artifact");
  if (!specializations.empty())
    return badData("a model whose shapes or parameters do not follow from the "
                   "shapes of its inputs is compiled when it is executed, not "
                   "for {} sets of shapes in advance",
                   specializations.size());
  AnnotatedModel owned = model;
  NNHAL_ASSIGN_OR_RETURN(owned.model, ownedCopy(model.model));
  std::unique_ptr<HostControlModel> created(
      new HostControlModel(std::move(owned), interfaceOf(model)));
  NNHAL_RETURN_IF_ERROR(created->divide(/*index=*/0, maker));
  const std::vector<Operation> &operations = model.model.main.operations;
  for (size_t i = 0; observer.compile.remark && i < operations.size(); ++i)
    observer.compile.remark(
        uint32_t(i), isControl(operations[i])
                         ? "graphs that the host calls, for the shapes of each "
                           "call"
                         : "for the shapes of an execution");
  return std::unique_ptr<LoadedModel>(std::move(created));
}

MemoryUse HostControlModel::memoryUse() const {
  MemoryUse sum;
  for (const auto &[index, graph] : graphs)
    for (const Part &part : graph.parts) {
      if (!part.code)
        continue;
      MemoryUse use = part.code->memoryUse();
      sum.arena += use.arena;
      sum.arenaLowerBound += use.arenaLowerBound;
      sum.artifact += use.artifact;
    }
  return sum;
}

//===----------------------------------------------------------------------===//
// Workspaces
//===----------------------------------------------------------------------===//

/// The workspaces of the parts, each of which is made when it is needed.
class HostControlModel::PartWorkspace final : public Workspace {
public:
  explicit PartWorkspace(std::shared_ptr<MemoryBudget> budget)
      : budget(std::move(budget)) {}

  Result<Workspace *> take(const OpenShapeModel &code) {
    std::unique_ptr<Workspace> &own = parts[&code];
    if (!own) {
      NNHAL_ASSIGN_OR_RETURN(own, code.createWorkspace(budget));
    }
    return own.get();
  }

private:
  const std::shared_ptr<MemoryBudget> budget;
  std::map<const OpenShapeModel *, std::unique_ptr<Workspace>> parts;
};

Result<std::unique_ptr<Workspace>> HostControlModel::createWorkspace(
    const std::shared_ptr<MemoryBudget> &budget) const {
  return std::unique_ptr<Workspace>(std::make_unique<PartWorkspace>(budget));
}

//===----------------------------------------------------------------------===//
// Executions
//===----------------------------------------------------------------------===//

namespace {
/// A value of an execution: an argument of the client, or memory of its own.
struct Value {
  InvocationArgument argument;
  std::vector<int64_t> extents;
  /// Shared by the graphs that have the value; null for an argument.
  std::shared_ptr<const BudgetedBuffer> bytes;

  /// The argument that a model is called with; it lives as long as the value
  /// stays where it is.
  InvocationArgument get() {
    InvocationArgument result = argument;
    result.extents = extents.data();
    result.rank = uint32_t(extents.size());
    return result;
  }
};
using Values = std::vector<Value>;

/// Tells times of the operations of a part as those of the model.
struct PartObserver final : OperationObserver {
  PartObserver(OperationObserver &outer, const std::vector<uint32_t> &numbers)
      : outer(outer), numbers(numbers) {}
  int64_t now() const override { return outer.now(); }
  void took(uint32_t operation, int64_t begin, int64_t end) override {
    if (operation < numbers.size())
      outer.took(numbers[operation], begin, end);
  }

  OperationObserver &outer;
  const std::vector<uint32_t> &numbers;
};
} // namespace

/// One execution.
class HostControlModel::Execution {
public:
  Execution(const HostControlModel &host, Invocation &invocation)
      : host(host), model(host.model.model), invocation(invocation),
        workspace(static_cast<PartWorkspace &>(*invocation.workspace)) {}

  Status run();

private:
  Result<Values> runGraph(uint32_t index, Values inputs);
  Status runPart(uint32_t index, const Part &part, Values &values);
  Result<Values> runControl(const Subgraph &graph, const Part &part,
                            Values &values);
  Result<Values> runLoop(uint32_t condition, uint32_t body, Values states);
  Result<Values> call(uint32_t index, Values inputs);
  Result<Value> valueOf(const Subgraph &graph, uint32_t operand,
                        const Values &values) const;
  Result<Value> newValue(std::span<const uint32_t> extents,
                         uint64_t size) const;
  Result<bool> isTrue(const Value &value) const;
  Status deliver(size_t index, const Value &value) const;
  Status hand(const InvocationArgument &value,
              const InvocationArgument &output) const;

  const HostControlModel &host;
  const Model &model;
  Invocation &invocation;
  PartWorkspace &workspace;
  /// The time that code was made in, by the services' clock.
  int64_t compiling = 0;
};

/// A value of \p extents, with \p size bytes that are to be written.
Result<Value>
HostControlModel::Execution::newValue(std::span<const uint32_t> extents,
                                      uint64_t size) const {
  NNHAL_ASSIGN_OR_RETURN(
      BudgetedBuffer buffer,
      BudgetedBuffer::allocate(size, invocation.services->memory.get()));
  Value value;
  value.extents.assign(extents.begin(), extents.end());
  value.argument.data = buffer.bytes.data();
  value.argument.size = size;
  value.argument.isPresent = true;
  value.bytes = std::make_shared<const BudgetedBuffer>(std::move(buffer));
  return value;
}

Result<Value> HostControlModel::Execution::valueOf(const Subgraph &graph,
                                                   uint32_t operand,
                                                   const Values &values) const {
  const Operand &stated = graph.operands[operand];
  if (!isConstant(stated.lifetime))
    return values[operand];
  NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> bytes,
                         constantBytes(model, stated));
  // The constant itself need not be aligned to its elements.
  NNHAL_ASSIGN_OR_RETURN(Value value,
                         newValue(stated.dimensions, bytes.size()));
  std::ranges::copy(bytes, value.argument.data);
  return value;
}

Result<bool> HostControlModel::Execution::isTrue(const Value &value) const {
  std::byte byte = {};
  if (value.argument.size != 1)
    return failure("the condition has {} elements, expected 1",
                   value.argument.size);
  invocation.copiedBytes += value.argument.data ? 0 : 1;
  NNHAL_RETURN_IF_ERROR(readInput(value.argument, {&byte, 1}));
  return byte != std::byte(0);
}

/// Drops those of \p values that \p lastUses names.
static void drop(const std::vector<uint32_t> &lastUses, Values &values) {
  for (uint32_t operand : lastUses)
    values[operand] = Value();
}

/// Executes \p part of the graph \p index, which reads and adds \p values.
Status HostControlModel::Execution::runPart(uint32_t index, const Part &part,
                                            Values &values) {
  std::vector<InvocationArgument> inputs, outputs;
  for (uint32_t operand : part.boundary.inputs)
    inputs.push_back(values[operand].get());
  Invocation inner = invocation;
  inner.inputs = inputs;
  inner.outputs = {};
  inner.copiedBytes = 0;
  NNHAL_ASSIGN_OR_RETURN(inner.workspace, workspace.take(*part.code));
  int64_t begin = invocation.services->clock();
  NNHAL_ASSIGN_OR_RETURN(std::vector<InterfaceTensor> results,
                         part.code->resultsFor(inner));
  compiling += invocation.services->clock() - begin;
  for (size_t i = 0; i < results.size(); ++i) {
    Value &value = values[part.boundary.outputs[i]];
    NNHAL_ASSIGN_OR_RETURN(value, newValue(results[i].dimensions,
                                           byteSizeOf(results[i]).value_or(0)));
    outputs.push_back(value.get());
  }
  inner.outputs = outputs;
  std::optional<PartObserver> observer;
  if (invocation.operations && index == 0)
    observer.emplace(*invocation.operations, part.operations);
  inner.operations = observer ? &*observer : nullptr;
  Status status = part.code->run(inner);
  invocation.copiedBytes += inner.copiedBytes;
  drop(part.lastUses, values);
  return status;
}

Result<Values> HostControlModel::Execution::runLoop(uint32_t condition,
                                                    uint32_t body,
                                                    Values states) {
  int64_t begin = invocation.services->clock();
  int64_t compiledBefore = compiling;
  size_t changing = subgraphOf(model, body).outputIndexes.size();
  while (true) {
    NNHAL_ASSIGN_OR_RETURN(Values decision, call(condition, states));
    NNHAL_ASSIGN_OR_RETURN(bool goesOn, isTrue(decision.front()));
    if (!goesOn)
      return states;
    int64_t elapsed =
        invocation.services->clock() - begin - (compiling - compiledBefore);
    NNHAL_RETURN_IF_ERROR(checkLoopTime(elapsed, invocation.loopTimeout));
    if (invocation.isCancelled())
      return Status(StatusCode::missedDeadlineTransient,
                    "the deadline passed between two rounds of a loop");
    // The body drops the states that it replaces where it has read them.
    Values given = states;
    std::fill_n(states.begin(), changing, Value());
    NNHAL_ASSIGN_OR_RETURN(Values next, call(body, std::move(given)));
    std::ranges::move(next, states.begin());
  }
}

Result<Values> HostControlModel::Execution::call(uint32_t index,
                                                 Values inputs) {
  auto results = runGraph(index, std::move(inputs));
  if (!results.isOk())
    return std::move(results).takeStatus().withContext(
        fmt::format("referenced[{}]", index - 1));
  return results;
}

/// The results of \p part, an IF or WHILE of \p graph.
Result<Values> HostControlModel::Execution::runControl(const Subgraph &graph,
                                                       const Part &part,
                                                       Values &values) {
  const Operation &operation = graph.operations[part.operations.front()];
  bool isIf = operation.type == OperationType::IF;
  Values arguments;
  for (size_t i = isIf ? 3 : 2; i < operation.inputs.size(); ++i) {
    NNHAL_ASSIGN_OR_RETURN(Value value,
                           valueOf(graph, operation.inputs[i], values));
    arguments.push_back(std::move(value));
  }
  // The graphs that are called may drop their arguments while they run, if
  // nothing else has them.
  if (!isIf) {
    drop(part.lastUses, values);
    return runLoop(calleeOf(graph, operation, 0), calleeOf(graph, operation, 1),
                   std::move(arguments));
  }
  NNHAL_ASSIGN_OR_RETURN(Value condition,
                         valueOf(graph, operation.inputs[0], values));
  NNHAL_ASSIGN_OR_RETURN(bool holds, isTrue(condition));
  drop(part.lastUses, values);
  return call(calleeOf(graph, operation, holds ? 1 : 2), std::move(arguments));
}

/// The outputs of the graph \p index for \p inputs.
Result<Values> HostControlModel::Execution::runGraph(uint32_t index,
                                                     Values inputs) {
  const Subgraph &graph = subgraphOf(model, index);
  Values values(graph.operands.size());
  for (size_t i = 0; i < graph.inputIndexes.size(); ++i)
    values[graph.inputIndexes[i]] = std::move(inputs[i]);
  const Graph &divided = host.graphs.at(index);
  drop(divided.unusedInputs, values);
  for (const Part &part : divided.parts) {
    uint32_t first = part.operations.front();
    const Operation &operation = graph.operations[first];
    if (part.code) {
      Status status = runPart(index, part, values);
      // The code counts operations from the first one of the part.
      if (first > 0)
        status = std::move(status).withContext(
            fmt::format("in the part from operation {} on", first));
      NNHAL_RETURN_IF_ERROR(std::move(status));
      continue;
    }
    OperationObserver *observer = index == 0 ? invocation.operations : nullptr;
    int64_t begin = observer ? observer->now() : 0;
    auto results = runControl(graph, part, values);
    if (!results.isOk())
      return std::move(results).takeStatus().withContext(
          fmt::format("operation {}", first));
    for (size_t i = 0; i < operation.outputs.size(); ++i)
      values[operation.outputs[i]] = std::move((*results)[i]);
    // Results that nobody reads.
    drop(part.lastUses, values);
    if (observer)
      observer->took(first, begin, observer->now());
  }
  Values outputs;
  for (uint32_t operand : graph.outputIndexes) {
    NNHAL_ASSIGN_OR_RETURN(Value value, valueOf(graph, operand, values));
    outputs.push_back(std::move(value));
  }
  return outputs;
}

/// Hands \p value to the client as output \p index; notes when it does not fit.
Status HostControlModel::Execution::deliver(size_t index,
                                            const Value &value) const {
  InvocationArgument &output = invocation.outputs[index];
  if (output.rank == 0 && hasUnknownRank(host.face.outputs[index])) {
    output.rank = uint32_t(value.extents.size());
    std::fill_n(output.extents, output.rank, 0);
  }
  if (output.rank != value.extents.size())
    return failure("output {} has rank {}, the request states {}", index,
                   value.extents.size(), output.rank);
  for (size_t d = 0; d < output.rank; ++d) {
    if (output.extents[d] != 0 && output.extents[d] != value.extents[d])
      return failure("output {} has extent {} in dimension {}, the request "
                     "states {}",
                     index, value.extents[d], d, output.extents[d]);
    output.extents[d] = value.extents[d];
  }
  uint64_t size = value.argument.size;
  output.isSufficient = output.size >= size;
  if (!output.isSufficient || size == 0)
    return Status::ok();
  return hand(value.argument, output);
}

/// Copies the bytes of \p value, of which there is at least one, to \p output.
Status
HostControlModel::Execution::hand(const InvocationArgument &value,
                                  const InvocationArgument &output) const {
  invocation.copiedBytes += value.size;
  if (output.data)
    return readInput(value, {output.data, value.size});
  if (value.data)
    return writeOutput(output, {value.data, value.size});
  // An input of the client that is an output, too: the host reaches neither.
  invocation.copiedBytes += value.size;
  NNHAL_ASSIGN_OR_RETURN(
      BudgetedBuffer copy,
      BudgetedBuffer::allocate(value.size, invocation.services->memory.get()));
  NNHAL_RETURN_IF_ERROR(readInput(value, copy.bytes.bytes()));
  return writeOutput(output, copy.bytes.bytes());
}

Status HostControlModel::Execution::run() {
  Values inputs;
  for (const InvocationArgument &input : invocation.inputs) {
    Value &value = inputs.emplace_back();
    value.argument = input;
    value.extents.assign(input.shape().begin(), input.shape().end());
  }
  invocation.copiedBytes = 0;
  NNHAL_ASSIGN_OR_RETURN(Values outputs, runGraph(0, std::move(inputs)));
  for (size_t i = 0; i < outputs.size(); ++i)
    NNHAL_RETURN_IF_ERROR(deliver(i, outputs[i]));
  return Status::ok();
}

Status HostControlModel::run(Invocation &invocation) const {
  return Execution(*this, invocation).run();
}
