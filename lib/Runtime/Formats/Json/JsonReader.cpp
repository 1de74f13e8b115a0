//===- JsonReader.cpp - Model JSON to model -------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JsonNode.h"
#include "JsonValues.h"
#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/JsonModel.h"

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <filesystem>
#include <new>
#include <sys/mman.h>
#include <system_error>

namespace nnhal::rt {

namespace {

/// Locations are 32-bit numbers.
constexpr int64_t maxUInt32 = std::numeric_limits<uint32_t>::max();

class ModelReader {
public:
  explicit ModelReader(const std::string &directory) : directory(directory) {}

  Result<Model> read(const JsonNode &root);

private:
  Status readExtensions(const JsonNode &node);
  Status readPools(const JsonNode &node);
  Result<Pool> readPool(const JsonNode &node);
  Result<UniqueFd> openPoolFile(const JsonNode &node, const std::string &name);
  Status readSubgraph(const JsonNode &node, Subgraph &subgraph);
  Result<Operand> readOperand(const JsonNode &node);
  Result<Operation> readOperation(const JsonNode &node);
  Status readExtraParams(const JsonNode &node, Operand &operand);
  Status readOperandData(const JsonNode &node, Operand &operand);
  Status readInlineConstant(const JsonNode &node, Operand &operand);
  Result<OperandType> readOperandType(const JsonNode &node);
  Result<OperationType> readOperationType(const JsonNode &node);
  Result<uint32_t> readExtensionCode(const JsonNode &node,
                                     const std::string &name);

