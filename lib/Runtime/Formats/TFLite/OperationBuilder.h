//===- OperationBuilder.h - One HAL operation per operator ------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_FORMATS_TFLITE_OPERATIONBUILDER_H
#define NNHAL_LIB_RUNTIME_FORMATS_TFLITE_OPERATIONBUILDER_H

#include "Operator.h"

namespace nnhal::rt::tflite {

/// Collects the operands of one HAL operation in the HAL's order. The first
/// failure is kept and returned by finish(); calls after it do nothing.
class OperationBuilder {
public:
  OperationBuilder(Operator &op, OperationType type)
      : op(op), graph(op.graph), type(type) {}

  OperationBuilder &input(size_t i);
  /// Input \p i, or an omitted operand of \p absentType.
  OperationBuilder &optional(size_t i, OperandType absentType);
  OperationBuilder &operand(uint32_t index);
  OperationBuilder &operand(Result<uint32_t> index);
  OperationBuilder &int32(int32_t value);
  OperationBuilder &boolean(bool value);
  /// FLOAT16 when input \p like is TENSOR_FLOAT16, FLOAT32 otherwise.
  OperationBuilder &floating(float value, size_t like = 0);
  /// A FLOAT32, whatever the inputs are.
  OperationBuilder &real(float value);
  OperationBuilder &integers(std::span<const int32_t> values);
  /// The activation operand. TANH becomes an operation of its own.
  OperationBuilder &activation(schema::Activation activation);
  /// An activation for which the HAL operation has no operand.
  OperationBuilder &separateActivation(schema::Activation activation);
  /// The HAL computes output 0 with this shape; a RESHAPE follows when the
  /// file's differs.
  OperationBuilder &shapedAs(Shape shape);
  /// The HAL keeps the quantization of input \p i; a DEQUANTIZE and a QUANTIZE
  /// follow when the file's differs.
  OperationBuilder &keepsQuantizationOf(size_t i);

  /// Computes with reals: inputs after this are dequantized, and output 0 is
  /// quantized, where they are quantized in the file.
  OperationBuilder &throughReals();

  /// An output that precedes those of the operator.
  OperationBuilder &extraOutput(uint32_t index);

  /// Outputs that follow those of the operator.
  OperationBuilder &followedBy(std::vector<uint32_t> indices);

  /// Adds the operation, with every output of the operator. Where the shapes of
  /// these are not set, they are what the rules of the operation say, or what
  /// the file states where these depend on unknown values.
  Status finish();
  bool hasFailed() const { return !status.isOk(); }

private:
  struct Following {
    OperationType type;
    std::vector<uint32_t> inputs;
    uint32_t output;
  };

  Result<TensorType> resultType(size_t i);
  Status inferShapes();
  uint32_t beforeReshape(uint32_t target);
  uint32_t beforeActivation(uint32_t target);
  uint32_t beforeRequantize(uint32_t target);
  uint32_t beforeQuantize(uint32_t target);
  uint32_t realLike(uint32_t operand);
  void fail(Status failure);

  Operator &op;
  Graph &graph;
  OperationType type;
  std::vector<uint32_t> inputs;
  std::vector<uint32_t> extraOutputs;
  std::vector<uint32_t> lastOutputs;
  std::optional<Shape> halShape;
  std::optional<OperationType> following;
  std::optional<size_t> quantizationInput;
  bool isReal = false;
  /// Last first.
  std::vector<Following> followers;
  Status status;
};

/// Whether the data input of \p op is real beside quantized weights, input \p
/// i.
bool hasDynamicRange(Operator &op, size_t i);

/// The weights of input \p i: dequantized where the data is real, so that data
/// need not be quantized at each execution.
Result<uint32_t> weightsOperand(Operator &op, size_t i);

/// A constant of \p values.
template <typename T>
uint32_t addConstant(Graph &graph, OperandType type,
                     const std::vector<T> &values, float scale = 0.0f) {
  return graph.addConstant(type, {static_cast<uint32_t>(values.size())},
                           std::as_bytes(std::span(values)), scale);
}

} // namespace nnhal::rt::tflite

#endif // NNHAL_LIB_RUNTIME_FORMATS_TFLITE_OPERATIONBUILDER_H
