//===- Npy.h - NumPy array files --------------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_TENSORS_NPY_H
#define NNHAL_LIB_TOOLS_TENSORS_NPY_H

#include "nnhal/Runtime/Interface.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nnhal::tools {

/// An element type as NumPy writes it: "<f4".
struct ElementFormat {
  std::string_view descr;
  uint32_t size;
  /// The number at \p data, which needs no alignment; integers of 64 bits are
  /// rounded.
  double (*load)(const std::byte *data);
  /// The shortest text that reads back to the same element.
  std::string (*print)(const std::byte *data);
  /// The numbers that an element consists of: two of complex ones.
  uint32_t numbers = 1;
};

/// Returns null when \p descr is not known.
const ElementFormat *lookUpFormat(std::string_view descr);
/// Returns how elements of \p type are stored. \p type has a size, or is of an
/// extension, whose elements are of \p kind; opaque ones are bytes.
const ElementFormat &formatOf(rt::OperandType type,
                              rt::ElementKind kind = rt::ElementKind::opaque);
/// The name of \p type for messages: of an extension's type, which has a number
/// only, what its elements are, such as INT64.
std::string typeName(rt::OperandType type, rt::ElementKind kind);
std::string typeName(const rt::InterfaceTensor &tensor);
/// Returns how elements of \p tensor are stored.
const ElementFormat &formatOf(const rt::InterfaceTensor &tensor);

struct NpyArray {
  const ElementFormat *format = nullptr;
  std::vector<uint64_t> shape;
  std::vector<std::byte> data;
};

/// Reads a .npy file of version 1.0, 2.0 or 3.0 in C order and little-endian.
/// \p bytes may be anything: invalidArgument says what is wrong. A file that
/// NumPy refuses is refused.
rt::Result<NpyArray> readNpy(std::span<const std::byte> bytes);

std::vector<std::byte> writeNpy(const ElementFormat &format,
                                std::span<const uint32_t> shape,
                                std::span<const std::byte> data);

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_TENSORS_NPY_H
