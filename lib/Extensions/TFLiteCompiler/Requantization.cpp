//===- Requantization.cpp - Quantized integers of any form ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// QUANTIZE of integers, and how others read and write elements that have a zero
// point.
//
//===----------------------------------------------------------------------===//

#include "Requantization.h"

using namespace mlir;
using namespace nnhal;
using namespace nnhal::tflite;

quant::UniformQuantizedType tflite::quantizedOf(Type type) {
  auto quantized =
      dyn_cast<quant::UniformQuantizedType>(getElementTypeOrSelf(type));
  if (!quantized)
    return {};
  unsigned bits = quantized.getStorageTypeIntegralWidth();
  bool isKnown =
      bits == 8 || bits == 16 || (bits == 32 && quantized.isSigned());
  return isKnown ? quantized : quant::UniformQuantizedType();
}

Bounds tflite::boundsOfStored(quant::UniformQuantizedType type) {
  switch (type.getStorageTypeIntegralWidth()) {
  case 8:
    return type.isSigned() ? boundsOf<int8_t>() : boundsOf<uint8_t>();
  case 16:
    return type.isSigned() ? boundsOf<int16_t>() : boundsOf<uint16_t>();
  default:
    return boundsOf<int32_t>();
  }
}

Value tflite::stepsOf(Elements &e, quant::UniformQuantizedType type,
                      Value stored) {
  Type i32 = e.builder().getI32Type();
  Value wide = stored;
  if (stored.getType() != i32)
    wide = type.isSigned() ? e.make<arith::ExtSIOp>(i32, stored)
                           : e.make<arith::ExtUIOp>(i32, stored);
  return e.make<arith::SubIOp>(wide, e.constant(i32, type.getZeroPoint()));
}

Value tflite::storedOf(Elements &e, quant::UniformQuantizedType type,
                       Value steps, Bounds bounds) {
  Type i32 = e.builder().getI32Type();
  Value moved =
      e.make<arith::AddIOp>(steps, e.constant(i32, type.getZeroPoint()));
  Value inside = e.bounded(moved, bounds);
  unsigned bits = type.getStorageTypeIntegralWidth();
  return bits == 32 ? inside
                    : e.make<arith::TruncIOp>(e.builder().getIntegerType(bits),
                                              inside);
}

bool tflite::requantizes(Function function, TypeRange inputs, Type result) {
  return function == Function::quantize && quantizedOf(result) &&
         llvm::all_of(inputs, quantizedOf);
}

Value tflite::computeRequantization(Elements &e, const Use &use, Value x) {
  // TensorFlow Lite computes this factor in double precision.
  Factor factor = factorOf(double(use.scale(0)) / double(use.resultScale()));
  auto from = quantizedOf(use.op.getInputs()[0].getType());
  auto to = quantizedOf(use.op.getResult().getType());
  return storedOf(e, to, e.scale(stepsOf(e, from, x), factor),
                  boundsOfStored(to));
}
