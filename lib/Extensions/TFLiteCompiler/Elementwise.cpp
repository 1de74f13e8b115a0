//===- Elementwise.cpp - Operators that compute single elements -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tflite.elementwise -> linalg.generic, which fuses with its neighbours.
//
//===----------------------------------------------------------------------===//

#include "Bytes.h"
#include "Lowering.h"

#include "nnhal/Dialect/NNHal/IR/OperandTypes.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;
using namespace nnhal;
using namespace nnhal::tflite;

namespace {

bool isOneOf(ElementClass element, std::initializer_list<ElementClass> set) {
  return llvm::is_contained(set, element);
}

/// Whether \p function takes elements \p from to elements \p to.
bool convertsElements(Function function, ElementClass from, ElementClass to) {
  using enum ElementClass;
  switch (function) {
  case Function::quantize:
    return from == float32 && to == fixed16;
  case Function::dequantize:
    return from == fixed16 && to == float32;
  case Function::cast:
    return from != other && to != other;
  case Function::less:
  case Function::less_equal:
  case Function::greater:
  case Function::greater_equal:
  case Function::equal:
  case Function::not_equal:
    return from != other && to == boolean;
  default:
    return from == to;
  }
}

/// Whether \p function, which yields what it takes, is of \p element.
bool takesElements(Function function, ElementClass element) {
  using enum ElementClass;
  switch (function) {
  case Function::add:
  case Function::sub:
  case Function::mul:
  case Function::squared_difference:
  case Function::maximum:
  case Function::minimum:
  case Function::abs:
    return isOneOf(element, {float32, int32, int64, fixed16});
  case Function::neg:
  case Function::div:
    return isOneOf(element, {float32, int32, int64, fixed16});
  case Function::add_n:
  case Function::square:
    return isOneOf(element, {float32, int32, int64});
  case Function::sign:
    return isOneOf(element, {float32, int32});
  case Function::relu:
  case Function::relu_n1_to_1:
  case Function::relu6:
  case Function::leaky_relu:
  case Function::log:
  case Function::gelu:
    return isOneOf(element, {float32, fixed16});
  case Function::bitwise_xor:
    return isOneOf(element, {int32, fixed16});
  case Function::floor_div:
    return isOneOf(element, {float32, int32, int64, fixed16});
  case Function::floor_mod:
    return isOneOf(element, {int32, int64, fixed16});
  case Function::exp:
  case Function::tanh:
  case Function::logistic:
    return isOneOf(element, {float32, fixed16});
  case Function::logical_or:
  case Function::logical_and:
  case Function::logical_not:
    return element == boolean;
  case Function::floor:
  case Function::ceil:
  case Function::round:
  case Function::sin:
  case Function::cos:
  case Function::sqrt:
  case Function::rsqrt:
  case Function::prelu:
  case Function::pow:
  case Function::atan2:
  case Function::elu:
  case Function::hard_swish:
  case Function::relu_0_to_1:
    return element == float32;
  default:
    return true;
  }
}

//===----------------------------------------------------------------------===//
// Numbers without quantization
//===----------------------------------------------------------------------===//

/// Adds \p x to \p sum in their order.
template <typename Add> Value added(Elements &e, Value sum, ValueRange x) {
  for (Value value : x)
    sum = e.make<Add>(sum, value);
  return sum;
}

Value computeInteger(Elements &e, const Use &use, ValueRange x) {
  Type type = x[0].getType();
  switch (use.function()) {
  case Function::add:
    return e.activated(e.make<arith::AddIOp>(x[0], x[1]), use.activation());
  case Function::sub:
    return e.activated(e.make<arith::SubIOp>(x[0], x[1]), use.activation());
  case Function::mul:
    return e.activated(e.make<arith::MulIOp>(x[0], x[1]), use.activation());
  case Function::squared_difference: {
    Value difference = e.make<arith::SubIOp>(x[0], x[1]);
    return e.make<arith::MulIOp>(difference, difference);
  }
  case Function::maximum:
    return e.make<arith::MaxSIOp>(x[0], x[1]);
  case Function::minimum:
    return e.make<arith::MinSIOp>(x[0], x[1]);
  case Function::bitwise_xor:
    return e.make<arith::XOrIOp>(x[0], x[1]);
  case Function::add_n:
    return added<arith::AddIOp>(e, e.constant(type, 0), x);
  case Function::square:
    return e.make<arith::MulIOp>(x[0], x[0]);
  case Function::neg:
    return e.make<arith::SubIOp>(e.constant(type, 0), x[0]);
  case Function::abs:
    return e.make<arith::MaxSIOp>(
        x[0], e.make<arith::SubIOp>(e.constant(type, 0), x[0]));
  case Function::div:
    return e.activated(dividedIntegers(e, use.function(), x[0], x[1]),
                       use.activation());
  case Function::floor_div:
  case Function::floor_mod:
    return dividedIntegers(e, use.function(), x[0], x[1]);
  case Function::sign:
    return e.make<arith::MaxSIOp>(
        e.make<arith::MinSIOp>(x[0], e.constant(type, 1)),
        e.constant(type, -1));
  default:
    llvm_unreachable("others are refused");
  }
}

/// Rounds to steps of the result; what is not a number becomes the least one.
Value quantized(Elements &e, const Use &use, Value x) {
  Value steps = e.make<math::RoundOp>(
      e.make<arith::DivFOp>(x, e.constant(use.resultScale())));
  auto choose = [&](arith::CmpFPredicate predicate, float bound) {
    Value number = e.constant(bound);
    steps = e.make<arith::SelectOp>(e.compare(predicate, steps, number), steps,
                                    number);
  };
  choose(arith::CmpFPredicate::OGT, -32768.0f);
  choose(arith::CmpFPredicate::OLT, 32767.0f);
  Value wide = e.make<arith::FPToSIOp>(e.builder().getI32Type(), steps);
  return e.make<arith::TruncIOp>(e.builder().getI16Type(), wide);
}

/// Truncates \p x to an integer of type \p to and bounds it; what is not a
/// number becomes 0.
Value truncated(Elements &e, Value x, IntegerType to) {
  unsigned bits = to.getWidth();
  auto bound = [&](int64_t most, arith::CmpFPredicate predicate, Value inside) {
    return e.make<arith::SelectOp>(
        e.compare(predicate, x, e.constant(float(most))), e.constant(to, most),
        inside);
  };
  Value result = e.make<arith::FPToSIOp>(to, x);
  result = bound(llvm::minIntN(bits), arith::CmpFPredicate::OLE, result);
  result = bound(llvm::maxIntN(bits), arith::CmpFPredicate::OGE, result);
  return e.make<arith::SelectOp>(e.compare(arith::CmpFPredicate::UNO, x, x),
                                 e.constant(to, 0), result);
}

/// Integers keep their low bits; any byte but 0 is true.
Value converted(Elements &e, const Use &use, Value x) {
  Type from = x.getType();
  std::optional<IntegerForm> source =
      integerFormOf(use.op.getInputs()[0].getType());
  std::optional<IntegerForm> target =
      integerFormOf(use.op.getResult().getType());
  if (source && target) {
    Type to = e.builder().getIntegerType(target->bits);
    if (source->bits == target->bits)
      return x;
    if (source->bits > target->bits)
      return e.make<arith::TruncIOp>(to, x);
    return source->isSigned ? e.make<arith::ExtSIOp>(to, x)
                            : e.make<arith::ExtUIOp>(to, x);
  }
  ElementClass result = classOf(use.op.getResult().getType());
  if (use.element == ElementClass::boolean || result == ElementClass::boolean)
    x = isa<FloatType>(from)
            ? e.compare(arith::CmpFPredicate::UNE, x, e.constant(0.0f))
            : e.compare(arith::CmpIPredicate::ne, x, e.constant(from, 0));
  bool isTruth = x.getType().isInteger(1);
  if (result == ElementClass::float32) {
    if (isa<FloatType>(from))
      return x;
    Type real = e.builder().getF32Type();
    return isTruth ? e.make<arith::UIToFPOp>(real, x)
                   : e.make<arith::SIToFPOp>(real, x);
  }
  unsigned bits = result == ElementClass::int64     ? 64
                  : result == ElementClass::int32   ? 32
                  : result == ElementClass::fixed16 ? 16
                                                    : 8;
  IntegerType to = e.builder().getIntegerType(bits);
  return isTruth ? e.make<arith::ExtUIOp>(to, x) : truncated(e, x, to);
}

Value signOf(Elements &e, Value x) {
  Value zero = e.constant(0.0f);
  // A value that is not a number is its own sign.
  Value result = e.make<arith::SelectOp>(
      e.compare(arith::CmpFPredicate::OEQ, x, zero), zero, x);
  result = e.make<arith::SelectOp>(
      e.compare(arith::CmpFPredicate::OLT, x, zero), e.constant(-1.0f), result);
  return e.make<arith::SelectOp>(e.compare(arith::CmpFPredicate::OGT, x, zero),
                                 e.constant(1.0f), result);
}

Value gelu(Elements &e, Value x, bool isApproximate) {
  auto times = [&](Value value, float factor) {
    return e.make<arith::MulFOp>(value, e.constant(factor));
  };
  Value curve;
  if (isApproximate) {
    Value cube =
        e.make<arith::MulFOp>(e.make<arith::MulFOp>(times(x, 0.044715f), x), x);
    curve = e.make<math::TanhOp>(
        times(e.make<arith::AddFOp>(x, cube), 0.797884560802865f));
  } else {
    curve = e.make<math::ErfOp>(times(x, 0.70710678118654752440f));
  }
  return e.make<arith::MulFOp>(times(x, 0.5f),
                               e.make<arith::AddFOp>(e.constant(1.0f), curve));
}

/// \p negative where \p x is below 0, else \p x.
Value whereNegative(Elements &e, Value x, Value negative) {
  Value isNegative = e.compare(arith::CmpFPredicate::OLT, x, e.constant(0.0f));
  return e.make<arith::SelectOp>(isNegative, negative, x);
}

Value hardSwish(Elements &e, Value x) {
  Value moved = e.make<arith::AddFOp>(x, e.constant(3.0f));
  Value product =
      e.make<arith::MulFOp>(x, e.activated(moved, Activation::relu6));
  return e.make<arith::DivFOp>(product, e.constant(6.0f));
}

/// \p value with its bits moved, as many as \p count says.
Value shifted(Elements &e, const Use &use, Value value, Value count) {
  Type type = value.getType();
  using P = arith::CmpIPredicate;
  Value last = e.constant(type, type.getIntOrFloatBitWidth() - 1);
  if (use.function() == Function::shift_left) {
    // Counts below 0 are large without their sign.
    Value isInside = e.compare(P::ule, count, last);
    Value bounded = e.make<arith::MinUIOp>(count, last);
    return e.make<arith::SelectOp>(
        isInside, e.make<arith::ShLIOp>(value, bounded), e.constant(type, 0));
  }
  if (!integerFormOf(use.op.getType())->isSigned)
    return e.make<arith::ShRUIOp>(value, e.make<arith::MinUIOp>(count, last));
  count = e.make<arith::MaxSIOp>(count, e.constant(type, 0));
  return e.make<arith::ShRSIOp>(value, e.make<arith::MinSIOp>(count, last));
}

/// Functions of two floats; nothing for others.
Value computePair(Elements &e, const Use &use, ValueRange x) {
  auto choose = [&](arith::CmpFPredicate predicate) {
    return e.make<arith::SelectOp>(e.compare(predicate, x[0], x[1]), x[0],
                                   x[1]);
  };
  switch (use.function()) {
  case Function::add:
    return e.activated(e.make<arith::AddFOp>(x[0], x[1]), use.activation());
  case Function::sub:
    return e.activated(e.make<arith::SubFOp>(x[0], x[1]), use.activation());
  case Function::mul:
    return e.activated(e.make<arith::MulFOp>(x[0], x[1]), use.activation());
  case Function::squared_difference: {
    Value difference = e.make<arith::SubFOp>(x[0], x[1]);
    return e.make<arith::MulFOp>(difference, difference);
  }
  case Function::div:
    return e.activated(e.make<arith::DivFOp>(x[0], x[1]), use.activation());
  case Function::floor_div:
    return e.make<math::FloorOp>(e.make<arith::DivFOp>(x[0], x[1]));
  case Function::pow:
    return e.make<math::PowFOp>(x[0], x[1]);
  case Function::atan2:
    return e.make<math::Atan2Op>(x[0], x[1]);
  case Function::prelu:
    return whereNegative(e, x[0], e.make<arith::MulFOp>(x[0], x[1]));
  case Function::maximum:
    return choose(arith::CmpFPredicate::OGT);
  case Function::minimum:
    return choose(arith::CmpFPredicate::OLT);
  default:
    return nullptr;
  }
}

Value computeFloat(Elements &e, const Use &use, ValueRange x) {
  auto one = [&] { return e.constant(1.0f); };
  if (Value result = computePair(e, use, x))
    return result;
  switch (use.function()) {
  case Function::add_n:
    return added<arith::AddFOp>(e, e.constant(0.0f), x);
  case Function::elu:
    return whereNegative(e, x[0], e.make<math::ExpM1Op>(x[0]));
  case Function::gelu:
    return gelu(e, x[0], use.op.getApproximate());
  case Function::hard_swish:
    return hardSwish(e, x[0]);
  case Function::square:
    return e.make<arith::MulFOp>(x[0], x[0]);
  case Function::neg:
    return e.make<arith::NegFOp>(x[0]);
  case Function::abs:
    return e.make<math::AbsFOp>(x[0]);
  case Function::sign:
    return signOf(e, x[0]);
  case Function::floor:
    return e.make<math::FloorOp>(x[0]);
  case Function::ceil:
    return e.make<math::CeilOp>(x[0]);
  case Function::round:
    return e.make<math::RoundEvenOp>(x[0]);
  case Function::exp:
    return e.make<math::ExpOp>(x[0]);
  case Function::log:
    return e.make<math::LogOp>(x[0]);
  case Function::sin:
    return e.make<math::SinOp>(x[0]);
  case Function::cos:
    return e.make<math::CosOp>(x[0]);
  case Function::sqrt:
    return e.make<math::SqrtOp>(x[0]);
  case Function::rsqrt:
    return e.make<arith::DivFOp>(one(), e.make<math::SqrtOp>(x[0]));
  case Function::tanh:
    return e.make<math::TanhOp>(x[0]);
  case Function::logistic: {
    Value power = e.make<math::ExpOp>(e.make<arith::NegFOp>(x[0]));
    return e.make<arith::DivFOp>(one(), e.make<arith::AddFOp>(one(), power));
  }
  case Function::relu:
    return e.activated(x[0], Activation::relu);
  case Function::relu_n1_to_1:
    return e.activated(x[0], Activation::reluN1To1);
  case Function::relu6:
    return e.activated(x[0], Activation::relu6);
  case Function::relu_0_to_1:
    return e.activated(x[0], Activation::relu0To1);
  case Function::leaky_relu: {
    Value scaled = e.make<arith::MulFOp>(
        x[0], e.constant(use.op.getAlpha().convertToFloat()));
    return e.make<arith::SelectOp>(
        e.compare(arith::CmpFPredicate::OGT, x[0], e.constant(0.0f)), x[0],
        scaled);
  }
  default:
    assert(use.function() == Function::quantize && "others are refused");
    return quantized(e, use, x[0]);
  }
}

//===----------------------------------------------------------------------===//
// All elements
//===----------------------------------------------------------------------===//

/// The truth of a comparison; nothing for other functions.
Value compared(Elements &e, const Use &use, ValueRange x) {
  using I = arith::CmpIPredicate;
  using F = arith::CmpFPredicate;
  auto by = [&](I integer, F real) -> Value {
    if (use.element == ElementClass::float32)
      return e.compare(real, x[0], x[1]);
    return e.compare(integer, x[0], x[1]);
  };
  // Booleans are compared as bytes, which have no sign.
  bool isByte = use.element == ElementClass::boolean;
  switch (use.function()) {
  case Function::less:
    return by(isByte ? I::ult : I::slt, F::OLT);
  case Function::less_equal:
    return by(isByte ? I::ule : I::sle, F::OLE);
  case Function::greater:
    return by(isByte ? I::ugt : I::sgt, F::OGT);
  case Function::greater_equal:
    return by(isByte ? I::uge : I::sge, F::OGE);
  case Function::equal:
    return by(I::eq, F::OEQ);
  case Function::not_equal:
    return by(I::ne, F::UNE);
  default:
    return nullptr;
  }
}

/// Any byte but 0 is true; nothing for other functions.
Value combinedTruths(Elements &e, const Use &use, ValueRange x) {
  auto is = [&](arith::CmpIPredicate predicate, Value value) {
    return e.compare(predicate, value, e.constant(value.getType(), 0));
  };
  using P = arith::CmpIPredicate;
  switch (use.function()) {
  case Function::logical_or:
    return e.make<arith::OrIOp>(is(P::ne, x[0]), is(P::ne, x[1]));
  case Function::logical_and:
    return e.make<arith::AndIOp>(is(P::ne, x[0]), is(P::ne, x[1]));
  case Function::logical_not:
    return is(P::eq, x[0]);
  default:
    return nullptr;
  }
}

Value computeElement(Elements &e, const Use &use, ValueRange x) {
  Value truth = compared(e, use, x);
  if (!truth)
    truth = combinedTruths(e, use, x);
  if (truth)
    return e.make<arith::ExtUIOp>(e.builder().getI8Type(), truth);
  switch (use.function()) {
  case Function::broadcast_to:
    return x[0];
  case Function::bitcast:
    return x[0].getType() == use.stored
               ? x[0]
               : e.make<arith::BitcastOp>(use.stored, x[0]);
  case Function::right_shift:
  case Function::shift_left:
    return shifted(e, use, x[0], x[1]);
  case Function::cast:
    return converted(e, use, x[0]);
  case Function::select_v2: {
    Value isChosen = e.compare(arith::CmpIPredicate::ne, x[0],
                               e.constant(x[0].getType(), 0));
    return e.make<arith::SelectOp>(isChosen, x[1], x[2]);
  }
  case Function::dequantize: {
    Value number = e.make<arith::SIToFPOp>(e.builder().getF32Type(), x[0]);
    return e.make<arith::MulFOp>(e.constant(use.scale(0)), number);
  }
  default:
    break;
  }
  TypeRange inputs = use.op.getInputs().getTypes();
  Type result = use.op.getResult().getType();
  if (requantizes(use.function(), inputs, result))
    return computeRequantization(e, use, x[0]);
  if (computesBytes(use.function(), inputs, result))
    return computeBytes(e, use, x);
  if (use.element == ElementClass::fixed16)
    return computeFixed16(e, use, x);
  return use.element == ElementClass::float32 ? computeFloat(e, use, x)
                                              : computeInteger(e, use, x);
}

/// How an operand is read for each element of a result with \p result extents.
AffineMap readMap(RankedTensorType operand, ArrayRef<int64_t> result,
                  MLIRContext *context) {
  SmallVector<AffineExpr> places;
  size_t missing = result.size() - size_t(operand.getRank());
  for (auto [axis, extent] : llvm::enumerate(operand.getShape()))
    places.push_back(extent == 1 && result[axis + missing] != 1
                         ? getAffineConstantExpr(0, context)
                         : getAffineDimExpr(unsigned(axis + missing), context));
  return AffineMap::get(unsigned(result.size()), 0, places, context);
}

} // namespace

