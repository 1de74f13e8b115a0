//===- ProgramBuffers.cpp - Where the buffers of commands are -------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramBuffers.h"

#include "nnhal/Codegen/EntryFunction.h"
#include "nnhal/Dialect/GPU/GPUOps.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace nnhal;
using namespace nnhal::nngpu;

FailureOr<ProgramBuffers> ProgramBuffers::of(func::FuncOp entry) {
  ProgramBuffers result(&entry.getBody().front());
  auto inputs = entry->getAttrOfType<IntegerAttr>(inputCountAttrName);
  auto outputs = entry->getAttrOfType<IntegerAttr>(outputCountAttrName);
  if (!inputs || !outputs || inputs.getInt() < 0 || outputs.getInt() < 0 ||
      entry.getNumArguments() != inputs.getInt() + outputs.getInt() + 2)
    return entry.emitError("entry function has ")
           << entry.getNumArguments()
           << " arguments instead of its inputs, its outputs, the constants "
              "and the arena";
  result.inputs = unsigned(inputs.getInt());
  result.outputs = unsigned(outputs.getInt());
  return result;
}

int64_t ProgramBuffers::arenaSize() const {
  return cast<MemRefType>(body->getArguments().back().getType())
      .getNumElements();
}

FailureOr<rt::GpuBinding> ProgramBuffers::find(Value buffer,
                                               Operation *command) const {
  std::optional<int64_t> size = byteSizeOf(buffer.getType());
  rt::GpuBinding binding;
  if (!size || *size == 0)
    return command->emitOpError("has a buffer of ")
           << buffer.getType() << ", which has no bytes to bind";
  binding.size = uint64_t(*size);
  if (buffer.getDefiningOp<StatusOp>()) {
    binding.space = rt::GpuSpace::status;
    return binding;
  }
  if (auto view = buffer.getDefiningOp<memref::ViewOp>()) {
    APInt offset;
    if (matchPattern(view.getByteShift(), m_ConstantInt(&offset))) {
      binding.offset = offset.getZExtValue();
      buffer = view.getSource();
    }
  }
  auto argument = dyn_cast<BlockArgument>(buffer);
  if (!argument || argument.getOwner() != body)
    return command->emitOpError(
        "has a buffer that is neither an argument nor a "
        "view of one at a constant place: memory is not "
        "planned");
  unsigned number = argument.getArgNumber();
  if (number < inputs) {
    binding.space = rt::GpuSpace::input;
    binding.argument = number;
  } else if (number < inputs + outputs) {
    binding.space = rt::GpuSpace::output;
    binding.argument = number - inputs;
  } else {
    binding.space = number == inputs + outputs ? rt::GpuSpace::constants
                                               : rt::GpuSpace::arena;
  }
  return binding;
}
