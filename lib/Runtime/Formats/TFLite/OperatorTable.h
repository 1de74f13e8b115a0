//===- OperatorTable.h - The operators that can be imported -----*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_FORMATS_TFLITE_OPERATORTABLE_H
#define NNHAL_LIB_RUNTIME_FORMATS_TFLITE_OPERATORTABLE_H

#include "Operator.h"

namespace nnhal::rt::tflite {

/// Accepted types of input 0, as a set. The last ones are those of which no row
/// of the HAL computes.
enum TypeSet : uint16_t {
  F32 = 1,
  F16 = 2,
  I32 = 4,
  U8 = 8,
  S8 = 16,
  B8 = 32,
  PerChannel = 64,
  Float = F32 | F16,
  Quant8 = U8 | S8,
  Numeric = Float | I32 | Quant8,
  AnyType = 0xFF,
  S16 = 0x100,
  I64 = 0x200,
  U32 = 0x400,
  U16 = 0x800,
  U64 = 0x1000,
  F64 = 0x2000,
  A16 = 0x4000, // S16 with a zero point
  BeyondHal = S16 | I64 | U32 | U16 | U64 | F64 | A16,
};

/// The set of \p type alone; empty for a type that is in none.
uint16_t typeSetOf(OperandType type);

using ShapeFunction = Result<std::vector<Shape>> (*)(Operator &op);
using ImportFunction = Status (*)(Operator &op);

/// The least and the greatest number of inputs or outputs.
struct Counts {
  uint8_t least = 1;
  uint8_t most = 1;
};

/// The way in which one operator is read. The constraints are those of the HAL
/// operation (M-265 to M-366): an operator that passes here is expressible.
struct OperatorRow {
  schema::BuiltinOperator code;
  /// The operation that the family's importer emits, where it serves several
  /// operators.
  OperationType type;
  /// The name of a custom operator.
  std::string_view custom = {};
  Counts inputs = {};
  Counts outputs = {};
  /// Inputs below inputs.least that may be absent.
  uint64_t optionalInputs = 0;
  /// The types of the data input, which is mostly input 0. Where the rules of
  /// one operation are asked they tell its types and ranks.
  uint8_t types = AnyType;
  uint8_t dataInput = 0;
  /// 0 where any rank is legal.
  uint8_t maxRank = 0;
  /// The number of inputs, from the data input on, that have the same type.
  uint8_t sameTypeInputs = 1;
  /// The operator takes and gives bytes that have no quantization parameters:
  /// it moves, compares or converts them as the numbers that they are.
  bool takesPlain = false;
  /// The operator takes what the HAL has no type for; its importer checks it.
  bool checksTypes = false;
  /// The shapes of the outputs before the importer runs; null where the rules
  /// of the one operation that it adds tell them.
  ShapeFunction inferShapes = nullptr;
  ImportFunction import;
};

/// Returns null when \p code cannot be imported. \p custom names a custom
/// operator.
const OperatorRow *findOperator(schema::BuiltinOperator code,
                                std::string_view custom);

/// Returns the reason why \p code has no row.
std::string_view whyUnsupported(schema::BuiltinOperator code);

/// Checks the counts and indices of \p op against its row, and that inputs have
/// values.
Status readOperands(Operator &op);

// Importers, by family.
Status importElementwise(Operator &op); // also with a fused activation
Status importCast(Operator &op);
Status importSelect(Operator &op);
Status importUnary(Operator &op); // operands as they stand
Status importElu(Operator &op);
Status importSoftmax(Operator &op);
Status importLogSoftmax(Operator &op);
Status importConv2D(Operator &op);
Status importDepthwiseConv2D(Operator &op);
Status importTransposeConv(Operator &op);
Status importFullyConnected(Operator &op);
Status importPool2D(Operator &op);
Status importResizeBilinear(Operator &op);
Status importResizeNearestNeighbor(Operator &op);
Status importL2Normalization(Operator &op);
Status importLocalResponseNormalization(Operator &op);
Status importReduce(Operator &op);
Status importArgMinMax(Operator &op);
Status importTopK(Operator &op);
Status importReshape(Operator &op);
Status importSqueeze(Operator &op);
Status importExpandDims(Operator &op);
Status importConcatenation(Operator &op);
Status importSplit(Operator &op);
Status importStridedSlice(Operator &op);
Status importPadV2(Operator &op);
Status importGather(Operator &op);
Status importFill(Operator &op);
Status importRank(Operator &op);
Status importBlockSize(Operator &op);
Status importBatchToSpace(Operator &op);
Status importQuantize(Operator &op);
Status importDequantize(Operator &op);
Status importDensify(Operator &op);
Status importHashtableLookup(Operator &op);
Status importLshProjection(Operator &op);
Status importLstm(Operator &op);
Status importSequenceLstm(Operator &op);
Status importRnn(Operator &op);
Status importSequenceRnn(Operator &op);
Status importBidirectionalLstm(Operator &op);
Status importBidirectionalRnn(Operator &op);
Status importSvdf(Operator &op);

// Importers of operators that are several operations of the HAL.
Status importSquare(Operator &op);
Status importSquaredDifference(Operator &op);
Status importAddN(Operator &op);
Status importFloorDiv(Operator &op);
Status importFloorMod(Operator &op);
Status importCeil(Operator &op);
Status importSelectV2(Operator &op);
Status importOneHot(Operator &op);
Status importLeakyRelu(Operator &op);
Status importRelu0To1(Operator &op);
Status importGelu(Operator &op);
Status importCos(Operator &op);
Status importSign(Operator &op);
Status importRound(Operator &op);
Status importFakeQuant(Operator &op);
Status importCumsum(Operator &op);
Status importBucketize(Operator &op);
Status importPack(Operator &op);
Status importUnpack(Operator &op);
Status importSplitV(Operator &op);
Status importGatherNd(Operator &op);
Status importBroadcastTo(Operator &op);
Status importReverse(Operator &op);
Status importMirrorPad(Operator &op);
Status importBatchMatMul(Operator &op);
Status importQuantizedLstm(Operator &op); // both LSTM operators
Status importQuantizedSvdf(Operator &op);
Status importTransposeConvBias(Operator &op);

// Importers of calls of subgraphs (ControlFlow.cpp).
Status importCall(Operator &op);
Status importIf(Operator &op);
Status importWhile(Operator &op);
/// Adds the operators of \p subgraph in place of \p op, whose inputs from
/// \p first on are its arguments.
Status importCallOf(Operator &op, int64_t subgraph, size_t first = 0);

// Operators of StableHLO, which become others of the file format
// (StableHlo.cpp).
Status importStableHloAlias(Operator &op);
Status importStableHloBroadcast(Operator &op);
Status importStableHloCase(Operator &op);
Status importStableHloClamp(Operator &op);
Status importStableHloCompare(Operator &op);
Status importStableHloComposite(Operator &op);
Status importStableHloConcatenate(Operator &op);
Status importStableHloConvert(Operator &op);
Status importStableHloConvolution(Operator &op);
Status importStableHloDivide(Operator &op);
Status importStableHloDotGeneral(Operator &op);
Status importStableHloDynamicSlice(Operator &op);
Status importStableHloDynamicUpdateSlice(Operator &op);
Status importStableHloGather(Operator &op);
Status importStableHloIota(Operator &op);
Status importStableHloLogic(Operator &op);
Status importStableHloPad(Operator &op);
Status importStableHloReduce(Operator &op);
Status importStableHloReduceWindow(Operator &op);
Status importStableHloReshape(Operator &op);
Status importStableHloScatter(Operator &op);
Status importStableHloSlice(Operator &op);
Status importStableHloSort(Operator &op);
Status importStableHloTranspose(Operator &op);
Status importStableHloWhile(Operator &op);

// Complex numbers (Complex.cpp).
Status importRfft2d(Operator &op);
Status importComplexPart(Operator &op);
Status importComplexAbs(Operator &op);
/// Whether \p op is one that importComplex() takes: it computes with complex
/// numbers that have values, or makes some of reals.
bool computesComplex(Operator &op);
/// Imports \p op as operations on both parts of complex numbers.
Status importComplex(Operator &op);
Result<std::vector<Shape>> rfft2dShape(Operator &op);

/// Whether \p op is one that importEmptyList() takes.
bool hasEmptyList(Operator &op);
/// Imports \p op, whose list of dimensions or axes is empty (EmptyLists.cpp).
Status importEmptyList(Operator &op);
/// Whether \p op is one that importMerged() takes.
bool mergesDimensions(Operator &op);
/// Imports \p op by \p importOperands with merged dimensions, because bytes
/// have more than the HAL takes (MergedDimensions.cpp).
Status importMerged(Operator &op, Status (*importOperands)(Operator &op));

// 32-bit integers, which the HAL does not move (ComposedIntegers.cpp).
Status reshapeIntegers(Operator &op);
Status concatenateIntegers(Operator &op, uint32_t axis);

/// Whether the MEAN \p op over \p axes is one that importExactMean() takes.
bool hasExactMean(Operator &op, std::span<const uint32_t> axes);
/// MEAN of signed bytes with TensorFlow Lite's rounding (QuantizedMean.cpp).
Status importExactMean(Operator &op, std::span<const uint32_t> axes,
                       bool keepsDimensions);

// Importers of resource variables (Variables.cpp).
Status importVarHandle(Operator &op);
Status importCallOnce(Operator &op);
Status importReadVariable(Operator &op);
Status importAssignVariable(Operator &op);

// Importers of operators that are known at import (Folding.cpp).
Status importShape(Operator &op);
Status importRange(Operator &op);
Status importZerosLike(Operator &op);

// Shape functions, by family.
Result<std::vector<Shape>> sameShape(Operator &op);
Result<std::vector<Shape>> broadcastShape(Operator &op);
Result<std::vector<Shape>> fullyConnectedShape(Operator &op);
Result<std::vector<Shape>> reduceShape(Operator &op);
Result<std::vector<Shape>> reshapeShape(Operator &op);
Result<std::vector<Shape>> squeezeShape(Operator &op);
Result<std::vector<Shape>> expandDimsShape(Operator &op);
Result<std::vector<Shape>> concatenationShape(Operator &op);
Result<std::vector<Shape>> sliceShape(Operator &op);
Result<std::vector<Shape>> stridedSliceShape(Operator &op);
Result<std::vector<Shape>> padShape(Operator &op);
Result<std::vector<Shape>> gatherShape(Operator &op);
Result<std::vector<Shape>> lstmShape(Operator &op);
Result<std::vector<Shape>> sequenceLstmShape(Operator &op);
Result<std::vector<Shape>> rnnShape(Operator &op);
Result<std::vector<Shape>> sequenceRnnShape(Operator &op);
Result<std::vector<Shape>> bidirectionalLstmShape(Operator &op);
Result<std::vector<Shape>> bidirectionalRnnShape(Operator &op);
Result<std::vector<Shape>> svdfShape(Operator &op);

// Shape functions of operators that are several operations of the HAL.
Result<std::vector<Shape>> addNShape(Operator &op);
Result<std::vector<Shape>> selectV2Shape(Operator &op);
Result<std::vector<Shape>> oneHotShape(Operator &op);
Result<std::vector<Shape>> bucketizeShape(Operator &op);
Result<std::vector<Shape>> packShape(Operator &op);
Result<std::vector<Shape>> unpackShape(Operator &op);
Result<std::vector<Shape>> splitVShape(Operator &op);
Result<std::vector<Shape>> gatherNdShape(Operator &op);
Result<std::vector<Shape>> broadcastToShape(Operator &op);
Result<std::vector<Shape>> mirrorPadShape(Operator &op);
Result<std::vector<Shape>> batchMatMulShape(Operator &op);
Result<std::vector<Shape>> transposeConvBiasShape(Operator &op);
Result<std::vector<Shape>> shapeShape(Operator &op);
Result<std::vector<Shape>> rangeShape(Operator &op);

/// The smallest shape that both broadcast to (M-021).
Result<Shape> broadcast(const Shape &a, const Shape &b);

/// One element of a slice or a padded axis, for both sides of an importer.
struct StridedRange {
  std::vector<int32_t> begin, end, strides;
  int32_t beginMask = 0, endMask = 0, shrinkMask = 0;
};

/// Returns the element of a dimension of \p extent elements that \p position of
/// a STRIDED_SLICE names: it counts from the end where it is negative, and
/// beyond an end of the dimension means that end, as \p stride goes.
int64_t placeInSlice(int64_t position, int64_t stride, int64_t extent);
/// Returns the element that such a slice begins with, at \p begin unless that
/// \p isMasked.
int64_t firstOfSlice(int64_t begin, bool isMasked, int64_t stride,
                     int64_t extent);
/// The ranges of STRIDED_SLICE with shrunk axes stated as one element, as the
/// HAL asks (M-114).
Result<StridedRange> stridedRangeOf(Operator &op);

/// The HAL's padding scheme (M-007).
Result<int32_t> paddingScheme(schema::Padding padding);

} // namespace nnhal::rt::tflite

#endif // NNHAL_LIB_RUNTIME_FORMATS_TFLITE_OPERATORTABLE_H
