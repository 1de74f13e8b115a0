//===- StepCount.h - The steps of the models of a client --------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_NDK_STEPCOUNT_H
#define NNHAL_TEST_NDK_STEPCOUNT_H

#include "nnhal/Runtime/Model.h"

#include <array>
#include <mutex>
#include <string>

namespace nnhal::test {

/// How many steps the NDK library divides models into. The C interface does not
/// tell; the library logs every plan that it makes, on the thread of the call.
///
/// Threads: any.
class StepCount {
public:
  /// Turns the log of plans on. Standard error goes through this object's
  /// functions from now on, and lines of plans end there. Called before the
  /// library is, once in a process.
  static void listen();

  /// Counts \p model, whose compilation has ended on this thread.
  void add(const rt::Model &model);

  /// "models with 3 operations or more: ...", the same of smaller ones, and of
  /// those with values of unknown size, which cannot be divided anywhere. The
  /// operations are those of the main graph.
  std::string summary() const;

  /// Whether most models with at least three operations, and without values of
  /// unknown size, have at least three steps; fewer than 50 may have any.
  bool areMostDivided() const;

  /// How many steps were loaded from the cache.
  static uint64_t cacheHits();

private:
  /// Models with one, two, and three steps or more.
  using Tally = std::array<uint64_t, 3>;

  mutable std::mutex mutex;
  Tally large = {};
  Tally small = {};
  Tally open = {};
};

} // namespace nnhal::test

#endif // NNHAL_TEST_NDK_STEPCOUNT_H
