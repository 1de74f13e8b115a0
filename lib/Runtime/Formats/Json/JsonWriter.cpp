//===- JsonWriter.cpp - Model to model JSON -------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JsonValues.h"
#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/JsonModel.h"

#include <new>

namespace nnhal::rt {

namespace {

class ModelWriter {
public:
  explicit ModelWriter(const Model &model) : model(model) {}

  Result<std::string> write();

private:
  void numberPools();
  Status writeSubgraph(const Subgraph &subgraph);
  Status writeOperand(const Operand &operand);
  Status writeOperandData(const Operand &operand);
  Status writeConstant(const Operand &operand);
  Status writeOperation(const Operation &operation);
  void writeExtraParams(const Operand &operand);
  void writeLocation(uint32_t poolIndex, const DataLocation &location);
  void writeIndices(std::span<const uint32_t> indices);
  void writeExtensions();
  void writePools();
  Result<std::string> extensionName(uint32_t code);

  template <typename... Args>
  void append(fmt::format_string<Args...> format, Args &&...args) {
    fmt::format_to(std::back_inserter(text), format,
                   std::forward<Args>(args)...);
  }
  /// Throws when \p string is not UTF-8.
  static std::string quoted(std::string_view string) {
    return nlohmann::json(string).dump();
  }

  const Model &model;
  std::string text;
  /// Position of each file-backed pool among those; pools without a file are
  /// stated inline.
  std::vector<uint32_t> poolNumbers;
  /// A CONSTANT_COPY points into the blob, which has to be written then.
  bool needsOperandValues = false;
};

Result<std::string> ModelWriter::extensionName(uint32_t code) {
  for (const ExtensionNameAndPrefix &extension : model.extensionNameToPrefix)
    if (extension.prefix == code >> 16)
      return fmt::format("{}:{}", extension.name, code & 0xFFFF);
  return badData("extension prefix {} has no name", code >> 16);
}

void ModelWriter::numberPools() {
  uint32_t number = 0;
  for (const Pool &pool : model.pools)
    poolNumbers.push_back(pool.file.empty() ? 0 : number++);
}

void ModelWriter::writeIndices(std::span<const uint32_t> indices) {
  append("[{}]", fmt::join(indices, ","));
}

void ModelWriter::writeLocation(uint32_t poolIndex,
                                const DataLocation &location) {
  append(R"(,"location":{{"poolIndex":{},"offset":{},"length":{}}})", poolIndex,
         location.offset, location.length);
}

Status ModelWriter::writeConstant(const Operand &operand) {
  const DataLocation &location = operand.location;
  NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> bytes,
                         constantBytes(model, operand));
  bool isReference = operand.lifetime == OperandLifeTime::CONSTANT_REFERENCE;
  if (isReference && !model.pools[location.poolIndex].file.empty()) {
    writeLocation(poolNumbers[location.poolIndex], location);
    return Status::ok();
  }
  uint32_t elementSize = valueElementSize(operand.type);
  if (bytes.size() % elementSize == 0) {
    text += ",\"value\":";
    writeValues(bytes, operand.type, text);
    return Status::ok();
  }
  if (isReference)
    return badData("length {} of a constant {} must be a multiple of {}",
                   location.length, nameOf(operand.type), elementSize);
  needsOperandValues = true;
  writeLocation(0, location);
  return Status::ok();
}

Status ModelWriter::writeOperandData(const Operand &operand) {
  const DataLocation &location = operand.location;
  if (isConstant(operand.lifetime))
    return writeConstant(operand);
  if (operand.lifetime == OperandLifeTime::SUBGRAPH &&
      location.poolIndex == 0 && location.length == 0)
    append(",\"value\":{}", location.offset);
  else if (location != DataLocation())
    writeLocation(location.poolIndex, location);
  return Status::ok();
}

void ModelWriter::writeExtraParams(const Operand &operand) {
  if (const auto *params =
          std::get_if<SymmPerChannelQuantParams>(&operand.extraParams)) {
    text += ",\"channelQuant\":{\"scales\":";
    writeValues(std::as_bytes(std::span(params->scales)),
                OperandType::TENSOR_FLOAT32, text);
    append(",\"channelDim\":{}}}", params->channelDim);
  } else if (const auto *params =
                 std::get_if<ExtensionParams>(&operand.extraParams)) {
    append(",\"extension\":\"{}\"", encodeBase64(params->bytes));
  }
}

Status ModelWriter::writeOperand(const Operand &operand) {
  std::string type = nameOf(operand.type);
  if (isExtension(operand.type)) {
    NNHAL_ASSIGN_OR_RETURN(type, extensionName(uint32_t(operand.type)));
  } else if (!lookUp(operand.type)) {
    return badData("type {} has no name", type);
  }
  if (uint32_t(operand.lifetime) > uint32_t(OperandLifeTime::SUBGRAPH))
    return badData("lifetime {} has no name", uint32_t(operand.lifetime));

  append("{{\"type\":{},\"dimensions\":", quoted(type));
  writeIndices(operand.dimensions);
  if (operand.scale != 0.0f) {
    text += ",\"scale\":";
    writeFloat(operand.scale, text);
  }
  if (operand.zeroPoint != 0)
    append(",\"zeroPoint\":{}", operand.zeroPoint);
  append(",\"lifetime\":\"{}\"", toString(operand.lifetime));
  NNHAL_RETURN_IF_ERROR(writeOperandData(operand));
  writeExtraParams(operand);
  text += '}';
  return Status::ok();
}

Status ModelWriter::writeOperation(const Operation &operation) {
  std::string type = nameOf(operation.type);
  if (isExtension(operation.type)) {
    NNHAL_ASSIGN_OR_RETURN(type, extensionName(uint32_t(operation.type)));
  } else if (!lookUp(operation.type) &&
             operation.type != OperationType::OEM_OPERATION) {
    return badData("operation {} has no name", type);
  }
  append("{{\"type\":{},\"inputs\":", quoted(type));
  writeIndices(operation.inputs);
  text += ",\"outputs\":";
  writeIndices(operation.outputs);
  text += '}';
  return Status::ok();
}

/// One operand or operation per line.
Status ModelWriter::writeSubgraph(const Subgraph &subgraph) {
  text += "{\"operands\":[";
  for (size_t index = 0; index < subgraph.operands.size(); ++index) {
    text += index ? ",\n" : "\n";
    Status status = writeOperand(subgraph.operands[index]);
    if (!status.isOk())
      return std::move(status).withContext(fmt::format("operand {}", index));
  }
  text += "],\n\"operations\":[";
  for (size_t index = 0; index < subgraph.operations.size(); ++index) {
    text += index ? ",\n" : "\n";
    Status status = writeOperation(subgraph.operations[index]);
    if (!status.isOk())
      return std::move(status).withContext(fmt::format("operation {}", index));
  }
  text += "],\n\"inputIndexes\":";
  writeIndices(subgraph.inputIndexes);
  text += ",\"outputIndexes\":";
  writeIndices(subgraph.outputIndexes);
  text += '}';
  return Status::ok();
}

void ModelWriter::writeExtensions() {
  text += ",\n\"extensionNameToPrefix\":[";
  bool isFirst = true;
  for (const ExtensionNameAndPrefix &extension : model.extensionNameToPrefix) {
    append("{}{{\"name\":{},\"prefix\":{}}}", isFirst ? "" : ",",
           quoted(extension.name), extension.prefix);
    isFirst = false;
  }
  text += ']';
}

void ModelWriter::writePools() {
  std::string_view separator = ",\n\"pools\":[";
  for (const Pool &pool : model.pools) {
    if (pool.file.empty())
      continue;
    append("{}{{\"name\":{},\"file\":{},\"offset\":{},\"size\":{}}}", separator,
           quoted(pool.name), quoted(pool.file), pool.fileOffset,
           pool.memory.size());
    separator = ",";
  }
  if (separator == ",")
    text += ']';
}

Result<std::string> ModelWriter::write() {
  numberPools();
  append("{{\"halVersion\":\"{}\","
         "\"relaxComputationFloat32toFloat16\":{},\n\"main\":",
         toString(model.halVersion), model.relaxComputationFloat32toFloat16);
  NNHAL_RETURN_IF_ERROR(writeSubgraph(model.main).withContext("main"));
  text += ",\n\"referenced\":[";
  for (size_t index = 0; index < model.referenced.size(); ++index) {
    text += index ? ",\n" : "\n";
    Status status = writeSubgraph(model.referenced[index]);
    if (!status.isOk())
      return std::move(status).withContext(
          fmt::format("referenced[{}]", index));
  }
  text += ']';
  writeExtensions();
  writePools();
  if (needsOperandValues)
    append(",\n\"operandValues\":\"{}\"", encodeBase64(model.operandValues));
  text += "}\n";
  return std::move(text);
}

} // namespace

Result<std::string> writeJsonModel(const Model &model) {
  try {
    return ModelWriter(model).write();
  } catch (const std::bad_alloc &) {
    return outOfResources("no memory for the model's JSON");
  } catch (const nlohmann::json::exception &) {
    return badData("an extension, pool or file name is not UTF-8");
  }
}

} // namespace nnhal::rt
