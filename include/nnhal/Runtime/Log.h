//===- Log.h - Lines for a person who looks for a cause ---------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The HAL's verbose log (K-001 to K-005, K-015) as an object that a program
// makes and passes in. Nothing here reads the environment: a program that has a
// setting such as NNHAL_VLOG hands its text to parseLogMask().
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_RUNTIME_LOG_H
#define NNHAL_RUNTIME_LOG_H

#include "nnhal/Runtime/Api.h"

#include <cstdint>
#include <functional>
#include <mutex>
#include <string_view>
#include <utility>

namespace nnhal::rt {

/// The subject of a line; the value is the bit of the mask (K-002).
enum class LogTag : uint32_t {
  model = 0,
  compilation = 1,
  execution = 2,
  cpuexe = 3,
  manager = 4,
  driver = 5,
  memory = 6,
};

/// Returns "model" to "memory".
NNHAL_API std::string_view toString(LogTag tag);

/// Returns the mask with \p tag alone.
constexpr uint32_t maskOf(LogTag tag) { return uint32_t(1) << uint32_t(tag); }

/// The mask of every tag.
inline constexpr uint32_t logEverything = (maskOf(LogTag::memory) << 1) - 1;

/// Receives one line without its end of line. Must not throw.
using LogSink = std::function<void(std::string_view line)>;

/// Returns the mask that \p text asks for: tags separated by spaces, commas or
/// colons; "1" and "all" are every tag, "0" and the empty text are none (K-001
/// to K-003). An unknown tag is reported to \p errors, when there is one, and
/// ignored.
NNHAL_API uint32_t parseLogMask(std::string_view text, const LogSink &errors);

/// A log.
///
/// Ownership: the log owns the sink. Its users refer to the log, which lives
///            longer.
/// Threads:   every member may be called from any thread at once. The sink is
///            called by one thread at a time, and never from itself: it must
///            not write to this log.
/// Blocking:  while another thread is in the sink.
/// Failures:  none reach the caller; a line for which there is no memory is
///            replaced by one that says so. errno is preserved (K-005).
class NNHAL_API Log {
public:
  /// Makes a log that is off.
  Log() = default;
  /// Makes a log that writes lines of the tags in \p mask, and errors, to
  /// \p sink. An empty sink makes a log that is off.
  Log(uint32_t mask, LogSink sink);
  Log(const Log &) = delete;
  Log &operator=(const Log &) = delete;

  /// Whether lines of \p tag go anywhere: one test of a bit (K-004). Callers
  /// ask before they collect information that is costly to collect (K-015).
  bool isOn(LogTag tag) const { return (mask & maskOf(tag)) != 0; }

  /// Writes "TAG: " and \p text as one line when \p tag is on; control
  /// characters become spaces, so that a name from a model cannot pretend to be
  /// a line.
  void write(LogTag tag, std::string_view text) const;

  /// Writes "error: " and \p text as one line, whatever the mask.
  void error(std::string_view text) const;

  /// Writes each line of \p text as a line of \p tag, with no other thread's
  /// lines among them.
  void writeLines(LogTag tag, std::string_view text) const;

private:
  void writeLine(std::string_view prefix, std::string_view text) const;

  uint32_t mask = 0;
  LogSink sink;
  mutable std::mutex mutex;
};

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_LOG_H
