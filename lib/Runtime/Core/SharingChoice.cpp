//===- SharingChoice.cpp - Whether sharing loops pays ---------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharingChoice.h"

#include <algorithm>

using namespace nnhal::rt;

/// The rest between two trials takes so many times what the first one lost.
static constexpr int64_t timesOfLoss = 200;
/// Executions of the other way in a trial that both of its first comparisons
/// end.
static constexpr int64_t usualTrial = 3;
/// A first trial is taken to lose all that threads can gain. With this rest
/// two threads lose 1 % until it has ended, the others 0.5 %.
static constexpr int64_t firstRest = 320;
/// With very many threads it would come too late to be of use.
static constexpr int64_t longestFirstRest = 4096;
/// The shortest rest: trials that lose nothing still read the clock.
static constexpr int64_t shortestRest = 64;
/// Rest before a trial that is to confirm another: the caches have the data of
/// the usual way again.
static constexpr int64_t confirmingRest = 4;
static constexpr unsigned winsToChange = 2;
static constexpr unsigned comparisonsToWin = 2;
/// The other way is faster when it takes less by a part of so many: not by
/// noise alone.
static constexpr int64_t leastGain = 100;

SharingChoice::SharingChoice(unsigned threads)
    : threads(std::max(threads, 2u)),
      resting(
          std::min(firstRest * int64_t(this->threads - 1), longestFirstRest)) {}

void SharingChoice::restFor(int64_t executions) {
  step = Step::rest;
  resting = executions;
  taken = 0;
  lost = 0;
  faster = 0;
  slower = 0;
}

int64_t SharingChoice::executionsFor(int64_t lost, int64_t usualTime) {
  return std::max(shortestRest,
                  lost * timesOfLoss / std::max<int64_t>(usualTime, 1));
}

/// One execution that the system interrupts does not put the next trial off for
/// long.
void SharingChoice::charge(int64_t nanoseconds) {
  lost += std::min(nanoseconds - usualTime, usualTime * int64_t(threads));
}

void SharingChoice::conclude(int64_t otherTime) {
  if (faster < comparisonsToWin) {
    wins = 0;
    return restFor(executionsFor(lost, usualTime));
  }
  if (++wins < winsToChange)
    return restFor(confirmingRest);
  wins = 0;
  shares = !shares;
  // A trial of the way that was the usual one until now will lose as much.
  restFor(executionsFor(usualTrial * (usualTime - otherTime), otherTime));
}

void SharingChoice::ended(int64_t nanoseconds) {
  switch (step) {
  case Step::rest:
    if (--resting <= 0)
      step = Step::usual;
    return;
  case Step::usual:
    usualTimes[taken] = nanoseconds;
    if (++taken < usualTimes.size())
      return;
    std::ranges::sort(usualTimes);
    usualTime = usualTimes[usualTimes.size() / 2];
    step = Step::change;
    return;
  case Step::change:
    charge(nanoseconds);
    step = Step::other;
    return;
  case Step::other:
    charge(nanoseconds);
    ++(nanoseconds < usualTime - usualTime / leastGain ? faster : slower);
    if (faster == comparisonsToWin || slower == comparisonsToWin)
      conclude(nanoseconds);
    return;
  }
}
