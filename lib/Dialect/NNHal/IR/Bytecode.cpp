//===- Bytecode.cpp - Versions of the dialect in bytecode -----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file states the version of the dialect that it was written with. What an
// older one has is brought up to date after it is read, one step for each major
// version; a newer major version is refused. Whoever changes what files have
// adds a step here, and a file of the version before to the tests
// (test/lit/Dialect/NNHal/Inputs).
//
//   1.0  the first that is stated
//   2.0  the models of steps, which nnhal-partition leaves, have
//        nnhal.source_operations, _inputs and _outputs for nnhal.operations,
//        inputs and outputs
//
//===----------------------------------------------------------------------===//

#include "DialectInterfaces.h"
#include "nnhal/Dialect/NNHal/IR/DiscardableAttributes.h"
#include "nnhal/Dialect/NNHal/IR/NNHalOps.h"

#include "mlir/Bytecode/BytecodeImplementation.h"

using namespace mlir;
using namespace nnhal;

namespace {
struct Version final : DialectVersion {
  Version(uint64_t major, uint64_t minor) : major(major), minor(minor) {}
  uint64_t major;
  uint64_t minor;
};
} // namespace

static constexpr uint64_t currentMajor = 2, currentMinor = 0;

/// From 1 to 2.
static void renameNumbersOfSteps(ModelOp model) {
  const std::pair<StringRef, StringRef> renamed[] = {
      {"nnhal.operations", sourceOperationsAttrName},
      {"nnhal.inputs", sourceInputsAttrName},
      {"nnhal.outputs", sourceOutputsAttrName}};
  for (auto [before, after] : renamed)
    if (Attribute value = model->removeAttr(before))
      model->setAttr(after, value);
}

namespace {
class BytecodeInterface final : public BytecodeDialectInterface {
public:
  explicit BytecodeInterface(Dialect *dialect)
      : BytecodeDialectInterface(dialect) {}

  void writeVersion(DialectBytecodeWriter &writer) const override {
    writer.writeVarInt(currentMajor);
    writer.writeVarInt(currentMinor);
  }

  std::unique_ptr<DialectVersion>
  readVersion(DialectBytecodeReader &reader) const override {
    uint64_t major = 0, minor = 0;
    if (failed(reader.readVarInt(major)) || failed(reader.readVarInt(minor)))
      return nullptr;
    if (major > currentMajor) {
      reader.emitError("version ")
          << major << "." << minor << " of dialect 'nnhal' is newer than "
          << currentMajor << "." << currentMinor;
      return nullptr;
    }
    return std::make_unique<Version>(major, minor);
  }

  LogicalResult
  upgradeFromVersion(Operation *topLevelOp,
                     const DialectVersion &version) const override {
    if (static_cast<const Version &>(version).major < 2)
      topLevelOp->walk(renameNumbersOfSteps);
    return success();
  }
};
} // namespace

std::unique_ptr<DialectInterface>
nnhal::createBytecodeInterface(NNHalDialect *dialect) {
  return std::make_unique<BytecodeInterface>(dialect);
}
