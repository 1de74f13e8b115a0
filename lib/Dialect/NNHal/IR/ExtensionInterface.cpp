//===- ExtensionInterface.cpp - Extensions as dialects --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Dialect/NNHal/IR/ExtensionInterface.h"

using namespace mlir;
using namespace nnhal;

MLIR_DEFINE_EXPLICIT_TYPE_ID(nnhal::NNHalExtensionInterface)

NNHalExtensionInterface::NNHalExtensionInterface(Dialect *dialect)
    : Base(dialect) {}

NNHalExtensionInterface::~NNHalExtensionInterface() = default;

LogicalResult NNHalExtensionInterface::verifyOperation(OperationOp) const {
  return success();
}

FailureOr<SmallVector<Value>>
NNHalExtensionInterface::raise(OperationOp, OpBuilder &,
                               std::string &reason) const {
  reason = "its dialect has no operation for it";
  return failure();
}

void NNHalExtensionInterface::populateLowering(const TypeConverter &,
                                               RewritePatternSet &,
                                               ConversionTarget &) const {}

const NNHalExtensionInterface *nnhal::findExtension(OperationOp op) {
  HalOperationAttr operation = op.getHalOperation();
  if (!operation.isExtension())
    return nullptr;
  for (Dialect *dialect : op->getContext()->getLoadedDialects()) {
    auto *extension =
        dialect->getRegisteredInterface<NNHalExtensionInterface>();
    if (extension && extension->getExtensionName() == operation.getExtension())
      return extension;
  }
  return nullptr;
}
