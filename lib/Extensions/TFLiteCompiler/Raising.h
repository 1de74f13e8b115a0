//===- Raising.h - Operations of the extension to the dialect ---*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_EXTENSIONS_TFLITECOMPILER_RAISING_H
#define NNHAL_LIB_EXTENSIONS_TFLITECOMPILER_RAISING_H

#include "nnhal/Dialect/NNHal/IR/ExtensionInterface.h"

#include <optional>

namespace nnhal::tflite {

inline constexpr llvm::StringLiteral extensionName = "nnhal.tflite";

/// The numbers of operators that are no functions of single elements.
enum OperatorCode : uint32_t {
  averagePoolCode = 1,
  concatenationCode = 2,
  convolutionCode = 3,
  depthwiseCode = 4,
  depthToSpaceCode = 5,
  fullyConnectedCode = 9,
  maxPoolCode = 17,
  reshapeCode = 22,
  softmaxCode = 25,
  spaceToDepthCode = 26,
  padCode = 34,
  gatherCode = 36,
  batchToSpaceCode = 37,
  spaceToBatchCode = 38,
  transposeCode = 39,
  squeezeCode = 43,
  stridedSliceCode = 45,
  splitCode = 49,
  argMaxCode = 56,
  padV2Code = 60,
  /// SELECT_V2 but for conditions of one dimension.
  selectCode = 64,
  sliceCode = 65,
  transposedCode = 67,
  tileCode = 69,
  expandDimsCode = 70,
  shapeCode = 77,
  argMinCode = 79,
  packCode = 83,
  oneHotCode = 85,
  unpackCode = 88,
  zerosLikeCode = 93,
  fillCode = 94,
  mirrorPadCode = 100,
  splitVCode = 102,
  reverseCode = 105,
  gatherNdCode = 107,
  rankCode = 110,
  matrixDiagCode = 113,
  matMulCode = 126,
  cumsumCode = 128
};

inline constexpr llvm::StringLiteral noPlace =
    "a place is no constant of integers";
inline constexpr llvm::StringLiteral outsidePlace =
    "a place is outside of its dimension";
inline constexpr llvm::StringLiteral noElements = "it has no elements";
inline constexpr llvm::StringLiteral misfit =
    "its options and shapes do not fit";

/// The elements of \p value, a constant of signed integers of 16 bits or more;
/// none where it is something else.
llvm::SmallVector<int64_t> constantIntegers(mlir::Value value);

/// The elements of \p constant, which may be null, as those of \p type; none
/// where they are no such integers.
llvm::SmallVector<int64_t> integersOf(mlir::Attribute constant,
                                      mlir::Type type);

/// The truth of \p value, a constant; none where it is something else.
std::optional<bool> constantTruth(mlir::Value value);

/// The only element of \p value, a constant of integers; none where it is
/// something else.
std::optional<int64_t> constantInteger(mlir::Value value);

/// \p axis counted from the front of \p rank dimensions; none where it is not
/// one of them.
std::optional<size_t> resolveAxis(std::optional<int64_t> axis, size_t rank);

/// Builds the operations that move elements as \p op does, whose operands have
/// known extents and are constants where they say places. Fails, and builds
/// nothing, where places are not within their tensors.
llvm::FailureOr<llvm::SmallVector<mlir::Value>>
raiseMovement(uint32_t number, OperationOp op, mlir::OpBuilder &builder);

/// Whether raisePlaces() takes the operator \p number.
bool usesPlaces(uint32_t number);

/// Builds what stands for \p op, which finds elements by places or yields
/// places, or what follows from shapes alone. Fails, and builds nothing, where
/// \p why says why.
llvm::FailureOr<mlir::Value> raisePlaces(uint32_t number, OperationOp op,
                                         mlir::OpBuilder &builder,
                                         llvm::StringRef &why);

/// Builds what stands for \p op, a DEPTHWISE_CONV_2D. Fails, and builds
/// nothing, where \p why says why.
llvm::FailureOr<mlir::Value>
raiseDepthwise(OperationOp op, mlir::OpBuilder &builder, llvm::StringRef &why);

/// Raises a CONV_2D or FULLY_CONNECTED of 16 bits. Fails with the reason \p why
/// where it stays a call.
llvm::FailureOr<mlir::Value> raiseConvolution(OperationOp op,
                                              mlir::OpBuilder &builder,
                                              llvm::StringRef &why);

/// Raises a FULLY_CONNECTED of bytes. Fails with the reason \p why where it
/// stays a call.
llvm::FailureOr<mlir::Value> raiseByteProduct(OperationOp op,
                                              mlir::OpBuilder &builder,
                                              llvm::StringRef &why);

/// Raises a TRANSPOSE_CONV of 16 bits. Fails with the reason \p why where it
/// stays a call.
llvm::FailureOr<mlir::Value>
raiseTransposed(OperationOp op, mlir::OpBuilder &builder, llvm::StringRef &why);

/// Raises a BATCH_MATMUL of 16 bits. Fails with the reason \p why where it
/// stays a call.
llvm::FailureOr<mlir::Value>
raiseMatMul(OperationOp op, mlir::OpBuilder &builder, llvm::StringRef &why);

/// Raises what becomes code to the dialect tflite. All else stays as it is, and
/// becomes a call of the extension's half in the runtime: operands that its
/// rules would refuse are left to it.
class TFLiteRaising final : public NNHalExtensionInterface {
public:
  using NNHalExtensionInterface::NNHalExtensionInterface;

  llvm::StringRef getExtensionName() const override { return extensionName; }
  llvm::FailureOr<llvm::SmallVector<mlir::Value>>
  raise(OperationOp op, mlir::OpBuilder &builder,
        std::string &reason) const override;
  void populateLowering(const mlir::TypeConverter &converter,
                        mlir::RewritePatternSet &patterns,
                        mlir::ConversionTarget &target) const override;
};

} // namespace nnhal::tflite

#endif // NNHAL_LIB_EXTENSIONS_TFLITECOMPILER_RAISING_H
