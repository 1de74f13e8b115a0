//===- PlainSignatures.cpp - The inputs of operations without states ------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SignatureRows.h"

using namespace nnhal::rt;
using namespace nnhal::rt::signatures;

using enum nnhal::rt::HalVersion;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// Floats and 8-bit asymmetric types of operations that came with HAL 1.0
/// (M-266, M-268, M-274, M-279, M-282, M-284 to M-286, M-290), 1.1 and 1.2:
/// half floats and signed values came later.
static constexpr TypeSince common10[] = {
    {OperandType::TENSOR_FLOAT32, V1_0},
    {OperandType::TENSOR_QUANT8_ASYMM, V1_0},
    {OperandType::TENSOR_FLOAT16, V1_2},
    {OperandType::TENSOR_QUANT8_ASYMM_SIGNED, V1_3},
};
static constexpr TypeSince common11[] = {
    {OperandType::TENSOR_FLOAT32, V1_1},
    {OperandType::TENSOR_QUANT8_ASYMM, V1_1},
    {OperandType::TENSOR_FLOAT16, V1_2},
    {OperandType::TENSOR_QUANT8_ASYMM_SIGNED, V1_3},
};
static constexpr TypeSince common12[] = {
    {OperandType::TENSOR_FLOAT32, V1_2},
    {OperandType::TENSOR_FLOAT16, V1_2},
    {OperandType::TENSOR_QUANT8_ASYMM, V1_2},
    {OperandType::TENSOR_QUANT8_ASYMM_SIGNED, V1_3},
};
static constexpr TypeSince common13[] = {
    {OperandType::TENSOR_FLOAT32, V1_3},
    {OperandType::TENSOR_FLOAT16, V1_3},
    {OperandType::TENSOR_QUANT8_ASYMM, V1_3},
    {OperandType::TENSOR_QUANT8_ASYMM_SIGNED, V1_3},
};
/// Operations of HAL 1.0 that were of float32 alone (M-276, M-288, M-293).
static constexpr TypeSince quantizedLater[] = {
    {OperandType::TENSOR_FLOAT32, V1_0},
    {OperandType::TENSOR_FLOAT16, V1_2},
    {OperandType::TENSOR_QUANT8_ASYMM, V1_2},
    {OperandType::TENSOR_QUANT8_ASYMM_SIGNED, V1_3},
};
static constexpr TypeSince floats13[] = {
    {OperandType::TENSOR_FLOAT32, V1_3},
    {OperandType::TENSOR_FLOAT16, V1_3},
};
static constexpr TypeSince numbers12[] = {
    {OperandType::TENSOR_FLOAT32, V1_2},
    {OperandType::TENSOR_FLOAT16, V1_2},
    {OperandType::TENSOR_INT32, V1_2},
    {OperandType::TENSOR_QUANT8_ASYMM, V1_2},
    {OperandType::TENSOR_QUANT8_ASYMM_SIGNED, V1_3},
};
static constexpr TypeSince comparable[] = {
    {OperandType::TENSOR_BOOL8, V1_2},
    {OperandType::TENSOR_FLOAT32, V1_2},
    {OperandType::TENSOR_FLOAT16, V1_2},
    {OperandType::TENSOR_INT32, V1_2},
    {OperandType::TENSOR_QUANT8_ASYMM, V1_2},
    {OperandType::TENSOR_QUANT8_ASYMM_SIGNED, V1_3},
};
/// ADD and MUL (M-265, M-283), SUB (M-301), DIV (M-295), ABS (M-044, M-303),
/// NEG (M-332).
static constexpr TypeSince sums[] = {
    {OperandType::TENSOR_FLOAT32, V1_0},
    {OperandType::TENSOR_QUANT8_ASYMM, V1_0},
    {OperandType::TENSOR_FLOAT16, V1_2},
    {OperandType::TENSOR_QUANT8_ASYMM_SIGNED, V1_3},
    {OperandType::TENSOR_INT32, V1_3},
};
static constexpr TypeSince differences[] = {
    {OperandType::TENSOR_FLOAT32, V1_1},
    {OperandType::TENSOR_FLOAT16, V1_2},
    {OperandType::TENSOR_QUANT8_ASYMM, V1_2},
    {OperandType::TENSOR_QUANT8_ASYMM_SIGNED, V1_3},
    {OperandType::TENSOR_INT32, V1_3},
};
static constexpr TypeSince quotients[] = {
    {OperandType::TENSOR_FLOAT32, V1_1},
    {OperandType::TENSOR_FLOAT16, V1_2},
    {OperandType::TENSOR_INT32, V1_3},
};
static constexpr TypeSince magnitudes[] = {
    {OperandType::TENSOR_FLOAT32, V1_2},
    {OperandType::TENSOR_FLOAT16, V1_2},
    {OperandType::TENSOR_INT32, V1_3},
};
static constexpr TypeSince negatives[] = {
    {OperandType::TENSOR_FLOAT32, V1_2},
    {OperandType::TENSOR_FLOAT16, V1_2},
    {OperandType::TENSOR_INT32, V1_2},
};
/// CAST (M-310): a type to itself came with HAL 1.3 (M-151).
static constexpr TypeSince castTypes[] = {
    {OperandType::TENSOR_FLOAT32, V1_2},
    {OperandType::TENSOR_FLOAT16, V1_2},
    {OperandType::TENSOR_INT32, V1_2},
    {OperandType::TENSOR_QUANT8_ASYMM, V1_2},
    {OperandType::TENSOR_BOOL8, V1_3},
    {OperandType::TENSOR_QUANT8_ASYMM_SIGNED, V1_3},
    {OperandType::TENSOR_QUANT8_SYMM, V1_3},
    {OperandType::TENSOR_QUANT16_SYMM, V1_3},
    {OperandType::TENSOR_QUANT16_ASYMM, V1_3},
};
static constexpr TypeSince filters[] = {
    {OperandType::TENSOR_FLOAT32, V1_0},
    {OperandType::TENSOR_QUANT8_ASYMM, V1_0},
    {OperandType::TENSOR_FLOAT16, V1_2},
    {OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL, V1_2},
    {OperandType::TENSOR_QUANT8_ASYMM_SIGNED, V1_3},
};
static constexpr TypeSince biases[] = {
    {OperandType::TENSOR_FLOAT32, V1_0},
    {OperandType::TENSOR_INT32, V1_0},
    {OperandType::TENSOR_FLOAT16, V1_2},
};
static constexpr TypeSince dequantizable[] = {
    {OperandType::TENSOR_QUANT8_ASYMM, V1_0},
    {OperandType::TENSOR_QUANT8_SYMM, V1_2},
    {OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL, V1_2},
    {OperandType::TENSOR_QUANT8_ASYMM_SIGNED, V1_2},
};
static constexpr TypeSince embeddings[] = {
    {OperandType::TENSOR_FLOAT32, V1_0},
    {OperandType::TENSOR_INT32, V1_2},
    {OperandType::TENSOR_QUANT8_ASYMM, V1_2},
    {OperandType::TENSOR_FLOAT16, V1_3},
    {OperandType::TENSOR_QUANT8_ASYMM_SIGNED, V1_3},
};
static constexpr TypeSince hashtableValues[] = {
    {OperandType::TENSOR_FLOAT32, V1_0},
    {OperandType::TENSOR_INT32, V1_0},
    {OperandType::TENSOR_QUANT8_ASYMM, V1_0},
};
static constexpr TypeSince hashed[] = {
    {OperandType::TENSOR_FLOAT32, V1_0},
    {OperandType::TENSOR_INT32, V1_0},
    {OperandType::TENSOR_QUANT8_ASYMM, V1_0},
    {OperandType::TENSOR_FLOAT16, V1_2},
};
static constexpr TypeSince everyTensor[] = {
    {OperandType::TENSOR_FLOAT32, V1_3},
    {OperandType::TENSOR_FLOAT16, V1_3},
    {OperandType::TENSOR_INT32, V1_3},
    {OperandType::TENSOR_BOOL8, V1_3},
    {OperandType::TENSOR_QUANT8_ASYMM, V1_3},
    {OperandType::TENSOR_QUANT8_ASYMM_SIGNED, V1_3},
    {OperandType::TENSOR_QUANT8_SYMM, V1_3},
    {OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL, V1_3},
    {OperandType::TENSOR_QUANT16_SYMM, V1_3},
    {OperandType::TENSOR_QUANT16_ASYMM, V1_3},
};
/// Coordinates of boxes (M-248, M-253).
static constexpr TypeSince boxes[] = {
    {OperandType::TENSOR_FLOAT32, V1_2},
    {OperandType::TENSOR_FLOAT16, V1_2},
    {OperandType::TENSOR_QUANT16_ASYMM, V1_2},
};

