//===- RaiseReduction.cpp - Reductions ------------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Raising.h"

using namespace nnhal;
using rt::OperationType;

/// MEAN keeps dimensions for an INT32 above 0 (M-126, M-127).
static void raiseMean(Raising &raising) {
  mlir::Value input = raising.tensor(0);
  llvm::SmallVector<int64_t> axes = raising.integers(1);
  bool keepDims = raising.integer(2) > 0;
  raising.replace<MeanOp>(input, axes, keepDims);
}

template <typename OpTy> static void raiseReduce(Raising &raising) {
  mlir::Value input = raising.tensor(0);
  llvm::SmallVector<int64_t> axes = raising.integers(1);
  bool keepDims = raising.flag(2);
  raising.replace<OpTy>(input, axes, keepDims);
}

/// ARGMAX, ARGMIN and TOPK_V2: a tensor and an INT32.
template <typename OpTy> static void raiseWithInteger(Raising &raising) {
  mlir::Value input = raising.tensor(0);
  int64_t integer = raising.integer(1);
  raising.replace<OpTy>(input, integer);
}

void nnhal::addReductionRows(RaiseTable &table) {
  table.insert({
      {OperationType::MEAN, raiseMean},
      {OperationType::REDUCE_SUM, raiseReduce<ReduceSumOp>},
      {OperationType::REDUCE_PROD, raiseReduce<ReduceProdOp>},
      {OperationType::REDUCE_MAX, raiseReduce<ReduceMaxOp>},
      {OperationType::REDUCE_MIN, raiseReduce<ReduceMinOp>},
      {OperationType::REDUCE_ALL, raiseReduce<ReduceAllOp>},
      {OperationType::REDUCE_ANY, raiseReduce<ReduceAnyOp>},
      {OperationType::ARGMAX, raiseWithInteger<ArgMaxOp>},
      {OperationType::ARGMIN, raiseWithInteger<ArgMinOp>},
      {OperationType::TOPK_V2, raiseWithInteger<TopKV2Op>},
  });
}
