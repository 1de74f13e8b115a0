//===- Burst.h - A burst of executions --------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_NEURALNETWORKS_BURST_H
#define NNHAL_LIB_RUNTIME_NEURALNETWORKS_BURST_H

#include "Compilation.h"

#include "nnhal/Runtime/Burst.h"

#include <android/NeuralNetworks.h>

#include <atomic>
#include <memory>

/// A burst of the C interface.
///
/// Threads: any, but one execution at a time (J-109).
struct ANeuralNetworksBurst {
  ANeuralNetworksBurst(const ANeuralNetworksCompilation &compilation,
                       std::unique_ptr<nnhal::rt::Burst> burst)
      : compilation(compilation), burst(std::move(burst)) {}

  const ANeuralNetworksCompilation &compilation;
  const std::unique_ptr<nnhal::rt::Burst> burst;
  std::atomic<bool> isBusy = false;
};

namespace nnhal::ndk {
using Burst = ::ANeuralNetworksBurst;

/// Makes a burst of \p compilation, which is finished (J-013).
int createBurst(const Compilation &compilation, Burst **burst);
} // namespace nnhal::ndk

#endif // NNHAL_LIB_RUNTIME_NEURALNETWORKS_BURST_H