//===----------------------------------------------------------------------===//
// Elementwise and Activation
//===----------------------------------------------------------------------===//

static constexpr InputRow activation =
    usually(0, ofRole(InputRole::fusedActivation, int32("activation")));

/// Tensors of one type and nothing else.
template <const auto &types>
static constexpr InputRow one[] = {tensor("input", types)};
template <const auto &types>
static constexpr InputRow two[] = {tensor("lhs", types), tensor("rhs", types)};
template <const auto &types>
static constexpr InputRow arithmetic[] = {tensor("lhs", types),
                                          tensor("rhs", types), activation};

static constexpr InputRow selectInputs[] = {tensor("condition", bools),
                                            tensor("lhs", numbers12),
                                            tensor("rhs", numbers12)};
static constexpr InputRow preluInputs[] = {tensor("input", common12),
                                           tensor("alpha", common12)};
static constexpr InputRow eluInputs[] = {tensor("input", floats13),
                                         real("alpha")};
// An axis came with HAL 1.2 (M-059).
static constexpr InputRow softmaxInputs[] = {
    tensor("input", common10), real("beta"), trailing(int32("axis"), -1, V1_2)};
static constexpr InputRow logSoftmaxInputs[] = {
    tensor("input", floats12), real("beta"), usually(-1, int32("axis"))};

