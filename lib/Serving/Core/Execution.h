//===- Execution.h - Requests executed together -----------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVING_CORE_EXECUTION_H
#define NNHAL_LIB_SERVING_CORE_EXECUTION_H

#include "Arguments.h"
#include "Inference.h"
#include "Signature.h"

#include "nnhal/Runtime/Device.h"

#include <prometheus/counter.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace nnhal::serving {

/// A prepared model that is executed for requests, one or several at once.
///
/// Threads: every member may be called from any thread at once.
class Executable {
public:
  /// \p signature is that of \p model. \p copiedBytes counts the bytes of
  /// inputs that are copied because of their address.
  Executable(rt::PreparedModelRef model, const Signature &signature,
             prometheus::Counter &copiedBytes);

  /// Executes \p requests as one, which have to end by \p deadline, and fills
  /// the outputs of \p responses, which are as many. Several requests are of a
  /// model in batches, whose extent is as large as their samples together or
  /// open; the samples that are missing are zero. Fails with what the
  /// execution reports.
  rt::Status execute(std::span<const Arguments *const> requests,
                     rt::Deadline deadline, bool isBatched,
                     std::span<InferenceResponse *const> responses) const;

private:
  struct Run;
  rt::Status bindInputs(Run &run) const;
  rt::Status bindInput(Run &run, size_t index) const;
  rt::Status joinInput(Run &run, size_t index) const;
  rt::Status allocateOutput(Run &run, size_t index, uint64_t size) const;
  rt::Status allocateOutputs(Run &run) const;
  rt::Status executeNow(Run &run) const;
  rt::Status giveOutputs(const Run &run,
                         std::span<InferenceResponse *const> responses) const;

  const rt::PreparedModelRef model;
  const Signature signature;
  /// The largest size that each output has had whose extents an execution
  /// computes.
  mutable std::vector<std::atomic<uint64_t>> sizes;
  prometheus::Counter &copiedBytes;
};

} // namespace nnhal::serving

#endif // NNHAL_LIB_SERVING_CORE_EXECUTION_H
