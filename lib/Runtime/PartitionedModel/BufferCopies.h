//===- BufferCopies.h - Device memory for another device --------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_PARTITIONEDMODEL_BUFFERCOPIES_H
#define NNHAL_LIB_RUNTIME_PARTITIONEDMODEL_BUFFERCOPIES_H

#include "Run.h"

#include "nnhal/Runtime/Buffer.h"

namespace nnhal::rt::partition {

using FindBuffer =
    std::function<std::shared_ptr<Buffer>(const Device &, uint32_t)>;

/// The device of a buffer that is an argument, and the bytes of that argument;
/// 0 while they are unknown.
struct BufferArgument {
  const Device *device = nullptr;
  uint64_t size = 0;
};

/// Returns the buffer of \p device, which may be null, with \p token. Fails
/// with generalFailure when nobody knows it.
Result<std::shared_ptr<Buffer>>
lookUpBuffer(const FindBuffer &find, const Device *device, uint32_t token);

/// Allocates memory for a copy of a buffer of \p size bytes.
Result<std::shared_ptr<SharedMemory>> bufferCopyOf(uint64_t size);

/// Whether an argument of \p request is a buffer of a device.
bool hasBuffers(const Request &request);

/// Finds the device of a buffer that an argument of the whole model is: the one
/// of the first step that reads or writes it.
const Device *deviceOf(const Compound &compound, Place::Kind kind,
                       uint32_t index);

/// Fails with invalidArgument when an output of \p request is a buffer that is
/// another argument, too (F-035).
Status checkBufferUses(const Compound &compound, const Request &request);

/// The buffers of a device that another device reads and writes, as copies in
/// shared memory (I-053, F-081).
class BufferCopies {
public:
  /// Describes input or output number k of the request.
  using Describe = std::function<BufferArgument(bool isInput, size_t k)>;

  /// Replaces the buffers in \p request.
  Status begin(const FindBuffer &find, const Describe &describe,
               Request &request);
  /// Writes the outputs back, which initializes the buffers (F-082).
  Status end(const ExecutionResult &result);

private:
  struct Output {
    std::shared_ptr<Buffer> buffer;
    std::shared_ptr<SharedMemory> copy;
    size_t index;
  };
  std::vector<Output> outputs;
};

} // namespace nnhal::rt::partition

#endif // NNHAL_LIB_RUNTIME_PARTITIONEDMODEL_BUFFERCOPIES_H
