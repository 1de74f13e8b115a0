//===- Packing.h - Canonical layout of operandValues ------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_IMPORT_PACKING_H
#define NNHAL_LIB_IMPORT_PACKING_H

#include "nnhal/Runtime/Model.h"

namespace nnhal {

/// Gives out offsets of CONSTANT_COPY values one after another, aligned as
/// B-025 says.
class Packer {
public:
  uint64_t place(uint64_t length) {
    uint64_t alignment = length < 2 ? 1 : length < 4 ? 2 : 4;
    uint64_t offset = (end + alignment - 1) / alignment * alignment;
    end = offset + length;
    return offset;
  }
  uint64_t size() const { return end; }

private:
  uint64_t end = 0;
};

/// How a model's operandValues differ from canonical packing: in order of
/// subgraphs (the main one first) and operands, padding zero.
struct PackingDifference {
  bool offsetsDiffer = false;
  /// Bytes that belong to no constant are not all zero.
  bool gapsAreUsed = false;
};

PackingDifference comparePacking(const rt::Model &model);

} // namespace nnhal

#endif // NNHAL_LIB_IMPORT_PACKING_H
