//===- Memory.h - Memories of clients ---------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_NEURALNETWORKS_MEMORY_H
#define NNHAL_LIB_RUNTIME_NEURALNETWORKS_MEMORY_H

#include "nnhal/Runtime/Buffer.h"
#include "nnhal/Runtime/Device.h"
#include "nnhal/Runtime/Interface.h"
#include "nnhal/Runtime/SharedMemory.h"

#include <android/NeuralNetworks.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace nnhal::ndk {

/// An argument of a compilation, which is known by its number: another one may
/// have its address later.
struct Role {
  uint64_t compilation = 0;
  bool isInput = true;
  uint32_t index = 0;
  bool operator==(const Role &) const = default;
};

/// A finished description of a memory (F-062 to F-067).
struct Description {
  std::vector<Role> roles;
  /// The type of all roles, with the combined dimensions.
  rt::InterfaceTensor type;
};

/// A memory that was made from a description.
///
/// Threads: any.
class DescribedMemory {
public:
  /// A memory of a device.
  DescribedMemory(Description description, const rt::Device &device,
                  std::shared_ptr<rt::Buffer> buffer)
      : description(std::move(description)), device(&device),
        buffer(std::move(buffer)), extents(this->description.type.dimensions) {}
  /// A shared memory in place of one (F-070).
  DescribedMemory(Description description,
                  std::shared_ptr<rt::SharedMemory> pool)
      : description(std::move(description)), pool(std::move(pool)),
        extents(this->description.type.dimensions) {}

  bool hasRole(const Role &role) const;
  const rt::InterfaceTensor &type() const { return description.type; }

  /// The dimensions of the bytes that are there; those of the description, of
  /// which some may be open, where there are none.
  std::vector<uint32_t> dimensions() const;
  bool isInitialized() const;
  /// Says that the memory has been written with \p dimensions.
  void setWritten(std::vector<uint32_t> dimensions);
  /// Says that the bytes are nobody's (F-034).
  void setUninitialized();

  const Description description;
  /// Null for a shared memory.
  const rt::Device *const device = nullptr;
  const std::shared_ptr<rt::Buffer> buffer;
  const std::shared_ptr<rt::SharedMemory> pool;

private:
  mutable std::mutex mutex;
  std::vector<uint32_t> extents;
  bool isWritten = false;
};

} // namespace nnhal::ndk

/// A memory of the C interface: a file, a hardware buffer, or one that was made
/// from a description. What it stands for lives on while executions and models
/// refer to it (F-020).
///
/// Threads: any.
struct ANeuralNetworksMemory {
  explicit ANeuralNetworksMemory(std::shared_ptr<nnhal::rt::SharedMemory> pool)
      : pool(std::move(pool)) {}
  explicit ANeuralNetworksMemory(
      std::shared_ptr<nnhal::ndk::DescribedMemory> described)
      : described(std::move(described)) {}

  /// The bytes of a file or a BLOB; null for opaque and described memories.
  std::shared_ptr<nnhal::rt::SharedMemory> linearPool() const;

  /// Null for a described memory.
  const std::shared_ptr<nnhal::rt::SharedMemory> pool;
  const std::shared_ptr<nnhal::ndk::DescribedMemory> described;
};

namespace nnhal::ndk {
using Memory = ::ANeuralNetworksMemory;

/// Makes a memory of a file (J-029).
int createFromFd(size_t size, int protection, int fd, size_t offset,
                 Memory **memory);
/// Makes a memory of a hardware buffer (J-016, F-019).
int createFromHardwareBuffer(const AHardwareBuffer *buffer, Memory **memory);
/// Copies all bytes (F-076 to F-079).
int copy(const Memory &source, const Memory &target);

/// Merges two lists of dimensions, of which 0 and an empty list are open;
/// nothing when they contradict each other.
std::optional<std::vector<uint32_t>>
combine(const std::vector<uint32_t> &one, const std::vector<uint32_t> &other);

} // namespace nnhal::ndk

#endif // NNHAL_LIB_RUNTIME_NEURALNETWORKS_MEMORY_H
