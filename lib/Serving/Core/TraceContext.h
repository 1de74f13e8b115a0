//===- TraceContext.h - Trace ids between programs --------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVING_CORE_TRACECONTEXT_H
#define NNHAL_LIB_SERVING_CORE_TRACECONTEXT_H

#include <optional>
#include <string>
#include <string_view>

namespace nnhal::serving {

/// The ids of a request in a trace that spans programs, as the header
/// `traceparent` of W3C's Trace Context carries them, which OpenTelemetry uses.
struct TraceContext {
  /// 32 and 16 lower-case hexadecimal digits, not all zero.
  std::string traceId;
  std::string spanId;
  bool isSampled = true;

  /// Reads \p header; nothing where it is none of version 00 or a later one.
  static std::optional<TraceContext> parse(std::string_view header);

  /// The span of the server in the trace of \p header, or in a new one where
  /// that is none: with random ids.
  static TraceContext continueFrom(std::string_view header);

  /// The header's text.
  std::string header() const;
};

} // namespace nnhal::serving

#endif // NNHAL_LIB_SERVING_CORE_TRACECONTEXT_H
