//===- Channel.cpp - A connection between two processes -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Channel.h"

#include "Runtime/Support/Errors.h"

#include <kj/io.h>

#include <algorithm>
#include <cerrno>
#include <sys/socket.h>
#include <system_error>

using namespace nnhal;
using namespace nnhal::service;
using capnp::rpc::twoparty::Side;

static capnp::ReaderOptions readerOptions(const ChannelLimits &limits) {
  capnp::ReaderOptions options;
  options.traversalLimitInWords = limits.messageWords;
  return options;
}

Channel::Channel(kj::Own<kj::AsyncCapabilityStream> given, End end,
                 capnp::Capability::Client own, const ChannelLimits &limits)
    : side(end == End::opener ? Side::CLIENT : Side::SERVER),
      stream(kj::mv(given)),
      // An end that takes no descriptors could not send one either.
      network(*stream, std::max(limits.descriptors, 1U), side,
              readerOptions(limits)),
      rpc(network, kj::mv(own)) {
  rpc.setFlowLimit(limits.waitingWords);
}

capnp::Capability::Client Channel::peer() {
  capnp::MallocMessageBuilder message;
  auto name = message.initRoot<capnp::rpc::twoparty::VatId>();
  name.setSide(side == Side::CLIENT ? Side::SERVER : Side::CLIENT);
  return rpc.bootstrap(name);
}

kj::Promise<void> Channel::onDisconnect() {
  return network.onDisconnect().catch_([](kj::Exception &&) {});
}

kj::Own<kj::AsyncCapabilityStream>
service::wrapSocket(kj::LowLevelAsyncIoProvider &io, rt::UniqueFd fd) {
  kj::AutoCloseFd owned(fd.release());
  return io.wrapUnixSocketFd(kj::mv(owned));
}

rt::Result<SocketPair> service::makeSocketPair() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return rt::outOfResources("cannot make a pair of sockets: {}",
                              std::generic_category().message(errno));
  SocketPair pair;
  pair.ends[0] = rt::UniqueFd(ends[0]);
  pair.ends[1] = rt::UniqueFd(ends[1]);
  return pair;
}
