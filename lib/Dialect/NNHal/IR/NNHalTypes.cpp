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

//===----------------------------------------------------------------------===//
// OEM
//===----------------------------------------------------------------------===//

template <typename OemTy> static mlir::Type parseOem(mlir::AsmParser &parser) {
  mlir::MLIRContext *context = parser.getContext();
  mlir::FloatAttr scale;
  int32_t zeroPoint = 0;
  if (failed(parser.parseOptionalLess()))
    return OemTy::get(context, nullptr, 0);
  if (parser.parseAttribute(scale, mlir::Float32Type::get(context)) ||
      parser.parseComma() || parser.parseInteger(zeroPoint) ||
      parser.parseGreater())
    return nullptr;
  return OemTy::get(context, scale, zeroPoint);
}

template <typename OemTy>
static void printOem(OemTy type, mlir::AsmPrinter &printer) {
  if (!type.getScale())
    return;
  printer << '<';
  printer.printAttributeWithoutType(type.getScale());
  printer << ", " << type.getZeroPoint() << '>';
}

mlir::Type OemType::parse(mlir::AsmParser &parser) {
  return parseOem<OemType>(parser);
}

void OemType::print(mlir::AsmPrinter &printer) const {
  printOem(*this, printer);
}

mlir::Type OemByteType::parse(mlir::AsmParser &parser) {
  return parseOem<OemByteType>(parser);
}

void OemByteType::print(mlir::AsmPrinter &printer) const {
  printOem(*this, printer);
}

void NNHalDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "nnhal/Dialect/NNHal/IR/NNHalTypes.cpp.inc"
      >();
}
