//===- Emission.cpp - What targets emit alike -----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emission.h"

#include "nnhal/Dialect/NNHal/IR/DiscardableAttributes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace nnhal;

void nnhal::takeConstants(ModuleOp module, EmittedCode &result) {
  auto blob =
      module->getAttrOfType<DenseResourceElementsAttr>(dataCacheAttrName);
  assert(blob && blob.getRawHandle().getBlob() &&
         "phase plan leaves the data cache in the module");
  ArrayRef<char> bytes = blob.getRawHandle().getBlob()->getData();
  auto *data = reinterpret_cast<const std::byte *>(bytes.data());
  result.dataCache.assign(data, data + bytes.size());
  result.constants.push_back({0, result.dataCache.size(), "packed constants"});
  module->removeAttr(dataCacheAttrName);
}
