//===- Movement.cpp - Operators that move elements ------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operators that reorder elements or choose a box of them: RESHAPE, TRANSPOSE,
// SLICE, STRIDED_SLICE, SPLIT and their like. They take elements of any type
// and keep the bits; the quantization of results is what the model states.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "StridedBox.h"
#include "StridedCopy.h"

#include <algorithm>

using namespace nnhal;
using namespace nnhal::tflite;

namespace {

/// Checks that every result has the elements of tensor \p source.
Status checkKept(const Use &use, size_t source) {
  for (size_t result = 0; result < use.results(); ++result)
    NNHAL_RETURN_IF_ERROR(
        use.checkResultElement(result, elementSet(use.element(source))));
  return Status::ok();
}

/// The only result while the tensors that decide its extents are not known.
Result<Types> openResult(const Use &use, int64_t rank) {
  return onlyResult(use, Extents(size_t(rank), unknownExtent));
}

Status copyAll(Run &run) {
  NNHAL_ASSIGN_OR_RETURN(std::span<std::byte> to, run.allocateBytes(0));
  std::span<const std::byte> from = run.use.bytes(0);
  if (!to.empty())
    std::memcpy(to.data(), from.data(), to.size());
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// RESHAPE, SQUEEZE, EXPAND_DIMS, BITCAST
//===----------------------------------------------------------------------===//

/// Finds the extent that is -1, from the number of elements.
Result<Extents> resolveShape(Extents shape, std::span<const int64_t> input) {
  size_t open = shape.size();
  int64_t rest = 1;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] == -1 && open == shape.size()) {
      open = axis;
      continue;
    }
    if (shape[axis] < 0 || shape[axis] > UINT32_MAX)
      return refuse("extent ", shape[axis], " of the new shape must be 0 to ",
                    UINT32_MAX);
    if (__builtin_mul_overflow(rest, shape[axis], &rest))
      return refuse("the new shape ", extentsText(shape), " is too large");
  }
  if (!isKnown(input))
    return shape;
  int64_t count = elementCount(input);
  if (open != shape.size())
    shape[open] = rest == 0 ? 0 : count / rest;
  if ((open == shape.size() ? rest : rest * shape[open]) != count)
    return refuse("the new shape ", extentsText(shape), " must have ", count,
                  " elements");
  return shape;
}

Result<Types> checkReshape(const Use &use) {
  NNHAL_RETURN_IF_ERROR(checkKept(use, 0));
  const std::vector<int64_t> &input = use.input(0).dimensions;
  if (use.tensors() > 1 && use.has(1)) {
    NNHAL_RETURN_IF_ERROR(use.checkElement(1, indexElements));
    if (std::optional<Extents> shape = use.integers(1)) {
      // Files state a scalar by a shape of one 0.
      if (*shape == Extents{0} && elementCount(input) == 1)
        *shape = {1};
      NNHAL_ASSIGN_OR_RETURN(Extents resolved,
                             resolveShape(std::move(*shape), input));
      return onlyResult(use, std::move(resolved));
    }
  }
  const TensorType &stated = use.output(0);
  if (!stated.isRanked)
    return refuse("the output has unknown rank, and no input tells its shape");
  if (isKnown(stated.dimensions))
    NNHAL_RETURN_IF_ERROR(resolveShape(stated.dimensions, input).status());
  else if (std::count(stated.dimensions.begin(), stated.dimensions.end(),
                      unknownExtent) == 1 &&
           isKnown(input)) {
    NNHAL_ASSIGN_OR_RETURN(Extents resolved,
                           resolveShape(stated.dimensions, input));
    return onlyResult(use, std::move(resolved));
  }
  return onlyResult(use, stated.dimensions);
}

