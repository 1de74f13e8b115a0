//===- FeedModel.h - Models by calls of the NDK API -------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_NDK_FEEDMODEL_H
#define NNHAL_TEST_NDK_FEEDMODEL_H

#include "NdkObjects.h"

#include "nnhal/Runtime/Model.h"

#include <vector>

namespace nnhal::test {

/// A finished model of the NDK API, with what it refers to.
struct FedModel {
  NdkModel model;
  /// Referenced subgraphs, which the model uses.
  std::vector<FedModel> referenced;
  /// Pools of constants; null for one whose bytes are given as values.
  std::vector<NdkMemory> pools;
};

/// The operand type of \p operand; it refers to its dimensions.
ANeuralNetworksOperandType operandTypeOf(const rt::Operand &operand);

/// Makes \p model by calls of the NDK API, as an application does. \p model
/// outlives the result, because long values are referred to.
rt::Result<FedModel> feedModel(const rt::Model &model);

/// Gives the extensions of \p model the prefixes that they have in the library,
/// which feedModel() expects.
rt::Status adoptExtensionCodes(rt::Model &model);

} // namespace nnhal::test

#endif // NNHAL_TEST_NDK_FEEDMODEL_H