//===----------------------------------------------------------------------===//
// Contraction and Window
//===----------------------------------------------------------------------===//

static constexpr InputRow statedLayout =
    ofRole(InputRole::layout, boolean("layout"));

// Widths come before heights (M-075).
static constexpr InputRow width(std::string_view name, std::string_view plane) {
  return as(plane, ofRole(InputRole::width, int32(name)));
}
static constexpr InputRow height(std::string_view name) {
  return ofRole(InputRole::height, int32(name));
}

/// Layout and dilations came with HAL 1.2 (M-070, M-078, M-089).
static constexpr InputRow trailingLayout = trailing(statedLayout, 0, V1_2);
static constexpr InputRow dilationWidth =
    trailing(width("dilation width", "dilations"), 1, V1_2);
static constexpr InputRow dilationHeight =
    joined(trailing(height("dilation height"), 1, V1_2));

static constexpr InputRow scheme = implicitly(int32("padding scheme"));
static constexpr InputRow leftPad = explicitly(int32("left pad"));
static constexpr InputRow rightPad = explicitly(int32("right pad"));
static constexpr InputRow topPad = explicitly(int32("top pad"));
static constexpr InputRow bottomPad = explicitly(int32("bottom pad"));
static constexpr InputRow strideWidth = width("stride width", "strides");
static constexpr InputRow strideHeight = height("stride height");
static constexpr InputRow data = tensor("input", common10);
static constexpr InputRow pictures = spatial(data);
static constexpr InputRow laterPictures = spatial(tensor("input", common12));
static constexpr InputRow filter = tensor("filter", filters);
static constexpr InputRow bias = tensor("bias", biases);

static constexpr InputRow conv2DInputs[] = {
    pictures,   filter,         bias,          scheme,        leftPad,
    rightPad,   topPad,         bottomPad,     strideWidth,   strideHeight,
    activation, trailingLayout, dilationWidth, dilationHeight};
static constexpr InputRow depthwiseConv2DInputs[] = {pictures,
                                                     filter,
                                                     bias,
                                                     scheme,
                                                     leftPad,
                                                     rightPad,
                                                     topPad,
                                                     bottomPad,
                                                     strideWidth,
                                                     strideHeight,
                                                     int32("depth multiplier"),
                                                     activation,
                                                     trailingLayout,
                                                     dilationWidth,
                                                     dilationHeight};
