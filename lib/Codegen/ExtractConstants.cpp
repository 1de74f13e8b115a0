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

  std::vector<char> blob;
};
} // namespace

/// Appends the elements of \p value to \p blob, row-major.
static LogicalResult appendElements(ElementsAttr value,
                                    std::vector<char> &blob) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    AsmResourceBlob *bytes = resource.getRawHandle().getBlob();
    if (!bytes)
      return failure();
    blob.insert(blob.end(), bytes->getData().begin(), bytes->getData().end());
    return success();
  }
  auto dense = dyn_cast<DenseIntOrFPElementsAttr>(value);
  // i1 is stored as bits in the attribute but as bytes in memory.
  if (!dense || dense.getElementType().isInteger(1))
    return failure();
  ArrayRef<char> raw = dense.getRawData();
  int64_t count = dense.isSplat() ? dense.getNumElements() : 1;
  for (int64_t i = 0; i < count; ++i)
    blob.insert(blob.end(), raw.begin(), raw.end());
  return success();
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
  blob.resize(llvm::alignTo(blob.size(), alignment));
  int64_t offset = blob.size();
  FailureOr<int64_t> size = checkedByteSize(global.getType());
  if (failed(size) || uint64_t(offset + *size) > rt::maxDataCacheSize)
    return global.emitError("elements of ")
           << value.getType() << " make constants larger than "
           << rt::maxDataCacheSize << " bytes together";
  if (failed(appendElements(value, blob)))
    return global.emitError("elements of ")
           << value.getType() << " cannot be extracted";
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
  blob.resize(llvm::alignTo(std::max<size_t>(blob.size(), 1), alignment));
  OpBuilder builder(&getContext());
  auto blobType =
      MemRefType::get({baseOffset + int64_t(blob.size())}, builder.getI8Type());
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

  auto attrType =
      RankedTensorType::get({int64_t(blob.size())}, builder.getI8Type());
  module->setAttr(
      dataCacheAttrName,
      DenseResourceElementsAttr::get(
          attrType, "data_cache",
          HeapAsmResourceBlob::allocateAndCopyWithAlign(blob, alignment)));
}

} // namespace nnhal