template <>
Value tflite::TensorLowering<ElementwiseOp>::lower(ImplicitLocOpBuilder &b,
                                                   ElementwiseOp op,
                                                   ElementwiseOpAdaptor from,
                                                   RankedTensorType result) {
  SmallVector<AffineMap> maps;
  for (Value input : from.getInputs())
    maps.push_back(readMap(cast<RankedTensorType>(input.getType()),
                           result.getShape(), b.getContext()));
  bool isSelect = op.getFunction() == Function::select_v2;
  Use use{op, classOf(op.getInputs()[isSelect ? 1 : 0].getType()),
          result.getElementType(), buildTable(b, op)};
  return mapElements(b, result, from.getInputs(), maps,
                     [&](Elements &elements, ValueRange x) {
                       return computeElement(elements, use, x);
                     });
}

std::optional<size_t> tflite::inputsOf(Function function) {
  switch (function) {
  case Function::add_n:
    return std::nullopt;
  case Function::select_v2:
    return 3;
  case Function::add:
  case Function::sub:
  case Function::mul:
  case Function::squared_difference:
  case Function::maximum:
  case Function::minimum:
  case Function::less:
  case Function::less_equal:
  case Function::greater:
  case Function::greater_equal:
  case Function::equal:
  case Function::not_equal:
  case Function::bitwise_xor:
  case Function::right_shift:
  case Function::shift_left:
  case Function::div:
  case Function::floor_div:
  case Function::floor_mod:
  case Function::prelu:
  case Function::pow:
  case Function::atan2:
  case Function::logical_or:
  case Function::logical_and:
    return 2;
  default:
    return 1;
  }
}

