//===- Emitter.cpp - Small builder of loops over vectors ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

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
static void keepRolled(scf::ForOp loop) {
  MLIRContext *context = loop.getContext();
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
    view.buffer = memref;
    if (type.getRank() > 1) {
      SmallVector<ReassociationIndices> groups(1);
      for (int64_t dim = 0; dim < type.getRank(); ++dim)
        groups[0].push_back(dim);
      view.buffer =
          memref::CollapseShapeOp::create(rewriter, location, memref, groups);
    }
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

Value Emitter::add(Value a, Value b) {
  std::optional<int64_t> left = getConstantIntValue(a);
  std::optional<int64_t> right = getConstantIntValue(b);
  if (left && right)
    return index(*left + *right);
  if (left == 0)
    return b;
  if (right == 0)
    return a;
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
  loop(begin, count, step, [&](Value iv) {
    body(iv);
    if (count != 1)
      iv.getParentBlock()->getParentOp()->setAttr(nnhal::parallelLoopAttrName,
                                                  rewriter.getUnitAttr());
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

static Type elementOf(const FlatView &view) {
  return cast<MemRefType>(view.buffer.getType()).getElementType();
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
  VectorType type = vectorType(lanes.lanes, elementOf(view));
  if (lanes.valid == lanes.lanes)
    return vector::LoadOp::create(rewriter, location, type, view.buffer, at);
  if (!hasMaskedAccess(type.getElementType()))
    return loadParts(view, at, lanes);
  return vector::MaskedLoadOp::create(rewriter, location, type, view.buffer, at,
                                      mask(lanes), zeros(type));
}

Value Emitter::loadParts(const FlatView &view, Value at, Lanes lanes) {
  Value result = zeros(vectorType(lanes.lanes, elementOf(view)));
  forEachPart(lanes.valid, [&](int64_t offset, int64_t size) {
    Value part = vector::LoadOp::create(rewriter, location,
                                        vectorType(size, elementOf(view)),
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
  else if (!hasMaskedAccess(elementOf(view)))
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
  return bits / elementOf(view).getIntOrFloatBitWidth();
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

//===----------------------------------------------------------------------===//
// Epilogue
//===----------------------------------------------------------------------===//

bool nnhal::kernel::hasUniformPixels(const FlatView &view,
                                     ArrayRef<int64_t> shape) {
  // The stride of a dimension with one element is never used.
  int64_t expected = view.strides[2] * shape[2];
  if (shape[1] > 1 && view.strides[1] != expected)
    return false;
  expected *= shape[1];
  return shape[0] == 1 || view.strides[0] == expected;
}

std::optional<Epilogue> Epilogue::create(KernelOpInterface op,
                                         Emitter &emitter) {
  Epilogue epilogue(op, emitter);
  std::optional<FlatView> out = emitter.flatten(op.getDestination());
  if (!out)
    return std::nullopt;
  epilogue.out = *out;
  auto channelsOf = [](Value value) {
    return cast<ShapedType>(value.getType()).getShape().back();
  };
  for (Value extra : op.getExtras()) {
    std::optional<FlatView> view = emitter.flatten(extra);
    if (!view)
      return std::nullopt;
    epilogue.extras.push_back(*view);
    epilogue.isOfPixels.push_back(view->strides.size() > 1 &&
                                  channelsOf(extra) !=
                                      channelsOf(op.getDestination()));
  }
  return epilogue;
}

bool Epilogue::uniformPixels() const {
  ArrayRef<int64_t> shape =
      cast<ShapedType>(KernelOpInterface(op).getDestination().getType())
          .getShape();
  return hasUniformPixels(out, shape) &&
         llvm::all_of(extras, [&](const FlatView &view) {
           return view.strides.size() == 1 || hasUniformPixels(view, shape);
         });
}

Epilogue::Pixel Epilogue::pixel(Value batch, Value row, Value column) {
  auto offset = [&](const FlatView &view) {
    Value at = emitter->mul(column, view.strides[2]);
    at = emitter->add(emitter->mul(row, view.strides[1]), at);
    return emitter->add(emitter->mul(batch, view.strides[0]), at);
  };
  Pixel pixel{offset(out), {}};
  for (const FlatView &view : extras) {
    if (view.strides.size() == 1)
      pixel.extras.push_back(Value());
    else
      pixel.extras.push_back(view.strides == out.strides ? pixel.out
                                                         : offset(view));
  }
  return pixel;
}

Epilogue::Pixel Epilogue::moved(const Pixel &pixel, Value rows, Value columns) {
  auto offset = [&](const FlatView &view, Value at) {
    return emitter->mulAdd(rows, view.strides[1],
                           emitter->mulAdd(columns, view.strides[2], at));
  };
  Pixel result{offset(out, pixel.out), {}};
  for (auto [view, at] : llvm::zip_equal(extras, pixel.extras)) {
    if (!at || view.strides == out.strides)
      result.extras.push_back(at ? result.out : at);
    else
      result.extras.push_back(offset(view, at));
  }
  return result;
}

Epilogue::Pixel Epilogue::pixelOf(const Tile &tile, int64_t pixel) {
  return moved(tile.first, emitter->index(pixel / tile.pixels),
               emitter->index(pixel % tile.pixels));
}

void Epilogue::prefetchNextLine(const Pixel &first, int64_t count,
                                Value channel) {
  Value at =
      emitter->add(emitter->add(first.out, channel), Emitter::lineOf(out));
  for (int64_t pixel = 0; pixel < count; ++pixel)
    emitter->prefetch(out, emitter->add(at, pixel * out.strides[2]),
                      /*isWrite=*/true);
}

bool nnhal::kernel::hasFunctions(Block &body) {
  return llvm::any_of(body.without_terminator(), [](Operation &inner) {
    return isa<math::MathDialect>(inner.getDialect()) &&
           !isa<math::AbsFOp, math::CeilOp, math::FloorOp, math::FmaOp,
                math::RoundEvenOp, math::SqrtOp, math::TruncOp>(inner);
  });
}

bool Epilogue::isLong() const {
  Region &region = KernelOpInterface(op).getEpilogue();
  if (region.empty())
    return false;
  int64_t operations =
      llvm::count_if(region.front().without_terminator(), [](Operation &inner) {
        return !inner.hasTrait<OpTrait::ConstantLike>();
      });
  // Requantization takes more, activations and residuals less.
  return operations >= emitter->costs().longEpilogue ||
         hasFunctions(region.front());
}

void Epilogue::finish(const Tile &tile) {
  if (!isLong())
    return finishInRegisters(tile);
  FlatView sums = sumsOf(tile);
  for (int64_t vector = 0; vector < tile.vectors; ++vector) {
    SmallVector<Value> values;
    for (size_t at = vector; at < tile.values.size(); at += tile.vectors)
      values.push_back(tile.values[at]);
    storeSums(tile, sums, emitter->index(vector), values);
  }
  finishInLoop(tile, sums);
}

void Epilogue::finishVectors(const Tile &tile, VectorBody body) {
  if (isLong()) {
    FlatView sums = sumsOf(tile);
    emitter->loop(0, tile.vectors, 1, [&](Value vector) {
      storeSums(tile, sums, vector, body(vector));
    });
    return finishInLoop(tile, sums);
  }
  emitter->loop(0, tile.vectors, 1, [&](Value vector) {
    SmallVector<Value> values = body(vector);
    Tile part = tile;
    part.values = values;
    part.channel = emitter->mulAdd(vector, tile.lanes, tile.channel);
    part.channels = std::min(tile.channels, tile.lanes);
    part.vectors = 1;
    finishInRegisters(part);
  });
}

void Epilogue::finishInRegisters(const Tile &tile) {
  // Loaded before the first store, which might change them for all LLVM knows.
  SmallVector<SmallVector<Value>> channelVectors;
  for (int64_t vector = 0; vector < tile.vectors; ++vector)
    channelVectors.push_back(loadChannels(
        emitter->add(tile.channel, vector * tile.lanes), tile.lanesOf(vector)));
  for (int64_t pixel = 0; pixel < tile.rows * tile.pixels; ++pixel) {
    Pixel at = pixelOf(tile, pixel);
    for (int64_t vector = 0; vector < tile.vectors; ++vector) {
      Value channel = emitter->add(tile.channel, vector * tile.lanes);
      Lanes lanes = tile.lanesOf(vector);
      Value value = apply(tile.values[pixel * tile.vectors + vector], at,
                          channel, lanes, channelVectors[vector]);
      emitter->store(value, out, emitter->add(at.out, channel), lanes);
    }
  }
}

/// Where the accumulators of a tile are kept that finishInLoop() reads.
FlatView Epilogue::sumsOf(const Tile &tile) {
  if (elementOf(out) == op.getAccumulatorType())
    return out;
  return emitter->scratch(op.getAccumulatorType(),
                          tile.rows * tile.pixels * tile.vectors * tile.lanes);
}

/// Stores `values`, those of one vector of all pixels.
void Epilogue::storeSums(const Tile &tile, const FlatView &sums, Value vector,
                         ArrayRef<Value> values) {
  bool inDestination = sums.buffer == out.buffer;
  for (auto [pixel, value] : llvm::enumerate(values)) {
    Lanes lanes{tile.lanes, tile.lanes};
    Value at = emitter->mulAdd(
        vector, tile.lanes, emitter->index(pixel * tile.vectors * tile.lanes));
    if (inDestination) {
      lanes = tile.lanesOf(getConstantIntValue(vector).value_or(0));
      at = emitter->add(pixelOf(tile, int64_t(pixel)).out,
                        emitter->mulAdd(vector, tile.lanes, tile.channel));
    }
    emitter->store(value, sums, at, lanes);
  }
}

/// A long epilogue runs over stored accumulators, which the first-level cache
/// still holds: one copy of its code instead of one per accumulator, which
/// takes LLVM three times as long and runs no faster.
void Epilogue::finishInLoop(const Tile &tile, const FlatView &sums) {
  int64_t width = tile.vectors * tile.lanes;
  bool inDestination = sums.buffer == out.buffer;
  emitter->loop(0, tile.rows, 1, [&](Value row) {
    emitter->loop(0, tile.pixels, 1, [&](Value column) {
      Pixel pixel = moved(tile.first, row, column);
      Value at = inDestination ? emitter->add(pixel.out, tile.channel)
                               : emitter->mulAdd(row, tile.pixels * width,
                                                 emitter->mul(column, width));
      finishChannels(tile, pixel, sums, at);
    });
  });
}

/// One pixel of a tile. Two vectors at once where results are narrower than
/// sums: a register of them is packed from two.
void Epilogue::finishChannels(const Tile &tile, const Pixel &pixel,
                              const FlatView &sums, Value sumsAt) {
  bool isPacked = elementOf(out).getIntOrFloatBitWidth() < 32;
  int64_t lanes = tile.lanes * (isPacked && tile.vectors > 1 ? 2 : 1);
  auto finishVector = [&](Value offset, Lanes run) {
    Value channel = emitter->add(tile.channel, offset);
    Value sum = emitter->load(sums, emitter->add(sumsAt, offset), run);
    Value value = apply(sum, pixel, channel, run, loadChannels(channel, run));
    emitter->store(value, out, emitter->add(pixel.out, channel), run);
  };
  int64_t full = tile.channels / lanes;
  if (full > 0)
    emitter->loop(0, full, lanes,
                  [&](Value offset) { finishVector(offset, {lanes, lanes}); });
  for (int64_t done = full * lanes; done < tile.channels;) {
    int64_t rest = tile.channels - done;
    int64_t part = rest <= tile.lanes ? tile.lanes : lanes;
    finishVector(emitter->index(done), {part, std::min(part, rest)});
    done += part;
  }
}

SmallVector<Value> Epilogue::loadChannels(Value channel, Lanes lanes) {
  SmallVector<Value> result;
  for (const FlatView &view : extras)
    result.push_back(view.strides.size() == 1
                         ? emitter->load(view, channel, lanes)
                         : Value());
  return result;
}

Value Epilogue::apply(Value accumulator, const Pixel &pixel, Value channel,
                      Lanes lanes, ArrayRef<Value> channelVectors) {
  if (op.getEpilogue().empty())
    return accumulator;
  SmallVector<Value> values;
  for (auto [view, at, vector, isOfPixel] :
       llvm::zip_equal(extras, pixel.extras, channelVectors, isOfPixels)) {
    if (vector)
      values.push_back(vector);
    else if (isOfPixel)
      values.push_back(
          emitter->broadcast(emitter->loadScalar(view, at), lanes.lanes));
    else
      values.push_back(emitter->load(view, emitter->add(at, channel), lanes));
  }
  return cloneBody(accumulator, values, lanes.lanes);
}

Value Epilogue::cloneBody(Value accumulator, ValueRange extraValues,
                          int64_t lanes) {
  OpBuilder &builder = emitter->builder();
  Block &body = op.getEpilogue().front();
  IRMapping mapping;
  mapping.map(body.getArgument(0), accumulator);
  for (auto [argument, value] :
       llvm::zip_equal(body.getArguments().drop_front(), extraValues))
    mapping.map(argument, value);
  // A constant of the body or a scalar from outside becomes a splat before the
  // kernel.
  auto lookup = [&](Value scalar) -> Value {
    if (Value mapped = mapping.lookupOrNull(scalar))
      return mapped;
    Value &cached = invariants[{scalar, lanes}];
    if (!cached)
      cached = emitter->hoisted([&]() -> Value {
        Attribute value;
        if (matchPattern(scalar, m_Constant(&value)))
          return arith::ConstantOp::create(
              builder, emitter->loc(),
              DenseElementsAttr::get(
                  emitter->vectorType(lanes, scalar.getType()), value));
        return emitter->broadcast(scalar, lanes);
      });
    return cached;
  };
  for (Operation &inner : body.without_terminator()) {
    if (inner.hasTrait<OpTrait::ConstantLike>())
      continue;
    OperationState state(emitter->loc(), inner.getName());
    for (Value operand : inner.getOperands())
      state.addOperands(lookup(operand));
    for (Type type : inner.getResultTypes())
      state.addTypes(emitter->vectorType(lanes, type));
    state.addAttributes(inner.getAttrs());
    Operation *vectorized = builder.create(state);
    mapping.map(inner.getResults(), vectorized->getResults());
  }
  return lookup(cast<YieldOp>(body.back()).getValue());
}
