//===- Connection.h - Messages of a client that is not trusted --*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVICE_HOST_CONNECTION_H
#define NNHAL_LIB_SERVICE_HOST_CONNECTION_H

#include "nnhal/Runtime/Memory.h"

#include <capnp/rpc-twoparty.h>
#include <kj/async-io.h>

#include <memory>

namespace nnhal::service {

/// A connection to a client, which is read only as fast as its messages are
/// dealt with: while too many of its descriptors are held here, too many calls
/// wait or too many answers were not read, the client waits.
class Connection {
public:
  Connection(rt::UniqueFd channel, capnp::Capability::Client bootstrap,
             kj::LowLevelAsyncIoProvider &io);
  /// Drops everything that the client had.
  ~Connection();

  kj::Promise<void> onDisconnect();

private:
  struct Impl;
  kj::Own<Impl> impl;
};

} // namespace nnhal::service

#endif // NNHAL_LIB_SERVICE_HOST_CONNECTION_H
