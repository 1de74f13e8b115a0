//===- CarelessDevice.cpp - Faults that mutations find --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CarelessDevice.h"

#include "Runtime/Burst/BurstServer.h"
#include "nnhal/Runtime/Fence.h"
#include "nnhal/Runtime/SharedMemory.h"

#include <mutex>

using namespace nnhal;
using namespace nnhal::mutations;
using rt::Status;
using rt::StatusCode;

namespace {

/// A fenced execution that had ended before it began, or does not end.
class FencedStub final : public rt::FencedExecution {
public:
  FencedStub(rt::FenceRef signal, rt::ExecutionInfo info)
      : signal(std::move(signal)), info(std::move(info)) {}

  rt::FenceRef fence() const override { return signal; }
  rt::ExecutionInfo executionInfo() const override { return info; }

private:
  const rt::FenceRef signal;
  const rt::ExecutionInfo info;
};

/// A prepared model over another one, which is null where every execution is
/// said to have succeeded. Only the models that write where they must not have
/// bursts: all others execute what a client's burst is given by execute().
class CarelessModel final : public rt::PreparedModel,
                            public std::enable_shared_from_this<CarelessModel> {
public:
  CarelessModel(rt::PreparedModelRef careful, Carelessness fault)
      : careful(std::move(careful)), fault(fault) {}
  ~CarelessModel() override {
    for (const rt::ExecutionCallback &callback : again)
      callback(Status::ok(), {});
  }

  const rt::Interface &interface() const override {
    return careful ? careful->interface() : none;
  }
  Status execute(const rt::Request &request,
                 rt::ExecutionResult &result) const override;
  Status executeAsync(rt::Request request,
                      rt::ExecutionCallback callback) const override;
  rt::Result<std::shared_ptr<rt::FencedExecution>>
  executeFenced(rt::Request request, std::vector<rt::FenceRef> waitFor,
                std::optional<uint64_t> durationAfterFence) const override;
  rt::Result<std::unique_ptr<rt::BurstContext>>
  configureBurst(std::shared_ptr<rt::BurstCallback> callback,
                 rt::BurstChannels channels) const override;

private:
  bool isWriter() const {
    return fault == Carelessness::writesBehindOutputs ||
           fault == Carelessness::writesBeforeOutputs;
  }
  void writeOutside(const rt::OutputMemory &output) const;

  const rt::PreparedModelRef careful;
  const Carelessness fault;
  rt::Interface none;
  mutable std::mutex mutex;
  mutable std::vector<rt::ExecutionCallback> again;
};

} // namespace

/// Changes a byte next to \p output where there is one: memory that is borrowed
/// has one behind it, a region has one on each side.
void CarelessModel::writeOutside(const rt::OutputMemory &output) const {
  bool isBehind = fault == Carelessness::writesBehindOutputs;
  if (const auto *borrowed =
          std::get_if<rt::OutputMemory::Borrowed>(&output.kind())) {
    if (isBehind)
      borrowed->data[borrowed->size] = {};
    return;
  }
  const auto *region = std::get_if<rt::OutputMemory::Region>(&output.kind());
  if (!region)
    return;
  auto bytes = region->pool->mapForWriting();
  if (!bytes.isOk() || region->offset >= bytes->size() ||
      region->size >= bytes->size() - region->offset)
    return;
  if (isBehind)
    (*bytes)[region->offset + region->size] = {};
  else if (region->offset > 0)
    (*bytes)[region->offset - 1] = {};
}

Status CarelessModel::execute(const rt::Request &request,
                              rt::ExecutionResult &result) const {
  if (!careful)
    return Status::ok();
  Status status = careful->execute(request, result);
  if (isWriter())
    for (const rt::OutputArgument &output : request.outputs)
      writeOutside(output.memory);
  if (status.isOk())
    return status;
  if (fault == Carelessness::reportsDurations)
    result.timing = {1, 2};
  if (fault == Carelessness::reportsShapes)
    result.outputShapes.resize(request.outputs.size());
  return status;
}

Status CarelessModel::executeAsync(rt::Request request,
                                   rt::ExecutionCallback callback) const {
  if (fault == Carelessness::neverCallsBack)
    return Status::ok();
  rt::ExecutionResult result;
  Status status = execute(request, result);
  callback(std::move(status), result);
  if (fault == Carelessness::callsBackTwice) {
    std::lock_guard lock(mutex);
    again.push_back(std::move(callback));
  }
  return Status::ok();
}

