//===- PreparedModel.cpp - What models have unless they say ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/PreparedModel.h"

using namespace nnhal::rt;

Result<std::unique_ptr<BurstContext>>
PreparedModel::configureBurst(std::shared_ptr<BurstCallback>,
                              BurstChannels) const {
  return std::unique_ptr<BurstContext>();
}
