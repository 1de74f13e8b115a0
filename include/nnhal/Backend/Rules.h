//===- Rules.h - What an operation accepts and yields -----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The type and shape rules of the HAL operations in canonical form: NHWC,
// explicit paddings, attributes resolved. One function per rule, called by the
// dialect's verifiers, by model validation and by devices, so that they cannot
// disagree.
//
// A function returns the result's type or an invalidArgument whose message
// names the found value and the bound. Labels such as `conv_2d C1` are those of
// docs/Spec. Threads: pure functions.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_BACKEND_RULES_H
#define NNHAL_BACKEND_RULES_H

#include "nnhal/Runtime/Api.h"
#include "nnhal/Runtime/Model.h"
#include "nnhal/Runtime/Status.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace nnhal::rt {

/// An extent that is not known yet. 0 is a known extent here: tensors without
/// elements are legal while a model runs (M-021, M-027).
inline constexpr int64_t unknownExtent = -1;

/// Type, shape and quantization of a tensor, as rules see it.
struct NNHAL_API TensorType {
  OperandType type = OperandType::TENSOR_FLOAT32;
  std::vector<int64_t> dimensions;
  bool isRanked = true;
  float scale = 0.0f;
  int32_t zeroPoint = 0;
  /// Empty scales unless type is TENSOR_QUANT8_SYMM_PER_CHANNEL.
  SymmPerChannelQuantParams channelQuant = {};
  /// In the result of a rule: scale and zero point may be anything (M-252).
  bool isQuantizationFree = false;

  /// The type of a model's operand: there 0 is an unknown extent, except in a
  /// constant, and a tensor without dimensions has unknown rank.
  static TensorType of(const Operand &operand);

  int64_t rank() const { return int64_t(dimensions.size()); }
  bool operator==(const TensorType &) const = default;
};

/// "1x?x3" or "unknown rank".
NNHAL_API std::string shapeText(const TensorType &type);

/// Whether \p stated may be the type of a value that a rule gives \p inferred:
/// the same operand type, extents equal where both are known, and the same
/// quantization unless it is free. \p name is used in the message.
NNHAL_API Status checkStated(const TensorType &inferred,
                             const TensorType &stated,
                             std::string_view name = "result");

/// The HAL's FusedActivationFunc, which is none, RELU, RELU1 or RELU6.
enum class FusedActivation : int32_t { none, relu, relu1, relu6 };
/// \p value as \p activation bounds it (M-019).
NNHAL_API float applyActivation(FusedActivation activation, float value);

/// Height, then width.
struct Extent2D {
  int64_t height = 1;
  int64_t width = 1;
};

struct Pads2D {
  int64_t top = 0;
  int64_t bottom = 0;
  int64_t left = 0;
  int64_t right = 0;
};

using Ints = std::span<const int64_t>;

/// Reads [height, width] or [top, bottom, left, right]. invalidArgument names
/// the attribute when the number of elements differs.
NNHAL_API Result<Extent2D> extent2D(std::string_view name, Ints values);
NNHAL_API Result<Pads2D> pads2D(Ints values);

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

/// add, sub, mul and div; \p allowsQuantized is false for div.
NNHAL_API Result<TensorType> arithmetic(const TensorType &lhs,
                                        const TensorType &rhs,
                                        FusedActivation activation,
                                        bool allowsQuantized);
/// What add and sub demand of a quantized result's scale (M-034).
NNHAL_API Status checkAddScale(const TensorType &lhs, const TensorType &rhs,
                               const TensorType &output);
/// What mul demands of a quantized result's scale (M-039).
NNHAL_API Status checkMulScale(const TensorType &lhs, const TensorType &rhs,
                               const TensorType &output);
NNHAL_API Result<TensorType> power(const TensorType &lhs,
                                   const TensorType &rhs);
/// maximum and minimum.
NNHAL_API Result<TensorType> extremum(const TensorType &lhs,
                                      const TensorType &rhs);
NNHAL_API Result<TensorType> comparison(const TensorType &lhs,
                                        const TensorType &rhs);
NNHAL_API Result<TensorType> logicalBinary(const TensorType &lhs,
                                           const TensorType &rhs);
