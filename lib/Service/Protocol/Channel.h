//===- Channel.h - A connection between two processes -----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVICE_PROTOCOL_CHANNEL_H
#define NNHAL_LIB_SERVICE_PROTOCOL_CHANNEL_H

#include "nnhal/Runtime/Memory.h"

#include <capnp/rpc-twoparty.h>
#include <kj/async-io.h>

namespace nnhal::service {

/// Bounds of the messages that the other end of a channel may send.
struct ChannelLimits {
  /// The words of 8 bytes of one message.
  uint64_t messageWords = 1 << 16;
  /// The descriptors that come with one message; more are closed unseen. With 0
  /// this end could send none, either.
  unsigned descriptors = 1;
  /// The words of all calls that wait for their answers; then no message is
  /// read before there is one.
  uint64_t waitingWords = 1 << 18;
};

/// Both ends of a Cap'n Proto connection over a Unix-domain socket have a
/// bootstrap capability for the other.
///
/// Ownership: owns the stream. Capabilities that came over the channel outlive
///            it, and their calls then fail with DISCONNECTED.
/// Threads:   that of the event loop.
class Channel {
public:
  /// The opener is the end that asks for the other's bootstrap capability
  /// first.
  enum class End { opener, acceptor };

  Channel(kj::Own<kj::AsyncCapabilityStream> stream, End end,
          capnp::Capability::Client own, const ChannelLimits &limits);
  Channel(const Channel &) = delete;
  Channel &operator=(const Channel &) = delete;

  /// The bootstrap capability of the other end.
  capnp::Capability::Client peer();

  /// Ends when the other end is gone, for whatever reason. It fails with
  /// nothing.
  kj::Promise<void> onDisconnect();

private:
  capnp::rpc::twoparty::Side side;
  kj::Own<kj::AsyncCapabilityStream> stream;
  capnp::TwoPartyVatNetwork network;
  capnp::RpcSystem<capnp::rpc::twoparty::VatId> rpc;
};

/// The stream over \p fd, a Unix-domain socket.
kj::Own<kj::AsyncCapabilityStream> wrapSocket(kj::LowLevelAsyncIoProvider &io,
                                              rt::UniqueFd fd);

/// Two connected sockets that no program inherits. resourceExhaustedTransient
/// when the system gives none.
struct SocketPair {
  rt::UniqueFd ends[2];
};
rt::Result<SocketPair> makeSocketPair();

} // namespace nnhal::service

#endif // NNHAL_LIB_SERVICE_PROTOCOL_CHANNEL_H