Result<Types> checkExpandDims(const Use &use) {
  NNHAL_RETURN_IF_ERROR(checkKept(use, 0));
  NNHAL_RETURN_IF_ERROR(use.checkElement(1, indexElements));
  std::optional<Extents> axes = use.integers(1);
  if (!axes)
    return openResult(use, use.rank(0) + 1);
  if (axes->size() != 1)
    return refuse(use.nameOf(1), " has ", axes->size(),
                  " elements, but must have 1");
  NNHAL_ASSIGN_OR_RETURN(int64_t axis,
                         resolveAxis(axes->front(), use.rank(0) + 1));
  Extents extents = use.input(0).dimensions;
  extents.insert(extents.begin() + axis, 1);
  if (use.rank(0) == 1)
    extents = withoutScalar(use, std::move(extents), size_t(axis));
  return onlyResult(use, std::move(extents));
}

Result<Types> checkBitcast(const Use &use) {
  Extents extents = use.input(0).dimensions;
  int64_t from = sizeOf(use.element(0)), to = sizeOf(use.resultElement(0));
  if (from > to) {
    extents.push_back(from / to);
  } else if (from < to) {
    if (extents.empty() || !mayEqual(extents.back(), to / from))
      return refuse(use.nameOf(0), " has shape ", extentsText(extents),
                    ", but the last extent must be ", to / from);
    extents.pop_back();
  }
  return onlyResult(use, std::move(extents));
}

//===----------------------------------------------------------------------===//
// TRANSPOSE, REVERSE_V2, BROADCAST_TO, TILE
//===----------------------------------------------------------------------===//

Result<Extents> resolveAxes(const Extents &axes, int64_t rank) {
  Extents result;
  for (int64_t axis : axes) {
    NNHAL_ASSIGN_OR_RETURN(int64_t resolved, resolveAxis(axis, rank));
    if (std::find(result.begin(), result.end(), resolved) != result.end())
      return refuse("axis ", axis, " occurs twice");
    result.push_back(resolved);
  }
  return result;
}

Result<Types> checkTranspose(const Use &use) {
  NNHAL_RETURN_IF_ERROR(checkKept(use, 0));
  NNHAL_RETURN_IF_ERROR(use.checkElement(1, indexElements));
  std::optional<Extents> given = use.integers(1);
  if (!given)
    return openResult(use, use.rank(0));
  if (int64_t(given->size()) != use.rank(0))
    return refuse(use.nameOf(1), " has ", given->size(),
                  " elements, but must have ", use.rank(0));
  NNHAL_ASSIGN_OR_RETURN(Extents axes, resolveAxes(*given, use.rank(0)));
  Extents extents;
  for (int64_t axis : axes)
    extents.push_back(use.extent(0, axis));
  return onlyResult(use, std::move(extents));
}

Status runTranspose(Run &run) {
  const Use &use = run.use;
  Extents inner = stridesOf(use.input(0).dimensions), strides;
  Extents axes = *use.integers(1);
  for (int64_t axis : axes)
    strides.push_back(inner[size_t(axis < 0 ? axis + use.rank(0) : axis)]);
  NNHAL_ASSIGN_OR_RETURN(std::span<std::byte> to, run.allocateBytes(0));
  const Extents &extents = run.types[0].dimensions;
  copyStrided({to.data(), stridesOf(extents)}, {use.bytes(0).data(), strides},
              extents, sizeOf(use.element(0)));
  return Status::ok();
}

Result<Types> checkReverse(const Use &use) {
  NNHAL_RETURN_IF_ERROR(checkKept(use, 0));
  NNHAL_RETURN_IF_ERROR(use.checkElement(1, indexElements));
  if (std::optional<Extents> axes = use.integers(1))
    NNHAL_RETURN_IF_ERROR(resolveAxes(*axes, use.rank(0)).status());
  return onlyResult(use, use.input(0).dimensions);
}

Status runReverse(Run &run) {
  const Use &use = run.use;
  const Extents &extents = run.types[0].dimensions;
  Extents strides = stridesOf(extents), back = strides;
  NNHAL_ASSIGN_OR_RETURN(std::span<std::byte> to, run.allocateBytes(0));
  if (to.empty())
    return Status::ok();
  NNHAL_ASSIGN_OR_RETURN(Extents axes,
                         resolveAxes(*use.integers(1), use.rank(0)));
  int64_t first = 0;
  for (int64_t axis : axes) {
    first += strides[size_t(axis)] * (extents[size_t(axis)] - 1);
    back[size_t(axis)] = -strides[size_t(axis)];
  }
  uint32_t size = sizeOf(use.element(0));
  copyStrided({to.data(), strides}, {use.bytes(0).data() + first * size, back},
              extents, size);
  return Status::ok();
}

