//===- NNHalOps.td - All operations of the dialect ---------*- tablegen -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_DIALECT_NNHAL_IR_NNHALOPS
#define NNHAL_DIALECT_NNHAL_IR_NNHALOPS

include "nnhal/Dialect/NNHal/IR/NNHalEnums.td"
include "nnhal/Dialect/NNHal/IR/NNHalTarget.td"
include "nnhal/Dialect/NNHal/IR/NNHalTypes.td"
include "nnhal/Dialect/NNHal/IR/NNHalConstant.td"
include "nnhal/Dialect/NNHal/IR/NNHalStructure.td"
include "nnhal/Dialect/NNHal/IR/Elementwise.td"
include "nnhal/Dialect/NNHal/IR/Activation.td"
include "nnhal/Dialect/NNHal/IR/Contraction.td"
include "nnhal/Dialect/NNHal/IR/Window.td"
include "nnhal/Dialect/NNHal/IR/Reduction.td"
include "nnhal/Dialect/NNHal/IR/DataMovement.td"
include "nnhal/Dialect/NNHal/IR/Quantization.td"
include "nnhal/Dialect/NNHal/IR/Normalization.td"
include "nnhal/Dialect/NNHal/IR/Lookup.td"
include "nnhal/Dialect/NNHal/IR/Recurrent.td"
include "nnhal/Dialect/NNHal/IR/Detection.td"
include "nnhal/Dialect/NNHal/IR/ControlFlow.td"

#endif // NNHAL_DIALECT_NNHAL_IR_NNHALOPS
