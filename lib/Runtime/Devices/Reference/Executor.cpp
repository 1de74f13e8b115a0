//===- Executor.cpp - Runs a model operation by operation -----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Executor.h"

#include "Runtime/Model/ControlFlowOperands.h"
#include "Runtime/Model/ExtensionCalls.h"
#include "Runtime/Support/Errors.h"
#include "Runtime/Support/LogFormat.h"
#include "Runtime/Support/LoopTime.h"
#include "nnhal/Runtime/Extensions.h"

#include <algorithm>
#include <array>
#include <cassert>

using namespace nnhal::rt;
using namespace nnhal::rt::reference;

Routine reference::lookUpRoutine(OperationType type) {
  // HAL codes are dense: 0 to 101.
  static const std::array<Routine, 102> table = [] {
    std::array<Routine, 102> routines{};
    for (std::span<const RoutineRow> family :
         {elementwiseRoutines(), activationRoutines(), contractionRoutines(),
          windowRoutines(), normalizationRoutines(), reductionRoutines(),
          dataMovementRoutines(), quantizationRoutines(), lookupRoutines(),
          recurrentRoutines(), detectionRoutines()})
      for (const RoutineRow &row : family)
        routines[size_t(row.type)] = row.routine;
    return routines;
  }();
  return size_t(type) < table.size() ? table[size_t(type)] : nullptr;
}

/// An execution fails with OP_FAILED where validation would have rejected the
/// model, had it known the values.
static Status asFailure(Status status) {
  if (status.code() != StatusCode::invalidArgument)
    return status;
  return Status(StatusCode::generalFailure, status.message());
}

/// The values of the operands of one subgraph while it runs.
class Executor::Scope {
public:
  Scope(const Model &model, const Subgraph &subgraph)
      : model(model), subgraph(subgraph), values(subgraph.operands.size()),
        uses(subgraph.operands.size()) {
    for (const Operation &operation : subgraph.operations)
      for (uint32_t index : operation.inputs)
        ++uses[index];
    for (uint32_t index : subgraph.outputIndexes)
      ++uses[index];
  }

  const Operand &operand(uint32_t index) const {
    return subgraph.operands[index];
  }

  /// The operand's value; constants are those of the model.
  Result<Value> get(uint32_t index) const {
    const Operand &stated = operand(index);
    if (isConstant(stated.lifetime)) {
      Value value;
      value.type = OperandView::of(model, stated).type;
      NNHAL_ASSIGN_OR_RETURN(value.bytes, constantBytes(model, stated));
      return value;
    }
    if (stated.lifetime == OperandLifeTime::NO_VALUE) {
      Value value;
      value.type = OperandView::of(model, stated).type;
      value.isOmitted = true;
      return value;
    }
    return values[index];
  }

  /// Binds an input or a result: keeps what the model states about the type,
  /// with the extents of \p value.
  Status set(uint32_t index, Value value) {
    TensorType stated = OperandView::of(model, operand(index)).type;
    if (!value.isOmitted)
      NNHAL_RETURN_IF_ERROR(
          checkStated(value.type, stated, fmt::format("operand {}", index)));
    stated.dimensions = value.type.dimensions;
    stated.isRanked = true;
    value.type = std::move(stated);
    values[index] = std::move(value);
    return Status::ok();
  }

  /// Frees what nobody reads any more.
  void release(const Operation &operation) {
    for (uint32_t index : operation.inputs)
      if (--uses[index] == 0)
        values[index] = {};
    for (uint32_t index : operation.outputs)
      if (uses[index] == 0)
        values[index] = {};
  }

private:
  const Model &model;
  const Subgraph &subgraph;
  std::vector<Value> values;
  /// The number of reads of each operand that are still to come.
  std::vector<uint32_t> uses;
};

Result<std::vector<Value>> Executor::run(std::vector<Value> inputs) {
  return runSubgraph(model.main, std::move(inputs));
}