Result<Types> checkBroadcastTo(const Use &use) {
  NNHAL_RETURN_IF_ERROR(checkKept(use, 0));
  NNHAL_RETURN_IF_ERROR(use.checkElement(1, indexElements));
  std::optional<Extents> shape = use.integers(1);
  if (!shape)
    return openResult(use, use.output(0).rank());
  NNHAL_RETURN_IF_ERROR(checkNewShape(*shape));
  NNHAL_ASSIGN_OR_RETURN(Extents joined,
                         broadcastExtents(use.input(0).dimensions, *shape));
  if (joined != *shape)
    return refuse("shape ", extentsText(use.input(0).dimensions),
                  " does not broadcast to ", extentsText(*shape));
  return onlyResult(use, std::move(*shape));
}

Status runBroadcastTo(Run &run) {
  const Use &use = run.use;
  const Extents &extents = run.types[0].dimensions;
  const Extents &input = use.input(0).dimensions;
  Extents inner = stridesOf(input), strides(extents.size(), 0);
  for (size_t back = 1; back <= input.size(); ++back)
    if (input[input.size() - back] != 1)
      strides[extents.size() - back] = inner[input.size() - back];
  NNHAL_ASSIGN_OR_RETURN(std::span<std::byte> to, run.allocateBytes(0));
  copyStrided({to.data(), stridesOf(extents)}, {use.bytes(0).data(), strides},
              extents, sizeOf(use.element(0)));
  return Status::ok();
}

Result<Types> checkTile(const Use &use) {
  NNHAL_RETURN_IF_ERROR(checkKept(use, 0));
  NNHAL_RETURN_IF_ERROR(use.checkElement(1, indexElements));
  std::optional<Extents> multiples = use.integers(1);
  if (!multiples)
    return openResult(use, use.rank(0));
  if (int64_t(multiples->size()) != use.rank(0))
    return refuse(use.nameOf(1), " has ", multiples->size(),
                  " elements, but must have ", use.rank(0));
  Extents extents = use.input(0).dimensions;
  for (size_t axis = 0; axis < extents.size(); ++axis) {
    if ((*multiples)[axis] < 0 || (*multiples)[axis] > UINT32_MAX)
      return refuse("multiple ", (*multiples)[axis], " must be 0 to ",
                    UINT32_MAX);
    if (extents[axis] != unknownExtent)
      extents[axis] *= (*multiples)[axis];
  }
  return onlyResult(use, std::move(extents));
}

