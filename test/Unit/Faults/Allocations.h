//===- Allocations.h - Counts and fails allocations -------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_UNIT_FAULTS_ALLOCATIONS_H
#define NNHAL_TEST_UNIT_FAULTS_ALLOCATIONS_H

#include "nnhal/Runtime/Status.h"

#include <cstddef>
#include <set>
#include <string>

namespace nnhal::rt {

/// How often this thread has called the default operator new.
size_t allocationsOfThisThread();

/// Lets one call of the default operator new on this thread throw
/// std::bad_alloc: the one after \p before others.
class AllocationFailure {
public:
  explicit AllocationFailure(size_t before);
  ~AllocationFailure();
  AllocationFailure(const AllocationFailure &) = delete;
  AllocationFailure &operator=(const AllocationFailure &) = delete;

  /// Whether the call has come.
  bool hasFailed() const;
  /// False where another library brings operator new, as the thread sanitizer
  /// does: no call fails then, and none is counted.
  static bool isPossible();
};

/// Calls \p work, which returns a Status, with each of its allocations failing
/// in turn, and then with none. Returns the messages of all failures, each with
/// its code; empty where no call can fail.
template <typename Work>
std::set<std::string> failuresWithoutMemory(const Work &work) {
  std::set<std::string> failures;
  if (!AllocationFailure::isPossible())
    return failures;
  for (size_t before = 0;; ++before) {
    Status status;
    bool hasFailed = false;
    {
      AllocationFailure failure(before);
      status = work();
      hasFailed = failure.hasFailed();
    }
    if (!status.isOk())
      failures.insert(std::string(toString(status.code())) + ": " +
                      status.message());
    if (!hasFailed)
      return failures;
  }
}

} // namespace nnhal::rt

#endif // NNHAL_TEST_UNIT_FAULTS_ALLOCATIONS_H
