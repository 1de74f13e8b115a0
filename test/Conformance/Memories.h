//===- Memories.h - Pools and buffers for the tests -------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_CONFORMANCE_MEMORIES_H
#define NNHAL_TEST_CONFORMANCE_MEMORIES_H

#include "Conformance.h"

#include "nnhal/Runtime/SharedMemory.h"

namespace nnhal::rt::conformance {

/// Where the bytes of a pool are.
enum class PoolSource {
  ashmem,
  blob,
  /// A memfd that its holders can shorten.
  unsealed,
  /// A file, from its beginning.
  file,
  /// A sparse file, from an odd offset behind 4 GiB (F-011, F-012).
  distantFile
};
inline constexpr PoolSource allPoolSources[] = {
    PoolSource::ashmem, PoolSource::blob, PoolSource::unsealed,
    PoolSource::file, PoolSource::distantFile};
std::string toString(PoolSource source);

/// What the holder of a pool has in the other process: the same open file.
struct SharedPool {
  std::shared_ptr<SharedMemory> pool;
  UniqueFd peer;
  bool isValid() const { return pool != nullptr; }
};

/// A zeroed pool of \p size bytes; fails the test when there is none.
SharedPool createPool(PoolSource source, uint64_t size);
/// The file behind \p shared again, with another protection.
std::shared_ptr<SharedMemory> reopened(const SharedPool &shared,
                                       int protection);
/// Makes a pool of kind hardware_buffer.
std::shared_ptr<SharedMemory> createOpaquePool(uint64_t size);

inline constexpr uint64_t tensorSize = 4 * sizeof(float);

/// Two inputs and one output of addModel(), tensorSize bytes each, in \p pool
/// at these offsets.
Request requestIn(const std::shared_ptr<SharedMemory> &pool, uint64_t first,
                  uint64_t second, uint64_t output);

/// A sealed pool with \p values.
std::shared_ptr<SharedMemory> poolOf(const std::vector<float> &values);
void writeFloats(const SharedMemory &pool, uint64_t offset,
                 const std::vector<float> &values);
std::vector<float> readFloats(const SharedMemory &pool, uint64_t offset,
                              size_t count);

/// A buffer for inputs and outputs of one model.
Result<std::shared_ptr<Buffer>>
allocateBuffer(const Device &device, const PreparedModelRef &model,
               const std::vector<uint32_t> &inputs,
               const std::vector<uint32_t> &outputs,
               const Dimensions &dimensions = {});

Status copyFloatsTo(Buffer &buffer, const std::vector<float> &values,
                    const Dimensions &dimensions = {});
/// The contents, which must be \p count floats; empty when they cannot be read.
std::vector<float> floatsOf(const Buffer &buffer, size_t count);
/// What reading \p count floats reports.
Status readabilityOf(const Buffer &buffer, size_t count);

InputArgument inputFrom(const Buffer &buffer, Dimensions dimensions = {});
OutputArgument outputTo(const Buffer &buffer, Dimensions dimensions = {});

/// In a test that returns void.
#define NNHAL_ALLOCATE(BUFFER, ...)                                            \
  std::shared_ptr<Buffer> BUFFER;                                              \
  do {                                                                         \
    auto result = allocateBuffer(__VA_ARGS__);                                 \
    ASSERT_TRUE(result.isOk()) << result.status().message();                   \
    BUFFER = *result;                                                          \
  } while (false)

} // namespace nnhal::rt::conformance

#endif // NNHAL_TEST_CONFORMANCE_MEMORIES_H
