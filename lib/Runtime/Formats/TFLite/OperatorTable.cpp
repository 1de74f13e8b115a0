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

/// The inputs of BIDIRECTIONAL_SEQUENCE_LSTM that may be absent: those of one
/// direction, 17 later those of the other, and from 39 on the auxiliary ones.
static constexpr uint64_t bidirectionalLstmOptional =
    0x31E22 | (uint64_t(0x31E22) << 17) | (uint64_t(0x1FF) << 39);

// clang-format off
static constexpr OperatorRow rows[] = {
  // Elementwise
  {.code = Code::ADD, .type = Type::ADD, .inputs = {2, 2}, .types = Numeric, .maxRank = 4, .sameTypeInputs = 2, .inferShapes = broadcastShape, .import = importElementwise},
  {.code = Code::SUB, .type = Type::SUB, .inputs = {2, 2}, .types = Numeric, .maxRank = 4, .sameTypeInputs = 2, .inferShapes = broadcastShape, .import = importElementwise},
  {.code = Code::MUL, .type = Type::MUL, .inputs = {2, 2}, .types = Numeric, .maxRank = 4, .sameTypeInputs = 2, .inferShapes = broadcastShape, .import = importElementwise},
  {.code = Code::DIV, .type = Type::DIV, .inputs = {2, 2}, .types = Float | I32 | Quant8, .maxRank = 4, .sameTypeInputs = 2, .inferShapes = broadcastShape, .import = importElementwise},
  {.code = Code::POW, .type = Type::POW, .inputs = {2, 2}, .import = importUnary},
  {.code = Code::MAXIMUM, .type = Type::MAXIMUM, .inputs = {2, 2}, .types = Numeric, .sameTypeInputs = 2, .takesPlain = true, .inferShapes = broadcastShape, .import = importUnary},
  {.code = Code::MINIMUM, .type = Type::MINIMUM, .inputs = {2, 2}, .types = Numeric, .sameTypeInputs = 2, .takesPlain = true, .inferShapes = broadcastShape, .import = importUnary},
  {.code = Code::EQUAL, .type = Type::EQUAL, .inputs = {2, 2}, .takesPlain = true, .import = importUnary},
  {.code = Code::NOT_EQUAL, .type = Type::NOT_EQUAL, .inputs = {2, 2}, .takesPlain = true, .import = importUnary},
  {.code = Code::LESS, .type = Type::LESS, .inputs = {2, 2}, .takesPlain = true, .import = importUnary},
  {.code = Code::LESS_EQUAL, .type = Type::LESS_EQUAL, .inputs = {2, 2}, .takesPlain = true, .import = importUnary},
  {.code = Code::GREATER, .type = Type::GREATER, .inputs = {2, 2}, .takesPlain = true, .import = importUnary},
  {.code = Code::GREATER_EQUAL, .type = Type::GREATER_EQUAL, .inputs = {2, 2}, .takesPlain = true, .import = importUnary},
  {.code = Code::LOGICAL_AND, .type = Type::LOGICAL_AND, .inputs = {2, 2}, .import = importUnary},
  {.code = Code::LOGICAL_OR, .type = Type::LOGICAL_OR, .inputs = {2, 2}, .import = importUnary},
  {.code = Code::LOGICAL_NOT, .type = Type::LOGICAL_NOT, .import = importUnary},
  {.code = Code::SELECT, .type = Type::SELECT, .inputs = {3, 3}, .dataInput = 1, .takesPlain = true, .import = importSelect},
  {.code = Code::ABS, .type = Type::ABS, .import = importUnary},
  {.code = Code::NEG, .type = Type::NEG, .import = importUnary},
  {.code = Code::EXP, .type = Type::EXP, .import = importUnary},
  {.code = Code::LOG, .type = Type::LOG, .import = importUnary},
  {.code = Code::SIN, .type = Type::SIN, .import = importUnary},
  {.code = Code::SQRT, .type = Type::SQRT, .import = importUnary},
  {.code = Code::RSQRT, .type = Type::RSQRT, .import = importUnary},
  {.code = Code::FLOOR, .type = Type::FLOOR, .import = importUnary},
  {.code = Code::CAST, .type = Type::CAST, .types = Numeric | B8, .takesPlain = true, .inferShapes = sameShape, .import = importCast},
  // Activation
  {.code = Code::RELU, .type = Type::RELU, .import = importUnary},
  {.code = Code::RELU_N1_TO_1, .type = Type::RELU1, .import = importUnary},
  {.code = Code::RELU6, .type = Type::RELU6, .import = importUnary},
  {.code = Code::TANH, .type = Type::TANH, .import = importUnary},
  {.code = Code::LOGISTIC, .type = Type::LOGISTIC, .import = importUnary},
  {.code = Code::ELU, .type = Type::ELU, .import = importElu},
  {.code = Code::HARD_SWISH, .type = Type::HARD_SWISH, .import = importUnary},
  {.code = Code::PRELU, .type = Type::PRELU, .inputs = {2, 2}, .import = importUnary},
  {.code = Code::SOFTMAX, .type = Type::SOFTMAX, .import = importSoftmax},
  {.code = Code::LOG_SOFTMAX, .type = Type::LOG_SOFTMAX, .import = importLogSoftmax},
  // Contraction
  {.code = Code::CONV_2D, .type = Type::CONV_2D, .inputs = {2, 3}, .import = importConv2D},
  {.code = Code::DEPTHWISE_CONV_2D, .type = Type::DEPTHWISE_CONV_2D, .inputs = {2, 3}, .import = importDepthwiseConv2D},
  {.code = Code::TRANSPOSE_CONV, .type = Type::TRANSPOSE_CONV_2D, .inputs = {3, 4}, .dataInput = 2, .import = importTransposeConv},
  {.code = Code::FULLY_CONNECTED, .type = Type::FULLY_CONNECTED, .inputs = {2, 3}, .types = Float | Quant8, .inferShapes = fullyConnectedShape, .import = importFullyConnected},
  // Window
  {.code = Code::AVERAGE_POOL_2D, .type = Type::AVERAGE_POOL_2D, .import = importPool2D},
  {.code = Code::MAX_POOL_2D, .type = Type::MAX_POOL_2D, .import = importPool2D},
  {.code = Code::L2_POOL_2D, .type = Type::L2_POOL_2D, .import = importPool2D},
  {.code = Code::RESIZE_BILINEAR, .type = Type::RESIZE_BILINEAR, .inputs = {2, 2}, .import = importResizeBilinear},
  {.code = Code::RESIZE_NEAREST_NEIGHBOR, .type = Type::RESIZE_NEAREST_NEIGHBOR, .inputs = {2, 2}, .takesPlain = true, .import = importResizeNearestNeighbor},
  // Normalization
  {.code = Code::L2_NORMALIZATION, .type = Type::L2_NORMALIZATION, .import = importL2Normalization},
  {.code = Code::LOCAL_RESPONSE_NORMALIZATION, .type = Type::LOCAL_RESPONSE_NORMALIZATION, .import = importLocalResponseNormalization},
  // Reduction
  {.code = Code::MEAN, .type = Type::MEAN, .inputs = {2, 2}, .import = importReduce},
  {.code = Code::SUM, .type = Type::REDUCE_SUM, .inputs = {2, 2}, .types = Float | Quant8, .maxRank = 4, .inferShapes = reduceShape, .import = importReduce},
  {.code = Code::REDUCE_PROD, .type = Type::REDUCE_PROD, .inputs = {2, 2}, .types = Float | Quant8, .maxRank = 4, .inferShapes = reduceShape, .import = importReduce},
  {.code = Code::REDUCE_MAX, .type = Type::REDUCE_MAX, .inputs = {2, 2}, .types = Float | Quant8, .maxRank = 4, .takesPlain = true, .inferShapes = reduceShape, .import = importReduce},
  {.code = Code::REDUCE_MIN, .type = Type::REDUCE_MIN, .inputs = {2, 2}, .types = Float | Quant8, .maxRank = 4, .takesPlain = true, .inferShapes = reduceShape, .import = importReduce},
  {.code = Code::REDUCE_ANY, .type = Type::REDUCE_ANY, .inputs = {2, 2}, .import = importReduce},
  {.code = Code::REDUCE_ALL, .type = Type::REDUCE_ALL, .inputs = {2, 2}, .import = importReduce},
  {.code = Code::ARG_MAX, .type = Type::ARGMAX, .inputs = {2, 2}, .takesPlain = true, .import = importArgMinMax},
  {.code = Code::ARG_MIN, .type = Type::ARGMIN, .inputs = {2, 2}, .takesPlain = true, .import = importArgMinMax},
  {.code = Code::TOPK_V2, .type = Type::TOPK_V2, .inputs = {2, 2}, .outputs = {2, 2}, .takesPlain = true, .import = importTopK},
  // DataMovement
  {.code = Code::RESHAPE, .type = Type::RESHAPE, .inputs = {1, 2}, .types = Numeric, .maxRank = 4, .takesPlain = true, .inferShapes = reshapeShape, .import = importReshape},
  {.code = Code::SQUEEZE, .type = Type::RESHAPE, .types = Numeric, .maxRank = 4, .takesPlain = true, .inferShapes = squeezeShape, .import = importSqueeze},
  {.code = Code::EXPAND_DIMS, .type = Type::EXPAND_DIMS, .inputs = {2, 2}, .types = Numeric, .takesPlain = true, .inferShapes = expandDimsShape, .import = importExpandDims},
  {.code = Code::TRANSPOSE, .type = Type::TRANSPOSE, .inputs = {2, 2}, .takesPlain = true, .import = importUnary},
  {.code = Code::CONCATENATION, .type = Type::CONCATENATION, .inputs = {1, 255}, .types = Numeric, .maxRank = 4, .takesPlain = true, .inferShapes = concatenationShape, .import = importConcatenation},
  {.code = Code::SPLIT, .type = Type::SPLIT, .inputs = {2, 2}, .outputs = {1, 255}, .dataInput = 1, .takesPlain = true, .import = importSplit},
  {.code = Code::SLICE, .type = Type::SLICE, .inputs = {3, 3}, .types = Numeric, .takesPlain = true, .inferShapes = sliceShape, .import = importUnary},
  {.code = Code::STRIDED_SLICE, .type = Type::STRIDED_SLICE, .inputs = {4, 4}, .types = Float | Quant8, .maxRank = 4, .takesPlain = true, .inferShapes = stridedSliceShape, .import = importStridedSlice},
  {.code = Code::PAD, .type = Type::PAD, .inputs = {2, 2}, .takesPlain = true, .import = importUnary},
  {.code = Code::PADV2, .type = Type::PAD_V2, .inputs = {3, 3}, .types = Float | Quant8, .maxRank = 4, .takesPlain = true, .import = importPadV2},
  {.code = Code::TILE, .type = Type::TILE, .inputs = {2, 2}, .takesPlain = true, .import = importUnary},
  {.code = Code::GATHER, .type = Type::GATHER, .inputs = {2, 2}, .types = Numeric, .takesPlain = true, .inferShapes = gatherShape, .import = importGather},
  {.code = Code::FILL, .type = Type::FILL, .inputs = {2, 2}, .types = Float | I32, .dataInput = 1, .import = importFill},
  {.code = Code::RANK, .type = Type::RANK, .takesPlain = true, .import = importRank},
  {.code = Code::DEPTH_TO_SPACE, .type = Type::DEPTH_TO_SPACE, .takesPlain = true, .import = importBlockSize},
  {.code = Code::SPACE_TO_DEPTH, .type = Type::SPACE_TO_DEPTH, .takesPlain = true, .import = importBlockSize},
  {.code = Code::BATCH_TO_SPACE_ND, .type = Type::BATCH_TO_SPACE_ND, .inputs = {3, 3}, .takesPlain = true, .import = importBatchToSpace},
  {.code = Code::SPACE_TO_BATCH_ND, .type = Type::SPACE_TO_BATCH_ND, .inputs = {3, 3}, .takesPlain = true, .import = importUnary},
  // Quantization
  {.code = Code::QUANTIZE, .type = Type::QUANTIZE, .types = Float | Quant8, .inferShapes = sameShape, .import = importQuantize},
  {.code = Code::DEQUANTIZE, .type = Type::DEQUANTIZE, .types = Float | Quant8 | PerChannel, .inferShapes = sameShape, .import = importDequantize},
  {.code = Code::DENSIFY, .type = Type::CAST, .types = AnyType, .takesPlain = true, .inferShapes = sameShape, .import = importDensify},
  // Lookup
  {.code = Code::EMBEDDING_LOOKUP, .type = Type::EMBEDDING_LOOKUP, .inputs = {2, 2}, .dataInput = 1, .import = importUnary},
  {.code = Code::HASHTABLE_LOOKUP, .type = Type::HASHTABLE_LOOKUP, .inputs = {3, 3}, .outputs = {2, 2}, .dataInput = 2, .takesPlain = true, .import = importHashtableLookup},
  {.code = Code::LSH_PROJECTION, .type = Type::LSH_PROJECTION, .inputs = {2, 3}, .types = Float | I32 | U8, .dataInput = 1, .takesPlain = true, .import = importLshProjection},
  // Recurrent; the optional inputs of both LSTM operators: 1, 5, 9-12, 16, 17
  {.code = Code::LSTM, .type = Type::LSTM, .inputs = {20, 24}, .optionalInputs = 0x31E22, .types = Float | S8, .maxRank = 2, .inferShapes = lstmShape, .import = importLstm},
  {.code = Code::UNIDIRECTIONAL_SEQUENCE_LSTM, .type = Type::UNIDIRECTIONAL_SEQUENCE_LSTM, .inputs = {20, 24}, .optionalInputs = 0x31E22, .types = Float | S8, .maxRank = 3, .inferShapes = sequenceLstmShape, .import = importSequenceLstm},
  {.code = Code::RNN, .type = Type::RNN, .inputs = {5, 5}, .types = Float, .maxRank = 2, .inferShapes = rnnShape, .import = importRnn},
  {.code = Code::UNIDIRECTIONAL_SEQUENCE_RNN, .type = Type::UNIDIRECTIONAL_SEQUENCE_RNN, .inputs = {5, 5}, .types = Float, .maxRank = 3, .inferShapes = sequenceRnnShape, .import = importSequenceRnn},
  {.code = Code::BIDIRECTIONAL_SEQUENCE_LSTM, .type = Type::BIDIRECTIONAL_SEQUENCE_LSTM, .inputs = {48, 48}, .outputs = {1, 2}, .optionalInputs = bidirectionalLstmOptional, .types = Float, .maxRank = 3, .inferShapes = bidirectionalLstmShape, .import = importBidirectionalLstm},
  {.code = Code::BIDIRECTIONAL_SEQUENCE_RNN, .type = Type::BIDIRECTIONAL_SEQUENCE_RNN, .inputs = {12, 12}, .outputs = {1, 2}, .optionalInputs = 0xE00, .types = Float, .maxRank = 3, .inferShapes = bidirectionalRnnShape, .import = importBidirectionalRnn},
  {.code = Code::SVDF, .type = Type::SVDF, .inputs = {5, 5}, .optionalInputs = 0x8, .types = Float | S8, .maxRank = 2, .inferShapes = svdfShape, .import = importSvdf},
  // Composed of several operations
  {.code = Code::SQUARE, .type = Type::MUL, .types = Float | I32 | Quant8, .maxRank = 4, .inferShapes = sameShape, .import = importSquare},
  {.code = Code::SQUARED_DIFFERENCE, .type = Type::SUB, .inputs = {2, 2}, .types = Numeric, .maxRank = 4, .sameTypeInputs = 2, .inferShapes = broadcastShape, .import = importSquaredDifference},
  {.code = Code::ADD_N, .type = Type::ADD, .inputs = {2, 255}, .types = Float | I32, .maxRank = 4, .inferShapes = addNShape, .import = importAddN},
  {.code = Code::FLOOR_DIV, .type = Type::DIV, .inputs = {2, 2}, .types = Float | I32, .maxRank = 4, .sameTypeInputs = 2, .inferShapes = broadcastShape, .import = importFloorDiv},
  {.code = Code::FLOOR_MOD, .type = Type::DIV, .inputs = {2, 2}, .types = I32, .maxRank = 4, .sameTypeInputs = 2, .inferShapes = broadcastShape, .import = importFloorMod},
  {.code = Code::CEIL, .type = Type::FLOOR, .types = Float, .maxRank = 4, .inferShapes = sameShape, .import = importCeil},
  {.code = Code::SELECT_V2, .type = Type::SELECT, .inputs = {3, 3}, .types = Numeric, .dataInput = 1, .sameTypeInputs = 2, .takesPlain = true, .inferShapes = selectV2Shape, .import = importSelectV2},
  {.code = Code::ONE_HOT, .type = Type::SELECT, .inputs = {4, 4}, .types = Float | I32, .dataInput = 2, .sameTypeInputs = 2, .inferShapes = oneHotShape, .import = importOneHot},
  {.code = Code::LEAKY_RELU, .type = Type::PRELU, .types = Float | Quant8, .inferShapes = sameShape, .import = importLeakyRelu},
  {.code = Code::RELU_0_TO_1, .type = Type::MINIMUM, .types = Float | Quant8, .maxRank = 4, .inferShapes = sameShape, .import = importRelu0To1},
  {.code = Code::GELU, .type = Type::TANH, .types = Float | Quant8, .maxRank = 4, .inferShapes = sameShape, .import = importGelu},
  {.code = Code::COS, .type = Type::SIN, .types = Float, .maxRank = 4, .inferShapes = sameShape, .import = importCos},
  {.code = Code::SIGN, .type = Type::SELECT, .types = Float, .maxRank = 4, .inferShapes = sameShape, .import = importSign},
  {.code = Code::ROUND, .type = Type::FLOOR, .types = Float, .maxRank = 4, .inferShapes = sameShape, .import = importRound},
  {.code = Code::FAKE_QUANT, .type = Type::FLOOR, .types = F32, .maxRank = 4, .inferShapes = sameShape, .import = importFakeQuant},
  {.code = Code::CUMSUM, .type = Type::FULLY_CONNECTED, .inputs = {2, 2}, .types = Float, .maxRank = 4, .inferShapes = sameShape, .import = importCumsum},
  {.code = Code::BUCKETIZE, .type = Type::CAST, .types = Float | I32, .maxRank = 3, .inferShapes = bucketizeShape, .import = importBucketize},
  {.code = Code::PACK, .type = Type::CONCATENATION, .inputs = {1, 255}, .types = Numeric, .maxRank = 3, .takesPlain = true, .inferShapes = packShape, .import = importPack},
  {.code = Code::UNPACK, .type = Type::SPLIT, .outputs = {1, 255}, .types = Float | Quant8, .maxRank = 4, .takesPlain = true, .inferShapes = unpackShape, .import = importUnpack},
  {.code = Code::SPLIT_V, .type = Type::SLICE, .inputs = {3, 3}, .outputs = {1, 255}, .types = Numeric, .takesPlain = true, .inferShapes = splitVShape, .import = importSplitV},
  {.code = Code::GATHER_ND, .type = Type::GATHER, .inputs = {2, 2}, .types = Float | Quant8, .maxRank = 4, .takesPlain = true, .inferShapes = gatherNdShape, .import = importGatherNd},
  {.code = Code::BROADCAST_TO, .type = Type::TILE, .inputs = {2, 2}, .types = Numeric, .takesPlain = true, .inferShapes = broadcastToShape, .import = importBroadcastTo},
  {.code = Code::REVERSE_V2, .type = Type::STRIDED_SLICE, .inputs = {2, 2}, .types = Float | Quant8, .maxRank = 4, .takesPlain = true, .inferShapes = sameShape, .import = importReverse},
  {.code = Code::MIRROR_PAD, .type = Type::CONCATENATION, .inputs = {2, 2}, .types = Float | Quant8, .maxRank = 4, .takesPlain = true, .inferShapes = mirrorPadShape, .import = importMirrorPad},
  {.code = Code::BATCH_MATMUL, .type = Type::FULLY_CONNECTED, .inputs = {2, 2}, .types = Float | Quant8, .maxRank = 4, .inferShapes = batchMatMulShape, .import = importBatchMatMul},
  {.code = Code::CUSTOM, .type = Type::TRANSPOSE_CONV_2D, .custom = "Convolution2DTransposeBias", .inputs = {3, 3}, .types = Float, .maxRank = 4, .sameTypeInputs = 3, .inferShapes = transposeConvBiasShape, .import = importTransposeConvBias},
  // Calls of subgraphs
  {.code = Code::CALL, .type = Type::IF, .inputs = {0, 255}, .outputs = {1, 255}, .checksTypes = true, .import = importCall},
  {.code = Code::IF, .type = Type::IF, .inputs = {1, 255}, .outputs = {1, 255}, .checksTypes = true, .import = importIf},
  {.code = Code::WHILE, .type = Type::WHILE, .inputs = {1, 255}, .outputs = {1, 255}, .checksTypes = true, .import = importWhile},
  // Complex numbers
  {.code = Code::RFFT2D, .type = Type::FULLY_CONNECTED, .inputs = {2, 2}, .types = F32, .maxRank = 4, .inferShapes = rfft2dShape, .import = importRfft2d},
  {.code = Code::COMPLEX_ABS, .type = Type::SQRT, .checksTypes = true, .import = importComplexAbs},
  {.code = Code::REAL, .type = Type::CAST, .checksTypes = true, .import = importComplexPart},
  {.code = Code::IMAG, .type = Type::CAST, .checksTypes = true, .import = importComplexPart},
  // Resource variables
  {.code = Code::VAR_HANDLE, .type = Type::CAST, .inputs = {0, 0}, .checksTypes = true, .import = importVarHandle},
  {.code = Code::READ_VARIABLE, .type = Type::CAST, .checksTypes = true, .import = importReadVariable},
  {.code = Code::ASSIGN_VARIABLE, .type = Type::CAST, .inputs = {2, 2}, .outputs = {0, 0}, .checksTypes = true, .import = importAssignVariable},
  {.code = Code::CALL_ONCE, .type = Type::CAST, .inputs = {0, 0}, .outputs = {0, 0}, .checksTypes = true, .import = importCallOnce},
  // Known at import
  {.code = Code::SHAPE, .type = Type::RANK, .types = AnyType, .takesPlain = true, .inferShapes = shapeShape, .import = importShape},
  {.code = Code::RANGE, .type = Type::FILL, .inputs = {3, 3}, .types = F32 | I32, .sameTypeInputs = 3, .inferShapes = rangeShape, .import = importRange},
  {.code = Code::ZEROS_LIKE, .type = Type::FILL, .types = Numeric | B8, .takesPlain = true, .inferShapes = sameShape, .import = importZerosLike},
  // StableHLO
  {.code = Code::STABLEHLO_LOGISTIC, .type = Type::CAST, .inputs = {1, 1}, .outputs = {1, 1}, .checksTypes = true, .import = importStableHloAlias},
  {.code = Code::STABLEHLO_ABS, .type = Type::CAST, .inputs = {1, 1}, .outputs = {1, 1}, .checksTypes = true, .import = importStableHloAlias},
  {.code = Code::STABLEHLO_COSINE, .type = Type::CAST, .inputs = {1, 1}, .outputs = {1, 1}, .checksTypes = true, .import = importStableHloAlias},
  {.code = Code::STABLEHLO_EXPONENTIAL, .type = Type::CAST, .inputs = {1, 1}, .outputs = {1, 1}, .checksTypes = true, .import = importStableHloAlias},
  {.code = Code::STABLEHLO_FLOOR, .type = Type::CAST, .inputs = {1, 1}, .outputs = {1, 1}, .checksTypes = true, .import = importStableHloAlias},
  {.code = Code::STABLEHLO_LOG, .type = Type::CAST, .inputs = {1, 1}, .outputs = {1, 1}, .checksTypes = true, .import = importStableHloAlias},
  {.code = Code::STABLEHLO_NEGATE, .type = Type::CAST, .inputs = {1, 1}, .outputs = {1, 1}, .checksTypes = true, .import = importStableHloAlias},
  {.code = Code::STABLEHLO_RSQRT, .type = Type::CAST, .inputs = {1, 1}, .outputs = {1, 1}, .checksTypes = true, .import = importStableHloAlias},
  {.code = Code::STABLEHLO_TANH, .type = Type::CAST, .inputs = {1, 1}, .outputs = {1, 1}, .checksTypes = true, .import = importStableHloAlias},
  {.code = Code::STABLEHLO_ADD, .type = Type::CAST, .inputs = {2, 2}, .outputs = {1, 1}, .checksTypes = true, .import = importStableHloAlias},
  {.code = Code::STABLEHLO_MULTIPLY, .type = Type::CAST, .inputs = {2, 2}, .outputs = {1, 1}, .checksTypes = true, .import = importStableHloAlias},
  {.code = Code::STABLEHLO_SUBTRACT, .type = Type::CAST, .inputs = {2, 2}, .outputs = {1, 1}, .checksTypes = true, .import = importStableHloAlias},
  {.code = Code::STABLEHLO_MAXIMUM, .type = Type::CAST, .inputs = {2, 2}, .outputs = {1, 1}, .checksTypes = true, .import = importStableHloAlias},
  {.code = Code::STABLEHLO_MINIMUM, .type = Type::CAST, .inputs = {2, 2}, .outputs = {1, 1}, .checksTypes = true, .import = importStableHloAlias},
  {.code = Code::STABLEHLO_POWER, .type = Type::CAST, .inputs = {2, 2}, .outputs = {1, 1}, .checksTypes = true, .import = importStableHloAlias},
  {.code = Code::STABLEHLO_SELECT, .type = Type::CAST, .inputs = {3, 3}, .outputs = {1, 1}, .checksTypes = true, .import = importStableHloAlias},
  {.code = Code::STABLEHLO_DIVIDE, .type = Type::CAST, .inputs = {2, 2}, .outputs = {1, 1}, .checksTypes = true, .import = importStableHloDivide},
  {.code = Code::STABLEHLO_AND, .type = Type::CAST, .inputs = {2, 2}, .outputs = {1, 1}, .checksTypes = true, .import = importStableHloLogic},
  {.code = Code::STABLEHLO_OR, .type = Type::CAST, .inputs = {2, 2}, .outputs = {1, 1}, .checksTypes = true, .import = importStableHloLogic},
  {.code = Code::STABLEHLO_CLAMP, .type = Type::CAST, .inputs = {3, 3}, .outputs = {1, 1}, .checksTypes = true, .import = importStableHloClamp},
  {.code = Code::STABLEHLO_COMPARE, .type = Type::CAST, .inputs = {2, 2}, .outputs = {1, 1}, .checksTypes = true, .import = importStableHloCompare},
  {.code = Code::STABLEHLO_CONVERT, .type = Type::CAST, .inputs = {1, 1}, .outputs = {1, 1}, .checksTypes = true, .import = importStableHloConvert},
  {.code = Code::STABLEHLO_RESHAPE, .type = Type::CAST, .inputs = {1, 1}, .outputs = {1, 1}, .checksTypes = true, .import = importStableHloReshape},
  {.code = Code::STABLEHLO_BROADCAST_IN_DIM, .type = Type::CAST, .inputs = {1, 1}, .outputs = {1, 1}, .checksTypes = true, .import = importStableHloBroadcast},
  {.code = Code::STABLEHLO_CONCATENATE, .type = Type::CAST, .inputs = {1, 255}, .outputs = {1, 1}, .checksTypes = true, .import = importStableHloConcatenate},
  {.code = Code::STABLEHLO_SLICE, .type = Type::CAST, .inputs = {1, 1}, .outputs = {1, 1}, .checksTypes = true, .import = importStableHloSlice},
  {.code = Code::STABLEHLO_DYNAMIC_SLICE, .type = Type::CAST, .inputs = {2, 255}, .outputs = {1, 1}, .checksTypes = true, .import = importStableHloDynamicSlice},
  {.code = Code::STABLEHLO_DYNAMIC_UPDATE_SLICE, .type = Type::CAST, .inputs = {3, 255}, .outputs = {1, 1}, .checksTypes = true, .import = importStableHloDynamicUpdateSlice},
  {.code = Code::STABLEHLO_PAD, .type = Type::CAST, .inputs = {2, 2}, .outputs = {1, 1}, .checksTypes = true, .import = importStableHloPad},
  {.code = Code::STABLEHLO_IOTA, .type = Type::CAST, .inputs = {0, 0}, .outputs = {1, 1}, .checksTypes = true, .import = importStableHloIota},
  {.code = Code::STABLEHLO_TRANSPOSE, .type = Type::CAST, .inputs = {1, 1}, .outputs = {1, 1}, .checksTypes = true, .import = importStableHloTranspose},
  {.code = Code::STABLEHLO_GATHER, .type = Type::CAST, .inputs = {2, 2}, .outputs = {1, 1}, .checksTypes = true, .import = importStableHloGather},
  {.code = Code::STABLEHLO_REDUCE, .type = Type::CAST, .inputs = {2, 2}, .outputs = {1, 1}, .checksTypes = true, .import = importStableHloReduce},
  {.code = Code::STABLEHLO_REDUCE_WINDOW, .type = Type::CAST, .inputs = {2, 2}, .outputs = {1, 1}, .checksTypes = true, .import = importStableHloReduceWindow},
  {.code = Code::STABLEHLO_DOT_GENERAL, .type = Type::CAST, .inputs = {2, 2}, .outputs = {1, 1}, .checksTypes = true, .import = importStableHloDotGeneral},
  {.code = Code::STABLEHLO_CONVOLUTION, .type = Type::CAST, .inputs = {2, 2}, .outputs = {1, 1}, .checksTypes = true, .import = importStableHloConvolution},
  {.code = Code::STABLEHLO_WHILE, .type = Type::CAST, .inputs = {1, 255}, .outputs = {1, 255}, .checksTypes = true, .import = importStableHloWhile},
  {.code = Code::STABLEHLO_CASE, .type = Type::CAST, .inputs = {1, 255}, .outputs = {1, 255}, .checksTypes = true, .import = importStableHloCase},
  {.code = Code::STABLEHLO_SCATTER, .type = Type::CAST, .inputs = {3, 3}, .outputs = {1, 1}, .checksTypes = true, .import = importStableHloScatter},
  {.code = Code::STABLEHLO_SORT, .type = Type::CAST, .inputs = {1, 255}, .outputs = {1, 255}, .checksTypes = true, .import = importStableHloSort},
  {.code = Code::STABLEHLO_COMPOSITE, .type = Type::CAST, .inputs = {0, 255}, .outputs = {1, 255}, .checksTypes = true, .import = importStableHloComposite},
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
    return "no extension claims this custom operator";
  case Code::SKIP_GRAM:
  case Code::HASHTABLE:
  case Code::HASHTABLE_FIND:
  case Code::HASHTABLE_IMPORT:
  case Code::HASHTABLE_SIZE:
    return "strings and tables of them are not imported";
  case Code::CONCAT_EMBEDDINGS:
  case Code::DELEGATE:
  case Code::PLACEHOLDER_FOR_GREATER_OP_CODES:
    return "TensorFlow Lite does not compute this operator either";
  case Code::STABLEHLO_CUSTOM_CALL:
    return "what a custom call computes is not known";
  default:
    return "the HAL has no such operation, and no composition is known";
  }
}

} // namespace nnhal::rt::tflite
