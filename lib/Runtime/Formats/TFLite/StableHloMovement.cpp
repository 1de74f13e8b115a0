//===- StableHloMovement.cpp - Operators of StableHLO ---------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operators that move elements.
//
//===----------------------------------------------------------------------===//

#include "StableHlo.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>
#include <numeric>

namespace nnhal::rt::tflite {

using Code = schema::BuiltinOperator;
using Builder = Rewriter::Builder;

Status importStableHloReshape(Operator &op) {
  NNHAL_RETURN_IF_ERROR(checkKnown(op));
  NNHAL_ASSIGN_OR_RETURN(Shape shape, statedShape(op));
  Rewriter r(op);
  NNHAL_ASSIGN_OR_RETURN(int32_t reshaped, r.reshape(op.inputs[0], shape));
  return r.give(reshaped);
}

/// \p tensor in \p shape, where dimension i of it is dimension
/// \p dimensions[i] of that.
static Result<int32_t> broadcast(Rewriter &r, int32_t tensor,
                                 const std::vector<int32_t> &dimensions,
                                 const Shape &shape) {
  Shape from(shape.size(), 1);
  for (size_t i = 0; i < dimensions.size(); ++i)
    from[size_t(dimensions[i])] = r.shapeOf(tensor)[i];
  NNHAL_ASSIGN_OR_RETURN(int32_t reshaped, r.reshape(tensor, from));
  if (from == shape)
    return reshaped;
  return r.value(Code::BROADCAST_TO,
                 {reshaped, r.integers({shape.begin(), shape.end()})},
                 reshaped);
}

Status importStableHloBroadcast(Operator &op) {
  NNHAL_RETURN_IF_ERROR(checkKnown(op));
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options2<schema::StablehloBroadcastInDimOptions>());
  NNHAL_ASSIGN_OR_RETURN(Shape shape, statedShape(op));
  NNHAL_ASSIGN_OR_RETURN(std::vector<int32_t> dimensions,
                         dimensionList(options->broadcast_dimensions(),
                                       "broadcast_dimensions", shape.size()));
  if (dimensions.size() != op.shape(0).size())
    return badData("broadcast_dimensions has {} values, expected {}",
                   dimensions.size(), op.shape(0).size());
  std::vector<int32_t> order(dimensions.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](int32_t i) { return dimensions[i]; });
  std::ranges::sort(dimensions);
  Rewriter r(op);
  NNHAL_ASSIGN_OR_RETURN(int32_t sorted, r.transpose(op.inputs[0], order));
  NNHAL_ASSIGN_OR_RETURN(int32_t result,
                         broadcast(r, sorted, dimensions, shape));
  return r.give(result);
}

Status importStableHloConcatenate(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options2<schema::StablehloConcatenateOptions>());
  if (options->dimension() < 0 || options->dimension() > 7)
    return badData("dimension has the value {}, which is not in 0..7",
                   options->dimension());
  return Rewriter(op).finish(Code::CONCATENATION, op.inputs,
                             [&](Builder &builder) {
                               return schema::CreateConcatenationOptions(
                                   builder, int32_t(options->dimension()));
                             });
}

Status importStableHloTranspose(Operator &op) {
  NNHAL_RETURN_IF_ERROR(checkKnown(op));
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options2<schema::StablehloTransposeOptions>());
  size_t rank = op.shape(0).size();
  NNHAL_ASSIGN_OR_RETURN(
      std::vector<int32_t> permutation,
      dimensionList(options->permutation(), "permutation", rank));
  if (permutation.size() != rank)
    return badData("permutation has {} values, expected {}", permutation.size(),
                   rank);
  Rewriter r(op);
  NNHAL_ASSIGN_OR_RETURN(int32_t moved, r.transpose(op.inputs[0], permutation));
  return r.give(moved);
}

