//===- Rules.h - Types and shapes of operations -----------------*- C++ -*-===//
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

/// The value of an extent that is not known yet. 0 is a known extent here:
/// tensors without elements are legal while a model runs (M-021, M-027).
inline constexpr int64_t unknownExtent = -1;

/// The type, shape and quantization of a tensor, as rules see it.
struct NNHAL_API TensorType {
  OperandType type = OperandType::TENSOR_FLOAT32;
  std::vector<int64_t> dimensions;
  bool isRanked = true;
  float scale = 0.0f;
  int32_t zeroPoint = 0;
  /// The scales are empty unless the type is TENSOR_QUANT8_SYMM_PER_CHANNEL.
  SymmPerChannelQuantParams channelQuant = {};
  /// In the result of a rule this says that scale and zero point may be
  /// anything (M-252).
  bool isQuantizationFree = false;

  /// Makes the type of a model's operand, in which 0 is an unknown extent,
  /// except in a constant, and a tensor without dimensions has unknown rank.
  static TensorType of(const Operand &operand);

  int64_t rank() const { return int64_t(dimensions.size()); }
  bool operator==(const TensorType &) const = default;
};

/// Returns "1x?x3" or "unknown rank".
NNHAL_API std::string shapeText(const TensorType &type);

/// Whether \p stated may be the type of a value that a rule gives \p inferred:
/// the same operand type, extents equal where both are known, and the same
/// quantization unless it is free. \p name is used in the message.
NNHAL_API Status checkStated(const TensorType &inferred,
                             const TensorType &stated,
                             std::string_view name = "result");

/// The HAL's FusedActivationFunc, which is none, RELU, RELU1 or RELU6.
enum class FusedActivation : int32_t { none, relu, relu1, relu6 };
/// Returns \p value as \p activation bounds it (M-019).
NNHAL_API float applyActivation(FusedActivation activation, float value);

/// A height, then a width.
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

/// Reads [height, width] or [top, bottom, left, right]. Fails with
/// invalidArgument, which names the attribute, when the number of elements
/// differs.
NNHAL_API Result<Extent2D> extent2D(std::string_view name, Ints values);
NNHAL_API Result<Pads2D> pads2D(Ints values);

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

/// The rule of add, sub, mul and div; \p allowsQuantized is false for div.
NNHAL_API Result<TensorType> arithmetic(const TensorType &lhs,
                                        const TensorType &rhs,
                                        FusedActivation activation,
                                        bool allowsQuantized);
/// Checks the demand of add and sub on a quantized result's scale (M-034).
NNHAL_API Status checkAddScale(const TensorType &lhs, const TensorType &rhs,
                               const TensorType &output);
/// Checks the demand of mul on a quantized result's scale (M-039).
NNHAL_API Status checkMulScale(const TensorType &lhs, const TensorType &rhs,
                               const TensorType &output);
NNHAL_API Result<TensorType> power(const TensorType &lhs,
                                   const TensorType &rhs);
/// The rule of maximum and minimum.
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
/// The rule of abs and neg, which take i32 too.
NNHAL_API Result<TensorType> signedUnary(const TensorType &input);
/// The rule of exp, log, sin, sqrt and rsqrt.
NNHAL_API Result<TensorType> floatUnary(const TensorType &input);
NNHAL_API Result<TensorType> floorOf(const TensorType &input);
NNHAL_API Status checkCast(const TensorType &input, const TensorType &output);

//===----------------------------------------------------------------------===//
// Activation
//===----------------------------------------------------------------------===//

/// The rule of relu, relu1 and relu6.
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

/// The rule of average_pool_2d and max_pool_2d.
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
/// The rule of reduce_sum and reduce_prod.
NNHAL_API Result<TensorType> reduceArithmetic(const TensorType &input,
                                              Ints axes, bool keepDims);
/// The rule of reduce_max and reduce_min.
NNHAL_API Result<TensorType> reduceExtremum(const TensorType &input, Ints axes,
                                            bool keepDims);
/// The rule of reduce_all and reduce_any.
NNHAL_API Result<TensorType> reduceLogical(const TensorType &input, Ints axes,
                                           bool keepDims);
