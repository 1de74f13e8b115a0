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

// The lowest version per type: M-265, M-301, M-283, M-295.
static constexpr TypeRow addMulTypes[] = {
    {OperandType::TENSOR_FLOAT32, HalVersion::V1_0},
    {OperandType::TENSOR_QUANT8_ASYMM, HalVersion::V1_0},
    {OperandType::TENSOR_FLOAT16, HalVersion::V1_2},
    {OperandType::TENSOR_QUANT8_ASYMM_SIGNED, HalVersion::V1_3},
    {OperandType::TENSOR_INT32, HalVersion::V1_3},
};
static constexpr TypeRow subTypes[] = {
    {OperandType::TENSOR_FLOAT32, HalVersion::V1_1},
    {OperandType::TENSOR_QUANT8_ASYMM, HalVersion::V1_2},
    {OperandType::TENSOR_FLOAT16, HalVersion::V1_2},
    {OperandType::TENSOR_QUANT8_ASYMM_SIGNED, HalVersion::V1_3},
    {OperandType::TENSOR_INT32, HalVersion::V1_3},
};
static constexpr TypeRow divTypes[] = {
    {OperandType::TENSOR_FLOAT32, HalVersion::V1_1},
    {OperandType::TENSOR_FLOAT16, HalVersion::V1_2},
    {OperandType::TENSOR_INT32, HalVersion::V1_3},
};

Result<FusedActivation>
nnhal::rt::decodeArithmetic(const OperationView &operation) {
  return Reader(operation).activation(2);
}

static Result<OperationFacts> arithmeticFacts(const OperationView &operation,
                                              std::span<const TypeRow> types,
                                              bool allowsQuantized = true) {
  Reader reader(operation);
  NNHAL_RETURN_IF_ERROR(reader.expectCounts({3}));
  NNHAL_RETURN_IF_ERROR(reader.expectPresent());
  requireForType(reader, types, reader.inputType(0));
  NNHAL_ASSIGN_OR_RETURN(FusedActivation activation,
                         decodeArithmetic(operation));
  return shapeFactsOf(reader, arithmetic(reader.input(0), reader.input(1),
                                         activation, allowsQuantized));
}

using CheckScale = Status (*)(const TensorType &lhs, const TensorType &rhs,
                              const TensorType &output);

/// arithmeticFacts() for operations that bound the scale of a quantized result.
static Result<OperationFacts>
scaledArithmeticFacts(const OperationView &operation,
                      std::span<const TypeRow> types, CheckScale checkScale) {
  NNHAL_ASSIGN_OR_RETURN(OperationFacts facts,
                         arithmeticFacts(operation, types));
  NNHAL_RETURN_IF_ERROR(checkScale(operation.inputs[0].type,
                                   operation.inputs[1].type,
                                   operation.outputs[0].type));
  return facts;
}

static Result<OperationFacts> addFacts(const OperationView &operation) {
  return scaledArithmeticFacts(operation, addMulTypes, checkAddScale);
}
static Result<OperationFacts> subFacts(const OperationView &operation) {
  return scaledArithmeticFacts(operation, subTypes, checkAddScale);
}
static Result<OperationFacts> mulFacts(const OperationView &operation) {
  return scaledArithmeticFacts(operation, addMulTypes, checkMulScale);
}
static Result<OperationFacts> divFacts(const OperationView &operation) {
  return arithmeticFacts(operation, divTypes, /*allowsQuantized=*/false);
}

//===----------------------------------------------------------------------===//
// Operations without parameters
//===----------------------------------------------------------------------===//

/// A reader of an operation with \p inputs tensors and nothing else, which
/// must have elements (M-027): TENSOR_QUANT8_ASYMM_SIGNED is of 1.3, what else
/// the rule accepts is of \p since.
static Result<Reader> readTensors(const OperationView &operation, size_t inputs,
                                  HalVersion since = HalVersion::V1_2) {
  Reader reader(operation);
  NNHAL_RETURN_IF_ERROR(reader.expectCounts({inputs}));
  NNHAL_RETURN_IF_ERROR(reader.expectPresent());
  NNHAL_RETURN_IF_ERROR(reader.expectNonEmpty());
  reader.require(since);
  for (size_t i = 0; i < inputs; ++i)
    if (reader.inputType(i) == OperandType::TENSOR_QUANT8_ASYMM_SIGNED)
      reader.require(HalVersion::V1_3);
  return reader;
}