Status importStableHloSlice(Operator &op) {
  NNHAL_RETURN_IF_ERROR(checkKnown(op));
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options2<schema::StablehloSliceOptions>());
  size_t rank = op.shape(0).size();
  NNHAL_ASSIGN_OR_RETURN(
      std::vector<int32_t> begin,
      attribute(options->start_indices(), "start_indices", rank, 0, INT32_MAX));
  NNHAL_ASSIGN_OR_RETURN(
      std::vector<int32_t> end,
      attribute(options->limit_indices(), "limit_indices", rank, 0, INT32_MAX));
  NNHAL_ASSIGN_OR_RETURN(
      std::vector<int32_t> strides,
      attribute(options->strides(), "strides", rank, 1, INT32_MAX));
  for (size_t i = 0; i < rank; ++i)
    if (begin[i] >= end[i] || uint32_t(end[i]) > op.shape(0)[i])
      return badData("a slice from {} to {} leaves dimension {} of extent {}",
                     begin[i], end[i], i, op.shape(0)[i]);
  Rewriter r(op);
  return r.finish(Code::STRIDED_SLICE, {op.inputs[0], r.integers(begin),
                                        r.integers(end), r.integers(strides)});
}

//===----------------------------------------------------------------------===//
// Places that are computed
//===----------------------------------------------------------------------===//

/// The scalars from input \p first on, one per dimension of input 0, as one
/// tensor of INT32.
static Result<int32_t> joinedIndices(Operator &op, Rewriter &r, size_t first) {
  size_t rank = op.shape(0).size();
  if (op.inputCount() - first != rank || rank == 0)
    return badData("has {} indices for a tensor of rank {}",
                   op.inputCount() - first, rank);
  std::vector<int32_t> scalars;
  for (size_t i = first; i < op.inputCount(); ++i) {
    if (!op.shape(i).empty())
      return badData("index {} has shape {}, expected a scalar", i - first,
                     toString(op.shape(i)));
    NNHAL_ASSIGN_OR_RETURN(int32_t index, r.asInt32(op.inputs[i]));
    scalars.push_back(index);
  }
  return r.value(Code::PACK, scalars, scalars[0], [&](Builder &builder) {
    return schema::CreatePackOptions(builder, int32_t(rank));
  });
}

/// The integers \p tensor, of INT32, bounded by 0 and \p limits.
static Result<int32_t> bounded(Rewriter &r, int32_t tensor, int32_t limits) {
  NNHAL_ASSIGN_OR_RETURN(
      int32_t above, r.value(Code::MAXIMUM, {tensor, r.integers({0})}, tensor));
  return r.value(Code::MINIMUM, {above, limits}, tensor);
}

Status importStableHloDynamicSlice(Operator &op) {
  NNHAL_RETURN_IF_ERROR(checkKnown(op));
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options2<schema::StablehloDynamicSliceOptions>());
  const Shape &shape = op.shape(0);
  NNHAL_ASSIGN_OR_RETURN(std::vector<int32_t> sizes,
                         attribute(options->slice_sizes(), "slice_sizes",
                                   shape.size(), 1, INT32_MAX));
  std::vector<int32_t> limits(sizes.size());
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (uint32_t(sizes[i]) > shape[i])
      return badData("{} elements leave dimension {} of extent {}", sizes[i], i,
                     shape[i]);
    limits[i] = int32_t(shape[i]) - sizes[i];
  }
  Rewriter r(op);
  NNHAL_ASSIGN_OR_RETURN(int32_t begin, joinedIndices(op, r, 1));
  NNHAL_ASSIGN_OR_RETURN(begin, bounded(r, begin, r.integers(limits)));
  NNHAL_ASSIGN_OR_RETURN(int32_t end,
                         r.value(Code::ADD, {begin, r.integers(sizes)}, begin));
  return r.finish(Code::STRIDED_SLICE,
                  {op.inputs[0], begin, end,
                   r.integers(std::vector<int32_t>(sizes.size(), 1))});
}

Status importStableHloDynamicUpdateSlice(Operator &op) {
  NNHAL_RETURN_IF_ERROR(checkKnown(op));
  Rewriter r(op);
  NNHAL_ASSIGN_OR_RETURN(int32_t begin, joinedIndices(op, r, 2));
  return r.finish(Code::DYNAMIC_UPDATE_SLICE,
                  {op.inputs[0], op.inputs[1], begin});
}

