//===- PreparedModelServer.h - A prepared model of a client -----*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVICE_HOST_PREPAREDMODELSERVER_H
#define NNHAL_LIB_SERVICE_HOST_PREPAREDMODELSERVER_H

#include "ClientExecution.h"
#include "Incoming.h"
#include "Session.h"

namespace nnhal::service {

/// A prepared model, which is released with the last capability for it.
class PreparedModelServer final : public wire::PreparedModel::Server {
public:
  /// A capability for \p model, which holds \p memory. hasFixedCost() says
  /// \p isFixed, where the model is known. resourceExhausted* when
  /// the client has too many, or too little memory for what it takes.
  static rt::Result<wire::PreparedModel::Client>
  create(const std::shared_ptr<Session> &session, rt::PreparedModelRef model,
         std::vector<MemoryTicket> memory, bool isFixed);
  /// Use create().
  PreparedModelServer(std::shared_ptr<Session> session,
                      rt::PreparedModelRef model, Ticket ticket, bool isFixed)
      : session(std::move(session)), model(std::move(model)),
        ticket(std::move(ticket)), pace(isFixed) {}
  ~PreparedModelServer() noexcept(false);

  const rt::PreparedModelRef &prepared() const { return model; }

  kj::Promise<void> describe(DescribeContext context) override;
  kj::Promise<void> execute(ExecuteContext context) override;
  kj::Promise<void> executeFenced(ExecuteFencedContext context) override;
  kj::Promise<void> configureBurst(ConfigureBurstContext context) override;
  kj::Promise<void> memoryUse(MemoryUseContext context) override;

private:
  bool isQuick(const ClientExecution &execution) const;
  rt::Status executeHere(ExecuteContext context, ClientExecution execution);
  kj::Promise<rt::Status> executeOnThread(ExecuteContext context,
                                          ClientExecution execution);
  kj::Promise<rt::Status> executeFenced(ExecuteFencedContext context,
                                        std::shared_ptr<Incoming> incoming,
                                        ClientExecution execution);
  kj::Promise<rt::Status>
  configureBurst(ConfigureBurstContext context,
                 const std::shared_ptr<Incoming> &incoming, Ticket ticket);

  const std::shared_ptr<Session> session;
  rt::PreparedModelRef model;
  const Ticket ticket;
  Pace pace;
};

} // namespace nnhal::service

#endif // NNHAL_LIB_SERVICE_HOST_PREPAREDMODELSERVER_H
