//===- Event.h - The end of an execution ------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_NEURALNETWORKS_EVENT_H
#define NNHAL_LIB_RUNTIME_NEURALNETWORKS_EVENT_H

#include "nnhal/Runtime/Fence.h"
#include "nnhal/Runtime/PreparedModel.h"
#include "nnhal/Runtime/SharedMemory.h"

#include <android/NeuralNetworks.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace nnhal::ndk {

/// The memories behind descriptors that arguments of an execution are in. They
/// end with the objects of the client, not with whoever asks for a result.
using Pools = std::vector<std::weak_ptr<const rt::SharedMemory>>;

Pools poolsOf(const rt::Request &request);

/// Returns the result code of an execution with arguments in \p pools. A
/// failure is UNMAPPABLE where one of them cannot be read or written (J-095,
/// D-103): devices have no status that says so.
int resultCodeOf(const rt::Status &status, const Pools &pools);

/// A result code that comes once.
///
/// Threads: any.
class Completion {
public:
  void set(int code);
  int wait();

private:
  std::mutex mutex;
  std::condition_variable arrived;
  std::optional<int> result;
};

} // namespace nnhal::ndk

/// An event of the C interface: of an execution with or without a fence, or of
/// a fence alone.
///
/// Threads: any; it is freed after all waits (J-107).
struct ANeuralNetworksEvent {
  explicit ANeuralNetworksEvent(
      std::shared_ptr<nnhal::ndk::Completion> completion)
      : completion(std::move(completion)) {}
  explicit ANeuralNetworksEvent(nnhal::rt::FenceRef fence)
      : fence(std::move(fence)) {}
  ANeuralNetworksEvent(std::shared_ptr<nnhal::rt::FencedExecution> execution,
                       nnhal::ndk::Pools pools)
      : fence(execution->fence()), execution(std::move(execution)),
        pools(std::move(pools)) {}

  /// Returns the result code when it has come (J-095, J-102).
  int wait();

  /// At most one of them is null, but for fences of executions that had ended.
  const std::shared_ptr<nnhal::ndk::Completion> completion;
  const nnhal::rt::FenceRef fence;
  const std::shared_ptr<nnhal::rt::FencedExecution> execution;

private:
  const nnhal::ndk::Pools pools;
};

namespace nnhal::ndk {
using Event = ::ANeuralNetworksEvent;
} // namespace nnhal::ndk

#endif // NNHAL_LIB_RUNTIME_NEURALNETWORKS_EVENT_H
