//===- Log.cpp - Lines for a person who looks for a cause -----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/Log.h"

#include "LogFormat.h"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <new>
#include <string>

using namespace nnhal;
using namespace nnhal::rt;

// The names are in the order of the bits.
static constexpr std::string_view tagNames[] = {
    "model",   "compilation", "execution", "cpuexe",
    "manager", "driver",      "memory"};
static_assert(logEverything == (1u << std::size(tagNames)) - 1);

std::string_view rt::toString(LogTag tag) { return tagNames[uint32_t(tag)]; }

namespace {
/// Puts errno back at the end of a scope.
class ErrnoKeeper {
public:
  ErrnoKeeper() = default;
  ErrnoKeeper(const ErrnoKeeper &) = delete;
  ErrnoKeeper &operator=(const ErrnoKeeper &) = delete;
  ~ErrnoKeeper() { errno = saved; }

private:
  int saved = errno;
};
} // namespace

/// One line without control characters.
static std::string makeLine(std::string_view prefix, std::string_view text) {
  std::string line = fmt::format("{}: {}", prefix, text);
  std::ranges::replace_if(
      line,
      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; },
      ' ');
  return line;
}

uint32_t rt::parseLogMask(std::string_view text, const LogSink &errors) {
  constexpr std::string_view separators = " ,:";
  uint32_t mask = 0;
  for (size_t begin = 0;
       (begin = text.find_first_not_of(separators, begin)) != text.npos;) {
    size_t end = std::min(text.find_first_of(separators, begin), text.size());
    std::string_view tag = text.substr(begin, end - begin);
    begin = end;
    if (tag == "0")
      continue;
    if (tag == "1" || tag == "all") {
      mask = logEverything;
      continue;
    }
    const auto *known = std::ranges::find(tagNames, tag);
    if (known != std::end(tagNames))
      mask |= 1u << (known - std::begin(tagNames));
    else if (errors)
      errors(makeLine("error", fmt::format("unknown log tag '{}'; known tags: "
                                           "all, {}",
                                           tag, fmt::join(tagNames, ", "))));
  }
  return mask;
}

Log::Log(uint32_t mask, LogSink sink)
    : mask(sink ? mask : 0), sink(std::move(sink)) {}

// A log that fails what it reports on helps nobody: it says so and goes on.
static constexpr std::string_view lostText = "no memory for a line of the log";
static constexpr std::string_view lostLine =
    "error: no memory for a line of the log";

void Log::writeLine(std::string_view prefix, std::string_view text) const {
  ErrnoKeeper errnoKeeper;
  std::scoped_lock lock(mutex);
  try {
    sink(makeLine(prefix, text));
  } catch (const std::bad_alloc &) {
    sink(lostLine);
  }
}

void Log::write(LogTag tag, std::string_view text) const {
  if (isOn(tag))
    writeLine(toString(tag), text);
}

void Log::error(std::string_view text) const {
  if (sink)
    writeLine("error", text);
}

/// Passes the formatted text, or why there is none, to \p write.
template <typename Write>
static void withFormatted(fmt::string_view format, fmt::format_args args,
                          Write write) {
  ErrnoKeeper errnoKeeper;
  std::string text;
  try {
    text = fmt::vformat(format, args);
  } catch (const std::bad_alloc &) {
    write(lostText);
    return;
  }
  write(text);
}

void rt::vwriteLog(const Log &log, LogTag tag, fmt::string_view format,
                   fmt::format_args args) {
  withFormatted(format, args,
                [&](std::string_view text) { log.write(tag, text); });
}

void rt::vwriteError(const Log &log, fmt::string_view format,
                     fmt::format_args args) {
  withFormatted(format, args, [&](std::string_view text) { log.error(text); });
}

void Log::writeLines(LogTag tag, std::string_view text) const {
  if (!isOn(tag))
    return;
  ErrnoKeeper errnoKeeper;
  std::scoped_lock lock(mutex);
  try {
    while (!text.empty()) {
      size_t end = std::min(text.find('\n'), text.size());
      sink(makeLine(toString(tag), text.substr(0, end)));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  } catch (const std::bad_alloc &) {
    sink(lostLine);
  }
}
