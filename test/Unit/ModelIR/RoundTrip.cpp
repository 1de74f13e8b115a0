//===- RoundTrip.cpp - HAL model to IR, text, IR and back -----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RoundTrip.h"

#include "Runtime/Support/Errors.h"
#include "nnhal/Dialect/NNHal/IR/NNHalOps.h"

#include "mlir/Parser/Parser.h"

#include <algorithm>

using namespace mlir;
using namespace nnhal;

rt::Result<rt::AnnotatedModel>
nnhal::test::roundTrip(const rt::AnnotatedModel &model, bool throughText) {
  DialectRegistry registry;
  registry.insert<NNHalDialect, quant::QuantDialect>();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  std::string reported;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    reported += diagnostic.str();
    return success();
  });
  OwningOpRef<ModuleOp> module = importModel(model, &context);
  if (!module)
    return rt::badData("{}", reported);
  if (!throughText)
    return exportModel(*module);
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream);
  // A context of its own: nothing but the text may carry over.
  MLIRContext second(registry, MLIRContext::Threading::DISABLED);
  OwningOpRef<ModuleOp> parsed = parseSourceString<ModuleOp>(text, &second);
  if (!parsed)
    return rt::badData("the printed model does not parse:\n{}", text);
  return exportModel(*parsed);
}

static bool areEqual(const rt::Pool &lhs, const rt::Pool &rhs) {
  auto lhsBytes = lhs.memory.bytes(), rhsBytes = rhs.memory.bytes();
  return lhs.name == rhs.name && lhs.file == rhs.file &&
         lhs.fileOffset == rhs.fileOffset &&
         lhs.isSynthetic == rhs.isSynthetic && lhsBytes.isOk() &&
         rhsBytes.isOk() && std::ranges::equal(*lhsBytes, *rhsBytes);
}

static std::string difference(const rt::Subgraph &expected,
                              const rt::Subgraph &actual) {
  if (expected.operands.size() != actual.operands.size())
    return "number of operands";
  for (size_t i = 0; i < expected.operands.size(); ++i)
    if (expected.operands[i] != actual.operands[i])
      return "operand " + std::to_string(i);
  if (expected.operations != actual.operations)
    return "operations";
  if (expected.inputIndexes != actual.inputIndexes ||
      expected.outputIndexes != actual.outputIndexes)
    return "inputs or outputs";
  return "";
}

std::string nnhal::test::difference(const rt::AnnotatedModel &expected,
                                    const rt::AnnotatedModel &actual) {
  const rt::Model &lhs = expected.model, &rhs = actual.model;
  if (lhs.halVersion != rhs.halVersion ||
      lhs.relaxComputationFloat32toFloat16 !=
          rhs.relaxComputationFloat32toFloat16 ||
      lhs.extensionNameToPrefix != rhs.extensionNameToPrefix)
    return "version, relaxation or extensions";
  if (lhs.referenced.size() != rhs.referenced.size())
    return "number of subgraphs";
  if (std::string text = ::difference(lhs.main, rhs.main); !text.empty())
    return "main: " + text;
  for (size_t i = 0; i < lhs.referenced.size(); ++i)
    if (std::string text = ::difference(lhs.referenced[i], rhs.referenced[i]);
        !text.empty())
      return "subgraph " + std::to_string(i) + ": " + text;
  if (lhs.operandValues != rhs.operandValues)
    return "operandValues";
  if (!std::ranges::equal(lhs.pools, rhs.pools, areEqual))
    return "pools";
  if (expected.inputNames != actual.inputNames ||
      expected.outputNames != actual.outputNames ||
      expected.statePairs != actual.statePairs)
    return "annotations";
  return "";
}
