//===- BurstExecutor.h - Executes requests of a burst -----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_BURST_BURSTEXECUTOR_H
#define NNHAL_LIB_RUNTIME_BURST_BURSTEXECUTOR_H

#include "Packets.h"

#include <memory>

namespace nnhal::rt {

class PreparedModel;
class SharedMemory;

/// The part of a burst's server that executes requests (G-010): bind() says
/// with which arguments, execute() executes with them, once or many times.
/// Threads: one at a time; the server holds a lock (G-061).
class BurstExecutor {
public:
  virtual ~BurstExecutor() = default;

  virtual void addCacheEntry(int32_t slot,
                             std::shared_ptr<SharedMemory> memory) = 0;
  /// Nothing for a slot without an entry. Unbinds.
  virtual void removeCacheEntry(int32_t slot) = 0;
  virtual bool isCacheEntryPresent(int32_t slot) const = 0;

  /// Takes the arguments of \p request, whose slots have entries;
  /// invalidArgument, naming the slot, for one that does not (G-063). Nothing
  /// is bound after a failure.
  virtual Status bind(const BurstRequest &request) = 0;
  /// Whether execute() has arguments: from a bind() until memory is let go of.
  virtual bool isBound() const = 0;
  /// Executes with the arguments that are bound.
  virtual Status execute(ExecutionResult &result) = 0;
};

/// Whether an executor keeps memories, and with them their mappings, from one
/// execution to the next.
enum class BurstCache : uint32_t { none, memories };

/// An executor over the synchronous executions of any prepared model.
std::unique_ptr<BurstExecutor>
createBurstExecutor(std::shared_ptr<const PreparedModel> model,
                    BurstCache cache);

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_BURST_BURSTEXECUTOR_H
