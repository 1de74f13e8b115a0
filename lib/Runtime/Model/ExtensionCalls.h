//===- ExtensionCalls.h - Operations for extension backends -----*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Between a model, in which extensions have prefixes, and the backends of its
// extensions, which see their own codes only.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_MODEL_EXTENSIONCALLS_H
#define NNHAL_LIB_RUNTIME_MODEL_EXTENSIONCALLS_H

#include "nnhal/Backend/ExtensionBackend.h"
#include "nnhal/Runtime/DeviceServices.h"

#include <span>
#include <string_view>
#include <vector>

namespace nnhal::rt {

/// The descriptions of \p installed, for a device that lists them.
std::vector<Extension>
descriptionsOf(std::span<const InstalledExtension> installed);

/// The first of \p installed that has the extension \p name; null when none
/// has.
const InstalledExtension *
findInstalled(std::span<const InstalledExtension> installed,
              std::string_view name);

/// Checks that \p customs, which the extension \p name claims, have names that
/// differ.
Status checkCustomOperators(std::string_view name,
                            std::span<const CustomOperator> customs);

/// The bytes of one element of \p type, which is a type of the HAL or one of
/// \p extension's own (ownOperandType()); 0 for all others.
uint32_t elementSizeIn(const Extension &extension, OperandType type);

/// Whether a type of \p extension's own is a scalar, or of the HAL's.
bool isScalarIn(const Extension &extension, OperandType type);

/// Turns the type of \p operand, number \p number of the extension \p other,
/// into \p extension's own type of the same kind of elements. Fails with
/// invalidArgument where there is none, and where \p operand is a scalar or has
/// extension data. Messages begin with what the operand is; callers say which
/// one it is.
Status adoptType(const Extension &extension,
                 std::span<const InstalledExtension> installed,
                 std::string_view other, uint16_t number, OperandView &operand);

/// An operation for the backend that executes it.
struct ExtensionCall {
  const InstalledExtension *installed = nullptr;
  /// The operation with the codes that the backend knows.
  OperationView view;
};

/// Turns the codes of \p view, an extension's operation of \p model, into those
/// that its backend knows. Fails with invalidArgument when none of
/// \p installed has the extension, and for operands of other extensions' types
/// that it has no equal of.
Result<ExtensionCall>
makeExtensionCall(const Model &model, OperationView view,
                  std::span<const InstalledExtension> installed);

/// Lets \p backend check \p view, and makes sure that it infers one result per
/// output.
Result<OperationFacts> checkCall(const ExtensionBackend &backend,
                                 const OperationView &view);

/// Makes the call of \p operation and checks it.
Result<OperationFacts>
checkExtensionOperation(const Model &model, const Subgraph &subgraph,
                        const Operation &operation,
                        std::span<const InstalledExtension> installed);

/// The outputs of one call: checks what the backend asks for.
class CheckedOutputs : public ExtensionOutputs {
public:
  /// \p results are those that the backend inferred.
  CheckedOutputs(const Extension &extension, std::vector<TensorType> results)
      : extension(extension), results(std::move(results)),
        isAllocated(this->results.size()) {}

  Result<std::span<std::byte>> allocate(size_t index,
                                        std::span<const int64_t> extents) final;

  /// Fails with generalFailure when an output is missing.
  Status checkComplete() const;

protected:
  /// Allocates output \p index, whose extents are in types(), of elements of
  /// \p elementSize bytes.
  virtual Result<std::span<std::byte>>
  allocateElements(size_t index, uint32_t elementSize) = 0;

  const std::vector<TensorType> &types() const { return results; }

private:
  const Extension &extension;
  std::vector<TensorType> results;
  std::vector<bool> isAllocated;
};

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_MODEL_EXTENSIONCALLS_H
