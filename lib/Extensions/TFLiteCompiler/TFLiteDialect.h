//===- TFLiteDialect.h - Operators that become code -------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dialect tflite, the compiler's half of the extension nnhal.tflite.
// Threads: as MLIR's.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_EXTENSIONS_TFLITECOMPILER_TFLITEDIALECT_H
#define NNHAL_LIB_EXTENSIONS_TFLITECOMPILER_TFLITEDIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <optional>

#include "TFLiteDialect.h.inc"
#include "TFLiteEnums.h.inc"

#define GET_OP_CLASSES
#include "TFLiteOps.h.inc"

namespace mlir {
class RewritePatternSet;
class TypeConverter;
} // namespace mlir

namespace nnhal::tflite {

/// Elements differ in what functions are computed with them, and how.
enum class ElementClass : uint8_t {
  float32,
  int32,
  int64,
  /// A TENSOR_QUANT16_SYMM.
  fixed16,
  boolean,
  other
};
ElementClass classOf(mlir::Type type);

/// The extents of \p value, a tensor that has known ones.
inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType()).getShape();
}

/// How integers are stored that are no truths.
struct IntegerForm {
  unsigned bits;
  bool isSigned;

  bool operator==(const IntegerForm &) const = default;
};
/// The form of elements of \p type; none where they are something else.
std::optional<IntegerForm> integerFormOf(mlir::Type type);

/// Why an operator is called whose elements have a class without code.
inline constexpr llvm::StringLiteral otherTypes =
    "elements of these types are not compiled";

/// A result without the scale of fractions of 15 bits, which some functions of
/// 16-bit numbers yield.
inline constexpr llvm::StringLiteral otherScale =
    "its result has not the scale 2^-15";

/// Why an operator of the last dimension is called that is not of the result.
inline constexpr llvm::StringLiteral otherRows =
    "its result has another shape, or it has no rows";

/// Whether \p type has the scale of fractions of 15 bits.
bool isFraction(mlir::Type type);

/// Whether \p code is that of a fused activation.
bool isActivation(int64_t code);

/// The number of elements of \p shape, whose extents are known; none where it
/// has more than 63 bits.
std::optional<int64_t> elementsOf(llvm::ArrayRef<int64_t> shape);

/// The shape that \p inputs, whose extents are known, broadcast to in
/// \p result; none where they do not broadcast.
std::optional<llvm::SmallVector<int64_t>>
broadcastShape(Function function, mlir::TypeRange inputs, mlir::Type result);

/// Whether \p input and \p result are images, each window of which has an
/// element of the input.
bool hasWindows(llvm::ArrayRef<int64_t> input, llvm::ArrayRef<int64_t> result,
                llvm::ArrayRef<int64_t> filter,
                llvm::ArrayRef<int64_t> strides);

/// The largest magnitude of a depthwise convolution's bias: fewer than 256
/// products have 30 bits beside the sign, and with one more sums fit 32.
inline constexpr int32_t mostDepthwiseBias = 1 << 30;

/// Elements that the windows of one dimension of a depthwise convolution have
/// behind the image's last one, \p low lying before its first one.
int64_t missingBehind(int64_t input, int64_t result, int64_t filter,
                      int64_t stride, int64_t dilation, int64_t low);

/// Says why a depthwise convolution is called whose padded image has the shape
/// \p padded; the empty text where it is lowered.
llvm::StringRef whyPaddingIsCalled(llvm::ArrayRef<int64_t> image,
                                   llvm::ArrayRef<int64_t> padded);

/// Whether an image of \p input extents can be resized to \p result.
bool isResized(llvm::ArrayRef<int64_t> input, llvm::ArrayRef<int64_t> result);

/// Returns the number of tensors that \p function takes; none for ADD_N, which
/// takes any.
std::optional<size_t> inputsOf(Function function);

/// Says why \p function of \p inputs with \p result is called; the empty text
/// where it is lowered.
llvm::StringRef whyElementwiseIsCalled(Function function,
                                       mlir::TypeRange inputs,
                                       mlir::Type result);

