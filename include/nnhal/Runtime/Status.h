//===- Status.h - Outcome of a fallible operation ---------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_RUNTIME_STATUS_H
#define NNHAL_RUNTIME_STATUS_H

#include "nnhal/Runtime/Api.h"

#include <cassert>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace nnhal::rt {

/// The closed list of outcomes. Values and names are those of the HAL's
/// ErrorStatus; the comment of each says what the caller should
/// do next.
enum class StatusCode : uint32_t {
  none = 0,
  /// The device is gone for now; use another one.
  deviceUnavailable = 1,
  /// The work failed for a reason that no argument change cures.
  generalFailure = 2,
  /// Retry with the output sizes that were reported.
  outputInsufficientSize = 3,
  /// An argument, model or file is wrong; the message says which.
  invalidArgument = 4,
  /// The deadline passed; trying again may succeed.
  missedDeadlineTransient = 5,
  /// The deadline cannot be met by this device.
  missedDeadlinePersistent = 6,
  /// Out of memory or queue space now; trying again may succeed.
  resourceExhaustedTransient = 7,
  /// The request can never fit this device.
  resourceExhaustedPersistent = 8,
  /// The process of the device has died, or the connection to it is lost. What
  /// it had prepared is lost with it (C-077, C-082). The HAL has no such code;
  /// the number is that of its runtime.
  deadObject = 10000,
};

/// Returns the HAL's spelling of \p code, "INVALID_ARGUMENT" for example.
NNHAL_API std::string_view toString(StatusCode code);

/// Success, or a code with a message for a person: lower case, no final
/// period, naming the found value and the bound. A success is a null pointer,
/// because an execution makes dozens of them. One that was moved from is a
/// success.
class [[nodiscard]] NNHAL_API Status {
public:
  /// Makes a success.
  Status() = default;

  /// Makes a failure. \p code must not be StatusCode::none.
  Status(StatusCode code, std::string message)
      : failure(new Failure{code, std::move(message)}) {
    assert(code != StatusCode::none && "a failure needs a failure code");
  }

  Status(const Status &other)
      : failure(other.failure ? new Failure(*other.failure) : nullptr) {}
  Status(Status &&) noexcept = default;
  Status &operator=(const Status &other) { return *this = Status(other); }
  Status &operator=(Status &&) noexcept = default;
  ~Status() = default;

  static Status ok() { return Status(); }

  bool isOk() const { return !failure; }
  explicit operator bool() const = delete; // Ask isOk(): MLIR's is the inverse.
  StatusCode code() const { return failure ? failure->code : StatusCode::none; }
  /// Returns the message; it is empty for a success.
  const std::string &message() const {
    static const std::string none;
    return failure ? failure->message : none;
  }

  /// Returns the same failure with "\p context: " before its message. A success
  /// stays a success.
  Status withContext(std::string_view context) && {
    if (failure)
      failure->message.insert(0, ": ").insert(0, context);
    return std::move(*this);
  }

private:
  struct Failure {
    StatusCode code;
    std::string message;
  };
  std::unique_ptr<Failure> failure;
};

/// A value or the Status that explains its absence.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : storage(std::in_place_index<0>, std::move(value)) {}
  Result(Status failure) : storage(std::in_place_index<1>, std::move(failure)) {
    assert(!std::get<1>(storage).isOk() && "a success needs a value");
  }

  bool isOk() const { return storage.index() == 0; }
  /// Returns success when there is a value.
  Status status() const { return isOk() ? Status() : std::get<1>(storage); }
  Status takeStatus() && {
    return isOk() ? Status() : std::get<1>(std::move(storage));
  }

  T &operator*() & { return std::get<0>(storage); }
  const T &operator*() const & { return std::get<0>(storage); }
  T &&operator*() && { return std::get<0>(std::move(storage)); }
  T *operator->() { return &std::get<0>(storage); }
  const T *operator->() const { return &std::get<0>(storage); }

private:
  std::variant<T, Status> storage;
};

} // namespace nnhal::rt

/// Returns from the enclosing function when EXPRESSION is a failure.
#define NNHAL_RETURN_IF_ERROR(EXPRESSION)                                      \
  do {                                                                         \
    if (::nnhal::rt::Status nnhalStatus = (EXPRESSION); !nnhalStatus.isOk())   \
      return nnhalStatus;                                                      \
  } while (false)

#define NNHAL_DETAIL_CONCAT_(A, B) A##B
#define NNHAL_DETAIL_CONCAT(A, B) NNHAL_DETAIL_CONCAT_(A, B)
#define NNHAL_DETAIL_ASSIGN(RESULT, TARGET, EXPRESSION)                        \
  auto RESULT = (EXPRESSION);                                                  \
  if (!RESULT.isOk())                                                          \
    return std::move(RESULT).takeStatus();                                     \
  TARGET = *std::move(RESULT)

/// Declares or assigns TARGET from the Result EXPRESSION, or returns its
/// failure from the enclosing function.
#define NNHAL_ASSIGN_OR_RETURN(TARGET, EXPRESSION)                             \
  NNHAL_DETAIL_ASSIGN(NNHAL_DETAIL_CONCAT(nnhalResult, __LINE__), TARGET,      \
                      EXPRESSION)

#endif // NNHAL_RUNTIME_STATUS_H
