//===- DataMovement.cpp - Forms of the DataMovement operations ------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Where a parameter is not known yet, the rule runs with a neutral one on an
// input without extents: types and ranks are checked, and no extent is claimed.
//
//===----------------------------------------------------------------------===//

#include "nnhal/Backend/Signatures/DataMovement.h"
#include "Runtime/Support/Errors.h"

#include "../Rules/Checks.h"
#include "Reader.h"

#include <algorithm>

using namespace nnhal::rt;
using namespace nnhal::rt::signatures;

using Int64s = std::vector<int64_t>;

//===----------------------------------------------------------------------===//
// Shared
//===----------------------------------------------------------------------===//

/// Input 0 as a rule may see it: without extents where a parameter is missing.
static TensorType visible(const Reader &reader, size_t index = 0) {
  return reader.isComplete() ? reader.input(index)
                             : shapeless(reader.input(index));
}

/// \p values, or as many times \p neutral as \p type has dimensions.
static Int64s valuesOr(std::optional<Int64s> values, const TensorType &type,
                       int64_t neutral) {
  return values ? *std::move(values) : Int64s(type.dimensions.size(), neutral);
}

/// The facts of a use whose result is of unknown rank where a parameter is
/// missing.
static Result<OperationFacts> rankFromValues(const Reader &reader,
                                             TensorType result) {
  if (!reader.isComplete())
    result = rules::withoutRank(result);
  return factsOf(reader, std::vector<TensorType>{std::move(result)});
}

/// Lists that are longer give no rank: nobody shall reserve memory for what a
/// length alone claims.
static constexpr int64_t mostListedExtents = 256;

/// \p result with as many unknown extents as the list \p index, whose elements
/// are absent, has elements, or as the output is stated to have.
static Result<TensorType> rankFromLength(const Reader &reader, size_t index,
                                         const TensorType &result) {
  const TensorType &list = reader.input(index);
  const TensorType &stated = reader.output(0);
  bool isKnown =
      list.isRanked && list.rank() == 1 && rules::isKnown(list.dimensions[0]);
  int64_t length = isKnown ? list.dimensions[0] : 0;
  if (!stated.isRanked && (length < 1 || length > mostListedExtents))
    return rules::withoutRank(result);
  if (!stated.isRanked)
    return rules::withShape(result, Int64s(size_t(length), unknownExtent));
  if (isKnown && length != stated.rank()) // reshape C7, fill C5
    return badData("the shape has {} elements, but the output has rank {}",
                   length, stated.rank());
  return rules::withShape(result,
                          Int64s(stated.dimensions.size(), unknownExtent));
}

/// The list \p name. One that is omitted has the type of a list, too (M-001).
static Result<std::optional<Int64s>> optionalList(Reader &reader,
                                                  std::string_view name) {
  if (reader.states(name))
    return reader.int32List(name);
  size_t index = reader.indexOf(name);
  if (index < reader.inputCount() &&
      reader.inputType(index) != OperandType::TENSOR_INT32) // signature C4
    return badData("input {} ({}) has type {}, expected TENSOR_INT32", index,
                   name, nameOf(reader.inputType(index)));
  return std::optional<Int64s>();
}

//===----------------------------------------------------------------------===//
// RESHAPE, SQUEEZE, EXPAND_DIMS and TRANSPOSE
//===----------------------------------------------------------------------===//

/// \p sizes with the one that is -1 resolved, where \p input tells it (M-105).
static Result<TensorType> reshaped(const TensorType &input, Ints sizes) {
  TensorType result = rules::withShape(input, {});
  bool hasWildcard = false;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < -1) // reshape C5
      return badData("element {} of the shape is {}, below -1", i, sizes[i]);
    if (sizes[i] == -1 && hasWildcard) // reshape C6
      return badData("the shape has more than one -1");
    hasWildcard |= sizes[i] == -1;
    result.dimensions.push_back(sizes[i] == -1 ? unknownExtent : sizes[i]);
  }
  NNHAL_RETURN_IF_ERROR(checkReshape(input, result));
  NNHAL_ASSIGN_OR_RETURN(int64_t total, rules::elementCount("input", input));
  if (!hasWildcard || !rules::isKnown(total))
    return result;
  auto wildcard = std::ranges::find(result.dimensions, unknownExtent);
  *wildcard = 1;
  NNHAL_ASSIGN_OR_RETURN(int64_t others, rules::elementCount("shape", result));
  if (others == 0) // reshape C3
    return badData("the shape has 0 elements, input has {}", total);
  *wildcard = total / others;
  return result;
}

