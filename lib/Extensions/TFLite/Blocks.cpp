//===- Blocks.cpp - Blocks of space as batches ----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// SPACE_TO_BATCH_ND and BATCH_TO_SPACE_ND. An element's place in its block of
// space chooses the batch; both are copies of one box for each such place.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "StridedCopy.h"

#include <algorithm>

using namespace nnhal;
using namespace nnhal::tflite;

namespace {

/// Blocks of the dimensions behind the first one, and the margins before and
/// behind each: what is padded or cropped.
struct Blocks {
  Extents sizes, margins;
};

/// Reads the blocks of an input of 3 or 4 dimensions; nothing while they are
/// not known.
Result<std::optional<Blocks>> readBlocks(const Use &use) {
  NNHAL_RETURN_IF_ERROR(use.checkResultElement(0, elementSet(use.element(0))));
  NNHAL_RETURN_IF_ERROR(use.checkRank(0, 3, 4));
  size_t count = size_t(use.rank(0)) - 2;
  for (size_t tensor : {1, 2}) {
    NNHAL_RETURN_IF_ERROR(use.checkElement(tensor, indexElements));
    std::optional<Extents> values = use.integers(tensor);
    if (values && values->size() != tensor * count)
      return refuse(use.nameOf(tensor), " has ", values->size(),
                    " elements, but must have ", tensor * count);
  }
  std::optional<Extents> sizes = use.integers(1), margins = use.integers(2);
  if (!sizes || !margins)
    return std::optional<Blocks>();
  constexpr int64_t mostSize = 1 << 15;
  for (int64_t size : *sizes)
    if (size < 1 || size > mostSize)
      return refuse("block size ", size, " must be 1 to ", mostSize);
  for (int64_t margin : *margins)
    if (margin < 0 || margin > INT32_MAX)
      return refuse("margin ", margin, " of a block must be 0 to ", INT32_MAX);
  return std::optional(Blocks{std::move(*sizes), std::move(*margins)});
}

Result<Types> openResult(const Use &use) {
  return onlyResult(use, Extents(size_t(use.rank(0)), unknownExtent));
}

Result<Types> checkSpaceToBatch(const Use &use) {
  NNHAL_ASSIGN_OR_RETURN(std::optional<Blocks> blocks, readBlocks(use));
  if (!blocks)
    return openResult(use);
  Extents extents = use.input(0).dimensions;
  for (size_t index = 0; index < blocks->sizes.size(); ++index) {
    int64_t size = blocks->sizes[index], &extent = extents[index + 1];
    if (extents[0] != unknownExtent)
      extents[0] *= size;
    if (extent == unknownExtent)
      continue;
    extent += blocks->margins[2 * index] + blocks->margins[2 * index + 1];
    if (extent % size != 0)
      return refuse("padded extent ", extent, " of dimension ", index + 1,
                    " must be a multiple of the block size ", size);
    extent /= size;
  }
  return onlyResult(use, std::move(extents));
}

Result<Types> checkBatchToSpace(const Use &use) {
  NNHAL_ASSIGN_OR_RETURN(std::optional<Blocks> blocks, readBlocks(use));
  if (!blocks)
    return openResult(use);
  Extents extents = use.input(0).dimensions;
  for (size_t index = 0; index < blocks->sizes.size(); ++index) {
    int64_t size = blocks->sizes[index], &extent = extents[index + 1];
    if (extents[0] != unknownExtent) {
      if (extents[0] % size != 0)
        return refuse("batch ", extents[0],
                      " must be a multiple of the block size ", size);
      extents[0] /= size;
    }
    if (extent == unknownExtent)
      continue;
    int64_t crops = blocks->margins[2 * index] + blocks->margins[2 * index + 1];
    if (crops > extent * size)
      return refuse("crops of ", crops, " elements exceed the extent ",
                    extent * size, " of dimension ", index + 1);
    extent = extent * size - crops;
  }
  return onlyResult(use, std::move(extents));
}

/// One side of the move: the extents and where the elements of one place in
/// all blocks are.
struct Side {
  int64_t first = 0;
  Extents strides;
};

/// The elements of one place in all blocks that lie inside of space.
struct PlaceInBlocks {
  Side space, batches;
  Extents box;

