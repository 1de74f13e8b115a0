//===- AsmInterface.cpp - Names in the text of IR -------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Aliases of quantized types: one with scales per channel may be longer than a
// page.
//
//===----------------------------------------------------------------------===//

#include "DialectInterfaces.h"
#include "nnhal/Dialect/NNHal/IR/NNHalOps.h"

#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace nnhal;

/// The HAL's name for values of \p type, in small letters and without TENSOR_.
static StringRef nameOf(quant::QuantizedType type) {
  bool isSigned = type.isSigned();
  switch (type.getStorageTypeIntegralWidth()) {
  case 8:
    if (!isSigned)
      return "quant8_asymm";
    // TENSOR_QUANT8_SYMM has no -128 (OperandTypes.h).
    return type.getStorageTypeMin() == -127 ? "quant8_symm"
                                            : "quant8_asymm_signed";
  case 16:
    return isSigned ? "quant16_symm" : "quant16_asymm";
  default:
    return "quantized";
  }
}

namespace {
class AsmInterface final : public OpAsmDialectInterface {
public:
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Type type, raw_ostream &os) const override {
    auto quantized = dyn_cast<quant::QuantizedType>(type);
    if (!quantized)
      return AliasResult::NoAlias;
    os << nameOf(quantized);
    if (isa<quant::UniformQuantizedPerAxisType>(type))
      os << "_per_channel";
    return AliasResult::OverridableAlias;
  }
};
} // namespace

std::unique_ptr<DialectInterface>
nnhal::createAsmInterface(NNHalDialect *dialect) {
  return std::make_unique<AsmInterface>(dialect);
}
