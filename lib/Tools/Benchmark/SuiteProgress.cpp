//===- SuiteProgress.cpp - What a terminal shows of a suite ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SuiteProgress.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <unistd.h>

using namespace nnhal;
using namespace nnhal::tools;

SuiteProgress::SuiteProgress()
    : isTerminal(isatty(STDERR_FILENO) != 0),
      begin(std::chrono::steady_clock::now()) {}

std::string tools::progressText(size_t done, size_t total,
                                const RunName &current, double seconds) {
  std::string text = fmt::format("{} ({}/{}", current.text(), done + 1, total);
  if (done > 0) {
    auto left =
        uint64_t(std::ceil(seconds / double(done) * double(total - done)));
    text += left < 60 ? fmt::format(", {} s left", left)
                      : fmt::format(", {} min {} s left", left / 60, left % 60);
  }
  return text + ")";
}

void SuiteProgress::show(size_t done, size_t total, const RunName &current) {
  std::chrono::duration<double> taken =
      std::chrono::steady_clock::now() - begin;
  fmt::print(stderr, "\r\x1b[K{}",
             progressText(done, total, current, taken.count()));
  std::fflush(stderr);
  hasLine = true;
}

void SuiteProgress::finish() {
  if (hasLine)
    fmt::print(stderr, "\r\x1b[K");
  hasLine = false;
}

SuiteObserver SuiteProgress::observer() {
  SuiteObserver observer;
  if (isTerminal)
    observer.waiting = [this](size_t done, size_t total,
                              const RunName &current) {
      show(done, total, current);
    };
  observer.ended = [this](const RunResult &run) {
    finish();
    if (run.hasFailed())
      fmt::print(stderr, "note: {}: {}\n", run.name.text(), run.benchmarkError);
  };
  return observer;
}
