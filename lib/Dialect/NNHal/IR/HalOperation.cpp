//===- HalOperation.cpp - Operations of the HAL as an attribute -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HalOperation.h"

#include "nnhal/Dialect/NNHal/IR/OperandTypes.h"

#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace nnhal;

HalOperationAttr HalOperationAttr::ofName(MLIRContext *context,
                                          StringRef name) {
  if (const rt::OperationInfo *info =
          rt::lookUpOperation(std::string_view(name)))
    return get(context, info->type);
  if (name == rt::nameOf(rt::OperationType::OEM_OPERATION))
    return get(context, rt::OperationType::OEM_OPERATION);
  if (auto extension = splitExtensionName(name))
    return get(context, extension->second, extension->first);
  return nullptr;
}

std::optional<rt::OperationType> HalOperationAttr::getOperationType() const {
  if (isExtension())
    return std::nullopt;
  return rt::OperationType(getCode());
}

const rt::OperationInfo *HalOperationAttr::getInfo() const {
  return isExtension() ? nullptr : rt::lookUp(rt::OperationType(getCode()));
}

std::string HalOperationAttr::getSpelling() const {
  if (isExtension())
    return (getExtension() + ":" + Twine(getCode())).str();
  return rt::nameOf(rt::OperationType(getCode()));
}

LogicalResult
HalOperationAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                         uint32_t code, StringRef extension) {
  if (!extension.empty()) {
    if (code > 0xFFFF)
      return emitError() << "number " << code << " of extension \"" << extension
                         << "\" exceeds 65535";
    return success();
  }
  if (!rt::lookUp(rt::OperationType(code)) &&
      rt::OperationType(code) != rt::OperationType::OEM_OPERATION)
    return emitError() << "code " << code << " is not an operation of the HAL";
  return success();
}

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

ParseResult nnhal::parseHalOperation(AsmParser &parser,
                                     HalOperationAttr &operation) {
  std::string name;
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseString(&name))
    return failure();
  operation = HalOperationAttr::ofName(parser.getContext(), name);
  if (operation)
    return success();
  return parser.emitError(location, "\"")
         << name << "\" is not an operation of the HAL";
}

void nnhal::printHalOperation(OpAsmPrinter &printer, OperationOp,
                              HalOperationAttr operation) {
  printer.printString(operation.getSpelling());
}

Attribute HalOperationAttr::parse(AsmParser &parser, Type) {
  HalOperationAttr operation;
  if (parser.parseLess() || parseHalOperation(parser, operation) ||
      parser.parseGreater())
    return nullptr;
  return operation;
}

void HalOperationAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printer.printString(getSpelling());
  printer << '>';
}
