//===- OperatorTable.cpp - The operators that can be imported -------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperatorTable.h"

namespace nnhal::rt::tflite {

using Code = schema::BuiltinOperator;
using Type = OperationType;

// clang-format off
// code, HAL operation, inputs, outputs, optional inputs, types, data input,
// rank, inputs of the same type, shapes, importer
static constexpr OperatorRow rows[] = {
  // Elementwise
  {Code::ADD, Type::ADD, 2, 2, 1, 1, 0, Numeric, 0, 4, 2, broadcastShape, importElementwise},
  {Code::SUB, Type::SUB, 2, 2, 1, 1, 0, Numeric, 0, 4, 2, broadcastShape, importElementwise},
  {Code::MUL, Type::MUL, 2, 2, 1, 1, 0, Numeric, 0, 4, 2, broadcastShape, importElementwise},
  {Code::DIV, Type::DIV, 2, 2, 1, 1, 0, Float | I32 | Quant8, 0, 4, 2, broadcastShape, importElementwise},
  {Code::POW, Type::POW, 2, 2, 1, 1, 0, Float, 0, 0, 2, broadcastShape, importUnary},
  {Code::MAXIMUM, Type::MAXIMUM, 2, 2, 1, 1, 0, Numeric, 0, 0, 2, broadcastShape, importUnary},
  {Code::MINIMUM, Type::MINIMUM, 2, 2, 1, 1, 0, Numeric, 0, 0, 2, broadcastShape, importUnary},
  {Code::EQUAL, Type::EQUAL, 2, 2, 1, 1, 0, Numeric | B8, 0, 0, 2, broadcastShape, importUnary},
  {Code::NOT_EQUAL, Type::NOT_EQUAL, 2, 2, 1, 1, 0, Numeric | B8, 0, 0, 2, broadcastShape, importUnary},
  {Code::LESS, Type::LESS, 2, 2, 1, 1, 0, Numeric | B8, 0, 0, 2, broadcastShape, importUnary},
  {Code::LESS_EQUAL, Type::LESS_EQUAL, 2, 2, 1, 1, 0, Numeric | B8, 0, 0, 2, broadcastShape, importUnary},
  {Code::GREATER, Type::GREATER, 2, 2, 1, 1, 0, Numeric | B8, 0, 0, 2, broadcastShape, importUnary},
  {Code::GREATER_EQUAL, Type::GREATER_EQUAL, 2, 2, 1, 1, 0, Numeric | B8, 0, 0, 2, broadcastShape, importUnary},
  {Code::LOGICAL_AND, Type::LOGICAL_AND, 2, 2, 1, 1, 0, B8, 0, 0, 2, broadcastShape, importUnary},
  {Code::LOGICAL_OR, Type::LOGICAL_OR, 2, 2, 1, 1, 0, B8, 0, 0, 2, broadcastShape, importUnary},
  {Code::LOGICAL_NOT, Type::LOGICAL_NOT, 1, 1, 1, 1, 0, B8, 0, 0, 1, sameShape, importUnary},
  {Code::SELECT, Type::SELECT, 3, 3, 1, 1, 0, Numeric, 1, 0, 2, selectShape, importSelect},
  {Code::ABS, Type::ABS, 1, 1, 1, 1, 0, Float | I32 | Quant8, 0, 0, 1, sameShape, importUnary},
  {Code::NEG, Type::NEG, 1, 1, 1, 1, 0, Float | I32, 0, 0, 1, sameShape, importUnary},
  {Code::EXP, Type::EXP, 1, 1, 1, 1, 0, Float | Quant8, 0, 0, 1, sameShape, importUnary},
  {Code::LOG, Type::LOG, 1, 1, 1, 1, 0, Float | Quant8, 0, 0, 1, sameShape, importUnary},
  {Code::SIN, Type::SIN, 1, 1, 1, 1, 0, Float, 0, 0, 1, sameShape, importUnary},
  {Code::SQRT, Type::SQRT, 1, 1, 1, 1, 0, Float, 0, 0, 1, sameShape, importUnary},
  {Code::RSQRT, Type::RSQRT, 1, 1, 1, 1, 0, Float | Quant8, 0, 0, 1, sameShape, importUnary},
  {Code::FLOOR, Type::FLOOR, 1, 1, 1, 1, 0, Float, 0, 4, 1, sameShape, importUnary},
  {Code::CAST, Type::CAST, 1, 1, 1, 1, 0, Numeric | B8, 0, 0, 1, sameShape, importCast},
  // Activation
  {Code::RELU, Type::RELU, 1, 1, 1, 1, 0, Float | Quant8, 0, 4, 1, sameShape, importUnary},
  {Code::RELU_N1_TO_1, Type::RELU1, 1, 1, 1, 1, 0, Float | Quant8, 0, 4, 1, sameShape, importUnary},
  {Code::RELU6, Type::RELU6, 1, 1, 1, 1, 0, Float | Quant8, 0, 4, 1, sameShape, importUnary},
  {Code::TANH, Type::TANH, 1, 1, 1, 1, 0, Float | Quant8, 0, 4, 1, sameShape, importUnary},
  {Code::LOGISTIC, Type::LOGISTIC, 1, 1, 1, 1, 0, Float | Quant8, 0, 4, 1, sameShape, importUnary},
  {Code::ELU, Type::ELU, 1, 1, 1, 1, 0, Float | Quant8, 0, 0, 1, sameShape, importElu},
  {Code::HARD_SWISH, Type::HARD_SWISH, 1, 1, 1, 1, 0, Float | Quant8, 0, 0, 1, sameShape, importUnary},
  {Code::PRELU, Type::PRELU, 2, 2, 1, 1, 0, Float | Quant8, 0, 0, 2, broadcastShape, importUnary},
  {Code::SOFTMAX, Type::SOFTMAX, 1, 1, 1, 1, 0, Float | Quant8, 0, 4, 1, sameShape, importSoftmax},
  {Code::LOG_SOFTMAX, Type::LOG_SOFTMAX, 1, 1, 1, 1, 0, Float | Quant8, 0, 0, 1, sameShape, importLogSoftmax},
  // Contraction
  {Code::CONV_2D, Type::CONV_2D, 2, 3, 1, 1, 0, Float | Quant8, 0, 4, 1, conv2DShape, importConv2D},
  {Code::DEPTHWISE_CONV_2D, Type::DEPTHWISE_CONV_2D, 2, 3, 1, 1, 0, Float | Quant8, 0, 4, 1, depthwiseConv2DShape, importDepthwiseConv2D},
  {Code::TRANSPOSE_CONV, Type::TRANSPOSE_CONV_2D, 3, 4, 1, 1, 0, Float | Quant8, 2, 4, 1, transposeConvShape, importTransposeConv},
  {Code::FULLY_CONNECTED, Type::FULLY_CONNECTED, 2, 3, 1, 1, 0, Float | Quant8, 0, 0, 1, fullyConnectedShape, importFullyConnected},
  // Window
  {Code::AVERAGE_POOL_2D, Type::AVERAGE_POOL_2D, 1, 1, 1, 1, 0, Float | Quant8, 0, 4, 1, pool2DShape, importPool2D},
  {Code::MAX_POOL_2D, Type::MAX_POOL_2D, 1, 1, 1, 1, 0, Float | Quant8, 0, 4, 1, pool2DShape, importPool2D},
  {Code::L2_POOL_2D, Type::L2_POOL_2D, 1, 1, 1, 1, 0, Float, 0, 4, 1, pool2DShape, importPool2D},
  {Code::RESIZE_BILINEAR, Type::RESIZE_BILINEAR, 2, 2, 1, 1, 0, Float | Quant8, 0, 4, 1, resizeShape, importResizeBilinear},
  {Code::RESIZE_NEAREST_NEIGHBOR, Type::RESIZE_NEAREST_NEIGHBOR, 2, 2, 1, 1, 0, Float | Quant8, 0, 4, 1, resizeShape, importResizeNearestNeighbor},
  // Normalization
  {Code::L2_NORMALIZATION, Type::L2_NORMALIZATION, 1, 1, 1, 1, 0, Float | Quant8, 0, 4, 1, sameShape, importL2Normalization},
  {Code::LOCAL_RESPONSE_NORMALIZATION, Type::LOCAL_RESPONSE_NORMALIZATION, 1, 1, 1, 1, 0, Float, 0, 4, 1, sameShape, importLocalResponseNormalization},
  // Reduction
  {Code::MEAN, Type::MEAN, 2, 2, 1, 1, 0, Float | Quant8, 0, 4, 1, reduceShape, importReduce},
  {Code::SUM, Type::REDUCE_SUM, 2, 2, 1, 1, 0, Float | Quant8, 0, 4, 1, reduceShape, importReduce},
  {Code::REDUCE_PROD, Type::REDUCE_PROD, 2, 2, 1, 1, 0, Float | Quant8, 0, 4, 1, reduceShape, importReduce},
  {Code::REDUCE_MAX, Type::REDUCE_MAX, 2, 2, 1, 1, 0, Float | Quant8, 0, 4, 1, reduceShape, importReduce},
  {Code::REDUCE_MIN, Type::REDUCE_MIN, 2, 2, 1, 1, 0, Float | Quant8, 0, 4, 1, reduceShape, importReduce},
  {Code::REDUCE_ANY, Type::REDUCE_ANY, 2, 2, 1, 1, 0, B8, 0, 4, 1, reduceShape, importReduce},
  {Code::REDUCE_ALL, Type::REDUCE_ALL, 2, 2, 1, 1, 0, B8, 0, 4, 1, reduceShape, importReduce},
  {Code::ARG_MAX, Type::ARGMAX, 2, 2, 1, 1, 0, Numeric, 0, 0, 1, argMinMaxShape, importArgMinMax},
  {Code::ARG_MIN, Type::ARGMIN, 2, 2, 1, 1, 0, Numeric, 0, 0, 1, argMinMaxShape, importArgMinMax},
  {Code::TOPK_V2, Type::TOPK_V2, 2, 2, 2, 2, 0, Numeric, 0, 0, 1, topKShape, importTopK},
  // DataMovement
  {Code::RESHAPE, Type::RESHAPE, 1, 2, 1, 1, 0, Float | Quant8, 0, 4, 1, reshapeShape, importReshape},
  {Code::SQUEEZE, Type::RESHAPE, 1, 1, 1, 1, 0, Float | Quant8, 0, 4, 1, squeezeShape, importSqueeze},
  {Code::EXPAND_DIMS, Type::EXPAND_DIMS, 2, 2, 1, 1, 0, Numeric, 0, 0, 1, expandDimsShape, importExpandDims},
  {Code::TRANSPOSE, Type::TRANSPOSE, 2, 2, 1, 1, 0, Float | Quant8, 0, 4, 1, transposeShape, importUnary},
  {Code::CONCATENATION, Type::CONCATENATION, 1, 255, 1, 1, 0, Float | Quant8, 0, 4, 1, concatenationShape, importConcatenation},
  {Code::SPLIT, Type::SPLIT, 2, 2, 1, 255, 0, Numeric, 1, 0, 1, splitShape, importSplit},
  {Code::SLICE, Type::SLICE, 3, 3, 1, 1, 0, Numeric, 0, 0, 1, sliceShape, importUnary},
  {Code::STRIDED_SLICE, Type::STRIDED_SLICE, 4, 4, 1, 1, 0, Float | Quant8, 0, 4, 1, stridedSliceShape, importStridedSlice},
  {Code::PAD, Type::PAD, 2, 2, 1, 1, 0, Float | Quant8, 0, 4, 1, padShape, importUnary},
  {Code::PADV2, Type::PAD_V2, 3, 3, 1, 1, 0, Float | Quant8, 0, 4, 1, padShape, importPadV2},
  {Code::TILE, Type::TILE, 2, 2, 1, 1, 0, Numeric, 0, 0, 1, tileShape, importUnary},
  {Code::GATHER, Type::GATHER, 2, 2, 1, 1, 0, Numeric, 0, 0, 1, gatherShape, importGather},
  {Code::FILL, Type::FILL, 2, 2, 1, 1, 0, Float | I32, 1, 0, 1, fillShape, importFill},
  {Code::RANK, Type::RANK, 1, 1, 1, 1, 0, Numeric | B8, 0, 0, 1, rankShape, importRank},
  {Code::DEPTH_TO_SPACE, Type::DEPTH_TO_SPACE, 1, 1, 1, 1, 0, Float | Quant8, 0, 4, 1, blockSizeShape, importBlockSize},
  {Code::SPACE_TO_DEPTH, Type::SPACE_TO_DEPTH, 1, 1, 1, 1, 0, Float | Quant8, 0, 4, 1, blockSizeShape, importBlockSize},
  {Code::BATCH_TO_SPACE_ND, Type::BATCH_TO_SPACE_ND, 3, 3, 1, 1, 0, Float | Quant8, 0, 4, 1, batchSpaceShape, importBatchToSpace},
  {Code::SPACE_TO_BATCH_ND, Type::SPACE_TO_BATCH_ND, 3, 3, 1, 1, 0, Float | Quant8, 0, 4, 1, batchSpaceShape, importUnary},
  // Quantization
  {Code::QUANTIZE, Type::QUANTIZE, 1, 1, 1, 1, 0, Float | Quant8, 0, 0, 1, sameShape, importQuantize},
  {Code::DEQUANTIZE, Type::DEQUANTIZE, 1, 1, 1, 1, 0, F16 | Quant8 | PerChannel, 0, 0, 1, sameShape, importDequantize},
  {Code::DENSIFY, Type::CAST, 1, 1, 1, 1, 0, AnyType, 0, 0, 1, sameShape, importDensify},
  // Lookup
  {Code::EMBEDDING_LOOKUP, Type::EMBEDDING_LOOKUP, 2, 2, 1, 1, 0, Numeric, 1, 0, 1, embeddingLookupShape, importUnary},
  {Code::HASHTABLE_LOOKUP, Type::HASHTABLE_LOOKUP, 3, 3, 2, 2, 0, F32 | I32 | U8, 2, 0, 1, hashtableLookupShape, importHashtableLookup},
  // Recurrent; the optional inputs of both LSTM operators: 1, 5, 9-12, 16, 17
  {Code::LSTM, Type::LSTM, 20, 24, 1, 1, 0x31E22, Float | S8, 0, 2, 1, lstmShape, importLstm},
  {Code::UNIDIRECTIONAL_SEQUENCE_LSTM, Type::UNIDIRECTIONAL_SEQUENCE_LSTM, 20, 24, 1, 1, 0x31E22, Float | S8, 0, 3, 1, sequenceLstmShape, importSequenceLstm},
  {Code::RNN, Type::RNN, 5, 5, 1, 1, 0, Float, 0, 2, 1, rnnShape, importRnn},
  {Code::UNIDIRECTIONAL_SEQUENCE_RNN, Type::UNIDIRECTIONAL_SEQUENCE_RNN, 5, 5, 1, 1, 0, Float, 0, 3, 1, sequenceRnnShape, importSequenceRnn},
  {Code::SVDF, Type::SVDF, 5, 5, 1, 1, 0x8, Float | S8, 0, 2, 1, svdfShape, importSvdf},
  // Composed of several operations
  {Code::SQUARE, Type::MUL, 1, 1, 1, 1, 0, Float | I32 | Quant8, 0, 4, 1, sameShape, importSquare},
  {Code::SQUARED_DIFFERENCE, Type::SUB, 2, 2, 1, 1, 0, Numeric, 0, 4, 2, broadcastShape, importSquaredDifference},
  {Code::ADD_N, Type::ADD, 2, 255, 1, 1, 0, Float | I32, 0, 4, 1, addNShape, importAddN},
  {Code::FLOOR_DIV, Type::DIV, 2, 2, 1, 1, 0, Float | I32, 0, 4, 2, broadcastShape, importFloorDiv},
  {Code::FLOOR_MOD, Type::DIV, 2, 2, 1, 1, 0, I32, 0, 4, 2, broadcastShape, importFloorMod},
  {Code::CEIL, Type::FLOOR, 1, 1, 1, 1, 0, Float, 0, 4, 1, sameShape, importCeil},
  {Code::SELECT_V2, Type::SELECT, 3, 3, 1, 1, 0, Numeric, 1, 0, 2, selectV2Shape, importSelectV2},
  {Code::ONE_HOT, Type::SELECT, 4, 4, 1, 1, 0, Float | I32, 2, 0, 2, oneHotShape, importOneHot},
  {Code::LEAKY_RELU, Type::PRELU, 1, 1, 1, 1, 0, Float | Quant8, 0, 0, 1, sameShape, importLeakyRelu},
  {Code::RELU_0_TO_1, Type::MINIMUM, 1, 1, 1, 1, 0, Float | Quant8, 0, 4, 1, sameShape, importRelu0To1},
  {Code::GELU, Type::TANH, 1, 1, 1, 1, 0, Float | Quant8, 0, 4, 1, sameShape, importGelu},
  {Code::PACK, Type::CONCATENATION, 1, 255, 1, 1, 0, Numeric, 0, 3, 1, packShape, importPack},
  {Code::UNPACK, Type::SPLIT, 1, 1, 1, 255, 0, Float | Quant8, 0, 4, 1, unpackShape, importUnpack},
  {Code::SPLIT_V, Type::SLICE, 3, 3, 1, 255, 0, Numeric, 0, 0, 1, splitVShape, importSplitV},
  {Code::GATHER_ND, Type::GATHER, 2, 2, 1, 1, 0, Float | Quant8, 0, 4, 1, gatherNdShape, importGatherNd},
  {Code::BROADCAST_TO, Type::TILE, 2, 2, 1, 1, 0, Numeric, 0, 0, 1, broadcastToShape, importBroadcastTo},
  {Code::REVERSE_V2, Type::STRIDED_SLICE, 2, 2, 1, 1, 0, Float | Quant8, 0, 4, 1, sameShape, importReverse},
  {Code::MIRROR_PAD, Type::CONCATENATION, 2, 2, 1, 1, 0, Float | Quant8, 0, 4, 1, mirrorPadShape, importMirrorPad},
  {Code::BATCH_MATMUL, Type::FULLY_CONNECTED, 2, 2, 1, 1, 0, Float | Quant8, 0, 4, 2, batchMatMulShape, importBatchMatMul},
  {Code::CUSTOM, Type::TRANSPOSE_CONV_2D, 3, 3, 1, 1, 0, Float, 0, 4, 3, transposeConvBiasShape, importTransposeConvBias, "Convolution2DTransposeBias"},
  {Code::CUSTOM, Type::DETECTION_POSTPROCESSING, 3, 3, 4, 4, 0, F32 | Quant8, 0, 3, 1, detectionPostProcessShape, importDetectionPostProcess, "TFLite_Detection_PostProcess"},
  // Known at import
  {Code::SHAPE, Type::RANK, 1, 1, 1, 1, 0, AnyType, 0, 0, 1, shapeShape, importShape},
  {Code::RANGE, Type::FILL, 3, 3, 1, 1, 0, F32 | I32, 0, 0, 3, rangeShape, importRange},
  {Code::ZEROS_LIKE, Type::FILL, 1, 1, 1, 1, 0, Numeric | B8, 0, 0, 1, sameShape, importZerosLike},
};
// clang-format on

const OperatorRow *findOperator(schema::BuiltinOperator code,
                                std::string_view custom) {
  for (const OperatorRow &row : rows)
    if (row.code == code && (code != Code::CUSTOM || row.custom == custom))
      return &row;
  return nullptr;
}

std::string_view whyUnsupported(schema::BuiltinOperator code) {
  switch (code) {
  case Code::CUSTOM:
    return "no HAL operations are known for this custom operator";
  case Code::IF:
  case Code::WHILE:
  case Code::CALL:
  case Code::CALL_ONCE:
    return "control flow between subgraphs is not imported";
  case Code::BIDIRECTIONAL_SEQUENCE_LSTM:
  case Code::BIDIRECTIONAL_SEQUENCE_RNN:
  case Code::LSH_PROJECTION:
    return "this operator is not imported";
  default:
    return "the HAL has no such operation, and no composition is known";
  }
}

} // namespace nnhal::rt::tflite
