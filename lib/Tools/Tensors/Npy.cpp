//===- Npy.cpp - NumPy array files ----------------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Npy.h"

#include "Runtime/Support/Errors.h"
#include "Runtime/Support/Float16.h"

#include <algorithm>
#include <charconv>
#include <cstring>

using namespace nnhal;
using namespace nnhal::tools;
using rt::badData;
using rt::Result;
using rt::Status;

static constexpr std::string_view magic = "\x93NUMPY";
// The bounds of NumPy itself.
static constexpr size_t maxNpyRank = 64;
static constexpr uint32_t maxNpyHeader = 10000;

template <typename T> static double loadAs(const std::byte *data) {
  T value;
  std::memcpy(&value, data, sizeof(value));
  return double(value);
}

/// Any byte but 0 is true (L-007).
static double loadBoolean(const std::byte *data) {
  return *data != std::byte{0} ? 1.0 : 0.0;
}

static double loadHalf(const std::byte *data) {
  uint16_t bits;
  std::memcpy(&bits, data, sizeof(bits));
  return rt::floatFromFloat16(bits);
}

template <typename T> static std::string printAs(const std::byte *data) {
  T value;
  std::memcpy(&value, data, sizeof(value));
  return fmt::format("{}", value);
}

static std::string printHalf(const std::byte *data) {
  return fmt::format("{}", float(loadHalf(data)));
}

static std::string printComplex(const std::byte *data) {
  float parts[2];
  std::memcpy(parts, data, sizeof(parts));
  return fmt::format("{}{:+}j", parts[0], parts[1]);
}

static constexpr ElementFormat formats[] = {
    {"<f4", 4, loadAs<float>, printAs<float>},
    {"<f2", 2, loadHalf, printHalf},
    {"<f8", 8, loadAs<double>, printAs<double>},
    {"<c8", 8, loadAs<float>, printComplex, 2},
    {"<i4", 4, loadAs<int32_t>, printAs<int32_t>},
    {"<u4", 4, loadAs<uint32_t>, printAs<uint32_t>},
    {"<i8", 8, loadAs<int64_t>, printAs<int64_t>},
    {"<u8", 8, loadAs<uint64_t>, printAs<uint64_t>},
    {"<i2", 2, loadAs<int16_t>, printAs<int16_t>},
    {"<u2", 2, loadAs<uint16_t>, printAs<uint16_t>},
    {"|i1", 1, loadAs<int8_t>, printAs<int8_t>},
    {"|u1", 1, loadAs<uint8_t>, printAs<uint8_t>},
    {"|b1", 1, loadBoolean, printAs<uint8_t>},
};

const ElementFormat *tools::lookUpFormat(std::string_view descr) {
  for (const ElementFormat &format : formats)
    if (format.descr == descr)
      return &format;
  return nullptr;
}

static const ElementFormat &formatOfKind(rt::ElementKind kind) {
  using enum rt::ElementKind;
  switch (kind) {
  case int8:
    return *lookUpFormat("|i1");
  case int16:
    return *lookUpFormat("<i2");
  case uint16:
    return *lookUpFormat("<u2");
  case int32:
    return *lookUpFormat("<i4");
  case uint32:
    return *lookUpFormat("<u4");
  case int64:
    return *lookUpFormat("<i8");
  case uint64:
    return *lookUpFormat("<u8");
  case float16:
    return *lookUpFormat("<f2");
  case float32:
    return *lookUpFormat("<f4");
  case float64:
    return *lookUpFormat("<f8");
  case complex64:
    return *lookUpFormat("<c8");
  case opaque:
  case uint8:
    break;
  }
  return *lookUpFormat("|u1");
}

std::string tools::typeName(rt::OperandType type, rt::ElementKind kind) {
  static constexpr std::string_view names[] = {
      "",      "INT8",   "UINT8",   "INT16",   "UINT16",  "INT32",    "UINT32",
      "INT64", "UINT64", "FLOAT16", "FLOAT32", "FLOAT64", "COMPLEX64"};
  static_assert(std::size(names) == size_t(rt::ElementKind::complex64) + 1);
  bool isKnown = rt::isExtension(type) && kind != rt::ElementKind::opaque;
  return isKnown ? std::string(names[size_t(kind)]) : rt::nameOf(type);
}

static rt::ElementKind kindOf(const rt::InterfaceTensor &tensor) {
  return tensor.extension ? tensor.extension->kind : rt::ElementKind::opaque;
}

std::string tools::typeName(const rt::InterfaceTensor &tensor) {
  return typeName(tensor.type, kindOf(tensor));
}

const ElementFormat &tools::formatOf(const rt::InterfaceTensor &tensor) {
  return formatOf(tensor.type, kindOf(tensor));
}

