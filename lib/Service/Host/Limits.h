//===- Limits.h - Bounds of what messages list ------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVICE_HOST_LIMITS_H
#define NNHAL_LIB_SERVICE_HOST_LIMITS_H

#include "Driver.capnp.h"

#include "nnhal/Runtime/Status.h"

namespace nnhal::service {

// A message can state a list of elements that take no bytes in it. Each check
// comes before memory is allocated in a number that a message states, and is
// invalidArgument, with the found number and the bound.
rt::Status checkLists(wire::Model::Reader model);
rt::Status checkLists(wire::PrepareOptions::Reader options);
rt::Status checkLists(wire::Request::Reader request);
rt::Status checkList(const char *what, uint64_t found, uint64_t limit);

/// The bytes that reading \p model takes here: operand values and tables.
/// invalidArgument for more than any process has.
rt::Result<uint64_t> bytesOf(wire::Model::Reader model);

inline constexpr uint64_t maxArguments = 1 << 16;
inline constexpr uint64_t maxBufferRoles = 1 << 12;
inline constexpr uint64_t maxFences = 64;
inline constexpr uint64_t maxRank = 1 << 8;

} // namespace nnhal::service

#endif // NNHAL_LIB_SERVICE_HOST_LIMITS_H