  const std::string &directory;
  Model model;
  /// Values of CONSTANT_REFERENCE operands that are stated inline; they become
  /// the pool after those of the file.
  std::vector<uint8_t> inlinePool;
};

Result<std::vector<uint32_t>> readIndices(const JsonNode &node) {
  NNHAL_RETURN_IF_ERROR(node.checkArray());
  std::vector<uint32_t> indices;
  indices.reserve(node.size());
  for (size_t index = 0; index < node.size(); ++index) {
    NNHAL_ASSIGN_OR_RETURN(uint32_t element, node[index].toUInt32());
    indices.push_back(element);
  }
  return indices;
}

Result<HalVersion> readVersion(const JsonNode &node) {
  NNHAL_ASSIGN_OR_RETURN(std::string text, node.toString());
  std::optional<HalVersion> version = parseHalVersion(text);
  if (!version)
    return node.error(
        fmt::format("\"{}\" must be one of 1.0, 1.1, 1.2 and 1.3", text));
  return *version;
}

Result<OperandLifeTime> readLifetime(const JsonNode &node) {
  NNHAL_ASSIGN_OR_RETURN(std::string name, node.toString());
  for (uint32_t code = 0; code <= uint32_t(OperandLifeTime::SUBGRAPH); ++code)
    if (toString(OperandLifeTime(code)) == name)
      return OperandLifeTime(code);
  return node.error(fmt::format("\"{}\" is not a lifetime", name));
}

Result<DataLocation> readLocation(const JsonNode &node) {
  NNHAL_RETURN_IF_ERROR(node.checkObject({"poolIndex", "offset", "length"}));
  DataLocation location;
  NNHAL_ASSIGN_OR_RETURN(JsonNode poolIndex, node.require("poolIndex"));
  NNHAL_ASSIGN_OR_RETURN(location.poolIndex, poolIndex.toUInt32());
  NNHAL_ASSIGN_OR_RETURN(JsonNode offset, node.require("offset"));
  NNHAL_ASSIGN_OR_RETURN(location.offset, offset.toUInt32());
  NNHAL_ASSIGN_OR_RETURN(JsonNode length, node.require("length"));
  NNHAL_ASSIGN_OR_RETURN(location.length, length.toUInt32());
  return location;
}

/// "com.example.ext:3" is type or operation 3 of an extension. Fails when
/// \p name does not end so or the model does not name the extension.
Result<uint32_t> ModelReader::readExtensionCode(const JsonNode &node,
                                                const std::string &name) {
  size_t colon = name.rfind(':');
  std::string_view extension = std::string_view(name).substr(0, colon);
  std::string_view digits = std::string_view(name).substr(colon + 1);
  uint16_t number = 0;
  auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size())
    return node.error(fmt::format(
        "\"{}\" in \"{}\" must be a number from 0 to 65535", digits, name));
  for (const ExtensionNameAndPrefix &entry : model.extensionNameToPrefix) {
    if (entry.name != extension)
      continue;
    if (entry.prefix == 0)
      return node.error(fmt::format(
          "extension \"{}\" has prefix 0, which must be positive", extension));
    return uint32_t(entry.prefix) << 16 | number;
  }
  return node.error(fmt::format(
      "extension \"{}\" is not in extensionNameToPrefix", extension));
}

Result<OperandType> ModelReader::readOperandType(const JsonNode &node) {
  NNHAL_ASSIGN_OR_RETURN(std::string name, node.toString());
  if (const OperandTypeInfo *info = lookUpOperandType(name))
    return info->type;
  if (name.find(':') == name.npos)
    return node.error(fmt::format("\"{}\" is not an operand type", name));
  NNHAL_ASSIGN_OR_RETURN(uint32_t code, readExtensionCode(node, name));
  return OperandType(code);
}

Result<OperationType> ModelReader::readOperationType(const JsonNode &node) {
  NNHAL_ASSIGN_OR_RETURN(std::string name, node.toString());
  if (const OperationInfo *info = lookUpOperation(name))
    return info->type;
  if (name == nameOf(OperationType::OEM_OPERATION))
    return OperationType::OEM_OPERATION;
  if (name.find(':') == name.npos)
    return node.error(fmt::format("\"{}\" is not an operation", name));
  NNHAL_ASSIGN_OR_RETURN(uint32_t code, readExtensionCode(node, name));
  return OperationType(code);
}

Status ModelReader::readExtensions(const JsonNode &node) {
  NNHAL_RETURN_IF_ERROR(node.checkArray());
  for (size_t index = 0; index < node.size(); ++index) {
    JsonNode entry = node[index];
    NNHAL_RETURN_IF_ERROR(entry.checkObject({"name", "prefix"}));
    NNHAL_ASSIGN_OR_RETURN(JsonNode nameNode, entry.require("name"));
    NNHAL_ASSIGN_OR_RETURN(std::string name, nameNode.toString());
    NNHAL_ASSIGN_OR_RETURN(JsonNode prefixNode, entry.require("prefix"));
    NNHAL_ASSIGN_OR_RETURN(int64_t prefix, prefixNode.toInteger(0, 0xFFFF));
    model.extensionNameToPrefix.push_back(
        {std::move(name), static_cast<uint16_t>(prefix)});
  }
  return Status::ok();
}

/// Opens the file \p name of the member \p node. The path is resolved before it
/// is compared with the folder, and what is opened is the resolved path.
Result<UniqueFd> ModelReader::openPoolFile(const JsonNode &node,
                                           const std::string &name) {
  namespace fs = std::filesystem;
  if (fs::path(name).is_absolute())
    return node.error(fmt::format(
        "'{}' is absolute, it must be relative to the document's folder",
        name));
  fs::path path = fs::path(directory) / name;
  auto outside = [&] {
    return node.error(
        fmt::format("'{}' leaves the document's folder '{}'", name, directory));
  };
  // The name is checked before the system is asked about a file that may lie
  // outside.
  fs::path normal = fs::path(name).lexically_normal();
  if (!normal.empty() && *normal.begin() == "..")
    return outside();
  auto cannotOpen = [&](const std::error_code &error) {
    return node.error(
        fmt::format("cannot open '{}': {}", path.string(), error.message()));
  };
  std::error_code error;
  fs::path folder = fs::canonical(directory, error);
  fs::path file = error ? fs::path() : fs::canonical(path, error);
  if (error)
    return cannotOpen(error);
  if (std::mismatch(folder.begin(), folder.end(), file.begin(), file.end())
          .first != folder.end())
    return outside();
  // O_NONBLOCK: opening a pipe that nobody writes to would never return.
  UniqueFd fd(
      ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
  if (!fd.isValid())
    return cannotOpen({errno, std::generic_category()});
  return fd;
}

Result<Pool> ModelReader::readPool(const JsonNode &node) {
  NNHAL_RETURN_IF_ERROR(node.checkObject({"name", "file", "offset", "size"}));
  Pool pool;
  NNHAL_ASSIGN_OR_RETURN(JsonNode name, node.require("name"));
  NNHAL_ASSIGN_OR_RETURN(pool.name, name.toString());
  NNHAL_ASSIGN_OR_RETURN(JsonNode file, node.require("file"));
  NNHAL_ASSIGN_OR_RETURN(pool.file, file.toString());
  NNHAL_ASSIGN_OR_RETURN(JsonNode offsetNode, node.require("offset"));
  NNHAL_ASSIGN_OR_RETURN(
      int64_t offset,
      offsetNode.toInteger(0, std::numeric_limits<int64_t>::max()));
  NNHAL_ASSIGN_OR_RETURN(JsonNode sizeNode, node.require("size"));
  NNHAL_ASSIGN_OR_RETURN(int64_t size, sizeNode.toInteger(0, maxUInt32));
  pool.fileOffset = static_cast<uint64_t>(offset);

  NNHAL_ASSIGN_OR_RETURN(UniqueFd fd, openPoolFile(file, pool.file));
  Memory onDisk = Memory::fromDescriptor(
      std::move(fd), pool.fileOffset, static_cast<uint64_t>(size), PROT_READ);
  Result<Memory> memory = onDisk.snapshot();
  if (!memory.isOk()) {
    Status status = file.error(memory.status().message());
    // A file that does not fit is the fault of the model that names it.
    return memory.status().code() == StatusCode::generalFailure
               ? status
               : Status(memory.status().code(), status.message());
  }
  pool.memory = *std::move(memory);
  return pool;
}

Status ModelReader::readPools(const JsonNode &node) {
  NNHAL_RETURN_IF_ERROR(node.checkArray());
  for (size_t index = 0; index < node.size(); ++index) {
    NNHAL_ASSIGN_OR_RETURN(Pool pool, readPool(node[index]));
    model.pools.push_back(std::move(pool));
  }
  return Status::ok();
}

/// Appends the value to what holds constants of this lifetime, and points the
/// operand there.
Status ModelReader::readInlineConstant(const JsonNode &node, Operand &operand) {
  bool isCopy = operand.lifetime == OperandLifeTime::CONSTANT_COPY;
  std::vector<uint8_t> &target = isCopy ? model.operandValues : inlinePool;
  NNHAL_RETURN_IF_ERROR(node.checkArray());
  // Alignment as the runtime lays out operandValues (B-025).
  uint64_t length = uint64_t(node.size()) * valueElementSize(operand.type);
  size_t alignment = length < 2 ? 1 : length < 4 ? 2 : 4;
  target.resize((target.size() + alignment - 1) / alignment * alignment);
  assert(target.size() + length <= uint64_t(maxUInt32) &&
         "the size of the document is limited");
  operand.location = {isCopy ? 0 : static_cast<uint32_t>(model.pools.size()),
                      static_cast<uint32_t>(target.size()),
                      static_cast<uint32_t>(length)};
  return readValues(node, operand.type, target);
}

Status ModelReader::readOperandData(const JsonNode &node, Operand &operand) {
  std::optional<JsonNode> value = node.find("value");
  std::optional<JsonNode> location = node.find("location");
  if (value && location)
    return node.error("value and location exclude each other");
  if (location) {
    NNHAL_ASSIGN_OR_RETURN(operand.location, readLocation(*location));
    return Status::ok();
  }
  if (value) {
    if (isConstant(operand.lifetime))
      return readInlineConstant(*value, operand);
    if (operand.lifetime == OperandLifeTime::SUBGRAPH) {
      NNHAL_ASSIGN_OR_RETURN(operand.location.offset, value->toUInt32());
      return Status::ok();
    }
    return value->error(
        fmt::format("a {} has no value", toString(operand.lifetime)));
  }
  if (isConstant(operand.lifetime) ||
      operand.lifetime == OperandLifeTime::SUBGRAPH)
    return node.error(fmt::format("a {} needs a value or a location",
                                  toString(operand.lifetime)));
  return Status::ok();
}

Status ModelReader::readExtraParams(const JsonNode &node, Operand &operand) {
  std::optional<JsonNode> channelQuant = node.find("channelQuant");
  std::optional<JsonNode> extension = node.find("extension");
  if (channelQuant && extension)
    return node.error("channelQuant and extension exclude each other");
  if (extension) {
    NNHAL_ASSIGN_OR_RETURN(std::vector<uint8_t> bytes,
                           decodeBase64(*extension));
    operand.extraParams = ExtensionParams{std::move(bytes)};
  }
  if (channelQuant) {
    NNHAL_RETURN_IF_ERROR(channelQuant->checkObject({"scales", "channelDim"}));
    SymmPerChannelQuantParams params;
    NNHAL_ASSIGN_OR_RETURN(JsonNode scales, channelQuant->require("scales"));
    NNHAL_RETURN_IF_ERROR(scales.checkArray());
    for (size_t index = 0; index < scales.size(); ++index) {
      NNHAL_ASSIGN_OR_RETURN(float scale, scales[index].toFloat());
      params.scales.push_back(scale);
    }
    NNHAL_ASSIGN_OR_RETURN(JsonNode channelDim,
                           channelQuant->require("channelDim"));
    NNHAL_ASSIGN_OR_RETURN(params.channelDim, channelDim.toUInt32());
    operand.extraParams = std::move(params);
  }
  return Status::ok();
}

Result<Operand> ModelReader::readOperand(const JsonNode &node) {
  NNHAL_RETURN_IF_ERROR(
      node.checkObject({"type", "dimensions", "scale", "zeroPoint", "lifetime",
                        "value", "location", "channelQuant", "extension"}));
  Operand operand;
  NNHAL_ASSIGN_OR_RETURN(JsonNode type, node.require("type"));
  NNHAL_ASSIGN_OR_RETURN(operand.type, readOperandType(type));
  NNHAL_ASSIGN_OR_RETURN(JsonNode dimensions, node.require("dimensions"));
  NNHAL_ASSIGN_OR_RETURN(operand.dimensions, readIndices(dimensions));
  if (std::optional<JsonNode> scale = node.find("scale")) {
    NNHAL_ASSIGN_OR_RETURN(operand.scale, scale->toFloat());
  }
  if (std::optional<JsonNode> zeroPoint = node.find("zeroPoint")) {
    NNHAL_ASSIGN_OR_RETURN(
        int64_t integer,
        zeroPoint->toInteger(std::numeric_limits<int32_t>::min(),
                             std::numeric_limits<int32_t>::max()));
    operand.zeroPoint = static_cast<int32_t>(integer);
  }
  NNHAL_ASSIGN_OR_RETURN(JsonNode lifetime, node.require("lifetime"));
  NNHAL_ASSIGN_OR_RETURN(operand.lifetime, readLifetime(lifetime));
  NNHAL_RETURN_IF_ERROR(readExtraParams(node, operand));
  NNHAL_RETURN_IF_ERROR(readOperandData(node, operand));
  return operand;
}

Result<Operation> ModelReader::readOperation(const JsonNode &node) {
  NNHAL_RETURN_IF_ERROR(node.checkObject({"type", "inputs", "outputs"}));
  Operation operation;
  NNHAL_ASSIGN_OR_RETURN(JsonNode type, node.require("type"));
  NNHAL_ASSIGN_OR_RETURN(operation.type, readOperationType(type));
  NNHAL_ASSIGN_OR_RETURN(JsonNode inputs, node.require("inputs"));
  NNHAL_ASSIGN_OR_RETURN(operation.inputs, readIndices(inputs));
  NNHAL_ASSIGN_OR_RETURN(JsonNode outputs, node.require("outputs"));
  NNHAL_ASSIGN_OR_RETURN(operation.outputs, readIndices(outputs));
  return operation;
}

Status ModelReader::readSubgraph(const JsonNode &node, Subgraph &subgraph) {
  NNHAL_RETURN_IF_ERROR(node.checkObject(
      {"operands", "operations", "inputIndexes", "outputIndexes"}));
  NNHAL_ASSIGN_OR_RETURN(JsonNode operands, node.require("operands"));
  NNHAL_RETURN_IF_ERROR(operands.checkArray());
  for (size_t index = 0; index < operands.size(); ++index) {
    NNHAL_ASSIGN_OR_RETURN(Operand operand, readOperand(operands[index]));
    subgraph.operands.push_back(std::move(operand));
  }
  NNHAL_ASSIGN_OR_RETURN(JsonNode operations, node.require("operations"));
  NNHAL_RETURN_IF_ERROR(operations.checkArray());
  for (size_t index = 0; index < operations.size(); ++index) {
    NNHAL_ASSIGN_OR_RETURN(Operation operation,
                           readOperation(operations[index]));
    subgraph.operations.push_back(std::move(operation));
  }
  NNHAL_ASSIGN_OR_RETURN(JsonNode inputs, node.require("inputIndexes"));
  NNHAL_ASSIGN_OR_RETURN(subgraph.inputIndexes, readIndices(inputs));
  NNHAL_ASSIGN_OR_RETURN(JsonNode outputs, node.require("outputIndexes"));
  NNHAL_ASSIGN_OR_RETURN(subgraph.outputIndexes, readIndices(outputs));
  computeConsumers(subgraph);
  return Status::ok();
}

Result<Model> ModelReader::read(const JsonNode &root) {
  NNHAL_RETURN_IF_ERROR(root.checkObject(
      {"halVersion", "relaxComputationFloat32toFloat16", "main", "referenced",
       "extensionNameToPrefix", "pools", "operandValues"}));
  if (std::optional<JsonNode> version = root.find("halVersion")) {
    NNHAL_ASSIGN_OR_RETURN(model.halVersion, readVersion(*version));
  }
  if (std::optional<JsonNode> relaxed =
          root.find("relaxComputationFloat32toFloat16")) {
    NNHAL_ASSIGN_OR_RETURN(model.relaxComputationFloat32toFloat16,
                           relaxed->toBool());
  }
  // Extensions, pools and values come first, because operands refer to them.
  if (std::optional<JsonNode> extensions = root.find("extensionNameToPrefix"))
    NNHAL_RETURN_IF_ERROR(readExtensions(*extensions));
  if (std::optional<JsonNode> pools = root.find("pools"))
    NNHAL_RETURN_IF_ERROR(readPools(*pools));
  if (std::optional<JsonNode> values = root.find("operandValues")) {
    NNHAL_ASSIGN_OR_RETURN(model.operandValues, decodeBase64(*values));
  }
  NNHAL_ASSIGN_OR_RETURN(JsonNode main, root.require("main"));
  NNHAL_RETURN_IF_ERROR(readSubgraph(main, model.main));
  if (std::optional<JsonNode> referenced = root.find("referenced")) {
    NNHAL_RETURN_IF_ERROR(referenced->checkArray());
    for (size_t index = 0; index < referenced->size(); ++index)
      NNHAL_RETURN_IF_ERROR(
          readSubgraph((*referenced)[index], model.referenced.emplace_back()));
  }
  if (!inlinePool.empty()) {
    Pool pool;
    pool.name = "ashmem";
    pool.memory = Memory::copy(std::as_bytes(std::span(inlinePool)));
    pool.isSynthetic = true;
    model.pools.push_back(std::move(pool));
  }
  return std::move(model);
}

} // namespace

Result<Model> readJsonModel(const JsonNode &node,
                            const std::string &directory) {
  return ModelReader(directory).read(node);
}

Result<Model> readJsonModel(std::string_view text,
                            const std::string &directory) {
  try {
    NNHAL_ASSIGN_OR_RETURN(nlohmann::json document, parseJson(text, "model"));
    return readJsonModel(JsonNode(document, "model"), directory);
  } catch (const std::bad_alloc &) {
    return outOfResources("no memory for a model of {} bytes of JSON",
                          text.size());
  } catch (const std::exception &exception) {
    return badData("{}", exception.what());
  }
}

} // namespace nnhal::rt
