//===- ExtensionFile.cpp - Extensions as files describe them --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExtensionFile.h"

#include "JsonNode.h"
#include "nnhal/Runtime/Memory.h"

using namespace nnhal;
using namespace nnhal::rt;

static Result<Extension::OperandTypeInfo> readType(const JsonNode &node) {
  NNHAL_RETURN_IF_ERROR(node.checkObject({"type", "isTensor", "byteSize"}));
  Extension::OperandTypeInfo info;
  NNHAL_ASSIGN_OR_RETURN(JsonNode type, node.require("type"));
  NNHAL_ASSIGN_OR_RETURN(int64_t number, type.toInteger(0, UINT16_MAX));
  info.type = uint16_t(number);
  NNHAL_ASSIGN_OR_RETURN(JsonNode isTensor, node.require("isTensor"));
  NNHAL_ASSIGN_OR_RETURN(info.isTensor, isTensor.toBool());
  NNHAL_ASSIGN_OR_RETURN(JsonNode byteSize, node.require("byteSize"));
  NNHAL_ASSIGN_OR_RETURN(info.byteSize, byteSize.toUInt32());
  return info;
}

static Result<Extension> readRoot(const JsonNode &root) {
  NNHAL_RETURN_IF_ERROR(root.checkObject({"name", "operandTypes"}));
  Extension extension;
  NNHAL_ASSIGN_OR_RETURN(JsonNode name, root.require("name"));
  NNHAL_ASSIGN_OR_RETURN(extension.name, name.toString());
  NNHAL_ASSIGN_OR_RETURN(JsonNode types, root.require("operandTypes"));
  NNHAL_RETURN_IF_ERROR(types.checkArray());
  for (size_t i = 0; i < types.size(); ++i) {
    NNHAL_ASSIGN_OR_RETURN(Extension::OperandTypeInfo info, readType(types[i]));
    extension.operandTypes.push_back(info);
  }
  return extension;
}

Result<Extension> nnhal::rt::readExtensionFile(const std::string &path) {
  constexpr uint64_t maxSize = uint64_t(1) << 20;
  NNHAL_ASSIGN_OR_RETURN(Memory file, Memory::readFile(path, maxSize));
  NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> bytes, file.bytes());
  NNHAL_ASSIGN_OR_RETURN(
      nlohmann::json document,
      parseJson({reinterpret_cast<const char *>(bytes.data()), bytes.size()},
                "the file"));
  Result<Extension> extension = readRoot(JsonNode(document, "the file"));
  if (!extension.isOk())
    return std::move(extension).takeStatus().withContext("'" + path + "'");
  return extension;
}
