//===- ContextAccess.cpp - The execution context in generated code --------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContextAccess.h"

#include "nnhal/Backend/EntryAbi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace nnhal;

Value ContextAccess::advance(Value base, size_t offset) {
  return LLVM::GEPOp::create(builder, loc, pointerType(), builder.getI8Type(),
                             base, ArrayRef<LLVM::GEPArg>{int32_t(offset)});
}

Value ContextAccess::loadPointer(Value base, size_t offset) {
  return loadInteger(base, offset, pointerType());
}

Value ContextAccess::loadInteger(Value base, size_t offset, Type type) {
  return LLVM::LoadOp::create(builder, loc, type, advance(base, offset));
}

void ContextAccess::store(Value value, Value base, size_t offset) {
  LLVM::StoreOp::create(builder, loc, value, advance(base, offset));
}

Value ContextAccess::integer(int64_t value, unsigned width) {
  return arith::ConstantIntOp::create(builder, loc, value, width);
}

Value ContextAccess::toMemRef(Value pointer, MemRefType type) {
  SmallVector<Value> extents;
  for (int64_t extent : type.getShape())
    extents.push_back(integer(extent, /*width=*/64));
  return toMemRef(pointer, type, extents);
}

Value ContextAccess::toMemRef(Value pointer, MemRefType type,
                              ValueRange extents) {
  auto i64 = builder.getI64Type();
  SmallVector<Type> fields = {pointerType(), pointerType(), i64};
  int64_t rank = type.getRank();
  if (rank > 0) {
    auto list = LLVM::LLVMArrayType::get(i64, rank);
    fields.append({list, list});
  }
  auto descriptorType =
      LLVM::LLVMStructType::getLiteral(builder.getContext(), fields);
  Value descriptor = LLVM::PoisonOp::create(builder, loc, descriptorType);
  auto insert = [&](Value value, ArrayRef<int64_t> position) {
    descriptor =
        LLVM::InsertValueOp::create(builder, loc, descriptor, value, position);
  };
  insert(pointer, {0});
  insert(pointer, {1});
  insert(integer(0, /*width=*/64), {2});
  Value stride = integer(1, /*width=*/64);
  for (int64_t i = rank - 1; i >= 0; --i) {
    insert(extents[i], {3, i});
    insert(stride, {4, i});
    if (i > 0)
      stride = arith::MulIOp::create(builder, loc, stride, extents[i]);
  }
  return UnrealizedConversionCastOp::create(builder, loc, type, descriptor)
      .getResult(0);
}

Value ContextAccess::reportOutput(Value argument, ValueRange extents,
                                  Value needed) {
  Value shape = loadPointer(argument, offsetof(NNHalTensorArgument, shape));
  for (auto [index, extent] : llvm::enumerate(extents))
    store(extent, shape, index * sizeof(int64_t));
  store(integer(extents.size(), /*width=*/32), argument,
        offsetof(NNHalTensorArgument, rank));
  Value size = loadInteger(argument, offsetof(NNHalTensorArgument, size),
                           builder.getI64Type());
  Value suffices = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::uge, size, needed);
  store(arith::ExtUIOp::create(builder, loc, builder.getI32Type(), suffices),
        argument, offsetof(NNHalTensorArgument, isSufficient));
  return suffices;
}

int64_t nnhal::elementBytes(MemRefType type) {
  // An index is what the runtime counts in.
  if (type.getElementType().isIndex())
    return sizeof(int64_t);
  return llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}
