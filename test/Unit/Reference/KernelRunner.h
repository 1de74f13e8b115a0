//===- KernelRunner.h - Runs one kernel on numbers --------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_UNIT_REFERENCE_KERNELRUNNER_H
#define NNHAL_TEST_UNIT_REFERENCE_KERNELRUNNER_H

#include "../Rules/OperationBuilder.h"
#include "Runtime/Routines/Kernel.h"

#include "Runtime/Support/Errors.h"

#include <span>
#include <string>
#include <vector>

namespace nnhal::rt::testing {

/// What a kernel stored, as numbers of the storage type, or why it did not.
struct KernelOutcome {
  Status status;
  std::vector<std::vector<double>> values;
  std::vector<std::vector<int64_t>> shapes;
};

/// Checks the use of an operation and runs its kernel, one of \p kernels.
inline KernelOutcome runKernel(std::span<const reference::KernelRow> kernels,
                               const OperationBuilder &builder) {
  KernelOutcome outcome;
  Result<OperationFacts> facts = builder.check();
  if (!facts.isOk()) {
    outcome.status = facts.status();
    return outcome;
  }
  for (const reference::KernelRow &row : kernels) {
    if (row.type != builder.operation().type)
      continue;
    reference::KernelContext context(builder.operation(), *facts);
    outcome.status = row.kernel(context);
    for (size_t i = 0; outcome.status.isOk() && i < context.outputCount();
         ++i) {
      outcome.values.push_back(
          fromBytes(context.outputType(i).type, context.takeOutput(i)));
      outcome.shapes.push_back(context.outputShape(i));
    }
    return outcome;
  }
  outcome.status =
      failure("no kernel for {}", nameOf(builder.operation().type));
  return outcome;
}

/// The values of the only output; empty when the kernel failed.
inline std::vector<double>
runForValues(std::span<const reference::KernelRow> kernels,
             const OperationBuilder &builder) {
  KernelOutcome outcome = runKernel(kernels, builder);
  return outcome.status.isOk() ? outcome.values.front() : std::vector<double>();
}

} // namespace nnhal::rt::testing

#endif // NNHAL_TEST_UNIT_REFERENCE_KERNELRUNNER_H
