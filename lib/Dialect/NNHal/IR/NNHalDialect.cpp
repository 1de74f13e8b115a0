//===- NNHalDialect.cpp - Registration of the nnhal dialect ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Dialect/NNHal/IR/NNHal.h"

#include "DialectInterfaces.h"
#include "nnhal/Dialect/NNHal/IR/NNHalOps.h"
#include "nnhal/Dialect/NNHal/IR/Target.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace nnhal;

#include "nnhal/Dialect/NNHal/IR/NNHalDialect.cpp.inc"

#include "nnhal/Dialect/NNHal/IR/NNHalEnums.cpp.inc"

//===----------------------------------------------------------------------===//
// Parameters of attributes
//===----------------------------------------------------------------------===//

namespace mlir {
template <> struct FieldParser<rt::Rounding> {
  static FailureOr<rt::Rounding> parse(AsmParser &parser) {
    llvm::SMLoc location = parser.getCurrentLocation();
    StringRef name;
    if (failed(parser.parseKeyword(&name)))
      return failure();
    if (std::optional<rt::Rounding> rounding = symbolizeRounding(name))
      return *rounding;
    return parser.emitError(location, "rounding '")
           << name << "' must be double, single or float";
  }
};
} // namespace mlir

namespace nnhal::rt {
static llvm::raw_ostream &operator<<(llvm::raw_ostream &stream,
                                     Rounding rounding) {
  return stream << stringifyRounding(rounding);
}
} // namespace nnhal::rt

#define GET_ATTRDEF_CLASSES
#include "nnhal/Dialect/NNHal/IR/NNHalAttrs.cpp.inc"

#include "nnhal/Dialect/NNHal/IR/NNHalInterfaces.cpp.inc"

void NNHalDialect::initialize() {
  registerTypes();
  registerAttributes();
  registerOperations();
  addInterface(createAsmInterface(this));
  addInterface(createBytecodeInterface(this));
}

void NNHalDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "nnhal/Dialect/NNHal/IR/NNHalAttrs.cpp.inc"
      >();
}

mlir::Operation *NNHalDialect::materializeConstant(mlir::OpBuilder &builder,
                                                   mlir::Attribute value,
                                                   mlir::Type type,
                                                   mlir::Location location) {
  auto elements = llvm::dyn_cast<mlir::ElementsAttr>(value);
  if (!elements || !llvm::isa<mlir::RankedTensorType>(type))
    return nullptr;
  return ConstantOp::create(builder, location, type, elements);
}
