//===- NNHalTypes.cpp - Types of the nnhal dialect ------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Dialect/NNHal/IR/NNHal.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace nnhal;

#define GET_TYPEDEF_CLASSES
#include "nnhal/Dialect/NNHal/IR/NNHalTypes.cpp.inc"

void NNHalDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "nnhal/Dialect/NNHal/IR/NNHalTypes.cpp.inc"
      >();
}
