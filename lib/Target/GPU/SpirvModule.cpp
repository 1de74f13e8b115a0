//===- SpirvModule.cpp - SPIR-V modules of kernels ------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SpirvModule.h"

#include "mlir/Target/SPIRV/Serialization.h"

#include <algorithm>
#include <vector>

using namespace mlir;
using namespace nnhal;

FailureOr<SmallVector<uint32_t>>
nnhal::serializeKernels(spirv::ModuleOp module) {
  spirv::SerializationOptions options;
  options.emitSymbolName = false;
  options.emitDebugInfo = false;
  SmallVector<uint32_t> words;
  if (failed(spirv::serialize(module, words, options)))
    return failure();
  return words;
}

std::string nnhal::featuresOf(spirv::ModuleOp module) {
  std::vector<StringRef> names;
  if (std::optional<spirv::VerCapExtAttr> triple = module.getVceTriple())
    for (spirv::Capability capability : triple->getCapabilities())
      names.push_back(spirv::stringifyCapability(capability));
  std::ranges::sort(names);
  std::string features;
  for (StringRef name : names)
    features += (features.empty() ? "+" : ",+") + name.str();
  return features;
}
