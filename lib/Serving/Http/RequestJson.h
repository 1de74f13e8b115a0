//===- RequestJson.h - Requests of inference in JSON ------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVING_HTTP_REQUESTJSON_H
#define NNHAL_LIB_SERVING_HTTP_REQUESTJSON_H

#include "RequestReader.h"

#include "Serving/Core/Inference.h"

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace nnhal::serving {

/// A request of inference as it came over HTTP.
struct ParsedRequest {
  InferenceRequest request;
  /// The inputs as they were written, elements included; the request refers to
  /// them.
  std::vector<WrittenInput> inputs;
  /// Whether the response has the bytes, and not JSON, of each of
  /// InferenceRequest::outputs.
  std::vector<bool> isBinary;
  /// Whether the response has bytes where the request names no outputs.
  bool isBinaryByDefault = false;
};

/// Reads \p json, which may be anything, and finds the inputs that it says are
/// in \p tensors, which live as long as \p parsed. Fails with invalidArgument,
/// which names the place, the found value and the bound.
Outcome parseRequest(std::string_view json, std::span<const std::byte> tensors,
                     ParsedRequest &parsed);

} // namespace nnhal::serving

#endif // NNHAL_LIB_SERVING_HTTP_REQUESTJSON_H
