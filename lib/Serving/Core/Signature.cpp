//===- Signature.cpp - What clients see of a model ------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Signature.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>

using namespace nnhal;
using namespace nnhal::serving;

size_t Signature::find(const std::vector<TensorInfo> &tensors,
                       std::string_view name) {
  return size_t(std::ranges::find(tensors, name, &TensorInfo::name) -
                tensors.begin());
}

static rt::Result<TensorInfo> infoOf(const rt::InterfaceTensor &tensor,
                                     std::string name) {
  TensorInfo info;
  info.name = std::move(name);
  std::optional<DataType> type = dataTypeOf(tensor);
  if (!type)
    return rt::badData("tensor '{}' has elements that the protocol has no data "
                       "type for",
                       info.name);
  info.type = *type;
  info.isScalar = !rt::isTensor(tensor);
  info.hasUnknownRank = rt::hasUnknownRank(tensor);
  for (uint32_t extent : tensor.dimensions)
    info.shape.push_back(extent == 0 ? -1 : int64_t(extent));
  if (info.shape.empty())
    info.shape.push_back(info.isScalar ? 1 : -1);
  return info;
}

/// Describes \p tensors, which messages call "input" or "output".
static rt::Status describe(const std::vector<rt::InterfaceTensor> &tensors,
                           std::string_view kind,
                           std::vector<TensorInfo> &infos) {
  for (size_t i = 0; i < tensors.size(); ++i) {
    std::string name = tensors[i].name;
    if (name.empty() || Signature::find(infos, name) < infos.size())
      name = fmt::format("{}{}", kind, i);
    NNHAL_ASSIGN_OR_RETURN(infos.emplace_back(),
                           infoOf(tensors[i], std::move(name)));
  }
  return rt::Status::ok();
}

/// Whether the first dimension of all of \p tensors has \p extent, -1 for open.
static bool haveFirst(const std::vector<TensorInfo> &tensors, int64_t extent) {
  return std::ranges::all_of(tensors, [&](const TensorInfo &tensor) {
    return !tensor.isScalar && !tensor.hasUnknownRank &&
           tensor.shape.front() == extent;
  });
}

rt::Result<Signature> serving::signatureOf(const rt::Interface &interface) {
  Signature signature;
  NNHAL_RETURN_IF_ERROR(describe(interface.inputs, "input", signature.inputs));
  NNHAL_RETURN_IF_ERROR(
      describe(interface.outputs, "output", signature.outputs));
  // A state belongs to one client: its requests join no others.
  if (signature.inputs.empty() || !interface.statePairs.empty())
    return signature;
  int64_t first = signature.inputs.front().shape.front();
  signature.isBatched =
      haveFirst(signature.inputs, first) && haveFirst(signature.outputs, first);
  if (signature.isBatched && first > 0)
    signature.batchExtent = uint32_t(first);
  return signature;
}