static constexpr InputRow groupedConv2DInputs[] = {
    laterPictures,   filter,     bias,        scheme,      leftPad,
    rightPad,        topPad,     bottomPad,   strideWidth, strideHeight,
    int32("groups"), activation, statedLayout};
static constexpr InputRow transposeConv2DInputs[] = {
    laterPictures, filter,      bias,         implicitly(list("output shape")),
    scheme,        leftPad,     rightPad,     topPad,
    bottomPad,     strideWidth, strideHeight, activation,
    statedLayout};
static constexpr InputRow fullyConnectedInputs[] = {
    data, tensor("weights", filters), bias, activation};

template <const auto &types>
static constexpr InputRow pool[] = {spatial(tensor("input", types)),
                                    scheme,
                                    leftPad,
                                    rightPad,
                                    topPad,
                                    bottomPad,
                                    strideWidth,
                                    strideHeight,
                                    width("window width", "window"),
                                    height("window height"),
                                    activation,
                                    trailingLayout};
static constexpr InputRow extentWidth =
    ofRole(InputRole::width, ofKind(InputKind::extent, "width"));
static constexpr InputRow extentHeight =
    ofRole(InputRole::height, ofKind(InputKind::extent, "height"));
// The flags came with HAL 1.3 (M-196, M-203).
static constexpr InputRow alignCorners =
    trailing(boolean("align corners"), 0, V1_3);
static constexpr InputRow halfPixelCenters =
    trailing(boolean("half pixel centers"), 0, V1_3);
static constexpr InputRow resizeBilinearInputs[] = {
    spatial(tensor("input", quantizedLater)),
    extentWidth,
    extentHeight,
    trailingLayout,
    alignCorners,
    halfPixelCenters};
static constexpr InputRow resizeNearestInputs[] = {
    spatial(tensor("input", common12)),
    extentWidth,
    extentHeight,
    statedLayout,
    alignCorners,
    halfPixelCenters};

//===----------------------------------------------------------------------===//
// Normalization and Reduction
//===----------------------------------------------------------------------===//

// An axis came with HAL 1.2 (M-064, M-067).
static constexpr InputRow l2Inputs[] = {tensor("input", quantizedLater),
                                        trailing(int32("axis"), -1, V1_2)};
static constexpr InputRow localResponseInputs[] = {
    tensor("input", floats10),
    int32("radius"),
    real("bias"),
    real("alpha"),
    real("beta"),
    trailing(int32("axis"), -1, V1_2)};
static constexpr InputRow instanceInputs[] = {
    spatial(tensor("input", floats12)), real("gamma"), real("beta"),
    real("epsilon"), statedLayout};

// The keep_dims of MEAN is an INT32, that of other reductions a BOOL (M-127).
static constexpr InputRow meanInputs[] = {
    tensor("input", common11), list("axes"),
    usually(0, ofRole(InputRole::positiveFlag, int32("keep_dims")))};
template <const auto &types>
static constexpr InputRow reduction[] = {tensor("input", types), list("axes"),
                                         usually(0, boolean("keep_dims"))};
static constexpr InputRow argInputs[] = {tensor("input", numbers12),
                                         int32("axis")};
static constexpr InputRow topKInputs[] = {tensor("input", numbers12),
                                          int32("k")};

//===----------------------------------------------------------------------===//
// DataMovement and Quantization
//===----------------------------------------------------------------------===//

static constexpr InputRow reshapeInputs[] = {
    data, ofRole(InputRole::resultShape, list("shape"))};
static constexpr InputRow squeezeInputs[] = {
    tensor("input", common11),
    ofRole(InputRole::unitAxes, omittable(list("axes")))};
static constexpr InputRow expandDimsInputs[] = {tensor("input", numbers12),
                                                int32("axis")};
static constexpr InputRow transposeInputs[] = {
    tensor("input", common11),
    ofRole(InputRole::permutation, omittable(list("permutation")))};