static Result<OperationFacts> reshapeFacts(Reader &reader) {
  NNHAL_ASSIGN_OR_RETURN(std::optional<Int64s> sizes,
                         reader.int32List("shape"));
  if (sizes)
    return factsOf(reader, reshaped(reader.input(0), *sizes));
  NNHAL_ASSIGN_OR_RETURN(TensorType result,
                         rankFromLength(reader, 1, reader.input(0)));
  NNHAL_RETURN_IF_ERROR(checkReshape(reader.input(0), result));
  return factsOf(reader, std::vector<TensorType>{std::move(result)});
}

static Result<OperationFacts> squeezeFacts(Reader &reader) {
  const TensorType &input = reader.input(0);
  NNHAL_ASSIGN_OR_RETURN(std::optional<Int64s> axes,
                         optionalList(reader, "axes"));
  if (!reader.states("axes")) {
    axes.emplace();
    for (size_t i = 0; i < input.dimensions.size(); ++i) {
      if (input.dimensions[i] == 1)
        axes->push_back(int64_t(i));
      else if (!rules::isKnown(input.dimensions[i]))
        reader.setIncomplete();
    }
  }
  NNHAL_ASSIGN_OR_RETURN(TensorType result,
                         squeeze(input, axes.value_or(Int64s())));
  return rankFromValues(reader, std::move(result));
}

static Result<OperationFacts> expandDimsFacts(Reader &reader) {
  NNHAL_ASSIGN_OR_RETURN(int32_t axis, reader.int32("axis", 0));
  return factsOf(reader, expandDims(reader.input(0), axis));
}

/// Dimensions in reverse where the permutation is omitted: what the
/// documentation says for any rank (M-257).
static Result<Int64s> readPermutation(Reader &reader) {
  int64_t rank = reader.input(0).rank();
  Int64s reverse;
  for (int64_t i = rank - 1; i >= 0; --i)
    reverse.push_back(i);
  NNHAL_ASSIGN_OR_RETURN(std::optional<Int64s> values,
                         optionalList(reader, "permutation"));
  return values ? *std::move(values) : reverse;
}

static Result<OperationFacts> transposeFacts(Reader &reader) {
  NNHAL_ASSIGN_OR_RETURN(Int64s permutation, readPermutation(reader));
  return factsOf(reader, transpose(reader.input(0), permutation));
}

Result<Int64s> nnhal::rt::decodePermutation(const OperationView &operation) {
  Reader reader(operation);
  return readPermutation(reader);
}

//===----------------------------------------------------------------------===//
// CONCATENATION, SPLIT, GATHER and CHANNEL_SHUFFLE
//===----------------------------------------------------------------------===//

static Result<OperationFacts> concatenationFacts(Reader &reader) {
  size_t count = reader.inputCount() - 1;
  NNHAL_ASSIGN_OR_RETURN(int32_t axis, reader.int32("axis", 0));
  std::vector<TensorType> inputs;
  for (size_t i = 0; i < count; ++i) {
    inputs.push_back(visible(reader, i));
    // Inputs of another quantization than the output's came with HAL 1.2
    // (M-110).
    if (inputs[i].scale != reader.output(0).scale ||
        inputs[i].zeroPoint != reader.output(0).zeroPoint)
      reader.require(HalVersion::V1_2);
  }
  return factsOf(reader, concatenation(inputs, axis));
}