Status Executor::checkCancelled() const {
  // Another thread writes it while this one runs.
  bool isCancelled = limits.cancelFlag &&
                     __atomic_load_n(limits.cancelFlag, __ATOMIC_RELAXED) != 0;
  // A deadline that passes during an execution is a transient failure (D-074).
  if (isCancelled ||
      (limits.deadline != noDeadline && limits.clock() >= limits.deadline))
    return Status(StatusCode::missedDeadlineTransient,
                  "the deadline passed while the model was executed");
  return Status::ok();
}

void Executor::trace(const Subgraph &subgraph, size_t operation,
                     bool isEnd) const {
  if (limits.traceHook && &subgraph == &model.main)
    limits.traceHook(limits.traceContext, uint32_t(operation), isEnd);
}

Result<std::vector<Value>> Executor::runSubgraph(const Subgraph &subgraph,
                                                 std::vector<Value> inputs) {
  Scope scope(model, subgraph);
  for (size_t i = 0; i < inputs.size(); ++i)
    NNHAL_RETURN_IF_ERROR(
        asFailure(scope.set(subgraph.inputIndexes[i], std::move(inputs[i])))
            .withContext(fmt::format("input {}", i)));
  for (size_t i = 0; i < subgraph.operations.size(); ++i) {
    const Operation &operation = subgraph.operations[i];
    auto context = [&] {
      return fmt::format("operation {} ({})", i, nameOf(model, operation.type));
    };
    NNHAL_RETURN_IF_ERROR(checkCancelled());
    if (limits.log && limits.log->isOn(LogTag::cpuexe))
      writeLog(*limits.log, LogTag::cpuexe, "{}", context());
    trace(subgraph, i, /*isEnd=*/false);
    Result<std::vector<Value>> results = runOperation(scope, operation);
    trace(subgraph, i, /*isEnd=*/true);
    if (!results.isOk())
      return asFailure(std::move(results).takeStatus()).withContext(context());
    for (size_t k = 0; k < results->size(); ++k)
      NNHAL_RETURN_IF_ERROR(
          asFailure(scope.set(operation.outputs[k], std::move((*results)[k])))
              .withContext(context()));
    scope.release(operation);
  }
  std::vector<Value> outputs;
  for (uint32_t index : subgraph.outputIndexes) {
    NNHAL_ASSIGN_OR_RETURN(Value value, scope.get(index));
    outputs.push_back(std::move(value));
  }
  return outputs;
}

Result<std::vector<Value>> Executor::runOperation(const Scope &scope,
                                                  const Operation &operation) {
  if (operation.type == OperationType::IF)
    return runIf(scope, operation);
  if (operation.type == OperationType::WHILE)
    return runWhile(scope, operation);
  if (isExtension(operation.type))
    return runExtension(scope, operation);
  return runRoutine(scope, operation);
}

/// Whether a tensor whose extents are known is within the limit.
Status Executor::checkSize(const TensorType &type, uint32_t elementSize) const {
  uint64_t bytes = elementSize;
  for (int64_t extent : type.dimensions) {
    if (extent == 0)
      return Status::ok();
    // Saturates: what does not fit 64 bits is above any limit.
    if (__builtin_mul_overflow(bytes, uint64_t(extent), &bytes))
      bytes = UINT64_MAX / 2;
  }
  if (bytes > limits.tensorLimit)
    return Status(StatusCode::resourceExhaustedPersistent,
                  fmt::format("output of shape {} has {} bytes, above {}",
                              shapeText(type), bytes, limits.tensorLimit));
  return Status::ok();
}

static bool isFullyKnown(const TensorType &type) {
  return type.isRanked && std::ranges::find(type.dimensions, unknownExtent) ==
                              type.dimensions.end();
}

Result<std::vector<Value>>
Executor::inputsOf(const Scope &scope, const Operation &operation) const {
  std::vector<Value> inputs;
  for (uint32_t index : operation.inputs) {
    NNHAL_ASSIGN_OR_RETURN(Value value, scope.get(index));
    inputs.push_back(std::move(value));
  }
  return inputs;
}

