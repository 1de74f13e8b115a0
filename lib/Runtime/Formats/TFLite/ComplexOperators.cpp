//===- ComplexOperators.cpp - Operators on complex numbers ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operator that moves elements, or is linear in all of them, is imported
// twice: with the real parts in place of the complex numbers, and with the
// imaginary ones. That is so in the HAL's form and in the extension's.
//
//===----------------------------------------------------------------------===//

#include "Complex.h"
#include "Rewriter.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>

namespace nnhal::rt::tflite {

using Code = schema::BuiltinOperator;

/// Operators that compute the parts of a result from the same parts of inputs.
static constexpr Code partwise[] = {
    Code::ADD,           Code::ADD_N,         Code::BROADCAST_TO,
    Code::CONCATENATION, Code::CUMSUM,        Code::DYNAMIC_UPDATE_SLICE,
    Code::EXPAND_DIMS,   Code::FILL,          Code::GATHER,
    Code::GATHER_ND,     Code::MIRROR_PAD,    Code::NEG,
    Code::PACK,          Code::PAD,           Code::PADV2,
    Code::RESHAPE,       Code::REVERSE_V2,    Code::REVERSE_SEQUENCE,
    Code::SCATTER_ND,    Code::SELECT,        Code::SELECT_V2,
    Code::SLICE,         Code::SPLIT,         Code::SPLIT_V,
    Code::SQUEEZE,       Code::STRIDED_SLICE, Code::SUB,
    Code::SUM,           Code::TILE,          Code::TRANSPOSE,
    Code::UNPACK,        Code::ZEROS_LIKE};

static bool isPartwise(Code code) {
  return std::ranges::find(partwise, code) != std::end(partwise);
}

/// Whether input \p i is of complex numbers, of which both parts are known.
static bool isComplexInput(Operator &op, size_t i) {
  return op.hasInput(i) && isComplex(op.input(i)) &&
         (op.input(i).isConstant || op.input(i).imaginary);
}

static bool hasComplexInput(Operator &op) {
  for (size_t i = 0; i < op.inputCount(); ++i)
    if (isComplexInput(op, i))
      return true;
  return false;
}

bool computesComplex(Operator &op) {
  switch (op.row.code) {
  case Code::CAST:
    return hasComplexInput(op) || isComplex(op.output(0));
  case Code::MUL:
    return isComplexInput(op, 0) && isComplexInput(op, 1);
  default:
    return isPartwise(op.row.code) && hasComplexInput(op);
  }
}

static schema::Activation activationOf(const schema::Operator &source) {
  if (const auto *add = source.builtin_options_as_AddOptions())
    return add->activation();
  if (const auto *sub = source.builtin_options_as_SubOptions())
    return sub->activation();
  if (const auto *mul = source.builtin_options_as_MulOptions())
    return mul->activation();
  if (const auto *concatenation =
          source.builtin_options_as_ConcatenationOptions())
    return concatenation->activation();
  return schema::Activation::NONE;
}

static Status checkOperands(Operator &op) {
  for (size_t i = 0; i < op.inputCount(); ++i)
    if (op.hasInput(i) && op.input(i).type == OperandType::TENSOR_FLOAT32)
      return badData("input {} has type {} beside complex numbers", i,
                     nameOf(op.input(i).sourceType));
  for (size_t i = 0; i < op.outputCount(); ++i)
    if (!isComplex(op.output(i)))
      return badData("output {} has type {}, expected COMPLEX64", i,
                     nameOf(op.output(i).sourceType));
  if (activationOf(op.source) != schema::Activation::NONE)
    return badData("has activation {}, but complex numbers have none",
                   schema::EnumNameActivation(activationOf(op.source)));
  return Status();
}

/// Makes the parts the value of output \p i.
static Status bindParts(Operator &op, size_t i, const Tensor &real,
                        const Tensor &imaginary) {
  Tensor first = real, second = imaginary;
  NNHAL_ASSIGN_OR_RETURN(uint32_t operand, op.graph.use(first));
  NNHAL_ASSIGN_OR_RETURN(uint32_t other, op.graph.use(second));
  NNHAL_RETURN_IF_ERROR(op.graph.bind(op.output(i), operand, *real.shape));
  op.output(i).imaginary = other;
  return Status();
}

//===----------------------------------------------------------------------===//
// Part by part
//===----------------------------------------------------------------------===//

namespace {
/// Replaces complex tensors of an operator by one of their parts, and puts them
/// back when it goes.
class PartScope {
public:
  explicit PartScope(Graph &graph) : graph(graph) {}
  ~PartScope() {
    for (auto saved = tensors.rbegin(); saved != tensors.rend(); ++saved)
      graph.tensor(saved->first) = std::move(saved->second);
  }
  PartScope(const PartScope &) = delete;
  PartScope &operator=(const PartScope &) = delete;