NNHAL_API Result<TensorType> logicalNot(const TensorType &input);
NNHAL_API Result<TensorType> select(const TensorType &condition,
                                    const TensorType &lhs,
                                    const TensorType &rhs);
/// abs and neg, which take i32 too.
NNHAL_API Result<TensorType> signedUnary(const TensorType &input);
/// exp, log, sin, sqrt and rsqrt.
NNHAL_API Result<TensorType> floatUnary(const TensorType &input);
NNHAL_API Result<TensorType> floorOf(const TensorType &input);
NNHAL_API Status checkCast(const TensorType &input, const TensorType &output);

//===----------------------------------------------------------------------===//
// Activation
//===----------------------------------------------------------------------===//

/// relu, relu1 and relu6.
NNHAL_API Result<TensorType> rectifier(const TensorType &input);
NNHAL_API Result<TensorType> hyperbolicTangent(const TensorType &input);
NNHAL_API Result<TensorType> logistic(const TensorType &input);
NNHAL_API Result<TensorType> elu(const TensorType &input);
NNHAL_API Result<TensorType> hardSwish(const TensorType &input);
NNHAL_API Result<TensorType> prelu(const TensorType &input,
                                   const TensorType &alpha);
NNHAL_API Result<TensorType> softmax(const TensorType &input, float beta,
                                     int64_t axis);
NNHAL_API Result<TensorType> logSoftmax(const TensorType &input, int64_t axis);

//===----------------------------------------------------------------------===//
// Contraction
//===----------------------------------------------------------------------===//

struct ConvolutionParams {
  Extent2D strides;
  Extent2D dilations;
  Pads2D pads;
  FusedActivation activation = FusedActivation::none;
};

NNHAL_API Result<TensorType> conv2D(const TensorType &input,
                                    const TensorType &filter,
                                    const TensorType &bias,
                                    const ConvolutionParams &params);
NNHAL_API Result<TensorType> depthwiseConv2D(const TensorType &input,
                                             const TensorType &filter,
                                             const TensorType &bias,
                                             const ConvolutionParams &params,
                                             int64_t depthMultiplier);
NNHAL_API Result<TensorType> groupedConv2D(const TensorType &input,
                                           const TensorType &filter,
                                           const TensorType &bias,
                                           const ConvolutionParams &params,
                                           int64_t groups);
NNHAL_API Result<TensorType> transposeConv2D(const TensorType &input,
                                             const TensorType &filter,
                                             const TensorType &bias,
                                             const ConvolutionParams &params);
NNHAL_API Result<TensorType> fullyConnected(const TensorType &input,
                                            const TensorType &weights,
                                            const TensorType &bias,
                                            FusedActivation activation);

//===----------------------------------------------------------------------===//
// Window
//===----------------------------------------------------------------------===//

struct WindowParams {
  Extent2D window;
  Extent2D strides;
  Pads2D pads;
  FusedActivation activation = FusedActivation::none;
};

/// average_pool_2d and max_pool_2d.
NNHAL_API Result<TensorType> pool2D(const TensorType &input,
                                    const WindowParams &params);
NNHAL_API Result<TensorType> l2Pool2D(const TensorType &input,
                                      const WindowParams &params);
NNHAL_API Status checkResize(const TensorType &input, const TensorType &output,
                             bool alignCorners, bool halfPixelCenters);

//===----------------------------------------------------------------------===//
// Normalization
//===----------------------------------------------------------------------===//

NNHAL_API Result<TensorType> l2Normalization(const TensorType &input,
                                             int64_t axis);
NNHAL_API Result<TensorType> localResponseNormalization(const TensorType &input,
                                                        int64_t radius,
                                                        float bias,
                                                        int64_t axis);
NNHAL_API Result<TensorType> instanceNormalization(const TensorType &input);

//===----------------------------------------------------------------------===//
// Reduction
//===----------------------------------------------------------------------===//

NNHAL_API Result<TensorType> mean(const TensorType &input, Ints axes,
                                  bool keepDims);
/// reduce_sum and reduce_prod.
NNHAL_API Result<TensorType> reduceArithmetic(const TensorType &input,
                                              Ints axes, bool keepDims);
/// reduce_max and reduce_min.
NNHAL_API Result<TensorType> reduceExtremum(const TensorType &input, Ints axes,
                                            bool keepDims);
