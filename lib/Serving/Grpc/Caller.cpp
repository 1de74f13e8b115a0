//===- Caller.cpp - What gRPC says of the sender of a call ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Caller.h"

using namespace nnhal;
using namespace nnhal::serving;

/// Replaces every \p from in \p text.
static void replaceAll(std::string &text, std::string_view from,
                       std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

std::string serving::clientOf(std::string_view peer) {
  size_t colon = peer.find(':');
  std::string_view scheme = peer.substr(0, colon);
  if (colon == std::string_view::npos || scheme == "unix")
    return std::string(scheme);
  std::string address(peer.substr(colon + 1));
  if (size_t port = address.rfind(':'); port != std::string::npos)
    address.resize(port);
  // Peers are URIs, in which the brackets of IPv6 and the mark of its zones are
  // escaped.
  replaceAll(address, "%5B", "");
  replaceAll(address, "%5D", "");
  replaceAll(address, "[", "");
  replaceAll(address, "]", "");
  replaceAll(address, "%25", "%");
  return address;
}

rt::Deadline serving::deadlineOf(gpr_timespec deadline) {
  constexpr int64_t nanosecondsPerSecond = 1'000'000'000;
  gpr_timespec left = gpr_time_sub(deadline, gpr_now(deadline.clock_type));
  rt::Deadline now = rt::steadyNow();
  // One second less, for the nanoseconds beside the seconds.
  int64_t mostSeconds = (rt::noDeadline - now) / nanosecondsPerSecond - 1;
  if (gpr_time_cmp(deadline, gpr_inf_future(deadline.clock_type)) == 0 ||
      left.tv_sec >= mostSeconds)
    return rt::noDeadline;
  if (left.tv_sec < 0)
    return now;
  return now + left.tv_sec * nanosecondsPerSecond + left.tv_nsec;
}