static constexpr InputRow concatenationInputs[] = {
    as("inputs", repeated(1, data)), int32("axis")};
static constexpr InputRow splitInputs[] = {
    tensor("input", numbers12), int32("axis"),
    ofRole(InputRole::resultCount, int32("splits"))};
static constexpr InputRow gatherInputs[] = {
    tensor("input", numbers12), int32("axis"), tensor("indices", int32s)};
static constexpr InputRow channelShuffleInputs[] = {
    tensor("input", common12), int32("groups"), int32("axis")};
static constexpr InputRow sliceInputs[] = {tensor("input", numbers12),
                                           list("begin"), list("size")};
static constexpr InputRow stridedSliceInputs[] = {
    tensor("input", common11),
    list("begin"),
    list("end"),
    list("strides"),
    usually(0, int32("begin_mask")),
    usually(0, int32("end_mask")),
    usually(0, int32("shrink_mask"))};
static constexpr InputRow padInputs[] = {tensor("input", common11),
                                         pairs("paddings")};
static constexpr InputRow padV2Inputs[] = {tensor("input", common12),
                                           pairs("paddings"),
                                           ofKind(InputKind::element, "value")};
static constexpr InputRow tileInputs[] = {tensor("input", numbers12),
                                          list("multiples")};
static constexpr InputRow fillInputs[] = {
    ofRole(InputRole::resultShape, list("dimensions")),
    ofKind(InputKind::element, "value")};
static constexpr InputRow blockSizeInputs[] = {pictures, int32("block_size"),
                                               trailingLayout};
static constexpr InputRow batchToSpaceInputs[] = {
    spatial(tensor("input", common11)), list("block_shape"), trailingLayout};
static constexpr InputRow spaceToBatchInputs[] = {
    spatial(tensor("input", common11)), list("block_shape"),
    as("pads", pairs("paddings")), trailingLayout};

//===----------------------------------------------------------------------===//
// Lookup, Detection and ControlFlow
//===----------------------------------------------------------------------===//

static constexpr InputRow embeddingLookupInputs[] = {
    tensor("lookups", int32s), tensor("values", embeddings)};
static constexpr InputRow hashtableLookupInputs[] = {
    tensor("lookups", int32s), tensor("keys", int32s),
    tensor("values", hashtableValues)};
static constexpr InputRow lshProjectionInputs[] = {
    tensor("hash", floats10), tensor("input", hashed),
    omittable(tensor("weights", floats10)),
    as("kind", ofRole(InputRole::lshKind, int32("projection type")))};
static constexpr InputRow randomMultinomialInputs[] = {
    tensor("logits", floats12), as("samples", int32("sample count")),
    tensor("seeds", int32s)};

static constexpr InputRow batchIndices =
    as("batches", tensor("batch indices", int32s));
static constexpr InputRow axisAlignedInputs[] = {tensor("rois", boxes),
                                                 tensor("deltas"), batchIndices,
                                                 tensor("image info", boxes)};
static constexpr InputRow boxWithNmsLimitInputs[] = {
    tensor("scores", common12),
    tensor("boxes", boxes),
    batchIndices,
    real("score threshold"),
    int32("max boxes"),
    as("kernel", ofRole(InputRole::softNmsKernel, int32("soft NMS kernel"))),
    real("IoU threshold"),
    real("sigma"),
    real("NMS score threshold")};
static constexpr InputRow detectionPostprocessingInputs[] = {
    tensor("scores", floats12),
    tensor("deltas", floats12),
    tensor("anchors", floats12),
    real("y scale"),
    real("x scale"),
    real("height scale"),
    real("width scale"),
    boolean("regular NMS"),
    int32("max detections"),
    int32("max classes per detection"),
    int32("max detections per class"),
    real("score threshold"),
    real("IoU threshold"),
    boolean("background label")};
static constexpr InputRow generateProposalsInputs[] = {
    spatial(tensor("scores", common12)),
    spatial(tensor("deltas", common12)),
    tensor("anchors"),
    tensor("image info", boxes),
    real("height ratio"),
    real("width ratio"),
    int32("pre-NMS limit"),
    int32("post-NMS limit"),
    real("IoU threshold"),
    as("min size", real("minimum size")),
    statedLayout};
