//===- Emitter.cpp - Small builder of loops over vectors ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parts that loops of micro-kernels are built of. Nothing canonicalizes
// what is emitted before it is outlined, so that it is emitted small: index
// arithmetic folds on constants and neutral operands, loops of one round are
// straight code, loops that carry values and have none are the values.
//
// Values that do not change in a kernel are made once, in front of it, at a
// marker that the constructor sets: constants of each kind are cached, and
// hoisted() builds there whatever else is invariant. Buffers are seen as one
// dimension with known strides, so that an address is one sum; this fails where
// a stride is not known.
//
// A run of elements that is shorter than a vector is loaded and stored with a
// mask, for elements of 32 bits and more; for narrower ones, of which LLVM
// would move each by itself, it is cut into vectors of powers of two. Loops are
// marked so that LLVM does not unroll them again.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "../FlattenBuffer.h"
#include "../KernelSplit.h"

#include "nnhal/Dialect/NNHal/IR/DiscardableAttributes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace nnhal::kernel;

// Flat indices of padded windows start below zero, so no-unsigned-wrap would be
// wrong.
static constexpr auto noWrap = arith::IntegerOverflowFlags::nsw;

Emitter::Emitter(OpBuilder &builder, Operation *before, const CostModel &costs)
    : numbers(costs), rewriter(builder), location(before->getLoc()),
      kernel(nullptr) {
  // Everything hoisted goes before this marker, which also keeps the position
  // while the kernel itself grows behind it.
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(before);
  Value zero = arith::ConstantIndexOp::create(builder, location, 0);
  kernel = zero.getDefiningOp();
  indices[0] = zero;
}

/// Marks a loop of a kernel as finished: what should be unrolled has been. LLVM
/// would unroll the channel loops around a tile (5 times the code and the
/// compile time for nothing). The name is that of the property of llvm.br,
/// which the upstream conversions carry the attribute to.
static void keepRolled(Operation *loop) {
  MLIRContext *context = loop->getContext();
  auto unroll = LLVM::LoopUnrollAttr::get(
      context, /*disable=*/BoolAttr::get(context, true), /*count=*/{},
      /*runtimeDisable=*/{}, /*full=*/{}, /*followupUnrolled=*/{},
      /*followupRemainder=*/{}, /*followupAll=*/{});
  loop->setAttr("loop_annotation",
                LLVM::LoopAnnotationAttr::get(
                    context, /*disableNonforced=*/{}, /*vectorize=*/{},
                    /*interleave=*/{}, unroll, /*unrollAndJam=*/{},
                    /*licm=*/{}, /*distribute=*/{}, /*pipeline=*/{},
                    /*peeled=*/{}, /*unswitch=*/{}, /*mustProgress=*/{},
                    /*isVectorized=*/{}, /*startLoc=*/{}, /*endLoc=*/{},
                    /*parallelAccesses=*/{}));
}

Value Emitter::hoisted(llvm::function_ref<Value()> body) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(kernel);
  return body();
}

std::optional<FlatView> Emitter::flatten(Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  int64_t offset;
  FlatView view;
  if (!type.hasStaticShape() ||
      failed(type.getStridesAndOffset(view.strides, offset)) ||
      llvm::any_of(view.strides, ShapedType::isDynamic) ||
      (type.getShape().back() > 1 && view.strides.back() != 1))
    return std::nullopt;
  if (type.getLayout().isIdentity()) {
    view.buffer =
        type.getRank() > 1 ? flattenBuffer(rewriter, location, memref) : memref;
    return view;
  }
  int64_t span = 1;
  for (auto [size, stride] : llvm::zip_equal(type.getShape(), view.strides))
    span += (size - 1) * stride;
  auto metadata =
      memref::ExtractStridedMetadataOp::create(rewriter, location, memref);
  OpFoldResult start = rewriter.getIndexAttr(offset);
  if (ShapedType::isDynamic(offset))
    start = metadata.getOffset();
  auto flat = MemRefType::get(
      {span}, type.getElementType(),
      StridedLayoutAttr::get(rewriter.getContext(), offset, {1}),
      type.getMemorySpace());
  view.buffer = memref::ReinterpretCastOp::create(
      rewriter, location, flat, metadata.getBaseBuffer(), start,
      ArrayRef<OpFoldResult>{rewriter.getIndexAttr(span)},
      ArrayRef<OpFoldResult>{rewriter.getIndexAttr(1)});
  return view;
}

