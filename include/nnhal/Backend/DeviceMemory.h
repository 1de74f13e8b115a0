//===- DeviceMemory.h - Memory that a backend brings ------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_BACKEND_DEVICEMEMORY_H
#define NNHAL_BACKEND_DEVICEMEMORY_H

#include "nnhal/Runtime/Api.h"
#include "nnhal/Runtime/Interface.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace nnhal::rt {

class LoadedModel;
class MemoryBudget;
class SharedMemory;

/// The memory behind a buffer of a device (the HAL's memory domains): memory of
/// the host, or memory that only the backend reaches. An invocation that uses
/// the buffer gets this object, so nothing is copied between executions.
///
/// Ownership: the buffer owns the object, together with the executions under
///            way that use it.
/// Threads:   const members may be called by several threads at once; the
///            runtime calls the others while nobody else uses the object.
class NNHAL_API DeviceMemory {
public:
  virtual ~DeviceMemory() = default;

  /// Makes room for a tensor of \p dimensions, which takes \p size bytes in
  /// row-major order; the contents are lost. The runtime calls this before each
  /// write, also when there is room for the size already. Fails with
  /// resourceExhausted* when there is no memory.
  virtual Status resize(std::span<const uint32_t> dimensions,
                        uint64_t size) = 0;

  /// These two copy the elements, in row-major order, to or from memory of the
  /// host. \p source has the size of the last resize(), \p target that of the
  /// last write.
  virtual Status read(std::span<std::byte> target) const = 0;
  virtual Status write(std::span<const std::byte> source) = 0;

  /// These two copy like read() and write(), from or to a whole pool. By
  /// default they go through the host pointer, or through a copy where there is
  /// none; a backend that can import the pool's descriptor overrides them.
  virtual Status copyTo(const SharedMemory &target) const;
  virtual Status copyFrom(const SharedMemory &source);

  /// Returns where the host finds the elements, or null when it cannot reach
  /// them. The pointer changes with resize() only.
  virtual std::byte *hostPointer() const { return nullptr; }
};

/// One use that a buffer is allocated for.
struct DeviceMemoryRole {
  /// The model that uses the buffer. It need not come from this backend,
  /// because a model may not be compiled yet (PrepareOptions::compileAfter).
  const LoadedModel &model;
  bool isInput = false;
  uint32_t index = 0;
  /// How likely the buffer is used in this role, in (0, 1].
  float frequency = 1.0f;
};

/// The arguments of Backend::allocate().
struct DeviceMemoryRequest {
  /// The type that all roles agree on. An extent of 0 is one that the last
  /// write decides.
  const InterfaceTensor &tensor;
  std::span<const DeviceMemoryRole> roles;
  /// The budget that the bytes count against. It is never null.
  std::shared_ptr<MemoryBudget> budget;
};

/// Makes memory of the host that counts against \p budget, which may be null.
NNHAL_API std::unique_ptr<DeviceMemory>
createHostMemory(std::shared_ptr<MemoryBudget> budget);

} // namespace nnhal::rt

#endif // NNHAL_BACKEND_DEVICEMEMORY_H
