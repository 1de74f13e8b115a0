//===- ByteProduct.cpp - FULLY_CONNECTED of bytes -------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// FULLY_CONNECTED of bytes -> tflite.byte_product -> linalg.conv_2d_nhwc_fhwc
// of one line, and a linalg.generic that scales its sums of 32 bits in double
// precision, which becomes the epilogue.
//
//===----------------------------------------------------------------------===//

#include "ContractionReading.h"
#include "ElementUse.h"
#include "Elements.h"
#include "Lowering.h"
#include "Products.h"
#include "Raiser.h"
#include "Raising.h"

#include "nnhal/Dialect/NNHal/IR/OperandTypes.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace nnhal;
using namespace nnhal::tflite;

StringRef tflite::whyByteProductIsCalled(Type input, Type weights,
                                         Type result) {
  for (Type type : {input, weights, result})
    if (integerFormOf(type) != IntegerForm{8, true} ||
        !isa<quant::QuantizedType>(getElementTypeOrSelf(type)))
      return otherTypes;
  for (Type type : {input, result})
    if (!isa<quant::UniformQuantizedType>(getElementTypeOrSelf(type)))
      return otherTypes;
  return {};
}

//===----------------------------------------------------------------------===//
// Raising
//===----------------------------------------------------------------------===//

namespace {

/// Reads one operation.
class ByteProduct : Raiser {
public:
  ByteProduct(OperationOp op, OpBuilder &builder)
      : Raiser(op, builder), weights(op.getInputs()[1]),
        bias(op.getInputs()[2]), result(op->getResult(0)) {}

  /// Says why the operation is left to the runtime; the empty text where it is
  /// not.
  StringRef whyCalled();
  Value build();

private:
  bool readChannels();

  Value weights, bias, result;
  ConnectedRows product = {};
  SmallVector<int32_t> biases;
  SmallVector<double> factors;
};

bool ByteProduct::readChannels() {
  std::optional<SmallVector<int64_t>> numbers = readBiases(bias, product.units);
  if (!numbers)
    return false;
  FilterScales scales(weights.getType(), /*axis=*/0);
  for (auto [unit, number] : llvm::enumerate(*numbers)) {
    std::optional<float> scale = scales.of(unit);
    if (!scale || int32_t(number) != number)
      return false;
    biases.push_back(int32_t(number));
    factors.push_back(double(scaleOf(input.getType())) * double(*scale) /
                      double(scaleOf(result.getType())));
  }
  return true;
}

StringRef ByteProduct::whyCalled() {
  StringRef why = whyByteProductIsCalled(input.getType(), weights.getType(),
                                         result.getType());
  if (!why.empty())
    return why;
  std::optional<ConnectedRows> found = readConnectedRows(op);
  if (!found)
    return misfit;
  product = *found;
  if (product.rows * product.units == 0)
    return noElements;
  if (!readChannels())
    return "its factors and biases are not those of channels in 32 bits";
  return {};
}

Value ByteProduct::build() {
  Value scaled = ByteProductOp::create(
      builder, loc, typeOf(result, {product.rows, product.units}),
      reshape(input, {product.rows, product.depth}), weights, biases, factors,
      product.activation);
  return reshape(scaled, resultShape());
}

} // namespace

