//===- Npy.h - NumPy array files --------------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_TENSORS_NPY_H
#define NNHAL_LIB_TOOLS_TENSORS_NPY_H

#include "nnhal/Runtime/Model.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nnhal::tools {

/// An element type as NumPy writes it: "<f4".
struct ElementFormat {
  std::string_view descr;
  uint32_t size;
  /// The element at \p data, which needs no alignment.
  double (*load)(const std::byte *data);
};

/// Returns null when \p descr is not known.
const ElementFormat *lookUpFormat(std::string_view descr);
/// Returns how elements of \p type are stored. \p type has a size.
const ElementFormat &formatOf(rt::OperandType type);

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
