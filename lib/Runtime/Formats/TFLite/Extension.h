//===- Extension.h - Operators beyond the HAL -------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// An operator that the HAL cannot express becomes one of the extension
// nnhal.tflite, whose operation N is TensorFlow Lite's built-in operator N: its
// inputs are the operator's tensors, one that is absent as NO_VALUE, then the
// fields of the operator's options as scalars. Rows of ExtensionTable.cpp say
// which operators and types it takes; whether the HAL is enough is decided from
// them before anything is added to a model.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_FORMATS_TFLITE_EXTENSION_H
#define NNHAL_LIB_RUNTIME_FORMATS_TFLITE_EXTENSION_H

#include "OperationBuilder.h"
#include "OperatorTable.h"

namespace nnhal::rt::tflite {

using OptionsFunction = Status (*)(Operator &op, OperationBuilder &builder);

/// The extension's form of an operator.
struct ExtensionRow {
  schema::BuiltinOperator code;
  /// The most inputs are those that the operation always has, the absent ones
  /// as NO_VALUE; 255 stands for as many as the file states.
  Counts inputs = {};
  Counts outputs = {};
  uint64_t optionalInputs = 0;
  /// The types of the data input that the extension takes.
  uint16_t types = 0;
  uint8_t dataInput = 0;
  /// The number of inputs, from the data input on, that have the same type.
  uint8_t sameTypeInputs = 1;
  /// The types that the HAL's form takes; none where the row of OperatorTable
  /// or the signature of its operation says it.
  uint16_t halTypes = 0;
  /// The place of the data input in the HAL's operation.
  uint8_t halInput = 0;
  /// The greatest rank of inputs and outputs that the HAL's form takes; 0 where
  /// it takes any.
  uint8_t halRank = 4;
  /// Results of 64 bits are numbers that fit the HAL's 32.
  bool givesIndices = false;
  /// Whether the HAL's form lacks what \p op asks for, beside types and ranks.
  bool (*isBeyondHal)(Operator &op) = nullptr;
  /// The shape function works on extents that are not known.
  bool takesUnknown = false;
  ShapeFunction inferShapes = sameShape;
  OptionsFunction addOptions = nullptr;
  /// The inputs that are states, which may be variables.
  uint32_t states = 0;
  /// Adds the operation of an operator that has states; null where it has just
  /// the operator's inputs and options.
  ImportFunction import = nullptr;
};

/// Whether input \p i of \p extension is a state.
inline bool isState(const ExtensionRow &extension, size_t i) {
  return i < 32 && (extension.states >> i & 1);
}

/// Returns null when the extension does not have \p code.
const ExtensionRow *findExtension(schema::BuiltinOperator code);

/// The row that shape functions see of \p extension.
OperatorRow operatorRowOf(const ExtensionRow &extension);

/// Whether \p source needs \p extension because \p hal, the operator's row of
/// the HAL, cannot express it. Where the file is damaged it does not.
bool needsExtension(Graph &graph, const schema::Operator &source,
                    const OperatorRow &hal, const ExtensionRow &extension);

/// Imports \p source as the operation of \p extension.
Status importAsExtension(Graph &graph, const schema::Operator &source,
                         const ExtensionRow &extension);

/// The extension that claims a custom operator.
struct Claim {
  /// Null where none does.
  const InstalledExtension *extension = nullptr;
  uint16_t operation = 0;
};

/// Returns which of \p extensions claims the custom operator \p name. Fails
/// with invalidArgument, which names both, when several do.
Result<Claim> findClaim(std::span<const InstalledExtension> extensions,
                        std::string_view name);

/// Imports \p source, a custom operator, as the operation of \p claim.
Status importAsClaimed(Graph &graph, const schema::Operator &source,
                       const Claim &claim);

/// Returns the options of \p op, a custom operator, which may lie behind the
/// FlatBuffer. Fails with invalidArgument where they lie outside of the file.
Result<std::span<const uint8_t>> customOptionsOf(Operator &op);

/// Whether an input has an extent that only an execution knows.
bool hasUnknownExtents(Operator &op);
/// Returns the first input that has some; nothing where there is none.
std::optional<size_t> openInput(Operator &op);
/// The shapes of outputs that values decide about: as the file states them,
/// with extents of 0 where it does not know them either.
Result<std::vector<Shape>> partialShapes(Operator &op);

// Shape functions of the extension, by family; any rank is legal there.
Result<std::vector<Shape>> extensionConv2DShape(Operator &op);
Result<std::vector<Shape>> extensionDepthwiseConv2DShape(Operator &op);
Result<std::vector<Shape>> extensionConv3DShape(Operator &op);
Result<std::vector<Shape>> extensionPoolShape(Operator &op);
Result<std::vector<Shape>> extensionReduceWindowShape(Operator &op);
Result<std::vector<Shape>> extensionResizeShape(Operator &op);
Result<std::vector<Shape>> extensionReshapeShape(Operator &op);
Result<std::vector<Shape>> extensionPadShape(Operator &op);
Result<std::vector<Shape>> extensionConcatenationShape(Operator &op);
Result<std::vector<Shape>> extensionStridedSliceShape(Operator &op);
/// The extents of the result of a STRIDED_SLICE whose places are constants; 0
/// where it takes no elements.
Result<std::vector<int64_t>> slicedExtents(Operator &op);
/// Likewise, of a SLICE.
Result<std::vector<int64_t>> boxExtents(Operator &op);
/// Likewise, of each result of a SPLIT_V.
Result<std::vector<std::vector<int64_t>>> splitExtents(Operator &op);
Result<std::vector<Shape>> extensionSliceShape(Operator &op);
Result<std::vector<Shape>> extensionSplitShape(Operator &op);
Result<std::vector<Shape>> extensionSqueezeShape(Operator &op);
Result<std::vector<Shape>> extensionExpandDimsShape(Operator &op);
Result<std::vector<Shape>> extensionTransposeShape(Operator &op);
Result<std::vector<Shape>> extensionTileShape(Operator &op);
Result<std::vector<Shape>> extensionPackShape(Operator &op);
Result<std::vector<Shape>> extensionGatherShape(Operator &op);
Result<std::vector<Shape>> extensionBlockShape(Operator &op);
Result<std::vector<Shape>> extensionBatchToSpaceShape(Operator &op);
Result<std::vector<Shape>> extensionSpaceToBatchShape(Operator &op);
Result<std::vector<Shape>> extensionBitcastShape(Operator &op);
Result<std::vector<Shape>> extensionReduceShape(Operator &op);
Result<std::vector<Shape>> extensionArgShape(Operator &op);
Result<std::vector<Shape>> extensionTopKShape(Operator &op);
Result<std::vector<Shape>> extensionRangeShape(Operator &op);
Result<std::vector<Shape>> extensionWhereShape(Operator &op);
Result<std::vector<Shape>> extensionUniqueShape(Operator &op);
Result<std::vector<Shape>> extensionSuppressionShape(Operator &op);
Result<std::vector<Shape>> extensionSegmentSumShape(Operator &op);
Result<std::vector<Shape>> extensionUnsortedSegmentShape(Operator &op);
Result<std::vector<Shape>> extensionMatrixDiagShape(Operator &op);
Result<std::vector<Shape>> extensionBroadcastArgsShape(Operator &op);
Result<std::vector<Shape>> extensionShapeShape(Operator &op);
Result<std::vector<Shape>> extensionEmbeddingShape(Operator &op);
Result<std::vector<Shape>> extensionSparseLookupShape(Operator &op);
Result<std::vector<Shape>> extensionDilateShape(Operator &op);
Result<std::vector<Shape>> wideLstmShape(Operator &op);
Result<std::vector<Shape>> multinomialShape(Operator &op);
Result<std::vector<Shape>> randomBitsShape(Operator &op);
/// The shape that the constant input 0, 1 or 2 states, in which an operator of
/// the row's code has it; what the file states for the output otherwise.
Result<std::vector<Shape>> extensionStatedShape(Operator &op);

/// Whether the RFFT2D \p op is longer than its matrix pays.
bool hasLongTransform(Operator &op);
Result<std::vector<Shape>> longTransformShape(Operator &op);

// Operators with states, with complex results, and options of their own.
Status importLongTransform(Operator &op);
Status importWideLstm(Operator &op); // both LSTM operators
Status importRandom(Operator &op);   // all that have seeds
Status addRandomBitsOptions(Operator &op, OperationBuilder &builder);

} // namespace nnhal::rt::tflite

#endif // NNHAL_LIB_RUNTIME_FORMATS_TFLITE_EXTENSION_H