FailureOr<Value> tflite::raiseByteProduct(OperationOp op, OpBuilder &builder,
                                          StringRef &why) {
  ByteProduct product(op, builder);
  why = product.whyCalled();
  if (!why.empty())
    return failure();
  return product.build();
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

static int32_t zeroPointOf(Type type) {
  return int32_t(cast<quant::UniformQuantizedType>(getElementTypeOrSelf(type))
                     .getZeroPoint());
}

/// The weights as the filter of a convolution of one line. A constant is
/// shared, not copied.
static Value filterOf(ImplicitLocOpBuilder &b, ByteProductOp op,
                      Value weights) {
  ArrayRef<int64_t> matrix = op.getWeights().getType().getShape();
  auto type =
      RankedTensorType::get({matrix[0], 1, 1, matrix[1]}, b.getI8Type());
  Attribute constant = definingConstant(op.getWeights());
  if (auto resource = dyn_cast_or_null<DenseResourceElementsAttr>(constant))
    return arith::ConstantOp::create(
        b, cast<TypedAttr>(
               DenseResourceElementsAttr::get(type, resource.getRawHandle())));
  if (auto dense = dyn_cast_or_null<DenseElementsAttr>(constant))
    return arith::ConstantOp::create(b, cast<TypedAttr>(dense.reshape(type)));
  return reshaped(b, weights, type.getShape());
}

/// The sums, [1, 1, rows, units].
static Value sumsOf(ImplicitLocOpBuilder &b, ByteProductOp op, Value input,
                    Value weights) {
  ArrayRef<int64_t> shape = op.getInput().getType().getShape();
  Value pixels = reshaped(b, input, {1, 1, shape[0], shape[1]});
  int32_t zeroPoint = zeroPointOf(op.getInput().getType());
  Type i16 = b.getI16Type();
  Value factors = mapElements(
      b, cast<RankedTensorType>(pixels.getType()).clone(i16), pixels,
      {b.getMultiDimIdentityMap(4)}, [&](Elements &e, ValueRange x) -> Value {
        return e.make<arith::SubIOp>(e.make<arith::ExtSIOp>(i16, x[0]),
                                     e.constant(i16, zeroPoint));
      });
  return sumProductsOfRows(b, factors, filterOf(b, op, weights),
                           op.getBiases());
}

/// The result of a sum: halves are rounded away from 0. Half of a number below
/// 2^52 is exact, and larger ones are beyond all bounds.
static Value rounded(Elements &e, Value sum, Value factor, Bounds bounds,
                     int32_t zeroPoint) {
  Type f64 = factor.getType();
  auto number = [&](double value) -> Value {
    return arith::ConstantOp::create(e.builder(),
                                     e.builder().getF64FloatAttr(value));
  };
  Value real = e.make<arith::MulFOp>(e.make<arith::SIToFPOp>(f64, sum), factor);
  Value whole = e.make<math::TruncOp>(real);
  Value distance = e.make<math::AbsFOp>(e.make<arith::SubFOp>(real, whole));
  Value step = e.make<math::CopySignOp>(number(1), real);
  Value away = e.make<arith::SelectOp>(
      e.compare(arith::CmpFPredicate::OGE, distance, number(0.5)),
      e.make<arith::AddFOp>(whole, step), whole);
  Value moved = e.make<arith::AddFOp>(away, number(zeroPoint));
  Value bounded = e.make<arith::MinimumFOp>(
      e.make<arith::MaximumFOp>(moved, number(double(bounds.least))),
      number(double(bounds.most)));
  Value integer = e.make<arith::FPToSIOp>(e.builder().getI32Type(), bounded);
  return e.make<arith::TruncIOp>(e.builder().getI8Type(), integer);
}

template <>
Value TensorLowering<ByteProductOp>::lower(ImplicitLocOpBuilder &b,
                                           ByteProductOp op,
                                           ByteProductOp::Adaptor adaptor,
                                           RankedTensorType result) {
  Value sums = sumsOf(b, op, adaptor.getInput(), adaptor.getWeights());
  ArrayRef<double> factors = op.getFactors();
  Value table = arith::ConstantOp::create(
      b, DenseElementsAttr::get(
             RankedTensorType::get(int64_t(factors.size()), b.getF64Type()),
             factors));
  Type to = op.getResult().getType();
  int32_t zeroPoint = zeroPointOf(to);
  Bounds bounds = activationBounds(Activation(op.getActivation()),
                                   boundsOf<int8_t>(), scaleOf(to), zeroPoint);
  AffineMap channel = AffineMap::get(4, 0, b.getAffineDimExpr(3));
  Value scaled = mapElements(
      b,
      RankedTensorType::get(cast<RankedTensorType>(sums.getType()).getShape(),
                            b.getI8Type()),
      {sums, table}, {b.getMultiDimIdentityMap(4), channel},
      [&](Elements &e, ValueRange x) {
        return rounded(e, x[0], x[1], bounds, zeroPoint);
      });
  return reshaped(b, scaled, result.getShape());
}

void tflite::populateByteProductLowering(const TypeConverter &converter,
                                         RewritePatternSet &patterns) {
  patterns.add<TensorLowering<ByteProductOp>>(converter, patterns.getContext());
}