static constexpr InputRow heatmapInputs[] = {
    spatial(tensor("heatmaps", common12)), tensor("boxes", boxes),
    statedLayout};
static constexpr InputRow roiAlignInputs[] = {
    spatial(tensor("features", common12)),
    tensor("rois", boxes),
    batchIndices,
    int32("output height"),
    int32("output width"),
    real("height ratio"),
    real("width ratio"),
    as("height samples", int32("samples per bin height")),
    as("width samples", int32("samples per bin width")),
    statedLayout};
static constexpr InputRow roiPoolingInputs[] = {
    spatial(tensor("features", common12)),
    tensor("rois", boxes),
    batchIndices,
    int32("output height"),
    int32("output width"),
    real("height ratio"),
    real("width ratio"),
    statedLayout};

static constexpr InputRow ifInputs[] = {
    tensor("condition", bools),
    as("then graph", ofKind(InputKind::subgraph, "then subgraph")),
    as("else graph", ofKind(InputKind::subgraph, "else subgraph")),
    as("inputs", repeated(0, omittable(tensor("argument"))))};
static constexpr InputRow whileInputs[] = {
    as("condition graph", ofKind(InputKind::subgraph, "condition subgraph")),
    as("body graph", ofKind(InputKind::subgraph, "body subgraph")),
    as("inputs", repeated(1, omittable(tensor("argument"))))};

//===----------------------------------------------------------------------===//
// Table
//===----------------------------------------------------------------------===//

using enum nnhal::rt::OperationType;

