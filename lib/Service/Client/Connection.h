//===- Connection.h - One connection, on the loop's thread ------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVICE_CLIENT_CONNECTION_H
#define NNHAL_LIB_SERVICE_CLIENT_CONNECTION_H

#include "nnhal/Runtime/Memory.h"

#include <capnp/rpc-twoparty.h>
#include <kj/async-io.h>

namespace nnhal::service::client {

/// The end of a socket that speaks Cap'n Proto, as its client. Lives on the
/// loop's thread.
///
/// The other end is not trusted: the size and depth of its messages, the
/// descriptors in each and the calls that wait for an answer are bounded.
class Connection {
public:
  /// Throws a kj::Exception for a descriptor that cannot be waited on.
  Connection(kj::AsyncIoContext &io, rt::UniqueFd socket);

  capnp::Capability::Client bootstrap();
  /// Ends when the connection does. Calls that wait then fail.
  kj::Promise<void> onEnd() { return network.onDisconnect(); }

private:
  kj::Own<kj::AsyncCapabilityStream> stream;
  capnp::TwoPartyVatNetwork network;
  capnp::RpcSystem<capnp::rpc::twoparty::VatId> rpc;
};

} // namespace nnhal::service::client

#endif // NNHAL_LIB_SERVICE_CLIENT_CONNECTION_H
