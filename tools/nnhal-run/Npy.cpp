//===- Npy.cpp - NumPy array files ----------------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Npy.h"

#include "nnhal/Runtime/Float16.h"

#include <charconv>
#include <cstring>

using namespace nnhal;
using namespace nnhal::run;
using rt::badData;

static constexpr std::string_view magic = "\x93NUMPY";
static constexpr size_t maxNpyRank = 64;

template <typename T> static double loadAs(const std::byte *data) {
  T value;
  std::memcpy(&value, data, sizeof(value));
  return double(value);
}

static double loadHalf(const std::byte *data) {
  uint16_t bits;
  std::memcpy(&bits, data, sizeof(bits));
  return rt::floatFromFloat16(bits);
}

static constexpr ElementFormat formats[] = {
    {"<f4", 4, loadAs<float>},    {"<f2", 2, loadHalf},
    {"<f8", 8, loadAs<double>},   {"<i4", 4, loadAs<int32_t>},
    {"<u4", 4, loadAs<uint32_t>}, {"<i8", 8, loadAs<int64_t>},
    {"<i2", 2, loadAs<int16_t>},  {"<u2", 2, loadAs<uint16_t>},
    {"|i1", 1, loadAs<int8_t>},   {"|u1", 1, loadAs<uint8_t>},
    {"|b1", 1, loadAs<uint8_t>},
};

const ElementFormat *run::lookUpFormat(std::string_view descr) {
  for (const ElementFormat &format : formats)
    if (format.descr == descr)
      return &format;
  return nullptr;
}

const ElementFormat &run::formatOf(rt::OperandType type) {
  using enum rt::OperandType;
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
/// Reads the header, a Python dictionary of three known keys.
class HeaderParser {
public:
  explicit HeaderParser(std::string_view text) : text(text) {}

  rt::Status parse(NpyArray &array) {
    bool hasDescr = false, hasOrder = false, hasShape = false;
    if (!take('{'))
      return malformed();
    while (!take('}')) {
      std::string_view key;
      if (!takeString(key) || !take(':'))
        return malformed();
      if (key == "descr") {
        std::string_view descr;
        if (!takeString(descr))
          return badData("npy elements are not of one simple type");
        array.format = lookUpFormat(descr);
        if (!array.format)
          return badData("npy element type '{}' is not supported", descr);
        hasDescr = true;
      } else if (key == "fortran_order") {
        if (takeWord("True"))
          return badData("npy data in Fortran order is not supported");
        if (!takeWord("False"))
          return malformed();
        hasOrder = true;
      } else if (key == "shape") {
        if (!takeShape(array.shape))
          return malformed();
        hasShape = true;
      } else {
        return malformed();
      }
      take(',');
    }
    return hasDescr && hasOrder && hasShape ? rt::Status::ok() : malformed();
  }

private:
  rt::Status malformed() const {
    return badData("npy header is malformed: {} characters are left",
                   text.size());
  }

  void skipBlanks() {
    while (!text.empty() && (text[0] == ' ' || text[0] == '\n'))
      text.remove_prefix(1);
  }

  bool take(char wanted) {
    skipBlanks();
    if (text.empty() || text[0] != wanted)
      return false;
    text.remove_prefix(1);
    return true;
  }

  bool takeWord(std::string_view word) {
    skipBlanks();
    if (!text.starts_with(word))
      return false;
    text.remove_prefix(word.size());
    return true;
  }

  bool takeString(std::string_view &value) {
    if (!take('\''))
      return false;
    size_t end = text.find('\'');
    if (end == std::string_view::npos)
      return false;
    value = text.substr(0, end);
    text.remove_prefix(end + 1);
    return true;
  }

  bool takeShape(std::vector<uint64_t> &shape) {
    if (!take('('))
      return false;
    while (!take(')')) {
      skipBlanks();
      uint64_t extent = 0;
      auto [end, error] =
          std::from_chars(text.data(), text.data() + text.size(), extent);
      if (error != std::errc() || shape.size() == maxNpyRank)
        return false;
      text.remove_prefix(size_t(end - text.data()));
      shape.push_back(extent);
      take(',');
    }
    return true;
  }

  std::string_view text;
};
} // namespace

rt::Result<NpyArray> run::readNpy(std::span<const std::byte> bytes) {
  std::string_view text(reinterpret_cast<const char *>(bytes.data()),
                        bytes.size());
  if (!text.starts_with(magic) || text.size() < 12)
    return badData("not a npy file: it does not begin like one");
  uint32_t major = uint8_t(text[6]);
  if (major < 1 || major > 3)
    return badData("npy format version {} is not 1 to 3", major);
  size_t begin = major == 1 ? 10 : 12;
  uint32_t size = uint8_t(text[8]) | uint32_t(uint8_t(text[9])) << 8;
  if (major > 1)
    size |= uint32_t(uint8_t(text[10])) << 16 | uint32_t(uint8_t(text[11]))
                                                    << 24;
  if (size > text.size() - begin)
    return badData("npy header of {} bytes leaves the file of {}", size,
                   text.size());
  NpyArray array;
  NNHAL_RETURN_IF_ERROR(HeaderParser(text.substr(begin, size)).parse(array));
  std::span<const std::byte> data = bytes.subspan(begin + size);
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

std::vector<std::byte> run::writeNpy(const ElementFormat &format,
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