  void replace(uint32_t index, Tensor part) {
    tensors.emplace_back(index,
                         std::exchange(graph.tensor(index), std::move(part)));
  }

private:
  Graph &graph;
  std::vector<std::pair<uint32_t, Tensor>> tensors;
};
} // namespace

/// The results of \p op on one part of its inputs.
static Result<std::vector<Tensor>> importPart(Operator &op, bool isImaginary) {
  PartScope scope(op.graph);
  for (size_t i = 0; i < op.inputCount(); ++i)
    if (isComplexInput(op, i)) {
      NNHAL_ASSIGN_OR_RETURN(Tensor part,
                             partOf(op.graph, op.input(i), isImaginary));
      scope.replace(uint32_t(op.inputs[i]), std::move(part));
    }
  for (size_t i = 0; i < op.outputCount(); ++i) {
    if (!isComplex(op.output(i)))
      return badData("computes {}, which is listed twice",
                     describe(op.output(i)));
    Tensor part = op.output(i);
    part.sourceType = schema::TensorType::FLOAT32;
    part.type = OperandType::TENSOR_FLOAT32;
    scope.replace(uint32_t(op.outputs[i]), std::move(part));
  }
  NNHAL_RETURN_IF_ERROR(importAs(op.graph, op.source, op.row.code));
  std::vector<Tensor> results;
  results.reserve(op.outputCount());
  for (size_t i = 0; i < op.outputCount(); ++i)
    results.push_back(op.output(i));
  return results;
}

static Status importPartwise(Operator &op) {
  NNHAL_RETURN_IF_ERROR(checkOperands(op));
  NNHAL_ASSIGN_OR_RETURN(std::vector<Tensor> real, importPart(op, false));
  NNHAL_ASSIGN_OR_RETURN(std::vector<Tensor> imaginary, importPart(op, true));
  for (size_t i = 0; i < op.outputCount(); ++i)
    NNHAL_RETURN_IF_ERROR(bindParts(op, i, real[i], imaginary[i]));
  return Status();
}

//===----------------------------------------------------------------------===//
// MUL
//===----------------------------------------------------------------------===//

namespace {
/// Tensors with both parts of one.
struct PartTensors {
  int32_t real, imaginary;
};
} // namespace

static Result<PartTensors> addParts(Operator &op, size_t i) {
  NNHAL_ASSIGN_OR_RETURN(Tensor real, partOf(op.graph, op.input(i), false));
  NNHAL_ASSIGN_OR_RETURN(Tensor imaginary, partOf(op.graph, op.input(i), true));
  return PartTensors{int32_t(op.graph.addTensor(std::move(real))),
                     int32_t(op.graph.addTensor(std::move(imaginary)))};
}

static Status importProduct(Operator &op) {
  NNHAL_RETURN_IF_ERROR(checkOperands(op));
  Rewriter r(op);
  NNHAL_ASSIGN_OR_RETURN(PartTensors a, addParts(op, 0));
  NNHAL_ASSIGN_OR_RETURN(PartTensors b, addParts(op, 1));
  // A tensor of this kind is what operations yield.
  int32_t like = r.real(0);
  auto combine = [&](Code code, int32_t x, int32_t y) {
    return r.value(code, {x, y}, like);
  };
  NNHAL_ASSIGN_OR_RETURN(int32_t reals, combine(Code::MUL, a.real, b.real));
  NNHAL_ASSIGN_OR_RETURN(int32_t imaginaries,
                         combine(Code::MUL, a.imaginary, b.imaginary));
  NNHAL_ASSIGN_OR_RETURN(int32_t real, combine(Code::SUB, reals, imaginaries));
  NNHAL_ASSIGN_OR_RETURN(int32_t outer,
                         combine(Code::MUL, a.real, b.imaginary));
  NNHAL_ASSIGN_OR_RETURN(int32_t inner,
                         combine(Code::MUL, a.imaginary, b.real));
  NNHAL_ASSIGN_OR_RETURN(int32_t imaginary, combine(Code::ADD, outer, inner));
  return bindParts(op, 0, op.graph.tensor(uint32_t(real)),
                   op.graph.tensor(uint32_t(imaginary)));
}

//===----------------------------------------------------------------------===//
// CAST
//===----------------------------------------------------------------------===//

/// CAST to complex numbers without imaginary parts.
static Status importCastToComplex(Operator &op) {
  Rewriter r(op);
  int32_t like = r.real(0), real = op.inputs[0];
  schema::TensorType type = op.input(0).sourceType;
  if (type != schema::TensorType::FLOAT32) {
    NNHAL_ASSIGN_OR_RETURN(
        real, r.value(Code::CAST, {real}, like, [&](Rewriter::Builder &to) {
          return schema::CreateCastOptions(to, type,
                                           schema::TensorType::FLOAT32);
        }));
  }
  NNHAL_ASSIGN_OR_RETURN(int32_t zeros,
                         r.value(Code::ZEROS_LIKE, {real}, like));
  return bindParts(op, 0, op.graph.tensor(uint32_t(real)),
                   op.graph.tensor(uint32_t(zeros)));
}

/// CAST of complex numbers, which leaves the real part.
static Status importCastFromComplex(Operator &op) {
  Rewriter r(op);
  NNHAL_ASSIGN_OR_RETURN(Tensor part, partOf(op.graph, op.input(0), false));
  auto real = int32_t(op.graph.addTensor(std::move(part)));
  schema::TensorType type = op.output(0).sourceType;
  if (type == schema::TensorType::FLOAT32)
    return r.give(real);
  return r.finish(Code::CAST, {real}, [&](Rewriter::Builder &to) {
    return schema::CreateCastOptions(to, schema::TensorType::FLOAT32, type);
  });
}

Status importComplex(Operator &op) {
  if (op.row.code == Code::MUL)
    return importProduct(op);
  if (op.row.code != Code::CAST)
    return importPartwise(op);
  if (!isComplex(op.output(0)))
    return importCastFromComplex(op);
  if (!isComplex(op.input(0)))
    return importCastToComplex(op);
  NNHAL_ASSIGN_OR_RETURN(Tensor real, partOf(op.graph, op.input(0), false));
  NNHAL_ASSIGN_OR_RETURN(Tensor imaginary, partOf(op.graph, op.input(0), true));
  return bindParts(op, 0, real, imaginary);
}

} // namespace nnhal::rt::tflite
