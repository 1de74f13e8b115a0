//===- ResponseJson.cpp - Responses of inference in JSON ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ResponseJson.h"

#include "Elements.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace nnhal;
using namespace nnhal::serving;
using nlohmann::ordered_json;

std::string serving::dump(const ordered_json &value) {
  return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

/// A string of JSON.
static std::string quote(std::string_view text) { return dump(text); }

Outcome serving::renderResponse(const ParsedRequest &request,
                                const InferenceResponse &response,
                                RenderedResponse &rendered) {
  std::string &json = rendered.json;
  json = fmt::format("{{\"model_name\":{},\"model_version\":{}",
                     quote(response.model), quote(response.version));
  if (!request.request.id.empty())
    json += fmt::format(",\"id\":{}", quote(request.request.id));
  json += ",\"outputs\":[";
  for (size_t i = 0; i < response.outputs.size(); ++i) {
    const ResponseTensor &output = response.outputs[i];
    json += fmt::format("{}{{\"name\":{},\"datatype\":\"{}\",\"shape\":[{}],",
                        i == 0 ? "" : ",", quote(output.name),
                        nameOf(output.type), fmt::join(output.shape, ","));
    bool isBinary = i < request.isBinary.size() ? request.isBinary[i]
                                                : request.isBinaryByDefault;
    if (isBinary) {
      json += "\"parameters\":{\"binary_data_size\":";
      json += std::to_string(output.data.size()) + "}}";
      rendered.tensors.push_back(output.data);
      continue;
    }
    json += "\"data\":[";
    if (!appendJson(output.type, output.data, json))
      return refuse(OutcomeCode::invalidArgument,
                    "output '{}' has infinities or NaN, which JSON cannot "
                    "write: ask for its binary data",
                    output.name);
    json += "]}";
  }
  json += "]}";
  return Outcome();
}
