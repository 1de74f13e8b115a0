//===- NNHalOps.cpp - Generated code of the operations --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Dialect/NNHal/IR/NNHalOps.h"

#include "HalOperation.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace nnhal;

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

/// A flag that may be left out is set where its keyword stands.
static mlir::ParseResult parseSetFlag(mlir::OpAsmParser &parser,
                                      mlir::BoolAttr &flag) {
  flag = parser.getBuilder().getBoolAttr(true);
  return mlir::success();
}

/// Only called for a flag that is set; its keyword has said so.
static void printSetFlag(mlir::OpAsmPrinter &, mlir::Operation *,
                         mlir::BoolAttr) {}

#define GET_OP_CLASSES
#include "nnhal/Dialect/NNHal/IR/NNHalOps.cpp.inc"

void NNHalDialect::registerOperations() {
  addOperations<
#define GET_OP_LIST
#include "nnhal/Dialect/NNHal/IR/NNHalOps.cpp.inc"
      >();
}
