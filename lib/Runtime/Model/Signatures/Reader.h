//===- Reader.h - Decodes the operands of an operation ----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_MODEL_SIGNATURES_READER_H
#define NNHAL_LIB_RUNTIME_MODEL_SIGNATURES_READER_H

#include "nnhal/Backend/Signatures.h"

#include <initializer_list>
#include <string_view>

namespace nnhal::rt::signatures {

/// Reads parameters of one operation in its HAL form. Types are checked
/// always; a value that is absent reads as a fallback that breaks no rule and
/// makes the reader incomplete, whereupon results have unknown shapes.
class Reader {
public:
  explicit Reader(const OperationView &operation) : operation(operation) {}

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

  /// The number of inputs is one of \p counts, of outputs \p outputs.
  Status expectCounts(std::initializer_list<size_t> counts, size_t outputs = 1);
  /// No input is omitted but those in \p optional.
  Status expectPresent(std::initializer_list<size_t> optional = {});
  /// No present input is zero-sized: for operations that do not say what they
  /// yield then (M-027).
  Status expectNonEmpty() const;

  // Each checks the type of input \p index, called \p name in messages, and
  // reads its value.

  /// INT32. A fallback of 1 where the value is absent.
  Result<int32_t> int32(size_t index, std::string_view name,
                        int32_t fallback = 1);
  Result<bool> boolean(size_t index, std::string_view name);
  /// FLOAT32, or FLOAT16 when \p like is TENSOR_FLOAT16 (M-058, M-256).
  Result<float> real(size_t index, std::string_view name, OperandType like,
                     float fallback = 1.0f);
  /// A TENSOR_INT32 of rank 1. Absent: nothing.
  Result<std::optional<std::vector<int64_t>>> int32List(size_t index,
                                                        std::string_view name);
  /// A TENSOR_INT32 of any rank, its elements in row-major order.
  Result<std::optional<std::vector<int64_t>>>
  int32Tensor(size_t index, std::string_view name);
  /// A layout flag: true for NCHW. Absent: incomplete, NHWC.
  Result<bool> layout(size_t index);
  /// The fused activation, an INT32 from 0 to 3 (M-018).
  Result<FusedActivation> activation(size_t index);

private:
  const OperationView &operation;
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

/// The lowest version whose table accepts a first input of a type.
struct TypeRow {
  OperandType type;
  HalVersion since;
};
/// The types of operations that HAL 1.0 had (M-266, M-268, M-274, M-279, M-282,
/// M-284 to M-286, M-290): half floats and signed quantized values came later.
inline constexpr TypeRow sinceFirst[] = {
    {OperandType::TENSOR_FLOAT32, HalVersion::V1_0},
    {OperandType::TENSOR_QUANT8_ASYMM, HalVersion::V1_0},
    {OperandType::TENSOR_FLOAT16, HalVersion::V1_2},
    {OperandType::TENSOR_QUANT8_ASYMM_SIGNED, HalVersion::V1_3},
};
/// Demands the version of the row of \p type; rules report types that have
/// none.
void requireForType(Reader &reader, std::span<const TypeRow> rows,
                    OperandType type);

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

/// One operation: checks a use of it and says what it yields. Output types are
/// compared with the stated ones by checkOperation().
struct Row {
  OperationType type;
  Result<OperationFacts> (*check)(const OperationView &operation);
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
