//===- NNHal.h - The nnhal dialect ------------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_DIALECT_NNHAL_IR_NNHAL_H
#define NNHAL_DIALECT_NNHAL_IR_NNHAL_H

#include "nnhal/Runtime/Model.h"
#include "nnhal/Runtime/Rounding.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"

#include "nnhal/Dialect/NNHal/IR/NNHalDialect.h.inc"

#include "nnhal/Dialect/NNHal/IR/NNHalEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "nnhal/Dialect/NNHal/IR/NNHalAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "nnhal/Dialect/NNHal/IR/NNHalTypes.h.inc"

#endif // NNHAL_DIALECT_NNHAL_IR_NNHAL_H
