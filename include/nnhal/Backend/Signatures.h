//===- Signatures.h - The forms of operations -------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Signatures describe the HAL's operations in the form in which models state
// them: operands in NNAPI order, several legal input counts, NHWC or NCHW,
// implicit or explicit paddings, trailing defaults. checkOperation() decides
// whether a use is legal, from which HAL version on, and what it yields; it
// decodes the form and leaves the rule to the functions of Rules.h. Validation,
// the dialect's verifier and the devices call it.
//
// Source: requirements M-001 to M-366; labels are those of docs/Spec.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_BACKEND_SIGNATURES_H
#define NNHAL_BACKEND_SIGNATURES_H

#include "nnhal/Backend/Rules.h"
#include "nnhal/Backend/SignatureTable.h"
#include "nnhal/Runtime/Api.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace nnhal::rt {

/// An operand as one operation sees it.
struct NNHAL_API OperandView {
  /// The type of the operand. Scalars have a rank and no dimensions. In an
  /// execution all extents of inputs are known.
  TensorType type;
  /// The operand is NO_VALUE in the model, or the request omits it.
  bool isOmitted = false;
  /// The row-major elements in the storage type, without alignment. They are
  /// absent while nobody knows them: a model input or a computed value has none
  /// when a model is validated.
  std::optional<std::span<const std::byte>> value = std::nullopt;
  /// The extension data of an operand of an extension type; empty for others.
  std::span<const uint8_t> extensionData = {};

  /// Makes the view of a model's operand, with its value if it is constant.
  static OperandView of(const Model &model, const Operand &operand);
};

struct NNHAL_API OperationView {
  OperationType type = OperationType::ADD;
  std::vector<OperandView> inputs;
  /// The outputs as the model states them: extents may be unknown, and values
  /// are absent.
  std::vector<OperandView> outputs;

  /// Makes the view of a model's operation, whose indices are in range.
  static OperationView of(const Model &model, const Subgraph &subgraph,
                          const Operation &operation);
};

/// The inputs of one use of an operation by their names in the table of
/// signatures: whoever decodes a use asks here which form it has. The table
/// must outlive it, which it does.
class NNHAL_API InputPlaces {
public:
  InputPlaces() = default;
  explicit InputPlaces(const OperationView &operation);

  /// The row of each input; empty where the operation has no form with as many
  /// inputs.
  std::span<const InputRow *const> rows() const { return inputs; }
  /// The place of the input \p name; the number of inputs where the form does
  /// not have it or the use leaves it out at the end.
  size_t indexOf(std::string_view name) const;
  /// Whether the form has the input \p name and the use states it, be it as
  /// NO_VALUE.
  bool has(std::string_view name) const {
    return indexOf(name) < inputs.size();
  }

private:
  std::vector<const InputRow *> inputs;
};

/// The facts about a legal use of an operation.
struct OperationFacts {
  /// The lowest HAL version that accepts the use.
  HalVersion since = HalVersion::V1_0;
  /// The types of the outputs. Extents stay unknown where they depend on
  /// unknown values or extents; the quantization is that of the stated output
  /// where the operation leaves it free.
  std::vector<TensorType> results;
};

/// Checks one use of an operation against everything that is known about its
/// operands; values that are absent are taken to be right. Fails with
/// invalidArgument, which names the operand, the found value and the bound.
/// Extension and OEM operations are legal in any form, with the stated results.
/// IF and WHILE are checked here as far as no subgraph is involved.
NNHAL_API Result<OperationFacts> checkOperation(const OperationView &operation);

/// Checks a use of which only the number of outputs is known: unlike
/// checkOperation() it does not compare their stated types with the results,
/// and quantization may be free. Operations that read their stated outputs need
/// them here, too.
NNHAL_API Result<OperationFacts> inferOperation(const OperationView &operation);

} // namespace nnhal::rt

#endif // NNHAL_BACKEND_SIGNATURES_H
