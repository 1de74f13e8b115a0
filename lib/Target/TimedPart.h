//===- TimedPart.h - How long parts of a compilation take -------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TARGET_TIMEDPART_H
#define NNHAL_LIB_TARGET_TIMEDPART_H

#include "llvm/ADT/StringRef.h"

#include <chrono>
#include <functional>
#include <string>
#include <utility>

namespace nnhal {

/// Is told of a part of a compilation, a pass or the code of a kernel, that has
/// ended on the calling thread, and how long it took.
/// Threads: any, several at once.
using PartObserver =
    std::function<void(llvm::StringRef name, std::chrono::nanoseconds time)>;

/// The part of a compilation that lasts as long as the object lives.
class [[nodiscard]] TimedPart {
public:
  /// \p observer, which may be empty, outlives the object.
  TimedPart(const PartObserver &observer, std::string name)
      : observer(observer), name(std::move(name)), begin(Clock::now()) {}
  TimedPart(const TimedPart &) = delete;
  TimedPart &operator=(const TimedPart &) = delete;
  ~TimedPart() {
    if (observer)
      observer(name, Clock::now() - begin);
  }

private:
  using Clock = std::chrono::steady_clock;

  const PartObserver &observer;
  const std::string name;
  const Clock::time_point begin;
};

} // namespace nnhal

#endif // NNHAL_LIB_TARGET_TIMEDPART_H
