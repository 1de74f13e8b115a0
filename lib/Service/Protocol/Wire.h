//===- Wire.h - Lists, texts and bytes of messages --------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVICE_PROTOCOL_WIRE_H
#define NNHAL_LIB_SERVICE_PROTOCOL_WIRE_H

#include "nnhal/Runtime/Status.h"

#include <capnp/blob.h>
#include <capnp/list.h>

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nnhal::service {

inline std::string textOf(capnp::Text::Reader reader) {
  return std::string(reader.begin(), reader.size());
}

/// A text that need not end with a zero.
inline kj::String wireText(std::string_view text) {
  return kj::heapString(text.data(), text.size());
}

/// Numbers, which a list of the same type holds.
template <typename T, typename Reader> std::vector<T> numbersOf(Reader reader) {
  std::vector<T> numbers;
  numbers.reserve(reader.size());
  for (auto number : reader)
    numbers.push_back(T(number));
  return numbers;
}

/// Fills the list of \p parent that \p init makes with \p values.
template <typename Values, typename List>
void fillNumbers(const Values &values, List list) {
  for (unsigned i = 0; i < values.size(); ++i)
    list.set(i, values[i]);
}

/// Bytes of a fixed number, all zero where the message has none.
template <size_t Size>
rt::Result<std::array<uint8_t, Size>> bytesOf(capnp::Data::Reader reader,
                                              std::string_view name) {
  std::array<uint8_t, Size> bytes = {};
  if (reader.size() != 0 && reader.size() != Size)
    return rt::Status(rt::StatusCode::invalidArgument,
                      std::string(name) + " has " +
                          std::to_string(reader.size()) +
                          " bytes where it has " + std::to_string(Size));
  std::ranges::copy(reader, bytes.begin());
  return bytes;
}

} // namespace nnhal::service

#endif // NNHAL_LIB_SERVICE_PROTOCOL_WIRE_H
