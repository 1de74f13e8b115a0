//===- KernelArguments.cpp - What kernels are called with -----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelArguments.h"

#include "Codegen/ContextAccess.h"

#include "nnhal/Dialect/NNHal/IR/DiscardableAttributes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace nnhal {

using namespace mlir;

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// More numbers than a requantized sum of two tensors has are coefficients of
/// an algorithm, such as those of a quantized LSTM's activations. A number that
/// fills vectors of several lengths counts once.
static constexpr size_t maxNumbers = 16;

/// Whether \p value is one of those that algorithms consist of: signs, limits
/// of types, distances of a whole word.
static bool isOfAlgorithm(const APInt &value) {
  if (value.isZero() || value.isOne() || value.isAllOnes())
    return true;
  // 127, 255, 32767, ..., and -128, -256, -32768, ...
  APInt magnitude = value.isNegative() ? ~value : value;
  if (magnitude.isMask() && magnitude.countr_one() >= 7)
    return true;
  int64_t word = value.getSExtValue();
  return word == 15 || word == 31 || word == 63 || word == int64_t(1) << 30;
}

static bool isOfAlgorithm(const APFloat &value) {
  if (!value.isFinite() || value.isZero())
    return true;
  double number = value.convertToDouble();
  double magnitude = std::abs(number);
  constexpr double known[] = {0.5,   1.0,   2.0,   3.0,     6.0,
                              127.0, 128.0, 255.0, 32767.0, 32768.0};
  return llvm::is_contained(known, magnitude);
}

/// The scalar that \p number consists of.
static TypedAttr scalarOf(arith::ConstantOp number) {
  if (auto splat = dyn_cast<SplatElementsAttr>(number.getValue()))
    return cast<TypedAttr>(splat.getSplatValue<Attribute>());
  return number.getValue();
}

/// Whether \p user is fast by a known number alone, a division or a
/// multiplication that is a shift, or makes an address of it.
static bool mustStayConstant(Operation *user, TypedAttr scalar) {
  if (isa<arith::MulIOp>(user))
    return cast<IntegerAttr>(scalar).getValue().abs().isPowerOf2();
  return isa<arith::DivSIOp, arith::DivUIOp, arith::CeilDivSIOp,
             arith::CeilDivUIOp, arith::FloorDivSIOp, arith::RemSIOp,
             arith::RemUIOp, arith::IndexCastOp, arith::IndexCastUIOp>(user);
}

/// The users of \p constant, and of the vectors that it fills.
static SmallVector<Operation *> usersOf(arith::ConstantOp constant,
                                        const KernelUses &uses) {
  SmallVector<Operation *> users = uses.lookup(constant);
  for (Operation *user : SmallVector<Operation *>(users))
    if (auto vector = dyn_cast<vector::BroadcastOp>(user))
      llvm::append_range(users, uses.lookup(vector));
  return users;
}

static bool isNumber(Operation *definition, const KernelUses &uses) {
  auto constant = dyn_cast<arith::ConstantOp>(definition);
  if (!constant)
    return false;
  auto vector = dyn_cast<VectorType>(constant.getType());
  if (vector && (vector.getRank() != 1 || vector.isScalable() ||
                 !isa<SplatElementsAttr>(constant.getValue())))
    return false;
  if (!vector && !constant.getType().isIntOrFloat())
    return false;
  TypedAttr scalar = scalarOf(constant);
  auto mustStay = [&](Operation *user) {
    return mustStayConstant(user, scalar);
  };
  if (llvm::any_of(usersOf(constant, uses), mustStay))
    return false;
  if (auto integer = dyn_cast<IntegerAttr>(scalar))
    return scalar.getType().isInteger() &&
           llvm::is_contained({8u, 16u, 32u, 64u},
                              scalar.getType().getIntOrFloatBitWidth()) &&
           !isOfAlgorithm(integer.getValue());
  return scalar.getType().isF32() &&
         !isOfAlgorithm(cast<FloatAttr>(scalar).getValue());
}