Value tflite::dividedIntegers(Elements &e, Function function, Value a,
                              Value b) {
  Type type = a.getType();
  Value zero = e.constant(type, 0), one = e.constant(type, 1);
  using P = arith::CmpIPredicate;
  // The least number divided by -1 does not fit. It is its own negative.
  Value isMinusOne = e.compare(P::eq, b, e.constant(type, -1));
  Value isLeftOut = e.make<arith::OrIOp>(isMinusOne, e.compare(P::eq, b, zero));
  Value divisor = e.make<arith::SelectOp>(isLeftOut, one, b);
  Value quotient = e.make<arith::DivSIOp>(a, divisor);
  Value rest =
      e.make<arith::SubIOp>(a, e.make<arith::MulIOp>(quotient, divisor));
  quotient = e.make<arith::SelectOp>(isMinusOne, e.make<arith::SubIOp>(zero, a),
                                     quotient);
  if (function == Function::div)
    return quotient;
  // Only where there is a rest, and the exact quotient is negative, are they
  // rounded differently.
  Value isInexact = e.compare(P::ne, rest, zero);
  Value isNegative =
      e.compare(P::slt, e.make<arith::XOrIOp>(rest, divisor), zero);
  Value isDown = e.make<arith::AndIOp>(isInexact, isNegative);
  if (function == Function::floor_div)
    return e.make<arith::SubIOp>(quotient,
                                 e.make<arith::ExtUIOp>(type, isDown));
  return e.make<arith::SelectOp>(isDown, e.make<arith::AddIOp>(rest, divisor),
                                 rest);
}