/// The rule of argmax and argmin.
NNHAL_API Result<TensorType> argReduce(const TensorType &input, int64_t axis);
/// The results are the values, then the indices.
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
/// The result is the type of each of \p count parts.
NNHAL_API Result<TensorType> split(const TensorType &input, int64_t axis,
                                   int64_t count);
NNHAL_API Result<TensorType> slice(const TensorType &input, Ints begin,
                                   Ints size);
NNHAL_API Result<TensorType> stridedSlice(const TensorType &input, Ints begin,
                                          Ints end, Ints strides,
                                          Ints shrinkAxes);
/// The rule of pad and pad_v2, with two paddings per dimension.
NNHAL_API Result<TensorType> pad(const TensorType &input, Ints paddings);
/// Returns the kind of the value of a pad_v2 or a fill: f32 for floating-point
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

/// The way in which lsh_projection packs bits (M-158).
enum class LshKind : int32_t { sparseDeprecated = 1, dense = 2, sparse = 3 };

NNHAL_API Result<TensorType> embeddingLookup(const TensorType &lookups,
                                             const TensorType &values);
/// The results are the values, then the hits.
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

/// Whether an operand that an operation can do without has a value. It is
/// undecided for a model's input, which a request may omit.
enum class Presence { omitted, undecided, given };

struct OptionalOperand {
  TensorType type;
  Presence presence = Presence::omitted;
};

/// The activation of recurrent operations: the codes of FusedActivation and two
/// more (M-173).
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

/// The operands that an LSTM cell reads beside its input. Without input weights
/// the input gate is coupled to the forget gate: it is 1 - forget gate (M-167).
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
  /// A clip of 0 disables clipping.
  float cellClip = 0.0f;
  float projectionClip = 0.0f;
};

/// The operands that an RNN cell reads beside its input.
struct RnnOperands {
  OptionalOperand weights;          ///< [units, input size]
  OptionalOperand recurrentWeights; ///< [units, units]
  OptionalOperand bias;             ///< [units]
  OptionalOperand hiddenState;      ///< [batch, units]
  OptionalOperand auxWeights;       ///< [units, size of the auxiliary input]
};

struct SequenceParams {
  /// True for [time, batch, size] in place of [batch, time, size]. The value is
  /// absent when it is not known.
  std::optional<bool> isTimeMajor = false;
  /// One result holds forward and then backward features. This is for
  /// bidirectional operations only.
  bool mergesOutputs = false;
  /// The last states are results, too.
  bool yieldsStates = false;
};

/// The results are scratch, output state, cell state and output.
NNHAL_API Result<std::vector<TensorType>> lstm(const TensorType &input,
                                               const LstmOperands &cell,
                                               const LstmParams &params);
/// The results are the output and, when they are asked for, output state and
/// cell state.
NNHAL_API Result<std::vector<TensorType>>
unidirectionalSequenceLstm(const TensorType &input, const LstmOperands &cell,
                           const LstmParams &params,
                           const SequenceParams &sequence);
/// The results are forward and backward output (one when merged), then, when
/// they are asked for, output state and cell state of each direction.
NNHAL_API Result<std::vector<TensorType>> bidirectionalSequenceLstm(
    const TensorType &input, const OptionalOperand &auxInput,
    const LstmOperands &forward, const LstmOperands &backward,
    const LstmParams &params, const SequenceParams &sequence);

/// The results are hidden state and output.
NNHAL_API Result<std::vector<TensorType>> rnn(const TensorType &input,
                                              const RnnOperands &cell,
                                              RecurrentActivation activation);
/// The results are the output and, when it is asked for, the hidden state.
NNHAL_API Result<std::vector<TensorType>>
unidirectionalSequenceRnn(const TensorType &input, const RnnOperands &cell,
                          RecurrentActivation activation,
                          const SequenceParams &sequence);
/// The results are forward and backward output (one when merged), then, when
/// they are asked for, the hidden state of each direction.
NNHAL_API Result<std::vector<TensorType>> bidirectionalSequenceRnn(
    const TensorType &input, const OptionalOperand &auxInput,
    const RnnOperands &forward, const RnnOperands &backward,
    RecurrentActivation activation, const SequenceParams &sequence);

/// The results are state and output. \p rank is absent when it is not known.
NNHAL_API Result<std::vector<TensorType>>
svdf(const TensorType &input, const TensorType &featureWeights,
     const TensorType &timeWeights, const OptionalOperand &bias,
     const TensorType &state, std::optional<int64_t> rank,
     RecurrentActivation activation);

