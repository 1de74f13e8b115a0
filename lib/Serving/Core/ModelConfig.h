//===- ModelConfig.h - The settings of a served model -----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVING_CORE_MODELCONFIG_H
#define NNHAL_LIB_SERVING_CORE_MODELCONFIG_H

#include "Tools/Tensors/Inputs.h"

#include "nnhal/Runtime/Execution.h"
#include "nnhal/Runtime/Status.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nnhal::serving {

/// Which versions of a model are served.
struct VersionPolicy {
  /// The highest ones, so many; 0 for all. Not looked at with `only`.
  uint64_t latest = 1;
  /// These alone.
  std::vector<uint64_t> only;
};

/// The settings of a model, of the file config.json in its folder:
///
///   {"device": "nnhal-cpu", "threads": 1, "priority": "medium",
///    "max_batch_size": 8, "max_queue_delay_microseconds": 500,
///    "max_queue_size": 64, "versions": "all" | {"latest": 2} | [1, 3],
///    "shapes": {"image": [8, 32, 32, 3]}, "signature": "serving_default"}
///
/// Every key is optional and no other is known.
struct ModelConfig {
  /// Empty for the server's.
  std::string device;
  std::optional<uint64_t> threads;
  rt::Priority priority = rt::Priority::medium;
  /// Samples that are executed at once; 0 for each request by itself.
  uint64_t maxBatchSize = 0;
  /// How long a request may wait for others that join it.
  uint64_t maxQueueDelayMicroseconds = 0;
  /// Requests that may wait for an execution.
  uint64_t maxQueueSize = 64;
  VersionPolicy versions;
  /// The shapes of inputs whose extents a TensorFlow Lite file leaves open.
  tools::NamedShapes shapes;
  /// rt::TFLiteImportOptions::signature.
  std::string signature;
};

/// Reads the text of a config.json. Fails with invalidArgument, which names the
/// key, the found value and the bound.
rt::Result<ModelConfig> parseModelConfig(std::string_view text);

/// Reads the file \p path. Fails like parseModelConfig(), naming the file, and
/// like rt::Memory::readFile().
rt::Result<ModelConfig> readModelConfig(const std::string &path);

} // namespace nnhal::serving

#endif // NNHAL_LIB_SERVING_CORE_MODELCONFIG_H
