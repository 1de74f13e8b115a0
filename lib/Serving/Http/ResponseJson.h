//===- ResponseJson.h - Responses of inference in JSON ----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVING_HTTP_RESPONSEJSON_H
#define NNHAL_LIB_SERVING_HTTP_RESPONSEJSON_H

#include "RequestJson.h"

#include "Serving/Core/Inference.h"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace nnhal::serving {

/// \p value as text; bytes that are no UTF-8 are replaced.
std::string dump(const nlohmann::ordered_json &value);

/// A response of inference as it goes over HTTP.
struct RenderedResponse {
  std::string json;
  /// The bytes behind it; they live as long as the response.
  std::vector<std::span<const std::byte>> tensors;
};

/// Renders \p response to \p request. Fails with invalidArgument where an
/// output that is to be written as JSON has elements that JSON has no numbers
/// for.
Outcome renderResponse(const ParsedRequest &request,
                       const InferenceResponse &response,
                       RenderedResponse &rendered);

} // namespace nnhal::serving

#endif // NNHAL_LIB_SERVING_HTTP_RESPONSEJSON_H
