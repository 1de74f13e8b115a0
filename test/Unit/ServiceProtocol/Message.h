//===- Message.h - A message with capabilities, for tests -------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_UNIT_SERVICEPROTOCOL_MESSAGE_H
#define NNHAL_TEST_UNIT_SERVICEPROTOCOL_MESSAGE_H

#include "Service/Protocol/Convert.h"

#include <capnp/capability.h>
#include <capnp/message.h>

namespace nnhal::service::test {

/// A message of type \p Wire within one process. Only one thread uses it, and
/// the event loop under it is what descriptors arrive by.
template <typename Wire> class Message {
public:
  typename Wire::Builder builder() { return root; }
  typename Wire::Reader reader() { return root.asReader(); }

private:
  capnp::MallocMessageBuilder message;
  capnp::BuilderCapabilityTable capabilities;
  typename Wire::Builder root =
      capabilities.imbue(message.initRoot<capnp::AnyPointer>())
          .template initAs<Wire>();
};

class EventLoop {
public:
  /// The descriptors of \p named once they have arrived.
  rt::Result<std::vector<rt::UniqueFd>>
  take(std::vector<NamedDescriptor> named,
       uint32_t limit = maxDescriptorsPerMessage) {
    return takeDescriptors(std::move(named), limit).wait(scope);
  }

private:
  kj::EventLoop loop;
  kj::WaitScope scope{loop};
};

} // namespace nnhal::service::test

#endif // NNHAL_TEST_UNIT_SERVICEPROTOCOL_MESSAGE_H
