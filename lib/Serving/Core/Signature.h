//===- Signature.h - What clients see of a model ----------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVING_CORE_SIGNATURE_H
#define NNHAL_LIB_SERVING_CORE_SIGNATURE_H

#include "DataType.h"

#include "nnhal/Runtime/Interface.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nnhal::serving {

/// An input or output as the protocol describes it.
struct TensorInfo {
  /// The name in the model; "input0" or "output0" where it has none, or one
  /// that another tensor has before it.
  std::string name;
  DataType type = DataType::fp32;
  /// Extents that each request states are -1. A scalar has the shape [1], a
  /// tensor whose rank each request states has [-1].
  std::vector<int64_t> shape;
  /// Requests state the rank.
  bool hasUnknownRank = false;
  bool isScalar = false;
};

/// The inputs and outputs of a model in its order.
struct Signature {
  std::vector<TensorInfo> inputs;
  std::vector<TensorInfo> outputs;
  /// The first dimension of all inputs and outputs counts independent samples:
  /// it is open, or the same number, for each of them.
  bool isBatched = false;
  /// The number of samples in a batch; 0 where it is open.
  uint32_t batchExtent = 0;

  /// The index of the tensor \p name among \p tensors; their number where
  /// there is none.
  static size_t find(const std::vector<TensorInfo> &tensors,
                     std::string_view name);
};

/// Returns the signature of \p interface. Fails with invalidArgument for a
/// tensor that the protocol has no data type for.
rt::Result<Signature> signatureOf(const rt::Interface &interface);

} // namespace nnhal::serving

#endif // NNHAL_LIB_SERVING_CORE_SIGNATURE_H
