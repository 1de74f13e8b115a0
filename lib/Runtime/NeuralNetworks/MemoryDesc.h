//===- MemoryDesc.h - Descriptions of memories ------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_NEURALNETWORKS_MEMORYDESC_H
#define NNHAL_LIB_RUNTIME_NEURALNETWORKS_MEMORYDESC_H

#include "Compilation.h"
#include "Memory.h"

#include "nnhal/Runtime/Partition.h"

#include <android/NeuralNetworks.h>

#include <memory>
#include <optional>
#include <span>
#include <vector>

/// A description of the C interface (F-062 to F-067). A failing call changes
/// nothing (F-065).
///
/// Threads: one at a time.
struct ANeuralNetworksMemoryDesc {
  int addRole(const ANeuralNetworksCompilation &compilation, bool isInput,
              uint32_t index, float frequency);
  int setDimensions(std::span<const uint32_t> dimensions);
  int finish();
  /// Makes a memory of the one device that has all roles; without one, shared
  /// memory where that is allowed (F-069, F-070).
  int createMemory(ANeuralNetworksMemory **memory) const;

private:
  /// A role with the models behind it, which live as long.
  struct Use {
    nnhal::ndk::Role role;
    float frequency = 1;
    bool isListed = false;
    std::shared_ptr<nnhal::rt::PartitionedModel> model;
  };

  std::shared_ptr<nnhal::rt::Buffer>
  allocate(const nnhal::rt::Device **device) const;
  nnhal::ndk::Description describe() const;

  std::vector<Use> uses;
  std::optional<nnhal::rt::InterfaceTensor> type;
  bool isTensor = true;
  std::vector<uint32_t> dimensions;
  bool isFinished = false;
};

namespace nnhal::ndk {
using MemoryDesc = ::ANeuralNetworksMemoryDesc;
} // namespace nnhal::ndk

#endif // NNHAL_LIB_RUNTIME_NEURALNETWORKS_MEMORYDESC_H
