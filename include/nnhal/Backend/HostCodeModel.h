//===- HostCodeModel.h - Code for this machine's processor ------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_BACKEND_HOSTCODEMODEL_H
#define NNHAL_BACKEND_HOSTCODEMODEL_H

#include "nnhal/Backend/Backend.h"
#include "nnhal/Backend/EntryAbi.h"
#include "nnhal/Runtime/Api.h"

namespace nnhal::rt {

/// A model that is executed by calling code with the context of the entry ABI
/// (EntryAbi.h), as those of nnhal-cpu and nnhal-reference are. This class
/// turns invocations into contexts, with an arena, memory for tensors that the
/// code asks for, the clock, the workers and the hooks.
class NNHAL_API HostCodeModel : public LoadedModel {
public:
  /// Bytes of the arena that call() needs.
  virtual uint64_t arenaSize() const = 0;

  /// Executes once on the calling thread. Sizes, shapes and alignment of all
  /// arguments have been checked against interface(). Writes to every output
  /// its shape (its rank, too, where that is open; see InvocationArgument),
  /// whether it sufficed and, if so, its elements. Returns soon
  /// after *context.cancelFlag is not 0, with missedDeadlineTransient.
  virtual Status call(NNHalExecutionContext &context) const = 0;

  MemoryUse memoryUse() const override { return {.arena = arenaSize()}; }
  Result<std::unique_ptr<Workspace>>
  createWorkspace(const std::shared_ptr<MemoryBudget> &budget) const final;
  Status run(Invocation &invocation) const final;
};

} // namespace nnhal::rt

#endif // NNHAL_BACKEND_HOSTCODEMODEL_H
