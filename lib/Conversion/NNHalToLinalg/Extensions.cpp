//===- Extensions.cpp - Operations of extensions --------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operation of an extension that no dialect of the compiler lowers becomes a
// call of the runtime's routine of extensions, which calls the extension's
// backend. Values of extension types are integers of the size of an element.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "Runtime/Artifact/RoutineSignature.h"
#include "nnhal/Backend/ExtensionBackend.h"
#include "nnhal/Dialect/NNHal/IR/DiscardableAttributes.h"
#include "nnhal/Dialect/NNHal/IR/HalForm.h"
#include "nnhal/Dialect/NNHal/IR/NNHalOps.h"
#include "nnhal/Dialect/NNHal/IR/OperandTypes.h"
#include "nnhal/Dialect/Runtime/RuntimeOps.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;
using namespace nnhal;

namespace {
/// The description of one operand for the backend.
struct Operand {
  rt::OperandView view;
  /// The extension data and the value that the view refers to.
  rt::Operand stated;
  std::vector<uint8_t> value;
};
} // namespace

static rt::Result<Operand>
describeOperand(Type type,
                std::span<const rt::ExtensionNameAndPrefix> extension) {
  Operand operand;
  NNHAL_ASSIGN_OR_RETURN(operand.stated, operandOfType(type, extension));
  operand.view.type = rt::TensorType::of(operand.stated);
  rt::TensorType &described = operand.view.type;
  described.isRanked |= !isa<TensorType>(type);
  // An operand does not tell extent 0 from an unknown one.
  if (auto ranked = dyn_cast<RankedTensorType>(type))
    for (auto [index, extent] : llvm::enumerate(ranked.getShape()))
      described.dimensions[index] =
          ShapedType::isDynamic(extent) ? rt::unknownExtent : extent;
  return operand;
}

/// The value of a constant scalar goes into the signature.
static rt::Status settleScalar(Value value, Operand &operand) {
  Attribute constant = definingConstant(value);
  if (isa<TensorType>(value.getType()) || !constant)
    return rt::Status::ok();
  NNHAL_RETURN_IF_ERROR(appendBytes(constant, operand.value));
  operand.view.value = std::as_bytes(std::span(operand.value));
  return rt::Status::ok();
}

static void referToData(Operand &operand) {
  if (const auto *data =
          std::get_if<rt::ExtensionParams>(&operand.stated.extraParams))
    operand.view.extensionData = data->bytes;
}

/// The extension of \p op and those whose types its operands have, with the
/// prefixes that a signature gives them.
static std::vector<rt::ExtensionNameAndPrefix> extensionsOf(OperationOp op) {
  std::vector<rt::ExtensionNameAndPrefix> extensions;
  auto add = [&](StringRef name) {
    if (llvm::none_of(extensions,
                      [&](const auto &known) { return known.name == name; }))
      extensions.push_back(
          {name.str(), uint16_t(rt::ownExtensionPrefix + extensions.size())});
  };
  add(op.getHalOperation().getExtension());
  auto addTypes = [&](TypeRange types) {
    for (Type type : types)
      if (auto extension = dyn_cast<ExtensionType>(getElementTypeOrSelf(type)))
        add(extension.getName());
  };
  addTypes(op.getInputs().getTypes());
  addTypes(op->getResultTypes());
  return extensions;
}

static rt::Result<std::vector<uint8_t>> signatureOf(OperationOp op) {
  HalOperationAttr operation = op.getHalOperation();
  const std::vector<rt::ExtensionNameAndPrefix> own = extensionsOf(op);
  rt::OperationView view;
  view.type = rt::ownOperation(uint16_t(operation.getCode()));
  std::vector<Operand> operands;
  operands.reserve(op.getInputs().size() + op->getNumResults());
  for (Value input : op.getInputs()) {
    NNHAL_ASSIGN_OR_RETURN(Operand described,
                           describeOperand(input.getType(), own));
    Operand &operand = operands.emplace_back(std::move(described));
    operand.view.isOmitted = bool(input.getDefiningOp<NoValueOp>());
    NNHAL_RETURN_IF_ERROR(settleScalar(input, operand));
    referToData(operand);
    view.inputs.push_back(operand.view);
  }
  for (Type type : op->getResultTypes()) {
    NNHAL_ASSIGN_OR_RETURN(Operand described, describeOperand(type, own));
    Operand &operand = operands.emplace_back(std::move(described));
    referToData(operand);
    view.outputs.push_back(operand.view);
  }
  std::vector<std::string> names;
  names.reserve(own.size());
  for (const rt::ExtensionNameAndPrefix &extension : own)
    names.push_back(extension.name);
  return rt::writeRoutineSignature(view, names);
}

