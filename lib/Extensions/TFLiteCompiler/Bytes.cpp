//===- Bytes.cpp - Functions of quantized bytes ---------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The arithmetic of FixedPoint.h in 32 bits, on bytes less their zero points.
//
//===----------------------------------------------------------------------===//

#include "Bytes.h"

#include "Extensions/TFLite/ByteProduct.h"
#include "Extensions/TFLite/ByteSquare.h"

using namespace mlir;
using namespace nnhal;
using namespace nnhal::tflite;

bool tflite::computesBytes(Function function, TypeRange inputs, Type result) {
  quant::UniformQuantizedType to = bytesOf(result);
  if (!to || !llvm::all_of(inputs, bytesOf))
    return false;
  bool isLike = llvm::all_of(inputs, [&](Type input) {
    return bytesOf(input).isSigned() == to.isSigned();
  });
  switch (function) {
  case Function::mul:
  case Function::div:
  case Function::relu:
  case Function::relu_n1_to_1:
  case Function::relu6:
  case Function::relu_0_to_1:
    return isLike;
  case Function::abs:
  case Function::elu:
  case Function::log:
  case Function::neg:
  case Function::squared_difference:
    return isLike && to.isSigned();
  default:
    return false;
  }
}

Value tflite::computeBytes(Elements &e, const Use &use, ValueRange x) {
  quant::UniformQuantizedType to = bytesOf(use.op.getResult().getType());
  if (use.table)
    return lookedUp(e, use, x[0]);
  // Stored numbers are negated, whatever they stand for.
  if (use.function() == Function::neg)
    return e.make<arith::SubIOp>(e.constant(x[0].getType(), 0), x[0]);
  SmallVector<Value> steps;
  for (auto [input, byte] : llvm::zip_equal(use.op.getInputs(), x))
    steps.push_back(stepsOf(e, bytesOf(input.getType()), byte));
  const float ratio = use.scale(0) / use.resultScale();
  auto activated = [&](Activation activation) {
    return storedOf(e, to, e.scale(steps[0], factorOf(ratio)),
                    activationBounds(activation, boundsOfStored(to),
                                     use.resultScale(),
                                     int32_t(to.getZeroPoint())));
  };
  switch (use.function()) {
  case Function::mul: {
    const Factor factor =
        factorOf(use.scale(0) * use.scale(1) / use.resultScale());
    Value product = e.bounded(e.make<arith::MulIOp>(steps[0], steps[1]),
                              boundsBeforeShift(factor));
    return storedOf(e, to, e.scale(product, factor),
                    activationBounds(use.activation(), boundsOfStored(to),
                                     use.resultScale(),
                                     int32_t(to.getZeroPoint())));
  }
  case Function::div: {
    Factor factor = factorOf(use.scale(0) / (use.scale(1) * use.resultScale()));
    return storedOf(e, to, quotientOfSteps(e, steps[0], steps[1], factor),
                    activationBounds(use.activation(), boundsOfStored(to),
                                     use.resultScale(),
                                     int32_t(to.getZeroPoint())));
  }
  case Function::relu:
    return activated(Activation::relu);
  case Function::relu_n1_to_1:
    return activated(Activation::reluN1To1);
  case Function::relu6:
    return activated(Activation::relu6);
  case Function::relu_0_to_1:
    return activated(Activation::relu0To1);
  case Function::abs: {
    Value zero = e.constant(steps[0].getType(), 0);
    Value magnitude =
        e.make<arith::MaxSIOp>(steps[0], e.make<arith::SubIOp>(zero, steps[0]));
    if (use.scale(0) != use.resultScale())
      magnitude = e.scale(magnitude, factorOf(ratio));
    return storedOf(e, to, magnitude, boundsOfStored(to));
  }
  default: {
    assert(use.function() == Function::squared_difference &&
           "others are refused");
    SumFactors factors =
        factorsOfByteSquare(use.scale(0), use.scale(1), use.resultScale());
    Value moreBits = e.constant(steps[0].getType(), byteSquareBits);
    for (Value &value : steps)
      value = e.make<arith::ShLIOp>(value, moreBits);
    Value difference = e.make<arith::SubIOp>(e.scale(steps[0], factors.a),
                                             e.scale(steps[1], factors.b));
    Value square = e.make<arith::MulIOp>(difference, difference);
    return storedOf(e, to, e.scale(square, factors.result), boundsOfStored(to));
  }
  }
}