static Result<OperationFacts> splitFacts(Reader &reader) {
  auto results = int32_t(reader.outputCount());
  NNHAL_ASSIGN_OR_RETURN(int32_t axis, reader.int32("axis", 0));
  NNHAL_ASSIGN_OR_RETURN(int32_t count, reader.int32("splits", results));
  if (count != results) // split C5
    return badData("found {} outputs, expected {}, the number of splits",
                   results, count);
  NNHAL_ASSIGN_OR_RETURN(TensorType part, split(visible(reader), axis, count));
  return factsOf(reader, std::vector<TensorType>(reader.outputCount(), part));
}

static Result<OperationFacts> gatherFacts(Reader &reader) {
  NNHAL_ASSIGN_OR_RETURN(int32_t axis, reader.int32("axis", 0));
  return factsOf(reader, gather(reader.input(0), reader.input(2), axis));
}

static Result<OperationFacts> channelShuffleFacts(Reader &reader) {
  NNHAL_ASSIGN_OR_RETURN(int32_t groups, reader.int32("groups"));
  NNHAL_ASSIGN_OR_RETURN(int32_t axis, reader.int32("axis", 0));
  return factsOf(reader, channelShuffle(visible(reader), groups, axis));
}

Result<int64_t> nnhal::rt::decodeGroups(const OperationView &operation) {
  Reader reader(operation);
  NNHAL_ASSIGN_OR_RETURN(int32_t groups, reader.int32("groups"));
  return int64_t(groups);
}

Result<int64_t> nnhal::rt::decodeAxis(const OperationView &operation) {
  Reader reader(operation);
  NNHAL_ASSIGN_OR_RETURN(int32_t axis, reader.int32("axis", 0));
  return rules::resolveAxis("axis", axis, reader.input(0).rank());
}

//===----------------------------------------------------------------------===//
// SLICE and STRIDED_SLICE
//===----------------------------------------------------------------------===//

static Result<OperationFacts> sliceFacts(Reader &reader) {
  NNHAL_ASSIGN_OR_RETURN(std::optional<Int64s> begin,
                         reader.int32List("begin"));
  NNHAL_ASSIGN_OR_RETURN(std::optional<Int64s> size, reader.int32List("size"));
  TensorType input = visible(reader);
  return factsOf(reader, slice(input, valuesOr(std::move(begin), input, 0),
                               valuesOr(std::move(size), input, -1)));
}

namespace {

/// STRIDED_SLICE as stated. Lists that are absent are of the neutral values.
struct StridedParams {
  Int64s begin, end, strides;
  int32_t beginMask = 0, endMask = 0, shrinkMask = 0;
  bool knowsShrinkMask = false;
};

} // namespace

static bool hasBit(int32_t mask, size_t dimension) {
  return dimension < 32 && (uint32_t(mask) >> dimension & 1) != 0;
}

static Result<StridedParams> readStrided(Reader &reader) {
  const TensorType &input = reader.input(0);
  StridedParams params;
  NNHAL_ASSIGN_OR_RETURN(std::optional<Int64s> begin,
                         reader.int32List("begin"));
  NNHAL_ASSIGN_OR_RETURN(std::optional<Int64s> end, reader.int32List("end"));
  NNHAL_ASSIGN_OR_RETURN(std::optional<Int64s> strides,
                         reader.int32List("strides"));
  params.begin = valuesOr(std::move(begin), input, 0);
  params.end = valuesOr(std::move(end), input, 0);
  params.strides = valuesOr(std::move(strides), input, 1);
  NNHAL_ASSIGN_OR_RETURN(params.beginMask, reader.int32("begin_mask", 0));
  NNHAL_ASSIGN_OR_RETURN(params.endMask, reader.int32("end_mask", 0));
  NNHAL_ASSIGN_OR_RETURN(params.shrinkMask, reader.int32("shrink_mask", 0));
  params.knowsShrinkMask = reader.knows("shrink_mask");
  return params;
}

