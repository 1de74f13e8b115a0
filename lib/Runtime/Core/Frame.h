//===- Frame.h - What one execution needs while it runs ---------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_CORE_FRAME_H
#define NNHAL_LIB_RUNTIME_CORE_FRAME_H

#include "nnhal/Runtime/AlignedBuffer.h"
#include "nnhal/Runtime/PreparedModel.h"

#include <memory>
#include <mutex>
#include <vector>

namespace nnhal::rt {

/// The arena and the argument lists of one execution.
struct Frame {
  AlignedBuffer arena;
  std::vector<NNHalTensorArgument> inputs;
  std::vector<NNHalTensorArgument> outputs;
  /// Behind the shape pointers of both lists.
  std::vector<int64_t> extents;
  /// Inputs that were behind descriptors, for the length of the execution.
  std::vector<Memory> materialized;
};

/// Frames that are not in use: as many as executions ever ran at once, so that
/// a warm execution allocates nothing.
///
/// Threads: any. Blocking: only for the length of a list operation.
class FramePool {
public:
  /// \p interface must outlive the pool.
  FramePool(const Interface &interface, uint64_t arenaSize)
      : interface(interface), arenaSize(arenaSize) {}

  struct Returner {
    FramePool *pool = nullptr;
    void operator()(Frame *frame) const { pool->give(frame); }
  };
  using Lease = std::unique_ptr<Frame, Returner>;

  /// resourceExhaustedTransient when there is no memory for a new frame.
  Result<Lease> take();

private:
  Result<std::unique_ptr<Frame>> create() const;
  void give(Frame *frame);

  const Interface &interface;
  uint64_t arenaSize;
  std::mutex mutex;
  std::vector<std::unique_ptr<Frame>> idle;
  /// Frames in existence; idle has room for all of them.
  size_t total = 0;
};

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_CORE_FRAME_H
