//===- OperationLocation.cpp - Which operation code was made from ---------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperationLocation.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace nnhal;

void nnhal::collectOperations(Location location, OperationNumbers &numbers) {
  llvm::TypeSwitch<LocationAttr>(location)
      .Case<CallSiteLoc>([&](CallSiteLoc call) {
        collectOperations(call.getCaller(), numbers);
      })
      .Case<FusedLoc>([&](FusedLoc fused) {
        for (Location part : fused.getLocations())
          collectOperations(part, numbers);
      })
      .Case<NameLoc>([&](NameLoc name) {
        StringRef text = name.getName().getValue();
        uint32_t number = 0;
        if (text.consume_front("operation ") &&
            !text.consumeInteger(10, number))
          numbers.insert(number);
        else
          collectOperations(name.getChildLoc(), numbers);
      });
}

StringRef nnhal::findOperationText(Location location) {
  return llvm::TypeSwitch<LocationAttr, StringRef>(location)
      .Case<CallSiteLoc>(
          [](CallSiteLoc call) { return findOperationText(call.getCaller()); })
      .Case<FusedLoc>([](FusedLoc fused) {
        for (Location part : fused.getLocations())
          if (StringRef text = findOperationText(part); !text.empty())
            return text;
        return StringRef();
      })
      .Case<NameLoc>([](NameLoc name) {
        StringRef text = name.getName().getValue(), rest = text;
        uint32_t number = 0;
        if (rest.consume_front("operation ") &&
            !rest.consumeInteger(10, number))
          return text;
        return findOperationText(name.getChildLoc());
      })
      .Default([](LocationAttr) { return StringRef(); });
}

std::optional<uint32_t> nnhal::operationIndexOf(Operation *op) {
  OperationNumbers numbers;
  collectOperations(op->getLoc(), numbers);
  if (numbers.empty())
    return std::nullopt;
  return numbers.front();
}
