//===- TensorFlowLite.h - TensorFlow Lite's library -------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_BENCHMARKS_TENSORFLOWLITE_H
#define NNHAL_BENCHMARKS_TENSORFLOWLITE_H

#include "nnhal/Runtime/Status.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace nnhal::benchmarks {

/// A model in an interpreter of TensorFlow Lite, whose library is opened at run
/// time by its C interface.
///
/// Threads: one at a time.
class TensorFlowLiteModel {
public:
  /// Opens \p library, a libtensorflowlite_c.so with XNNPACK, and prepares the
  /// file \p model for \p threads threads: with XNNPACK for float32, int8 and
  /// uint8, and with the library's own kernels where XNNPACK refuses the model.
  /// Fails with the message of the loader, or names the step that failed.
  static rt::Result<TensorFlowLiteModel>
  open(const std::string &library, const std::string &model, int32_t threads);
  TensorFlowLiteModel(TensorFlowLiteModel &&);
  TensorFlowLiteModel &operator=(TensorFlowLiteModel &&);
  ~TensorFlowLiteModel();

  /// The memory of the tensors, which stays in its place until the model is
  /// gone; outputs are those of the last execution.
  std::vector<std::span<std::byte>> inputs() const;
  std::vector<std::span<const std::byte>> outputs() const;
  rt::Status execute();

  const std::string &version() const;
  /// Whether XNNPACK has taken a part of the model.
  bool isDelegated() const;

private:
  struct State;
  explicit TensorFlowLiteModel(std::unique_ptr<State> state);
  std::unique_ptr<State> state;
};

} // namespace nnhal::benchmarks

#endif // NNHAL_BENCHMARKS_TENSORFLOWLITE_H
