//===- Staging.h - Borrowed arguments in shared memory ----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_BURST_STAGING_H
#define NNHAL_LIB_RUNTIME_BURST_STAGING_H

#include "nnhal/Runtime/Execution.h"
#include "nnhal/Runtime/Interface.h"

#include <span>

namespace nnhal::rt {

/// A pool that holds those arguments of a request which are not behind a
/// descriptor. It is kept from one execution to the next, and replaced by a
/// larger one when a request needs that. Bursts and clients of services use it.
class Staging {
public:
  explicit Staging(const Interface &interface);

  /// Gives each borrowed argument of \p request a place in the pool, and copies
  /// the inputs there. Arguments in pools and buffers, and those without
  /// memory, stay as they are. resourceExhaustedTransient when there is no
  /// memory.
  Status stage(const Request &request);
  /// The two halves of stage(): inputs may be written until they are copied.
  Status reservePlaces(const Request &request);
  Status copyInputs(const Request &request);

  /// Copies the borrowed outputs of \p request, which have \p shapes, to where
  /// they belong. generalFailure when the shapes are not those of as many
  /// outputs, or exceed the memory of one; outputInsufficientSize, with the
  /// shape marked, for an output without bytes that has elements: a region of
  /// size 0 is the whole pool, so that the server found room for it.
  Status collect(const Request &request, std::span<OutputShape> shapes);

  /// Whether the last stage() has given a place to an argument; to an output,
  /// which collect() copies; to an input.
  bool isUsed() const { return hasInputPlaces || hasOutputPlaces; }
  bool hasOutputs() const { return hasOutputPlaces; }
  bool hasInputs() const { return hasInputPlaces; }
  /// Null while nothing was staged.
  const std::shared_ptr<const SharedMemory> &pool() const { return memory; }
  uint64_t inputOffset(size_t index) const { return inputOffsets[index]; }
  uint64_t outputOffset(size_t index) const { return outputOffsets[index]; }
  /// By the last stage() and collect().
  uint64_t copiedBytes() const { return copied; }

private:
  Status reserve(uint64_t size);
  uint64_t byteSize(size_t index, const OutputShape &shape,
                    uint64_t otherwise) const;

  std::vector<uint32_t> outputElementSizes; // 0: not known.
  std::shared_ptr<const SharedMemory> memory;
  std::span<std::byte> mapped;
  std::vector<uint64_t> inputOffsets;
  std::vector<uint64_t> outputOffsets;
  uint64_t copied = 0;
  bool hasInputPlaces = false;
  bool hasOutputPlaces = false;
};

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_BURST_STAGING_H