/// The position that \p index of a dimension of \p extent means: negative ones
/// count from the end; limited to the positions of the direction (M-114).
static int64_t positionOf(int64_t index, int64_t extent, bool isForward) {
  if (index < 0)
    index += extent;
  return isForward ? std::clamp<int64_t>(index, 0, extent)
                   : std::clamp<int64_t>(index, -1, extent - 1);
}

/// \p params with masks applied for an input of known extents, which are not 0;
/// lists that are too short are left to the rule.
static SliceForm resolveStrided(const StridedParams &params,
                                const TensorType &input) {
  SliceForm form{params.begin, params.end, params.strides, {}};
  size_t rank = input.dimensions.size();
  for (size_t i = 0; i < rank; ++i)
    if (hasBit(params.shrinkMask, i))
      form.shrinkAxes.push_back(int64_t(i));
  if (form.begin.size() != rank || form.end.size() != rank ||
      form.strides.size() != rank)
    return form;
  for (size_t i = 0; i < rank; ++i) {
    int64_t extent = input.dimensions[i];
    bool isForward = form.strides[i] > 0;
    form.begin[i] = hasBit(params.beginMask, i)
                        ? (isForward ? 0 : extent - 1)
                        : positionOf(form.begin[i], extent, isForward);
    form.end[i] = hasBit(params.endMask, i)
                      ? (isForward ? extent : -1)
                      : positionOf(form.end[i], extent, isForward);
  }
  return form;
}

static Result<OperationFacts> stridedSliceFacts(Reader &reader) {
  NNHAL_ASSIGN_OR_RETURN(StridedParams params, readStrided(reader));
  const TensorType &input = reader.input(0);
  if (std::ranges::count(input.dimensions, unknownExtent) > 0)
    reader.setIncomplete();
  if (reader.isComplete()) {
    SliceForm form = resolveStrided(params, input);
    return factsOf(reader, stridedSlice(input, form.begin, form.end,
                                        form.strides, form.shrinkAxes));
  }
  // Positions depend on extents, the rank of the result on the mask alone.
  std::fill(params.begin.begin(), params.begin.end(), 0);
  std::fill(params.end.begin(), params.end.end(), 0);
  NNHAL_ASSIGN_OR_RETURN(TensorType result,
                         stridedSlice(shapeless(input), params.begin,
                                      params.end, params.strides, {}));
  if (!params.knowsShrinkMask)
    return rankFromValues(reader, std::move(result));
  size_t removed = 0;
  for (size_t i = 0; i < result.dimensions.size(); ++i)
    removed += hasBit(params.shrinkMask, i);
  if (result.isRanked)
    result.dimensions.resize(
        std::max<size_t>(result.dimensions.size() - removed, 1));
  return factsOf(reader, std::vector<TensorType>{std::move(result)});
}

Result<SliceForm> nnhal::rt::decodeSlice(const OperationView &operation) {
  Reader reader(operation);
  if (operation.type == OperationType::STRIDED_SLICE) {
    NNHAL_ASSIGN_OR_RETURN(StridedParams params, readStrided(reader));
    return resolveStrided(params, reader.input(0));
  }
  SliceForm form;
  NNHAL_ASSIGN_OR_RETURN(std::optional<Int64s> begin,
                         reader.int32List("begin"));
  form.begin = valuesOr(std::move(begin), reader.input(0), 0);
  form.strides.assign(form.begin.size(), 1);
  return form;
}

//===----------------------------------------------------------------------===//
// PAD, PAD_V2, TILE, FILL and RANK
//===----------------------------------------------------------------------===//

/// A TENSOR_INT32 of \p rows pairs; any number where \p rows is unknown.
static Result<std::optional<Int64s>> readPaddings(Reader &reader,
                                                  int64_t rows) {
  size_t index = reader.indexOf("paddings");
  if (index >= reader.inputCount()) // Says what is wrong.
    return reader.int32Tensor("paddings");
  const TensorType &type = reader.input(index);
  TensorType expected = rules::withShape(type, {rows, 2});
  if (type.isRanked &&
      (type.rank() != 2 || // pad C4, space_to_batch_nd C5
       !rules::checkSameShape("paddings", type, "expected", expected).isOk()))
    return badData("paddings have shape {}, expected {}", shapeText(type),
                   shapeText(expected));
  return reader.int32Tensor("paddings");
}

