//===- RoutineSignature.cpp - Signatures of routines ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RoutineSignature.h"

#include "RoutineSignature_generated.h"

#include "Runtime/Support/Errors.h"

#include <cstring>

using namespace nnhal::rt;

std::optional<uint32_t> nnhal::rt::routineSlot(OperationType type) {
  switch (type) {
#define NNHAL_ROUTINE(SLOT, OPERATION, WHY)                                    \
  case OperationType::OPERATION:                                               \
    return SLOT;
#include "Routines.def"

  default:
    return std::nullopt;
  }
}

using Builder = flatbuffers::FlatBufferBuilder;

static flatbuffers::Offset<signature::Operand>
writeOperand(Builder &builder, const OperandView &operand) {
  const TensorType &type = operand.type;
  auto dimensions = builder.CreateVector(type.dimensions);
  auto scales = builder.CreateVector(type.channelQuant.scales);
  flatbuffers::Offset<flatbuffers::Vector<uint8_t>> value;
  if (operand.value)
    value = builder.CreateVector(
        reinterpret_cast<const uint8_t *>(operand.value->data()),
        operand.value->size());
  auto data = builder.CreateVector(operand.extensionData.data(),
                                   operand.extensionData.size());
  return signature::CreateOperand(
      builder, uint32_t(type.type), operand.isOmitted, type.isRanked,
      dimensions, type.scale, type.zeroPoint, type.channelQuant.channelDim,
      scales, operand.value.has_value(), value, data);
}

static auto writeOperands(Builder &builder,
                          const std::vector<OperandView> &operands) {
  std::vector<flatbuffers::Offset<signature::Operand>> offsets;
  offsets.reserve(operands.size());
  for (const OperandView &operand : operands)
    offsets.push_back(writeOperand(builder, operand));
  return builder.CreateVector(offsets);
}

std::vector<uint8_t>
nnhal::rt::writeRoutineSignature(const OperationView &operation,
                                 std::span<const std::string> extensions) {
  Builder builder;
  flatbuffers::Offset<flatbuffers::String> name;
  std::vector<flatbuffers::Offset<flatbuffers::String>> others;
  for (const std::string &extension : extensions)
    if (name.IsNull())
      name = builder.CreateString(extension);
    else
      others.push_back(builder.CreateString(extension));
  auto otherNames = builder.CreateVector(others);
  auto inputs = writeOperands(builder, operation.inputs);
  auto outputs = writeOperands(builder, operation.outputs);
  signature::FinishSignatureBuffer(
      builder, signature::CreateSignature(builder, uint32_t(operation.type),
                                          inputs, outputs, name, otherNames));
  return {builder.GetBufferPointer(),
          builder.GetBufferPointer() + builder.GetSize()};
}

static OperandView readOperand(const signature::Operand &operand) {
  OperandView view;
  view.type.type = OperandType(operand.type());
  view.type.isRanked = operand.is_ranked();
  if (const auto *dimensions = operand.dimensions();
      dimensions && dimensions->size() != 0) {
    // The verifier lets elements of 8 bytes lie at multiples of 4.
    view.type.dimensions.resize(dimensions->size());
    std::memcpy(view.type.dimensions.data(), dimensions->Data(),
                dimensions->size() * sizeof(int64_t));
  }
  view.type.scale = operand.scale();
  view.type.zeroPoint = operand.zero_point();
  view.type.channelQuant.channelDim = operand.channel_dim();
  if (operand.channel_scales())
    view.type.channelQuant.scales.assign(operand.channel_scales()->begin(),
                                         operand.channel_scales()->end());
  view.isOmitted = operand.is_omitted();
  if (operand.has_value() && operand.value())
    view.value = std::as_bytes(
        std::span(operand.value()->data(), operand.value()->size()));
  if (operand.extension_data())
    view.extensionData = {operand.extension_data()->data(),
                          operand.extension_data()->size()};
  return view;
}

Result<RoutineSignature>
nnhal::rt::readRoutineSignature(std::span<const uint8_t> bytes) {
  flatbuffers::Verifier verifier(bytes.data(), bytes.size());
  if (!signature::VerifySignatureBuffer(verifier))
    return badData("{} bytes are not a signature of a routine of the runtime",
                   bytes.size());
  const signature::Signature &root = *signature::GetSignature(bytes.data());
  RoutineSignature result;
  result.operation.type = OperationType(root.operation());
  if (root.extension())
    result.extension = root.extension()->string_view();
  if (root.other_extensions())
    for (const flatbuffers::String *other : *root.other_extensions())
      result.otherExtensions.push_back(other->string_view());
  if (root.inputs())
    for (const signature::Operand *operand : *root.inputs()) {
      OperandView view = readOperand(*operand);
      if (!view.isOmitted && !view.value)
        result.arguments.push_back(result.operation.inputs.size());
      result.operation.inputs.push_back(std::move(view));
    }
  if (root.outputs())
    for (const signature::Operand *operand : *root.outputs())
      result.operation.outputs.push_back(readOperand(*operand));
  return result;
}