/// Whether \p function moves or takes the bits of elements of \p values, which
/// have any type, to \p result; nothing for other functions.
static std::optional<bool> takesBits(Function function, TypeRange values,
                                     Type result) {
  auto elementOf = [](Type type) { return getElementTypeOrSelf(type); };
  switch (function) {
  case Function::broadcast_to:
  case Function::select_v2: {
    ElementClass element = classOf(values.front());
    return llvm::all_of(values, [&](Type value) {
      return element == ElementClass::other
                 ? elementOf(value) == elementOf(result)
                 : classOf(value) == element && classOf(result) == element;
    });
  }
  case Function::bitcast: {
    auto sizeOf = [&](Type type) {
      return byteSizeOfType(RankedTensorType::get({1}, elementOf(type)));
    };
    std::optional<uint64_t> size = sizeOf(values.front());
    return size && size == sizeOf(result);
  }
  case Function::cast:
    if (integerFormOf(values.front()) && integerFormOf(result))
      return true;
    return std::nullopt;
  case Function::right_shift:
  case Function::shift_left: {
    std::optional<IntegerForm> form = integerFormOf(result);
    return form && form->bits <= 32 && llvm::all_of(values, [&](Type value) {
             return integerFormOf(value) == form;
           });
  }
  default:
    return std::nullopt;
  }
}

