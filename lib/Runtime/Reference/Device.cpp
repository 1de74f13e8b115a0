//===- Device.cpp - The device nnhal-reference ------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/ReferenceDevice.h"

#include "../Core/Arguments.h"
#include "Executor.h"

#include "nnhal/Runtime/Validate.h"

#include <cstring>
#include <new>

using namespace nnhal::rt;
using namespace nnhal::rt::reference;

namespace {
using Clock = std::function<int64_t()>;

class ReferencePreparedModel final : public PreparedModel {
public:
  ReferencePreparedModel(const AnnotatedModel &source, Model owned,
                         const ReferenceDeviceOptions &options)
      : model(std::move(owned)), clock(options.clock),
        tensorLimit(options.tensorLimit), face(interfaceOf(source)),
        frames(face, 0) {}

  const Interface &interface() const override { return face; }
  Status execute(const Request &request,
                 ExecutionResult &result) const override;

private:
  Status executeIn(Frame &frame, const Request &request,
                   ExecutionResult &result) const;
  std::vector<Value> inputsOf(const Frame &frame) const;

  Model model;
  Clock clock;
  uint64_t tensorLimit;
  Interface face;
  mutable FramePool frames;
};
} // namespace

std::vector<Value> ReferencePreparedModel::inputsOf(const Frame &frame) const {
  std::vector<Value> values;
  for (size_t i = 0; i < frame.inputs.size(); ++i) {
    const NNHalTensorArgument &argument = frame.inputs[i];
    const Operand &operand = model.main.operands[model.main.inputIndexes[i]];
    Value &value = values.emplace_back();
    value.type = OperandView::of(model, operand).type;
    value.isOmitted = !argument.isPresent;
    if (value.isOmitted)
      continue;
    value.type.isRanked = true;
    value.type.dimensions.assign(argument.shape,
                                 argument.shape + argument.rank);
    value.bytes = {static_cast<const std::byte *>(argument.data),
                   argument.size};
  }
  return values;
}

/// Hands \p value to the caller; notes when it does not fit.
static Status deliver(size_t index, const Value &value,
                      NNHalTensorArgument &argument) {
  if (value.type.dimensions.size() != argument.rank)
    return failure("output {} has rank {}, the model states {}", index,
                   value.type.dimensions.size(), argument.rank);
  for (size_t d = 0; d < argument.rank; ++d) {
    int64_t expected = argument.shape[d];
    if (expected != 0 && expected != value.type.dimensions[d])
      return failure("output {} has extent {} in dimension {}, the request "
                     "states {}",
                     index, value.type.dimensions[d], d, expected);
    argument.shape[d] = value.type.dimensions[d];
  }
  argument.isSufficient = argument.size >= value.bytes.size();
  if (argument.isSufficient && !value.bytes.empty())
    std::memcpy(argument.data, value.bytes.data(), value.bytes.size());
  return Status::ok();
}

Status ReferencePreparedModel::executeIn(Frame &frame, const Request &request,
                                         ExecutionResult &result) const {
  int64_t begin = clock();
  Executor executor(
      model, {request.deadline, request.loopTimeout, clock, tensorLimit});
  NNHAL_ASSIGN_OR_RETURN(std::vector<Value> outputs,
                         executor.run(inputsOf(frame)));
  for (size_t i = 0; i < outputs.size(); ++i)
    NNHAL_RETURN_IF_ERROR(deliver(i, outputs[i], frame.outputs[i]));
  NNHAL_RETURN_IF_ERROR(collectOutputs(face, frame, result.outputShapes));
  if (request.measureTiming) {
    result.timing.timeOnDevice = uint64_t(clock() - begin) / 1000;
    result.timing.timeInDriver = result.timing.timeOnDevice;
  }
  return Status::ok();
}

