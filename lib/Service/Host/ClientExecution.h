//===- ClientExecution.h - A request of a client ----------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVICE_HOST_CLIENTEXECUTION_H
#define NNHAL_LIB_SERVICE_HOST_CLIENTEXECUTION_H

#include "Session.h"

#include "nnhal/Runtime/Model.h"

#include <chrono>

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
  /// Whether there are buffers of the device, which executions wait for.
  bool hasBuffers() const;
};

/// Whether executions of a model are so short that to wake a thread for one
/// would take longer. Threads: that of the event loop.
class Pace {
public:
  /// \p isFixed says that the values of a request do not change how long its
  /// execution takes.
  explicit Pace(bool isFixed) : isFixed(isFixed) {}

  void note(std::chrono::nanoseconds took) { last = took; }
  bool isShort() const { return isFixed && last <= limit; }

private:
  static constexpr std::chrono::microseconds limit{100};
  const bool isFixed;
  std::chrono::nanoseconds last = std::chrono::nanoseconds::max();
};

/// Whether \p model has neither control flow nor shapes that requests give.
bool hasFixedCost(const rt::Model &model);

} // namespace nnhal::service

#endif // NNHAL_LIB_SERVICE_HOST_CLIENTEXECUTION_H
