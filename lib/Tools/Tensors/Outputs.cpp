//===- Outputs.cpp - Outputs and their files ------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Outputs.h"

#include "Npy.h"

#include "Runtime/Support/AtomicFile.h"
#include "Runtime/Support/Errors.h"

#include <filesystem>

using namespace nnhal;
using namespace nnhal::tools;
using rt::Status;

std::vector<uint32_t> tools::fileShape(rt::OperandType type,
                                       std::span<const uint32_t> dimensions,
                                       size_t size, rt::ElementKind kind) {
  std::vector<uint32_t> shape(dimensions.begin(), dimensions.end());
  if (!rt::isExtension(type) || kind != rt::ElementKind::opaque)
    return shape;
  size_t count = 1;
  for (uint32_t extent : dimensions)
    count *= extent;
  shape.push_back(count == 0 ? 0 : uint32_t(size / count));
  return shape;
}

Status tools::writeOutputs(const std::string &directory,
                           std::span<const OutputTensor> outputs) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error)
    return rt::failure("cannot create '{}': {}", directory, error.message());
  for (size_t i = 0; i < outputs.size(); ++i) {
    const OutputTensor &output = outputs[i];
    NNHAL_RETURN_IF_ERROR(rt::writeFileAtomically(
        fmt::format("{}/output_{}.npy", directory, i),
        writeNpy(formatOf(output.type, output.kind),
                 fileShape(output.type, output.dimensions, output.bytes.size(),
                           output.kind),
                 output.bytes)));
  }
  return Status::ok();
}