/// reduce_all and reduce_any.
NNHAL_API Result<TensorType> reduceLogical(const TensorType &input, Ints axes,
                                           bool keepDims);
/// argmax and argmin.
NNHAL_API Result<TensorType> argReduce(const TensorType &input, int64_t axis);
/// Values, then indices.
NNHAL_API Result<std::vector<TensorType>> topK(const TensorType &input,
                                               int64_t k);

//===----------------------------------------------------------------------===//
// DataMovement
//===----------------------------------------------------------------------===//

NNHAL_API Status checkReshape(const TensorType &input,
                              const TensorType &output);
NNHAL_API Result<TensorType> squeeze(const TensorType &input, Ints axes);
NNHAL_API Result<TensorType> expandDims(const TensorType &input, int64_t axis);
NNHAL_API Result<TensorType> transpose(const TensorType &input,
                                       Ints permutation);
NNHAL_API Result<TensorType> concatenation(std::span<const TensorType> inputs,
                                           int64_t axis);
/// The type of each of \p count parts.
NNHAL_API Result<TensorType> split(const TensorType &input, int64_t axis,
                                   int64_t count);
NNHAL_API Result<TensorType> slice(const TensorType &input, Ints begin,
                                   Ints size);
NNHAL_API Result<TensorType> stridedSlice(const TensorType &input, Ints begin,
                                          Ints end, Ints strides,
                                          Ints shrinkAxes);
/// pad and pad_v2; two paddings per dimension.
NNHAL_API Result<TensorType> pad(const TensorType &input, Ints paddings);
/// What kind of value a pad_v2 or a fill takes: f32 for floating-point
/// elements, i32 otherwise.
NNHAL_API Status checkFillValue(const TensorType &type, bool isFloatValue);
NNHAL_API Result<TensorType> tile(const TensorType &input, Ints multiples);
NNHAL_API Result<TensorType> gather(const TensorType &input,
                                    const TensorType &indices, int64_t axis);
NNHAL_API Status checkFill(const TensorType &output, bool isFloatValue);
NNHAL_API Result<TensorType> channelShuffle(const TensorType &input,
                                            int64_t groups, int64_t axis);
NNHAL_API Result<TensorType> depthToSpace(const TensorType &input,
                                          int64_t blockSize);
NNHAL_API Result<TensorType> spaceToDepth(const TensorType &input,
                                          int64_t blockSize);
NNHAL_API Result<TensorType> batchToSpace(const TensorType &input,
                                          Ints blockShape);
NNHAL_API Result<TensorType> spaceToBatch(const TensorType &input,
                                          Ints blockShape, const Pads2D &pads);

//===----------------------------------------------------------------------===//
// Quantization
//===----------------------------------------------------------------------===//

NNHAL_API Status checkQuantize(const TensorType &input,
                               const TensorType &output);
NNHAL_API Status checkDequantize(const TensorType &input,
                                 const TensorType &output);

//===----------------------------------------------------------------------===//
// Lookup
//===----------------------------------------------------------------------===//

/// How lsh_projection packs bits (M-158).
enum class LshKind : int32_t { sparseDeprecated = 1, dense = 2, sparse = 3 };

NNHAL_API Result<TensorType> embeddingLookup(const TensorType &lookups,
                                             const TensorType &values);
/// Values, then hits.
NNHAL_API Result<std::vector<TensorType>>
hashtableLookup(const TensorType &lookups, const TensorType &keys,
                const TensorType &values);
/// \p weights may be null.
NNHAL_API Result<TensorType> lshProjection(const TensorType &hash,
                                           const TensorType &input,
                                           const TensorType *weights,
                                           LshKind kind);
NNHAL_API Result<TensorType> randomMultinomial(const TensorType &logits,
                                               int64_t sampleCount,
                                               const TensorType &seeds);

//===----------------------------------------------------------------------===//
// Recurrent
//===----------------------------------------------------------------------===//

/// Whether an operand that an operation can do without has a value. Undecided:
/// a model's input, which a request may omit.
enum class Presence { omitted, undecided, given };

struct OptionalOperand {
  TensorType type;
  Presence presence = Presence::omitted;
};

/// Of recurrent operations: the codes of FusedActivation and two more (M-173).
enum class RecurrentActivation : int32_t {
  none = 0,
  relu = 1,
  relu1 = 2,
  relu6 = 3,
  tanh = 4,
  sigmoid = 6
};

