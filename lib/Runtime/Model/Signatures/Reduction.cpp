//===- Reduction.cpp - Forms of the Reduction operations ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Backend/Signatures/Reduction.h"

#include "../Rules/Checks.h"
#include "Reader.h"

using namespace nnhal::rt;
using namespace nnhal::rt::signatures;

/// Checks the counts and operands that all of the family demand; none takes
/// zero-sized inputs (M-027).
static Status start(Reader &reader, size_t inputs, size_t outputs,
                    HalVersion since) {
  NNHAL_RETURN_IF_ERROR(reader.expectCounts({inputs}, outputs));
  NNHAL_RETURN_IF_ERROR(reader.expectPresent());
  NNHAL_RETURN_IF_ERROR(reader.expectNonEmpty());
  reader.require(since);
  const TypeRow laterTypes[] = {
      {OperandType::TENSOR_FLOAT16, HalVersion::V1_2},
      {OperandType::TENSOR_QUANT8_ASYMM_SIGNED, HalVersion::V1_3},
  };
  requireForType(reader, laterTypes, reader.inputType(0));
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// MEAN and REDUCE_*
//===----------------------------------------------------------------------===//

namespace {

/// Axes as stated, nothing where they are absent, and whether reduced
/// dimensions stay; nothing where that is absent.
struct ReduceParams {
  std::optional<std::vector<int64_t>> axes;
  std::optional<bool> keepsDims;
};

using ReduceRule = Result<TensorType> (*)(const TensorType &, Ints, bool);

} // namespace

static Result<ReduceParams> readReduce(Reader &reader,
                                       const OperationView &operation) {
  ReduceParams params;
  NNHAL_ASSIGN_OR_RETURN(params.axes, reader.int32List(1, "axes"));
  bool keepsDims = false;
  // The keep_dims of MEAN is an INT32, that of other reductions a BOOL (M-127).
  if (operation.type == OperationType::MEAN) {
    NNHAL_ASSIGN_OR_RETURN(int32_t value, reader.int32(2, "keep_dims"));
    keepsDims = value > 0;
  } else {
    NNHAL_ASSIGN_OR_RETURN(keepsDims, reader.boolean(2, "keep_dims"));
  }
  if (operation.inputs[2].value)
    params.keepsDims = keepsDims;
  return params;
}

static Result<OperationFacts> reduceFacts(const OperationView &operation,
                                          HalVersion since, ReduceRule rule) {
  Reader reader(operation);
  NNHAL_RETURN_IF_ERROR(start(reader, 3, 1, since));
  NNHAL_ASSIGN_OR_RETURN(ReduceParams params, readReduce(reader, operation));
  // Axis 0 breaks no rule that the others would not.
  const std::vector<int64_t> axes =
      params.axes.value_or(std::vector<int64_t>{0});
  bool keepsDims = params.keepsDims.value_or(true);
  NNHAL_ASSIGN_OR_RETURN(TensorType result,
                         rule(reader.input(0), axes, keepsDims));
  // Axes that are not known may repeat, so that only dimensions which stay say
  // what the rank is.
  if (!reader.isComplete() && params.keepsDims != true)
    result = rules::withoutRank(result);
  return factsOf(reader, std::vector<TensorType>{std::move(result)});
}

template <ReduceRule rule, HalVersion since>
static Result<OperationFacts> reduce(const OperationView &operation) {
  return reduceFacts(operation, since, rule);
}

Result<std::vector<bool>>
nnhal::rt::decodeReducedDimensions(const OperationView &operation) {
  Reader reader(operation);
  NNHAL_ASSIGN_OR_RETURN(ReduceParams params, readReduce(reader, operation));
  std::vector<bool> isReduced(reader.input(0).dimensions.size(), false);
  for (int64_t axis : params.axes.value_or(std::vector<int64_t>{})) {
    NNHAL_ASSIGN_OR_RETURN(
        int64_t resolved,
        rules::resolveAxis("axis", axis, reader.input(0).rank()));
    isReduced[size_t(resolved)] = true;
  }
  return isReduced;
}

//===----------------------------------------------------------------------===//
// ARGMAX, ARGMIN and TOPK_V2
//===----------------------------------------------------------------------===//

static Result<OperationFacts> argFacts(const OperationView &operation) {
  Reader reader(operation);
  NNHAL_RETURN_IF_ERROR(start(reader, 2, 1, HalVersion::V1_2));
  NNHAL_ASSIGN_OR_RETURN(int32_t axis, reader.int32(1, "axis", 0));
  return factsOf(reader, argReduce(reader.input(0), axis));
}

Result<int64_t> nnhal::rt::decodeArgAxis(const OperationView &operation) {
  Reader reader(operation);
  NNHAL_ASSIGN_OR_RETURN(int32_t axis, reader.int32(1, "axis", 0));
  return rules::resolveAxis("axis", axis, reader.input(0).rank());
}

static Result<OperationFacts> topKFacts(const OperationView &operation) {
  Reader reader(operation);
  NNHAL_RETURN_IF_ERROR(start(reader, 2, 2, HalVersion::V1_2));
  NNHAL_ASSIGN_OR_RETURN(int32_t k, reader.int32(1, "k"));
  NNHAL_ASSIGN_OR_RETURN(std::vector<TensorType> results,
                         topK(reader.input(0), k));
  return factsOf(reader, std::move(results));
}

std::span<const Row> signatures::reductionRows() {
  static constexpr Row rows[] = {
      {OperationType::MEAN, reduce<mean, HalVersion::V1_1>},
      {OperationType::REDUCE_SUM, reduce<reduceArithmetic, HalVersion::V1_2>},
      {OperationType::REDUCE_PROD, reduce<reduceArithmetic, HalVersion::V1_2>},
      {OperationType::REDUCE_MAX, reduce<reduceExtremum, HalVersion::V1_2>},
      {OperationType::REDUCE_MIN, reduce<reduceExtremum, HalVersion::V1_2>},
      {OperationType::REDUCE_ALL, reduce<reduceLogical, HalVersion::V1_2>},
      {OperationType::REDUCE_ANY, reduce<reduceLogical, HalVersion::V1_2>},
      {OperationType::ARGMAX, argFacts},
      {OperationType::ARGMIN, argFacts},
      {OperationType::TOPK_V2, topKFacts},
  };
  return rows;
}
