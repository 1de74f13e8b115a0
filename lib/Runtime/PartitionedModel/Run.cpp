//===- Run.cpp - The memory and requests of executions --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Run.h"

#include <algorithm>
#include <cstring>

using namespace nnhal::rt;
using namespace nnhal::rt::partition;

using Kind = Place::Kind;

bool nnhal::rt::partition::isFixed(const Place &place) {
  return place.kind == Kind::none || place.kind == Kind::temporary ||
         place.kind == Kind::constant;
}

Status Run::allocate(const Compound &compound) {
  uint64_t size = compound.layout.size;
  if (size == 0)
    return Status::ok();
  if (std::ranges::any_of(compound.steps, &PreparedStep::isRemote)) {
    NNHAL_ASSIGN_OR_RETURN(shared, SharedMemory::createAshmem(size));
    NNHAL_ASSIGN_OR_RETURN(std::span<std::byte> mapped,
                           shared->mapForWriting());
    base = mapped.data();
  } else {
    NNHAL_ASSIGN_OR_RETURN(local, AlignedBuffer::allocate(size));
    base = local.data();
  }
  for (const CopiedConstant &constant : compound.layout.copies)
    if (!constant.bytes.empty())
      std::memcpy(base + constant.offset, constant.bytes.data(),
                  constant.bytes.size());
  return Status::ok();
}

Memory Run::input(const Place &place, bool isRemote) const {
  if (isRemote && shared)
    return Memory::region(shared, place.offset, place.size);
  return Memory::borrow(bytes(place));
}

OutputMemory Run::output(const Place &place, bool isRemote) const {
  if (isRemote && shared)
    return OutputMemory::region(shared, place.offset, place.size);
  return OutputMemory::borrow(bytes(place));
}

Result<std::unique_ptr<Run>> Run::create(const Compound &compound) {
  auto run = std::make_unique<Run>();
  NNHAL_RETURN_IF_ERROR(run->allocate(compound));
  run->requests.resize(compound.steps.size());
  run->results.resize(compound.steps.size());
  run->loops.resize(compound.layout.loops.size());
  for (size_t i = 0; i < compound.steps.size(); ++i) {
    const StepLayout &layout = compound.layout.steps[i];
    bool isRemote = compound.steps[i].isRemote;
    Request &request = run->requests[i];
    request.inputs.resize(layout.inputs.size());
    request.outputs.resize(layout.outputs.size());
    for (size_t k = 0; k < layout.inputs.size(); ++k) {
      const Place &place = layout.inputs[k];
      if (place.kind == Kind::temporary)
        request.inputs[k].memory = run->input(place, isRemote);
      else if (place.kind == Kind::constant)
        request.inputs[k].memory = compound.layout.constants[place.index];
    }
    for (size_t k = 0; k < layout.outputs.size(); ++k)
      if (layout.outputs[k].kind == Kind::temporary)
        request.outputs[k].memory = run->output(layout.outputs[k], isRemote);
  }
  return run;
}

void Run::release(const Compound &compound) {
  for (size_t i = 0; i < requests.size(); ++i) {
    const StepLayout &layout = compound.layout.steps[i];
    for (size_t k = 0; k < layout.inputs.size(); ++k)
      if (!isFixed(layout.inputs[k]))
        requests[i].inputs[k].memory = {};
    for (size_t k = 0; k < layout.outputs.size(); ++k)
      if (!isFixed(layout.outputs[k]))
        requests[i].outputs[k].memory = {};
  }
}
