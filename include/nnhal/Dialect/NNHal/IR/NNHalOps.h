//===- NNHalOps.h - Operations of the nnhal dialect -------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_DIALECT_NNHAL_IR_NNHALOPS_H
#define NNHAL_DIALECT_NNHAL_IR_NNHALOPS_H

#include "nnhal/Backend/Rules.h"
#include "nnhal/Dialect/NNHal/IR/HalForm.h"
#include "nnhal/Dialect/NNHal/IR/NNHal.h"
#include "nnhal/Dialect/NNHal/IR/TensorTypes.h"

#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "nnhal/Dialect/NNHal/IR/NNHalInterfaces.h.inc"

#define GET_OP_CLASSES
#include "nnhal/Dialect/NNHal/IR/NNHalOps.h.inc"

#endif // NNHAL_DIALECT_NNHAL_IR_NNHALOPS_H
