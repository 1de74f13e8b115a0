//===- CarelessDevice.cpp - Faults that mutations find --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CarelessDevice.h"

#include "nnhal/Runtime/Fence.h"

using namespace nnhal;
using namespace nnhal::mutations;
using rt::Status;
using rt::StatusCode;

namespace {

/// A fenced execution that had ended before it began.
class EndedExecution final : public rt::FencedExecution {
public:
  rt::FenceRef fence() const override { return nullptr; }
  rt::ExecutionInfo executionInfo() const override { return {}; }
};

/// Says that every execution has succeeded. It has no bursts.
class CarelessModel final : public rt::PreparedModel {
public:
  const rt::Interface &interface() const override { return none; }
  Status execute(const rt::Request &, rt::ExecutionResult &) const override {
    return Status::ok();
  }
  Status executeAsync(rt::Request,
                      rt::ExecutionCallback callback) const override {
    callback(Status::ok(), {});
    return Status::ok();
  }
  rt::Result<std::shared_ptr<rt::FencedExecution>>
  executeFenced(rt::Request, std::vector<rt::FenceRef>,
                std::optional<uint64_t>) const override {
    return std::shared_ptr<rt::FencedExecution>(
        std::make_shared<EndedExecution>());
  }

private:
  rt::Interface none;
};

} // namespace

rt::Result<std::vector<Status>>
CarelessDevice::supportedOperations(const rt::AnnotatedModel &model) const {
  switch (fault) {
  case Carelessness::acceptsModels:
    return std::vector<Status>(model.model.main.operations.size());
  case Carelessness::refusesModels:
    return Status(StatusCode::invalidArgument, "refused");
  case Carelessness::acceptsRequests:
    break;
  }
  return careful->supportedOperations(model);
}

rt::Result<rt::PreparedModelRef>
CarelessDevice::prepareModel(const rt::AnnotatedModel &model,
                             const rt::PrepareOptions &options,
                             const rt::PrepareObserver &observer) const {
  if (fault == Carelessness::refusesModels)
    return Status(StatusCode::invalidArgument, "refused");
  if (fault == Carelessness::acceptsRequests)
    NNHAL_RETURN_IF_ERROR(
        careful->prepareModel(model, options, observer).status());
  return rt::PreparedModelRef(std::make_shared<CarelessModel>());
}

Status CarelessDevice::prepareModelAsync(
    std::shared_ptr<const rt::AnnotatedModel> model,
    const rt::PrepareOptions &options, rt::PrepareCallback callback,
    const rt::PrepareObserver &observer) const {
  rt::Result<rt::PreparedModelRef> prepared =
      prepareModel(*model, options, observer);
  Status status = prepared.status();
  callback(std::move(prepared));
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
