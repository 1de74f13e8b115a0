//===- LogFormat.h - Lines of the log with formatted text -------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions format nothing for a log that would drop the line. They keep
// errno, and a line for which there is no memory becomes one that says so.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_SUPPORT_LOGFORMAT_H
#define NNHAL_LIB_RUNTIME_SUPPORT_LOGFORMAT_H

#include "nnhal/Runtime/Log.h"

#include <fmt/format.h>

namespace nnhal::rt {

/// Log::write() of the text that \p format and \p args make.
void vwriteLog(const Log &log, LogTag tag, fmt::string_view format,
               fmt::format_args args);
/// Log::error() of the text that \p format and \p args make.
void vwriteError(const Log &log, fmt::string_view format,
                 fmt::format_args args);

template <typename... Args>
void writeLog(const Log &log, LogTag tag, fmt::format_string<Args...> format,
              Args &&...args) {
  if (log.isOn(tag))
    vwriteLog(log, tag, format, fmt::make_format_args(args...));
}

template <typename... Args>
void writeError(const Log &log, fmt::format_string<Args...> format,
                Args &&...args) {
  vwriteError(log, format, fmt::make_format_args(args...));
}

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_SUPPORT_LOGFORMAT_H