/// The results are cell state and output. Peepholes, layer norm, projection and
/// auxiliary weights of \p cell are not looked at.
NNHAL_API Result<std::vector<TensorType>>
quantized16BitLstm(const TensorType &input, const LstmOperands &cell);

struct QuantizedLstmParams {
  float cellClip = 0.0f;
  float projectionClip = 0.0f;
  /// The scales of the products of each gate; the input gate's counts unless it
  /// is coupled.
  std::array<float, 4> intermediateScales = {1.0f, 1.0f, 1.0f, 1.0f};
  int32_t hiddenZeroPoint = 0;
  float hiddenScale = 1.0f;
};

/// The results are output state, cell state and output.
NNHAL_API Result<std::vector<TensorType>>
quantizedLstm(const TensorType &input, const LstmOperands &cell,
              const QuantizedLstmParams &params);

//===----------------------------------------------------------------------===//
// Detection
//===----------------------------------------------------------------------===//

/// The way in which boxes that overlap a better one lose score.
enum class SoftNmsKernel : int32_t { hard, linear, gaussian };

struct RoiParams {
  /// The size of the result.
  Extent2D extent;
  /// The ratio of the original image to the feature map.
  float heightRatio = 1.0f;
  float widthRatio = 1.0f;
  /// The sampling points per bin, for roi_align only; 0 lets the bin's size
  /// decide.
  Extent2D samples = {0, 0};
};

struct ProposalParams {
  float heightRatio = 1.0f;
  float widthRatio = 1.0f;
  float iouThreshold = 0.0f;
  float minSize = 0.0f;
};

struct PostprocessingParams {
  /// The divisors of dy, dx, dh and dw.
  float scales[4] = {1.0f, 1.0f, 1.0f, 1.0f};
  bool isRegularNms = false;
  int64_t maxDetections = 1;
  /// The limit without regular NMS.
  int64_t maxClassesPerDetection = 1;
  /// The limit with regular NMS.
  int64_t maxDetectionsPerClass = 1;
  float scoreThreshold = 0.0f;
  float iouThreshold = 0.0f;
};

NNHAL_API Result<TensorType>
axisAlignedBBoxTransform(const TensorType &rois, const TensorType &deltas,
                         const TensorType &batches,
                         const TensorType &imageInfo);
/// The results are scores, boxes, classes and batch indices; their number is
/// unknown.
NNHAL_API Result<std::vector<TensorType>>
boxWithNmsLimit(const TensorType &scores, const TensorType &boxes,
                const TensorType &batches, SoftNmsKernel kernel);
/// The results are scores, boxes, classes and numbers of detections.
NNHAL_API Result<std::vector<TensorType>>
detectionPostprocessing(const TensorType &scores, const TensorType &deltas,
                        const TensorType &anchors,
                        const PostprocessingParams &params);
/// The results are scores, boxes and batch indices; their number is unknown.
NNHAL_API Result<std::vector<TensorType>>
generateProposals(const TensorType &scores, const TensorType &deltas,
                  const TensorType &anchors, const TensorType &imageInfo,
                  const ProposalParams &params);
/// The results are the scores, then the keypoints.
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

/// The types that a graph takes and yields, or that an IF or a WHILE passes to
/// its graphs and gets back: its inputs without condition and references.
struct GraphSignature {
  std::vector<Operand> inputs;
  std::vector<Operand> outputs;
};

/// Checks that both graphs take the passed types and yield the types that come
/// back (B-063, B-064).
NNHAL_API Status checkIfGraphs(const GraphSignature &passed,
                               const GraphSignature &thenGraph,
                               const GraphSignature &elseGraph);
/// Checks that the condition takes the passed types and yields one boolean, and
/// that the body takes them and yields the next state, of which the first are
/// the results (B-066 to B-068).
NNHAL_API Status checkWhileGraphs(const GraphSignature &passed,
                                  const GraphSignature &condition,
                                  const GraphSignature &body);
/// Checks that \p operand, called \p what in messages, is one boolean (B-062,
/// B-066).
NNHAL_API Status checkCondition(const Operand &operand, std::string_view what);

} // namespace nnhal::rt

#endif // NNHAL_BACKEND_RULES_H
