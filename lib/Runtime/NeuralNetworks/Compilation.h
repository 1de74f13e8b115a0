//===- Compilation.h - A model made ready for devices -----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_NEURALNETWORKS_COMPILATION_H
#define NNHAL_LIB_RUNTIME_NEURALNETWORKS_COMPILATION_H

#include "Device.h"
#include "Library.h"
#include "Memory.h"
#include "Model.h"

#include "nnhal/Runtime/Partition.h"

#include <android/NeuralNetworks.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace nnhal::ndk {

/// Everything about an argument that an execution asks, known since finish.
struct ArgumentInfo {
  rt::InterfaceTensor tensor;
  bool isTensor = false;
  /// Whether the rank or an extent is left to executions.
  bool isOpen = false;
  /// OEM operands have any size (F-023).
  bool hasAnySize = false;
  /// The bytes, 0 while the argument is open.
  uint32_t size = 0;
  uint32_t elementSize = 0;
  /// The alignment with which code reads and writes the argument.
  uint32_t alignment = 1;
};

} // namespace nnhal::ndk

/// A compilation of the C interface.
///
/// Threads: one at a time until it is finished, then any (J-105).
struct ANeuralNetworksCompilation {
  /// \p devices are empty for all devices.
  ANeuralNetworksCompilation(nnhal::ndk::Library &library,
                             const ANeuralNetworksModel &model,
                             std::vector<const nnhal::ndk::Device *> devices);

  int setPreference(int32_t preference);
  int setCaching(const char *directory, const uint8_t *token);
  int setPriority(int priority);
  int setTimeout(uint64_t duration);
  int finish();

  bool isFinished() const { return state == State::finished; }
  /// Whether the client listed exactly one device (J-011, J-046).
  bool hasOneListedDevice() const { return listed.size() == 1; }
  bool isListed() const { return !listed.empty(); }
  /// Whether durations are not measured: nnapi-reference alone (D-071).
  bool ignoresTiming() const;
  /// Whether compute() executes on the thread of its caller (I-006).
  bool isSynchronous() const { return synchronous; }
  /// Whether some output's dimensions are left open by the model (J-066).
  bool hasOpenOutput() const { return openOutput; }

  nnhal::ndk::Library &library;
  /// Differs from that of every other compilation of the process.
  const uint64_t number;

  // A finished compilation has these:
  const nnhal::rt::PartitionedModel &prepared() const { return *ready; }
  const std::shared_ptr<nnhal::rt::PartitionedModel> &preparedModel() const {
    return ready;
  }
  const std::vector<nnhal::ndk::ArgumentInfo> &inputs() const {
    return inputInfos;
  }
  const std::vector<nnhal::ndk::ArgumentInfo> &outputs() const {
    return outputInfos;
  }
  nnhal::rt::ExecutionPreference executionPreference() const {
    return preference;
  }
  /// Where executions are recorded; null when they are not.
  nnhal::rt::RecordedModel *recorded() const { return recordedModel.get(); }

private:
  enum class State { configured, finished, failed };

  nnhal::rt::Result<std::shared_ptr<nnhal::rt::PartitionedModel>> prepare();
  std::optional<nnhal::rt::CacheToken> automaticToken() const;
  void describeArguments();
  void record();

  const std::shared_ptr<const nnhal::rt::AnnotatedModel> model;
  const std::vector<const nnhal::ndk::Device *> listed;
  State state = State::configured;
  nnhal::rt::ExecutionPreference preference =
      nnhal::rt::ExecutionPreference::fastSingleAnswer;
  nnhal::rt::Priority priority = nnhal::rt::Priority::medium;
  uint64_t timeout = 0;
  std::string cacheDirectory;
  std::optional<nnhal::rt::CacheToken> cacheToken;
  std::shared_ptr<nnhal::rt::PartitionedModel> ready;
  std::shared_ptr<nnhal::rt::RecordedModel> recordedModel;
  std::vector<nnhal::ndk::ArgumentInfo> inputInfos, outputInfos;
  bool synchronous = true;
  bool openOutput = false;
};

namespace nnhal::ndk {
using Compilation = ::ANeuralNetworksCompilation;

/// Returns the moment at which \p duration, in nanoseconds, ends when it begins
/// now; 0 is without end, and so is what the clock cannot say (J-101, D-076).
rt::Deadline deadlineAfter(uint64_t duration);

/// Looks \p handles up. BAD_DATA for an empty list, a device twice and one that
/// there is not (J-008, J-009).
int lookUpDevices(Library &library,
                  std::span<const ANeuralNetworksDevice *const> handles,
                  std::vector<const Device *> &devices);

/// Tells which operations any of \p devices supports (J-008).
int supportedOperations(const Library &library, const Model &model,
                        std::span<const Device *const> devices,
                        bool *supported);

} // namespace nnhal::ndk

#endif // NNHAL_LIB_RUNTIME_NEURALNETWORKS_COMPILATION_H
