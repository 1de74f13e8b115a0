//===- StepCount.cpp - The steps of the models of a client ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepCount.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <unistd.h>

using namespace nnhal;
using namespace nnhal::test;

static constexpr size_t largeModel = 3;
/// Fewer models than these say nothing about most of them.
static constexpr uint64_t enoughModels = 50;

/// The steps of the last plan that this thread has made.
static thread_local size_t lastSteps = 0;

/// The preparations of any step that were hits of the cache.
static std::atomic<uint64_t> hits = 0;

/// Reads "nnhal: compilation: plan: compound, 5 steps, estimate 3".
static void readPlan(std::string_view line) {
  size_t comma = line.find(", ");
  if (line.find("compilation: plan: ") == line.npos || comma == line.npos)
    return;
  const char *digits = line.data() + comma + 2;
  std::from_chars(digits, line.data() + line.size(), lastSteps);
}

/// The stream is not buffered: what a thread writes arrives in one piece, on
/// that thread.
static ssize_t writeCookie(void *, const char *text, size_t size) {
  std::string_view line(text, size);
  if (!line.starts_with("nnhal: compilation: "))
    return ::write(STDERR_FILENO, text, size);
  readPlan(line);
  if (line.find("compilation: cache: hit") != line.npos)
    ++hits;
  return ssize_t(size);
}

void StepCount::listen() {
  setenv("NNHAL_VLOG", "compilation", /*replace=*/1);
  std::FILE *stream =
      ::fopencookie(nullptr, "w", {nullptr, writeCookie, {}, {}});
  if (!stream)
    std::abort();
  std::setvbuf(stream, nullptr, _IONBF, 0);
  stderr = stream;
}

/// Whether a value of \p graph has a size that nobody knows beforehand: it
/// cannot leave a step (I-029).
static bool hasOpenValues(const rt::Subgraph &graph) {
  return std::ranges::any_of(graph.operands, [](const rt::Operand &operand) {
    return operand.lifetime == rt::OperandLifeTime::TEMPORARY_VARIABLE &&
           rt::byteSizeOf(operand).value_or(0) == 0;
  });
}

void StepCount::add(const rt::Model &model) {
  std::lock_guard lock(mutex);
  Tally &tally = hasOpenValues(model.main)                   ? open
                 : model.main.operations.size() < largeModel ? small
                                                             : large;
  tally[std::clamp<size_t>(lastSteps, 1, tally.size()) - 1] += 1;
  lastSteps = 0;
}

std::string StepCount::summary() const {
  std::lock_guard lock(mutex);
  auto describe = [](const Tally &tally) {
    return fmt::format("{} in 3 steps or more, {} in 2, {} in 1", tally[2],
                       tally[1], tally[0]);
  };
  return fmt::format("models with 3 operations or more: {}\n"
                     "smaller models: {}\n"
                     "models with values of unknown size: {}\n",
                     describe(large), describe(small), describe(open));
}

uint64_t StepCount::cacheHits() { return hits; }

bool StepCount::areMostDivided() const {
  std::lock_guard lock(mutex);
  uint64_t fewer = large[0] + large[1];
  return large[2] + fewer < enoughModels || large[2] > fewer;
}