Status ReferencePreparedModel::execute(const Request &request,
                                       ExecutionResult &result) const {
  result.timing = {};
  result.outputShapes.clear();
  if (clock() >= request.deadline)
    return Status(StatusCode::missedDeadlinePersistent, // D-016
                  "the deadline had passed before the execution began");
  try {
    auto lease = frames.take();
    if (!lease.isOk())
      return std::move(lease).takeStatus();
    Status bound = bindArguments(face, request, **lease);
    if (bound.code() == StatusCode::outputInsufficientSize)
      return collectOutputs(face, **lease, result.outputShapes);
    NNHAL_RETURN_IF_ERROR(std::move(bound));
    Status status = executeIn(**lease, request, result);
    if (!status.isOk() && status.code() != StatusCode::outputInsufficientSize)
      result.outputShapes.clear();
    return status;
  } catch (const std::bad_alloc &) {
    result.outputShapes.clear();
    return outOfResources("no memory to execute the model");
  }
}

/// \p model with pools whose bytes are in reach and belong to the copy.
static Result<Model> ownedCopy(const Model &model) {
  Model copy = model;
  for (Pool &pool : copy.pools) {
    NNHAL_ASSIGN_OR_RETURN(pool.memory, pool.memory.snapshot());
    if (std::holds_alternative<Memory::Borrowed>(pool.memory.kind())) {
      NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> bytes,
                             pool.memory.bytes());
      pool.memory = Memory::copy(bytes);
    }
  }
  return copy;
}

static Status checkSupport(const Operation &operation) {
  if (operation.type == OperationType::IF ||
      operation.type == OperationType::WHILE || lookUpKernel(operation.type))
    return Status::ok();
  return badData("nnhal-reference has no kernel for {}",
                 nameOf(operation.type));
}

namespace {
class ReferenceDevice final : public Device {
public:
  explicit ReferenceDevice(ReferenceDeviceOptions given)
      : options(std::move(given)) {
    if (!options.clock)
      options.clock = steadyNow;
  }

  std::string_view name() const override { return "nnhal-reference"; }
  std::string_view version() const override { return NNHAL_VERSION; }
  DeviceType type() const override { return DeviceType::cpu; }
  HalVersion halVersion() const override { return HalVersion::V1_3; }

  Result<std::vector<Status>>
  supportedOperations(const AnnotatedModel &annotated) const override {
    const Model &model = annotated.model;
    NNHAL_RETURN_IF_ERROR(validateModel(model, model.halVersion));
    std::vector<Status> answers;
    answers.reserve(model.main.operations.size());
    for (const Operation &operation : model.main.operations)
      answers.push_back(checkSupport(operation));
    return answers;
  }

  Result<std::shared_ptr<PreparedModel>>
  prepareModel(const AnnotatedModel &annotated,
               const PrepareOptions &prepare) const override {
    const Model &model = annotated.model;
    NNHAL_RETURN_IF_ERROR(validateModel(model, model.halVersion));
    for (const Operation &operation : model.main.operations)
      NNHAL_RETURN_IF_ERROR(checkSupport(operation));
    for (const Subgraph &subgraph : model.referenced)
      for (const Operation &operation : subgraph.operations)
        NNHAL_RETURN_IF_ERROR(checkSupport(operation));
    try {
      NNHAL_ASSIGN_OR_RETURN(Model owned, ownedCopy(model));
      return std::shared_ptr<PreparedModel>(
          std::make_shared<ReferencePreparedModel>(annotated, std::move(owned),
                                                   options));
    } catch (const std::bad_alloc &) {
      return outOfResources("no memory for the model");
    }
  }

  Result<std::shared_ptr<PreparedModel>>
  prepareModelFromCache(std::span<const std::byte>,
                        const Memory &) const override {
    return badData("nnhal-reference keeps no compiled models");
  }

private:
  ReferenceDeviceOptions options;
};
} // namespace

std::unique_ptr<Device>
nnhal::rt::createReferenceDevice(ReferenceDeviceOptions options) {
  return std::make_unique<ReferenceDevice>(std::move(options));
}
