//===- Quotas.h - What one client may have ----------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVICE_HOST_QUOTAS_H
#define NNHAL_LIB_SERVICE_HOST_QUOTAS_H

#include <cstdint>

namespace nnhal::service {

/// The resources that one client may have at a time. A client that asks for
/// more is told resourceExhausted*, what it has and what is allowed.
struct Quotas {
  /// The bytes of imported memories, pools and operand values of models,
  /// buffers, queues of bursts, and arenas.
  uint64_t memory = uint64_t(4) << 30;
  /// Prepared models.
  uint64_t models = 64;
  /// Buffers of the device.
  uint64_t buffers = 256;
  /// Bursts, each of which has a thread.
  uint64_t bursts = 16;
  /// Executions that have not ended.
  uint64_t executions = 64;
  /// Preparations that have not ended.
  uint64_t preparations = 8;
  /// File descriptors: of memories, pools, fences, queues and caches.
  uint64_t descriptors = 512;
  /// Connections of one user to one device; the supervisor counts them.
  uint64_t connections = 16;
};

} // namespace nnhal::service

#endif // NNHAL_LIB_SERVICE_HOST_QUOTAS_H