/// The axis along which a GATHER of the file format has the same results.
static Result<int32_t>
gatherAxis(Operator &op, const schema::StablehloGatherOptions &options) {
  const Shape &table = op.shape(0), &indices = op.shape(1);
  NNHAL_ASSIGN_OR_RETURN(std::vector<int32_t> axes,
                         dimensionList(options.start_index_map(),
                                       "start_index_map", table.size()));
  NNHAL_ASSIGN_OR_RETURN(std::vector<int32_t> collapsed,
                         dimensionList(options.collapsed_slice_dims(),
                                       "collapsed_slice_dims", table.size()));
  NNHAL_ASSIGN_OR_RETURN(std::vector<int32_t> sizes,
                         attribute(options.slice_sizes(), "slice_sizes",
                                   table.size(), 0, INT32_MAX));
  auto last = int64_t(indices.size());
  bool isScalar = options.index_vector_dim() == last;
  bool isVector =
      options.index_vector_dim() == last - 1 && last > 0 && indices.back() == 1;
  if (axes.size() != 1 || collapsed != axes || (!isScalar && !isVector))
    return badData("only gathers along one dimension are imported");
  size_t axis = size_t(axes[0]), batch = indices.size() - (isVector ? 1 : 0);
  for (size_t i = 0; i < table.size(); ++i)
    if (uint32_t(sizes[i]) != (i == axis ? 1 : table[i]))
      return badData("only gathers of whole slices are imported, found {} of "
                     "{} elements of dimension {}",
                     sizes[i], table[i], i);
  std::vector<int64_t> offsets;
  for (size_t i = 0; i + 1 < table.size(); ++i)
    offsets.push_back(int64_t(i < axis ? i : i + batch));
  if (!std::ranges::equal(copyOf(options.offset_dims()), offsets))
    return badData("only gathers whose slices keep their place are imported");
  return int32_t(axis);
}

Status importStableHloGather(Operator &op) {
  NNHAL_RETURN_IF_ERROR(checkKnown(op));
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options2<schema::StablehloGatherOptions>());
  NNHAL_ASSIGN_OR_RETURN(int32_t axis, gatherAxis(op, *options));
  Rewriter r(op);
  Shape shape = op.shape(1);
  if (options->index_vector_dim() < int64_t(shape.size()))
    shape.pop_back();
  NNHAL_ASSIGN_OR_RETURN(int32_t indices, r.asInt32(op.inputs[1]));
  // Indices outside of the table name its first or last slice.
  auto limit = int32_t(op.shape(0)[size_t(axis)] - 1);
  NNHAL_ASSIGN_OR_RETURN(indices, bounded(r, indices, r.integers({limit})));
  NNHAL_ASSIGN_OR_RETURN(indices, r.reshape(indices, shape));
  return r.finish(Code::GATHER, {op.inputs[0], indices}, [&](Builder &builder) {
    return schema::CreateGatherOptions(builder, axis);
  });
}

//===----------------------------------------------------------------------===//
// Padding
//===----------------------------------------------------------------------===//

/// The list that paddings of the file format have, of those that are not
/// negative.
static std::vector<int32_t> pairsOf(const HloPadding &padding) {
  std::vector<int32_t> pairs;
  for (size_t i = 0; i < padding.low.size(); ++i) {
    pairs.push_back(std::max(padding.low[i], 0));
    pairs.push_back(std::max(padding.high[i], 0));
  }
  return pairs;
}

static Result<HloPadding> paddingOf(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options2<schema::StablehloPadOptions>());
  constexpr int64_t most = 1 << 30;
  size_t rank = op.shape(0).size();
  HloPadding padding;
  NNHAL_ASSIGN_OR_RETURN(padding.low,
                         attribute(options->edge_padding_low(),
                                   "edge_padding_low", rank, -most, most));
  NNHAL_ASSIGN_OR_RETURN(padding.high,
                         attribute(options->edge_padding_high(),
                                   "edge_padding_high", rank, -most, most));
  NNHAL_ASSIGN_OR_RETURN(padding.interior,
                         attribute(options->interior_padding(),
                                   "interior_padding", rank, 0, most));
  return padding;
}

