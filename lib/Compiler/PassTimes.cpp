//===- PassTimes.cpp - How long each pass takes ---------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PassTimes.h"

#include "mlir/Pass/Pass.h"
#include "llvm/ADT/DenseMap.h"

#include <mutex>

using namespace mlir;
using namespace nnhal;

namespace {
class PassTimes final : public PassInstrumentation {
public:
  explicit PassTimes(const PartObserver &observer) : observer(observer) {}

private:
  void runBeforePass(Pass *pass, Operation *op) override {
    std::lock_guard lock(mutex);
    begun[{pass, op}] = Clock::now();
  }
  void runAfterPass(Pass *pass, Operation *op) override { tell(pass, op); }
  void runAfterPassFailed(Pass *pass, Operation *op) override {
    tell(pass, op);
  }

  /// An adaptor that runs passes on nested operations is a pass, too; it has no
  /// name that a pipeline could state, and is left out.
  void tell(Pass *pass, Operation *op) {
    Clock::time_point end = Clock::now(), begin;
    {
      std::lock_guard lock(mutex);
      auto found = begun.find({pass, op});
      begin = found->second;
      begun.erase(found);
    }
    if (!pass->getArgument().empty())
      observer(pass->getArgument(), end - begin);
  }

  using Clock = std::chrono::steady_clock;

  const PartObserver &observer;
  std::mutex mutex;
  llvm::DenseMap<std::pair<Pass *, Operation *>, Clock::time_point> begun;
};
} // namespace

std::unique_ptr<PassInstrumentation>
nnhal::createPassTimes(const PartObserver &observer) {
  return std::make_unique<PassTimes>(observer);
}
