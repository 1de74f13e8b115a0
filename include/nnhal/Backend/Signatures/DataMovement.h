//===- DataMovement.h - Decoded forms of data movement ----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Parameters of the DataMovement operations, resolved: axes count from the
// front, masks and defaults are applied. Each function takes a use that
// checkOperation() has accepted with all values and extents known, and fails
// with invalidArgument otherwise. Threads: pure functions.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_BACKEND_SIGNATURES_DATAMOVEMENT_H
#define NNHAL_BACKEND_SIGNATURES_DATAMOVEMENT_H

#include "nnhal/Backend/Signatures.h"
#include "nnhal/Runtime/Api.h"

#include <cstdint>
#include <vector>

namespace nnhal::rt {

/// Returns the axis of a CONCATENATION, SPLIT, GATHER or CHANNEL_SHUFFLE.
NNHAL_API Result<int64_t> decodeAxis(const OperationView &operation);

/// Returns the permutation of a TRANSPOSE; dimensions in reverse where it is
/// omitted (M-108).
NNHAL_API Result<std::vector<int64_t>>
decodePermutation(const OperationView &operation);

/// The parameters of SLICE and STRIDED_SLICE: element i of dimension d of the
/// result is element begin[d] + i * strides[d] of the input.
struct SliceForm {
  std::vector<int64_t> begin;
  /// One past the last element in the direction of the stride. The vector is
  /// empty for a SLICE.
  std::vector<int64_t> end;
  std::vector<int64_t> strides;
  /// The dimensions that the result does not have.
  std::vector<int64_t> shrinkAxes;
};
NNHAL_API Result<SliceForm> decodeSlice(const OperationView &operation);

/// Returns the head and tail padding of each dimension, for PAD and PAD_V2.
NNHAL_API Result<std::vector<int64_t>>
decodePaddings(const OperationView &operation);

/// The parameters of DEPTH_TO_SPACE, SPACE_TO_DEPTH, BATCH_TO_SPACE_ND and
/// SPACE_TO_BATCH_ND.
struct BlockForm {
  Extent2D block;
  Pads2D pads;
  bool isNchw = false;
};
NNHAL_API Result<BlockForm> decodeBlock(const OperationView &operation);

/// Returns the groups of a CHANNEL_SHUFFLE.
NNHAL_API Result<int64_t> decodeGroups(const OperationView &operation);

} // namespace nnhal::rt

#endif // NNHAL_BACKEND_SIGNATURES_DATAMOVEMENT_H
