//===- Execution.cpp - Moves a request through steps ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BufferCopies.h"
#include "Run.h"

#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/Trace.h"

#include <algorithm>

using namespace nnhal::rt;
using namespace nnhal::rt::partition;

using Kind = Place::Kind;

/// The place behind a value of a loop, at present.
Place Execution::resolve(Place place) const {
  while (place.kind == Kind::loopValue || place.kind == Kind::loopNext) {
    const LoopLayout &loop = compound.layout.loops[place.index];
    uint64_t iterations = run.loops[place.index].iterations;
    if (place.kind == Kind::loopNext)
      place = loop.carried[place.position][iterations % 2];
    else if (iterations > 0)
      place = loop.carried[place.position][(iterations - 1) % 2];
    else
      place = loop.initial[place.position];
  }
  return place;
}

/// The memory of an output of the request for a step that reads it.
static Memory readBack(const OutputMemory &memory, uint64_t size) {
  if (const auto *borrowed =
          std::get_if<OutputMemory::Borrowed>(&memory.kind()))
    return Memory::borrow(
        {borrowed->data, size_t(std::min<uint64_t>(size, borrowed->size))});
  if (const auto *region = std::get_if<OutputMemory::Region>(&memory.kind()))
    return Memory::region(region->pool, region->offset, size);
  if (const auto *token =
          std::get_if<OutputMemory::DeviceToken>(&memory.kind()))
    return Memory::device(token->token);
  return {};
}

InputArgument Execution::inputArgument(const Place &at, bool isRemote) const {
  Place place = resolve(at);
  switch (place.kind) {
  case Kind::input:
    return request.inputs[place.index];
  case Kind::output:
    return {readBack(request.outputs[place.index].memory, place.size), {}};
  case Kind::temporary:
    return {run.input(place, isRemote), {}};
  case Kind::constant:
    return {compound.layout.constants[place.index], {}};
  default:
    return {};
  }
}

OutputArgument Execution::outputArgument(const Place &at, bool isRemote) const {
  Place place = resolve(at);
  if (place.kind == Kind::output)
    return request.outputs[place.index];
  return {run.output(place, isRemote), {}};
}

/// Sets the arguments that differ between executions. Those of a request are
/// assigned to objects that have memory for extents already.
void Execution::bind(uint32_t number) {
  const StepLayout &layout = compound.layout.steps[number];
  bool isRemote = compound.steps[number].isRemote;
  Request &made = run.requests[number];
  for (size_t k = 0; k < layout.inputs.size(); ++k) {
    const Place &place = layout.inputs[k];
    if (place.kind == Kind::input)
      made.inputs[k] = request.inputs[place.index];
    else if (!isFixed(place))
      made.inputs[k] = inputArgument(place, isRemote);
  }
  for (size_t k = 0; k < layout.outputs.size(); ++k) {
    const Place &place = layout.outputs[k];
    if (place.kind == Kind::output)
      made.outputs[k] = request.outputs[place.index];
    else if (!isFixed(place))
      made.outputs[k] = outputArgument(place, isRemote);
  }
  made.measureTiming = request.measureTiming;
  made.measureOperations = request.measureOperations;
  made.deadline = request.deadline;
  made.loopTimeout = request.loopTimeout;
}

/// Shapes of outputs that no step has reported are those of the model.
void Execution::initShapes() {
  const std::vector<InterfaceTensor> &outputs = compound.interface.outputs;
  result.outputShapes.resize(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    result.outputShapes[i].dimensions = outputs[i].dimensions;
    result.outputShapes[i].isSufficient = true;
  }
  result.timing = {};
  result.copiedBytes = 0;
  result.operationTimes.clear();
}

/// Fails with a failure that only another execution of the whole model helps.
Status Execution::broken(Status cause) {
  isBroken = true;
  return cause;
}

/// Adds the times of the operations of a step of the main subgraph.
void Execution::takeTimes(uint32_t number) {
  const PartitionStep &step = compound.plan.steps[number];
  const std::vector<uint64_t> &times = run.results[number].operationTimes;
  if (!request.measureOperations || step.frame != 0 ||
      times.size() != step.operations.size())
    return;
  result.operationTimes.resize(compound.plan.assignments.size());
  for (size_t i = 0; i < times.size(); ++i)
    result.operationTimes[step.operations[i]] = times[i];
}

