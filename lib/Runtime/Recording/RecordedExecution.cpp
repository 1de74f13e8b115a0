//===- RecordedExecution.cpp - An execution that is recorded --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecordedExecution.h"

#include "Runtime/Support/Errors.h"

using namespace nnhal::rt;

Result<std::shared_ptr<FencedExecution>>
RecordedExecution::create(std::shared_ptr<FencedExecution> execution,
                          Function hasEnded, Reactor &reactor) {
  NNHAL_ASSIGN_OR_RETURN(FenceRef told, Fence::create());
  FenceRef fence = execution->fence();
  auto made = std::make_shared<RecordedExecution>(execution, told);
  // The handler holds the fence that it waits for, and its execution.
  auto handler = [execution = std::move(execution), fence, told,
                  hasEnded = std::move(hasEnded)](Status outcome) {
    hasEnded(*execution);
    told->complete(std::move(outcome));
  };
  NNHAL_RETURN_IF_ERROR(
      reactor.whenAll({std::move(fence)}, noDeadline, std::move(handler)));
  return std::shared_ptr<FencedExecution>(std::move(made));
}

ExecutionInfo RecordedExecution::executionInfo() const {
  if (told->poll() == FenceState::active)
    return {failure("the execution has not ended"), {}, {}};
  return execution->executionInfo();
}
