//===- Connection.cpp - Messages of a client that is not trusted ----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Connection.h"

#include "Service/Protocol/Descriptors.h"

#include <capnp/serialize-async.h>

using namespace nnhal;
using namespace nnhal::service;

/// One message: models without their constants are far smaller.
static constexpr uint64_t maxMessageWords = uint64_t(4) << 20;
static constexpr int maxNesting = 32;
/// Messages of calls that have not returned.
static constexpr size_t maxWordsUnderWay = size_t(1) << 20;
/// Descriptors of such messages.
static constexpr size_t maxDescriptorsUnderWay = 1024;
/// Bytes of answers that the client has not read.
static constexpr size_t maxUnreadBytes = size_t(4) << 20;
/// How soon a client that was made to wait is looked at again.
static constexpr kj::Duration retryPause = 5 * kj::MILLISECONDS;

namespace {
/// A message, which counts its descriptors while it lives.
class CountedMessage final : public capnp::MessageReader {
public:
  CountedMessage(kj::Own<capnp::MessageReader> inner,
                 capnp::ReaderOptions options, std::shared_ptr<size_t> count,
                 size_t descriptors)
      : MessageReader(options), inner(kj::mv(inner)), count(std::move(count)),
        descriptors(descriptors) {
    *this->count += descriptors;
  }
  ~CountedMessage() override { *count -= descriptors; }

  kj::ArrayPtr<const capnp::word> getSegment(uint id) override {
    return inner->getSegment(id);
  }

private:
  kj::Own<capnp::MessageReader> inner;
  const std::shared_ptr<size_t> count;
  const size_t descriptors;
};

/// Reads messages when the client may send more.
class ThrottledMessages final : public capnp::MessageStream {
public:
  ThrottledMessages(kj::AsyncCapabilityStream &stream, kj::Timer &timer)
      : inner(stream), timer(timer) {}

  /// Bytes that wait to be written.
  kj::Maybe<capnp::TwoPartyVatNetwork &> network;

  kj::Promise<kj::Maybe<capnp::MessageReaderAndFds>>
  tryReadMessage(kj::ArrayPtr<kj::AutoCloseFd> fdSpace,
                 capnp::ReaderOptions options,
                 kj::ArrayPtr<capnp::word> scratchSpace) override;

  kj::Promise<void> writeMessage(
      kj::ArrayPtr<const int> fds,
      kj::ArrayPtr<const kj::ArrayPtr<const capnp::word>> segments) override {
    return inner.writeMessage(fds, segments);
  }
  kj::Promise<void> writeMessages(
      kj::ArrayPtr<kj::ArrayPtr<const kj::ArrayPtr<const capnp::word>>>
          messages) override {
    return inner.writeMessages(messages);
  }
  kj::Maybe<int> getSendBufferSize() override {
    return inner.getSendBufferSize();
  }
  kj::Promise<void> end() override { return inner.end(); }

private:
  bool mustWait() {
    if (*descriptors > maxDescriptorsUnderWay)
      return true;
    KJ_IF_MAYBE (peer, network)
      return peer->getCurrentQueueSize() > maxUnreadBytes;
    return false;
  }

  capnp::AsyncCapabilityMessageStream inner;
  kj::Timer &timer;
  /// Messages outlive the stream.
  const std::shared_ptr<size_t> descriptors = std::make_shared<size_t>(0);
};
} // namespace

kj::Promise<kj::Maybe<capnp::MessageReaderAndFds>>
ThrottledMessages::tryReadMessage(kj::ArrayPtr<kj::AutoCloseFd> fdSpace,
                                  capnp::ReaderOptions options,
                                  kj::ArrayPtr<capnp::word> scratchSpace) {
  if (mustWait())
    return timer.afterDelay(retryPause).then([=, this] {
      return tryReadMessage(fdSpace, options, scratchSpace);
    });
  return inner.tryReadMessage(fdSpace, options, scratchSpace)
      .then([this, options](kj::Maybe<capnp::MessageReaderAndFds> read) {
        KJ_IF_MAYBE (message, read) {
          message->reader =
              kj::heap<CountedMessage>(kj::mv(message->reader), options,
                                       descriptors, message->fds.size());
        }
        return read;
      });
}

static capnp::ReaderOptions readerOptions() {
  capnp::ReaderOptions options;
  options.traversalLimitInWords = maxMessageWords;
  options.nestingLimit = maxNesting;
  return options;
}

struct Connection::Impl {
  Impl(rt::UniqueFd channel, capnp::Capability::Client bootstrap,
       kj::LowLevelAsyncIoProvider &io)
      : stream(io.wrapUnixSocketFd(
            channel.release(), kj::LowLevelAsyncIoProvider::TAKE_OWNERSHIP)),
        messages(*stream, io.getTimer()),
        network(messages, maxDescriptorsPerMessage,
                capnp::rpc::twoparty::Side::SERVER, readerOptions()),
        system(capnp::makeRpcServer(network, kj::mv(bootstrap))) {
    messages.network = network;
    system.setFlowLimit(maxWordsUnderWay);
  }

  kj::Own<kj::AsyncCapabilityStream> stream;
  ThrottledMessages messages;
  capnp::TwoPartyVatNetwork network;
  capnp::RpcSystem<capnp::rpc::twoparty::VatId> system;
};

Connection::Connection(rt::UniqueFd channel,
                       capnp::Capability::Client bootstrap,
                       kj::LowLevelAsyncIoProvider &io)
    : impl(kj::heap<Impl>(std::move(channel), kj::mv(bootstrap), io)) {}

Connection::~Connection() = default;

kj::Promise<void> Connection::onDisconnect() {
  return impl->network.onDisconnect();
}
