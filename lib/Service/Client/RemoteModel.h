//===- RemoteModel.h - A prepared model of a service ------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVICE_CLIENT_REMOTEMODEL_H
#define NNHAL_LIB_SERVICE_CLIENT_REMOTEMODEL_H

#include "Session.h"

#include "Runtime/Burst/Staging.h"
#include "nnhal/Runtime/Device.h"

#include <memory>
#include <mutex>
#include <vector>

namespace nnhal::service::client {

/// The staging memories of one model: one for each execution, of which some are
/// kept for the next ones. Threads: any.
class Stagings {
public:
  explicit Stagings(const rt::Interface &interface) : interface(interface) {}

  /// Gives the staging back when it is destroyed.
  using Lease =
      std::unique_ptr<rt::Staging, std::function<void(rt::Staging *)>>;
  Lease take();
  /// Takes over what take() gave, where its lease was released.
  void giveBack(rt::Staging *returned);

private:
  static constexpr size_t maxUnused = 8;

  const rt::Interface &interface;
  std::mutex mutex;
  std::vector<std::unique_ptr<rt::Staging>> unused;
};

/// The things that a service returns of a preparation.
struct RemoteParts {
  OnLoop<wire::PreparedModel::Client> capability;
  rt::Interface interface;
  rt::MemoryUse use;
};

/// A prepared model of a service. When the connection is lost it answers
/// deadObject for ever (C-082).
class RemoteModel final : public rt::PreparedModel,
                          public std::enable_shared_from_this<RemoteModel> {
public:
  RemoteModel(std::shared_ptr<Session> session, RemoteParts parts);

  const rt::Interface &interface() const override { return parts.interface; }
  rt::MemoryUse memoryUse() const override;
  rt::Status execute(const rt::Request &request,
                     rt::ExecutionResult &result) const override;
  rt::Status executeAsync(rt::Request request,
                          rt::ExecutionCallback callback) const override;
  rt::Result<std::shared_ptr<rt::FencedExecution>>
  executeFenced(rt::Request request, std::vector<rt::FenceRef> waitFor,
                std::optional<uint64_t> durationAfterFence) const override;
  rt::Result<std::unique_ptr<rt::BurstContext>>
  configureBurst(std::shared_ptr<rt::BurstCallback> callback,
                 rt::BurstChannels channels) const override;

  const std::shared_ptr<Session> &owner() const { return session; }
  /// Only on the loop's thread.
  wire::PreparedModel::Client &client() const { return *parts.capability; }

private:
  /// The end of an execution, as the service tells it.
  struct Answer {
    rt::Status status;
    bool isLaunched = false;
    rt::ExecutionResult result;
  };
  struct Run;
  struct FencedAnswer;

  /// A staging memory that keeps this model.
  std::shared_ptr<rt::Staging> shareStaging() const;
  kj::Promise<rt::Result<Answer>> send(Session::Wire &wire,
                                       const rt::Request &request,
                                       const rt::Staging &staging,
                                       wire::Launch::Client launch) const;
  kj::Promise<rt::Status> start(Session::Wire &wire,
                                const std::shared_ptr<Run> &run) const;
  kj::Promise<rt::Result<FencedAnswer>>
  sendFenced(Session::Wire &wire, const rt::Request &request,
             const rt::Staging &staging,
             const std::vector<rt::FenceRef> &waitFor,
             std::optional<uint64_t> durationAfterFence) const;
  rt::Status finish(const rt::Request &request, rt::Staging &staging,
                    rt::Result<Answer> answer,
                    rt::ExecutionResult &result) const;

  const std::shared_ptr<Session> session;
  const RemoteParts parts;
  mutable Stagings stagings;
};

/// Whether the pools of \p request have descriptors.
rt::Status checkPools(const rt::Request &request);
/// Makes the pools of \p request known, that of \p staging included.
kj::Promise<rt::Status> makePoolsKnown(Memories &memories,
                                       const rt::Request &request,
                                       const rt::Staging &staging);
/// Fills the message of \p request, whose pools are known.
void fillRequest(const rt::Request &request, const rt::Staging &staging,
                 const Memories &memories, wire::Request::Builder builder);

} // namespace nnhal::service::client

#endif // NNHAL_LIB_SERVICE_CLIENT_REMOTEMODEL_H