rt::Result<std::shared_ptr<rt::FencedExecution>>
CarelessModel::executeFenced(rt::Request request,
                             std::vector<rt::FenceRef> waitFor,
                             std::optional<uint64_t> durationAfterFence) const {
  rt::FenceRef signal;
  rt::ExecutionInfo info;
  if (fault == Carelessness::neverSignals) {
    NNHAL_ASSIGN_OR_RETURN(signal, rt::Fence::create());
    info.status = Status(StatusCode::generalFailure, "it has not ended");
  } else if (fault == Carelessness::hidesFailures) {
    // The fence tells of the failure, and the information does not.
    NNHAL_ASSIGN_OR_RETURN(signal, rt::Fence::create());
    rt::ExecutionResult result;
    signal->complete(execute(request, result));
  } else if (fault == Carelessness::reportsDurations) {
    rt::ExecutionResult result;
    info.status = execute(request, result);
    info.timingFenced = result.timing;
  } else if (careful) {
    NNHAL_ASSIGN_OR_RETURN(auto execution,
                           careful->executeFenced(std::move(request),
                                                  std::move(waitFor),
                                                  durationAfterFence));
    // A judge with little patience is only to be let down by the fault.
    if (rt::FenceRef fence = execution->fence())
      (void)fence->wait(rt::noDeadline);
    return execution;
  }
  return std::shared_ptr<rt::FencedExecution>(
      std::make_shared<FencedStub>(std::move(signal), std::move(info)));
}

rt::Result<std::unique_ptr<rt::BurstContext>>
CarelessModel::configureBurst(std::shared_ptr<rt::BurstCallback> callback,
                              rt::BurstChannels channels) const {
  if (!isWriter())
    return rt::PreparedModel::configureBurst(std::move(callback),
                                             std::move(channels));
  return rt::serveBurst(
      rt::createBurstExecutor(shared_from_this(), rt::BurstCache::memories),
      std::move(callback), std::move(channels));
}

/// Calls the callback of the last preparation once more.
void CarelessDevice::callBackAgain() const {
  if (rt::PrepareCallback callback = std::exchange(again, nullptr))
    callback(Status(StatusCode::invalidArgument, "again"));
}

rt::Result<std::vector<Status>>
CarelessDevice::supportedOperations(const rt::AnnotatedModel &model) const {
  callBackAgain();
  if (fault == Carelessness::acceptsModels)
    return std::vector<Status>(model.model.main.operations.size());
  if (fault == Carelessness::refusesModels)
    return Status(StatusCode::invalidArgument, "refused");
  return careful->supportedOperations(model);
}

rt::Result<rt::PreparedModelRef>
CarelessDevice::prepareModel(const rt::AnnotatedModel &model,
                             const rt::PrepareOptions &options,
                             const rt::PrepareObserver &observer) const {
  if (fault == Carelessness::refusesModels)
    return Status(StatusCode::invalidArgument, "refused");
  rt::PreparedModelRef prepared;
  if (fault != Carelessness::acceptsModels) {
    NNHAL_ASSIGN_OR_RETURN(prepared,
                           careful->prepareModel(model, options, observer));
  }
  if (fault == Carelessness::acceptsRequests)
    prepared = nullptr;
  return rt::PreparedModelRef(
      std::make_shared<CarelessModel>(std::move(prepared), fault));
}

Status CarelessDevice::prepareModelAsync(
    std::shared_ptr<const rt::AnnotatedModel> model,
    const rt::PrepareOptions &options, rt::PrepareCallback callback,
    const rt::PrepareObserver &observer) const {
  rt::Result<rt::PreparedModelRef> prepared =
      prepareModel(*model, options, observer);
  Status status = prepared.status();
  if (fault == Carelessness::neverCallsBack)
    return status;
  callback(std::move(prepared));
  if (fault == Carelessness::callsBackTwice)
    again = std::move(callback);
  return status;
}

static Status unused() {
  return Status(StatusCode::generalFailure, "mutations do not ask for it");
}

rt::Result<rt::PreparedModelRef> CarelessDevice::prepareModelFromCache(
    const rt::CacheHandles &, const rt::CacheToken &,
    const rt::PrepareOptions &, const rt::PrepareObserver &) const {
  return unused();
}

rt::Result<rt::PreparedModelRef>
CarelessDevice::prepareModelFromArtifact(std::span<const std::byte>,
                                         const rt::Memory &,
                                         const rt::PrepareOptions &) const {
  return unused();
}

rt::Result<std::shared_ptr<rt::Buffer>> CarelessDevice::allocate(
    const rt::BufferDesc &, std::span<const rt::PreparedModelRef>,
    std::span<const rt::BufferRole>, std::span<const rt::BufferRole>) const {
  return unused();
}
