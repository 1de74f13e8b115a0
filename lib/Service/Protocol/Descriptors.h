//===- Descriptors.h - Descriptors as capabilities --------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every descriptor that crosses a connection is a capability of its own, which
// has no methods: a message cannot mix up which of its descriptors is which,
// and one that did not arrive is seen.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVICE_PROTOCOL_DESCRIPTORS_H
#define NNHAL_LIB_SERVICE_PROTOCOL_DESCRIPTORS_H

#include "Driver.capnp.h"

#include "nnhal/Runtime/Memory.h"
#include "nnhal/Runtime/Status.h"

#include <kj/async.h>

#include <string>
#include <vector>

namespace nnhal::service {

/// The descriptors that one message can carry: those that Linux passes at once
/// (SCM_MAX_FD).
inline constexpr uint32_t maxDescriptorsPerMessage = 253;

/// A capability that carries \p fd.
wire::Descriptor::Client makeDescriptor(rt::UniqueFd fd);

/// A descriptor of a message that is awaited, and what a message calls it.
struct NamedDescriptor {
  wire::Descriptor::Client capability;
  std::string name; // "pool 3" for example.
};

/// Descriptors of the caller's own, in the order of \p named. invalidArgument,
/// with its name, for one that is null, carries none or breaks; for more than
/// \p limit, before any is looked at.
kj::Promise<rt::Result<std::vector<rt::UniqueFd>>>
takeDescriptors(std::vector<NamedDescriptor> named,
                uint32_t limit = maxDescriptorsPerMessage);

} // namespace nnhal::service

#endif // NNHAL_LIB_SERVICE_PROTOCOL_DESCRIPTORS_H