/// Whether the runtime has a backend for the extension of \p op.
static bool isCalled(OperationOp op) {
  auto module = op->getParentOfType<ModuleOp>();
  auto names = module
                   ? module->getAttrOfType<ArrayAttr>(calledExtensionsAttrName)
                   : ArrayAttr();
  return names &&
         llvm::is_contained(names.getAsValueRange<StringAttr>(),
                            StringRef(op.getHalOperation().getExtension()));
}

namespace {
/// nnhal.operation "com.example.ext:3" -> nnrt.call_routine.
struct ExtensionCallPattern : OpConversionPattern<OperationOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OperationOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op.getHalOperation().isExtension())
      return failure();
    if (!isCalled(op))
      return leave(op, "the runtime has no backend of its extension");
    SmallVector<Type> types;
    if (failed(getTypeConverter()->convertTypes(op->getResultTypes(), types)))
      return failure();
    for (auto [index, type] : llvm::enumerate(types))
      if (auto ranked = dyn_cast<RankedTensorType>(type);
          !ranked || !ranked.getElementType().isIntOrFloat())
        return leave(op, "result " + Twine(index) +
                             " is not a tensor of known rank and element size");
    rt::Result<std::vector<uint8_t>> signature = signatureOf(op);
    if (!signature.isOk())
      return leave(op, signature.status().message());
    FailureOr<SmallVector<Value>> inputs =
        argumentsOf(op, adaptor.getInputs(), rewriter);
    if (failed(inputs))
      return failure();
    rewriter.replaceOpWithNewOp<runtime::CallRoutineOp>(
        op, types, *inputs, rt::extensionRoutineSlot,
        ArrayRef(reinterpret_cast<const int8_t *>(signature->data()),
                 signature->size()),
        op->getAttrOfType<StringAttr>(callReasonAttrName));
    return success();
  }

private:
  /// Says why nothing will lower \p op.
  static LogicalResult leave(OperationOp op, const Twine &reason) {
    op.emitRemark(reason);
    return failure();
  }

  /// The inputs that the signature leaves out, scalars as tensors.
  static FailureOr<SmallVector<Value>>
  argumentsOf(OperationOp op, ValueRange converted,
              ConversionPatternRewriter &rewriter) {
    SmallVector<Value> arguments;
    for (auto [index, input] : llvm::enumerate(op.getInputs())) {
      Value value = converted[index];
      if (input.getDefiningOp<NoValueOp>())
        continue;
      if (auto ranked = dyn_cast<RankedTensorType>(value.getType())) {
        if (!ranked.getElementType().isIntOrFloat())
          return leave(op, "input " + Twine(index) +
                               " has elements of no known size");
        arguments.push_back(value);
        continue;
      }
      if (!isa<TensorType>(value.getType()) && definingConstant(input))
        continue;
      if (!value.getType().isIntOrFloat())
        return leave(op, "input " + Twine(index) +
                             " is neither a scalar nor of known rank");
      arguments.push_back(tensor::FromElementsOp::create(
          rewriter, op.getLoc(), RankedTensorType::get({}, value.getType()),
          ValueRange(value)));
    }
    return arguments;
  }
};

/// Where a graph begins and ends: its values are stored values from now on.
struct StoredCastPattern : OpConversionPattern<UnrealizedConversionCastOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(UnrealizedConversionCastOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, adaptor.getInputs());
    return success();
  }
};
} // namespace

void nnhal::populateExtensionPatterns(TypeConverter &converter,
                                      RewritePatternSet &patterns,
                                      ConversionTarget &target) {
  auto isOfExtension = [](Type type) {
    return isa<ExtensionType>(getElementTypeOrSelf(type));
  };
  converter.addConversion([=](Type type) -> std::optional<Type> {
    if (!isOfExtension(type))
      return std::nullopt;
    Type storage = storageTypeOf(type);
    return storage ? storage : type;
  });
  target.addDynamicallyLegalOp<UnrealizedConversionCastOp>([=](Operation *op) {
    return llvm::none_of(op->getOperandTypes(), isOfExtension) &&
           llvm::none_of(op->getResultTypes(), isOfExtension);
  });
  // Above the patterns of the HAL's operations, which this is none of.
  patterns.add<ExtensionCallPattern>(converter, patterns.getContext(),
                                     /*benefit=*/2);
  patterns.add<StoredCastPattern>(converter, patterns.getContext());
}
