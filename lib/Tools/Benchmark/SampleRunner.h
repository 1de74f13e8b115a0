//===- SampleRunner.h - Executes a model on samples -------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_BENCHMARK_SAMPLERUNNER_H
#define NNHAL_LIB_TOOLS_BENCHMARK_SAMPLERUNNER_H

#include "DataSet.h"
#include "Tools/Execution/Invocation.h"
#include "Tools/Tensors/Outputs.h"

#include <memory>
#include <vector>

namespace nnhal::tools {

/// Executes one model on one sample after another, over one request.
///
/// Threads: one at a time.
class SampleRunner {
public:
  /// Asks for the times of operations, too, where \p measureOperations.
  SampleRunner(ExecutionMode mode, const rt::Device &device,
               rt::PreparedModelRef model, bool measureOperations = false);

  /// Executes every frame of \p sample, and appends the microseconds of each to
  /// \p latencies, if there is such a list. Fails with what executions report,
  /// and with invalidArgument for a sample whose inputs are not the model's.
  rt::Status run(const Sample &sample, std::vector<double> *latencies);

  /// The same, and returns the microseconds of the first frame.
  rt::Result<double> runFirst(const Sample &sample);

  /// All frames of the last sample; valid until the next one.
  std::span<const OutputTensor> outputs() const { return collected; }
  /// See rt::ExecutionResult.
  const std::vector<uint64_t> &operationTimes() const {
    return invocation->result().operationTimes;
  }

private:
  rt::Status prepare(const Sample &sample);
  rt::Status bindFrame(const Sample &sample, uint64_t frame);
  rt::Status collect();

  RunRequest request;
  ExecutionMode mode;
  const rt::Device &device;
  rt::PreparedModelRef model;
  std::vector<std::vector<uint32_t>> shapes;
  /// Made for the shapes of the last sample.
  std::unique_ptr<Invocation> invocation;
  std::vector<std::vector<std::byte>> states;
  std::vector<std::vector<std::byte>> bytes;
  std::vector<OutputTensor> collected;
};

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_BENCHMARK_SAMPLERUNNER_H
