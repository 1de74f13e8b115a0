//===- Arguments.h - Requests held against a model --------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVING_CORE_ARGUMENTS_H
#define NNHAL_LIB_SERVING_CORE_ARGUMENTS_H

#include "Inference.h"
#include "Signature.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace nnhal::serving {

/// The bounds of one model's requests.
struct ArgumentRules {
  /// The name of the model in messages.
  std::string_view model;
  const Signature &signature;
  /// ModelConfig::maxBatchSize.
  uint64_t maxBatchSize = 0;
};

/// A request that fits its model.
struct Arguments {
  struct Input {
    /// The dimensions that the runtime takes: none for a scalar.
    std::vector<uint32_t> dimensions;
    std::span<const std::byte> data;
  };
  /// In the order of the model.
  std::vector<Input> inputs;
  /// The indices of the outputs that are wanted, in the order of the request.
  std::vector<size_t> outputs;
  /// The samples of a model that is executed in batches; otherwise 1.
  uint32_t samples = 1;
};

/// Holds \p request against \p rules. Fails with invalidArgument, which names
/// the tensor, the found value and the bound.
Outcome bindArguments(const ArgumentRules &rules,
                      const InferenceRequest &request, Arguments &arguments);

} // namespace nnhal::serving

#endif // NNHAL_LIB_SERVING_CORE_ARGUMENTS_H
