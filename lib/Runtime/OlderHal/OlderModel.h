//===- OlderModel.h - Prepared models of older devices ----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_OLDERHAL_OLDERMODEL_H
#define NNHAL_LIB_RUNTIME_OLDERHAL_OLDERMODEL_H

#include "nnhal/Runtime/Device.h"
#include "nnhal/Runtime/Reactor.h"

#include <future>
#include <memory>
#include <mutex>
#include <utility>

namespace nnhal::rt {

/// The version of a device, and what all of its models share.
///
/// Threads: any.
class OlderState {
public:
  OlderState(HalVersion version, std::shared_ptr<Reactor> reactor)
      : version(version), sharedReactor(std::move(reactor)) {}

  /// The reactor, which is made when nobody gave one.
  std::shared_ptr<Reactor> reactor();

  /// Returns \p status as the version states it.
  Status convert(Status status) const;

  const HalVersion version;

private:
  std::mutex mutex;
  std::shared_ptr<Reactor> sharedReactor;
};

/// Calls \p launch with a function that takes the outcome, once, from any
/// thread, and waits for that. \p launch returns whether the outcome will come.
template <typename Outcome, typename Launch>
Result<Outcome> await(Launch launch) {
  auto promise = std::make_shared<std::promise<Outcome>>();
  std::future<Outcome> future = promise->get_future();
  NNHAL_RETURN_IF_ERROR(launch(
      [promise](Outcome outcome) { promise->set_value(std::move(outcome)); }));
  return future.get();
}

/// A prepared model of a newer device, which is executed as the older version
/// can.
class OlderModel final : public PreparedModel,
                         public std::enable_shared_from_this<OlderModel> {
public:
  OlderModel(std::shared_ptr<OlderState> state, PreparedModelRef model)
      : state(std::move(state)), model(std::move(model)) {}

  const Interface &interface() const override { return model->interface(); }
  MemoryUse memoryUse() const override { return model->memoryUse(); }
  Status execute(const Request &request,
                 ExecutionResult &result) const override;
  Status executeAsync(Request request,
                      ExecutionCallback callback) const override;
  Result<std::shared_ptr<FencedExecution>>
  executeFenced(Request request, std::vector<FenceRef> waitFor,
                std::optional<uint64_t> durationAfterFence) const override;
  Result<std::unique_ptr<BurstContext>>
  configureBurst(std::shared_ptr<BurstCallback> callback,
                 BurstChannels channels) const override;

private:
  /// Takes away what the version cannot say. Fails when something is left that
  /// it cannot say either.
  Status convert(Request &request) const;
  /// Fails when the shape of an output is not known from \p request.
  Status checkOutputs(const Request &request) const;
  /// The shapes that \p request and model state.
  std::vector<OutputShape> statedShapes(const Request &request) const;
  Status launch(Request request, ExecutionCallback callback) const;

  const std::shared_ptr<OlderState> state;
  const PreparedModelRef model;
};

/// Executes \p request when \p waitFor have signaled. \p model has converted
/// the request.
Result<std::shared_ptr<FencedExecution>>
executeAfter(std::vector<FenceRef> waitFor, Request request,
             std::shared_ptr<const PreparedModel> model,
             const std::shared_ptr<OlderState> &state);

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_OLDERHAL_OLDERMODEL_H