/// The paddings of PAD and PAD_V2; none where they are absent.
static Result<Int64s> readAllPaddings(Reader &reader) {
  const TensorType &input = reader.input(0);
  NNHAL_ASSIGN_OR_RETURN(
      std::optional<Int64s> paddings,
      readPaddings(reader, input.isRanked ? input.rank() : unknownExtent));
  return paddings ? *std::move(paddings)
                  : Int64s(2 * input.dimensions.size(), 0);
}

static Result<OperationFacts> padFacts(Reader &reader) {
  // Padding of a zero point other than 0 came with HAL 1.2 (M-116).
  if (reader.input(0).zeroPoint != 0)
    reader.require(HalVersion::V1_2);
  NNHAL_ASSIGN_OR_RETURN(Int64s paddings, readAllPaddings(reader));
  return factsOf(reader, pad(reader.input(0), paddings));
}

static Result<OperationFacts> padV2Facts(Reader &reader) {
  NNHAL_ASSIGN_OR_RETURN(Int64s paddings, readAllPaddings(reader));
  Result<TensorType> result = pad(reader.input(0), paddings);
  NNHAL_RETURN_IF_ERROR(result.status());
  NNHAL_RETURN_IF_ERROR(reader.element("value", reader.inputType(0)));
  return factsOf(reader, std::move(result));
}

Result<Int64s> nnhal::rt::decodePaddings(const OperationView &operation) {
  Reader reader(operation);
  return readAllPaddings(reader);
}

static Result<OperationFacts> tileFacts(Reader &reader) {
  NNHAL_ASSIGN_OR_RETURN(std::optional<Int64s> multiples,
                         reader.int32List("multiples"));
  TensorType input = visible(reader);
  return factsOf(reader, tile(input, valuesOr(std::move(multiples), input, 1)));
}

static Result<OperationFacts> fillFacts(Reader &reader) {
  TensorType result = reader.output(0);
  OperandType value = reader.inputType(1);
  NNHAL_RETURN_IF_ERROR(checkFill(result, value == OperandType::FLOAT32 ||
                                              value == OperandType::FLOAT16));
  NNHAL_RETURN_IF_ERROR(reader.element("value", result.type));
  const TensorType &length = reader.input(0);
  NNHAL_ASSIGN_OR_RETURN(std::optional<Int64s> sizes,
                         reader.int32List("dimensions"));
  if (sizes) {
    for (size_t i = 0; i < sizes->size(); ++i)
      if ((*sizes)[i] < 0) // fill C3
        return badData("dimension {} is {}, expected at least 0", i,
                       (*sizes)[i]);
    return factsOf(reader, rules::withShape(result, *std::move(sizes)));
  }
  if (!result.isRanked &&
      !(length.isRanked && rules::isKnown(length.dimensions[0]))) // fill C4
    return badData("neither the length of the dimensions nor the rank of the "
                   "output is known");
  return factsOf(reader, rankFromLength(reader, 0, result));
}

static Result<OperationFacts> rankFacts(Reader &reader) {
  static constexpr OperandType tensors[] = {
      OperandType::TENSOR_FLOAT32,
      OperandType::TENSOR_INT32,
      OperandType::TENSOR_QUANT8_ASYMM,
      OperandType::TENSOR_QUANT16_SYMM,
      OperandType::TENSOR_FLOAT16,
      OperandType::TENSOR_BOOL8,
      OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL,
      OperandType::TENSOR_QUANT16_ASYMM,
      OperandType::TENSOR_QUANT8_SYMM,
      OperandType::TENSOR_QUANT8_ASYMM_SIGNED};
  NNHAL_RETURN_IF_ERROR(
      rules::checkOperand("input", reader.input(0), tensors)); // rank C1
  TensorType result;
  result.type = OperandType::INT32;
  return factsOf(reader, std::vector<TensorType>{result});
}