const ElementFormat &tools::formatOf(rt::OperandType type,
                                     rt::ElementKind kind) {
  using enum rt::OperandType;
  if (rt::isExtension(type))
    return formatOfKind(kind);
  switch (type) {
  case FLOAT32:
  case TENSOR_FLOAT32:
    return *lookUpFormat("<f4");
  case FLOAT16:
  case TENSOR_FLOAT16:
    return *lookUpFormat("<f2");
  case INT32:
  case TENSOR_INT32:
    return *lookUpFormat("<i4");
  case UINT32:
    return *lookUpFormat("<u4");
  case TENSOR_QUANT16_SYMM:
    return *lookUpFormat("<i2");
  case TENSOR_QUANT16_ASYMM:
    return *lookUpFormat("<u2");
  case BOOL:
  case TENSOR_BOOL8:
    return *lookUpFormat("|b1");
  case TENSOR_QUANT8_SYMM:
  case TENSOR_QUANT8_SYMM_PER_CHANNEL:
  case TENSOR_QUANT8_ASYMM_SIGNED:
    return *lookUpFormat("|i1");
  default:
    return *lookUpFormat("|u1");
  }
}

namespace {
/// Reads the header of a file, which is a dictionary in Python's syntax with
/// exactly the keys descr, fortran_order and shape. Values that NumPy would
/// evaluate but never writes (hexadecimal numbers, escapes in strings,
/// comments, a key given twice) are refused, and so is everything that NumPy
/// refuses.
class HeaderParser {
public:
  /// Files of Python 2, of versions before 3, may have integers like "28L".
  HeaderParser(std::string_view header, bool mayHaveLongs)
      : header(header), mayHaveLongs(mayHaveLongs) {}

  Status parse(NpyArray &array) {
    while (at < header.size() && (header[at] == ' ' || header[at] == '\t'))
      ++at;
    if (at == header.size() || header[at] != '{')
      return unexpected("'{'");
    ++at;
    while (!take('}')) {
      NNHAL_RETURN_IF_ERROR(parseMember(array));
      if (take(','))
        continue;
      if (take('}'))
        break;
      return unexpected("',' or '}'");
    }
    skipBlanks();
    if (at < header.size())
      return unexpected("the end");
    for (std::string_view key : {"descr", "fortran_order", "shape"})
      if (!isSeen(key))
        return badData("npy header: key '{}' is missing", key);
    return Status::ok();
  }

private:
  Status unexpected(std::string_view expectation) const {
    std::string found = "the end";
    if (at < header.size()) {
      auto byte = uint8_t(header[at]);
      found = byte > 0x1F && byte < 0x7F ? fmt::format("'{}'", header[at])
                                         : fmt::format("byte {:#04x}", byte);
    }
    return badData("npy header: expected {} at character {}, found {}",
                   expectation, at, found);
  }

  void skipBlanks() {
    at = std::min(header.find_first_not_of(" \t\n\r\f", at), header.size());
  }

  bool take(char wanted) {
    skipBlanks();
    if (at == header.size() || header[at] != wanted)
      return false;
    ++at;
    return true;
  }

  bool takeWord(std::string_view word) {
    skipBlanks();
    if (!header.substr(at).starts_with(word))
      return false;
    at += word.size();
    return true;
  }

  Status expect(char wanted) {
    return take(wanted) ? Status::ok()
                        : unexpected(fmt::format("'{}'", wanted));
  }

  Result<std::string_view> parseString() {
    skipBlanks();
    if (at == header.size() || (header[at] != '\'' && header[at] != '"'))
      return unexpected("a string");
    char quote = header[at++];
    size_t begin = at;
    for (; at < header.size() && header[at] != quote; ++at)
      if (header[at] == '\\' || header[at] < ' ' || header[at] > '~')
        return unexpected("a plain character of a string");
    if (at == header.size())
      return unexpected(fmt::format("{} that ends a string", quote));
    return header.substr(begin, at++ - begin);
  }

  bool isSeen(std::string_view key) const {
    return std::ranges::find(seen, key) != seen.end();
  }

  Status parseMember(NpyArray &array) {
    NNHAL_ASSIGN_OR_RETURN(std::string_view key, parseString());
    if (isSeen(key))
      return badData("npy header: key '{}' is given twice", key);
    seen.push_back(key);
    NNHAL_RETURN_IF_ERROR(expect(':'));
    if (key == "descr")
      return parseElementType(array);
    if (key == "fortran_order")
      return parseOrder();
    if (key == "shape")
      return parseShape(array.shape);
    return badData("npy header: unknown key '{}'", key);
  }

  Status parseElementType(NpyArray &array) {
    skipBlanks();
    // A list of fields, or a pair of a type and a shape.
    if (at < header.size() && (header[at] == '[' || header[at] == '('))
      return badData("npy elements are not of one simple type");
    NNHAL_ASSIGN_OR_RETURN(std::string_view descr, parseString());
    array.format = lookUpFormat(descr);
    if (!array.format)
      return badData("npy element type '{}' is not supported", descr);
    return Status::ok();
  }