/// Says why SOFTMAX of known extents is called; the empty text where it is
/// lowered.
llvm::StringRef whySoftmaxIsCalled(mlir::Type input, mlir::Type result,
                                   float beta);

/// Says why a reduction is called; the empty text where it is lowered.
llvm::StringRef whyReduceIsCalled(Reducer reducer, mlir::Type input,
                                  mlir::Type result);

/// Says why a pool is called whose windows have the two positive extents
/// \p filter; the empty text where it is lowered.
llvm::StringRef whyPoolIsCalled(Reducer reducer, mlir::Type input,
                                mlir::Type result,
                                llvm::ArrayRef<int64_t> filter);

/// Input channels of one part of a convolution.
struct ChannelRange {
  int64_t begin, size;
};
/// Part \p index of \p parts of \p channels input channels. Parts but the last
/// one have a number of channels that pairs divide; the size is below 1 where
/// there are fewer parts.
ChannelRange partOf(int64_t channels, int64_t parts, int64_t index);

/// In how many parts the sums of matrices of \p depth, of which each takes one
/// byte of one factor, fit 32 bits.
int64_t partsOfProduct(int64_t depth);

/// Says why products of a 16-bit input and an 8-bit filter are called; the
/// empty text where they are lowered.
llvm::StringRef whyProductsAreCalled(mlir::Type input, mlir::Type filter,
                                     mlir::Type result);

/// Says why products of bytes are called; the empty text where they are
/// lowered.
llvm::StringRef whyByteProductIsCalled(mlir::Type input, mlir::Type weights,
                                       mlir::Type result);

/// Say why an operation is called; the empty text where it is lowered.
llvm::StringRef whyDepthwiseIsCalled(mlir::Type input, mlir::Type filter,
                                     mlir::Type result);
llvm::StringRef whyNormalizeIsCalled(mlir::Type input, mlir::Type result);
llvm::StringRef whyArgIsCalled(mlir::Type input, mlir::Type result,
                               uint64_t axis);
llvm::StringRef whyCumsumIsCalled(mlir::Type input, mlir::Type result);
llvm::StringRef whyResizeIsCalled(Sampler sampler, mlir::Type input,
                                  mlir::Type result);

void populateByteProductLowering(const mlir::TypeConverter &converter,
                                 mlir::RewritePatternSet &patterns);
void populateCumsumLowering(const mlir::TypeConverter &converter,
                            mlir::RewritePatternSet &patterns);
void populateConvolutionLowering(const mlir::TypeConverter &converter,
                                 mlir::RewritePatternSet &patterns);
void populateDepthwiseLowering(const mlir::TypeConverter &converter,
                               mlir::RewritePatternSet &patterns);
void populateElementwiseLowering(const mlir::TypeConverter &converter,
                                 mlir::RewritePatternSet &patterns);
void populateIndexingLowering(const mlir::TypeConverter &converter,
                              mlir::RewritePatternSet &patterns);
void populateMatMulLowering(const mlir::TypeConverter &converter,
                            mlir::RewritePatternSet &patterns);
void populateMovementLowering(const mlir::TypeConverter &converter,
                              mlir::RewritePatternSet &patterns);
void populateNormalizeLowering(const mlir::TypeConverter &converter,
                               mlir::RewritePatternSet &patterns);
void populatePoolLowering(const mlir::TypeConverter &converter,
                          mlir::RewritePatternSet &patterns);
void populateReduceLowering(const mlir::TypeConverter &converter,
                            mlir::RewritePatternSet &patterns);
void populateResizeLowering(const mlir::TypeConverter &converter,
                            mlir::RewritePatternSet &patterns);
void populateSoftmaxLowering(const mlir::TypeConverter &converter,
                             mlir::RewritePatternSet &patterns);

} // namespace nnhal::tflite

#endif // NNHAL_LIB_EXTENSIONS_TFLITECOMPILER_TFLITEDIALECT_H