//===----------------------------------------------------------------------===//
// Blocks of space
//===----------------------------------------------------------------------===//

/// The two elements of a block shape, height first; 1x1 where it is absent.
static Result<Extent2D> readBlockShape(Reader &reader) {
  NNHAL_ASSIGN_OR_RETURN(std::optional<Int64s> values,
                         reader.int32List("block_shape"));
  return values ? extent2D("block_shape", *values) : Result<Extent2D>({1, 1});
}

static Result<BlockForm> readBlock(Reader &reader) {
  BlockForm form;
  if (reader.states("block_size")) {
    NNHAL_ASSIGN_OR_RETURN(int32_t size, reader.int32("block_size"));
    form.block = {size, size};
  } else {
    NNHAL_ASSIGN_OR_RETURN(form.block, readBlockShape(reader));
  }
  if (reader.states("paddings")) {
    NNHAL_ASSIGN_OR_RETURN(std::optional<Int64s> pads,
                           readPaddings(reader, /*rows=*/2));
    if (pads) {
      NNHAL_ASSIGN_OR_RETURN(form.pads, pads2D(*pads));
    }
  }
  NNHAL_ASSIGN_OR_RETURN(form.isNchw, reader.layout());
  return form;
}

static Result<TensorType> blockRule(OperationType type, const TensorType &input,
                                    const BlockForm &form) {
  const int64_t shape[] = {form.block.height, form.block.width};
  switch (type) {
  case OperationType::DEPTH_TO_SPACE:
    return depthToSpace(input, form.block.height);
  case OperationType::SPACE_TO_DEPTH:
    return spaceToDepth(input, form.block.height);
  case OperationType::BATCH_TO_SPACE_ND:
    return batchToSpace(input, shape);
  default:
    return spaceToBatch(input, shape, form.pads);
  }
}

static Result<OperationFacts> blockFacts(Reader &reader) {
  OperationType type = reader.view().type;
  // Padding of a zero point other than 0 came with HAL 1.2 (M-120).
  if (type == OperationType::SPACE_TO_BATCH_ND &&
      reader.input(0).zeroPoint != 0)
    reader.require(HalVersion::V1_2);
  NNHAL_ASSIGN_OR_RETURN(BlockForm form, readBlock(reader));
  NNHAL_ASSIGN_OR_RETURN(
      TensorType result,
      blockRule(type, toNhwc(visible(reader), form.isNchw), form));
  return factsOf(reader, fromNhwc(std::move(result), form.isNchw));
}

Result<BlockForm> nnhal::rt::decodeBlock(const OperationView &operation) {
  Reader reader(operation);
  return readBlock(reader);
}

std::span<const Row> signatures::dataMovementRows() {
  static constexpr Row rows[] = {
      {OperationType::RESHAPE, reshapeFacts},
      {OperationType::SQUEEZE, squeezeFacts},
      {OperationType::EXPAND_DIMS, expandDimsFacts},
      {OperationType::TRANSPOSE, transposeFacts},
      {OperationType::CONCATENATION, concatenationFacts},
      {OperationType::SPLIT, splitFacts},
      {OperationType::GATHER, gatherFacts},
      {OperationType::CHANNEL_SHUFFLE, channelShuffleFacts},
      {OperationType::SLICE, sliceFacts},
      {OperationType::STRIDED_SLICE, stridedSliceFacts},
      {OperationType::PAD, padFacts},
      {OperationType::PAD_V2, padV2Facts},
      {OperationType::TILE, tileFacts},
      {OperationType::FILL, fillFacts},
      {OperationType::RANK, rankFacts},
      {OperationType::DEPTH_TO_SPACE, blockFacts},
      {OperationType::SPACE_TO_DEPTH, blockFacts},
      {OperationType::BATCH_TO_SPACE_ND, blockFacts},
      {OperationType::SPACE_TO_BATCH_ND, blockFacts},
  };
  return rows;
}
