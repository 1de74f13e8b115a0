//===- Frame.cpp - The state of one execution -----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Frame.h"

using namespace nnhal::rt;

/// Arguments for \p tensors whose shapes are in \p extents from \p next on.
static void connect(const std::vector<InterfaceTensor> &tensors,
                    std::vector<InvocationArgument> &arguments,
                    std::vector<int64_t> &extents, size_t &next) {
  arguments.resize(tensors.size());
  for (size_t i = 0; i < tensors.size(); ++i) {
    arguments[i].extents = extents.data() + next;
    arguments[i].rank = uint32_t(tensors[i].dimensions.size());
    next += tensors[i].dimensions.size();
  }
}

Result<std::unique_ptr<Frame>> FramePool::create() const {
  auto frame = std::make_unique<Frame>();
  NNHAL_ASSIGN_OR_RETURN(frame->workspace, model.createWorkspace(budget));
  const Interface &interface = model.interface();
  size_t total = 0;
  for (const InterfaceTensor &tensor : interface.inputs)
    total += tensor.dimensions.size();
  for (const InterfaceTensor &tensor : interface.outputs)
    total += tensor.dimensions.size();
  frame->extents.resize(total);
  size_t next = 0;
  connect(interface.inputs, frame->inputs, frame->extents, next);
  connect(interface.outputs, frame->outputs, frame->extents, next);
  return frame;
}

Result<FramePool::Lease> FramePool::take() {
  {
    std::lock_guard lock(mutex);
    if (!idle.empty()) {
      Lease lease(idle.back().release(), Returner{this});
      idle.pop_back();
      return lease;
    }
  }
  NNHAL_ASSIGN_OR_RETURN(std::unique_ptr<Frame> frame, create());
  std::lock_guard lock(mutex);
  idle.reserve(total + 1);
  ++total;
  return Lease(frame.release(), Returner{this});
}

void FramePool::give(Frame *frame) {
  frame->reset();
  std::lock_guard lock(mutex);
  idle.emplace_back(frame);
}

void Frame::reset() {
  isCancelled.store(0, std::memory_order_relaxed);
  loads.clear();
  stores.clear();
  accesses.clear();
  for (const PoolUse &use : pools)
    use.argument->pool.reset();
  pools.clear();
  buffers.clear();
  materialized.clear();
  copiedBytes = 0;
}
