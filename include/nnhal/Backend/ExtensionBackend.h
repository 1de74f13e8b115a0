//===- ExtensionBackend.h - An extension of built-in devices ----*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// An extension backend gives nnhal-cpu and nnhal-reference the operations of a
// vendor's extension: which uses are legal, what shapes they yield, and how the
// results are computed. Those devices list the extension and execute its
// operations beside those of the HAL, in every way in which models execute. A
// plug-in brings it (nnhal/Backend/DevicePlugin.h). A device of the vendor's
// own has no need of one: its Backend lists and executes what it likes.
//
// nnhal-cpu calls execute() from compiled code, unless a dialect of the
// compiler lowers the operation (docs/Devices/AddingAnExtension.md).
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_BACKEND_EXTENSIONBACKEND_H
#define NNHAL_BACKEND_EXTENSIONBACKEND_H

#include "nnhal/Backend/Signatures.h"
#include "nnhal/Runtime/Api.h"
#include "nnhal/Runtime/Interface.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace nnhal::rt {

/// The prefix of an extension's own operand types and operations in the views
/// that its backend gets, whatever prefix a model gives the extension.
inline constexpr uint32_t ownExtensionPrefix = 1;

/// Returns the code of type \p number in the views of the extension's backend.
constexpr OperandType ownOperandType(uint16_t number) {
  return OperandType(ownExtensionPrefix << 16 | number);
}
/// Returns the code of operation \p number in those views.
constexpr OperationType ownOperation(uint16_t number) {
  return OperationType(ownExtensionPrefix << 16 | number);
}

/// Returns the first tensor type of \p extension with elements of \p kind; null
/// where it has none. In the views of the extension's backend, this type stands
/// for all types of other extensions whose elements are of that kind and which
/// have no extension data.
inline const Extension::OperandTypeInfo *
tensorOfKind(const Extension &extension, ElementKind kind) {
  for (const Extension::OperandTypeInfo &info : extension.operandTypes)
    if (info.isTensor && info.kind == kind && kind != ElementKind::opaque)
      return &info;
  return nullptr;
}

/// The memory for the results of one operation.
class NNHAL_API ExtensionOutputs {
public:
  virtual ~ExtensionOutputs();

  /// Returns memory for the row-major elements of output \p index, aligned to
  /// 16 bytes and of any content. The operation calls it once per output.
  /// Fails with resourceExhausted* when there is no memory, and with
  /// generalFailure when \p extents are not those that check() inferred, where
  /// it knew them.
  virtual Result<std::span<std::byte>>
  allocate(size_t index, std::span<const int64_t> extents) = 0;
};

/// The operations of one extension.
///
/// Threads: every member may be called from any number of threads at once.
/// Exceptions: execute() may throw std::bad_alloc; nothing else is thrown.
class NNHAL_API ExtensionBackend {
public:
  virtual ~ExtensionBackend();

  /// Returns the extension's name (H-008) and operand types, constant for the
  /// life of the backend. Types with elements of 1, 2, 4 and 8 bytes are
  /// compiled; nnhal-cpu refuses operations with others, nnhal-reference takes
  /// them.
  virtual const Extension &extension() const = 0;

  /// Does what takes long or needs files, once. The service calls it before it
  /// forbids files to the process of a device; nobody else need call it. A
  /// failure says why the extension cannot be used.
  virtual Status open() const { return Status::ok(); }

  /// Checks one use of an operation as checkOperation() does those of the HAL,
  /// and infers the types of the results. Values that are absent are taken to
  /// be right. Fails with invalidArgument, which names the operand, the found
  /// value and the bound: such an operation is not supported (C-030).
  ///
  /// Each result has a rank; extents may stay unknown, which execute() then
  /// finds. Operands of types of other extensions get here as tensors of the
  /// same kind of elements (tensorOfKind()), and never where there is no such
  /// type.
  virtual Result<OperationFacts>
  check(const OperationView &operation) const = 0;

  /// Computes an operation that check() accepts with all values known. Values
  /// of inputs are aligned to their elements, up to 8 bytes. Fails with
  /// generalFailure, which names the found value and the bound, when elements
  /// break a rule.
  virtual Status execute(const OperationView &operation,
                         ExtensionOutputs &outputs) const = 0;

  /// Returns the custom operators that the extension claims, each name once,
  /// constant for the life of the backend. A name that two extensions claim is
  /// an error of the import.
  virtual std::span<const CustomOperator> customOperators() const { return {}; }

  /// Returns the states of \p operation, which stands for a custom operator:
  /// the values that it carries from one execution to the next, of types and
  /// extents that are known. An importer appends an input per state to the
  /// operation's, behind the options, and an output per state to its results,
  /// and makes both inputs and outputs of the model
  /// (AnnotatedModel::statePairs). A state is zeros in the first execution,
  /// those that are quantized their zero point.
  /// \p operation is as check() gets it, less the states, and has been checked
  /// by nobody. Fails as check() does.
  virtual Result<std::vector<TensorType>>
  states(const OperationView &operation) const;
};

} // namespace nnhal::rt

#endif // NNHAL_BACKEND_EXTENSIONBACKEND_H
