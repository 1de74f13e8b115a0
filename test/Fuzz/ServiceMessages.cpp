//===- ServiceMessages.cpp - Fuzzes what messages of the service say ------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The first byte of an input chooses the type of the message, which is
// unpacked from the rest: packing leaves out the zeros of words, so that most
// bytes of an input mean something.
//
//===----------------------------------------------------------------------===//

#include "FuzzTarget.h"

#include "Service/Host/Limits.h"
#include "Service/Protocol/Convert.h"
#include "nnhal/Runtime/SharedMemory.h"
#include "nnhal/Runtime/Validate.h"

#include <capnp/capability.h>
#include <capnp/serialize-packed.h>
#include <kj/async.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace nnhal;
using namespace nnhal::service;
using namespace nnhal::rt::fuzz;

/// The descriptors that a message asks for.
static rt::Result<std::vector<rt::UniqueFd>>
take(std::vector<NamedDescriptor> named) {
  static kj::EventLoop loop;
  static kj::WaitScope scope(loop);
  return takeDescriptors(std::move(named)).wait(scope);
}

namespace {
/// A message that may have descriptors.
class Written {
public:
  template <typename Wire> typename Wire::Builder root() {
    return capabilities.imbue(message.initRoot<capnp::AnyPointer>())
        .template initAs<Wire>();
  }

private:
  capnp::MallocMessageBuilder message;
  capnp::BuilderCapabilityTable capabilities;
};

/// A message of an input, whose capabilities 0 to 3 are descriptors.
class Received {
public:
  explicit Received(kj::BufferedInputStream &stream,
                    capnp::ReaderOptions limits)
      : message(stream, limits), capabilities(makeDescriptors()) {}

  template <typename Wire> typename Wire::Reader root() {
    return capabilities.imbue(message.getRoot<capnp::AnyPointer>())
        .template getAs<Wire>();
  }

private:
  static kj::Array<kj::Maybe<kj::Own<capnp::ClientHook>>> makeDescriptors() {
    constexpr size_t count = 4;
    auto hooks =
        kj::heapArrayBuilder<kj::Maybe<kj::Own<capnp::ClientHook>>>(count);
    for (size_t i = 0; i < count; ++i) {
      rt::UniqueFd fd(::memfd_create("fuzz", MFD_CLOEXEC));
      require(::ftruncate(fd.get(), 4096) == 0, "no memory");
      hooks.add(capnp::ClientHook::from(makeDescriptor(std::move(fd))));
    }
    return hooks.finish();
  }

  capnp::PackedMessageReader message;
  capnp::ReaderCapabilityTable capabilities;
};
} // namespace

static void readModel(wire::Model::Reader reader) {
  rt::Status lists = checkLists(reader);
  requireReason(lists);
  if (!lists.isOk())
    return;
  rt::Result<uint64_t> bytes = bytesOf(reader);
  requireReason(bytes.status());
  // A host asks for memory first.
  if (!bytes.isOk() || *bytes > 64 << 20)
    return;
  auto descriptors = take(descriptorsOf(reader));
  requireReason(descriptors.status());
  if (!descriptors.isOk())
    return;
  rt::Result<rt::AnnotatedModel> model = read(reader, *descriptors);
  requireReason(model.status());
  if (!model.isOk())
    return;
  requireReason(validateModel(model->model, model->model.halVersion));
  Written message;
  (void)write(*model, message.root<wire::Model>());
}

static void readOptions(wire::PrepareOptions::Reader reader) {
  rt::Status lists = checkLists(reader);
  requireReason(lists);
  if (!lists.isOk())
    return;
  auto descriptors = take(descriptorsOf(reader));
  requireReason(descriptors.status());
  if (!descriptors.isOk())
    return;
  auto options = read(reader, *descriptors);
  requireReason(options.status());
  if (!options.isOk())
    return;
  Written message;
  (void)write(*options, message.root<wire::PrepareOptions>());
}

static void readRequest(wire::Request::Reader reader) {
  rt::Status lists = checkLists(reader);
  requireReason(lists);
  if (!lists.isOk())
    return;
  static const auto memory = *rt::SharedMemory::createAshmem(64);
  auto request = read(reader, [](uint32_t id) {
    return id < 4 ? memory : std::shared_ptr<rt::SharedMemory>();
  });
  requireReason(request.status());
}

/// What a client reads of a host, which it trusts no more.
static void readAnswer(unsigned type, Received &message) {
  switch (type) {
  case 0: {
    auto device = read(message.root<wire::DeviceDescription>());
    requireReason(device.status());
    if (device.isOk()) {
      capnp::MallocMessageBuilder written;
      write(*device, written.initRoot<wire::DeviceDescription>());
    }
    break;
  }
  case 1:
    requireReason(read(message.root<wire::Interface>()).status());
    break;
  case 2:
    (void)read(message.root<wire::ExecutionResult>());
    break;
  case 3:
    (void)read(message.root<wire::TraceEvent>());
    break;
  case 4:
    (void)read(message.root<wire::Status>());
    break;
  default:
    (void)read(message.root<wire::Extension>());
    break;
  }
}

static void readMessage(unsigned type, Received &message) {
  switch (type) {
  case 0:
    readModel(message.root<wire::Model>());
    break;
  case 1:
    readOptions(message.root<wire::PrepareOptions>());
    break;
  case 2:
    readRequest(message.root<wire::Request>());
    break;
  case 3:
    requireReason(read(message.root<wire::CompileOptions>()).status());
    break;
  default:
    readAnswer(type - 4, message);
    break;
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  // What does not hold together is an exception, which ends a connection.
  (void)kj::runCatchingExceptions([&] {
    kj::ArrayInputStream stream(kj::arrayPtr(data + 1, size - 1));
    capnp::ReaderOptions limits;
    limits.traversalLimitInWords = 1 << 16;
    Received message(stream, limits);
    readMessage(data[0] % 10, message);
  });
  return 0;
}
