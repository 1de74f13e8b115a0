//===- JsonValues.cpp - Tensor elements in JSON ---------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JsonValues.h"

#include "Runtime/Support/Float16.h"

#include <fmt/format.h>

#include <openssl/evp.h>

#include <cassert>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>

namespace nnhal::rt {

namespace {

/// The ways in which the elements of a type are stored.
enum class Storage { int8, uint8, int16, uint16, int32, uint32, half, single };

Storage storageOf(OperandType type) {
  switch (type) {
  case OperandType::FLOAT32:
  case OperandType::TENSOR_FLOAT32:
    return Storage::single;
  case OperandType::FLOAT16:
  case OperandType::TENSOR_FLOAT16:
    return Storage::half;
  case OperandType::INT32:
  case OperandType::TENSOR_INT32:
    return Storage::int32;
  case OperandType::UINT32:
    return Storage::uint32;
  case OperandType::TENSOR_QUANT16_SYMM:
    return Storage::int16;
  case OperandType::TENSOR_QUANT16_ASYMM:
    return Storage::uint16;
  case OperandType::TENSOR_QUANT8_SYMM:
  case OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL:
  case OperandType::TENSOR_QUANT8_ASYMM_SIGNED:
    return Storage::int8;
  default: // Booleans included: any non-zero byte is true.
    return Storage::uint8;
  }
}

template <typename T> void appendBytes(T element, std::vector<uint8_t> &bytes) {
  size_t offset = bytes.size();
  bytes.resize(offset + sizeof(T));
  std::memcpy(bytes.data() + offset, &element, sizeof(T));
}

template <typename T>
Status readIntegers(const JsonNode &node, std::vector<uint8_t> &bytes) {
  for (size_t index = 0; index < node.size(); ++index) {
    NNHAL_ASSIGN_OR_RETURN(
        int64_t element, node[index].toInteger(std::numeric_limits<T>::min(),
                                               std::numeric_limits<T>::max()));
    appendBytes(static_cast<T>(element), bytes);
  }
  return Status::ok();
}

Status readFloats(const JsonNode &node, std::vector<uint8_t> &bytes) {
  for (size_t index = 0; index < node.size(); ++index) {
    NNHAL_ASSIGN_OR_RETURN(float element, node[index].toFloat());
    appendBytes(element, bytes);
  }
  return Status::ok();
}

Status readHalves(const JsonNode &node, std::vector<uint8_t> &bytes) {
  for (size_t index = 0; index < node.size(); ++index) {
    NNHAL_ASSIGN_OR_RETURN(double element, node[index].toDouble());
    uint16_t bits = float16FromDouble(element);
    if (std::isfinite(element) && (bits & 0x7FFF) == 0x7C00)
      return node[index].error(
          fmt::format("{} is beyond the range of float16", element));
    appendBytes(bits, bytes);
  }
  return Status::ok();
}

/// Writes "[a,b]", each element of type T through \p writeElement.
template <typename T, typename Write>
void writeArray(std::span<const std::byte> bytes, std::string &text,
                Write writeElement) {
  text += '[';
  for (size_t offset = 0; offset + sizeof(T) <= bytes.size();
       offset += sizeof(T)) {
    T element;
    std::memcpy(&element, bytes.data() + offset, sizeof(T));
    if (offset)
      text += ',';
    writeElement(element);
  }
  text += ']';
}

template <typename T>
void writeIntegers(std::span<const std::byte> bytes, std::string &text) {
  writeArray<T>(bytes, text, [&](T element) {
    fmt::format_to(std::back_inserter(text), "{}", int64_t(element));
  });
}

/// Appends \p number, which is finite, with no more than \p shortest digits.
void writeFinite(std::string_view shortest, std::string &text) {
  // "-0" would be read as an integer and lose its sign.
  text += shortest == "-0" ? std::string_view("-0.0") : shortest;
}

/// Returns false, and appends nothing, when \p number is finite.
bool writeNonFinite(float number, std::string &text) {
  if (std::isfinite(number))
    return false;
  text += std::isnan(number) ? "\"NaN\""
          : number > 0       ? "\"Infinity\""
                             : "\"-Infinity\"";
  return true;
}

bool isBase64Digit(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
         (c >= '0' && c <= '9') || c == '+' || c == '/';
}

} // namespace

uint32_t valueElementSize(OperandType type) {
  const OperandTypeInfo *info = lookUp(type);
  return info && info->elementSize ? info->elementSize : 1;
}

Status readValues(const JsonNode &node, OperandType type,
                  std::vector<uint8_t> &bytes) {
  NNHAL_RETURN_IF_ERROR(node.checkArray());
  switch (storageOf(type)) {
  case Storage::int8:
    return readIntegers<int8_t>(node, bytes);
  case Storage::uint8:
    return readIntegers<uint8_t>(node, bytes);
  case Storage::int16:
    return readIntegers<int16_t>(node, bytes);
  case Storage::uint16:
    return readIntegers<uint16_t>(node, bytes);
  case Storage::int32:
    return readIntegers<int32_t>(node, bytes);
  case Storage::uint32:
    return readIntegers<uint32_t>(node, bytes);
  case Storage::half:
    return readHalves(node, bytes);
  case Storage::single:
    return readFloats(node, bytes);
  }
  return Status::ok();
}

void writeValues(std::span<const std::byte> bytes, OperandType type,
                 std::string &text) {
  switch (storageOf(type)) {
  case Storage::int8:
    return writeIntegers<int8_t>(bytes, text);
  case Storage::uint8:
    return writeIntegers<uint8_t>(bytes, text);
  case Storage::int16:
    return writeIntegers<int16_t>(bytes, text);
  case Storage::uint16:
    return writeIntegers<uint16_t>(bytes, text);
  case Storage::int32:
    return writeIntegers<int32_t>(bytes, text);
  case Storage::uint32:
    return writeIntegers<uint32_t>(bytes, text);
  case Storage::half:
    return writeArray<uint16_t>(bytes, text, [&](uint16_t element) {
      writeFloat(floatFromFloat16(element), text);
    });
  case Storage::single:
    return writeArray<float>(bytes, text,
                             [&](float element) { writeFloat(element, text); });
  }
}

void writeFloat(float number, std::string &text) {
  if (!writeNonFinite(number, text))
    writeFinite(fmt::format("{}", number), text);
}

std::string encodeBase64(std::span<const uint8_t> bytes) {
  // The text is encoded in pieces, as the library counts in int; a multiple of
  // 3 needs no padding.
  constexpr size_t piece = size_t(3) << 20;
  std::string text;
  std::vector<unsigned char> buffer(piece / 3 * 4 + 1);
  for (size_t offset = 0; offset < bytes.size(); offset += piece) {
    std::span<const uint8_t> part =
        bytes.subspan(offset, std::min(piece, bytes.size() - offset));
    int length = EVP_EncodeBlock(buffer.data(), part.data(),
                                 static_cast<int>(part.size()));
    text.append(buffer.begin(), buffer.begin() + length);
  }
  return text;
}

Result<std::vector<uint8_t>> decodeBase64(const JsonNode &node) {
  NNHAL_ASSIGN_OR_RETURN(std::string text, node.toString());
  size_t padding = 0;
  while (padding < 2 && padding < text.size() &&
         text[text.size() - 1 - padding] == '=')
    ++padding;
  // The library skips blanks at either end; they are not part of the format.
  for (size_t index = 0; index + padding < text.size(); ++index)
    if (!isBase64Digit(text[index]))
      return node.error(
          fmt::format("base64 has a wrong character at {}", index));
  if (text.size() % 4 != 0)
    return node.error(fmt::format(
        "base64 of length {} must have a multiple of 4", text.size()));

  constexpr size_t piece = size_t(4) << 20;
  std::vector<uint8_t> bytes(text.size() / 4 * 3);
  for (size_t offset = 0; offset < text.size(); offset += piece) {
    size_t length = std::min(piece, text.size() - offset);
    [[maybe_unused]] int decoded = EVP_DecodeBlock(
        bytes.data() + offset / 4 * 3,
        reinterpret_cast<const unsigned char *>(text.data()) + offset,
        static_cast<int>(length));
    assert(size_t(decoded) == length / 4 * 3 && "every digit was checked");
  }
  bytes.resize(bytes.size() - padding);
  return bytes;
}

} // namespace nnhal::rt
