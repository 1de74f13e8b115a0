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
  kj::Promise<void> prepareModel(PrepareModelContext context) override;
  kj::Promise<void> importMemory(ImportMemoryContext context) override;

private:
  kj::Promise<rt::Status>
  prepare(PrepareModelContext context,
          const std::shared_ptr<Preparation> &preparation);
  rt::Status finish(PrepareModelContext context, Preparation &preparation,
                    rt::Result<rt::PreparedModelRef> prepared);
  kj::Promise<rt::Status> adopt(ImportMemoryContext context,
                                rt::UniqueFd descriptor, Ticket ticket,
                                MemoryTicket bytes);

  const std::shared_ptr<Session> session;
};

} // namespace nnhal::service

#endif // NNHAL_LIB_SERVICE_HOST_DRIVERSERVER_H
