//===- Probe.h - What a device is told about an execution -------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_PLUGINS_PROBE_H
#define NNHAL_TEST_PLUGINS_PROBE_H

#include <cstdint>

namespace nnhal::test {

/// The four elements of TENSOR_INT32 that OEM_OPERATION of the device
/// test-faulty writes: what it was told about its execution.
struct Probe {
  /// The thread that executed, as gettid() numbers it.
  int32_t thread = 0;
  /// The bytes of the input.
  int32_t inputSize = 0;
  /// In nanoseconds.
  uint64_t loopTimeout = 0;
};
static_assert(sizeof(Probe) == 4 * sizeof(int32_t));

} // namespace nnhal::test

#endif // NNHAL_TEST_PLUGINS_PROBE_H
