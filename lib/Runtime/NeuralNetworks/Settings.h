//===- Settings.h - What the environment says -------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_NEURALNETWORKS_SETTINGS_H
#define NNHAL_LIB_RUNTIME_NEURALNETWORKS_SETTINGS_H

#include "nnhal/Runtime/Log.h"
#include "nnhal/Runtime/Partition.h"

#include <functional>
#include <string>

namespace nnhal::ndk {

/// The settings of the library, which NNAPI on Android reads from properties
/// (I-001 to I-007). docs/Using/NeuralNetworks.md describes them.
struct Settings {
  /// NNHAL_PARTITION.
  rt::PartitionMode partition = rt::PartitionMode::withFallback;
  /// NNHAL_PLANNER.
  rt::Planner planner = rt::Planner::leastCost;
  /// NNHAL_CPUONLY: compilations without a list of devices use nnapi-reference.
  bool isCpuOnly = false;
  /// NNHAL_STRICT_SLICING.
  bool strictSlicing = false;
  /// NNHAL_SYNCEXEC_CPU, NNHAL_SYNCEXEC_HAL: synchronous computations execute
  /// on the thread of the caller.
  bool isCpuSynchronous = true;
  bool isHalSynchronous = true;
  /// NNHAL_SYNCEXEC_RUNTIME: startCompute computes before it returns (J-096).
  bool isStartSynchronous = false;
  /// NNHAL_VLOG.
  uint32_t logMask = 0;
  /// NNHAL_CACHE_DIR; empty for none.
  std::string cacheDirectory;
  /// NNHAL_TRACE; empty for none.
  std::string traceFile;
  /// NNHAL_COMPILER; empty for the one beside the library.
  std::string compiler;
  /// NNHAL_SERVICE; empty for none.
  std::string service;
  /// NNHAL_PLUGINS.
  std::string plugins;
  /// NNHAL_EXTENSIONS_ALLOWLIST; empty for the list of the machine.
  std::string allowList;

  /// Reads the settings, for which \p environment answers as getenv().
  /// \p complain gets a sentence about each value that is not valid, and is
  /// ignored.
  static Settings
  read(const std::function<const char *(const char *)> &environment,
       const rt::LogSink &complain);
};

} // namespace nnhal::ndk

#endif // NNHAL_LIB_RUNTIME_NEURALNETWORKS_SETTINGS_H
