//===- Sequence.cpp - Operators on sequences ------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// REVERSE_SEQUENCE and CUMSUM.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "StridedCopy.h"

using namespace nnhal;
using namespace nnhal::tflite;

namespace {

//===----------------------------------------------------------------------===//
// REVERSE_SEQUENCE
//===----------------------------------------------------------------------===//

struct SequenceAxes {
  int64_t sequence, batch;
};

Result<SequenceAxes> sequenceAxes(const Use &use) {
  NNHAL_ASSIGN_OR_RETURN(int64_t sequence,
                         resolveAxis(use.integer("seq_dim"), use.rank(0)));
  NNHAL_ASSIGN_OR_RETURN(int64_t batch,
                         resolveAxis(use.integer("batch_dim"), use.rank(0)));
  if (sequence == batch)
    return refuse("options seq_dim and batch_dim are both ", batch);
  return SequenceAxes{sequence, batch};
}

Result<Types> checkReverse(const Use &use) {
  NNHAL_RETURN_IF_ERROR(use.checkResultElement(0, elementSet(use.element(0))));
  NNHAL_RETURN_IF_ERROR(use.checkElement(1, indexElements));
  NNHAL_ASSIGN_OR_RETURN(SequenceAxes axes, sequenceAxes(use));
  NNHAL_RETURN_IF_ERROR(use.checkRank(1, 1, 1));
  NNHAL_RETURN_IF_ERROR(use.checkExtent(1, 0, use.extent(0, axes.batch)));
  int64_t most = use.extent(0, axes.sequence);
  std::optional<Extents> lengths = use.integers(1);
  if (lengths && most != unknownExtent)
    for (int64_t length : *lengths)
      if (length < 0 || length > most)
        return refuse("length ", length, " must be 0 to ", most);
  return onlyResult(use, use.input(0).dimensions);
}

Status runReverse(Run &run) {
  const Use &use = run.use;
  NNHAL_ASSIGN_OR_RETURN(SequenceAxes axes, sequenceAxes(use));
  NNHAL_ASSIGN_OR_RETURN(std::span<std::byte> to, run.allocateBytes(0));
  if (to.empty())
    return Status::ok();
  std::memcpy(to.data(), use.bytes(0).data(), to.size());
  Extents strides = stridesOf(use.input(0).dimensions), back = strides;
  Extents box = use.input(0).dimensions, lengths = *use.integers(1);
  uint32_t size = sizeOf(use.element(0));
  int64_t step = strides[size_t(axes.sequence)];
  back[size_t(axes.sequence)] = -step;
  box[size_t(axes.batch)] = 1;
  for (size_t batch = 0; batch < lengths.size(); ++batch) {
    int64_t first = int64_t(batch) * strides[size_t(axes.batch)];
    box[size_t(axes.sequence)] = lengths[batch];
    if (lengths[batch] > 0)
      copyStrided(
          {to.data() + first * size, strides},
          {use.bytes(0).data() + (first + (lengths[batch] - 1) * step) * size,
           back},
          box, size);
  }
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// CUMSUM
//===----------------------------------------------------------------------===//

Result<Types> checkCumsum(const Use &use) {
  NNHAL_RETURN_IF_ERROR(use.checkResultElement(0, elementSet(use.element(0))));
  NNHAL_RETURN_IF_ERROR(use.checkElement(1, elementSet(Element::int32)));
  if (std::optional<Extents> axes = use.integers(1)) {
    if (axes->size() != 1)
      return refuse(use.nameOf(1), " has ", axes->size(),
                    " elements, but must have 1");
    NNHAL_RETURN_IF_ERROR(resolveAxis(axes->front(), use.rank(0)).status());
  }
  return onlyResult(use, use.input(0).dimensions);
}

/// The axis of a CUMSUM: its extent, and the distance between neighbours in
/// elements.
struct SumWalk {
  int64_t extent, step;
  bool isExclusive, isReverse;
};

/// Sums along \p width neighbours at once.
template <int64_t width, typename Sum, typename T>
void accumulateSome(T *to, const T *from, const SumWalk &walk) {
  Sum sums[width] = {};
  const int64_t extent = walk.extent;
  const bool isExclusive = walk.isExclusive;
  int64_t place = walk.isReverse ? (extent - 1) * walk.step : 0;
  const int64_t next = walk.isReverse ? -walk.step : walk.step;
  for (int64_t index = 0; index < extent; ++index, place += next) {
    for (int64_t inner = 0; inner < width; ++inner) {
      Sum with = sums[inner] + Sum(from[place + inner]);
      to[place + inner] = T(isExclusive ? sums[inner] : with);
      sums[inner] = with;
    }
  }
}

template <typename T, typename Sum> Status accumulate(Run &run) {
  const Use &use = run.use;
  NNHAL_ASSIGN_OR_RETURN(T * to, run.allocate<T>(0));
  NNHAL_ASSIGN_OR_RETURN(int64_t axis,
                         resolveAxis(use.integers(1)->front(), use.rank(0)));
  int64_t count = elementCount(use.input(0));
  const SumWalk walk{use.extent(0, axis),
                     stridesOf(use.input(0).dimensions)[size_t(axis)],
                     use.truth("exclusive"), use.truth("reverse")};
  const T *from = use.data<T>(0);
  for (int64_t block = 0; block < count; block += walk.extent * walk.step) {
    int64_t inner = 0;
    for (; inner + 16 <= walk.step; inner += 16)
      accumulateSome<16, Sum>(to + block + inner, from + block + inner, walk);
    for (; inner < walk.step; ++inner)
      accumulateSome<1, Sum>(to + block + inner, from + block + inner, walk);
  }
  return Status::ok();
}

Status runCumsum(Run &run) {
  switch (run.use.element(0)) {
  case Element::int32:
    return accumulate<int32_t, uint32_t>(run);
  case Element::int64:
    return accumulate<int64_t, uint64_t>(run);
  default:
    return accumulate<float, float>(run);
  }
}

constexpr ElementSet numbers =
    elementSet(Element::float32, Element::int32, Element::int64);
constexpr OptionRow sequenceOptions[] = {{"seq_dim"}, {"batch_dim"}};
constexpr OptionRow cumsumOptions[] = {{"exclusive", OptionKind::truth},
                                       {"reverse", OptionKind::truth}};

constexpr OperatorRow rows[] = {
    {112, "REVERSE_SEQUENCE", "input lengths ", 0, anyElement, sequenceOptions,
     1, checkReverse, runReverse},
    {128, "CUMSUM", "input axis ", 0, numbers, cumsumOptions, 1, checkCumsum,
     runCumsum},
};

} // namespace

Rows tflite::sequenceRows() { return rows; }