/// The four gates of an LSTM cell, as indices.
enum LstmGate : size_t { inputGate, forgetGate, cellGate, outputGate };
using GateOperands = std::array<OptionalOperand, 4>;

/// What an LSTM cell reads beside its input. Without input weights of the input
/// gate that gate is coupled: 1 - forget gate (M-167).
struct LstmOperands {
  GateOperands inputWeights;         ///< [units, input size]
  GateOperands recurrentWeights;     ///< [units, output size]
  GateOperands peepholes;            ///< [units], none for the cell gate
  GateOperands biases;               ///< [units]
  GateOperands layerNorm;            ///< [units]
  GateOperands auxWeights;           ///< [units, size of the auxiliary input]
  OptionalOperand projectionWeights; ///< [output size, units]
  OptionalOperand projectionBias;    ///< [output size]
  OptionalOperand outputState;       ///< [batch, output size]
  OptionalOperand cellState;         ///< [batch, units]
};

struct LstmParams {
  RecurrentActivation activation = RecurrentActivation::none;
  /// 0 disables.
  float cellClip = 0.0f;
  float projectionClip = 0.0f;
};

/// What an RNN cell reads beside its input.
struct RnnOperands {
  OptionalOperand weights;          ///< [units, input size]
  OptionalOperand recurrentWeights; ///< [units, units]
  OptionalOperand bias;             ///< [units]
  OptionalOperand hiddenState;      ///< [batch, units]
  OptionalOperand auxWeights;       ///< [units, size of the auxiliary input]
};

struct SequenceParams {
  /// [time, batch, size] instead of [batch, time, size]. Absent: not known.
  std::optional<bool> isTimeMajor = false;
  /// One result, forward and then backward features. Bidirectional only.
  bool mergesOutputs = false;
  /// The last states are results, too.
  bool yieldsStates = false;
};

/// Scratch, output state, cell state and output.
NNHAL_API Result<std::vector<TensorType>> lstm(const TensorType &input,
                                               const LstmOperands &cell,
                                               const LstmParams &params);
/// Output and, when they are asked for, output state and cell state.
NNHAL_API Result<std::vector<TensorType>>
unidirectionalSequenceLstm(const TensorType &input, const LstmOperands &cell,
                           const LstmParams &params,
                           const SequenceParams &sequence);
/// Forward and backward output (one when merged), then, when they are asked
/// for, output state and cell state of each direction.
NNHAL_API Result<std::vector<TensorType>> bidirectionalSequenceLstm(
    const TensorType &input, const OptionalOperand &auxInput,
    const LstmOperands &forward, const LstmOperands &backward,
    const LstmParams &params, const SequenceParams &sequence);

/// Hidden state and output.
NNHAL_API Result<std::vector<TensorType>> rnn(const TensorType &input,
                                              const RnnOperands &cell,
                                              RecurrentActivation activation);
/// Output and, when it is asked for, hidden state.
NNHAL_API Result<std::vector<TensorType>>
unidirectionalSequenceRnn(const TensorType &input, const RnnOperands &cell,
                          RecurrentActivation activation,
                          const SequenceParams &sequence);
/// Forward and backward output (one when merged), then, when they are asked
/// for, the hidden state of each direction.
NNHAL_API Result<std::vector<TensorType>> bidirectionalSequenceRnn(
    const TensorType &input, const OptionalOperand &auxInput,
    const RnnOperands &forward, const RnnOperands &backward,
    RecurrentActivation activation, const SequenceParams &sequence);

/// State and output. \p rank is absent when it is not known.
NNHAL_API Result<std::vector<TensorType>>
svdf(const TensorType &input, const TensorType &featureWeights,
     const TensorType &timeWeights, const OptionalOperand &bias,
     const TensorType &state, std::optional<int64_t> rank,
     RecurrentActivation activation);

/// Cell state and output. Peepholes, layer norm, projection and auxiliary
/// weights of \p cell are not looked at.
NNHAL_API Result<std::vector<TensorType>>
quantized16BitLstm(const TensorType &input, const LstmOperands &cell);