/// Whether \p function is PRELU of 16-bit numbers by slopes that are bytes.
static bool hasByteSlopes(Function function, TypeRange values, Type result) {
  return function == Function::prelu &&
         classOf(values[0]) == ElementClass::fixed16 &&
         classOf(result) == ElementClass::fixed16 && bytesOf(values[1]) &&
         bytesOf(values[1]).isSigned();
}

StringRef tflite::whyElementwiseIsCalled(Function function, TypeRange inputs,
                                         Type result) {
  if (inputs.size() != inputsOf(function).value_or(inputs.size()) ||
      inputs.empty())
    return "it has not the operator's number of inputs";
  bool isSelect = function == Function::select_v2;
  if (isSelect && classOf(inputs[0]) != ElementClass::boolean)
    return otherTypes;
  TypeRange values = inputs.drop_front(isSelect ? 1 : 0);
  if (requantizes(function, values, result) ||
      computesBytes(function, values, result) ||
      hasByteSlopes(function, values, result))
    return {};
  if (std::optional<bool> isTaken = takesBits(function, values, result))
    return *isTaken ? StringRef() : StringRef(otherTypes);
  ElementClass element = classOf(values.front());
  for (Type value : values)
    if (classOf(value) != element)
      return otherTypes;
  if (!convertsElements(function, element, classOf(result)) ||
      !takesElements(function, element))
    return otherTypes;
  bool yieldsFractions =
      element == ElementClass::fixed16 &&
      (function == Function::logistic || function == Function::tanh);
  return yieldsFractions && !isFraction(result) ? StringRef(otherScale)
                                                : StringRef();
}

void tflite::populateElementwiseLowering(const TypeConverter &converter,
                                         RewritePatternSet &patterns) {
  patterns.add<TensorLowering<ElementwiseOp>>(converter, patterns.getContext());
}
