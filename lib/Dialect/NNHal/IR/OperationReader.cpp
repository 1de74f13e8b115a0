//===- OperationReader.cpp - Operations as the rules see them -------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Dialect/NNHal/IR/OperationReader.h"

#include "nnhal/Dialect/NNHal/IR/OperandTypes.h"
#include "nnhal/Dialect/NNHal/IR/TensorTypes.h"

using namespace mlir;
using namespace nnhal;

Attribute nnhal::definingConstant(Value value) {
  if (auto copy = value.getDefiningOp<ConstantCopyOp>())
    return copy.getValueAttr();
  if (auto constant = value.getDefiningOp<ConstantOp>())
    return constant.getValue();
  return nullptr;
}

rt::Result<rt::OperandView> OperationReader::read(Value value) {
  rt::OperandView view;
  if (FailureOr<rt::TensorType> tensor = toTensorType(value.getType());
      succeeded(tensor)) {
    view.type = *tensor;
  } else {
    NNHAL_ASSIGN_OR_RETURN(rt::Operand operand,
                           operandOfType(value.getType(), {}));
    view.type = rt::TensorType::of(operand);
    view.type.isRanked = true;
  }
  view.isOmitted = value.getDefiningOp<NoValueOp>() != nullptr;
  Attribute constant = definingConstant(value);
  if (!constant)
    return view;
  if (std::optional<ArrayRef<char>> data = borrowBytes(constant)) {
    view.value = std::as_bytes(std::span(data->data(), data->size()));
    return view;
  }
  std::vector<uint8_t> &bytes = storage.emplace_back();
  NNHAL_RETURN_IF_ERROR(appendBytes(constant, bytes));
  view.value = std::as_bytes(std::span(bytes));
  return view;
}

rt::Result<rt::OperationView> OperationReader::read(OperationOp op) {
  const rt::OperationInfo *info =
      rt::lookUpOperation(std::string_view(op.getHalName()));
  if (!info)
    return rt::badData("{} is no operation of the HAL", op.getHalName().str());
  rt::OperationView view;
  view.type = info->type;
  for (Value input : op.getInputs()) {
    NNHAL_ASSIGN_OR_RETURN(rt::OperandView operand, read(input));
    view.inputs.push_back(std::move(operand));
  }
  for (Value result : op->getResults()) {
    NNHAL_ASSIGN_OR_RETURN(rt::OperandView operand, read(result));
    view.outputs.push_back(std::move(operand));
  }
  return view;
}

/// \p stated with rank and extents of \p inferred where it has none.
static Type refined(Type stated, const rt::TensorType &inferred) {
  auto tensor = dyn_cast<TensorType>(stated);
  if (!tensor || !inferred.isRanked)
    return stated;
  SmallVector<int64_t> shape;
  for (int64_t extent : inferred.dimensions)
    shape.push_back(extent == rt::unknownExtent ? ShapedType::kDynamic
                                                : extent);
  if (tensor.hasRank() && tensor.getRank() == int64_t(shape.size()))
    for (auto [extent, known] : llvm::zip(shape, tensor.getShape()))
      if (!ShapedType::isDynamic(known))
        extent = known;
  return RankedTensorType::get(shape, tensor.getElementType());
}

rt::Status nnhal::refineResultTypes(OperationOp op) {
  OperationReader reader;
  NNHAL_ASSIGN_OR_RETURN(rt::OperationView view, reader.read(op));
  NNHAL_ASSIGN_OR_RETURN(rt::OperationFacts facts, rt::checkOperation(view));
  for (auto [result, type] : llvm::zip(op->getResults(), facts.results))
    result.setType(refined(result.getType(), type));
  return rt::Status::ok();
}
