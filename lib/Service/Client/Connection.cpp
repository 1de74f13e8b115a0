//===- Connection.cpp - One connection, on the loop's thread --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Connection.h"

#include <capnp/message.h>

using namespace nnhal;
using namespace nnhal::service;
using namespace nnhal::service::client;

using capnp::rpc::twoparty::Side;
using capnp::rpc::twoparty::VatId;

/// A service sends one fence, one channel or the two parts of an artifact.
static constexpr unsigned maxDescriptors = 4;
/// Interfaces of models with thousands of inputs, and traces, are the largest
/// messages.
static constexpr capnp::ReaderOptions readerOptions = {
    .traversalLimitInWords = uint64_t(8) << 20, .nestingLimit = 32};
/// Words of calls of the service that wait for an answer.
static constexpr size_t flowLimit = size_t(1) << 20;

static kj::Own<kj::AsyncCapabilityStream> wrap(kj::AsyncIoContext &io,
                                               rt::UniqueFd socket) {
  using Provider = kj::LowLevelAsyncIoProvider;
  return io.lowLevelProvider->wrapUnixSocketFd(
      socket.release(), Provider::TAKE_OWNERSHIP | Provider::ALREADY_CLOEXEC);
}

Connection::Connection(kj::AsyncIoContext &io, rt::UniqueFd socket)
    : stream(wrap(io, kj::mv(socket))),
      network(*stream, maxDescriptors, Side::CLIENT, readerOptions),
      rpc(capnp::makeRpcClient(network)) {
  rpc.setFlowLimit(flowLimit);
}

capnp::Capability::Client Connection::bootstrap() {
  capnp::word scratch[8] = {};
  capnp::MallocMessageBuilder message(scratch);
  auto vat = message.getRoot<VatId>();
  vat.setSide(Side::SERVER);
  return rpc.bootstrap(vat);
}
