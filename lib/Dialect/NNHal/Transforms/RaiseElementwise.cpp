//===- RaiseElementwise.cpp - Element-wise operations, quantization -------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Raising.h"

using namespace nnhal;
using rt::OperationType;

/// ADD, SUB, MUL, DIV: two tensors and an activation (M-033).
template <typename OpTy> static void raiseArithmetic(Raising &raising) {
  mlir::Value lhs = raising.tensor(0), rhs = raising.tensor(1);
  FusedActivation activation = raising.activation(2);
  raising.replace<OpTy>(lhs, rhs, activation);
}

static void raiseSelect(Raising &raising) {
  mlir::Value condition = raising.tensor(0), lhs = raising.tensor(1),
              rhs = raising.tensor(2);
  raising.replace<SelectOp>(condition, lhs, rhs);
}

/// An operation whose result has the operand's shape and a stated element type.
template <typename OpTy> static void raiseConversion(Raising &raising) {
  mlir::Value input = raising.tensor(0);
  if (input)
    raising.replaceWithType<OpTy>(
        raising.resultType(0, Raising::shapeOf(input)), input);
}

void nnhal::addElementwiseRows(RaiseTable &table) {
  table.insert({
      {OperationType::ADD, raiseArithmetic<AddOp>},
      {OperationType::SUB, raiseArithmetic<SubOp>},
      {OperationType::MUL, raiseArithmetic<MulOp>},
      {OperationType::DIV, raiseArithmetic<DivOp>},
      {OperationType::POW, raiseBinary<PowOp>},
      {OperationType::MAXIMUM, raiseBinary<MaximumOp>},
      {OperationType::MINIMUM, raiseBinary<MinimumOp>},
      {OperationType::EQUAL, raiseBinary<EqualOp>},
      {OperationType::NOT_EQUAL, raiseBinary<NotEqualOp>},
      {OperationType::GREATER, raiseBinary<GreaterOp>},
      {OperationType::GREATER_EQUAL, raiseBinary<GreaterEqualOp>},
      {OperationType::LESS, raiseBinary<LessOp>},
      {OperationType::LESS_EQUAL, raiseBinary<LessEqualOp>},
      {OperationType::LOGICAL_AND, raiseBinary<LogicalAndOp>},
      {OperationType::LOGICAL_OR, raiseBinary<LogicalOrOp>},
      {OperationType::LOGICAL_NOT, raiseUnary<LogicalNotOp>},
      {OperationType::SELECT, raiseSelect},
      {OperationType::ABS, raiseUnary<AbsOp>},
      {OperationType::NEG, raiseUnary<NegOp>},
      {OperationType::EXP, raiseUnary<ExpOp>},
      {OperationType::LOG, raiseUnary<LogOp>},
      {OperationType::SIN, raiseUnary<SinOp>},
      {OperationType::SQRT, raiseUnary<SqrtOp>},
      {OperationType::RSQRT, raiseUnary<RsqrtOp>},
      {OperationType::FLOOR, raiseUnary<FloorOp>},
      {OperationType::CAST, raiseConversion<CastOp>},
      {OperationType::QUANTIZE, raiseConversion<QuantizeOp>},
      {OperationType::DEQUANTIZE, raiseConversion<DequantizeOp>},
  });
}
