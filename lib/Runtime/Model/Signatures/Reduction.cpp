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

static Result<ReduceParams> readReduce(Reader &reader) {
  ReduceParams params;
  NNHAL_ASSIGN_OR_RETURN(params.axes, reader.int32List("axes"));
  bool keepsDims = false;
  // The keep_dims of MEAN is an INT32, that of other reductions a BOOL (M-127).
  if (reader.view().type == OperationType::MEAN) {
    NNHAL_ASSIGN_OR_RETURN(int32_t value, reader.int32("keep_dims"));
    keepsDims = value > 0;
  } else {
    NNHAL_ASSIGN_OR_RETURN(keepsDims, reader.boolean("keep_dims"));
  }
  if (reader.knows("keep_dims"))
    params.keepsDims = keepsDims;
  return params;
}

template <ReduceRule rule>
static Result<OperationFacts> reduceFacts(Reader &reader) {
  NNHAL_ASSIGN_OR_RETURN(ReduceParams params, readReduce(reader));
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

Result<std::vector<bool>>
nnhal::rt::decodeReducedDimensions(const OperationView &operation) {
  Reader reader(operation);
  NNHAL_ASSIGN_OR_RETURN(ReduceParams params, readReduce(reader));
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

static Result<OperationFacts> argFacts(Reader &reader) {
  NNHAL_ASSIGN_OR_RETURN(int32_t axis, reader.int32("axis", 0));
  return factsOf(reader, argReduce(reader.input(0), axis));
}

Result<int64_t> nnhal::rt::decodeArgAxis(const OperationView &operation) {
  Reader reader(operation);
  NNHAL_ASSIGN_OR_RETURN(int32_t axis, reader.int32("axis", 0));
  return rules::resolveAxis("axis", axis, reader.input(0).rank());
}

static Result<OperationFacts> topKFacts(Reader &reader) {
  NNHAL_ASSIGN_OR_RETURN(int32_t k, reader.int32("k"));
  NNHAL_ASSIGN_OR_RETURN(std::vector<TensorType> results,
                         topK(reader.input(0), k));
  return factsOf(reader, std::move(results));
}

std::span<const Row> signatures::reductionRows() {
  static constexpr Row rows[] = {
      {OperationType::MEAN, reduceFacts<mean>},
      {OperationType::REDUCE_SUM, reduceFacts<reduceArithmetic>},
      {OperationType::REDUCE_PROD, reduceFacts<reduceArithmetic>},
      {OperationType::REDUCE_MAX, reduceFacts<reduceExtremum>},
      {OperationType::REDUCE_MIN, reduceFacts<reduceExtremum>},
      {OperationType::REDUCE_ALL, reduceFacts<reduceLogical>},
      {OperationType::REDUCE_ANY, reduceFacts<reduceLogical>},
      {OperationType::ARGMAX, argFacts},
      {OperationType::ARGMIN, argFacts},
      {OperationType::TOPK_V2, topKFacts},
  };
  return rows;
}
