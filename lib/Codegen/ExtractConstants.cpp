//===- ExtractConstants.cpp - Move constants into the data cache ----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Codegen/Passes.h"

#include "ConstantUses.h"
#include "Preconditions.h"

#include "Runtime/Artifact/ModelCache.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

namespace nnhal {
#define GEN_PASS_DEF_EXTRACTCONSTANTS
#include "nnhal/Codegen/Passes.h.inc"

using namespace mlir;

namespace {
struct ExtractConstantsPass : impl::ExtractConstantsBase<ExtractConstantsPass> {
  using Base::Base;
  void runOnOperation() override;

private:
  LogicalResult check(func::FuncOp entry);
  FailureOr<int64_t> place(memref::GlobalOp global);

  AsmResourceBlob makeBlob() const;

  /// The constants with their offsets, which grow.
  std::vector<std::pair<ElementsAttr, int64_t>> placed;
  int64_t blobSize = 0;
};
} // namespace

/// The bytes of the elements of \p value, row-major, or of one of them where
/// all are alike; nothing where they cannot be extracted.
static std::optional<ArrayRef<char>> rawElements(ElementsAttr value) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    AsmResourceBlob *bytes = resource.getRawHandle().getBlob();
    return bytes ? std::optional(bytes->getData()) : std::nullopt;
  }
  auto dense = dyn_cast<DenseIntOrFPElementsAttr>(value);
  // i1 is stored as bits in the attribute but as bytes in memory.
  if (!dense || dense.getElementType().isInteger(1))
    return std::nullopt;
  return dense.getRawData();
}

static int64_t repetitionsOf(ElementsAttr value) {
  auto dense = dyn_cast<DenseElementsAttr>(value);
  return dense && dense.isSplat() ? dense.getNumElements() : 1;
}

/// All constants at once, so that each is copied once: they may be most of the
/// memory that a compilation needs.
AsmResourceBlob ExtractConstantsPass::makeBlob() const {
  AsmResourceBlob blob = HeapAsmResourceBlob::allocate(blobSize, alignment);
  char *next = blob.getMutableData().data();
  char *end = next + blobSize;
  for (const auto &[value, offset] : placed) {
    char *begin = end - blobSize + offset;
    std::fill(next, begin, 0);
    next = begin;
    ArrayRef<char> raw = *rawElements(value);
    for (int64_t i = repetitionsOf(value); i > 0; --i)
      next = std::copy(raw.begin(), raw.end(), next);
  }
  std::fill(next, end, 0);
  return blob;
}

/// The offset of \p global's bytes in the blob.
FailureOr<int64_t> ExtractConstantsPass::place(memref::GlobalOp global) {
  auto value = dyn_cast_or_null<ElementsAttr>(global.getInitialValueAttr());
  if (!value)
    return global.emitError("global has no elements to extract");
  if (!global.getConstant())
    return global.emitError("global is not constant: the data cache is shared "
                            "by executions");
  if (StringRef why = whyNotPlain(global.getType()); !why.empty())
    return global.emitError("elements of ")
           << value.getType() << " cannot be extracted: of " << global.getType()
           << ", " << why;
  int64_t offset = llvm::alignTo(blobSize, alignment);
  FailureOr<int64_t> size = checkedByteSize(global.getType());
  if (failed(size) || uint64_t(offset + *size) > rt::maxDataCacheSize)
    return global.emitError("elements of ")
           << value.getType() << " make constants larger than "
           << rt::maxDataCacheSize << " bytes together";
  std::optional<ArrayRef<char>> raw = rawElements(value);
  if (!raw)
    return global.emitError("elements of ")
           << value.getType() << " cannot be extracted";
  int64_t found = int64_t(raw->size()) * repetitionsOf(value);
  if (found != *size)
    return global.emitError("elements of ")
           << value.getType() << " cannot be extracted: they are " << found
           << " bytes, expected " << *size;
  placed.emplace_back(value, offset);
  blobSize = offset + found;
  ++numExtracted;
  return offset;
}

/// The uses of constants that the data cache takes, in their order: an
/// execution then walks it forward.
static SmallVector<memref::GetGlobalOp> findUses(func::FuncOp entry,
                                                 int64_t &numKept) {
  SmallVector<memref::GetGlobalOp> uses;
  llvm::StringSet<> kept;
  entry.walk([&](memref::GetGlobalOp use) {
    uses.push_back(use);
    if (addressesMemory(use))
      kept.insert(use.getName());
  });
  numKept = int64_t(kept.size());
  llvm::erase_if(uses, [&](memref::GetGlobalOp use) {
    return kept.contains(use.getName());
  });
  return uses;
}

LogicalResult ExtractConstantsPass::check(func::FuncOp entry) {
  if (failed(checkAlignment(entry, "alignment", alignment)) ||
      failed(checkOption(entry, "base-offset", baseOffset, 0,
                         int64_t(rt::maxDataCacheSize))) ||
      failed(checkBufferArguments(entry)))
    return failure();
  if (getOperation()->hasAttr(dataCacheAttrName))
    return getOperation()->emitError("the constants have been extracted: the "
                                     "module has '")
           << dataCacheAttrName << "'";
  return success();
}

void ExtractConstantsPass::runOnOperation() {
  ModuleOp module = getOperation();
  FailureOr<func::FuncOp> found = findEntryFunction(module);
  if (failed(found))
    return signalPassFailure();
  func::FuncOp entry = *found;
  if (!entry)
    return;
  if (failed(check(entry)))
    return signalPassFailure();

  SymbolTable symbols(module);
  SmallVector<std::pair<memref::GetGlobalOp, int64_t>> uses;
  DenseMap<Operation *, int64_t> offsets;
  int64_t kept = 0;
  for (memref::GetGlobalOp use : findUses(entry, kept)) {
    auto global = symbols.lookup<memref::GlobalOp>(use.getName());
    auto [it, isNew] = offsets.try_emplace(global, 0);
    if (isNew) {
      FailureOr<int64_t> offset = place(global);
      if (failed(offset))
        return signalPassFailure();
      it->second = *offset;
    }
    uses.emplace_back(use, it->second);
  }
  numKept += kept;

  // An empty blob would be no resource.
  blobSize = llvm::alignTo(std::max<int64_t>(blobSize, 1), alignment);
  OpBuilder builder(&getContext());
  auto blobType = MemRefType::get({baseOffset + blobSize}, builder.getI8Type());
  if (failed(entry.insertArgument(entry.getNumArguments(), blobType, {},
                                  entry.getLoc())))
    return signalPassFailure();
  Value constants = entry.getArguments().back();
  for (auto [use, offset] : uses) {
    builder.setInsertionPoint(use);
    Value position = arith::ConstantIndexOp::create(builder, use.getLoc(),
                                                    baseOffset + offset);
    Value view =
        memref::ViewOp::create(builder, use.getLoc(), use.getType(), constants,
                               position, /*sizes=*/ValueRange());
    use.replaceAllUsesWith(view);
    use.erase();
  }
  // Functions other than the entry keep what they read.
  DenseSet<StringRef> stillRead;
  module.walk(
      [&](memref::GetGlobalOp use) { stillRead.insert(use.getName()); });
  for (auto [global, offset] : offsets)
    if (!stillRead.contains(cast<memref::GlobalOp>(global).getName()))
      global->erase();

  auto attrType = RankedTensorType::get({blobSize}, builder.getI8Type());
  module->setAttr(dataCacheAttrName, DenseResourceElementsAttr::get(
                                         attrType, "data_cache", makeBlob()));
}

} // namespace nnhal