OperationView Executor::viewOf(const Scope &scope, const Operation &operation,
                               std::span<const Value> inputs) const {
  OperationView view;
  view.type = operation.type;
  for (size_t i = 0; i < inputs.size(); ++i) {
    OperandView &operand = view.inputs.emplace_back();
    operand.type = inputs[i].type;
    operand.isOmitted = inputs[i].isOmitted;
    if (!inputs[i].isOmitted)
      operand.value = inputs[i].bytes;
    const Operand &stated = scope.operand(operation.inputs[i]);
    if (const auto *data = std::get_if<ExtensionParams>(&stated.extraParams))
      operand.extensionData = data->bytes;
  }
  for (uint32_t index : operation.outputs)
    view.outputs.push_back(OperandView::of(model, scope.operand(index)));
  return view;
}

/// Runs \p compute with its memory counted.
template <typename Compute> Status Executor::runCounted(Compute compute) const {
  BudgetScope scope(limits.budget);
  try {
    return compute();
  } catch (const OutOfBudget &refusal) {
    return refusal.status;
  }
}

static Value computedValue(TensorType type, Elements<std::byte> bytes) {
  auto owner = std::make_shared<const Elements<std::byte>>(std::move(bytes));
  return {std::move(type), /*isOmitted=*/false, *owner, owner};
}

Result<std::vector<Value>> Executor::runRoutine(const Scope &scope,
                                                const Operation &operation) {
  Routine routine = lookUpRoutine(operation.type);
  assert(routine && "the device refuses models with other operations");
  NNHAL_ASSIGN_OR_RETURN(std::vector<Value> inputs, inputsOf(scope, operation));
  OperationView view = viewOf(scope, operation, inputs);
  NNHAL_ASSIGN_OR_RETURN(OperationFacts facts, checkOperation(view));
  for (const TensorType &result : facts.results)
    if (isFullyKnown(result))
      NNHAL_RETURN_IF_ERROR(checkSize(result, elementSize(result.type)));
  RoutineContext context(view, facts);
  NNHAL_RETURN_IF_ERROR(runCounted([&] { return routine(context); }));
  std::vector<Value> results;
  results.reserve(facts.results.size());
  for (size_t i = 0; i < facts.results.size(); ++i)
    results.push_back(
        computedValue(context.outputType(i), context.takeOutput(i)));
  return results;
}

/// Keeps what an extension's backend computes.
class Executor::StoredOutputs final : public CheckedOutputs {
public:
  StoredOutputs(const Executor &executor, const Extension &extension,
                std::vector<TensorType> results)
      : CheckedOutputs(extension, std::move(results)), executor(executor),
        stored(types().size()) {}

  Result<std::vector<Value>> take() {
    NNHAL_RETURN_IF_ERROR(checkComplete());
    std::vector<Value> values;
    values.reserve(stored.size());
    for (size_t i = 0; i < stored.size(); ++i)
      values.push_back(computedValue(types()[i], std::move(stored[i])));
    return values;
  }

protected:
  Result<std::span<std::byte>> allocateElements(size_t index,
                                                uint32_t elementSize) override {
    NNHAL_RETURN_IF_ERROR(executor.checkSize(types()[index], elementSize));
    stored[index] = Elements<std::byte>(
        size_t(elementCount(types()[index].dimensions)) * elementSize);
    return std::span<std::byte>(stored[index]);
  }

private:
  const Executor &executor;
  std::vector<Elements<std::byte>> stored;
};

/// Copies the values whose place is not a multiple of their elements' size, as
/// that of a constant may be.
static void alignValues(const Extension &extension, OperationView &view,
                        std::vector<Elements<std::byte>> &copies) {
  for (OperandView &operand : view.inputs) {
    size_t size = elementSizeIn(extension, operand.type.type);
    size_t alignment = std::min<size_t>(size & -size, 8);
    if (!operand.value || alignment < 2 ||
        reinterpret_cast<uintptr_t>(operand.value->data()) % alignment == 0)
      continue;
    operand.value = std::span<const std::byte>(
        copies.emplace_back(operand.value->begin(), operand.value->end()));
  }
}

