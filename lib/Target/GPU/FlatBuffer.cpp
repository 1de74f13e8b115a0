//===- FlatBuffer.cpp - Elements of buffers by their number ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FlatBuffer.h"

#include "nnhal/Dialect/GPU/GPUOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace nnhal::nngpu;

FailureOr<FlatBuffer> FlatBuffer::of(Kernel &kernel, Value view,
                                     Operation *user) {
  auto type = cast<MemRefType>(view.getType());
  FlatBuffer result(kernel, rootOf(view), type.getElementType());
  if (!type.hasStaticShape() ||
      failed(type.getStridesAndOffset(result.steps, result.first)) ||
      ShapedType::isDynamic(result.first) ||
      llvm::any_of(result.steps, ShapedType::isDynamic))
    return user->emitOpError("accesses ")
           << type << ", whose layout is no numbers";
  result.extents.assign(type.getShape().begin(), type.getShape().end());
  return result;
}

Value FlatBuffer::number(ValueRange indices) const {
  OpBuilder &builder = kernel->builder();
  Location loc = root.getLoc();
  Value sum = kernel->constant(first);
  for (auto [index, step] : llvm::zip_equal(indices, steps)) {
    Value scaled =
        arith::MulIOp::create(builder, loc, index, kernel->constant(step));
    sum = arith::AddIOp::create(builder, loc, sum, scaled);
  }
  return sum;
}

/// Whether elements of \p bits bits at \p offset and \p strides of \p root are
/// in fours.
static bool areInFours(Value root, unsigned bits, int64_t offset,
                       ArrayRef<int64_t> strides) {
  auto isMultiple = [](int64_t number) { return number % 4 == 0; };
  std::optional<int64_t> size = byteSizeOf(root.getType());
  return size && *size % (4 * int64_t(bits) / 8) == 0 && !strides.empty() &&
         strides.back() == 1 && isMultiple(offset) &&
         llvm::all_of(strides.drop_back(), isMultiple);
}

bool nnhal::nngpu::isInFours(Value view) {
  auto type = cast<MemRefType>(view.getType());
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  return type.getElementType().isIntOrFloat() &&
         succeeded(type.getStridesAndOffset(strides, offset)) &&
         areInFours(rootOf(view), type.getElementTypeBitWidth(), offset,
                    strides);
}

bool FlatBuffer::isInFours() const {
  return areInFours(root, type.getIntOrFloatBitWidth(), first, steps);
}

FlatBuffer FlatBuffer::inWords() const {
  assert(isInFours() && type.isInteger(8) && "bytes in fours");
  FlatBuffer result(*this);
  result.type = IntegerType::get(type.getContext(), 32);
  result.first /= 4;
  for (int64_t &step : MutableArrayRef(result.steps).drop_back())
    step /= 4;
  result.extents.back() = llvm::divideCeil(extents.back(), 4);
  return result;
}

Type FlatBuffer::fourInMemory() const {
  unsigned bits = type.getIntOrFloatBitWidth();
  if (bits == 32)
    return VectorType::get({4}, type);
  Type word = IntegerType::get(type.getContext(), 32);
  return bits == 8 ? word : VectorType::get({2}, word);
}

Value FlatBuffer::quarter(Value number) const {
  return arith::DivUIOp::create(kernel->builder(), root.getLoc(), number,
                                kernel->constant(4));
}

Value FlatBuffer::load(Value number) const {
  return memref::LoadOp::create(kernel->builder(), root.getLoc(),
                                kernel->bindAs(root, type), number);
}

void FlatBuffer::store(Value value, Value number) const {
  memref::StoreOp::create(kernel->builder(), root.getLoc(), value,
                          kernel->bindAs(root, type), number);
}

Value FlatBuffer::loadFour(Value number) const {
  OpBuilder &builder = kernel->builder();
  Location loc = root.getLoc();
  auto four = VectorType::get({4}, type);
  Type stored = fourInMemory();
  Value value = memref::LoadOp::create(
      builder, loc, kernel->bindAs(root, stored), quarter(number));
  if (stored == four)
    return value;
  if (!isa<VectorType>(stored))
    value = vector::BroadcastOp::create(builder, loc,
                                        VectorType::get({1}, stored), value);
  return vector::BitCastOp::create(builder, loc, four, value);
}

Value FlatBuffer::loadQuad(Value number) const {
  OpBuilder &builder = kernel->builder();
  Location loc = root.getLoc();
  SmallVector<Value> bytes;
  for (int64_t i = 0; i < 4; ++i)
    bytes.push_back(load(arith::AddIOp::create(
        builder, loc, number, kernel->constant(i * channelStride()))));
  Value quad = vector::FromElementsOp::create(
      builder, loc, VectorType::get({4}, type), bytes);
  Value word = vector::BitCastOp::create(
      builder, loc, VectorType::get({1}, builder.getI32Type()), quad);
  return vector::ExtractOp::create(builder, loc, word, ArrayRef<int64_t>{0});
}

void FlatBuffer::storeFour(Value vector, Value number) const {
  OpBuilder &builder = kernel->builder();
  Location loc = root.getLoc();
  Type stored = fourInMemory();
  if (stored != vector.getType()) {
    bool isWord = !isa<VectorType>(stored);
    auto words =
        isWord ? VectorType::get({1}, stored) : cast<VectorType>(stored);
    vector = vector::BitCastOp::create(builder, loc, words, vector);
    if (isWord)
      vector =
          vector::ExtractOp::create(builder, loc, vector, ArrayRef<int64_t>{0});
  }
  memref::StoreOp::create(builder, loc, vector, kernel->bindAs(root, stored),
                          quarter(number));
}
