//===- Resize.cpp - Images of another size --------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tflite.resize -> linalg.generic. Where lines and columns come from is in
// tables; channels are read as they lie, so that the loop over them is one over
// vectors.
//
//===----------------------------------------------------------------------===//

#include "ElementUse.h"
#include "Lowering.h"

#include "Extensions/TFLite/Neighbours.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <vector>

using namespace mlir;
using namespace nnhal;
using namespace nnhal::tflite;

namespace {

/// Builds the loops over the pixels of a result.
class Resizer {
public:
  Resizer(ImplicitLocOpBuilder &b, tflite::ResizeOp op, Value image,
          RankedTensorType result)
      : b(b), op(op), image(image), result(result) {}

  Value nearest();
  Value floatBilinear();
  Value integerBilinear();

private:
  /// Lines, which are dimension 1, or columns.
  ResizedAxis axisAt(unsigned axis) {
    return {op.getInput().getType().getDimSize(axis), result.getDimSize(axis),
            op.getAlignCorners(), op.getHalfPixelCenters()};
  }
  /// Adds an operand with \p numbers of type \p type for the places of
  /// dimension \p axis.
  template <typename T>
  void addTable(unsigned axis, Type type, const std::vector<T> &numbers) {
    auto tensor = RankedTensorType::get({int64_t(numbers.size())}, type);
    tables.push_back(arith::ConstantOp::create(
        b, DenseElementsAttr::get(tensor, ArrayRef<T>(numbers))));
    maps.push_back(AffineMap::get(4, 0, b.getAffineDimExpr(axis)));
  }
  /// Adds those of lower and upper neighbours and of distances from the former,
  /// of lines and then of columns. Returns the largest magnitude of a distance.
  template <typename T, typename Find> T addNeighbours(Type type, Find find);
  /// The element of the image in line \p y and column \p x.
  Value read(Elements &e, Value y, Value x);
  Value map(function_ref<Value(Elements &, ValueRange)> body) {
    return mapElements(b, result, tables, maps, body);
  }

