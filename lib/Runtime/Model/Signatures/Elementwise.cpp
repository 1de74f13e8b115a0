//===- Elementwise.cpp - Element-wise operations in HAL form --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Backend/Signatures/Elementwise.h"

#include "../Rules/Checks.h"
#include "Reader.h"

using namespace nnhal::rt;
using namespace nnhal::rt::signatures;

//===----------------------------------------------------------------------===//
// ADD, SUB, MUL, DIV
//===----------------------------------------------------------------------===//

Result<FusedActivation>
nnhal::rt::decodeArithmetic(const OperationView &operation) {
  return Reader(operation).activation();
}

static Result<OperationFacts> arithmeticFacts(Reader &reader,
                                              bool allowsQuantized = true) {
  NNHAL_ASSIGN_OR_RETURN(FusedActivation activation, reader.activation());
  return shapeFactsOf(reader, arithmetic(reader.input(0), reader.input(1),
                                         activation, allowsQuantized));
}

using CheckScale = Status (*)(const TensorType &lhs, const TensorType &rhs,
                              const TensorType &output);

/// Operations that bound the scale of a quantized result.
template <CheckScale checkScale>
static Result<OperationFacts> scaledFacts(Reader &reader) {
  NNHAL_ASSIGN_OR_RETURN(OperationFacts facts, arithmeticFacts(reader));
  if (!reader.output(0).isQuantizationFree)
    NNHAL_RETURN_IF_ERROR(
        checkScale(reader.input(0), reader.input(1), reader.output(0)));
  return facts;
}

static Result<OperationFacts> divFacts(Reader &reader) {
  return arithmeticFacts(reader, /*allowsQuantized=*/false);
}

//===----------------------------------------------------------------------===//
// Operations without parameters
//===----------------------------------------------------------------------===//

using UnaryRule = Result<TensorType> (*)(const TensorType &input);

template <UnaryRule rule>
static Result<OperationFacts> unaryFacts(Reader &reader) {
  return shapeFactsOf(reader, rule(reader.input(0)));
}

using BinaryRule = Result<TensorType> (*)(const TensorType &lhs,
                                          const TensorType &rhs);

template <BinaryRule rule>
static Result<OperationFacts> binaryFacts(Reader &reader) {
  return shapeFactsOf(reader, rule(reader.input(0), reader.input(1)));
}

/// SELECT takes a mask and two tensors (M-349).
static Result<OperationFacts> selectFacts(Reader &reader) {
  return shapeFactsOf(
      reader, select(reader.input(0), reader.input(1), reader.input(2)));
}

/// CAST has no operand for the type of the result; the model states it (M-310).
static Result<OperationFacts> castFacts(Reader &reader) {
  const TensorType &input = reader.input(0);
  const TensorType &output = reader.output(0);
  NNHAL_RETURN_IF_ERROR(checkCast(input, output));
  return shapeFactsOf(reader, input.isRanked
                                  ? rules::withShape(output, input.dimensions)
                                  : rules::withoutRank(output));
}

//===----------------------------------------------------------------------===//
// Table
//===----------------------------------------------------------------------===//

std::span<const Row> signatures::elementwiseRows() {
  using enum OperationType;
  static constexpr Row rows[] = {
      {ADD, scaledFacts<checkAddScale>},
      {SUB, scaledFacts<checkAddScale>},
      {MUL, scaledFacts<checkMulScale>},
      {DIV, divFacts},
      {POW, binaryFacts<power>},
      {MAXIMUM, binaryFacts<extremum>},
      {MINIMUM, binaryFacts<extremum>},
      {EQUAL, binaryFacts<comparison>},
      {NOT_EQUAL, binaryFacts<comparison>},
      {GREATER, binaryFacts<comparison>},
      {GREATER_EQUAL, binaryFacts<comparison>},
      {LESS, binaryFacts<comparison>},
      {LESS_EQUAL, binaryFacts<comparison>},
      {LOGICAL_AND, binaryFacts<logicalBinary>},
      {LOGICAL_OR, binaryFacts<logicalBinary>},
      {LOGICAL_NOT, unaryFacts<logicalNot>},
      {SELECT, selectFacts},
      {ABS, unaryFacts<signedUnary>},
      {NEG, unaryFacts<signedUnary>},
      {EXP, unaryFacts<floatUnary>},
      {LOG, unaryFacts<floatUnary>},
      {SIN, unaryFacts<floatUnary>},
      {SQRT, unaryFacts<floatUnary>},
      {RSQRT, unaryFacts<floatUnary>},
      {FLOOR, unaryFacts<floorOf>},
      {CAST, castFacts},
  };
  return rows;
}