  Status parseOrder() {
    if (takeWord("True"))
      return badData("npy data in Fortran order is not supported");
    return takeWord("False") ? Status::ok() : unexpected("True or False");
  }

  Result<uint64_t> parseExtent() {
    skipBlanks();
    size_t begin = at;
    at = std::min(header.find_first_not_of("0123456789", at), header.size());
    std::string_view digits = header.substr(begin, at - begin);
    if (digits.empty())
      return unexpected("an extent");
    if (digits.size() > 1 && digits[0] == '0')
      return badData("npy header: extent {} begins with 0", digits);
    uint64_t extent = 0;
    auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), extent);
    if (error != std::errc())
      return badData("npy header: extent {} exceeds {}", digits, UINT64_MAX);
    if (mayHaveLongs && at < header.size() && header[at] == 'L')
      ++at;
    return extent;
  }

  Status parseShape(std::vector<uint64_t> &shape) {
    NNHAL_RETURN_IF_ERROR(expect('('));
    while (!take(')')) {
      if (shape.size() == maxNpyRank)
        return badData("npy header: the shape has more than {} extents",
                       maxNpyRank);
      NNHAL_ASSIGN_OR_RETURN(uint64_t extent, parseExtent());
      shape.push_back(extent);
      if (take(','))
        continue;
      // Without a comma "(3)" is a number in parentheses.
      if (shape.size() == 1)
        return unexpected("',' after the first extent");
      if (take(')'))
        break;
      return unexpected("',' or ')'");
    }
    return Status::ok();
  }

  std::string_view header;
  bool mayHaveLongs;
  size_t at = 0;
  std::vector<std::string_view> seen;
};
} // namespace

/// The header's characters, and in \p dataBegin where the data begins.
static Result<std::string_view> findHeader(std::string_view text,
                                           uint32_t &major, size_t &dataBegin) {
  if (!text.starts_with(magic) || text.size() < 10)
    return badData("not a npy file: it does not begin like one");
  major = uint8_t(text[6]);
  uint32_t minor = uint8_t(text[7]);
  if (major < 1 || major > 3 || minor != 0)
    return badData("npy format version {}.{} is not 1.0, 2.0 or 3.0", major,
                   minor);
  size_t begin = major == 1 ? 10 : 12;
  if (text.size() < begin)
    return badData("npy file of {} bytes ends before its header", text.size());
  uint32_t size = 0;
  for (size_t i = begin; i-- > 8;)
    size = size << 8 | uint8_t(text[i]);
  if (size > text.size() - begin)
    return badData("npy header of {} bytes leaves the file of {}", size,
                   text.size());
  if (size > maxNpyHeader)
    return badData("npy header of {} bytes is longer than {}", size,
                   maxNpyHeader);
  dataBegin = begin + size;
  return text.substr(begin, size);
}

Result<NpyArray> tools::readNpy(std::span<const std::byte> bytes) {
  uint32_t major = 0;
  size_t dataBegin = 0;
  NNHAL_ASSIGN_OR_RETURN(
      std::string_view header,
      findHeader({reinterpret_cast<const char *>(bytes.data()), bytes.size()},
                 major, dataBegin));
  NpyArray array;
  NNHAL_RETURN_IF_ERROR(
      HeaderParser(header, /*mayHaveLongs=*/major < 3).parse(array));
  std::span<const std::byte> data = bytes.subspan(dataBegin);
  uint64_t needed = array.format->size;
  for (uint64_t extent : array.shape)
    if (__builtin_mul_overflow(needed, extent, &needed))
      return badData("npy shape ({}) is too large",
                     fmt::join(array.shape, ", "));
  if (data.size() != needed)
    return badData("npy file has {} bytes of data, its shape ({}) needs {}",
                   data.size(), fmt::join(array.shape, ", "), needed);
  array.data.assign(data.begin(), data.end());
  return array;
}

std::vector<std::byte> tools::writeNpy(const ElementFormat &format,
                                       std::span<const uint32_t> shape,
                                       std::span<const std::byte> data) {
  std::string header = fmt::format(
      "{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}",
      format.descr, fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  // The data begins at a multiple of 64.
  size_t unpadded = magic.size() + 4 + header.size() + 1;
  header.append((64 - unpadded % 64) % 64, ' ');
  header.push_back('\n');
  std::string file(magic);
  file.push_back(1);
  file.push_back(0);
  file.push_back(char(header.size() & 0xFF));
  file.push_back(char(header.size() >> 8));
  file += header;
  auto begin = std::as_bytes(std::span(file));
  std::vector<std::byte> bytes(begin.begin(), begin.end());
  bytes.insert(bytes.end(), data.begin(), data.end());
  return bytes;
}
