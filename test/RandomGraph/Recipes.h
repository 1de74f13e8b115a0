//===- Recipes.h - How each operation is drawn ------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_RANDOMGRAPH_RECIPES_H
#define NNHAL_TEST_RANDOMGRAPH_RECIPES_H

#include "Draft.h"

namespace nnhal::randomgraph {

/// One row per operation of the HAL.
struct Recipe {
  rt::OperationType operation;
  /// What Draft::type may be. Each makes legal uses.
  std::span<const rt::OperandType> types;
  /// Draws inputs and states outputs, choosing among all forms of the
  /// operation. Null for IF and WHILE, which the generator makes itself.
  void (*draw)(Draft &draft);
};

std::span<const Recipe> elementwiseRecipes();
std::span<const Recipe> activationRecipes();
std::span<const Recipe> contractionRecipes();
std::span<const Recipe> windowRecipes();
std::span<const Recipe> normalizationRecipes();
std::span<const Recipe> reductionRecipes();
std::span<const Recipe> dataMovementRecipes();
std::span<const Recipe> quantizationRecipes();
std::span<const Recipe> lookupRecipes();
std::span<const Recipe> recurrentRecipes();
std::span<const Recipe> detectionRecipes();
std::span<const Recipe> controlFlowRecipes();

/// All of them, in the order of the families.
std::span<const Recipe> allRecipes();
/// Null when there is none.
const Recipe *lookUpRecipe(rt::OperationType operation);

/// Lists of types, as in docs/Spec.
namespace types {
using enum rt::OperandType;
inline constexpr rt::OperandType floats[] = {TENSOR_FLOAT32, TENSOR_FLOAT16};
inline constexpr rt::OperandType floatsAndInts[] = {
    TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_INT32};
inline constexpr rt::OperandType floatsAndQuantized[] = {
    TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_QUANT8_ASYMM,
    TENSOR_QUANT8_ASYMM_SIGNED};
inline constexpr rt::OperandType numbers[] = {TENSOR_FLOAT32, TENSOR_FLOAT16,
                                              TENSOR_INT32, TENSOR_QUANT8_ASYMM,
                                              TENSOR_QUANT8_ASYMM_SIGNED};
inline constexpr rt::OperandType numbersAndBools[] = {
    TENSOR_FLOAT32,      TENSOR_FLOAT16, TENSOR_INT32,
    TENSOR_QUANT8_ASYMM, TENSOR_BOOL8,   TENSOR_QUANT8_ASYMM_SIGNED};
inline constexpr rt::OperandType bools[] = {TENSOR_BOOL8};
} // namespace types

/// An INT32 that fuses an activation; 0 where the type allows none.
uint32_t drawActivation(Draft &draft);
/// Any axis of \p operand, counted from either end.
int64_t drawAxis(Draft &draft, uint32_t operand);
/// \p shape with some extents replaced by 1 and some leading ones left out.
Shape drawBroadcast(Draft &draft, const Shape &shape);

} // namespace nnhal::randomgraph

#endif // NNHAL_TEST_RANDOMGRAPH_RECIPES_H
