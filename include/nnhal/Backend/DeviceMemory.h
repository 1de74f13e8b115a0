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

/// What is behind a buffer of a device (the HAL's memory domains): memory of
/// the host, or memory that only the backend reaches. An invocation that uses
/// the buffer gets this object, so nothing is copied between executions.
///
/// Ownership: the buffer's, and that of the executions under way that use it.
/// Threads:   const members may be called by several threads at once; the
///            runtime calls the others while nobody else uses the object.
class NNHAL_API DeviceMemory {
public:
  virtual ~DeviceMemory() = default;

  /// Makes room for a tensor of \p dimensions, which takes \p size bytes in
  /// row-major order; the contents are lost. Called before each write, also
  /// for the size that there is room for already. resourceExhausted* when there
  /// is no memory.
  virtual Status resize(std::span<const uint32_t> dimensions,
                        uint64_t size) = 0;

  /// Copies the elements, in row-major order, to or from memory of the host.
  /// \p source has the size of the last resize(), \p target that of what was
  /// written last.
  virtual Status read(std::span<std::byte> target) const = 0;
  virtual Status write(std::span<const std::byte> source) = 0;

  /// As read() and write(), with a whole pool. By default through the host
  /// pointer, or a copy where there is none; a backend that can import the
  /// pool's descriptor overrides them.
  virtual Status copyTo(const SharedMemory &target) const;
  virtual Status copyFrom(const SharedMemory &source);

  /// Where the host finds the elements; null when it cannot reach them. Changes
  /// with resize() only.
  virtual std::byte *hostPointer() const { return nullptr; }
};

/// One use that a buffer is allocated for.
struct DeviceMemoryRole {
  /// Not necessarily one that the backend has made: it may not be compiled yet
  /// (PrepareOptions::compileAfter).
  const LoadedModel &model;
  bool isInput = false;
  uint32_t index = 0;
  /// How likely it is used so, in (0, 1].
  float frequency = 1.0f;
};

/// What Backend::allocate() is asked for.
struct DeviceMemoryRequest {
  /// The type that all roles agree on; 0 is an extent that the last write
  /// decides.
  const InterfaceTensor &tensor;
  std::span<const DeviceMemoryRole> roles;
  /// What the bytes count against. Never null.
  std::shared_ptr<MemoryBudget> budget;
};

/// Memory of the host that counts against \p budget, which may be null.
NNHAL_API std::unique_ptr<DeviceMemory>
createHostMemory(std::shared_ptr<MemoryBudget> budget);

} // namespace nnhal::rt

#endif // NNHAL_BACKEND_DEVICEMEMORY_H
