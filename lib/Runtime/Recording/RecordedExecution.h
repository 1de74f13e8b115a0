//===- RecordedExecution.h - An execution that is recorded ------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_RECORDING_RECORDEDEXECUTION_H
#define NNHAL_LIB_RUNTIME_RECORDING_RECORDEDEXECUTION_H

#include "nnhal/Runtime/PreparedModel.h"
#include "nnhal/Runtime/Reactor.h"

namespace nnhal::rt {

/// A fenced execution whose fence signals when that of another one has, and a
/// function has been called: until then nobody who waits gives memory back.
///
/// Threads: any.
class RecordedExecution final : public FencedExecution {
public:
  using Function = std::function<void(const FencedExecution &ended)>;

  /// Lets \p reactor call \p hasEnded when \p execution, which has a fence, has
  /// ended. Fails with resourceExhaustedTransient where the system has no
  /// descriptor or thread; may throw std::bad_alloc.
  static Result<std::shared_ptr<FencedExecution>>
  create(std::shared_ptr<FencedExecution> execution, Function hasEnded,
         Reactor &reactor);

  RecordedExecution(std::shared_ptr<FencedExecution> execution, FenceRef told)
      : execution(std::move(execution)), told(std::move(told)) {}

  FenceRef fence() const override { return told; }
  ExecutionInfo executionInfo() const override;

private:
  const std::shared_ptr<FencedExecution> execution;
  const FenceRef told;
};

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_RECORDING_RECORDEDEXECUTION_H
