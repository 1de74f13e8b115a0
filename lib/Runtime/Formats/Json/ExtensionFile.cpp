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

static constexpr std::pair<std::string_view, ElementKind> elementKinds[] = {
    {"int8", ElementKind::int8},       {"uint8", ElementKind::uint8},
    {"int16", ElementKind::int16},     {"uint16", ElementKind::uint16},
    {"int32", ElementKind::int32},     {"uint32", ElementKind::uint32},
    {"int64", ElementKind::int64},     {"uint64", ElementKind::uint64},
    {"float16", ElementKind::float16}, {"float32", ElementKind::float32},
    {"float64", ElementKind::float64}, {"complex64", ElementKind::complex64},
};

static Result<ElementKind> readKind(const JsonNode &node) {
  NNHAL_ASSIGN_OR_RETURN(std::string name, node.toString());
  for (const auto &[known, kind] : elementKinds)
    if (known == name)
      return kind;
  return node.error("'" + name + "' is no kind of elements");
}

static Result<Extension::OperandTypeInfo> readType(const JsonNode &node) {
  NNHAL_RETURN_IF_ERROR(
      node.checkObject({"type", "isTensor", "byteSize", "element"}));
  Extension::OperandTypeInfo info;
  NNHAL_ASSIGN_OR_RETURN(JsonNode type, node.require("type"));
  NNHAL_ASSIGN_OR_RETURN(int64_t number, type.toInteger(0, UINT16_MAX));
  info.type = uint16_t(number);
  NNHAL_ASSIGN_OR_RETURN(JsonNode isTensor, node.require("isTensor"));
  NNHAL_ASSIGN_OR_RETURN(info.isTensor, isTensor.toBool());
  NNHAL_ASSIGN_OR_RETURN(JsonNode byteSize, node.require("byteSize"));
  NNHAL_ASSIGN_OR_RETURN(info.byteSize, byteSize.toUInt32());
  if (std::optional<JsonNode> element = node.find("element")) {
    NNHAL_ASSIGN_OR_RETURN(info.kind, readKind(*element));
  }
  return info;
}

static Result<CustomOperator> readCustomOperator(const JsonNode &node) {
  NNHAL_RETURN_IF_ERROR(node.checkObject({"name", "operation"}));
  CustomOperator custom;
  NNHAL_ASSIGN_OR_RETURN(JsonNode name, node.require("name"));
  NNHAL_ASSIGN_OR_RETURN(custom.name, name.toString());
  NNHAL_ASSIGN_OR_RETURN(JsonNode operation, node.require("operation"));
  NNHAL_ASSIGN_OR_RETURN(int64_t number, operation.toInteger(0, UINT16_MAX));
  custom.operation = uint16_t(number);
  return custom;
}

static Result<ExtensionFile> readRoot(const JsonNode &root) {
  NNHAL_RETURN_IF_ERROR(
      root.checkObject({"name", "operandTypes", "customOperators"}));
  ExtensionFile file;
  Extension &extension = file.extension;
  NNHAL_ASSIGN_OR_RETURN(JsonNode name, root.require("name"));
  NNHAL_ASSIGN_OR_RETURN(extension.name, name.toString());
  NNHAL_ASSIGN_OR_RETURN(JsonNode types, root.require("operandTypes"));
  NNHAL_RETURN_IF_ERROR(types.checkArray());
  for (size_t i = 0; i < types.size(); ++i) {
    NNHAL_ASSIGN_OR_RETURN(Extension::OperandTypeInfo info, readType(types[i]));
    extension.operandTypes.push_back(info);
  }
  if (std::optional<JsonNode> customs = root.find("customOperators")) {
    NNHAL_RETURN_IF_ERROR(customs->checkArray());
    for (size_t i = 0; i < customs->size(); ++i) {
      NNHAL_ASSIGN_OR_RETURN(CustomOperator custom,
                             readCustomOperator((*customs)[i]));
      file.customOperators.push_back(std::move(custom));
    }
  }
  return file;
}

Result<ExtensionFile> nnhal::rt::readExtensionFile(const std::string &path) {
  constexpr uint64_t maxSize = uint64_t(1) << 20;
  NNHAL_ASSIGN_OR_RETURN(Memory file, Memory::readFile(path, maxSize));
  NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> bytes, file.bytes());
  NNHAL_ASSIGN_OR_RETURN(
      nlohmann::json document,
      parseJson({reinterpret_cast<const char *>(bytes.data()), bytes.size()},
                "the file"));
  Result<ExtensionFile> contents = readRoot(JsonNode(document, "the file"));
  if (!contents.isOk())
    return std::move(contents).takeStatus().withContext("'" + path + "'");
  return contents;
}