struct QuantizedLstmParams {
  float cellClip = 0.0f;
  float projectionClip = 0.0f;
  /// Of the products of each gate; the input gate's counts unless coupled.
  std::array<float, 4> intermediateScales = {1.0f, 1.0f, 1.0f, 1.0f};
  int32_t hiddenZeroPoint = 0;
  float hiddenScale = 1.0f;
};

/// Output state, cell state and output.
NNHAL_API Result<std::vector<TensorType>>
quantizedLstm(const TensorType &input, const LstmOperands &cell,
              const QuantizedLstmParams &params);

//===----------------------------------------------------------------------===//
// Detection
//===----------------------------------------------------------------------===//

/// How boxes that overlap a better one lose score.
enum class SoftNmsKernel : int32_t { hard, linear, gaussian };

struct RoiParams {
  /// Of the result.
  Extent2D extent;
  /// Original image to feature map.
  float heightRatio = 1.0f;
  float widthRatio = 1.0f;
  /// Sampling points per bin, roi_align only; 0 lets the bin's size decide.
  Extent2D samples = {0, 0};
};

struct ProposalParams {
  float heightRatio = 1.0f;
  float widthRatio = 1.0f;
  float iouThreshold = 0.0f;
  float minSize = 0.0f;
};

struct PostprocessingParams {
  /// dy, dx, dh, dw are divided by these.
  float scales[4] = {1.0f, 1.0f, 1.0f, 1.0f};
  bool isRegularNms = false;
  int64_t maxDetections = 1;
  /// Without regular NMS.
  int64_t maxClassesPerDetection = 1;
  /// With regular NMS.
  int64_t maxDetectionsPerClass = 1;
  float scoreThreshold = 0.0f;
  float iouThreshold = 0.0f;
};

NNHAL_API Result<TensorType>
axisAlignedBBoxTransform(const TensorType &rois, const TensorType &deltas,
                         const TensorType &batches,
                         const TensorType &imageInfo);
/// Scores, boxes, classes and batch indices; their number is unknown.
NNHAL_API Result<std::vector<TensorType>>
boxWithNmsLimit(const TensorType &scores, const TensorType &boxes,
                const TensorType &batches, SoftNmsKernel kernel);
/// Scores, boxes, classes and numbers of detections.
NNHAL_API Result<std::vector<TensorType>>
detectionPostprocessing(const TensorType &scores, const TensorType &deltas,
                        const TensorType &anchors,
                        const PostprocessingParams &params);
/// Scores, boxes and batch indices; their number is unknown.
NNHAL_API Result<std::vector<TensorType>>
generateProposals(const TensorType &scores, const TensorType &deltas,
                  const TensorType &anchors, const TensorType &imageInfo,
                  const ProposalParams &params);
/// Scores, then keypoints.
NNHAL_API Result<std::vector<TensorType>>
heatmapMaxKeypoint(const TensorType &heatmaps, const TensorType &boxes);
NNHAL_API Result<TensorType> roiAlign(const TensorType &features,
                                      const TensorType &rois,
                                      const TensorType &batches,
                                      const RoiParams &params);
NNHAL_API Result<TensorType> roiPooling(const TensorType &features,
                                        const TensorType &rois,
                                        const TensorType &batches,
                                        const RoiParams &params);

//===----------------------------------------------------------------------===//
// ControlFlow
//===----------------------------------------------------------------------===//

/// What a graph takes and yields, or what an IF or a WHILE passes to its graphs
/// and gets back: its inputs without condition and references.
struct GraphSignature {
  std::vector<Operand> inputs;
  std::vector<Operand> outputs;
};

/// Both graphs take what is passed and yield what comes back (B-063, B-064).
NNHAL_API Status checkIfGraphs(const GraphSignature &passed,
                               const GraphSignature &thenGraph,
                               const GraphSignature &elseGraph);
/// The condition takes what is passed and yields one boolean; the body takes it
/// and yields the next state, of which the first are the results (B-066 to
/// B-068).
NNHAL_API Status checkWhileGraphs(const GraphSignature &passed,
                                  const GraphSignature &condition,
                                  const GraphSignature &body);
/// \p operand, called \p what in messages, is one boolean (B-062, B-066).
NNHAL_API Status checkCondition(const Operand &operand, std::string_view what);

} // namespace nnhal::rt

#endif // NNHAL_BACKEND_RULES_H
