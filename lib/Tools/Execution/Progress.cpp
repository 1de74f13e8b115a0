//===- Progress.cpp - Progress of a compilation ---------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <unistd.h>

using namespace nnhal;
using namespace nnhal::tools;

Progress::Progress(std::function<void(std::string_view)> receiver)
    : receiver(std::move(receiver)),
      isTerminal(!this->receiver && isatty(STDERR_FILENO) != 0) {}

void Progress::clearLine() {
  if (hasLine)
    fmt::print(stderr, "\r\x1b[K");
  hasLine = false;
}

void Progress::warn(std::string_view text) {
  if (receiver)
    return receiver(text);
  clearLine();
  fmt::print(stderr, "warning: {}\n", text);
}

rt::CompileObserver Progress::observer() {
  rt::CompileObserver observer;
  observer.diagnostic = [this](bool isError, std::string_view text) {
    if (isError) {
      errors.emplace_back(text);
      return;
    }
    warn(text);
  };
  observer.progress = [this](std::string_view phase, uint32_t done,
                             uint32_t total) {
    beginPhase(phase);
    if (!isTerminal)
      return;
    clearLine();
    fmt::print(stderr, "compiling: {} ({}/{})", phase, done + 1, total);
    std::fflush(stderr);
    hasLine = true;
  };
  return observer;
}

void Progress::beginPhase(std::string_view name) {
  endPhase();
  auto known = std::ranges::find(phaseTimes, name, &CompilePhase::name);
  running = size_t(known - phaseTimes.begin());
  if (known == phaseTimes.end())
    phaseTimes.push_back({std::string(name)});
  begun = std::chrono::steady_clock::now();
}

void Progress::endPhase() {
  if (!running)
    return;
  auto time = std::chrono::steady_clock::now() - begun;
  phaseTimes[*running].microseconds +=
      std::chrono::duration_cast<std::chrono::microseconds>(time).count();
  running.reset();
}

rt::Status Progress::finish(rt::Status status) {
  clearLine();
  endPhase();
  // The status has the first error; the others follow on their own lines.
  if (status.isOk() || errors.size() < 2)
    return status;
  return rt::Status(status.code(),
                    fmt::format("{}", fmt::join(errors, "\nerror: ")));
}
