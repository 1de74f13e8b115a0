//===- Recurrent.h - Parts of recurrent lowerings ---------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which inputs an execution has, and thereby what a cell computes, may be known
// only while it runs. Terms of omitted inputs then become loops without rounds
// and branches that are not taken.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_CONVERSION_NNHALTOLINALG_RECURRENT_H
#define NNHAL_LIB_CONVERSION_NNHALTOLINALG_RECURRENT_H

#include "Engine/OperationLowering.h"

#include "nnhal/Backend/Signatures/Recurrent.h"

namespace nnhal::recurrent {

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

/// An input that may be omitted.
struct Operand {
  size_t index = rt::noInput;
  /// i1.
  Scalar isGiven;
  /// Nothing where isGiven is known to be false.
  Tensor tensor;

  bool isNever() const { return isGiven.known() == 0; }
};

/// Input \p index, which the execution must have, of \p extents; an extent
/// without a value may be any.
Operand requiredInput(OperationLowering &op, size_t index, Indices extents);
/// The same of an input that may be omitted. What is stated with another rank
/// must be.
Operand optionalInput(OperationLowering &op, size_t index, Indices extents);

/// `lhs` is given exactly where \p isExpected holds, as `rhs` says.
void checkTogether(OperationLowering &op, const Operand &lhs, Scalar isExpected,
                   const Operand &rhs);
/// `lhs` is given only where `rhs` is.
void checkNeeds(OperationLowering &op, const Operand &lhs, const Operand &rhs);

/// \p count, or 0 unless \p condition holds.
Scalar countIf(OperationLowering &op, Scalar condition, Scalar count);

//===----------------------------------------------------------------------===//
// LSTM cells
//===----------------------------------------------------------------------===//

struct LstmGateOperands {
  Operand inputWeights, recurrentWeights, peephole, bias, layerNorm, auxWeights;
};

/// The operands of a cell, of float or quantized types, and what follows from
/// the omitted ones.
struct LstmCellOperands {
  Scalar batch, inputSize, auxSize, units, outputs;
  std::array<LstmGateOperands, 4> gates;
  Operand projectionWeights, projectionBias;
  Tensor outputState, cellState;

  /// Otherwise that gate is coupled (M-167).
  Scalar hasInputGate;
  Scalar isNormalized;
  Scalar hasAuxWeights;
};

/// Reads the operands \p inputs, and checks what is not known to be right:
/// the shapes of weights, peepholes, biases, projection and states (lstm_cell
/// C1 to C7).
LstmCellOperands readLstmCell(OperationLowering &op,
                              const rt::LstmInputs &inputs, Scalar batch,
                              Scalar inputSize, Scalar auxSize);

//===----------------------------------------------------------------------===//
// Cells of floats in sequences
//===----------------------------------------------------------------------===//

/// Element \p index of the vector of \p batch.
using VectorReader = llvm::function_ref<Scalar(Scalar batch, Scalar index)>;

/// What is computed at each step. Tensors are of f32 whatever the operation's
/// type is: values are rounded where they are stored in outputs.
class Cell {
public:
  virtual ~Cell() = default;

  /// The tensors that steps pass on: the output first, [batch, features].
  virtual llvm::SmallVector<Tensor> begin() = 0;
  /// The same after a step; \p aux is read only where the cell has weights for
  /// it.
  virtual llvm::SmallVector<Tensor> step(llvm::ArrayRef<Tensor> tensors,
                                         VectorReader input,
                                         VectorReader aux) = 0;
  virtual Scalar features() const = 0;
  /// Whether a step changes the tensors that it gets, and makes no others.
  virtual bool isInPlace() const = 0;
};

/// Batches of sequences, [time, batch, size] or [batch, time, size].
struct Sequence {
  Tensor tensor;
  bool isTimeMajor = false;

  Scalar steps() const { return tensor.extent(isTimeMajor ? 0 : 1); }
  Scalar batch() const { return tensor.extent(isTimeMajor ? 1 : 0); }
  Scalar size() const { return tensor.extent(2); }
  llvm::SmallVector<Scalar> indices(Scalar step, Scalar batch,
                                    Scalar index) const;
  Scalar real(Scalar step, Scalar batch, Scalar index) const {
    return tensor.real(indices(step, batch, index));
  }
};

/// The inputs of the two directions of an operation.
struct SequenceInputs {
  Sequence input;
  /// Its tensor is of rank 3.
  Operand auxInput;
  /// The auxiliary input is that of the backward cell (M-178, M-182). Without
  /// value in an operation of one direction.
  Scalar isParallel;

  Scalar auxSize(OperationLowering &op) const;
  Scalar backwardSize(OperationLowering &op) const;
};
SequenceInputs readSequences(OperationLowering &op, size_t auxInput,
                             bool isTimeMajor);

/// Runs \p forward and, unless it is null, \p backward over a sequence and sets
/// outputs 0 and, for two that are not merged, 1. Returns the last tensors of
/// each cell.
llvm::SmallVector<llvm::SmallVector<Tensor>>
runSequences(OperationLowering &op, const SequenceInputs &inputs,
             const rt::SequenceParams &params, Cell &forward, Cell *backward);

rt::TensorType floatType();
/// \p input in f32.
Tensor asFloats(OperationLowering &op, const Tensor &input);
/// The f32 \p tensor as output \p output.
void setFloatOutput(OperationLowering &op, size_t output, const Tensor &tensor);

Scalar activate(rt::RecurrentActivation activation, Scalar value);
/// \p sum + row \p row of \p matrix times the first \p count elements of
/// \p vector, term by term.
Scalar addProducts(OperationLowering &op, Scalar sum, const Tensor &matrix,
                   Scalar row, Scalar count,
                   llvm::function_ref<Scalar(Scalar index)> vector);

/// Fails unless the values of \p inputs, which say what is computed, are known.
llvm::LogicalResult expectKnown(OperationLowering &op,
                                llvm::ArrayRef<size_t> inputs);

llvm::LogicalResult lowerLstm(OperationLowering &op);
llvm::LogicalResult lowerQuantized16BitLstm(OperationLowering &op);
llvm::LogicalResult lowerQuantizedLstm(OperationLowering &op);

} // namespace nnhal::recurrent

#endif // NNHAL_LIB_CONVERSION_NNHALTOLINALG_RECURRENT_H
