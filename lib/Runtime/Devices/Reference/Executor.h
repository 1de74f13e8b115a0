//===- Executor.h - Runs a model operation by operation ---------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_DEVICES_REFERENCE_EXECUTOR_H
#define NNHAL_LIB_RUNTIME_DEVICES_REFERENCE_EXECUTOR_H

#include "Runtime/Routines/Routine.h"

#include "nnhal/Backend/EntryAbi.h"
#include "nnhal/Runtime/DeviceServices.h"
#include "nnhal/Runtime/Execution.h"
#include "nnhal/Runtime/Log.h"
#include "nnhal/Runtime/MemoryBudget.h"

#include <functional>

namespace nnhal::rt::reference {

/// The routine of \p type; null for control flow, extension and OEM operations.
Routine lookUpRoutine(OperationType type);

/// A tensor or a scalar while a model runs.
struct Value {
  /// All extents are known.
  TensorType type;
  bool isOmitted = false;
  std::span<const std::byte> bytes;
  /// Keeps computed bytes; null for those of models and requests.
  std::shared_ptr<const Elements<std::byte>> owner;
};

/// One execution of one model.
///
/// Threads: none; make one per execution.
class Executor {
public:
  /// The surroundings that an execution depends on.
  struct Limits {
    Deadline deadline = noDeadline;
    /// Nanoseconds for one WHILE.
    uint64_t loopTimeout = defaultLoopTimeout;
    /// Steady-clock nanoseconds.
    std::function<int64_t()> clock;
    /// Bytes of one tensor.
    uint64_t tensorLimit = UINT32_MAX;
    /// A value other than 0 asks to stop before the next operation. The pointer
    /// may be null.
    const volatile uint32_t *cancelFlag = nullptr;
    /// The hook is told of each operation of the main subgraph. It may be null.
    NNHalTraceHook traceHook = nullptr;
    void *traceContext = nullptr;
    /// The budget of all tensors and of the memory that routines keep beside
    /// them. It may be null.
    MemoryBudget *budget = nullptr;
    /// The extensions whose operations the model may have.
    std::span<const InstalledExtension> extensions;
    /// The log is told of each operation (LogTag::cpuexe). It may be null.
    const Log *log = nullptr;
  };

  /// \p model is valid, its pools hold bytes, and both outlive the executor.
  Executor(const Model &model, Limits limits)
      : model(model), limits(std::move(limits)) {}

  /// Runs the main subgraph with \p inputs, of which none is omitted that the
  /// model needs. Fails with generalFailure, which names the operation, the
  /// found value and the bound, and with missedDeadlineTransient when the
  /// deadline passed or a loop ran for too long (D-084).
  Result<std::vector<Value>> run(std::vector<Value> inputs);

private:
  class Scope;
  Result<std::vector<Value>> runSubgraph(const Subgraph &subgraph,
                                         std::vector<Value> inputs);
  Result<std::vector<Value>> runOperation(const Scope &scope,
                                          const Operation &operation);
  class StoredOutputs;
  Result<std::vector<Value>> inputsOf(const Scope &scope,
                                      const Operation &operation) const;
  OperationView viewOf(const Scope &scope, const Operation &operation,
                       std::span<const Value> inputs) const;
  Result<std::vector<Value>> runRoutine(const Scope &scope,
                                        const Operation &operation);
  Result<std::vector<Value>> runExtension(const Scope &scope,
                                          const Operation &operation);
  Result<std::vector<Value>> runIf(const Scope &scope,
                                   const Operation &operation);
  Result<std::vector<Value>> runWhile(const Scope &scope,
                                      const Operation &operation);
  Status checkCancelled() const;
  void trace(const Subgraph &subgraph, size_t operation, bool isEnd) const;
  Status checkSize(const TensorType &type, uint32_t elementSize) const;
  template <typename Compute> Status runCounted(Compute compute) const;

  const Model &model;
  Limits limits;
};

} // namespace nnhal::rt::reference

#endif // NNHAL_LIB_RUNTIME_DEVICES_REFERENCE_EXECUTOR_H
