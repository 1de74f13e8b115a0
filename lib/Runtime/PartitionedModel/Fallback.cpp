//===- Fallback.cpp - Another device for what has failed ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fallback.h"

#include "Runtime/Partition/CostModel.h"
#include "Runtime/Partition/StepModel.h"
#include "Runtime/Support/Errors.h"
#include "Runtime/Support/LogFormat.h"
#include "nnhal/Runtime/Trace.h"

#include <algorithm>

using namespace nnhal::rt;
using namespace nnhal::rt::partition;

Fallback::Fallback(std::shared_ptr<const AnnotatedModel> model,
                   const Device *device, const PartitionOptions &options)
    : model(std::move(model)), device(device), options(options.prepare),
      log(options.log), trace(options.tracer) {
  // The deadline and the files are those of the preparation that is over.
  this->options.deadline = noDeadline;
  this->options.cache = {};
  this->options.contentKey.reset();
}

PreparedModelRef Fallback::prepare(const AnnotatedModel &prepared) {
  Result<PreparedModelRef> made = device->prepareModel(prepared, options);
  if (made.isOk() && !*made)
    made = failure("the fallback device has prepared nothing");
  if (made.isOk())
    return *std::move(made);
  // The caller hears of what it was to help out of.
  if (log)
    writeError(*log, "{} cannot step in: {}", device->name(),
               made.status().message());
  return nullptr;
}

PreparedModelRef Fallback::stepModel(const PartitionPlan &plan, uint32_t step) {
  // Held while preparing: other executions need the same.
  std::lock_guard lock(mutex);
  PreparedModelRef &known = steps[step];
  if (!known) {
    const PartitionStep &stated = plan.steps[step];
    const Subgraph &subgraph = subgraphOf(model->model, stated.subgraph);
    known = prepare(extractStep(*model, stated.subgraph, stated.operations,
                                boundaryOf(subgraph, stated.operations)));
  }
  return known;
}

static bool isForeign(OperandType type) {
  return isExtension(type) || type == OperandType::OEM ||
         type == OperandType::TENSOR_OEM_BYTE;
}

static bool hasForeignParts(const Model &model) {
  for (uint32_t i = 0; i <= model.referenced.size(); ++i) {
    const Subgraph &subgraph = subgraphOf(model, i);
    for (const Operation &operation : subgraph.operations)
      if (!lookUp(operation.type))
        return true;
    for (const Operand &operand : subgraph.operands)
      if (isForeign(operand.type))
        return true;
  }
  return false;
}

PreparedModelRef Fallback::wholeModel() {
  std::lock_guard lock(mutex);
  if (!whole && !hasForeignParts(model->model))
    whole = prepare(*model);
  return whole;
}

/// Called with the lock held.
void Fallback::note(std::string_view event, const Status &cause) {
  bool isFirst = events.firstCause.isOk();
  if (isFirst)
    events.firstCause = cause;
  if (isFirst && log)
    writeError(*log, "{} falls back to {}: {}: {}", event, device->name(),
               toString(cause.code()), cause.message());
  if (trace)
    trace->addCounter("fallbacks", int64_t(events.steps + events.models +
                                           uint64_t(events.atPreparation)));
}

void Fallback::notePreparation(const Status &cause) {
  std::lock_guard lock(mutex);
  events.atPreparation = true;
  note("the preparation of a divided model", cause);
}

void Fallback::noteStep(std::string_view failed, const Status &cause) {
  std::lock_guard lock(mutex);
  ++events.steps;
  note(failed, cause);
}

void Fallback::noteModel(const Status &cause) {
  std::lock_guard lock(mutex);
  ++events.models;
  note("the execution of a divided model", cause);
}

FallbackReport Fallback::report() const {
  std::lock_guard lock(mutex);
  return events;
}

const Device *
nnhal::rt::partition::allowedFallback(std::span<const Device *const> devices,
                                      const Device *fallback,
                                      const PartitionOptions &options) {
  if (options.mode != PartitionMode::withFallback)
    return nullptr;
  // A device that was not listed steps in for nobody (I-016).
  if (options.isExplicit && std::ranges::count(devices, fallback) == 0)
    return nullptr;
  return fallback;
}