using UnaryRule = Result<TensorType> (*)(const TensorType &input);

/// Operations of one tensor, which HAL 1.2 introduced (M-303, M-314, M-325,
/// M-327, M-332, M-348, M-350, M-353).
template <UnaryRule rule>
static Result<OperationFacts> unaryFacts(const OperationView &operation) {
  NNHAL_ASSIGN_OR_RETURN(Reader reader, readTensors(operation, 1));
  return shapeFactsOf(reader, rule(reader.input(0)));
}

static Result<OperationFacts> absFacts(const OperationView &operation) {
  NNHAL_ASSIGN_OR_RETURN(Reader reader, readTensors(operation, 1));
  // ABS of int32 came with HAL 1.3 (M-044).
  if (reader.inputType(0) == OperandType::TENSOR_INT32)
    reader.require(HalVersion::V1_3);
  return shapeFactsOf(reader, signedUnary(reader.input(0)));
}

static Result<OperationFacts> floorFacts(const OperationView &operation) {
  NNHAL_ASSIGN_OR_RETURN(Reader reader,
                         readTensors(operation, 1, HalVersion::V1_0));
  // FLOOR of half floats came with HAL 1.2 (M-273).
  if (reader.inputType(0) == OperandType::TENSOR_FLOAT16)
    reader.require(HalVersion::V1_2);
  return shapeFactsOf(reader, floorOf(reader.input(0)));
}

using BinaryRule = Result<TensorType> (*)(const TensorType &lhs,
                                          const TensorType &rhs);

/// Operations of two tensors, which HAL 1.2 introduced (M-313, M-318, M-319,
/// M-323, M-324, M-326, M-328, M-330, M-331, M-333, M-335).
template <BinaryRule rule>
static Result<OperationFacts> binaryFacts(const OperationView &operation) {
  NNHAL_ASSIGN_OR_RETURN(Reader reader, readTensors(operation, 2));
  return shapeFactsOf(reader, rule(reader.input(0), reader.input(1)));
}

/// SELECT takes a mask and two tensors (M-349).
static Result<OperationFacts> selectFacts(const OperationView &operation) {
  NNHAL_ASSIGN_OR_RETURN(Reader reader, readTensors(operation, 3));
  return shapeFactsOf(
      reader, select(reader.input(0), reader.input(1), reader.input(2)));
}

/// CAST has no operand for the type of the result; the model states it (M-310).
static Result<OperationFacts> castFacts(const OperationView &operation) {
  NNHAL_ASSIGN_OR_RETURN(Reader reader, readTensors(operation, 1));
  const TensorType &input = reader.input(0);
  const TensorType &output = reader.output(0);
  NNHAL_RETURN_IF_ERROR(checkCast(input, output));
  // Casts of a type to itself came with HAL 1.3 (M-151).
  if (input.type == OperandType::TENSOR_BOOL8 ||
      (isQuantized(input.type) &&
       input.type != OperandType::TENSOR_QUANT8_ASYMM))
    reader.require(HalVersion::V1_3);
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
      {ADD, addFacts},
      {SUB, subFacts},
      {MUL, mulFacts},
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
      {ABS, absFacts},
      {NEG, unaryFacts<signedUnary>},
      {EXP, unaryFacts<floatUnary>},
      {LOG, unaryFacts<floatUnary>},
      {SIN, unaryFacts<floatUnary>},
      {SQRT, unaryFacts<floatUnary>},
      {RSQRT, unaryFacts<floatUnary>},
      {FLOOR, floorFacts},
      {CAST, castFacts},
  };
  return rows;
}
