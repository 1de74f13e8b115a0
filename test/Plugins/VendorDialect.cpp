//===- VendorDialect.cpp - A dialect of a plug-in, and its lowering -------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plug-in of nnhal-opt with a dialect, `vendor`, and a pass that lowers it to
// the dialect nnhal:
//
//   %0 = "vendor.twice"(%x) : (tensor<4xf32>) -> tensor<4xf32>
//
//===----------------------------------------------------------------------===//

#include "nnhal/Dialect/NNHal/IR/NNHalOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

using namespace mlir;

namespace {
class TwiceOp
    : public Op<TwiceOp, OpTrait::ZeroRegions, OpTrait::ZeroSuccessors,
                OpTrait::OneResult, OpTrait::OneOperand,
                OpTrait::SameOperandsAndResultType> {
public:
  using Op::Op;
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TwiceOp)

  static ArrayRef<StringRef> getAttributeNames() { return {}; }
  static StringRef getOperationName() { return "vendor.twice"; }
  LogicalResult verify() {
    auto type = dyn_cast<RankedTensorType>(getOperand().getType());
    if (type && type.getElementType().isF32())
      return success();
    return emitOpError("operand is of type ")
           << getOperand().getType() << ", expected a tensor of f32";
  }
};

class VendorDialect final : public Dialect {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(VendorDialect)

  explicit VendorDialect(MLIRContext *context)
      : Dialect(getDialectNamespace(), context, TypeID::get<VendorDialect>()) {
    addOperations<TwiceOp>();
  }
  static constexpr StringLiteral getDialectNamespace() { return "vendor"; }
};

/// vendor.twice -> nnhal.operation "ADD"
class LowerVendor final
    : public PassWrapper<LowerVendor, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerVendor)

  StringRef getArgument() const override { return "lower-vendor"; }
  StringRef getDescription() const override {
    return "Lower the dialect vendor to operations of the HAL";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<nnhal::NNHalDialect>();
  }
  void runOnOperation() override {
    getOperation().walk([](TwiceOp op) {
      OpBuilder builder(op);
      Value none = nnhal::ConstantCopyOp::create(
          builder, op.getLoc(), builder.getI32Type(),
          builder.getI32IntegerAttr(0), IntegerAttr(), IntegerAttr());
      Value input = op.getOperand();
      auto sum = nnhal::OperationOp::create(
          builder, op.getLoc(), TypeRange(input.getType()), "ADD",
          ValueRange{input, input, none}, DenseI32ArrayAttr());
      op->replaceAllUsesWith(sum);
      op.erase();
    });
  }
};
} // namespace

extern "C" DialectPluginLibraryInfo mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Vendor", "1.0",
          [](DialectRegistry *registry) { registry->insert<VendorDialect>(); }};
}

extern "C" PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Vendor", "1.0",
          [] { PassRegistration<LowerVendor>(); }};
}
