//===- Reshape.cpp - Rules of operations that rename extents --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The half of the DataMovement family that keeps elements in order or permutes
// whole dimensions. The other half is DataMovement.cpp.
//
//===----------------------------------------------------------------------===//

#include "Checks.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>

using namespace nnhal::rt;
using namespace nnhal::rt::rules;

/// The number of \p type's known extents multiplied, and how many are not.
struct KnownCount {
  int64_t product = 1;
  int64_t unknownCount = 0;
};

static Result<KnownCount> countKnown(const TensorType &type) {
  KnownCount result;
  for (int64_t extent : type.dimensions) {
    if (!isKnown(extent)) {
      ++result.unknownCount;
      continue;
    }
    NNHAL_ASSIGN_OR_RETURN(result.product,
                           multiplyExtents(result.product, extent));
  }
  return result;
}

Status nnhal::rt::checkReshape(const TensorType &input,
                               const TensorType &output) {
  NNHAL_RETURN_IF_ERROR(checkOperand("input", input, floatsAndQuantized,
                                     upToRank4));                 // reshape C1
  NNHAL_RETURN_IF_ERROR(checkStated(withoutRank(input), output)); // reshape C2
  if (!input.isRanked || !output.isRanked)
    return Status::ok();
  NNHAL_ASSIGN_OR_RETURN(KnownCount in, countKnown(input));
  NNHAL_ASSIGN_OR_RETURN(KnownCount out, countKnown(output));
  if (in.unknownCount > 0)
    return Status::ok();
  if (out.unknownCount == 0 && in.product != out.product) // reshape C3
    return badData("result shape {} has {} elements, input shape {} has {}",
                   shapeText(output), out.product, shapeText(input),
                   in.product);
  if (out.unknownCount > 0 && out.product != 0 &&
      in.product % out.product != 0) // reshape C4
    return badData("input has {} elements, no multiple of the {} that result "
                   "shape {} fixes",
                   in.product, out.product, shapeText(output));
  return Status::ok();
}

Result<TensorType> nnhal::rt::squeeze(const TensorType &input, Ints axes) {
  NNHAL_RETURN_IF_ERROR(checkOperand("input", input, floatsAndQuantized,
                                     upToRank4)); // squeeze C1
  if (!input.isRanked)
    return input;
  std::vector<bool> isRemoved(input.dimensions.size(), false);
  for (int64_t axis : axes) {
    NNHAL_ASSIGN_OR_RETURN(
        int64_t resolved,
        resolveAxis("axis", axis, input.rank())); // squeeze C2
    int64_t extent = input.dimensions[size_t(resolved)];
    if (isKnown(extent) && extent != 1) // squeeze C3
      return badData("extent {} of axis {} must be 1", extent, axis);
    isRemoved[size_t(resolved)] = true;
  }
  std::vector<int64_t> result;
  for (size_t i = 0; i < isRemoved.size(); ++i)
    if (!isRemoved[i])
      result.push_back(input.dimensions[i]);
  if (result.empty())
    result.push_back(1);
  return withShape(input, std::move(result));
}

Result<TensorType> nnhal::rt::expandDims(const TensorType &input,
                                         int64_t axis) {
  NNHAL_RETURN_IF_ERROR(
      checkOperand("input", input, numbers)); // expand_dims C1
  if (!input.isRanked)
    return input;
  NNHAL_ASSIGN_OR_RETURN(
      int64_t resolved,
      resolveAxis("axis", axis, input.rank() + 1)); // expand_dims C2
  std::vector<int64_t> result = input.dimensions;
  result.insert(result.begin() + resolved, 1);
  return withShape(input, std::move(result));
}

Result<TensorType> nnhal::rt::transpose(const TensorType &input,
                                        Ints permutation) {
  NNHAL_RETURN_IF_ERROR(checkOperand("input", input, floatsAndQuantized,
                                     upToRank4)); // transpose C1
  if (!input.isRanked)
    return input;
  NNHAL_RETURN_IF_ERROR(
      checkInts("permutation", permutation, input.rank())); // transpose C2
  std::vector<bool> isUsed(input.dimensions.size(), false);
  std::vector<int64_t> result;
  for (int64_t source : permutation) {
    if (source < 0 || source >= input.rank()) // transpose C3
      return badData("permutation element {} is outside [0, {})", source,
                     input.rank());
    if (isUsed[size_t(source)]) // transpose C4
      return badData("permutation repeats dimension {}", source);
    isUsed[size_t(source)] = true;
    result.push_back(input.dimensions[size_t(source)]);
  }
  return withShape(input, std::move(result));
}

Result<TensorType> nnhal::rt::channelShuffle(const TensorType &input,
                                             int64_t groups, int64_t axis) {
  NNHAL_RETURN_IF_ERROR(checkOperand("input", input, floatsAndQuantized,
                                     upToRank4)); // channel_shuffle C1
  if (groups < 1)                                 // channel_shuffle C2
    return badData("groups {} must be positive", groups);
  if (!input.isRanked)
    return input;
  NNHAL_ASSIGN_OR_RETURN(
      int64_t resolved,
      resolveAxis("axis", axis, input.rank())); // channel_shuffle C3
  int64_t extent = input.dimensions[size_t(resolved)];
  if (isKnown(extent) && extent % groups != 0) // channel_shuffle C4
    return badData("extent {} of axis {} is not a multiple of groups {}",
                   extent, axis, groups);
  return input;
}