  /// Where place \p number is among the blocks of \p batches.
  PlaceInBlocks(const Extents &spaceExtents, const Extents &batchesExtents,
                const Blocks &blocks, int64_t number);
};

PlaceInBlocks::PlaceInBlocks(const Extents &spaceExtents,
                             const Extents &batchesExtents,
                             const Blocks &blocks, int64_t number)
    : space{0, stridesOf(spaceExtents)},
      batches{number * spaceExtents[0] * stridesOf(batchesExtents)[0],
              stridesOf(batchesExtents)},
      box(spaceExtents) {
  for (size_t index = blocks.sizes.size(); index-- > 0;) {
    size_t axis = index + 1;
    int64_t size = blocks.sizes[index];
    // Where block 0 has the element in space; before it where negative.
    int64_t offset = number % size - blocks.margins[2 * index];
    number /= size;
    auto blocksBelow = [&](int64_t place) {
      return place <= offset ? 0 : (place - offset + size - 1) / size;
    };
    int64_t begin = blocksBelow(0);
    int64_t end =
        std::min(blocksBelow(spaceExtents[axis]), batchesExtents[axis]);
    box[axis] = std::max<int64_t>(end - begin, 0);
    space.first += (begin * size + offset) * space.strides[axis];
    space.strides[axis] *= size;
    batches.first += begin * batches.strides[axis];
  }
}

/// Calls \p copy(place) for each place in a block that has elements.
template <typename Copy>
void forEachPlace(const Extents &space, const Extents &batches,
                  const Blocks &blocks, Copy copy) {
  for (int64_t number = 0, count = elementCount(blocks.sizes); number < count;
       ++number) {
    PlaceInBlocks place(space, batches, blocks, number);
    if (elementCount(place.box) > 0)
      copy(place);
  }
}

Status runSpaceToBatch(Run &run) {
  const Use &use = run.use;
  NNHAL_ASSIGN_OR_RETURN(std::optional<Blocks> blocks, readBlocks(use));
  NNHAL_ASSIGN_OR_RETURN(std::span<std::byte> to, run.allocateBytes(0));
  uint32_t size = sizeOf(use.element(0));
  // Quantized elements are padded with what stands for 0.
  std::fill(to.begin(), to.end(),
            std::byte(size == 1 ? use.output(0).zeroPoint : 0));
  forEachPlace(use.input(0).dimensions, run.types[0].dimensions, *blocks,
               [&](const PlaceInBlocks &place) {
                 copyStrided({to.data() + place.batches.first * size,
                              place.batches.strides},
                             {use.bytes(0).data() + place.space.first * size,
                              place.space.strides},
                             place.box, size);
               });
  return Status::ok();
}

Status runBatchToSpace(Run &run) {
  const Use &use = run.use;
  NNHAL_ASSIGN_OR_RETURN(std::optional<Blocks> blocks, readBlocks(use));
  NNHAL_ASSIGN_OR_RETURN(std::span<std::byte> to, run.allocateBytes(0));
  uint32_t size = sizeOf(use.element(0));
  forEachPlace(
      run.types[0].dimensions, use.input(0).dimensions, *blocks,
      [&](const PlaceInBlocks &place) {
        copyStrided({to.data() + place.space.first * size, place.space.strides},
                    {use.bytes(0).data() + place.batches.first * size,
                     place.batches.strides},
                    place.box, size);
      });
  return Status::ok();
}

constexpr OperatorRow rows[] = {
    {37,
     "BATCH_TO_SPACE_ND",
     "input blocks crops ",
     0,
     anyElement,
     {},
     1,
     checkBatchToSpace,
     runBatchToSpace},
    {38,
     "SPACE_TO_BATCH_ND",
     "input blocks paddings ",
     0,
     anyElement,
     {},
     1,
     checkSpaceToBatch,
     runSpaceToBatch},
};

} // namespace

Rows tflite::blocksRows() { return rows; }
