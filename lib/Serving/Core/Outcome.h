//===- Outcome.h - What became of a request ---------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVING_CORE_OUTCOME_H
#define NNHAL_LIB_SERVING_CORE_OUTCOME_H

#include "nnhal/Runtime/Status.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

namespace nnhal::serving {

/// The kinds of answers, which each protocol has codes for.
enum class OutcomeCode : uint8_t {
  ok,
  /// The request is wrong: 400, INVALID_ARGUMENT.
  invalidArgument,
  /// There is no such model or version: 404, NOT_FOUND.
  notFound,
  /// A queue or a quota is full; trying again later may succeed: 429,
  /// RESOURCE_EXHAUSTED.
  overloaded,
  /// The server ends, or the model is not ready: 503, UNAVAILABLE.
  unavailable,
  /// The deadline of the request has passed: 504, DEADLINE_EXCEEDED.
  deadlineExceeded,
  /// The client is gone, and nobody reads the answer: 499, CANCELLED.
  cancelled,
  /// The execution or the load failed: 500, INTERNAL.
  failed,
};

inline constexpr size_t outcomeCodes = size_t(OutcomeCode::failed) + 1;

/// Returns "ok", "invalid_argument" for example: labels of metrics.
std::string_view nameOf(OutcomeCode code);

/// Success, or a code with a message for the client: lower case, no final
/// period, naming the found value and the bound.
class [[nodiscard]] Outcome {
public:
  /// Makes a success.
  Outcome() = default;
  Outcome(OutcomeCode code, std::string message)
      : codeValue(code), text(std::move(message)) {}
  /// The kind of answer that \p status calls for.
  Outcome(const rt::Status &status);

  bool isOk() const { return codeValue == OutcomeCode::ok; }
  OutcomeCode code() const { return codeValue; }
  const std::string &message() const { return text; }
  /// Whether the device has died with the model: what is loaded anew may be
  /// executed.
  bool isDeath() const { return isOfDead; }

private:
  OutcomeCode codeValue = OutcomeCode::ok;
  bool isOfDead = false;
  std::string text;
};

/// A failure with a formatted message.
template <typename... Args>
Outcome refuse(OutcomeCode code, fmt::format_string<Args...> format,
               Args &&...args) {
  return Outcome(code, fmt::format(format, std::forward<Args>(args)...));
}

} // namespace nnhal::serving

#endif // NNHAL_LIB_SERVING_CORE_OUTCOME_H