  ImplicitLocOpBuilder &b;
  tflite::ResizeOp op;
  Value image;
  RankedTensorType result;
  SmallVector<Value> tables;
  SmallVector<AffineMap> maps;
};

template <typename T, typename Find>
T Resizer::addNeighbours(Type type, Find find) {
  T most = 0;
  for (unsigned dim : {1, 2}) {
    ResizedAxis axis = axisAt(dim);
    std::vector<int32_t> lower, upper;
    std::vector<T> distances;
    for (int64_t place = 0; place < axis.output; ++place) {
      auto found = find(axis, place);
      lower.push_back(int32_t(found.lower));
      upper.push_back(int32_t(found.upper));
      distances.push_back(T(found.distance));
      most = std::max(most, std::abs(distances.back()));
    }
    addTable(dim, b.getI32Type(), lower);
    addTable(dim, b.getI32Type(), upper);
    addTable(dim, type, distances);
  }
  return most;
}

Value Resizer::read(Elements &e, Value y, Value x) {
  Type type = b.getIndexType();
  auto bounded = [&](Value place, unsigned axis) -> Value {
    // Bounds are for constants that are damaged.
    auto most = int32_t(axisAt(axis).input - 1);
    return e.make<arith::IndexCastOp>(type, e.bounded(place, {0, most}));
  };
  SmallVector<Value> place = {e.make<linalg::IndexOp>(0), bounded(y, 1),
                              bounded(x, 2), e.make<linalg::IndexOp>(3)};
  return e.make<tensor::ExtractOp>(image, place);
}

Value Resizer::nearest() {
  for (unsigned dim : {1, 2}) {
    ResizedAxis axis = axisAt(dim);
    std::vector<int32_t> places;
    places.reserve(size_t(axis.output));
    for (int64_t place = 0; place < axis.output; ++place)
      places.push_back(int32_t(nearestOf(axis, place)));
    addTable(dim, b.getI32Type(), places);
  }
  return map([&](Elements &e, ValueRange x) { return read(e, x[0], x[1]); });
}

Value Resizer::floatBilinear() {
  addNeighbours<float>(b.getF32Type(), floatNeighboursOf);
  return map([&](Elements &e, ValueRange x) -> Value {
    auto times = [&](Value a, Value factor) -> Value {
      return e.make<arith::MulFOp>(a, factor);
    };
    auto plus = [&](Value a, Value other) -> Value {
      return e.make<arith::AddFOp>(a, other);
    };
    Value one = e.constant(1.0f);
    Value above = e.make<arith::SubFOp>(one, x[2]);
    Value before = e.make<arith::SubFOp>(one, x[5]);
    // The order is that of the half in the runtime.
    Value sum = plus(times(times(read(e, x[0], x[3]), above), before),
                     times(times(read(e, x[1], x[3]), x[2]), before));
    sum = plus(sum, times(times(read(e, x[0], x[4]), above), x[5]));
    return plus(sum, times(times(read(e, x[1], x[4]), x[2]), x[5]));
  });
}

Value Resizer::integerBilinear() {
  int32_t most = addNeighbours<int32_t>(b.getI32Type(), neighboursOf);
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  Type element = result.getElementType();
  // Sums of two pixels mostly fit 32 bits, and sums of four where they are
  // bytes: steps that are rounded may lead away from an image of many pixels.
  Type narrow = most <= 1 << 13 ? i32 : i64;
  Type full = element.isInteger(8) && most <= 1 << 10 ? i32 : i64;
  return map([&](Elements &e, ValueRange x) -> Value {
    auto wide = [&](Type type, Value value) -> Value {
      return value.getType() == type ? value
                                     : e.make<arith::ExtSIOp>(type, value);
    };
    auto mixed = [&](Type type, Value a, Value other, Value distance) -> Value {
      distance = wide(type, distance);
      Value rest = e.make<arith::SubIOp>(e.constant(type, 1 << 10), distance);
      return e.make<arith::AddIOp>(
          e.make<arith::MulIOp>(rest, wide(type, a)),
          e.make<arith::MulIOp>(distance, wide(type, other)));
    };
    auto line = [&](Value y) {
      return mixed(narrow, read(e, y, x[3]), read(e, y, x[4]), x[5]);
    };
    Value sum = mixed(full, line(x[0]), line(x[1]), x[2]);
    // Halves are rounded away from 0.
    Value isPositive =
        e.compare(arith::CmpIPredicate::sgt, sum, e.constant(full, 0));
    Value half = e.make<arith::SelectOp>(isPositive, e.constant(full, 1 << 19),
                                         e.constant(full, -(1 << 19)));
    Value pixel = e.make<arith::DivSIOp>(e.make<arith::AddIOp>(sum, half),
                                         e.constant(full, 1 << 20));
    return e.make<arith::TruncIOp>(element, pixel);
  });
}

} // namespace

template <>
Value tflite::TensorLowering<tflite::ResizeOp>::lower(
    ImplicitLocOpBuilder &b, tflite::ResizeOp op, tflite::ResizeOpAdaptor from,
    RankedTensorType result) {
  Resizer resizer(b, op, from.getInput(), result);
  if (op.getSampler() == Sampler::nearest)
    return resizer.nearest();
  return isa<FloatType>(result.getElementType()) ? resizer.floatBilinear()
                                                 : resizer.integerBilinear();
}

bool tflite::isResized(ArrayRef<int64_t> input, ArrayRef<int64_t> result) {
  if (input.size() != 4 || result.size() != 4 || input[0] != result[0] ||
      input[3] != result[3])
    return false;
  return llvm::all_of(ArrayRef<size_t>{1, 2}, [&](size_t axis) {
    return input[axis] > 0 && input[axis] <= mostResized && result[axis] > 0 &&
           result[axis] <= mostResized;
  });
}

StringRef tflite::whyResizeIsCalled(Sampler sampler, Type input, Type result) {
  using enum ElementClass;
  ElementClass element = classOf(input);
  std::optional<IntegerForm> integer = integerFormOf(input);
  bool isByte = integer && integer->bits == 8;
  bool isTaken = element == float32 || element == fixed16 ||
                 (isByte && integer->isSigned) ||
                 (sampler == Sampler::nearest && (element == int32 || isByte));
  return isTaken && classOf(result) == element &&
                 integerFormOf(result) == integer
             ? StringRef()
             : StringRef(otherTypes);
}

void tflite::populateResizeLowering(const TypeConverter &converter,
                                    RewritePatternSet &patterns) {
  patterns.add<TensorLowering<tflite::ResizeOp>>(converter,
                                                 patterns.getContext());
}
