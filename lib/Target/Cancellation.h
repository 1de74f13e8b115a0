//===- Cancellation.h - Whether a compilation shall stop --------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TARGET_CANCELLATION_H
#define NNHAL_LIB_TARGET_CANCELLATION_H

#include "mlir/IR/MLIRContext.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

namespace nnhal {

/// Whether whoever asked for a compilation still wants it. The client is asked
/// on the thread that made the object, and only until it has said that the
/// compilation shall stop; other threads learn what it has said last.
class Cancellation {
public:
  /// \p question returns true when the compilation shall stop. It may be empty,
  /// and nothing is cancelled then.
  explicit Cancellation(std::function<bool()> question);

  /// Asks now where the calling thread may; true once the client has said so.
  bool ask();
  /// ask(), at most once in a millisecond: for what runs often.
  bool poll();
  bool isRequested() const { return requested.load(std::memory_order_relaxed); }

  /// From a request on, passes and patterns are not run that \p context would
  /// run. What the passes leave is not valid IR for the next phase. This object
  /// must outlive the context.
  void watch(mlir::MLIRContext &context);

private:
  bool mayAsk() const {
    return question && std::this_thread::get_id() == owner;
  }

  const std::function<bool()> question;
  const std::thread::id owner;
  /// Used by the owner only.
  std::chrono::steady_clock::time_point nextQuestion;
  std::atomic<bool> requested = false;
};

} // namespace nnhal

#endif // NNHAL_LIB_TARGET_CANCELLATION_H
