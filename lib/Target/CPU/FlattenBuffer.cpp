//===- FlattenBuffer.cpp - Buffers as one row -----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FlattenBuffer.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

Value nnhal::flattenBuffer(OpBuilder &builder, Location loc, Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  if (auto view = buffer.getDefiningOp<memref::ViewOp>())
    return memref::ViewOp::create(
        builder, loc,
        MemRefType::get({type.getNumElements()}, type.getElementType(),
                        MemRefLayoutAttrInterface(), type.getMemorySpace()),
        view.getSource(), view.getByteShift(), /*sizes=*/ValueRange());
  ReassociationIndices all =
      llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  return memref::CollapseShapeOp::create(builder, loc, buffer,
                                         ArrayRef<ReassociationIndices>(all));
}

bool nnhal::namesInOrder(AffineMap map, ArrayRef<int64_t> extents) {
  if (!map.isProjectedPermutation())
    return false;
  int64_t last = -1;
  for (AffineExpr result : map.getResults()) {
    int64_t dim = cast<AffineDimExpr>(result).getPosition();
    if (dim <= last)
      return false;
    last = dim;
  }
  for (auto [dim, extent] : llvm::enumerate(extents))
    if (extent != 1 && !map.isFunctionOfDim(unsigned(dim)))
      return false;
  return true;
}
