//===- DriverServer.h - A device for one client -----------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVICE_HOST_DRIVERSERVER_H
#define NNHAL_LIB_SERVICE_HOST_DRIVERSERVER_H

#include "Preparation.h"
#include "Session.h"

namespace nnhal::service {

/// The bootstrap capability of a client.
class DriverServer final : public wire::Driver::Server {
public:
  explicit DriverServer(std::shared_ptr<Session> session)
      : session(std::move(session)) {}

  kj::Promise<void> describe(DescribeContext context) override;
  kj::Promise<void> status(StatusContext context) override;
  kj::Promise<void>
  supportedOperations(SupportedOperationsContext context) override;
  kj::Promise<void> prepareModel(PrepareModelContext context) override;
  kj::Promise<void>
  prepareModelFromCache(PrepareModelFromCacheContext context) override;
  kj::Promise<void>
  prepareModelFromArtifact(PrepareModelFromArtifactContext context) override;
  kj::Promise<void> allocate(AllocateContext context) override;
  kj::Promise<void> importMemory(ImportMemoryContext context) override;
  kj::Promise<void> trace(TraceContext context) override;

private:
  using Prepared = rt::Result<rt::PreparedModelRef>;
  using PreparationRef = std::shared_ptr<Preparation>;

  kj::Promise<rt::Status> prepare(PrepareModelContext context,
                                  const PreparationRef &preparation);
  kj::Promise<rt::Status> load(PrepareModelFromCacheContext context,
                               const PreparationRef &preparation);
  kj::Promise<rt::Status> load(PrepareModelFromArtifactContext context,
                               const PreparationRef &preparation);
  rt::Status checkArtifacts() const;
  /// Ends \p preparation and gives the client the model.
  template <typename Context>
  rt::Status finish(Context context, Preparation &preparation,
                    Prepared prepared);
  kj::Promise<rt::Status> allocate(AllocateContext context,
                                   std::vector<rt::PreparedModelRef> models);
  kj::Promise<rt::Status> adopt(ImportMemoryContext context,
                                rt::UniqueFd descriptor, Ticket ticket,
                                MemoryTicket bytes);

  const std::shared_ptr<Session> session;
};

} // namespace nnhal::service

#endif // NNHAL_LIB_SERVICE_HOST_DRIVERSERVER_H
