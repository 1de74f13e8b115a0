//===- Errors.h - Failures with formatted messages --------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The factories stand beside Status.h, which users include, because installed
// headers need nothing but the standard library.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_SUPPORT_ERRORS_H
#define NNHAL_LIB_RUNTIME_SUPPORT_ERRORS_H

#include "nnhal/Runtime/Status.h"

#include <fmt/format.h>

namespace nnhal::rt {

/// A failure with a formatted message. There is one such function for all
/// messages: inline, each would also make and destroy strings.
Status formatFailure(StatusCode code, fmt::string_view format,
                     fmt::format_args args);

/// An invalidArgument failure with a formatted message.
template <typename... Args>
Status badData(fmt::format_string<Args...> format, Args &&...args) {
  return formatFailure(StatusCode::invalidArgument, format,
                       fmt::make_format_args(args...));
}

/// A generalFailure with a formatted message.
template <typename... Args>
Status failure(fmt::format_string<Args...> format, Args &&...args) {
  return formatFailure(StatusCode::generalFailure, format,
                       fmt::make_format_args(args...));
}

/// A resourceExhaustedTransient failure with a formatted message.
template <typename... Args>
Status outOfResources(fmt::format_string<Args...> format, Args &&...args) {
  return formatFailure(StatusCode::resourceExhaustedTransient, format,
                       fmt::make_format_args(args...));
}

/// A deviceUnavailable failure with a formatted message.
template <typename... Args>
Status deviceUnavailable(fmt::format_string<Args...> format, Args &&...args) {
  return formatFailure(StatusCode::deviceUnavailable, format,
                       fmt::make_format_args(args...));
}

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_SUPPORT_ERRORS_H