Result<std::vector<Value>> Executor::runExtension(const Scope &scope,
                                                  const Operation &operation) {
  NNHAL_ASSIGN_OR_RETURN(std::vector<Value> inputs, inputsOf(scope, operation));
  NNHAL_ASSIGN_OR_RETURN(ExtensionCall call,
                         makeExtensionCall(model,
                                           viewOf(scope, operation, inputs),
                                           limits.extensions));
  const ExtensionBackend &backend = *call.installed->backend;
  NNHAL_ASSIGN_OR_RETURN(OperationFacts facts, checkCall(backend, call.view));
  StoredOutputs outputs(*this, backend.extension(), std::move(facts.results));
  NNHAL_RETURN_IF_ERROR(runCounted([&]() -> Status {
    std::vector<Elements<std::byte>> copies;
    copies.reserve(call.view.inputs.size());
    alignValues(backend.extension(), call.view, copies);
    return backend.execute(call.view, outputs);
  }));
  NNHAL_ASSIGN_OR_RETURN(std::vector<Value> results, outputs.take());
  for (size_t i = 0; i < results.size(); ++i)
    results[i].type.type = scope.operand(operation.outputs[i]).type;
  return results;
}

Result<std::vector<Value>> Executor::runIf(const Scope &scope,
                                           const Operation &operation) {
  NNHAL_ASSIGN_OR_RETURN(Value condition, scope.get(operation.inputs[0]));
  if (condition.bytes.size() != 1) // control_flow C5
    return failure("the condition has {} elements, expected 1",
                   condition.bytes.size());
  size_t branch = condition.bytes[0] != std::byte(0) ? 1 : 2;
  std::vector<Value> inputs;
  for (size_t i = validation::ifOperands; i < operation.inputs.size(); ++i) {
    NNHAL_ASSIGN_OR_RETURN(Value value, scope.get(operation.inputs[i]));
    inputs.push_back(std::move(value));
  }
  uint32_t index = scope.operand(operation.inputs[branch]).location.offset;
  auto results = runSubgraph(model.referenced[index], std::move(inputs));
  if (!results.isOk())
    return std::move(results).takeStatus().withContext(
        fmt::format("referenced[{}]", index));
  return results;
}

Result<std::vector<Value>> Executor::runWhile(const Scope &scope,
                                              const Operation &operation) {
  uint32_t condition = scope.operand(operation.inputs[0]).location.offset;
  uint32_t body = scope.operand(operation.inputs[1]).location.offset;
  std::vector<Value> state;
  for (size_t i = validation::whileOperands; i < operation.inputs.size(); ++i) {
    NNHAL_ASSIGN_OR_RETURN(Value value, scope.get(operation.inputs[i]));
    state.push_back(std::move(value));
  }
  int64_t begin = limits.clock();
  while (true) {
    auto decision = runSubgraph(model.referenced[condition], state);
    if (!decision.isOk())
      return std::move(decision).takeStatus().withContext(
          fmt::format("referenced[{}]", condition));
    std::span<const std::byte> bytes = decision->front().bytes;
    if (bytes.size() != 1) // control_flow C5
      return failure("the condition has {} elements, expected 1", bytes.size());
    if (bytes[0] == std::byte(0))
      break;
    NNHAL_RETURN_IF_ERROR(
        checkLoopTime(limits.clock() - begin, limits.loopTimeout));
    NNHAL_RETURN_IF_ERROR(checkCancelled());
    auto next = runSubgraph(model.referenced[body], state);
    if (!next.isOk())
      return std::move(next).takeStatus().withContext(
          fmt::format("referenced[{}]", body));
    std::move(next->begin(), next->end(), state.begin());
  }
  state.resize(operation.outputs.size());
  return state;
}