/// A tile is a copy with each dimension split into repetitions, which read the
/// same elements, and the dimension itself.
Status runTile(Run &run) {
  const Use &use = run.use;
  const Extents &input = use.input(0).dimensions;
  Extents inner = stridesOf(input), multiples = *use.integers(1);
  Extents extents, strides;
  for (size_t axis = 0; axis < input.size(); ++axis) {
    extents.insert(extents.end(), {multiples[axis], input[axis]});
    strides.insert(strides.end(), {0, inner[axis]});
  }
  NNHAL_ASSIGN_OR_RETURN(std::span<std::byte> to, run.allocateBytes(0));
  if (!to.empty())
    copyStrided({to.data(), stridesOf(extents)}, {use.bytes(0).data(), strides},
                extents, sizeOf(use.element(0)));
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// SLICE, STRIDED_SLICE
//===----------------------------------------------------------------------===//

Result<Types> checkSlice(const Use &use) {
  NNHAL_RETURN_IF_ERROR(checkKept(use, 0));
  for (size_t tensor : {1, 2})
    NNHAL_RETURN_IF_ERROR(use.checkElement(tensor, indexElements));
  std::optional<Extents> begins = use.integers(1), sizes = use.integers(2);
  if (!begins || !sizes)
    return openResult(use, use.rank(0));
  for (size_t tensor : {1, 2})
    if (int64_t count = int64_t(use.integers(tensor)->size());
        count != use.rank(0))
      return refuse(use.nameOf(tensor), " has ", count,
                    " elements, but must have ", use.rank(0));
  Extents extents;
  for (int64_t axis = 0; axis < use.rank(0); ++axis) {
    int64_t begin = (*begins)[size_t(axis)], size = (*sizes)[size_t(axis)];
    int64_t extent = use.extent(0, axis);
    if (extent == unknownExtent) {
      extents.push_back(size == -1 ? unknownExtent : size);
      continue;
    }
    if (begin < 0 || begin > extent)
      return refuse("begin ", begin, " of dimension ", axis, " must be 0 to ",
                    extent);
    if (size == -1)
      size = extent - begin;
    if (size < 0 || size > extent - begin)
      return refuse("size ", size, " of dimension ", axis, " must be 0 to ",
                    extent - begin);
    extents.push_back(size);
  }
  return onlyResult(use, std::move(extents));
}

Status runSlice(Run &run) {
  const Use &use = run.use;
  Extents strides = stridesOf(use.input(0).dimensions);
  Extents begins = *use.integers(1);
  int64_t first = 0;
  for (size_t axis = 0; axis < strides.size(); ++axis)
    first += strides[axis] * begins[axis];
  NNHAL_ASSIGN_OR_RETURN(std::span<std::byte> to, run.allocateBytes(0));
  uint32_t size = sizeOf(use.element(0));
  const Extents &extents = run.types[0].dimensions;
  copyStrided({to.data(), stridesOf(extents)},
              {use.bytes(0).data() + first * size, strides}, extents, size);
  return Status::ok();
}

/// The elements that STRIDED_SLICE reads; the lists are known.
Result<StridedBox> stridedBoxOf(const Use &use) {
  return stridedBox(use.input(0).dimensions,
                    {*use.integers(1), *use.integers(2), *use.integers(3)},
                    {use.integer("begin_mask"), use.integer("end_mask"),
                     use.integer("ellipsis_mask"), use.integer("new_axis_mask"),
                     use.integer("shrink_axis_mask"), use.truth("offset")});
}

Result<Types> checkStridedSlice(const Use &use) {
  NNHAL_RETURN_IF_ERROR(checkKept(use, 0));
  for (size_t tensor : {1, 2, 3})
    NNHAL_RETURN_IF_ERROR(use.checkElement(tensor, indexElements));
  if (!use.integers(1) || !use.integers(2) || !use.integers(3) ||
      !isKnown(use.input(0).dimensions)) {
    if (!use.output(0).isRanked)
      return refuse("the output has unknown rank, and no input tells its "
                    "shape");
    return openResult(use, use.output(0).rank());
  }
  NNHAL_ASSIGN_OR_RETURN(StridedBox box, stridedBoxOf(use));
  return onlyResult(use, std::move(box.result));
}

Status runStridedSlice(Run &run) {
  const Use &use = run.use;
  NNHAL_ASSIGN_OR_RETURN(StridedBox box, stridedBoxOf(use));
  NNHAL_ASSIGN_OR_RETURN(std::span<std::byte> to, run.allocateBytes(0));
  uint32_t size = sizeOf(use.element(0));
  Extents strides = stridesOf(use.input(0).dimensions);
  int64_t first = 0;
  for (size_t axis = 0; axis < strides.size(); ++axis) {
    first += box.begins[axis] * strides[axis];
    strides[axis] *= box.steps[axis];
  }
  copyStrided({to.data(), stridesOf(box.counts)},
              {use.bytes(0).data() + first * size, strides}, box.counts, size);
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// DILATE
//===----------------------------------------------------------------------===//

enum DilateTensor : size_t { dilated, dilations, paddingValue };

Result<Types> checkDilate(const Use &use) {
  NNHAL_RETURN_IF_ERROR(checkKept(use, dilated));
  NNHAL_RETURN_IF_ERROR(
      use.checkElement(dilations, elementSet(Element::int32)));
  NNHAL_RETURN_IF_ERROR(use.checkRank(dilations, 1, 1));
  NNHAL_RETURN_IF_ERROR(use.checkExtent(dilations, 0, use.rank(dilated)));
  NNHAL_RETURN_IF_ERROR(
      use.checkElement(paddingValue, elementSet(use.element(dilated))));
  for (int64_t axis = 0; axis < use.rank(paddingValue); ++axis)
    NNHAL_RETURN_IF_ERROR(use.checkExtent(paddingValue, axis, 1));
  std::optional<Extents> factors = use.integers(dilations);
  if (!factors)
    return openResult(use, use.rank(dilated));
  Extents extents = use.input(dilated).dimensions;
  for (size_t axis = 0; axis < extents.size(); ++axis) {
    int64_t factor = (*factors)[axis];
    if (factor < 1)
      return refuse("dilation ", factor, " of dimension ", axis,
                    " must be at least 1");
    if (extents[axis] > 0)
      extents[axis] = (extents[axis] - 1) * factor + 1;
  }
  return onlyResult(use, std::move(extents));
}

Status runDilate(Run &run) {
  const Use &use = run.use;
  NNHAL_ASSIGN_OR_RETURN(std::span<std::byte> to, run.allocateBytes(0));
  uint32_t size = sizeOf(use.element(dilated));
  std::span<const std::byte> padding = use.bytes(paddingValue);
  for (size_t place = 0; place < to.size(); place += size)
    std::memcpy(to.data() + place, padding.data(), size);
  const Extents &extents = use.input(dilated).dimensions;
  Extents strides = stridesOf(run.types[0].dimensions);
  Extents factors = *use.integers(dilations);
  for (size_t axis = 0; axis < strides.size(); ++axis)
    strides[axis] *= factors[axis];
  copyStrided({to.data(), std::move(strides)},
              {use.bytes(dilated).data(), stridesOf(extents)}, extents, size);
  return Status::ok();
}

constexpr OptionRow stridedSliceOptions[] = {
    {"begin_mask"},    {"end_mask"},         {"ellipsis_mask"},
    {"new_axis_mask"}, {"shrink_axis_mask"}, {"offset", OptionKind::truth}};

constexpr OperatorRow rows[] = {
    {22,
     "RESHAPE",
     "input shape? ",
     0,
     anyElement,
     {},
     1,
     checkReshape,
     copyAll},
    {39,
     "TRANSPOSE",
     "input permutation ",
     0,
     anyElement,
     {},
     1,
     checkTranspose,
     runTranspose},
    {43, "SQUEEZE", "input ", 0, anyElement, {}, 1, checkReshape, copyAll},
    {45, "STRIDED_SLICE", "input begin end strides ", 0, anyElement,
     stridedSliceOptions, 1, checkStridedSlice, runStridedSlice},
    {65,
     "SLICE",
     "input begin size ",
     0,
     anyElement,
     {},
     1,
     checkSlice,
     runSlice},
    {69, "TILE", "input multiples ", 0, anyElement, {}, 1, checkTile, runTile},
    {70,
     "EXPAND_DIMS",
     "input axis ",
     0,
     anyElement,
     {},
     1,
     checkExpandDims,
     copyAll},
    {105,
     "REVERSE_V2",
     "input axis ",
     0,
     anyElement,
     {},
     1,
     checkReverse,
     runReverse},
    {130,
     "BROADCAST_TO",
     "input shape ",
     0,
     anyElement,
     {},
     1,
     checkBroadcastTo,
     runBroadcastTo},
    {159, "BITCAST", "input ", 0, anyElement, {}, 1, checkBitcast, copyAll},
    {203,
     "DILATE",
     "input dilations padding_value ",
     0,
     anyElement,
     {},
     1,
     checkDilate,
     runDilate},
};

} // namespace

Rows tflite::movementRows() { return rows; }
