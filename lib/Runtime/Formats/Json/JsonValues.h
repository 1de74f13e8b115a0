//===- JsonValues.h - Tensor elements in JSON -------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The "value" arrays of model and test-case JSON: elements in their storage
// type, row-major. OEM and extension types, whose elements nobody knows, are
// arrays of bytes.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_FORMATS_JSON_JSONVALUES_H
#define NNHAL_LIB_RUNTIME_FORMATS_JSON_JSONVALUES_H

#include "JsonNode.h"
#include "nnhal/Runtime/Model.h"

#include <cstddef>
#include <span>
#include <vector>

namespace nnhal::rt {

/// The model at \p node, as readJsonModel() of a text. May throw
/// std::bad_alloc.
Result<Model> readJsonModel(const JsonNode &node, const std::string &directory);

/// Bytes per array element of \p type: 1 where the type has no size of its own.
uint32_t valueElementSize(OperandType type);

/// Appends the elements of the array \p node to \p bytes. Fails with
/// invalidArgument when \p node is not an array or an element does not fit the
/// storage type.
Status readValues(const JsonNode &node, OperandType type,
                  std::vector<uint8_t> &bytes);

/// Appends "[...]" to \p text. \p bytes are whole elements; they need no
/// alignment.
void writeValues(std::span<const std::byte> bytes, OperandType type,
                 std::string &text);

/// Appends the shortest number that reads back as \p number; "NaN", "Infinity"
/// and "-Infinity" as strings.
void writeFloat(float number, std::string &text);

/// Base64 with padding, without line breaks. Decoding fails on anything else.
std::string encodeBase64(std::span<const uint8_t> bytes);
Result<std::vector<uint8_t>> decodeBase64(const JsonNode &node);

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_FORMATS_JSON_JSONVALUES_H
