//===- ImportTesting.cpp - What the import tests share --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ImportTesting.h"

#include <fmt/ranges.h>

#include <cstdlib>
#include <fstream>
#include <functional>

namespace nnhal::rt {

/// Leaves \p bytes in the folder NNHAL_FUZZ_SEEDS, where
/// scripts/make-fuzz-seeds collects what the tests import.
static void keepAsSeed(const std::vector<std::byte> &bytes) {
  const char *folder = std::getenv("NNHAL_FUZZ_SEEDS");
  if (!folder)
    return;
  std::string_view text(reinterpret_cast<const char *>(bytes.data()),
                        bytes.size());
  std::ofstream file(
      fmt::format("{}/{:016x}", folder, std::hash<std::string_view>()(text)),
      std::ios::binary);
  file << text;
  EXPECT_TRUE(file.flush()) << "cannot write a seed to " << folder;
}

AnnotatedModel importBytes(const std::vector<std::byte> &bytes,
                           const TFLiteImportOptions &options) {
  keepAsSeed(bytes);
  Result<AnnotatedModel> model = importTFLite(Memory::copy(bytes), options);
  EXPECT_TRUE(model.isOk()) << model.status().message();
  return model.isOk() ? *std::move(model) : AnnotatedModel();
}

std::string importError(const std::vector<std::byte> &bytes,
                        const TFLiteImportOptions &options) {
  keepAsSeed(bytes);
  Result<AnnotatedModel> model = importTFLite(Memory::copy(bytes), options);
  return model.isOk() ? "imported" : model.status().message();
}

std::string halImportError(const std::vector<std::byte> &bytes) {
  TFLiteImportOptions options;
  options.useExtensions = false;
  return importError(bytes, options);
}

static std::string operandText(const AnnotatedModel &model, uint32_t index) {
  const Operand &operand = model.model.main.operands[index];
  if (operand.lifetime == OperandLifeTime::NO_VALUE)
    return "-";
  if (isConstant(operand.lifetime)) {
    switch (operand.type) {
    case OperandType::INT32:
      return fmt::format("{}", valuesOf<int32_t>(model, index)[0]);
    case OperandType::FLOAT32:
      return fmt::format("{}f", valuesOf<float>(model, index)[0]);
    case OperandType::FLOAT16:
      return fmt::format("{:#x}h", valuesOf<uint16_t>(model, index)[0]);
    case OperandType::BOOL:
      return valuesOf<uint8_t>(model, index)[0] ? "true" : "false";
    case OperandType::TENSOR_INT32:
      return fmt::format("{{{}}}",
                         fmt::join(valuesOf<int32_t>(model, index), " "));
    default:
      break;
    }
  }
  const char *role = isConstant(operand.lifetime)                          ? "c"
                     : operand.lifetime == OperandLifeTime::SUBGRAPH_INPUT ? "i"
                     : operand.lifetime == OperandLifeTime::SUBGRAPH_OUTPUT
                         ? "o"
                         : "t";
  std::string text =
      fmt::format("{}{}", role, fmt::join(operand.dimensions, "x"));
  if (isExtension(operand.type))
    text += fmt::format(":{}", uint16_t(operand.type));
  return text;
}

static std::string operationText(OperationType type) {
  if (!isExtension(type))
    return std::string(nameOf(type));
  return fmt::format("tflite:{}",
                     schema::EnumNameBuiltinOperator(Code(uint16_t(type))));
}

std::string toText(const AnnotatedModel &model) {
  std::string text;
  for (const Operation &operation : model.model.main.operations) {
    std::vector<std::string> inputs, outputs;
    for (uint32_t index : operation.inputs)
      inputs.push_back(operandText(model, index));
    for (uint32_t index : operation.outputs)
      outputs.push_back(operandText(model, index));
    text += fmt::format("{}({}) -> {}\n", operationText(operation.type),
                        fmt::join(inputs, ", "), fmt::join(outputs, ", "));
  }
  return text;
}

} // namespace nnhal::rt