//===----------------------------------------------------------------------===//
// Index arithmetic
//===----------------------------------------------------------------------===//

Value Emitter::index(int64_t value) {
  Value &cached = indices[value];
  if (!cached)
    cached = hoisted([&]() -> Value {
      return arith::ConstantIndexOp::create(rewriter, location, value);
    });
  return cached;
}

/// \p sum without the constant that is added to it last, and that.
static std::pair<Value, int64_t> splitShift(Value sum) {
  auto add = sum.getDefiningOp<arith::AddIOp>();
  std::optional<int64_t> shift =
      add ? getConstantIntValue(add.getRhs()) : std::nullopt;
  return shift ? std::pair(add.getLhs(), *shift) : std::pair(sum, int64_t(0));
}

Value Emitter::add(Value a, Value b) {
  std::optional<int64_t> left = getConstantIntValue(a);
  std::optional<int64_t> right = getConstantIntValue(b);
  if (left && right)
    return index(*left + *right);
  if (left == 0)
    return b;
  if (right == 0)
    return a;
  if (left)
    return add(b, a);
  if (right) {
    auto [start, shift] = splitShift(a);
    if (shift != 0)
      return add(start, shift + *right);
    return arith::AddIOp::create(rewriter, location, a, b, noWrap);
  }
  // Constants come last: accesses that lie a constant apart have an address in
  // common then, and each its own displacement.
  if (auto [start, shift] = splitShift(a); shift != 0)
    return add(add(start, b), shift);
  if (auto [start, shift] = splitShift(b); shift != 0)
    return add(add(a, start), shift);
  return arith::AddIOp::create(rewriter, location, a, b, noWrap);
}

Value Emitter::mul(Value a, int64_t b) {
  if (std::optional<int64_t> left = getConstantIntValue(a))
    return index(*left * b);
  if (b == 1)
    return a;
  return arith::MulIOp::create(rewriter, location, a, index(b), noWrap);
}

Value Emitter::min(Value a, Value b) {
  return arith::MinSIOp::create(rewriter, location, a, b);
}

Value Emitter::max(Value a, Value b) {
  return arith::MaxSIOp::create(rewriter, location, a, b);
}

Value Emitter::leaveOut(Value value, int64_t begin, int64_t count) {
  Value isBelow = arith::CmpIOp::create(
      rewriter, location, arith::CmpIPredicate::slt, value, index(begin));
  return arith::SelectOp::create(rewriter, location, isBelow, value,
                                 add(value, count));
}

Value Emitter::ceilDiv(Value a, int64_t divisor) {
  if (divisor == 1)
    return a;
  return arith::CeilDivSIOp::create(rewriter, location, a, index(divisor));
}

