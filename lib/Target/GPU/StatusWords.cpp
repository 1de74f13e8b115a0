//===- StatusWords.cpp - What the words of the status mean ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StatusWords.h"

#include "Runtime/Artifact/GpuProgram.h"
#include "nnhal/Codegen/EntryFunction.h"
#include "nnhal/Dialect/GPU/GPUOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace nnhal;
using namespace nnhal::nngpu;

static constexpr int64_t wordSize = sizeof(uint32_t);

int64_t nngpu::inputCountOf(func::FuncOp function) {
  auto count = function->getAttrOfType<IntegerAttr>(inputCountAttrName);
  return count ? std::max<int64_t>(count.getInt(), 0) : 0;
}

MemRefType nngpu::statusTypeOf(func::FuncOp function) {
  auto bytes = int64_t(rt::gpuStatusSizeFor(size_t(inputCountOf(function))));
  return MemRefType::get({bytes / wordSize},
                         IntegerType::get(function.getContext(), 32));
}

Value nngpu::loadPresence(OpBuilder &builder, Location loc,
                          func::FuncOp function, int64_t index) {
  Value status = StatusOp::create(builder, loc, statusTypeOf(function));
  Value position = arith::ConstantIndexOp::create(
      builder, loc, int64_t(rt::gpuStatusSize) / wordSize + index);
  return memref::LoadOp::create(builder, loc, status, ValueRange{position});
}
