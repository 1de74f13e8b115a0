//===- ByteReader.h - Takes numbers from the bytes of an input --*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_FUZZ_BYTEREADER_H
#define NNHAL_TEST_FUZZ_BYTEREADER_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace nnhal::rt::fuzz {

/// Numbers are little-endian; those behind the end are 0. What ByteWriter
/// writes is read in the same order.
class ByteReader {
public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes(bytes) {}

  bool isAtEnd() const { return bytes.empty(); }

  template <typename T> T number() {
    T value = {};
    std::span<const std::byte> part = take(sizeof(T));
    if (!part.empty())
      std::memcpy(&value, part.data(), part.size());
    return value;
  }

  /// Up to \p count bytes.
  std::span<const std::byte> take(size_t count) {
    count = std::min(count, bytes.size());
    std::span<const std::byte> part = bytes.first(count);
    bytes = bytes.subspan(count);
    return part;
  }

  /// \p count numbers.
  template <typename T> std::vector<T> numbers(size_t count) {
    std::vector<T> list(count);
    for (T &value : list)
      value = number<T>();
    return list;
  }

private:
  std::span<const std::byte> bytes;
};

class ByteWriter {
public:
  template <typename T> void number(T value) {
    const auto *first = reinterpret_cast<const std::byte *>(&value);
    bytes.insert(bytes.end(), first, first + sizeof(T));
  }
  void add(std::span<const std::byte> part) {
    bytes.insert(bytes.end(), part.begin(), part.end());
  }

  std::vector<std::byte> bytes;
};

} // namespace nnhal::rt::fuzz

#endif // NNHAL_TEST_FUZZ_BYTEREADER_H
