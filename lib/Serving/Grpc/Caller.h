//===- Caller.h - What gRPC says of the sender of a call --------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVING_GRPC_CALLER_H
#define NNHAL_LIB_SERVING_GRPC_CALLER_H

#include "nnhal/Runtime/Execution.h"

#include <grpc/support/time.h>

#include <string>
#include <string_view>

namespace nnhal::serving {

/// Returns the address in \p peer, which is gRPC's name of the other end of a
/// connection, without the port: "127.0.0.1" of "ipv4:127.0.0.1:51234", "::1"
/// of "ipv6:%5B::1%5D:51234". A client has one quota, however many connections
/// and protocols it uses. All clients of a local socket are "unix".
std::string clientOf(std::string_view peer);

/// Returns the deadline of a call as a time of rt::steadyNow(). One that is
/// further away than such times reach is none.
rt::Deadline deadlineOf(gpr_timespec deadline);

} // namespace nnhal::serving

#endif // NNHAL_LIB_SERVING_GRPC_CALLER_H