static std::vector<int64_t> extentsOf(const TensorType &type) {
  return type.isRanked ? type.dimensions
                       : std::vector<int64_t>(4, unknownExtent);
}

/// \p extent / \p divisor, which must leave no remainder.
static Result<int64_t> divide(std::string_view name, int64_t extent,
                              std::string_view divisorName, int64_t divisor) {
  if (!isKnown(extent))
    return unknownExtent;
  if (extent % divisor != 0)
    return badData("{} {} is not a multiple of {} {}", name, extent,
                   divisorName, divisor);
  return extent / divisor;
}

Result<TensorType> nnhal::rt::depthToSpace(const TensorType &input,
                                           int64_t blockSize) {
  NNHAL_RETURN_IF_ERROR(checkOperand("input", input, floatsAndQuantized,
                                     rank4)); // depth_to_space C1
  if (blockSize < 1)                          // depth_to_space C2
    return badData("block size {} must be positive", blockSize);
  std::vector<int64_t> in = extentsOf(input);
  NNHAL_ASSIGN_OR_RETURN(int64_t area, multiplyExtents(blockSize, blockSize));
  NNHAL_ASSIGN_OR_RETURN(int64_t height, multiplyExtents(in[1], blockSize));
  NNHAL_ASSIGN_OR_RETURN(int64_t width, multiplyExtents(in[2], blockSize));
  NNHAL_ASSIGN_OR_RETURN(int64_t channels,
                         divide("input channels", in[3], "the block's area",
                                area)); // depth_to_space C3
  return withShape(input, {in[0], height, width, channels});
}

Result<TensorType> nnhal::rt::spaceToDepth(const TensorType &input,
                                           int64_t blockSize) {
  NNHAL_RETURN_IF_ERROR(checkOperand("input", input, floatsAndQuantized,
                                     rank4)); // space_to_depth C1
  if (blockSize < 1)                          // space_to_depth C2
    return badData("block size {} must be positive", blockSize);
  std::vector<int64_t> in = extentsOf(input);
  NNHAL_ASSIGN_OR_RETURN(int64_t area, multiplyExtents(blockSize, blockSize));
  NNHAL_ASSIGN_OR_RETURN(int64_t height,
                         divide("input height", in[1], "block size",
                                blockSize)); // space_to_depth C3
  NNHAL_ASSIGN_OR_RETURN(int64_t width,
                         divide("input width", in[2], "block size",
                                blockSize)); // space_to_depth C3
  NNHAL_ASSIGN_OR_RETURN(int64_t channels, multiplyExtents(in[3], area));
  return withShape(input, {in[0], height, width, channels});
}

/// [height, width] of a block, both positive.
static Result<Extent2D> blockOf(Ints blockShape) {
  NNHAL_ASSIGN_OR_RETURN(Extent2D block, extent2D("block_shape", blockShape));
  NNHAL_RETURN_IF_ERROR(checkPositive("block", block));
  return block;
}

Result<TensorType> nnhal::rt::batchToSpace(const TensorType &input,
                                           Ints blockShape) {
  NNHAL_RETURN_IF_ERROR(checkOperand("input", input, floatsAndQuantized,
                                     rank4)); // batch_to_space_nd C1
  NNHAL_ASSIGN_OR_RETURN(Extent2D block,
                         blockOf(blockShape)); // batch_to_space_nd C2
  std::vector<int64_t> in = extentsOf(input);
  NNHAL_ASSIGN_OR_RETURN(int64_t area,
                         multiplyExtents(block.height, block.width));
  NNHAL_ASSIGN_OR_RETURN(int64_t batch,
                         divide("input batch", in[0], "the block's area",
                                area)); // batch_to_space_nd C3
  NNHAL_ASSIGN_OR_RETURN(int64_t height, multiplyExtents(in[1], block.height));
  NNHAL_ASSIGN_OR_RETURN(int64_t width, multiplyExtents(in[2], block.width));
  return withShape(input, {batch, height, width, in[3]});
}

Result<TensorType> nnhal::rt::spaceToBatch(const TensorType &input,
                                           Ints blockShape,
                                           const Pads2D &pads) {
  NNHAL_RETURN_IF_ERROR(checkOperand("input", input, floatsAndQuantized,
                                     rank4)); // space_to_batch_nd C1
  NNHAL_ASSIGN_OR_RETURN(Extent2D block,
                         blockOf(blockShape)); // space_to_batch_nd C2
  NNHAL_RETURN_IF_ERROR(checkPads(pads, unknownExtent,
                                  unknownExtent)); // space_to_batch_nd C3
  std::vector<int64_t> in = extentsOf(input);
  auto padded = [](int64_t extent, int64_t head, int64_t tail) {
    return isKnown(extent) ? extent + head + tail : unknownExtent;
  };
  NNHAL_ASSIGN_OR_RETURN(int64_t area,
                         multiplyExtents(block.height, block.width));
  NNHAL_ASSIGN_OR_RETURN(int64_t batch, multiplyExtents(in[0], area));
  NNHAL_ASSIGN_OR_RETURN(
      int64_t height,
      divide("padded height", padded(in[1], pads.top, pads.bottom),
             "block height", block.height)); // space_to_batch_nd C4
  NNHAL_ASSIGN_OR_RETURN(
      int64_t width,
      divide("padded width", padded(in[2], pads.left, pads.right),
             "block width", block.width)); // space_to_batch_nd C4
  return withShape(input, {batch, height, width, in[3]});
}
