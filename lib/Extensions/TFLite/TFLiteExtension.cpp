//===- TFLiteExtension.cpp - The extension nnhal.tflite -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TFLiteExtension.h"

#include "Operator.h"

#include <algorithm>
#include <cassert>

using namespace nnhal;
using namespace nnhal::tflite;

namespace {

/// Checks that the results have ranks and sizes that a tensor may have.
Status checkSizes(const OperatorRow &row, const Types &types) {
  for (const TensorType &type : types) {
    // Products of extents up to 2^32 are formed in 64 bits.
    uint64_t size = sizeOf(*elementOf(type));
    for (int64_t extent : type.dimensions) {
      if (extent == unknownExtent)
        continue;
      size =
          uint64_t(extent) > UINT32_MAX ? UINT64_MAX : size * uint64_t(extent);
      if (size > UINT32_MAX)
        return refuse(row.name, ": the result ", rt::shapeText(type),
                      " has more than 4294967295 bytes");
    }
    if (type.rank() > 8)
      return refuse(row.name, ": the result has rank ", type.rank(),
                    ", but at most 8 is allowed");
  }
  return Status::ok();
}

/// Checks \p types, which the row of \p use infers.
Status checkTypes(const Use &use, Types &types) {
  assert(types.size() == use.results() && "rules compare the numbers");
  // The HAL has no tensors of rank 0.
  for (TensorType &type : types)
    if (type.dimensions.empty())
      type.dimensions = {1};
  NNHAL_RETURN_IF_ERROR(checkSizes(use.row(), types));
  for (size_t index = 0; index < types.size(); ++index)
    NNHAL_RETURN_IF_ERROR(rt::checkStated(types[index], use.output(index),
                                          "output " + std::to_string(index))
                              .withContext(use.row().name));
  return Status::ok();
}

Status infer(const Use &use, Types &types) {
  Result<Types> inferred = use.row().check(use);
  if (inferred.isOk()) {
    types = *std::move(inferred);
    return checkTypes(use, types);
  }
  Status status = std::move(inferred).takeStatus();
  // Rules that name a tensor name the operator, too.
  if (status.message().starts_with(use.row().name))
    return status;
  return std::move(status).withContext(use.row().name);
}

class TFLiteExtension final : public rt::ExtensionBackend {
public:
  TFLiteExtension() {
    names.name = "nnhal.tflite";
    constexpr rt::ElementKind kinds[] = {
        rt::ElementKind::int64,   rt::ElementKind::uint32,
        rt::ElementKind::uint16,  rt::ElementKind::uint64,
        rt::ElementKind::float64, rt::ElementKind::complex64};
    for (uint16_t type = 0; type <= uint16_t(OwnType::complex64); ++type)
      names.operandTypes.push_back(
          {type, true, rt::sizeOf(kinds[type]), kinds[type]});
  }

  const rt::Extension &extension() const override { return names; }

  Result<rt::OperationFacts>
  check(const OperationView &operation) const override {
    NNHAL_ASSIGN_OR_RETURN(Use use, Use::decode(operation));
    Types types;
    NNHAL_RETURN_IF_ERROR(infer(use, types));
    return rt::OperationFacts{rt::HalVersion::V1_2, std::move(types)};
  }

  Status execute(const OperationView &operation,
                 ExtensionOutputs &outputs) const override {
    NNHAL_ASSIGN_OR_RETURN(Use use, Use::decode(operation));
    Types types;
    // A rule that fails now is about elements.
    if (Status status = infer(use, types); !status.isOk())
      return fail(status.message());
    for (const TensorType &type : types)
      if (!use.row().findsExtents && !isKnown(type.dimensions))
        return fail(use.row().name, ": the output's shape ",
                    rt::shapeText(type), " does not follow from the inputs");
    Run run(use, types, outputs);
    // Kernels need not think of results without memory.
    if (std::all_of(types.begin(), types.end(), [](const TensorType &type) {
          return isKnown(type.dimensions) && elementCount(type) == 0;
        })) {
      for (size_t index = 0; index < types.size(); ++index)
        NNHAL_RETURN_IF_ERROR(run.allocateBytes(index).status());
      return Status::ok();
    }
    Status status = use.row().execute(run);
    if (status.code() == StatusCode::invalidArgument)
      status = fail(status.message());
    if (status.isOk() || status.message().starts_with(use.row().name))
      return status;
    return std::move(status).withContext(use.row().name);
  }

private:
  rt::Extension names;
};

} // namespace

std::unique_ptr<rt::ExtensionBackend> tflite::createTFLiteExtension() {
  return std::make_unique<TFLiteExtension>();
}