bool addressesByData(Operation *code) {
  return code
      ->walk([](Operation *op) {
        bool makesIndex =
            isa<arith::IndexCastOp, arith::IndexCastUIOp>(op) &&
            getElementTypeOrSelf(op->getResult(0).getType()).isIndex();
        return makesIndex || isa<vector::GatherOp, vector::ScatterOp>(op)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

SmallVector<arith::ConstantOp> findNumbers(ArrayRef<Operation *> definitions,
                                           const KernelUses &uses) {
  SmallVector<arith::ConstantOp> numbers;
  for (Operation *definition : definitions)
    if (isNumber(definition, uses))
      numbers.push_back(cast<arith::ConstantOp>(definition));
  llvm::SmallDenseSet<Attribute> scalars;
  for (arith::ConstantOp number : numbers)
    scalars.insert(scalarOf(number));
  if (scalars.size() > maxNumbers)
    return {};
  return numbers;
}

bool isLastPosition(Value value, ArrayRef<Operation *> users) {
  return value.getType().isIndex() &&
         value.getDefiningOp<arith::ConstantOp>() &&
         llvm::all_of(users, llvm::IsaPred<arith::MinSIOp>);
}

//===----------------------------------------------------------------------===//
// Arrays of numbers
//===----------------------------------------------------------------------===//

/// The numbers of each element type, and where each of them is.
namespace {
struct NumberPlace {
  size_t array;
  int64_t index;
};

class NumberArrays {
public:
  explicit NumberArrays(ArrayRef<arith::ConstantOp> numbers) {
    for (arith::ConstantOp number : numbers)
      places.push_back(add(scalarOf(number)));
  }

  ArrayRef<NumberPlace> getPlaces() const { return places; }
  ArrayRef<SmallVector<Attribute>> getArrays() const { return arrays; }

private:
  NumberPlace add(TypedAttr scalar) {
    auto hasType = [&](const SmallVector<Attribute> &array) {
      return cast<TypedAttr>(array.front()).getType() == scalar.getType();
    };
    auto *found = llvm::find_if(arrays, hasType);
    size_t array = found - arrays.begin();
    if (found == arrays.end())
      arrays.emplace_back();
    auto *place = llvm::find(arrays[array], scalar);
    int64_t index = place - arrays[array].begin();
    if (place == arrays[array].end())
      arrays[array].push_back(scalar);
    return {array, index};
  }

  SmallVector<NumberPlace> places;
  SmallVector<SmallVector<Attribute>> arrays;
};
} // namespace

SmallVector<DenseElementsAttr> toArrays(ArrayRef<arith::ConstantOp> numbers) {
  NumberArrays arrays(numbers);
  SmallVector<DenseElementsAttr> attributes;
  for (ArrayRef<Attribute> array : arrays.getArrays()) {
    Type element = cast<TypedAttr>(array.front()).getType();
    attributes.push_back(DenseElementsAttr::get(
        RankedTensorType::get(static_cast<int64_t>(array.size()), element),
        array));
  }
  return attributes;
}

MemRefType bufferTypeOf(DenseElementsAttr array) {
  return MemRefType::get(array.getType().getShape(), array.getElementType());
}

/// The innermost loop around \p user where its body is so short that it has
/// registers to spare, and otherwise \p user itself.
static Operation *whereToLoad(Operation *user) {
  constexpr int64_t shortBody = 64;
  auto loop = user->getParentOfType<LoopLikeOpInterface>();
  if (!loop)
    return user;
  int64_t size = 0;
  WalkResult result = loop->walk([&](Operation *op) {
    return ++size > shortBody || (op != loop && isa<LoopLikeOpInterface>(op))
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return result.wasInterrupted() ? user : loop.getOperation();
}

/// Loads \p value, which fills scalars or vectors, from \p buffer for its uses,
/// in each block once.
static void loadWhereUsed(Value value, Value buffer, int64_t index) {
  llvm::MapVector<Block *, Operation *> firsts;
  llvm::SmallDenseMap<Operation *, Block *> blocks;
  for (Operation *user : value.getUsers()) {
    Operation *place = whereToLoad(user);
    blocks[user] = place->getBlock();
    auto [first, isNew] = firsts.insert({place->getBlock(), place});
    if (!isNew && place->isBeforeInBlock(first->second))
      first->second = place;
  }
  llvm::SmallDenseMap<Block *, Value> loaded;
  for (auto [block, place] : firsts) {
    OpBuilder builder(place);
    Location loc = value.getLoc();
    Value position = arith::ConstantIndexOp::create(builder, loc, index);
    Value number = memref::LoadOp::create(builder, loc, buffer, position);
    if (isa<VectorType>(value.getType()))
      number =
          vector::BroadcastOp::create(builder, loc, value.getType(), number);
    loaded[block] = number;
  }
  for (OpOperand &use : llvm::make_early_inc_range(value.getUses()))
    use.set(loaded[blocks[use.getOwner()]]);
}

/// Replaces \p number, and the vectors that it fills, by loads from \p buffer.
static void replaceByLoads(Operation *number, Value buffer, int64_t index) {
  for (Operation *user : llvm::make_early_inc_range(number->getUsers())) {
    auto vector = dyn_cast<vector::BroadcastOp>(user);
    if (!vector)
      continue;
    loadWhereUsed(vector.getVector(), buffer, index);
    vector.erase();
  }
  loadWhereUsed(number->getResult(0), buffer, index);
  number->erase();
}

Value NumberBuffers::get(DenseElementsAttr array, OpBuilder &builder) {
  memref::GlobalOp &global = globals[array];
  Location loc = entry.getLoc();
  if (!global) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(entry);
    global = memref::GlobalOp::create(builder, loc, "numbers",
                                      builder.getStringAttr("private"),
                                      bufferTypeOf(array), array,
                                      /*constant=*/true, /*alignment=*/{});
    symbols.insert(global);
  }
  return memref::GetGlobalOp::create(builder, loc, bufferTypeOf(array),
                                     global.getName());
}

SmallVector<memref::LoadOp> loadsOf(ArrayRef<arith::ConstantOp> numbers,
                                    ValueRange buffers, OpBuilder &builder) {
  NumberArrays arrays(numbers);
  SmallVector<memref::LoadOp> loads;
  for (auto [constant, place] : llvm::zip_equal(numbers, arrays.getPlaces())) {
    arith::ConstantOp number = constant;
    Location loc = number.getLoc();
    Value position = arith::ConstantIndexOp::create(builder, loc, place.index);
    loads.push_back(
        memref::LoadOp::create(builder, loc, buffers[place.array], position));
  }
  return loads;
}

void loadNumbers(ArrayRef<arith::ConstantOp> numbers, ValueRange buffers) {
  NumberArrays arrays(numbers);
  for (auto [number, place] : llvm::zip_equal(numbers, arrays.getPlaces()))
    replaceByLoads(number, buffers[place.array], place.index);
}

/// Whether \p user loads the element of an array of one dimension that is at a
/// constant position.
static bool loadsAtConstant(Operation *user) {
  auto load = dyn_cast<memref::LoadOp>(user);
  return load && load.getIndices().size() == 1 &&
         getConstantIntValue(load.getIndices()[0]);
}

bool loadsNumber(Operation *op) {
  if (!loadsAtConstant(op))
    return false;
  auto array = dyn_cast<BlockArgument>(cast<memref::LoadOp>(op).getMemRef());
  auto function =
      array ? dyn_cast_if_present<func::FuncOp>(array.getOwner()->getParentOp())
            : func::FuncOp();
  auto count = function
                   ? function->getAttrOfType<IntegerAttr>(numberArraysAttrName)
                   : IntegerAttr();
  if (!count || count.getInt() < int64_t(function.getNumArguments()) -
                                     int64_t(array.getArgNumber()))
    return false;
  // Kernels that were outlined before have the array as an argument.
  return llvm::all_of(array.getUsers(), [](Operation *user) {
    return loadsAtConstant(user) || isa<func::CallOp>(user);
  });
}

void sinkLoads(ArrayRef<memref::LoadOp> loads) {
  for (memref::LoadOp load : loads) {
    std::optional<int64_t> index = getConstantIntValue(load.getIndices()[0]);
    assert(index && "numbers are at constant positions");
    replaceByLoads(load, load.getMemRef(), *index);
  }
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

/// Whether \p user, which is in a loop, has \p buffer as no more than the
/// memory that it accesses: no other type follows from that of the buffer.
static bool onlyAccesses(Operation *user) {
  return isa<memref::LoadOp, memref::StoreOp, memref::PrefetchOp,
             vector::LoadOp, vector::StoreOp, vector::MaskedLoadOp,
             vector::MaskedStoreOp, vector::TransferReadOp,
             vector::TransferWriteOp>(user);
}

Type withoutOffset(Type type) {
  auto buffer = dyn_cast<MemRefType>(type);
  if (!buffer || buffer.getLayout().isIdentity() || !buffer.hasStaticShape() ||
      buffer.getMemorySpace() || !buffer.getElementType().isIntOrFloat())
    return type;
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (failed(buffer.getStridesAndOffset(strides, offset)) || offset == 0 ||
      ShapedType::isDynamic(offset) ||
      llvm::any_of(strides, ShapedType::isDynamic))
    return type;
  return MemRefType::get(
      buffer.getShape(), buffer.getElementType(),
      StridedLayoutAttr::get(buffer.getContext(), /*offset=*/0, strides));
}

Type argumentTypeOf(Value capture, LoopLikeOpInterface loop) {
  for (Operation *user : capture.getUsers())
    if (loop->isAncestor(user) && !onlyAccesses(user))
      return capture.getType();
  return withoutOffset(capture.getType());
}

SmallVector<Type> typesWithoutExtents(func::FuncOp kernel) {
  SmallVector<Type> types(kernel.getArgumentTypes());
  if (addressesByData(kernel))
    return types;
  for (auto [argument, type] : llvm::zip_equal(kernel.getArguments(), types)) {
    auto buffer = dyn_cast<MemRefType>(type);
    if (buffer && buffer.getRank() == 1 && buffer.getLayout().isIdentity() &&
        llvm::all_of(argument.getUsers(), onlyAccesses))
      type =
          MemRefType::get({ShapedType::kDynamic}, buffer.getElementType(),
                          MemRefLayoutAttrInterface(), buffer.getMemorySpace());
  }
  return types;
}

void setArgumentTypes(func::FuncOp kernel, TypeRange types) {
  for (auto [argument, type] : llvm::zip_equal(kernel.getArguments(), types))
    argument.setType(type);
  kernel.setType(
      FunctionType::get(kernel.getContext(), types, kernel.getResultTypes()));
}

Value toArgument(Value capture, Type type, OpBuilder &builder) {
  if (capture.getType() == type)
    return capture;
  Location loc = capture.getLoc();
  auto captured = cast<MemRefType>(capture.getType());
  auto buffer = cast<MemRefType>(type);
  // A buffer with extents that only a run knows shares the kernel.
  if (captured.hasStaticShape() && !buffer.hasStaticShape()) {
    auto known = MemRefType::get(captured.getShape(), buffer.getElementType(),
                                 buffer.getLayout(), buffer.getMemorySpace());
    return memref::CastOp::create(builder, loc, buffer,
                                  toArgument(capture, known, builder));
  }
  auto [strides, offset] = captured.getStridesAndOffset();
  if (offset == 0)
    return memref::ReinterpretCastOp::create(builder, loc, buffer, capture,
                                             /*offset=*/0, buffer.getShape(),
                                             strides);
  ContextAccess access(builder, loc, /*context=*/{});
  Value begin =
      memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, capture);
  Value skipped = arith::ConstantIndexOp::create(builder, loc,
                                                 offset * elementBytes(buffer));
  Value address = arith::IndexCastOp::create(
      builder, loc, builder.getI64Type(),
      arith::AddIOp::create(builder, loc, begin, skipped));
  Value flat = access.toMemRef(
      LLVM::IntToPtrOp::create(builder, loc, access.pointerType(), address),
      MemRefType::get({1}, buffer.getElementType()));
  return memref::ReinterpretCastOp::create(builder, loc, buffer, flat,
                                           /*offset=*/0, buffer.getShape(),
                                           strides);
}

} // namespace nnhal
