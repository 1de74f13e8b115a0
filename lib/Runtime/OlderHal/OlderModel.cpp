//===- OlderModel.cpp - Prepared models of older devices ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OlderModel.h"
#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/Compliance.h"

#include <algorithm>

using namespace nnhal::rt;

std::shared_ptr<Reactor> OlderState::reactor() {
  std::lock_guard lock(mutex);
  if (!sharedReactor)
    sharedReactor = Reactor::create();
  return sharedReactor;
}

Status OlderState::convert(Status status) const {
  // Death is not a status of the HAL: the connection tells it.
  if (status.isOk() || status.code() == StatusCode::deadObject)
    return status;
  StatusCode code = convertTo(status.code(), version);
  if (version < HalVersion::V1_2 && code == StatusCode::outputInsufficientSize)
    code = StatusCode::generalFailure;
  return code == status.code() ? status : Status(code, status.message());
}

static bool isKnown(const InterfaceTensor &tensor,
                    const std::vector<uint32_t> &stated) {
  const std::vector<uint32_t> &dimensions =
      stated.empty() ? tensor.dimensions : stated;
  if (dimensions.empty())
    return !hasUnknownRank(tensor);
  for (size_t i = 0; i < dimensions.size(); ++i)
    if (dimensions[i] == 0 &&
        (i >= tensor.dimensions.size() || tensor.dimensions[i] == 0))
      return false;
  return true;
}

Status OlderModel::checkOutputs(const Request &request) const {
  const std::vector<InterfaceTensor> &outputs = interface().outputs;
  size_t count = std::min(outputs.size(), request.outputs.size());
  for (size_t i = 0; i < count; ++i)
    if (!isKnown(outputs[i], request.outputs[i].dimensions))
      return badData("output {}: the shape is not known, which HAL {} needs", i,
                     toString(state->version));
  return Status::ok();
}

Status OlderModel::convert(Request &request) const {
  // The device never sees it (B-092).
  if (Status status = checkCompliance(request, state->version); !status.isOk())
    return {StatusCode::generalFailure, status.message()};
  request.deadline = noDeadline;
  request.loopTimeout = defaultLoopTimeout;
  if (state->version >= HalVersion::V1_2)
    return Status::ok();
  request.measureTiming = false;
  return checkOutputs(request);
}

std::vector<OutputShape>
OlderModel::statedShapes(const Request &request) const {
  const std::vector<InterfaceTensor> &outputs = interface().outputs;
  std::vector<OutputShape> shapes;
  for (size_t i = 0; i < request.outputs.size(); ++i) {
    OutputShape shape = {request.outputs[i].dimensions, true};
    if (shape.dimensions.empty())
      shape.dimensions = outputs[i].dimensions;
    for (size_t d = 0; d < shape.dimensions.size(); ++d)
      if (shape.dimensions[d] == 0)
        shape.dimensions[d] = outputs[i].dimensions[d];
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

/// Executes \p request, which convert() has passed.
Status OlderModel::launch(Request request, ExecutionCallback callback) const {
  if (!callback)
    return model->executeAsync(std::move(request), nullptr);
  if (state->version >= HalVersion::V1_2)
    return state->convert(model->executeAsync(
        std::move(request), [state = state, callback = std::move(callback)](
                                Status status, const ExecutionResult &result) {
          callback(state->convert(std::move(status)), result);
        }));
  // The number of outputs is not checked yet: the newer device does that.
  std::vector<OutputShape> shapes;
  if (request.outputs.size() == interface().outputs.size())
    shapes = statedShapes(request);
  return state->convert(model->executeAsync(
      std::move(request),
      [state = state, shapes = std::move(shapes),
       callback = std::move(callback)](Status status,
                                       const ExecutionResult &full) mutable {
        // The callback of 1.0 has nothing but a status (D-001).
        ExecutionResult result;
        if (status.isOk())
          result.outputShapes = std::move(shapes);
        result.copiedBytes = full.copiedBytes;
        result.operationTimes = full.operationTimes;
        callback(state->convert(std::move(status)), result);
      }));
}

Status OlderModel::execute(const Request &request,
                           ExecutionResult &result) const {
  Request converted = request;
  result = {};
  NNHAL_RETURN_IF_ERROR(convert(converted));
  if (state->version >= HalVersion::V1_2)
    return state->convert(model->execute(converted, result));
  using Outcome = std::pair<Status, ExecutionResult>;
  auto outcome = await<Outcome>([&](const auto &done) {
    return launch(std::move(converted),
                  [done](Status status, const ExecutionResult &reported) {
                    done({std::move(status), reported});
                  });
  });
  if (!outcome.isOk())
    return outcome.status();
  result = std::move(outcome->second);
  return std::move(outcome->first);
}

Status OlderModel::executeAsync(Request request,
                                ExecutionCallback callback) const {
  if (callback)
    if (Status status = convert(request); !status.isOk()) {
      callback(status, {});
      return status;
    }
  return launch(std::move(request), std::move(callback));
}

Result<std::shared_ptr<FencedExecution>>
OlderModel::executeFenced(Request request, std::vector<FenceRef> waitFor,
                          std::optional<uint64_t>) const {
  NNHAL_RETURN_IF_ERROR(convert(request));
  NNHAL_RETURN_IF_ERROR(checkOutputs(request));
  return executeAfter(std::move(waitFor), std::move(request),
                      shared_from_this(), state);
}

Result<std::unique_ptr<BurstContext>>
OlderModel::configureBurst(std::shared_ptr<BurstCallback> callback,
                           BurstChannels channels) const {
  if (state->version < HalVersion::V1_2)
    return PreparedModel::configureBurst(std::move(callback),
                                         std::move(channels));
  return model->configureBurst(std::move(callback), std::move(channels));
}
