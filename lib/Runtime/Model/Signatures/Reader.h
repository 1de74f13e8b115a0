//===- Reader.h - Decodes the operands of an operation ----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_MODEL_SIGNATURES_READER_H
#define NNHAL_LIB_RUNTIME_MODEL_SIGNATURES_READER_H

#include "nnhal/Backend/SignatureTable.h"
#include "nnhal/Backend/Signatures.h"

#include <algorithm>
#include <string_view>

namespace nnhal::rt::signatures {

/// Reads parameters of one operation in its HAL form by the names of the table
/// of signatures. Types are checked always; a value that is absent reads as a
/// fallback that breaks no rule and makes the reader incomplete, whereupon
/// results have unknown shapes. An input that the use leaves out reads as its
/// default.
class Reader {
public:
  explicit Reader(const OperationView &operation);

  const OperationView &view() const { return operation; }
  size_t inputCount() const { return operation.inputs.size(); }
  size_t outputCount() const { return operation.outputs.size(); }
  bool hasInput(size_t index) const {
    return index < inputCount() && !operation.inputs[index].isOmitted;
  }
  const TensorType &input(size_t index) const {
    return operation.inputs[index].type;
  }
  OperandType inputType(size_t index) const {
    return operation.inputs[index].type.type;
  }
  const TensorType &output(size_t index) const {
    return operation.outputs[index].type;
  }

  /// This is false when a value that was asked for is absent.
  bool isComplete() const { return complete; }
  /// Says that a result depends on something that is not known.
  void setIncomplete() { complete = false; }

  /// The lowest version so far, and one more demand on it.
  HalVersion since() const { return version; }
  void require(HalVersion needed) { version = std::max(version, needed); }

  /// Checks the use against the table: the numbers of inputs and outputs, that
  /// no input is omitted which must not be, and that none is zero-sized where
  /// the operation does not say what it yields then (M-027). Demands the
  /// versions of the operation, of its inputs and their types, and of the
  /// number of outputs.
  Status checkOperands();

  /// Whether the use states the input \p name, and does not omit it.
  bool states(std::string_view name) const;
  /// Whether the value of the input \p name is known.
  bool knows(std::string_view name) const;
  /// The place of the input \p name; inputCount() where it is left out.
  size_t indexOf(std::string_view name) const;

  // Each checks the type of the input \p name and reads its value.

  /// INT32. A fallback of 1 where the value is absent.
  Result<int32_t> int32(std::string_view name, int32_t fallback = 1);
  Result<bool> boolean(std::string_view name);
  /// FLOAT32, or FLOAT16 when input 0 is TENSOR_FLOAT16 (M-058, M-256).
  Result<float> real(std::string_view name, float fallback = 1.0f);
  /// The type of a scalar that holds an element of a tensor of \p type, and its
  /// bounds where it is an integer (M-117, M-118).
  Status element(std::string_view name, OperandType type);
  /// A TENSOR_INT32 of rank 1. Absent: nothing.
  Result<std::optional<std::vector<int64_t>>> int32List(std::string_view name);
  /// A TENSOR_INT32 of any rank, its elements in row-major order.
  Result<std::optional<std::vector<int64_t>>>
  int32Tensor(std::string_view name);
  /// A layout flag: true for NCHW. Absent: incomplete, NHWC.
  Result<bool> layout() { return boolean("layout"); }
  /// The fused activation, an INT32 from 0 to 3 (M-018).
  Result<FusedActivation> activation();

private:
  /// An input of this use; the operand is null where it is left out.
  struct Place {
    const InputRow *row;
    const OperandView *operand;
    size_t index;
  };
  Result<Place> find(std::string_view name) const;
  /// find(), and the operand has type \p expected.
  Result<Place> find(std::string_view name, OperandType expected) const;

  Status checkCounts();
  Status checkPresence() const;
  Status checkSizes() const;

  const OperationView &operation;
  const Signature *signature;
  InputPlaces places;
  HalVersion version = HalVersion::V1_0;
  bool complete = true;
};

/// \p type in NHWC order when \p isNchw says that it is not, and back.
TensorType toNhwc(TensorType type, bool isNchw);
TensorType fromNhwc(TensorType type, bool isNchw);

/// Values of the HAL's PaddingScheme (M-007, M-008).
enum class PaddingScheme : int32_t { none = 0, same = 1, valid = 2 };
Result<PaddingScheme> paddingScheme(int32_t value);

/// Head and tail padding of one axis under \p scheme (M-007).
struct AxisPads {
  int64_t head = 0;
  int64_t tail = 0;
};
AxisPads implicitPads(PaddingScheme scheme, int64_t input, int64_t stride,
                      int64_t effectiveFilter);

/// \p type with nothing known about its shape, its rank but where \p isRanked.
TensorType shapeless(const TensorType &type);

/// The facts of a use with one result: unknown extents where \p reader is
/// incomplete.
Result<OperationFacts> factsOf(const Reader &reader, Result<TensorType> result);
Result<OperationFacts> factsOf(const Reader &reader,
                               std::vector<TensorType> results);

/// Returns facts about a result whose shape no value changes: it stays known
/// when values are not.
Result<OperationFacts> shapeFactsOf(const Reader &reader,
                                    Result<TensorType> result);

/// One operation: checks a use of it whose operands are those of the table, and
/// says what it yields. Output types are compared with the stated ones by
/// checkOperation().
struct Row {
  OperationType type;
  Result<OperationFacts> (*check)(Reader &reader);
};

std::span<const Row> elementwiseRows();
std::span<const Row> activationRows();
std::span<const Row> contractionRows();
std::span<const Row> windowRows();
std::span<const Row> normalizationRows();
std::span<const Row> reductionRows();
std::span<const Row> dataMovementRows();
std::span<const Row> quantizationRows();
std::span<const Row> lookupRows();
std::span<const Row> recurrentRows();
std::span<const Row> detectionRows();
std::span<const Row> controlFlowRows();

} // namespace nnhal::rt::signatures

#endif // NNHAL_LIB_RUNTIME_MODEL_SIGNATURES_READER_H