/// Takes over the shapes of outputs of the model. Memory that was too small is
/// the caller's to enlarge if it is his (I-044).
Status Execution::finishStep(uint32_t number, Status status) {
  const StepLayout &layout = compound.layout.steps[number];
  const ExecutionResult &reported = run.results[number];
  bool isTooSmall = status.code() == StatusCode::outputInsufficientSize;
  if (!status.isOk() && !isTooSmall)
    return status;
  bool isCallers = false;
  for (size_t k = 0;
       k < std::min(layout.outputs.size(), reported.outputShapes.size()); ++k) {
    Place place = resolve(layout.outputs[k]);
    if (place.kind != Kind::output)
      continue;
    result.outputShapes[place.index] = reported.outputShapes[k];
    isCallers = isCallers || !reported.outputShapes[k].isSufficient;
  }
  if (isTooSmall && !isCallers)
    return failure("step {}: a value between steps outgrew its memory: {}",
                   number, status.message());
  if (status.isOk()) {
    if (request.measureTiming)
      result.timing = reported.timing;
    result.copiedBytes += reported.copiedBytes;
    takeTimes(number);
  }
  return status;
}

Status Execution::executeStep(uint32_t number) {
  // A deadline that is found missed between steps is final (I-045).
  if (request.deadline != noDeadline && compound.clock() >= request.deadline)
    return Status(
        number == 0 ? StatusCode::missedDeadlinePersistent
                    : StatusCode::missedDeadlineTransient,
        fmt::format("the deadline had passed before step {} began", number));
  bind(number);
  Status status =
      executor.execute(number, run.requests[number], run.results[number]);
  status = finishStep(number, std::move(status));
  if (status.isOk() || status.code() == StatusCode::outputInsufficientSize)
    return status;
  if (!fallback.isAllowed())
    return status;
  // A step that the fallback device fails at is tried with the whole model
  // (I-048).
  if (fallback.isOn(compound.steps[number].device))
    return broken(std::move(status));
  return repeatStep(number, status);
}

/// Executes a step once more, on the fallback device (I-042). What fails there,
/// or cannot be prepared, is left to an execution of the whole model (I-043).
Status Execution::repeatStep(uint32_t number, const Status &cause) {
  TraceSection section(fallback.tracer(), TraceLayer::runtime,
                       TracePhase::execution, "step on the fallback device");
  PreparedModelRef prepared = fallback.stepModel(compound.plan, number);
  if (!prepared)
    return broken(cause);
  Request &own = run.requests[number];
  auto describe = [&](bool isInput, size_t k) {
    const StepLayout &layout = compound.layout.steps[number];
    const Place &place = (isInput ? layout.inputs : layout.outputs)[k];
    return BufferArgument{compound.steps[number].device, place.size};
  };
  BufferCopies copies;
  if (!copies.begin(compound.findBuffer, describe, own).isOk())
    return broken(cause);
  Status status = prepared->execute(own, run.results[number]);
  if (status.isOk())
    status = copies.end(run.results[number]);
  status = finishStep(number, std::move(status));
  if (!status.isOk() && status.code() != StatusCode::outputInsufficientSize)
    return broken(cause);
  fallback.noteStep(
      fmt::format(
          "step {} on {}", number,
          compound.plan.candidates[compound.plan.steps[number].device].name),
      cause);
  return status;
}

/// Follows the steps from the first one on.
Status Execution::followSteps() {
  bool isReturn = false;
  for (uint32_t number = 0; number < compound.steps.size();) {
    const PartitionStep &step = compound.plan.steps[number];
    switch (step.kind) {
    case PartitionStep::Kind::execute:
      NNHAL_RETURN_IF_ERROR(executeStep(number));
      ++number;
      break;
    case PartitionStep::Kind::branch: {
      auto condition = readCondition(compound.layout.steps[number].condition);
      if (!condition.isOk())
        return broken(std::move(condition).takeStatus());
      number = step.targets[*condition ? 0 : 1];
      break;
    }
    case PartitionStep::Kind::loop: {
      NNHAL_ASSIGN_OR_RETURN(number, followLoop(number, isReturn));
      break;
    }
    case PartitionStep::Kind::jump:
      // Jumps back are those of loops; the one behind a branch may lead to a
      // loop that begins.
      isReturn = step.targets[0] < number;
      number = step.targets[0];
      continue;
    }
    isReturn = false;
  }
  return Status::ok();
}

Status Execution::start() {
  initShapes();
  Status status = followSteps();
  if (!status.isOk() && status.code() != StatusCode::outputInsufficientSize) {
    result.outputShapes.clear();
    result.timing = {};
  }
  return status;
}
