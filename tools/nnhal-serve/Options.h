//===- Options.h - The command line of nnhal-serve --------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TOOLS_NNHAL_SERVE_OPTIONS_H
#define NNHAL_TOOLS_NNHAL_SERVE_OPTIONS_H

#include "Tools/Execution/Engine.h"
#include "Tools/Options/OptionRows.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace nnhal::servetool {

enum class Mode { serve, help, version };

/// Where a server listens.
struct Address {
  /// A name or an address, one of IPv6 without brackets; or "unix:PATH".
  std::string host;
  /// 0 for any that is free, and for a local socket.
  uint16_t port = 0;
};

struct Options {
  Mode mode = Mode::serve;
  std::string models;
  tools::EngineOptions engine;
  uint64_t executions = 0;
  uint64_t pollMilliseconds = 2000;
  uint64_t requestsPerSecond = 0;
  uint64_t concurrentRequests = 0;
  Address http = {"127.0.0.1", 8000};
  /// Nothing for no gRPC.
  std::optional<Address> grpc;
  uint64_t grpcThreads = 128;
  uint64_t connections = 256;
  uint64_t maxRequestBytes = uint64_t(64) << 20;
  uint64_t transferSeconds = 30;
  uint64_t idleSeconds = 60;
  std::string certificate;
  std::string key;
  std::string clientHeader;
  uint64_t drainSeconds = 10;
  /// Where the trace is written; empty for none.
  std::string trace;
};

using Option = tools::OptionRow<Options>;

/// In the order of the help.
std::span<const Option> allOptions();

/// Fails with invalidArgument, which names the option.
rt::Result<Options> parseOptions(std::span<const std::string_view> arguments);

std::string helpText();

} // namespace nnhal::servetool

#endif // NNHAL_TOOLS_NNHAL_SERVE_OPTIONS_H
