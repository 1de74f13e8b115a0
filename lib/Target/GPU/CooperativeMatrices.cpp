//===- CooperativeMatrices.cpp - Products of matrices in SPIR-V -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CooperativeMatrices.h"

#include "KernelPreparation.h"
#include "Tiles.h"

#include "mlir/Conversion/GPUToSPIRV/GPUToSPIRV.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVEnums.h"

using namespace mlir;
using nnhal::nngpu::MatrixTile;

//===----------------------------------------------------------------------===//
// Which matrices there are
//===----------------------------------------------------------------------===//

/// Whether \p type is no matrix, or one that the runtime asks devices for.
static bool isKnown(Type type) {
  auto matrix = dyn_cast<gpu::MMAMatrixType>(type);
  if (!matrix)
    return true;
  if (matrix.getShape() !=
      ArrayRef<int64_t>{MatrixTile::side, MatrixTile::side})
    return false;
  Type element = matrix.getElementType();
  if (matrix.getOperand() == "COp")
    return element.isF32() || element.isInteger(32);
  return element.isF16() || element.isSignedInteger(8);
}

/// Whether \p op is about other matrices, or multiplies what no device does.
static bool isOther(Operation *op) {
  if (auto compute = dyn_cast<gpu::SubgroupMmaComputeOp>(op)) {
    auto elementOf = [](Value matrix) {
      return cast<gpu::MMAMatrixType>(matrix.getType()).getElementType();
    };
    bool isFloat = elementOf(compute.getOpC()).isF32();
    if (elementOf(compute.getOpA()) != elementOf(compute.getOpB()) ||
        elementOf(compute.getOpA()).isF16() != isFloat)
      return true;
  }
  return !llvm::all_of(op->getOperandTypes(), isKnown) ||
         !llvm::all_of(op->getResultTypes(), isKnown);
}

LogicalResult nnhal::checkCooperativeMatrices(gpu::GPUFuncOp kernel) {
  return checkOperations(kernel, "SPIR-V", isOther);
}

//===----------------------------------------------------------------------===//
// Conversion
//===----------------------------------------------------------------------===//

namespace {
/// A product whose integers are signed, which instructions say, and not types:
/// upstream's pattern says nothing.
struct ConvertCompute : OpConversionPattern<gpu::SubgroupMmaComputeOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(gpu::SubgroupMmaComputeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    using enum spirv::CooperativeMatrixOperandsKHR;
    auto sum = cast<gpu::MMAMatrixType>(op.getType());
    spirv::CooperativeMatrixOperandsKHRAttr operands;
    if (sum.getElementType().isInteger())
      operands = spirv::CooperativeMatrixOperandsKHRAttr::get(
          rewriter.getContext(), ASigned | BSigned | CSigned | ResultSigned);
    rewriter.replaceOpWithNewOp<spirv::KHRCooperativeMatrixMulAddOp>(
        op, adaptor.getOpC().getType(), adaptor.getOpA(), adaptor.getOpB(),
        adaptor.getOpC(), operands);
    return success();
  }
};
} // namespace

void nnhal::populateCooperativeMatrixPatterns(SPIRVTypeConverter &converter,
                                              RewritePatternSet &patterns) {
  populateMMAToSPIRVCoopMatrixTypeConversion(converter);
  populateGpuWMMAToSPIRVCoopMatrixKHRConversionPatterns(converter, patterns);
  patterns.add<ConvertCompute>(converter, patterns.getContext(),
                               /*benefit=*/2);
}

//===----------------------------------------------------------------------===//
// The memory model of Vulkan
//===----------------------------------------------------------------------===//

/// Whether \p pointer is into an array that a workgroup shares.
static bool isShared(Value pointer) {
  return cast<spirv::PointerType>(pointer.getType()).getStorageClass() ==
         spirv::StorageClass::Workgroup;
}

void nnhal::useVulkanMemoryModel(spirv::ModuleOp module) {
  MLIRContext *context = module.getContext();
  WalkResult found = module.walk([](spirv::KHRCooperativeMatrixMulAddOp) {
    return WalkResult::interrupt();
  });
  if (!found.wasInterrupted())
    return;
  module.setMemoryModelAttr(
      spirv::MemoryModelAttr::get(context, spirv::MemoryModel::Vulkan));
  auto nonPrivate = spirv::MemoryAccessAttr::get(
      context, spirv::MemoryAccess::NonPrivatePointer);
  auto device = spirv::ScopeAttr::get(context, spirv::Scope::Device);
  // The scope of the device would need a capability of its own, and all
  // invocations of a program are of one queue.
  auto family = spirv::ScopeAttr::get(context, spirv::Scope::QueueFamily);
  module.walk([&](Operation *op) {
    if (auto load = dyn_cast<spirv::LoadOp>(op)) {
      if (isShared(load.getPtr()))
        load.setMemoryAccessAttr(nonPrivate);
    } else if (auto store = dyn_cast<spirv::StoreOp>(op)) {
      if (isShared(store.getPtr()))
        store.setMemoryAccessAttr(nonPrivate);
    } else if (auto matrix = dyn_cast<spirv::KHRCooperativeMatrixLoadOp>(op)) {
      if (isShared(matrix.getPointer()))
        matrix.setMemoryOperandAttr(nonPrivate);
    } else if (auto sums = dyn_cast<spirv::KHRCooperativeMatrixStoreOp>(op)) {
      if (isShared(sums.getPointer()))
        sums.setMemoryOperandAttr(nonPrivate);
    } else if (auto barrier = dyn_cast<spirv::ControlBarrierOp>(op)) {
      barrier.setMemorySemantics(barrier.getMemorySemantics() |
                                 spirv::MemorySemantics::MakeAvailable |
                                 spirv::MemorySemantics::MakeVisible);
    } else if (op->getAttr("memory_scope") == device) {
      op->setAttr("memory_scope", family);
    }
  });
}
