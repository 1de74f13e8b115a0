//===- Model.h - The NN HAL 1.3 model ---------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The model as NN HAL 1.3 describes it, as plain values. Nothing here checks
// anything: see Validate.h. Nothing here knows a file format: see JsonModel.h
// and TFLiteModel.h.
//
// Threads: values; concurrent reads of one model are safe.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_RUNTIME_MODEL_H
#define NNHAL_RUNTIME_MODEL_H

#include "nnhal/Runtime/Api.h"
#include "nnhal/Runtime/Memory.h"
#include "nnhal/Runtime/Status.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace nnhal::rt {

/// The HAL versions in release order; they compare.
enum class HalVersion : uint8_t { V1_0, V1_1, V1_2, V1_3 };

/// Returns "1.0" to "1.3".
NNHAL_API std::string_view toString(HalVersion version);
NNHAL_API std::optional<HalVersion> parseHalVersion(std::string_view text);

/// HAL operand type codes. Codes above 0xFFFF are extension types: the upper 16
/// bits are the prefix, the lower 16 the type within the extension.
enum class OperandType : uint32_t {
#define NNHAL_OPERAND_TYPE(NAME, CODE, SINCE, KIND, ELEMENT_SIZE) NAME = CODE,
#include "nnhal/Runtime/OperandTypes.def"
};

/// HAL operation codes. Codes above 0xFFFF are extension operations.
enum class OperationType : uint32_t {
#define NNHAL_OPERATION(NAME, CODE, SINCE, FAMILY) NAME = CODE,
#include "nnhal/Runtime/Operations.def"
  /// A vendor-defined operation, deprecated and never checked.
  OEM_OPERATION = 10000,
};

/// How many operations the HAL has; their codes are dense, from 0 on.
inline constexpr size_t operationCount = 0
#define NNHAL_OPERATION(NAME, CODE, SINCE, FAMILY) +1
#include "nnhal/Runtime/Operations.def"
    ;

/// The unit by which rules, lowerings and tests are organised.
enum class OperationFamily : uint8_t {
  Elementwise,
  Activation,
  Contraction,
  Window,
  Normalization,
  Reduction,
  DataMovement,
  Quantization,
  Lookup,
  Recurrent,
  Detection,
  ControlFlow,
};

/// Static facts about an operand type; see OperandTypes.def.
struct OperandTypeInfo {
  OperandType type;
  std::string_view name;
  HalVersion since;
  bool isTensor;
  uint32_t elementSize;
};

/// Static facts about an operation; see Operations.def.
struct OperationInfo {
  OperationType type;
  std::string_view name;
  HalVersion since;
  OperationFamily family;
};

/// Returns all rows, in table order.
NNHAL_API std::span<const OperandTypeInfo> allOperandTypes();
NNHAL_API std::span<const OperationInfo> allOperations();

/// Returns the row of \p type; null for extension types and unknown codes.
NNHAL_API const OperandTypeInfo *lookUp(OperandType type);
NNHAL_API const OperandTypeInfo *lookUpOperandType(std::string_view name);
/// Returns the row of \p type; null for OEM and extension operations and
/// unknown codes.
NNHAL_API const OperationInfo *lookUp(OperationType type);
NNHAL_API const OperationInfo *lookUpOperation(std::string_view name);

inline bool isExtension(OperandType type) { return uint32_t(type) > 0xFFFF; }
inline bool isExtension(OperationType type) { return uint32_t(type) > 0xFFFF; }

/// Returns true for tensor types of the table, OEM byte tensors included. Only
/// the registration of an extension type says whether it is a tensor: the
/// answer is false here.
NNHAL_API bool isTensor(OperandType type);
NNHAL_API bool isScalar(OperandType type);
NNHAL_API bool isQuantized(OperandType type);

/// Returns the HAL name, or "code 4711" for a code that has none.
NNHAL_API std::string nameOf(OperandType type);
NNHAL_API std::string nameOf(OperationType type);

/// How an operand gets its value.
enum class OperandLifeTime : uint32_t {
  TEMPORARY_VARIABLE = 0,
  SUBGRAPH_INPUT = 1,
  SUBGRAPH_OUTPUT = 2,
  CONSTANT_COPY = 3,
  CONSTANT_REFERENCE = 4,
  NO_VALUE = 5,
  SUBGRAPH = 6,
};
NNHAL_API std::string_view toString(OperandLifeTime lifetime);