static constexpr Signature table[] = {
    // Elementwise
    {ADD, arithmetic<sums>, oneOutput, /*takesEmpty=*/true},
    {SUB, arithmetic<differences>, oneOutput, true},
    {MUL, arithmetic<sums>, oneOutput, true},
    {DIV, arithmetic<quotients>, oneOutput, true},
    {POW, two<floats12>, oneOutput},
    {MAXIMUM, two<numbers12>, oneOutput},
    {MINIMUM, two<numbers12>, oneOutput},
    {EQUAL, two<comparable>, oneOutput},
    {NOT_EQUAL, two<comparable>, oneOutput},
    {GREATER, two<comparable>, oneOutput},
    {GREATER_EQUAL, two<comparable>, oneOutput},
    {LESS, two<comparable>, oneOutput},
    {LESS_EQUAL, two<comparable>, oneOutput},
    {LOGICAL_AND, two<bools>, oneOutput},
    {LOGICAL_OR, two<bools>, oneOutput},
    {LOGICAL_NOT, one<bools>, oneOutput},
    {SELECT, selectInputs, oneOutput},
    {ABS, one<magnitudes>, oneOutput},
    {NEG, one<negatives>, oneOutput},
    {EXP, one<floats12>, oneOutput},
    {LOG, one<floats12>, oneOutput},
    {SIN, one<floats12>, oneOutput},
    {SQRT, one<floats12>, oneOutput},
    {RSQRT, one<floats12>, oneOutput},
    {FLOOR, one<floats10>, oneOutput},
    {CAST, one<castTypes>, oneOutput},
    // Activation
    {RELU, one<common10>, oneOutput, true},
    {RELU1, one<common10>, oneOutput, true},
    {RELU6, one<common10>, oneOutput, true},
    {LOGISTIC, one<common10>, oneOutput, true},
    {TANH, one<quantizedLater>, oneOutput, true},
    {ELU, eluInputs, oneOutput, true},
    {HARD_SWISH, one<common13>, oneOutput, true},
    {PRELU, preluInputs, oneOutput},
    {SOFTMAX, softmaxInputs, oneOutput, true},
    {LOG_SOFTMAX, logSoftmaxInputs, oneOutput},
    // Contraction
    {CONV_2D, conv2DInputs, oneOutput, true},
    {DEPTHWISE_CONV_2D, depthwiseConv2DInputs, oneOutput, true},
    {GROUPED_CONV_2D, groupedConv2DInputs, oneOutput},
    {TRANSPOSE_CONV_2D, transposeConv2DInputs, oneOutput, true},
    {FULLY_CONNECTED, fullyConnectedInputs, oneOutput, true},
    // Window
    {AVERAGE_POOL_2D, pool<common10>, oneOutput, true},
    {MAX_POOL_2D, pool<common10>, oneOutput, true},
    {L2_POOL_2D, pool<floats10>, oneOutput, true},
    {RESIZE_BILINEAR, resizeBilinearInputs, oneOutput, true},
    {RESIZE_NEAREST_NEIGHBOR, resizeNearestInputs, oneOutput, true},
    // Normalization
    {L2_NORMALIZATION, l2Inputs, oneOutput},
    {LOCAL_RESPONSE_NORMALIZATION, localResponseInputs, oneOutput},
    {INSTANCE_NORMALIZATION, instanceInputs, oneOutput},
    // Reduction
    {MEAN, meanInputs, oneOutput},
    {REDUCE_SUM, reduction<floats12>, oneOutput},
    {REDUCE_PROD, reduction<floats12>, oneOutput},
    {REDUCE_MAX, reduction<common12>, oneOutput},
    {REDUCE_MIN, reduction<common12>, oneOutput},
    {REDUCE_ALL, reduction<bools>, oneOutput},
    {REDUCE_ANY, reduction<bools>, oneOutput},
    {ARGMAX, argInputs, oneOutput},
    {ARGMIN, argInputs, oneOutput},
    {TOPK_V2, topKInputs, twoOutputs},
    // DataMovement
    {RESHAPE, reshapeInputs, oneOutput},
    {SQUEEZE, squeezeInputs, oneOutput},
    {EXPAND_DIMS, expandDimsInputs, oneOutput},
    {TRANSPOSE, transposeInputs, oneOutput, true},
    {CONCATENATION, concatenationInputs, oneOutput, true},
    {SPLIT, splitInputs, {}},
    {GATHER, gatherInputs, oneOutput},
    {CHANNEL_SHUFFLE, channelShuffleInputs, oneOutput},
    {SLICE, sliceInputs, oneOutput, true},
    {STRIDED_SLICE, stridedSliceInputs, oneOutput},
    {PAD, padInputs, oneOutput},
    {PAD_V2, padV2Inputs, oneOutput},
    {TILE, tileInputs, oneOutput},
    {FILL, fillInputs, oneOutput},
    {RANK, one<everyTensor>, oneOutput, true},
    {DEPTH_TO_SPACE, blockSizeInputs, oneOutput},
    {SPACE_TO_DEPTH, blockSizeInputs, oneOutput},
    {BATCH_TO_SPACE_ND, batchToSpaceInputs, oneOutput},
    {SPACE_TO_BATCH_ND, spaceToBatchInputs, oneOutput},
    // Quantization
    {QUANTIZE, one<floats12>, oneOutput, true},
    {DEQUANTIZE, one<dequantizable>, oneOutput, true},
    // Lookup
    {EMBEDDING_LOOKUP, embeddingLookupInputs, oneOutput},
    {HASHTABLE_LOOKUP, hashtableLookupInputs, twoOutputs},
    {LSH_PROJECTION, lshProjectionInputs, oneOutput},
    {RANDOM_MULTINOMIAL, randomMultinomialInputs, oneOutput},
    // Detection
    {AXIS_ALIGNED_BBOX_TRANSFORM, axisAlignedInputs, oneOutput, true},
    {BOX_WITH_NMS_LIMIT, boxWithNmsLimitInputs, fourOutputs, true},
    {DETECTION_POSTPROCESSING, detectionPostprocessingInputs, fourOutputs},
    {GENERATE_PROPOSALS, generateProposalsInputs, threeOutputs},
    {HEATMAP_MAX_KEYPOINT, heatmapInputs, twoOutputs},
    {ROI_ALIGN, roiAlignInputs, oneOutput, true},
    {ROI_POOLING, roiPoolingInputs, oneOutput},
    // ControlFlow
    {IF, ifInputs, {}, true},
    {WHILE, whileInputs, {}, true},
};

std::span<const Signature> signatures::plainSignatures() { return table; }
