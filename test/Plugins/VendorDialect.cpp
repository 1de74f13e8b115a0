//===- VendorDialect.cpp - The dialect of an extension, in a plug-in ------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plug-in of nnhal-opt with the dialect of an extension, com.example.vendor,
// whose operation 0 doubles a tensor of floats. The dialect's interface is all
// that the compiler needs: it verifies and raises
//
//   %0 = nnhal.operation "com.example.vendor:0"(%x)
//          : (tensor<4xf32>) -> tensor<4xf32>
//   %0 = "vendor.twice"(%x) : (tensor<4xf32>) -> tensor<4xf32>
//
// and lowers the latter to linalg.
//
//===----------------------------------------------------------------------===//

#include "nnhal/Dialect/NNHal/IR/ExtensionInterface.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Transforms/DialectConversion.h"

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

/// vendor.twice -> linalg.add of the operand to itself, for known extents.
struct TwiceLowering : ConversionPattern {
  TwiceLowering(const TypeConverter &converter, MLIRContext *context)
      : ConversionPattern(converter, TwiceOp::getOperationName(),
                          /*benefit=*/1, context) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    if (!type.hasStaticShape()) {
      op->emitRemark("its extents are unknown");
      return failure();
    }
    Value init = tensor::EmptyOp::create(
        rewriter, op->getLoc(), type.getShape(), type.getElementType());
    rewriter.replaceOpWithNewOp<linalg::AddOp>(
        op, TypeRange(type), ValueRange{operands.front(), operands.front()},
        ValueRange(init));
    return success();
  }
};

class VendorExtension final : public nnhal::NNHalExtensionInterface {
public:
  using NNHalExtensionInterface::NNHalExtensionInterface;

  StringRef getExtensionName() const override { return "com.example.vendor"; }

  LogicalResult verifyOperation(nnhal::OperationOp op) const override {
    uint32_t number = op.getHalOperation().getCode();
    if (number > 1)
      return op.emitOpError("com.example.vendor has no operation ") << number;
    if (op.getInputs().size() == 1 && op->getNumResults() == 1)
      return success();
    return op.emitOpError("has ")
           << op.getInputs().size() << " inputs and " << op->getNumResults()
           << " outputs, expected 1 and 1";
  }

  FailureOr<SmallVector<Value>> raise(nnhal::OperationOp op, OpBuilder &builder,
                                      std::string &reason) const override {
    if (op.getHalOperation().getCode() == 1) {
      reason = "operation 1 runs on the vendor's device alone";
      return failure();
    }
    OperationState state(op.getLoc(), TwiceOp::getOperationName(),
                         op.getInputs(), op->getResultTypes());
    Operation *twice = builder.create(state);
    return SmallVector<Value>(twice->getResults());
  }

  void populateLowering(const TypeConverter &converter,
                        RewritePatternSet &patterns,
                        ConversionTarget &) const override {
    patterns.add<TwiceLowering>(converter, patterns.getContext());
  }
};

class VendorDialect final : public Dialect {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(VendorDialect)

  explicit VendorDialect(MLIRContext *context)
      : Dialect(getDialectNamespace(), context, TypeID::get<VendorDialect>()) {
    addOperations<TwiceOp>();
    addInterfaces<VendorExtension>();
  }
  static constexpr StringLiteral getDialectNamespace() { return "vendor"; }
};
} // namespace

extern "C" DialectPluginLibraryInfo mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Vendor", "1.0",
          [](DialectRegistry *registry) {
            nnhal::registerExtension<VendorDialect>(*registry);
          }};
}
