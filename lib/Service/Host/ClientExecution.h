//===- ClientExecution.h - A request of a client ----------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVICE_HOST_CLIENTEXECUTION_H
#define NNHAL_LIB_SERVICE_HOST_CLIENTEXECUTION_H

#include "Session.h"

namespace nnhal::service {

/// A request of a client, with its share of the quotas.
struct ClientExecution {
  rt::Request request;
  Ticket ticket;

  /// Reads \p wire. invalidArgument for memories and buffers that are not the
  /// client's, resourceExhausted* when too many executions are under way,
  /// deviceUnavailable when the host drains.
  static rt::Result<ClientExecution> begin(Session &session,
                                           wire::Request::Reader wire);

  /// Whether all pools are memory, of which the system knows everything
  /// without asking whoever serves a file.
  bool isInMemory() const;
};

} // namespace nnhal::service

#endif // NNHAL_LIB_SERVICE_HOST_CLIENTEXECUTION_H
