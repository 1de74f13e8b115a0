//===- Indexing.cpp - Elements by indices ---------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operators that find elements by indices, and those that yield indices.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "StridedCopy.h"

#include <algorithm>
#include <unordered_map>

using namespace nnhal;
using namespace nnhal::tflite;

namespace {

constexpr ElementSet gatherIndices =
    elementSet(Element::int16, Element::int32, Element::int64);

Status checkKept(const Use &use, size_t source) {
  return use.checkResultElement(0, elementSet(use.element(source)));
}

/// Returns the index at \p place of a tensor of indices.
int64_t indexAt(const Use &use, size_t tensor, int64_t place) {
  switch (use.element(tensor)) {
  case Element::int16:
    return use.data<int16_t>(tensor)[place];
  case Element::int32:
    return use.data<int32_t>(tensor)[place];
  default:
    return use.data<int64_t>(tensor)[place];
  }
}

Status checkIndex(int64_t index, int64_t extent) {
  if (index < 0 || index >= extent)
    return fail("index ", index, " must be 0 to ", extent - 1);
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// GATHER
//===----------------------------------------------------------------------===//

struct GatherAxes {
  int64_t axis, batch;
};

Result<GatherAxes> gatherAxes(const Use &use) {
  NNHAL_ASSIGN_OR_RETURN(int64_t axis,
                         resolveAxis(use.integer("axis"), use.rank(0)));
  int64_t batch = use.integer("batch_dims");
  if (batch < 0)
    batch += use.rank(1);
  if (batch < 0 || batch > axis || batch > use.rank(1))
    return refuse("option batch_dims is ", use.integer("batch_dims"),
                  ", but must be at most the axis ", axis,
                  " and the rank of the indices");
  return GatherAxes{axis, batch};
}

Result<Types> checkGather(const Use &use) {
  NNHAL_RETURN_IF_ERROR(checkKept(use, 0));
  NNHAL_RETURN_IF_ERROR(use.checkElement(1, gatherIndices));
  NNHAL_ASSIGN_OR_RETURN(GatherAxes axes, gatherAxes(use));
  for (int64_t axis = 0; axis < axes.batch; ++axis)
    NNHAL_RETURN_IF_ERROR(use.checkExtent(1, axis, use.extent(0, axis)));
  const Extents &input = use.input(0).dimensions;
  const Extents &indices = use.input(1).dimensions;
  Extents extents(input.begin(), input.begin() + axes.axis);
  extents.insert(extents.end(), indices.begin() + axes.batch, indices.end());
  extents.insert(extents.end(), input.begin() + axes.axis + 1, input.end());
  bool isScalar = indices.size() == 1;
  return onlyResult(
      use, isScalar ? withoutScalar(use, std::move(extents), size_t(axes.axis))
                    : std::move(extents));
}

Status runGather(Run &run) {
  const Use &use = run.use;
  NNHAL_ASSIGN_OR_RETURN(GatherAxes axes, gatherAxes(use));
  NNHAL_ASSIGN_OR_RETURN(std::span<std::byte> memory, run.allocateBytes(0));
  std::span<const int64_t> input = use.input(0).dimensions;
  std::span<const int64_t> indices = use.input(1).dimensions;
  int64_t batches = elementCount(input.first(size_t(axes.batch)));
  int64_t outer = elementCount(
      input.subspan(size_t(axes.batch), size_t(axes.axis - axes.batch)));
  int64_t extent = input[size_t(axes.axis)];
  int64_t inner = elementCount(input.subspan(size_t(axes.axis) + 1));
  int64_t chosen = elementCount(indices.subspan(size_t(axes.batch)));
  for (int64_t place = 0; place < batches * chosen; ++place)
    NNHAL_RETURN_IF_ERROR(checkIndex(indexAt(use, 1, place), extent));
  size_t row = size_t(inner) * sizeOf(use.element(0));
  if (memory.empty())
    return Status::ok();
  std::byte *to = memory.data();
  const std::byte *from = use.bytes(0).data();
  for (int64_t batch = 0; batch < batches; ++batch)
    for (int64_t block = 0; block < outer; ++block)
      for (int64_t place = 0; place < chosen; ++place, to += row) {
        int64_t index = indexAt(use, 1, batch * chosen + place);
        int64_t source = (batch * outer + block) * extent + index;
        std::memcpy(to, from + size_t(source) * row, row);
      }
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// GATHER_ND, SCATTER_ND
//===----------------------------------------------------------------------===//

/// The number of leading dimensions that one index names.
Result<int64_t> indexDepth(const Use &use, size_t tensor, int64_t rank) {
  NNHAL_RETURN_IF_ERROR(use.checkRank(tensor, 1, 8));
  int64_t depth = use.input(tensor).dimensions.back();
  if (depth == unknownExtent || depth > rank)
    return refuse(use.nameOf(tensor), " has indices of ", depth,
                  " dimensions, but must have 0 to ", rank);
  return depth;
}

/// Returns the row that the index beginning at \p index names; -1 where it is
/// not inside of \p extents.
template <typename T>
int64_t rowAt(const T *index, std::span<const int64_t> extents) {
  int64_t row = 0;
  for (size_t axis = 0; axis < extents.size(); ++axis) {
    // Negative ones are large without their sign.
    if (uint64_t(index[axis]) >= uint64_t(extents[axis]))
      return -1;
    row = row * extents[axis] + index[axis];
  }
  return row;
}

/// Returns the row that index \p number names.
Result<int64_t> rowOf(const Use &use, size_t tensor, int64_t number,
                      int64_t depth, std::span<const int64_t> extents) {
  int64_t row = 0;
  for (int64_t axis = 0; axis < depth; ++axis) {
    int64_t index = indexAt(use, tensor, number * depth + axis);
    NNHAL_RETURN_IF_ERROR(checkIndex(index, extents[size_t(axis)]));
    row = row * extents[size_t(axis)] + index;
  }
  return row;
}

Result<Types> checkGatherNd(const Use &use) {
  NNHAL_RETURN_IF_ERROR(checkKept(use, 0));
  NNHAL_RETURN_IF_ERROR(use.checkElement(1, gatherIndices));
  NNHAL_ASSIGN_OR_RETURN(int64_t depth, indexDepth(use, 1, use.rank(0)));
  Extents extents = use.input(1).dimensions;
  extents.pop_back();
  const Extents &input = use.input(0).dimensions;
  extents.insert(extents.end(), input.begin() + depth, input.end());
  return onlyResult(use, std::move(extents));
}

/// Copies \p count rows of \p size bytes each, which indices name; returns the
/// number of those before the first one that is outside.
template <typename T>
int64_t gatherRows(std::byte *to, const std::byte *from, size_t size,
                   const T *indices, int64_t count,
                   std::span<const int64_t> extents) {
  for (int64_t number = 0; number < count; ++number, to += size) {
    int64_t row = rowAt(indices + number * int64_t(extents.size()), extents);
    if (row < 0)
      return number;
    // The compiler makes a load and a store of memcpy with a constant size.
    const std::byte *source = from + size_t(row) * size;
    if (size == 4)
      std::memcpy(to, source, 4);
    else if (size != 0)
      std::memcpy(to, source, size);
  }
  return count;
}

Status runGatherNd(Run &run) {
  const Use &use = run.use;
  NNHAL_ASSIGN_OR_RETURN(int64_t depth, indexDepth(use, 1, use.rank(0)));
  std::span<const int64_t> indices = use.input(1).dimensions;
  std::span<const int64_t> input = use.input(0).dimensions;
  NNHAL_ASSIGN_OR_RETURN(std::span<std::byte> memory, run.allocateBytes(0));
  size_t size = size_t(elementCount(input.subspan(size_t(depth)))) *
                sizeOf(use.element(0));
  int64_t count = elementCount(indices.first(indices.size() - 1));
  auto gathered = [&](auto zero) {
    return gatherRows(memory.data(), use.bytes(0).data(), size,
                      use.data<decltype(zero)>(1), count,
                      input.first(size_t(depth)));
  };
  int64_t done = use.element(1) == Element::int16   ? gathered(int16_t())
                 : use.element(1) == Element::int32 ? gathered(int32_t())
                                                    : gathered(int64_t());
  // The rule that was broken says how.
  if (done < count)
    return rowOf(use, 1, done, depth, input).takeStatus();
  return Status::ok();
}

Result<Types> checkScatterNd(const Use &use) {
  NNHAL_RETURN_IF_ERROR(checkKept(use, 1));
  NNHAL_RETURN_IF_ERROR(use.checkElement(0, elementSet(Element::int32)));
  NNHAL_RETURN_IF_ERROR(use.checkElement(2, elementSet(Element::int32)));
  std::optional<Extents> shape = use.integers(2);
  if (!shape)
    return onlyResult(use,
                      Extents(size_t(use.output(0).rank()), unknownExtent));
  NNHAL_RETURN_IF_ERROR(checkNewShape(*shape));
  NNHAL_ASSIGN_OR_RETURN(int64_t depth,
                         indexDepth(use, 0, int64_t(shape->size())));
  Extents updates = use.input(0).dimensions;
  updates.pop_back();
  updates.insert(updates.end(), shape->begin() + depth, shape->end());
  NNHAL_RETURN_IF_ERROR(
      use.checkRank(1, int64_t(updates.size()), int64_t(updates.size())));
  for (size_t axis = 0; axis < updates.size(); ++axis)
    NNHAL_RETURN_IF_ERROR(use.checkExtent(1, int64_t(axis), updates[axis]));
  return onlyResult(use, std::move(*shape));
}

Status runScatterNd(Run &run) {
  const Use &use = run.use;
  std::span<const int64_t> shape = run.types[0].dimensions;
  NNHAL_ASSIGN_OR_RETURN(int64_t depth,
                         indexDepth(use, 0, int64_t(shape.size())));
  int64_t inner = elementCount(shape.subspan(size_t(depth)));
  int64_t count = depth == 0 ? 1 : elementCount(use.input(0)) / depth;
  NNHAL_ASSIGN_OR_RETURN(std::span<std::byte> memory, run.allocateBytes(0));
  std::fill(memory.begin(), memory.end(), std::byte(0));
  return withNumber(use.element(1), [&](auto zero) -> Status {
    using T = decltype(zero);
    for (int64_t number = 0; number < count; ++number) {
      NNHAL_ASSIGN_OR_RETURN(int64_t row, rowOf(use, 0, number, depth, shape));
      T *to = reinterpret_cast<T *>(memory.data()) + row * inner;
      const T *from = use.data<T>(1) + number * inner;
      for (int64_t index = 0; index < inner; ++index)
        if constexpr (std::is_same_v<T, bool>)
          to[index] = to[index] || from[index];
        else if constexpr (std::is_integral_v<T>)
          to[index] = T(uint64_t(to[index]) + uint64_t(from[index]));
        else
          to[index] += from[index];
    }
    return Status::ok();
  });
}

//===----------------------------------------------------------------------===//
// SPARSE_TO_DENSE, EMBEDDING_LOOKUP
//===----------------------------------------------------------------------===//

/// The number of indices, of which one is a row, or one element of a result
/// with one dimension.
struct SparseIndices {
  int64_t count, depth;
};
SparseIndices sparseIndices(const Use &use) {
  if (use.rank(0) == 1)
    return {use.extent(0, 0), 1};
  return {use.extent(0, 0), use.extent(0, 1)};
}

Result<Types> checkSparseToDense(const Use &use) {
  NNHAL_RETURN_IF_ERROR(checkKept(use, 2));
  for (size_t tensor : {0, 1})
    NNHAL_RETURN_IF_ERROR(use.checkElement(tensor, indexElements));
  NNHAL_RETURN_IF_ERROR(use.checkElement(3, elementSet(use.element(2))));
  NNHAL_RETURN_IF_ERROR(use.checkRank(0, 1, 2));
  NNHAL_RETURN_IF_ERROR(use.checkRank(2, 1, 1));
  SparseIndices indices = sparseIndices(use);
  // One value is that of all indices.
  if (use.extent(2, 0) != 1)
    NNHAL_RETURN_IF_ERROR(use.checkExtent(2, 0, indices.count));
  NNHAL_RETURN_IF_ERROR(use.checkOneElement(3));
  std::optional<Extents> shape = use.integers(1);
  if (!shape)
    return onlyResult(use,
                      Extents(size_t(use.output(0).rank()), unknownExtent));
  NNHAL_RETURN_IF_ERROR(checkNewShape(*shape));
  if (!mayEqual(indices.depth, int64_t(shape->size())))
    return refuse(use.nameOf(0), " has indices of ", indices.depth,
                  " dimensions, but must have ", shape->size());
  return onlyResult(use, std::move(*shape));
}

/// The last of several values at one place stays.
Status runSparseToDense(Run &run) {
  const Use &use = run.use;
  SparseIndices indices = sparseIndices(use);
  bool isRepeated = use.extent(2, 0) == 1;
  return withStorage(sizeOf(use.element(2)), [&](auto zero) -> Status {
    using T = decltype(zero);
    NNHAL_ASSIGN_OR_RETURN(T * to, run.allocate<T>(0));
    std::fill_n(to, elementCount(run.types[0]), *use.data<T>(3));
    for (int64_t number = 0; number < indices.count; ++number) {
      NNHAL_ASSIGN_OR_RETURN(int64_t place, rowOf(use, 0, number, indices.depth,
                                                  run.types[0].dimensions));
      to[place] = use.data<T>(2)[isRepeated ? 0 : number];
    }
    return Status::ok();
  });
}

Result<Types> checkEmbedding(const Use &use) {
  NNHAL_RETURN_IF_ERROR(checkKept(use, 1));
  NNHAL_RETURN_IF_ERROR(use.checkElement(0, elementSet(Element::int32)));
  NNHAL_RETURN_IF_ERROR(use.checkRank(0, 1, 1));
  NNHAL_RETURN_IF_ERROR(use.checkRank(1, 2, 8));
  Extents extents = use.input(1).dimensions;
  extents[0] = use.extent(0, 0);
  return onlyResult(use, std::move(extents));
}

Status runEmbedding(Run &run) {
  const Use &use = run.use;
  NNHAL_ASSIGN_OR_RETURN(std::span<std::byte> to, run.allocateBytes(0));
  int64_t count = use.extent(0, 0);
  size_t row = to.size() / size_t(count);
  for (int64_t number = 0; number < count; ++number) {
    int64_t index = indexAt(use, 0, number);
    NNHAL_RETURN_IF_ERROR(checkIndex(index, use.extent(1, 0)));
    std::memcpy(to.data() + size_t(number) * row,
                use.bytes(1).data() + size_t(index) * row, row);
  }
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// DYNAMIC_UPDATE_SLICE, ONE_HOT
//===----------------------------------------------------------------------===//

Result<Types> checkUpdate(const Use &use) {
  NNHAL_RETURN_IF_ERROR(checkKept(use, 0));
  NNHAL_RETURN_IF_ERROR(use.checkElement(1, elementSet(use.element(0))));
  NNHAL_RETURN_IF_ERROR(use.checkElement(2, indexElements));
  NNHAL_RETURN_IF_ERROR(use.checkRank(1, use.rank(0), use.rank(0)));
  for (int64_t axis = 0; axis < use.rank(0); ++axis)
    if (use.extent(0, axis) != unknownExtent &&
        use.extent(1, axis) > use.extent(0, axis))
      return refuse(use.nameOf(1), " has extent ", use.extent(1, axis),
                    " in dimension ", axis, ", but must have at most ",
                    use.extent(0, axis));
  if (isKnown(use.input(2).dimensions) &&
      elementCount(use.input(2)) != use.rank(0))
    return refuse(use.nameOf(2), " has ", elementCount(use.input(2)),
                  " elements, but must have ", use.rank(0));
  return onlyResult(use, use.input(0).dimensions);
}

Status runUpdate(Run &run) {
  const Use &use = run.use;
  NNHAL_ASSIGN_OR_RETURN(std::span<std::byte> to, run.allocateBytes(0));
  if (!to.empty())
    std::memcpy(to.data(), use.bytes(0).data(), to.size());
  Extents strides = stridesOf(use.input(0).dimensions);
  int64_t first = 0;
  for (int64_t axis = 0; axis < use.rank(0); ++axis)
    first += strides[size_t(axis)] *
             std::clamp<int64_t>(indexAt(use, 2, axis), 0,
                                 use.extent(0, axis) - use.extent(1, axis));
  uint32_t size = sizeOf(use.element(0));
  const Extents &update = use.input(1).dimensions;
  copyStrided({to.data() + first * size, strides},
              {use.bytes(1).data(), stridesOf(update)}, update, size);
  return Status::ok();
}

Result<Types> checkOneHot(const Use &use) {
  NNHAL_RETURN_IF_ERROR(checkKept(use, 2));
  NNHAL_RETURN_IF_ERROR(use.checkElement(0, indexElements));
  NNHAL_RETURN_IF_ERROR(use.checkElement(1, elementSet(Element::int32)));
  NNHAL_RETURN_IF_ERROR(use.checkElement(3, elementSet(use.element(2))));
  for (size_t tensor : {1, 2, 3})
    NNHAL_RETURN_IF_ERROR(use.checkOneElement(tensor));
  NNHAL_ASSIGN_OR_RETURN(int64_t axis,
                         resolveAxis(use.integer("axis"), use.rank(0) + 1));
  std::optional<Extents> depth = use.integers(1);
  if (depth && depth->front() < 0)
    return refuse("depth ", depth->front(), " must not be negative");
  Extents extents = use.input(0).dimensions;
  extents.insert(extents.begin() + axis,
                 depth ? depth->front() : unknownExtent);
  return onlyResult(
      use, use.rank(0) == 1
               ? withoutScalar(use, std::move(extents), axis == 0 ? 1 : 0)
               : std::move(extents));
}

Status runOneHot(Run &run) {
  const Use &use = run.use;
  NNHAL_ASSIGN_OR_RETURN(int64_t axis,
                         resolveAxis(use.integer("axis"), use.rank(0) + 1));
  std::span<const int64_t> indices = use.input(0).dimensions;
  int64_t outer = elementCount(indices.first(size_t(axis)));
  int64_t inner = elementCount(indices.subspan(size_t(axis)));
  int64_t depth = use.integers(1)->front();
  return withStorage(sizeOf(use.element(2)), [&](auto zero) -> Status {
    using T = decltype(zero);
    NNHAL_ASSIGN_OR_RETURN(T * to, run.allocate<T>(0));
    T on = *use.data<T>(2), off = *use.data<T>(3);
    for (int64_t block = 0; block < outer; ++block)
      for (int64_t place = 0; place < depth; ++place)
        for (int64_t index = 0; index < inner; ++index)
          *to++ = indexAt(use, 0, block * inner + index) == place ? on : off;
    return Status::ok();
  });
}

//===----------------------------------------------------------------------===//
// WHERE, UNIQUE
//===----------------------------------------------------------------------===//

constexpr ElementSet conditions =
    anyElement & ~elementSet(Element::float16, Element::complex64);

Result<Types> checkWhere(const Use &use) {
  NNHAL_RETURN_IF_ERROR(use.checkResultElement(0, elementSet(Element::int64)));
  return onlyResult(use, {unknownExtent, use.rank(0)});
}

Status runWhere(Run &run) {
  const Use &use = run.use;
  int64_t rank = use.rank(0), count = elementCount(use.input(0));
  std::vector<int64_t> found;
  withNumber(use.element(0), [&](auto zero) {
    using T = std::conditional_t<std::is_same_v<decltype(zero), bool>, uint8_t,
                                 decltype(zero)>;
    for (int64_t place = 0; place < count; ++place)
      if (use.data<T>(0)[place] != T(0))
        found.push_back(place);
  });
  NNHAL_ASSIGN_OR_RETURN(
      std::span<std::byte> memory,
      run.allocateBytes(0, Extents{int64_t(found.size()), rank}));
  auto *to = reinterpret_cast<int64_t *>(memory.data());
  Extents strides = stridesOf(use.input(0).dimensions);
  for (int64_t place : found)
    for (int64_t axis = 0; axis < rank; ++axis)
      *to++ = place / strides[size_t(axis)] % use.extent(0, axis);
  return Status::ok();
}

constexpr ElementSet distinguished =
    elementSet(Element::float32, Element::int8, Element::uint8, Element::int16,
               Element::int32, Element::int64);

Result<Types> checkUnique(const Use &use) {
  NNHAL_RETURN_IF_ERROR(checkKept(use, 0));
  NNHAL_RETURN_IF_ERROR(use.checkResultElement(1, indexElements));
  NNHAL_RETURN_IF_ERROR(use.checkRank(0, 1, 1));
  return Types{resultType(use, 0, {unknownExtent}),
               resultType(use, 1, {use.extent(0, 0)})};
}

Status runUnique(Run &run) {
  const Use &use = run.use;
  int64_t count = elementCount(use.input(0));
  return withNumber(use.element(0), [&](auto zero) -> Status {
    using T = decltype(zero);
    std::vector<int64_t> firsts, places;
    std::unordered_map<T, int64_t> known;
    const T *from = use.data<T>(0);
    for (int64_t index = 0; index < count; ++index) {
      auto [entry, isNew] =
          known.try_emplace(from[index], int64_t(firsts.size()));
      if (isNew)
        firsts.push_back(index);
      places.push_back(entry->second);
    }
    NNHAL_ASSIGN_OR_RETURN(
        std::span<std::byte> memory,
        run.allocateBytes(0, Extents{int64_t(firsts.size())}));
    for (size_t index = 0; index < firsts.size(); ++index)
      reinterpret_cast<T *>(memory.data())[index] = from[firsts[index]];
    NNHAL_ASSIGN_OR_RETURN(std::span<std::byte> second, run.allocateBytes(1));
    for (size_t index = 0; index < places.size(); ++index)
      if (use.resultElement(1) == Element::int32)
        reinterpret_cast<int32_t *>(second.data())[index] =
            int32_t(places[index]);
      else
        reinterpret_cast<int64_t *>(second.data())[index] = places[index];
    return Status::ok();
  });
}

constexpr OptionRow gatherOptions[] = {{"axis"}, {"batch_dims"}};
constexpr OptionRow oneHotOptions[] = {{"axis"}};
constexpr OptionRow uniqueOptions[] = {{"idx_out_type"}};

constexpr OptionRow sparseOptions[] = {{"validate_indices", OptionKind::truth}};

constexpr OperatorRow rows[] = {
    {7,
     "EMBEDDING_LOOKUP",
     "lookup values ",
     1,
     anyElement,
     {},
     1,
     checkEmbedding,
     runEmbedding},
    {68, "SPARSE_TO_DENSE", "indices shape values default ", 2, anyElement,
     sparseOptions, 1, checkSparseToDense, runSparseToDense},
    {36, "GATHER", "input indices ", 0, anyElement, gatherOptions, 1,
     checkGather, runGather},
    {85, "ONE_HOT", "indices depth on_value off_value ", 2, anyElement,
     oneHotOptions, 1, checkOneHot, runOneHot},
    {103, "UNIQUE", "input ", 0, distinguished, uniqueOptions, 2, checkUnique,
     runUnique, true},
    {107,
     "GATHER_ND",
     "input indices ",
     0,
     anyElement,
     {},
     1,
     checkGatherNd,
     runGatherNd},
    {109,
     "WHERE",
     "condition ",
     0,
     conditions,
     {},
     1,
     checkWhere,
     runWhere,
     true},
    {122,
     "SCATTER_ND",
     "indices updates shape ",
     1,
     conditions,
     {},
     1,
     checkScatterNd,
     runScatterNd},
    {151,
     "DYNAMIC_UPDATE_SLICE",
     "input update begin ",
     0,
     anyElement,
     {},
     1,
     checkUpdate,
     runUpdate},
};

} // namespace

Rows tflite::indexingRows() { return rows; }
