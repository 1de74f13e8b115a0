//===- Widths.cpp - Integers with more or fewer bits ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Constants.h"
#include "ExtensionTypes.h"
#include "Graph.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>

namespace nnhal::rt::tflite {

uint32_t Graph::addCast(uint32_t from, OperandType type,
                        schema::TensorType fromName,
                        schema::TensorType toName) {
  Operand result;
  result.type = type;
  result.dimensions = operand(from).dimensions;
  uint32_t to = addOperand(std::move(result));
  std::vector<uint32_t> inputs = {from};
  for (schema::TensorType name : {fromName, toName}) {
    auto number = int32_t(name);
    inputs.push_back(addConstant(OperandType::INT32, {},
                                 std::as_bytes(std::span(&number, 1))));
  }
  addOperation(extensionOperation(schema::BuiltinOperator::CAST),
               std::move(inputs), {to});
  return to;
}

Result<uint32_t> Graph::useAsStated(Tensor &tensor) {
  if (!tensor.is64Bit || tensor.type != OperandType::TENSOR_INT32)
    return use(tensor);
  if (tensor.wide)
    return *tensor.wide;
  if (tensor.isConstant) {
    Tensor wide = tensor;
    wide.type = tensorInt64;
    wide.expansion =
        tensor.isFolded ? Expansion::Int32ToInt64 : Expansion::None;
    NNHAL_ASSIGN_OR_RETURN(tensor.wide, makeConstant(wide));
    return *tensor.wide;
  }
  NNHAL_ASSIGN_OR_RETURN(uint32_t narrow, use(tensor));
  tensor.wide = addCast(narrow, tensorInt64, schema::TensorType::INT32,
                        schema::TensorType::INT64);
  return *tensor.wide;
}

uint32_t Graph::asNarrow(uint32_t index) {
  Tensor &source = tensor(index);
  if (source.type != tensorInt64 || source.isVariable || !source.operand)
    return index;
  auto [entry, isNew] =
      narrowIndices.try_emplace(index, uint32_t(tensors.size() + added.size()));
  if (isNew) {
    Tensor narrow = source;
    narrow.type = OperandType::TENSOR_INT32;
    narrow.sourceType = schema::TensorType::INT32;
    narrow.is64Bit = false;
    narrow.operand =
        addCast(*source.operand, OperandType::TENSOR_INT32,
                schema::TensorType::INT64, schema::TensorType::INT32);
    addTensor(std::move(narrow));
  }
  return entry->second;
}

Result<uint32_t> Graph::asIndices(uint32_t index) {
  Tensor &source = tensor(index);
  // The numbers of a type with a zero point are not those of the file, and a
  // variable has others later.
  bool isCast = source.type == OperandType::TENSOR_QUANT16_SYMM &&
                source.operand && !source.isVariable && usesExtension();
  if (source.sourceType != schema::TensorType::INT16 ||
      !(source.isConstant || isCast))
    return index;
  auto found = narrowIndices.find(index);
  if (found != narrowIndices.end())
    return found->second;
  Tensor wide = source;
  wide.type = OperandType::TENSOR_INT32;
  wide.sourceType = schema::TensorType::INT32;
  wide.scale = 0;
  wide.zeroPoint = 0;
  wide.isPlain = false;
  if (source.isConstant) {
    std::vector<std::byte> stored;
    NNHAL_RETURN_IF_ERROR(expandConstant(source, shared.constantLimit(), stored)
                              .withContext(describe(source)));
    std::vector<int16_t> values(stored.size() / sizeof(int16_t));
    std::ranges::copy(stored,
                      std::as_writable_bytes(std::span(values)).begin());
    std::vector<int32_t> widened(values.begin(), values.end());
    auto bytes = std::as_bytes(std::span(widened));
    wide.bytes = shared.keepFolded({bytes.begin(), bytes.end()});
    wide.isFolded = true;
    wide.operand.reset();
  } else {
    wide.operand =
        addCast(*source.operand, OperandType::TENSOR_INT32,
                schema::TensorType::INT16, schema::TensorType::INT32);
  }
  uint32_t added = addTensor(std::move(wide));
  narrowIndices.emplace(index, added);
  return added;
}

} // namespace nnhal::rt::tflite
