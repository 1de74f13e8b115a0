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

#include <utility>

namespace nnhal::rt {

/// An invalidArgument failure with a formatted message.
template <typename... Args>
Status badData(fmt::format_string<Args...> format, Args &&...args) {
  return Status(StatusCode::invalidArgument,
                fmt::format(format, std::forward<Args>(args)...));
}

/// A generalFailure with a formatted message.
template <typename... Args>
Status failure(fmt::format_string<Args...> format, Args &&...args) {
  return Status(StatusCode::generalFailure,
                fmt::format(format, std::forward<Args>(args)...));
}

/// A resourceExhaustedTransient failure with a formatted message.
template <typename... Args>
Status outOfResources(fmt::format_string<Args...> format, Args &&...args) {
  return Status(StatusCode::resourceExhaustedTransient,
                fmt::format(format, std::forward<Args>(args)...));
}

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_SUPPORT_ERRORS_H
