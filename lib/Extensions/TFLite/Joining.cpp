//===- Joining.cpp - Operators that join and split ------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operators that put tensors together or take them apart along dimensions:
// CONCATENATION, SPLIT, PAD, SPACE_TO_DEPTH and their like.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "StridedCopy.h"

#include <algorithm>

using namespace nnhal;
using namespace nnhal::tflite;

namespace {

Status checkKept(const Use &use, size_t source, size_t results) {
  for (size_t result = 0; result < results; ++result)
    NNHAL_RETURN_IF_ERROR(
        use.checkResultElement(result, elementSet(use.element(source))));
  return Status::ok();
}

/// Returns the one element of a tensor that states an axis; nothing while it is
/// not known.
Result<std::optional<int64_t>> axisOf(const Use &use, size_t tensor,
                                      int64_t rank) {
  NNHAL_RETURN_IF_ERROR(use.checkElement(tensor, indexElements));
  std::optional<Extents> axes = use.integers(tensor);
  if (!axes)
    return std::optional<int64_t>();
  if (axes->size() != 1)
    return refuse(use.nameOf(tensor), " has ", axes->size(),
                  " elements, but must have 1");
  NNHAL_ASSIGN_OR_RETURN(int64_t axis, resolveAxis(axes->front(), rank));
  return std::optional<int64_t>(axis);
}

//===----------------------------------------------------------------------===//
// CONCATENATION, PACK
//===----------------------------------------------------------------------===//

/// Checks that tensor \p tensor can stand beside tensor 0, whose shape may
/// differ in dimension \p free only.
Status checkBeside(const Use &use, size_t tensor, int64_t free) {
  NNHAL_RETURN_IF_ERROR(use.checkElement(tensor, elementSet(use.element(0))));
  NNHAL_RETURN_IF_ERROR(use.checkRank(tensor, use.rank(0), use.rank(0)));
  for (int64_t axis = 0; axis < use.rank(0); ++axis)
    if (axis != free)
      NNHAL_RETURN_IF_ERROR(use.checkExtent(tensor, axis, use.extent(0, axis)));
  return Status::ok();
}

Result<Types> checkConcatenation(const Use &use) {
  NNHAL_RETURN_IF_ERROR(checkKept(use, 0, 1));
  NNHAL_ASSIGN_OR_RETURN(int64_t axis,
                         resolveAxis(use.integer("axis"), use.rank(0)));
  if (use.integer("activation") != 0)
    return refuse("option activation is ", use.integer("activation"),
                  ", but must be 0");
  Extents extents = use.input(0).dimensions;
  for (size_t tensor = 1; tensor < use.tensors(); ++tensor) {
    NNHAL_RETURN_IF_ERROR(checkBeside(use, tensor, axis));
    int64_t more = use.extent(tensor, axis);
    int64_t &sum = extents[size_t(axis)];
    sum = sum == unknownExtent || more == unknownExtent ? unknownExtent
                                                        : sum + more;
    for (int64_t other = 0; other < use.rank(0); ++other)
      if (other != axis && extents[size_t(other)] == unknownExtent)
        extents[size_t(other)] = use.extent(tensor, other);
  }
  return onlyResult(use, std::move(extents));
}

Status runConcatenation(Run &run) {
  const Use &use = run.use;
  NNHAL_ASSIGN_OR_RETURN(int64_t axis,
                         resolveAxis(use.integer("axis"), use.rank(0)));
  NNHAL_ASSIGN_OR_RETURN(std::span<std::byte> to, run.allocateBytes(0));
  Extents strides = stridesOf(run.types[0].dimensions);
  uint32_t size = sizeOf(use.element(0));
  std::byte *place = to.data();
  for (size_t tensor = 0; tensor < use.tensors(); ++tensor) {
    const Extents &part = use.input(tensor).dimensions;
    copyStrided({place, strides}, {use.bytes(tensor).data(), stridesOf(part)},
                part, size);
    place += part[size_t(axis)] * strides[size_t(axis)] * size;
  }
  return Status::ok();
}

Result<Types> checkPack(const Use &use) {
  NNHAL_RETURN_IF_ERROR(checkKept(use, 0, 1));
  NNHAL_ASSIGN_OR_RETURN(int64_t axis,
                         resolveAxis(use.integer("axis"), use.rank(0) + 1));
  if (use.integer("values_count") != int64_t(use.tensors()))
    return refuse("option values_count is ", use.integer("values_count"),
                  ", but there are ", use.tensors(), " tensors");
  for (size_t tensor = 1; tensor < use.tensors(); ++tensor)
    NNHAL_RETURN_IF_ERROR(checkBeside(use, tensor, -1));
  Extents extents = use.input(0).dimensions;
  extents.insert(extents.begin() + axis, int64_t(use.tensors()));
  // Scalars are stated as [1].
  if (use.rank(0) == 1)
    extents = withoutScalar(use, std::move(extents), axis == 0 ? 1 : 0);
  return onlyResult(use, std::move(extents));
}

Status runPack(Run &run) {
  const Use &use = run.use;
  NNHAL_ASSIGN_OR_RETURN(int64_t axis,
                         resolveAxis(use.integer("axis"), use.rank(0) + 1));
  NNHAL_ASSIGN_OR_RETURN(std::span<std::byte> to, run.allocateBytes(0));
  Extents packed = use.input(0).dimensions;
  packed.insert(packed.begin() + axis, int64_t(use.tensors()));
  Extents strides = stridesOf(packed);
  int64_t step = strides[size_t(axis)] * sizeOf(use.element(0));
  strides.erase(strides.begin() + axis);
  for (size_t tensor = 0; tensor < use.tensors(); ++tensor)
    copyStrided({to.data() + int64_t(tensor) * step, strides},
                {use.bytes(tensor).data(), stridesOf(use.input(0).dimensions)},
                use.input(0).dimensions, sizeOf(use.element(0)));
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// SPLIT, SPLIT_V, UNPACK
//===----------------------------------------------------------------------===//

/// The types of results that have the shape of tensor \p source but for their
/// extents along \p axis.
Types partTypes(const Use &use, size_t source, int64_t axis,
                const Extents &parts) {
  Types types;
  for (size_t result = 0; result < parts.size(); ++result) {
    Extents extents = use.input(source).dimensions;
    extents[size_t(axis)] = parts[result];
    types.push_back(resultType(use, result, std::move(extents)));
  }
  return types;
}

/// The results while the axis is not known.
Types openParts(const Use &use, size_t source) {
  Types types;
  for (size_t result = 0; result < use.results(); ++result)
    types.push_back(resultType(
        use, result, Extents(size_t(use.rank(source)), unknownExtent)));
  return types;
}

Status checkParts(const Use &use) {
  if (use.integer("num_splits") != int64_t(use.results()))
    return refuse("option num_splits is ", use.integer("num_splits"),
                  ", but there are ", use.results(), " outputs");
  return Status::ok();
}

Result<Types> checkSplit(const Use &use) {
  NNHAL_RETURN_IF_ERROR(checkKept(use, 1, use.results()));
  NNHAL_RETURN_IF_ERROR(checkParts(use));
  NNHAL_ASSIGN_OR_RETURN(std::optional<int64_t> axis,
                         axisOf(use, 0, use.rank(1)));
  if (!axis)
    return openParts(use, 1);
  int64_t extent = use.extent(1, *axis), parts = int64_t(use.results());
  if (extent != unknownExtent && extent % parts != 0)
    return refuse("extent ", extent, " of dimension ", *axis,
                  " must be a multiple of ", parts);
  return partTypes(use, 1, *axis,
                   Extents(use.results(), extent == unknownExtent
                                              ? unknownExtent
                                              : extent / parts));
}

Result<Types> checkSplitV(const Use &use) {
  NNHAL_RETURN_IF_ERROR(checkKept(use, 0, use.results()));
  NNHAL_RETURN_IF_ERROR(checkParts(use));
  NNHAL_RETURN_IF_ERROR(use.checkElement(1, indexElements));
  NNHAL_ASSIGN_OR_RETURN(std::optional<int64_t> axis,
                         axisOf(use, 2, use.rank(0)));
  std::optional<Extents> sizes = use.integers(1);
  if (!axis || !sizes)
    return openParts(use, 0);
  if (sizes->size() != use.results())
    return refuse(use.nameOf(1), " has ", sizes->size(),
                  " elements, but must have ", use.results());
  int64_t extent = use.extent(0, *axis), sum = 0;
  int64_t *open = nullptr;
  for (int64_t &size : *sizes) {
    if (size == -1 && !open)
      open = &size;
    else if (size < 0 || size > UINT32_MAX)
      return refuse("size ", size, " must be 0 to ", UINT32_MAX);
    else
      sum += size;
  }
  if (extent != unknownExtent) {
    if (open)
      *open = extent - sum;
    if (open ? *open < 0 : sum != extent)
      return refuse("the sizes are ", sum, " together, but dimension ", *axis,
                    " has extent ", extent);
  }
  return partTypes(use, 0, *axis, *sizes);
}

Status runParts(Run &run, size_t source, int64_t axis) {
  const Use &use = run.use;
  Extents strides = stridesOf(use.input(source).dimensions);
  uint32_t size = sizeOf(use.element(source));
  const std::byte *place = use.bytes(source).data();
  for (size_t result = 0; result < use.results(); ++result) {
    const Extents &part = run.types[result].dimensions;
    NNHAL_ASSIGN_OR_RETURN(std::span<std::byte> to, run.allocateBytes(result));
    copyStrided({to.data(), stridesOf(part)}, {place, strides}, part, size);
    place += part[size_t(axis)] * strides[size_t(axis)] * size;
  }
  return Status::ok();
}

Status runSplit(Run &run) {
  NNHAL_ASSIGN_OR_RETURN(std::optional<int64_t> axis,
                         axisOf(run.use, 0, run.use.rank(1)));
  return runParts(run, 1, *axis);
}

Status runSplitV(Run &run) {
  NNHAL_ASSIGN_OR_RETURN(std::optional<int64_t> axis,
                         axisOf(run.use, 2, run.use.rank(0)));
  return runParts(run, 0, *axis);
}

Result<Types> checkUnpack(const Use &use) {
  NNHAL_RETURN_IF_ERROR(checkKept(use, 0, use.results()));
  NNHAL_ASSIGN_OR_RETURN(int64_t axis,
                         resolveAxis(use.integer("axis"), use.rank(0)));
  if (use.integer("num") != int64_t(use.results()))
    return refuse("option num is ", use.integer("num"), ", but there are ",
                  use.results(), " outputs");
  NNHAL_RETURN_IF_ERROR(use.checkExtent(0, axis, int64_t(use.results())));
  Extents extents = use.input(0).dimensions;
  extents.erase(extents.begin() + axis);
  Types types;
  for (size_t result = 0; result < use.results(); ++result)
    types.push_back(resultType(use, result, extents));
  return types;
}

Status runUnpack(Run &run) {
  const Use &use = run.use;
  NNHAL_ASSIGN_OR_RETURN(int64_t axis,
                         resolveAxis(use.integer("axis"), use.rank(0)));
  Extents strides = stridesOf(use.input(0).dimensions);
  int64_t step = strides[size_t(axis)] * sizeOf(use.element(0));
  strides.erase(strides.begin() + axis);
  for (size_t result = 0; result < use.results(); ++result) {
    const Extents &part = run.types[result].dimensions;
    NNHAL_ASSIGN_OR_RETURN(std::span<std::byte> to, run.allocateBytes(result));
    copyStrided({to.data(), stridesOf(part)},
                {use.bytes(0).data() + int64_t(result) * step, strides}, part,
                sizeOf(use.element(0)));
  }
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// PAD, PADV2, MIRROR_PAD
//===----------------------------------------------------------------------===//

/// Reads pairs of numbers of elements before and behind each dimension, which
/// are 0 to \p most of the dimension.
template <typename Most>
Result<Types> checkPaddings(const Use &use, Most most) {
  NNHAL_RETURN_IF_ERROR(checkKept(use, 0, 1));
  NNHAL_RETURN_IF_ERROR(use.checkElement(1, indexElements));
  std::optional<Extents> paddings = use.integers(1);
  if (!paddings)
    return onlyResult(use, Extents(size_t(use.rank(0)), unknownExtent));
  if (int64_t(paddings->size()) != 2 * use.rank(0))
    return refuse(use.nameOf(1), " has ", paddings->size(),
                  " elements, but must have ", 2 * use.rank(0));
  Extents extents = use.input(0).dimensions;
  for (size_t index = 0; index < paddings->size(); ++index) {
    int64_t &extent = extents[index / 2], padding = (*paddings)[index];
    int64_t bound = use.extent(0, int64_t(index / 2)) == unknownExtent
                        ? UINT32_MAX
                        : most(use.extent(0, int64_t(index / 2)));
    if (padding < 0 || padding > bound)
      return refuse("padding ", padding, " of dimension ", index / 2,
                    " must be 0 to ", bound);
    if (extent != unknownExtent)
      extent += padding;
  }
  return onlyResult(use, std::move(extents));
}

Result<Types> checkPad(const Use &use) {
  return checkPaddings(use, [](int64_t) { return int64_t(UINT32_MAX); });
}

Result<Types> checkPadV2(const Use &use) {
  NNHAL_RETURN_IF_ERROR(use.checkElement(2, elementSet(use.element(0))));
  NNHAL_RETURN_IF_ERROR(use.checkOneElement(2));
  return checkPad(use);
}

Status pad(Run &run, const std::byte *value) {
  const Use &use = run.use;
  const Extents &extents = run.types[0].dimensions;
  Extents strides = stridesOf(extents), paddings = *use.integers(1);
  uint32_t size = sizeOf(use.element(0));
  NNHAL_ASSIGN_OR_RETURN(std::span<std::byte> to, run.allocateBytes(0));
  copyStrided({to.data(), strides}, {value, Extents(extents.size(), 0)},
              extents, size);
  int64_t first = 0;
  for (size_t axis = 0; axis < extents.size(); ++axis)
    first += strides[axis] * paddings[2 * axis];
  const Extents &inner = use.input(0).dimensions;
  if (elementCount(inner) != 0)
    copyStrided({to.data() + first * size, strides},
                {use.bytes(0).data(), stridesOf(inner)}, inner, size);
  return Status::ok();
}

Status runPad(Run &run) {
  // Quantized elements are padded with what stands for 0.
  alignas(8) std::array<std::byte, 8> value = {};
  if (sizeOf(run.use.element(0)) == 1)
    value[0] = std::byte(run.use.output(0).zeroPoint);
  return pad(run, value.data());
}

Status runPadV2(Run &run) { return pad(run, run.use.bytes(2).data()); }

constexpr OptionRow mirrorPadOptions[] = {{"mode", OptionKind::integer, 0, 1}};

Result<Types> checkMirrorPad(const Use &use) {
  int64_t isReflected = use.integer("mode") == 0;
  return checkPaddings(use, [&](int64_t extent) {
    return std::max<int64_t>(extent - isReflected, 0);
  });
}

/// Fills one dimension after the other, the last one first: each copies rows of
/// what has been filled.
Status runMirrorPad(Run &run) {
  const Use &use = run.use;
  const Extents &extents = run.types[0].dimensions;
  const Extents &input = use.input(0).dimensions;
  Extents strides = stridesOf(extents), paddings = *use.integers(1);
  uint32_t size = sizeOf(use.element(0));
  NNHAL_ASSIGN_OR_RETURN(std::span<std::byte> to, run.allocateBytes(0));
  if (to.empty() || elementCount(input) == 0)
    return Status::ok();
  int64_t skipped = use.integer("mode") == 0 ? 1 : 0, first = 0;
  for (size_t axis = 0; axis < extents.size(); ++axis)
    first += strides[axis] * paddings[2 * axis];
  copyStrided({to.data() + first * size, strides},
              {use.bytes(0).data(), stridesOf(input)}, input, size);
  Extents filled = input;
  for (size_t axis = extents.size(); axis-- > 0;) {
    int64_t before = paddings[2 * axis], behind = paddings[2 * axis + 1];
    int64_t stride = strides[axis];
    Extents box = filled, back = strides;
    back[axis] = -stride;
    std::byte *begin = to.data() + first * size;
    box[axis] = before;
    copyStrided({begin - before * stride * size, strides},
                {begin + (before - 1 + skipped) * stride * size, back}, box,
                size);
    box[axis] = behind;
    std::byte *end = begin + input[axis] * stride * size;
    copyStrided({end, strides}, {end - (1 + skipped) * stride * size, back},
                box, size);
    first -= before * stride;
    filled[axis] = extents[axis];
  }
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// DEPTH_TO_SPACE, SPACE_TO_DEPTH
//===----------------------------------------------------------------------===//

constexpr OptionRow blockOptions[] = {
    {"block_size", OptionKind::integer, 1, 65535}};

Result<Types> checkDepthToSpace(const Use &use) {
  NNHAL_RETURN_IF_ERROR(checkKept(use, 0, 1));
  NNHAL_RETURN_IF_ERROR(use.checkRank(0, 4, 4));
  int64_t block = use.integer("block_size");
  Extents extents = use.input(0).dimensions;
  if (extents[3] != unknownExtent) {
    if (extents[3] % (block * block) != 0)
      return refuse("depth ", extents[3], " must be a multiple of ",
                    block * block);
    extents[3] /= block * block;
  }
  for (size_t axis : {1, 2})
    if (extents[axis] != unknownExtent)
      extents[axis] *= block;
  return onlyResult(use, std::move(extents));
}

Result<Types> checkSpaceToDepth(const Use &use) {
  NNHAL_RETURN_IF_ERROR(checkKept(use, 0, 1));
  NNHAL_RETURN_IF_ERROR(use.checkRank(0, 4, 4));
  int64_t block = use.integer("block_size");
  Extents extents = use.input(0).dimensions;
  for (size_t axis : {1, 2})
    if (extents[axis] != unknownExtent) {
      if (extents[axis] % block != 0)
        return refuse("extent ", extents[axis], " of dimension ", axis,
                      " must be a multiple of ", block);
      extents[axis] /= block;
    }
  if (extents[3] != unknownExtent)
    extents[3] *= block * block;
  return onlyResult(use, std::move(extents));
}

/// Both operators exchange columns of blocks and rows within blocks: [batch,
/// height, block, width, block, depth] on the side of space stands for [batch,
/// height, width, block, block, depth] on that of depth.
Status runBlocks(Run &run, bool isToSpace) {
  const Use &use = run.use;
  int64_t block = use.integer("block_size");
  const Extents &space =
      isToSpace ? run.types[0].dimensions : use.input(0).dimensions;
  Extents box = {space[0], space[1] / block, space[2] / block, block,
                 block,    space[3]};
  Extents split = {box[0], box[1], block, box[2], block, box[5]};
  Extents inner = stridesOf(split);
  Extents spaceStrides = {inner[0], inner[1], inner[3],
                          inner[2], inner[4], inner[5]};
  Extents depthStrides = stridesOf(box);
  NNHAL_ASSIGN_OR_RETURN(std::span<std::byte> to, run.allocateBytes(0));
  copyStrided({to.data(), isToSpace ? spaceStrides : depthStrides},
              {use.bytes(0).data(), isToSpace ? depthStrides : spaceStrides},
              box, sizeOf(use.element(0)));
  return Status::ok();
}

constexpr OptionRow concatenationOptions[] = {{"axis"}, activationOption};
constexpr OptionRow packOptions[] = {
    {"values_count", OptionKind::integer, 1, 65535}, {"axis"}};
constexpr OptionRow splitOptions[] = {
    {"num_splits", OptionKind::integer, 1, 65535}};
constexpr OptionRow unpackOptions[] = {{"num", OptionKind::integer, 1, 65535},
                                       {"axis"}};

constexpr OperatorRow rows[] = {
    {2, "CONCATENATION", "values* ", 0, anyElement, concatenationOptions, 1,
     checkConcatenation, runConcatenation},
    {5, "DEPTH_TO_SPACE", "input ", 0, anyElement, blockOptions, 1,
     checkDepthToSpace, [](Run &run) { return runBlocks(run, true); }},
    {26, "SPACE_TO_DEPTH", "input ", 0, anyElement, blockOptions, 1,
     checkSpaceToDepth, [](Run &run) { return runBlocks(run, false); }},
    {34, "PAD", "input paddings ", 0, anyElement, {}, 1, checkPad, runPad},
    {49, "SPLIT", "axis input ", 1, anyElement, splitOptions, 0, checkSplit,
     runSplit},
    {60,
     "PADV2",
     "input paddings value ",
     0,
     anyElement,
     {},
     1,
     checkPadV2,
     runPadV2},
    {83, "PACK", "values* ", 0, anyElement, packOptions, 1, checkPack, runPack},
    {88, "UNPACK", "input ", 0, anyElement, unpackOptions, 0, checkUnpack,
     runUnpack},
    {100, "MIRROR_PAD", "input paddings ", 0, anyElement, mirrorPadOptions, 1,
     checkMirrorPad, runMirrorPad},
    {102, "SPLIT_V", "input sizes axis ", 0, anyElement, splitOptions, 0,
     checkSplitV, runSplitV},
};

} // namespace

Rows tflite::joiningRows() { return rows; }