static bool anyOf(const std::vector<int32_t> &values, bool (*holds)(int32_t)) {
  return std::ranges::any_of(values, holds);
}

/// Slices off \p tensor the elements that negative padding removes.
static Result<int32_t> cropped(Rewriter &r, int32_t tensor,
                               const HloPadding &padding) {
  auto isNegative = [](int32_t value) { return value < 0; };
  if (!anyOf(padding.low, isNegative) && !anyOf(padding.high, isNegative))
    return tensor;
  Shape shape = r.shapeOf(tensor);
  std::vector<int32_t> begin, size;
  for (size_t i = 0; i < shape.size(); ++i) {
    begin.push_back(std::max(-padding.low[i], 0));
    size.push_back(int32_t(shape[i]) - begin[i] -
                   std::max(-padding.high[i], 0));
    if (size[i] < 1)
      return badData("negative padding leaves {} elements of dimension {}",
                     size[i], i);
  }
  return r.value(Code::SLICE, {tensor, r.integers(begin), r.integers(size)},
                 tensor);
}

Result<int32_t> padded(Rewriter &r, int32_t tensor, int32_t value,
                       const HloPadding &padding) {
  auto isPositive = [](int32_t number) { return number > 0; };
  if (anyOf(padding.interior, isPositive)) {
    std::vector<int32_t> dilations = padding.interior;
    for (int32_t &dilation : dilations)
      ++dilation;
    NNHAL_ASSIGN_OR_RETURN(
        tensor,
        r.value(Code::DILATE, {tensor, r.integers(dilations), value}, tensor));
  }
  if (anyOf(padding.low, isPositive) || anyOf(padding.high, isPositive)) {
    Shape rows = {uint32_t(padding.low.size()), 2};
    NNHAL_ASSIGN_OR_RETURN(
        tensor,
        r.value(Code::PADV2,
                {tensor, r.integers(pairsOf(padding), rows), value}, tensor));
  }
  return cropped(r, tensor, padding);
}

Status importStableHloPad(Operator &op) {
  NNHAL_RETURN_IF_ERROR(checkKnown(op));
  NNHAL_ASSIGN_OR_RETURN(HloPadding padding, paddingOf(op));
  Rewriter r(op);
  NNHAL_ASSIGN_OR_RETURN(int32_t result,
                         padded(r, op.inputs[0], op.inputs[1], padding));
  return r.give(result);
}

//===----------------------------------------------------------------------===//
// IOTA
//===----------------------------------------------------------------------===//

Status importStableHloIota(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options2<schema::StablehloIotaOptions>());
  NNHAL_ASSIGN_OR_RETURN(Shape shape, statedShape(op));
  int64_t dimension = options->iota_dimension();
  if (dimension < 0 || dimension >= int64_t(shape.size()))
    return badData("iota_dimension has the value {}, which is not in 0..{}",
                   dimension, int64_t(shape.size()) - 1);
  // The numbers lie in memory, and the file that states them may be small.
  constexpr uint32_t most = 1 << 24;
  uint32_t extent = shape[size_t(dimension)];
  if (extent > most)
    return badData("counts to {}, which is more than {}", extent, most);
  std::vector<int32_t> numbers(extent);
  std::iota(numbers.begin(), numbers.end(), 0);
  Rewriter r(op);
  int32_t counted = r.integers(numbers);
  if (op.output(0).sourceType != schema::TensorType::INT32) {
    NNHAL_ASSIGN_OR_RETURN(
        counted,
        r.value(Code::CAST, {counted}, op.outputs[0], [&](Builder &builder) {
          return schema::CreateCastOptions(builder, schema::TensorType::INT32,
                                           op.output(0).sourceType);
        }));
  }
  NNHAL_ASSIGN_OR_RETURN(int32_t result,
                         broadcast(r, counted, {int32_t(dimension)}, shape));
  return r.give(result);
}

} // namespace nnhal::rt::tflite
