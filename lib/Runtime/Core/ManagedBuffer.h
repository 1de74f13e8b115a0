//===- ManagedBuffer.h - Buffers and their tokens ---------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_CORE_MANAGEDBUFFER_H
#define NNHAL_LIB_RUNTIME_CORE_MANAGEDBUFFER_H

#include "nnhal/Backend/DeviceMemory.h"
#include "nnhal/Runtime/Buffer.h"
#include "nnhal/Runtime/SharedMemory.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace nnhal::rt {

/// One argument of one prepared model.
struct ArgumentRole {
  /// The id of the prepared model, unique for the life of the device.
  uint64_t model = 0;
  bool isInput = false;
  uint32_t index = 0;
  bool operator==(const ArgumentRole &) const = default;
};

/// Any number of readers or one writer, in the order in which they came: a
/// writer gets its turn however many readers follow it. Unlike
/// std::shared_mutex it may be unlocked by another thread than has locked it:
/// an execution on a device ends where the device says so. For std::unique_lock
/// and std::shared_lock.
class BufferMutex {
public:
  void lock();
  void unlock();
  // NOLINTBEGIN(readability-identifier-naming): std::shared_lock calls these.
  void lock_shared();
  void unlock_shared();
  // NOLINTEND(readability-identifier-naming)
  /// Locks without waiting; false when somebody has it or waits for it.
  bool tryLock(bool isExclusive);

private:
  std::mutex mutex;
  std::condition_variable changed;
  /// Each thread that waits for the lock draws a number; `served` may take the
  /// lock next.
  uint64_t drawn = 0;
  uint64_t served = 0;
  uint32_t readers = 0;
  bool isWritten = false;
};

/// The bytes behind a token (F.4).
///
/// Threads: what allocation fixed is constant; `state` is read and written
///          with `mutex` held, shared or exclusive.
class ManagedBuffer {
public:
  /// \p tensor has the type and the combined dimensions of all roles.
  ManagedBuffer(InterfaceTensor tensor, std::vector<ArgumentRole> roles,
                std::unique_ptr<DeviceMemory> memory)
      : tensor(std::move(tensor)), roles(std::move(roles)),
        memory(std::move(memory)) {}

  const InterfaceTensor &type() const { return tensor; }
  bool hasRole(const ArgumentRole &role) const;

  struct State {
    /// The dimensions of the last write; until then those of the allocation.
    std::vector<uint32_t> dimensions;
    /// Bytes of a tensor with these dimensions.
    uint64_t size = 0;
    bool isInitialized = false;
  };

  /// Gives the state room for \p dimensions and forgets its contents. Fails
  /// with resourceExhausted* when there is no memory.
  Status resize(const std::vector<uint32_t> &dimensions);

  /// See Buffer.
  Status copyTo(const SharedMemory &target) const;
  Status copyFrom(const SharedMemory &source,
                  std::span<const uint32_t> dimensions);

private:
  Result<std::vector<uint32_t>>
  sourceShape(std::span<const uint32_t> dimensions) const;
  Status fill(const SharedMemory &source, std::span<const uint32_t> dimensions);

  InterfaceTensor tensor;
  std::vector<ArgumentRole> roles;

public:
  /// The backend's; used with `mutex` held.
  const std::unique_ptr<DeviceMemory> memory;
  mutable BufferMutex mutex;
  State state;
};

/// Keeps a buffer for an execution on its way whose client may let go of it
/// (F-048).
struct BufferPin {
  uint32_t token = 0;
  std::shared_ptr<ManagedBuffer> buffer;
};

/// The living buffers of a device.
///
/// Threads: any. Blocking: only for the length of a table operation.
class BufferTable {
public:
  /// A token of no living buffer.
  uint32_t add(std::shared_ptr<ManagedBuffer> buffer);
  void remove(uint32_t token);
  /// Returns null when no living buffer has this token.
  std::shared_ptr<ManagedBuffer> find(uint32_t token) const;

private:
  mutable std::mutex mutex;
  std::unordered_map<uint32_t, std::shared_ptr<ManagedBuffer>> buffers;
  uint32_t last = 0;
};

/// Bytes of a tensor of type \p type; nullopt when an extent is 0, that is
/// unknown, or the product exceeds 32 bits.
std::optional<uint64_t> knownByteSize(OperandType type,
                                      std::span<const uint32_t> dimensions);

/// Unites two lists of dimensions: where both know an extent they must agree;
/// where one does, that one holds. An empty list knows nothing (B-100). Returns
/// nullopt when they contradict each other.
std::optional<std::vector<uint32_t>>
combineDimensions(std::span<const uint32_t> lhs, std::span<const uint32_t> rhs);

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_CORE_MANAGEDBUFFER_H
