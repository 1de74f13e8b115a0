//===- SharingChoice.h - Whether sharing loops pays -------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_CORE_SHARINGCHOICE_H
#define NNHAL_LIB_RUNTIME_CORE_SHARINGCHOICE_H

#include <array>
#include <cstdint>

namespace nnhal::rt {

/// Chooses for each execution of a model whether it shares its loops among
/// threads or runs them alone: the way that takes less time here and now.
///
/// The cost of sharing depends on how far from each other the cores are, on who
/// else uses them, and on whether the workers sleep; all of that changes while
/// a program runs. No single loop tells it: a loop that is kept whole between
/// shared ones has to fetch what they have written from the caches of other
/// cores. So the choice is made for whole executions, by their time.
///
/// Executions share at first. Now and then a trial takes the time of three as
/// they are, changes to the other way for one that nothing is concluded from,
/// because the caches do not have its data where it uses them, and then sees
/// which way is faster in two of three. A way that wins two trials in a row is
/// taken. The rest between two trials is so long that what they lose is half a
/// percent of all time.
///
/// Threads: one at a time.
class SharingChoice {
public:
  /// \p threads take part in a loop that is shared, two at least.
  explicit SharingChoice(unsigned threads);

  /// Whether the next execution shares its loops.
  bool sharesNext() const { return shares != isOther(); }
  /// Whether ended() uses the time of the next execution.
  bool timesNext() const { return step != Step::rest; }
  /// An execution has ended as sharesNext() said, and took \p nanoseconds if
  /// timesNext().
  void ended(int64_t nanoseconds);

private:
  /// The steps of a trial follow in this order.
  enum class Step { rest, usual, change, other };

  bool isOther() const { return step >= Step::change; }
  void charge(int64_t nanoseconds);
  void conclude(int64_t otherTime);
  void restFor(int64_t executions);
  /// Executions of \p usualTime after which \p lost nanoseconds are little.
  static int64_t executionsFor(int64_t lost, int64_t usualTime);

  unsigned threads;
  bool shares = true;
  Step step = Step::rest;
  int64_t resting;

  // The trial.
  std::array<int64_t, 3> usualTimes = {};
  unsigned taken = 0;
  int64_t usualTime = 0;
  /// Nanoseconds that executions of the other way took more than usual.
  int64_t lost = 0;
  unsigned faster = 0;
  unsigned slower = 0;
  /// Trials in a row that the other way has won.
  unsigned wins = 0;
};

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_CORE_SHARINGCHOICE_H
