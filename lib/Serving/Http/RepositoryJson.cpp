//===- RepositoryJson.cpp - Requests about the repository in JSON ---------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RepositoryJson.h"

#include "ResponseJson.h"

#include <nlohmann/json.hpp>

#include <string>

using namespace nnhal;
using namespace nnhal::serving;
using nlohmann::ordered_json;

template <typename... Args>
static Outcome invalid(fmt::format_string<Args...> format, Args &&...args) {
  return refuse(OutcomeCode::invalidArgument, format,
                std::forward<Args>(args)...);
}

/// \p value for a message: short, whatever it is.
static std::string describe(const ordered_json &value) {
  if (value.is_object())
    return "an object";
  if (value.is_array())
    return "a list";
  constexpr size_t shown = 64;
  return dump(value).substr(0, shown);
}

/// Reads \p json as an object, that of a request.
static Outcome readObject(std::string_view json, ordered_json &request) {
  request = ordered_json::object();
  if (json.empty())
    return Outcome();
  request = ordered_json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (request.is_discarded())
    return invalid("the request is no JSON");
  if (!request.is_object())
    return invalid("the request cannot be {}", describe(request));
  return Outcome();
}

/// Returns the member \p name of \p request; null where it has none.
static ordered_json memberOf(const ordered_json &request, const char *name) {
  auto member = request.find(name);
  return member == request.end() ? ordered_json() : *member;
}

Outcome serving::readIndexRequest(std::string_view json, bool &readyOnly) {
  ordered_json request;
  if (Outcome wrong = readObject(json, request); !wrong.isOk())
    return wrong;
  ordered_json ready = memberOf(request, "ready");
  if (!ready.is_null() && !ready.is_boolean())
    return invalid("'ready' of the request cannot be {}", describe(ready));
  readyOnly = ready.is_boolean() && ready.get<bool>();
  return Outcome();
}

/// Reads \p json and its parameters.
static Outcome readParameters(std::string_view json, ordered_json &parameters) {
  ordered_json request;
  if (Outcome wrong = readObject(json, request); !wrong.isOk())
    return wrong;
  parameters = memberOf(request, "parameters");
  if (!parameters.is_null() && !parameters.is_object())
    return invalid("'parameters' of the request cannot be {}",
                   describe(parameters));
  return Outcome();
}

Outcome serving::checkLoadRequest(std::string_view json) {
  ordered_json parameters;
  if (Outcome wrong = readParameters(json, parameters); !wrong.isOk())
    return wrong;
  for (const auto &parameter : parameters.items())
    if (!parameter.value().is_null() &&
        (parameter.key() == "config" || parameter.key().starts_with("file:")))
      return invalid("parameter '{}' is not supported: models are loaded from "
                     "the server's folder",
                     parameter.key());
  return Outcome();
}

Outcome serving::checkUnloadRequest(std::string_view json) {
  ordered_json parameters;
  return readParameters(json, parameters);
}