/// A region of Model::operandValues (pool index 0) or of a pool. For lifetime
/// SUBGRAPH, offset is the index into Model::referenced.
struct DataLocation {
  uint32_t poolIndex = 0;
  uint32_t offset = 0;
  uint32_t length = 0;
  bool operator==(const DataLocation &) const = default;
};

/// The scales of TENSOR_QUANT8_SYMM_PER_CHANNEL along dimension channelDim.
struct SymmPerChannelQuantParams {
  std::vector<float> scales;
  uint32_t channelDim = 0;
  bool operator==(const SymmPerChannelQuantParams &) const = default;
};

/// The parameters of an extension type, which are opaque here.
struct ExtensionParams {
  std::vector<uint8_t> bytes;
  bool operator==(const ExtensionParams &) const = default;
};

struct Operand {
  OperandType type = OperandType::FLOAT32;
  /// An extent of 0 is an unknown dimension; an empty vector is a scalar, or a
  /// tensor of unknown rank.
  std::vector<uint32_t> dimensions;
  uint32_t numberOfConsumers = 0;
  float scale = 0.0f;
  int32_t zeroPoint = 0;
  OperandLifeTime lifetime = OperandLifeTime::TEMPORARY_VARIABLE;
  DataLocation location;
  std::variant<std::monostate, SymmPerChannelQuantParams, ExtensionParams>
      extraParams;
  bool operator==(const Operand &) const = default;
};

inline bool isConstant(OperandLifeTime lifetime) {
  return lifetime == OperandLifeTime::CONSTANT_COPY ||
         lifetime == OperandLifeTime::CONSTANT_REFERENCE;
}

/// Returns the elements times the element size; nullopt when a dimension or the
/// rank is unknown, the type has no element size, or the product exceeds 32
/// bits. A scalar's size does not depend on its dimensions.
NNHAL_API std::optional<uint32_t> byteSizeOf(const Operand &operand);

struct Operation {
  OperationType type = OperationType::ADD;
  std::vector<uint32_t> inputs;
  std::vector<uint32_t> outputs;
  bool operator==(const Operation &) const = default;
};

struct Subgraph {
  std::vector<Operand> operands;
  std::vector<Operation> operations;
  std::vector<uint32_t> inputIndexes;
  std::vector<uint32_t> outputIndexes;
  bool operator==(const Subgraph &) const = default;
};

struct ExtensionNameAndPrefix {
  std::string name;
  uint16_t prefix = 0;
  bool operator==(const ExtensionNameAndPrefix &) const = default;
};

/// Memory that CONSTANT_REFERENCE operands point into.
struct Pool {
  /// The name is "ashmem", "mmap_fd", "hardware_buffer_blob" or
  /// "hardware_buffer" (B-074).
  std::string name;
  Memory memory;
  /// The file that the bytes came from, if any: writers use it.
  std::string file;
  uint64_t fileOffset = 0;
  /// True when a reader made the pool to hold constants that its file states
  /// inline; a writer states them inline again.
  bool isSynthetic = false;
};

struct Model {
  /// The version that the model was written against.
  HalVersion halVersion = HalVersion::V1_3;
  Subgraph main;
  std::vector<Subgraph> referenced;
  std::vector<uint8_t> operandValues;
  std::vector<Pool> pools;
  /// Whether float32 may be computed with the range and precision of float16
  /// . nnhal-cpu and nnhal-reference compute it as float32 nevertheless
  /// (decisions 22).
  bool relaxComputationFloat32toFloat16 = false;
  std::vector<ExtensionNameAndPrefix> extensionNameToPrefix;
};

/// Sets Operand::numberOfConsumers from the operation lists (B-027). Indices
/// out of range are left for validation to report.
NNHAL_API void computeConsumers(Subgraph &subgraph);

/// Returns the bytes of a constant operand. Fails with invalidArgument when the
/// operand is not a constant, its location leaves its pool, or the pool's
/// memory has not been materialized (Memory::materialize).
NNHAL_API Result<std::span<const std::byte>>
constantBytes(const Model &model, const Operand &operand);

/// A state output of one execution that is a state input of the next; indices
/// into the main subgraph's inputIndexes and outputIndexes.
struct StatePair {
  uint32_t outputIndex = 0;
  uint32_t inputIndex = 0;
  bool operator==(const StatePair &) const = default;
};

/// A model with everything that the HAL has no place for.
struct AnnotatedModel {
  Model model;
  /// One name per main input or output; empty strings where the source names
  /// none.
  std::vector<std::string> inputNames;
  std::vector<std::string> outputNames;
  std::vector<StatePair> statePairs;
};

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_MODEL_H
