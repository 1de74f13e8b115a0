//===- Preconditions.cpp - What passes refuse -----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Preconditions.h"

#include "ContextAccess.h"

#include "Runtime/Artifact/ModelCache.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace nnhal;

FailureOr<int64_t> nnhal::readCount(Operation *op, StringRef name,
                                    int64_t least, int64_t most) {
  auto attribute = op->getAttrOfType<IntegerAttr>(name);
  if (!attribute)
    return op->emitError("has no integer attribute '") << name << "'";
  const APInt &value = attribute.getValue();
  bool isSmall = !value.isNegative() && value.getActiveBits() < 64;
  if (!isSmall || int64_t(value.getZExtValue()) < least ||
      int64_t(value.getZExtValue()) > most)
    return op->emitError("attribute '")
           << name << "' is " << attribute << ", expected " << least << " to "
           << most;
  return int64_t(value.getZExtValue());
}

LogicalResult nnhal::checkOption(Operation *op, StringRef name, int64_t value,
                                 int64_t least, int64_t most) {
  if (value >= least && value <= most)
    return success();
  return emitError(op->getLoc(), "option ")
         << name << " is " << value << ", expected " << least << " to " << most;
}

LogicalResult nnhal::checkAlignment(Operation *op, StringRef name,
                                    int64_t value) {
  if (value >= 1 && value <= 4096 && llvm::isPowerOf2_64(value))
    return success();
  return emitError(op->getLoc(), "option ")
         << name << " is " << value << ", expected a power of two up to 4096";
}

LogicalResult nnhal::checkOneBlock(func::FuncOp function) {
  if (llvm::hasSingleElement(function.getBody()))
    return success();
  return function.emitError("has ")
         << llvm::range_size(function.getBody())
         << " blocks, expected one: control flow must be structured";
}

LogicalResult nnhal::checkHasContext(func::FuncOp entry) {
  if (entry.getNumArguments() != 0 &&
      isa<LLVM::LLVMPointerType>(entry.getArgumentTypes().back()))
    return success();
  return entry.emitError("the entry function has no execution context as its "
                         "last argument: nnhal-emit-entry must run before");
}

StringRef nnhal::whyNotPlain(MemRefType type) {
  if (!type.getElementType().isIntOrIndexOrFloat())
    return "its elements are neither integers nor floats";
  if (!type.getLayout().isIdentity())
    return "its layout is not the identity";
  if (type.getMemorySpace())
    return "it is not in the default memory space";
  return {};
}

LogicalResult nnhal::checkBufferArguments(func::FuncOp entry) {
  for (auto [index, type] : llvm::enumerate(entry.getArgumentTypes())) {
    auto buffer = dyn_cast<MemRefType>(type);
    if (!buffer)
      return entry.emitError("argument ")
             << index << " of the entry function is of type " << type
             << ", expected a ranked memref";
    if (StringRef why = whyNotPlain(buffer); !why.empty())
      return entry.emitError("argument ")
             << index << " of the entry function is of type " << type << ": "
             << why;
  }
  return success();
}

FailureOr<int64_t> nnhal::checkedByteSize(MemRefType type) {
  int64_t size = elementBytes(type);
  for (int64_t extent : type.getShape())
    if (llvm::MulOverflow(size, extent, size))
      size = INT64_MAX;
  // Zero times what is too large is zero, in any order.
  if (llvm::is_contained(type.getShape(), 0))
    return 0;
  if (uint64_t(size) > rt::maxDataCacheSize)
    return failure();
  return size;
}