std::pair<Value, Value> Emitter::validTaps(const WindowDim &dim, Value origin) {
  if (dim.out == 1 || dim.unpadded()) {
    TapRange taps = dim.validTaps(0);
    return {index(taps.begin), index(taps.end)};
  }
  // Taps t with 0 <= origin + t * dilation < in.
  Value negated = mul(origin, -1);
  return {max(index(0), ceilDiv(negated, dim.dilation)),
          min(index(dim.filter), ceilDiv(add(negated, dim.in), dim.dilation))};
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

void Emitter::loop(int64_t begin, int64_t count, int64_t step,
                   llvm::function_ref<void(Value)> body) {
  if (count == 1) {
    body(index(begin));
    return;
  }
  auto loop = scf::ForOp::create(rewriter, location, index(begin),
                                 index(begin + count * step), index(step));
  keepRolled(loop);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(loop.getBody()->getTerminator());
  body(loop.getInductionVar());
}

void Emitter::parallelLoop(int64_t begin, int64_t count, int64_t step,
                           llvm::function_ref<void(Value)> body) {
  if (count == 1) {
    body(index(begin));
    return;
  }
  scf::ForallOp loop = nnhal::createPieceLoop(
      rewriter, location, rewriter.getIndexAttr(begin),
      rewriter.getIndexAttr(begin + count * step), rewriter.getIndexAttr(step));
  keepRolled(loop);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(loop.getTerminator());
  body(loop.getInductionVar(0));
}

void Emitter::enclosed(llvm::function_ref<void()> body) {
  if (rewriter.getInsertionBlock() != kernel->getBlock())
    return body();
  auto loop =
      scf::ForOp::create(rewriter, location, index(0), index(1), index(1));
  keepRolled(loop);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(loop.getBody()->getTerminator());
  body();
}

void Emitter::tileLoop(const TileGroup &group,
                       llvm::function_ref<void(Value)> body) {
  parallelLoop(group.start, group.count, group.size, [&](Value position) {
    if (group.overlaps())
      position = min(position, index(group.lastStart));
    body(position);
  });
}

SmallVector<Value> Emitter::carry(Value begin, Value end, ValueRange values,
                                  CarryBody body, int64_t step) {
  std::optional<int64_t> first = getConstantIntValue(begin);
  std::optional<int64_t> last = getConstantIntValue(end);
  if (first && last && *last == *first)
    return llvm::to_vector(values);
  if (first && last && *last - *first == step)
    return body(begin, values);
  auto loop =
      scf::ForOp::create(rewriter, location, begin, end, index(step), values);
  keepRolled(loop);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> next =
      body(loop.getInductionVar(), loop.getRegionIterArgs());
  scf::YieldOp::create(rewriter, location, next);
  return llvm::to_vector_of<Value>(loop.getResults());
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

VectorType Emitter::vectorType(int64_t lanes, Type element) {
  return VectorType::get({lanes}, element ? element : rewriter.getF32Type());
}

Value Emitter::splat(double value, int64_t lanes) {
  Value &cached = splats[{llvm::bit_cast<uint64_t>(value), lanes}];
  if (!cached)
    cached = hoisted([&]() -> Value {
      Attribute element = rewriter.getF32FloatAttr(static_cast<float>(value));
      return arith::ConstantOp::create(
          rewriter, location,
          DenseElementsAttr::get(vectorType(lanes), element));
    });
  return cached;
}

Value Emitter::mask(Lanes lanes) {
  Value &cached = masks[{lanes.lanes, lanes.valid}];
  if (!cached)
    cached = hoisted([&]() -> Value {
      return vector::ConstantMaskOp::create(
          rewriter, location, vectorType(lanes.lanes, rewriter.getI1Type()),
          ArrayRef<int64_t>{lanes.valid});
    });
  return cached;
}

Value Emitter::zeros(VectorType type) {
  Value &cached = zeroVectors[type];
  if (!cached)
    cached = hoisted([&]() -> Value {
      return arith::ConstantOp::create(rewriter, location,
                                       rewriter.getZeroAttr(type));
    });
  return cached;
}

/// Masked accesses exist for elements of 32 bits and more; of narrower ones
/// LLVM would move each by itself.
static bool hasMaskedAccess(Type element) {
  return element.getIntOrFloatBitWidth() >= 32;
}

/// Calls `part` with offset and size for each power of two of `count`.
static void forEachPart(int64_t count,
                        llvm::function_ref<void(int64_t, int64_t)> part) {
  int64_t offset = 0;
  for (int64_t size = llvm::bit_floor<uint64_t>(count); size > 0; size /= 2)
    if (count & size) {
      part(offset, size);
      offset += size;
    }
}

Value Emitter::load(const FlatView &view, Value at, Lanes lanes) {
  VectorType type = vectorType(lanes.lanes, view.element());
  if (lanes.valid == lanes.lanes)
    return vector::LoadOp::create(rewriter, location, type, view.buffer, at);
  if (!hasMaskedAccess(type.getElementType()))
    return loadParts(view, at, lanes);
  return vector::MaskedLoadOp::create(rewriter, location, type, view.buffer, at,
                                      mask(lanes), zeros(type));
}

Value Emitter::loadParts(const FlatView &view, Value at, Lanes lanes) {
  Value result = zeros(vectorType(lanes.lanes, view.element()));
  forEachPart(lanes.valid, [&](int64_t offset, int64_t size) {
    Value part = vector::LoadOp::create(rewriter, location,
                                        vectorType(size, view.element()),
                                        view.buffer, add(at, offset));
    result = vector::InsertStridedSliceOp::create(
        rewriter, location, part, result, ArrayRef<int64_t>{offset},
        ArrayRef<int64_t>{1});
  });
  return result;
}

Value Emitter::loadScalar(const FlatView &view, Value at) {
  return memref::LoadOp::create(rewriter, location, view.buffer, at);
}

Value Emitter::broadcast(Value scalar, int64_t lanes) {
  return vector::BroadcastOp::create(
      rewriter, location, vectorType(lanes, scalar.getType()), scalar);
}

void Emitter::store(Value vector, const FlatView &view, Value at, Lanes lanes) {
  if (lanes.valid == lanes.lanes)
    vector::StoreOp::create(rewriter, location, vector, view.buffer, at);
  else if (!hasMaskedAccess(view.element()))
    storeParts(vector, view, at, lanes);
  else
    vector::MaskedStoreOp::create(rewriter, location, view.buffer, at,
                                  mask(lanes), vector);
}

void Emitter::prefetch(const FlatView &view, Value at, bool isWrite) {
  memref::PrefetchOp::create(rewriter, location, view.buffer, at, isWrite,
                             /*localityHint=*/2, /*isDataCache=*/true);
}

int64_t Emitter::lineOf(const FlatView &view) {
  constexpr int64_t bits = 64 * 8;
  return bits / view.element().getIntOrFloatBitWidth();
}

void Emitter::storeParts(Value vector, const FlatView &view, Value at,
                         Lanes lanes) {
  forEachPart(lanes.valid, [&](int64_t offset, int64_t size) {
    Value part = vector::ExtractStridedSliceOp::create(
        rewriter, location, vector, ArrayRef<int64_t>{offset},
        ArrayRef<int64_t>{size}, ArrayRef<int64_t>{1});
    vector::StoreOp::create(rewriter, location, part, view.buffer,
                            add(at, offset));
  });
}

/// `value`'s type with other elements.
static Type withElement(Value value, Type element) {
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    return vector.clone(element);
  return element;
}

Value Emitter::signExtend(Value value, Type element) {
  Type type = withElement(value, element);
  if (type == value.getType())
    return value;
  return arith::ExtSIOp::create(rewriter, location, type, value);
}

Value Emitter::zeroExtend(Value value, Type element) {
  return arith::ExtUIOp::create(rewriter, location, withElement(value, element),
                                value);
}

Value Emitter::toF32(Value value) {
  if (isa<FloatType>(getElementTypeOrSelf(value)))
    return value;
  Value wide = signExtend(value, rewriter.getI32Type());
  return arith::SIToFPOp::create(
      rewriter, location, withElement(value, rewriter.getF32Type()), wide);
}

Value Emitter::constantTable(MemRefType type, DenseElementsAttr data) {
  auto module = kernel->getParentOfType<ModuleOp>();
  memref::GlobalOp global;
  for (auto existing : module.getOps<memref::GlobalOp>())
    if (existing.getConstant() && existing.getInitialValueAttr() == data)
      global = existing;
  if (!global) {
    SymbolTable symbols(module);
    OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
    global = memref::GlobalOp::create(
        builder, location, "nnk_offsets", builder.getStringAttr("private"),
        type, data, /*constant=*/true, /*alignment=*/IntegerAttr());
    symbols.insert(global, module.getBody()->begin());
  }
  return hoisted([&]() -> Value {
    return memref::GetGlobalOp::create(rewriter, location, type,
                                       global.getSymName());
  });
}

FlatView Emitter::scratch(Type element, int64_t count) {
  Value &buffer = scratchBuffers[element];
  auto sizeOf = [](Value value) {
    return cast<MemRefType>(value.getType()).getNumElements();
  };
  if (buffer && sizeOf(buffer) >= count)
    return {buffer, {1}};
  OpBuilder::InsertionGuard guard(rewriter);
  // Not where the kernel is, which may be in a loop.
  auto function = kernel->getParentOfType<FunctionOpInterface>();
  rewriter.setInsertionPointToStart(&function.getFunctionBody().front());
  constexpr int64_t alignment = 64;
  buffer = memref::AllocaOp::create(rewriter, location,
                                    MemRefType::get({count}, element),
                                    rewriter.getI64IntegerAttr(alignment));
  buffer.getDefiningOp()->setAttr(nnhal::scratchAttrName,
                                  rewriter.getUnitAttr());
  return {buffer, {1}};
}
