//===- DiscardableAttributes.cpp - What other operations carry ------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Dialect/NNHal/IR/DiscardableAttributes.h"

#include "DialectInterfaces.h"
#include "nnhal/Dialect/NNHal/IR/NNHalOps.h"
#include "nnhal/Dialect/NNHal/IR/Target.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Interfaces/CallInterfaces.h"

#include <algorithm>

using namespace mlir;
using namespace nnhal;

namespace {
/// A kind of value or of carrier of an attribute: a phrase for messages and a
/// predicate.
template <typename T> struct Kind {
  const char *phrase;
  bool (*holds)(T value);
};

struct Declaration {
  StringRef name;
  const Kind<Attribute> &value;
  const Kind<Operation *> &carrier;
};
} // namespace

static bool isCount(Attribute value, int64_t least) {
  auto integer = dyn_cast<IntegerAttr>(value);
  if (!integer || !integer.getType().isSignlessInteger(64))
    return false;
  return integer.getInt() >= least;
}

static bool ascend(ArrayRef<int32_t> numbers) {
  return std::ranges::adjacent_find(numbers, std::greater_equal()) ==
         numbers.end();
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static constexpr Kind<Attribute> unit = {
    "a unit attribute", [](Attribute value) { return isa<UnitAttr>(value); }};
static constexpr Kind<Attribute> count = {
    "an i64 of at least 0",
    [](Attribute value) { return isCount(value, /*least=*/0); }};
static constexpr Kind<Attribute> positiveCount = {
    "an i64 of at least 1",
    [](Attribute value) { return isCount(value, /*least=*/1); }};
static constexpr Kind<Attribute> graphNumber = {
    "an i32 of at least 0", [](Attribute value) {
      auto number = dyn_cast<IntegerAttr>(value);
      return number && number.getType().isSignlessInteger(32) &&
             number.getInt() >= 0;
    }};
static constexpr Kind<Attribute> numbers = {
    "an array of i32",
    [](Attribute value) { return isa<DenseI32ArrayAttr>(value); }};
static constexpr Kind<Attribute> ascendingNumbers = {
    "an array of ascending i32", [](Attribute value) {
      auto array = dyn_cast<DenseI32ArrayAttr>(value);
      return array && ascend(array.asArrayRef());
    }};
static constexpr Kind<Attribute> text = {
    "a string", [](Attribute value) { return isa<StringAttr>(value); }};
static constexpr Kind<Attribute> texts = {
    "an array of strings", [](Attribute value) {
      auto array = dyn_cast<ArrayAttr>(value);
      return array && llvm::all_of(array, llvm::IsaPred<StringAttr>);
    }};
static constexpr Kind<Attribute> bytes = {
    "a resource of type tensor<Nxi8>", [](Attribute value) {
      auto resource = dyn_cast<DenseResourceElementsAttr>(value);
      return resource && resource.getType().getRank() == 1 &&
             resource.getType().getElementType().isSignlessInteger(8);
    }};

static constexpr Kind<Attribute> target = {
    "a #nnhal.target", [](Attribute value) { return isa<TargetAttr>(value); }};

//===----------------------------------------------------------------------===//
// Carriers
//===----------------------------------------------------------------------===//

static constexpr Kind<Operation *> modules = {
    "a module", [](Operation *op) { return isa<ModuleOp>(op); }};
static constexpr Kind<Operation *> functions = {
    "a function", [](Operation *op) { return isa<FunctionOpInterface>(op); }};
static constexpr Kind<Operation *> modulesOrFunctions = {
    "a module or a function",
    [](Operation *op) { return isa<ModuleOp, FunctionOpInterface>(op); }};
static constexpr Kind<Operation *> calls = {
    "a call", [](Operation *op) { return isa<CallOpInterface>(op); }};
static constexpr Kind<Operation *> stackMemory = {
    "a memref.alloca", [](Operation *op) { return isa<memref::AllocaOp>(op); }};
static constexpr Kind<Operation *> models = {
    "an nnhal.model", [](Operation *op) { return isa<ModelOp>(op); }};

static constexpr Kind<Operation *> statedOperations = {
    "an nnhal.operation", [](Operation *op) { return isa<OperationOp>(op); }};

static constexpr Declaration declarations[] = {
    {entryAttrName, unit, functions},
    {inputCountAttrName, count, functions},
    {outputCountAttrName, count, functions},
    {relaxedAttrName, unit, functions},
    {dataCacheAttrName, bytes, modules},
    {arenaSizeAttrName, count, modules},
    {arenaLowerBoundAttrName, count, modulesOrFunctions},
    {scratchAttrName, unit, stackMemory},
    {routineSlotsAttrName, ascendingNumbers, modules},
    {calledExtensionsAttrName, texts, modules},
    {numberArraysAttrName, count, functions},
    {operationAttrName, text, functions},
    {keptOperationsAttrName, unit, modules},
    {isSplitAttrName, unit, functions},
    {pollsFlagAttrName, unit, functions},
    {callReasonAttrName, text, statedOperations},
    {grainAttrName, positiveCount, calls},
    {passesDescriptorsAttrName, unit, modules},
    {kernelAttrName, text, modulesOrFunctions},
    {kernelsAttrName, texts, modules},
    {phaseAttrName, text, modules},
    {targetAttrName, target, modules},
    {planAttrName, texts, modules},
    {deviceAttrName, text, models},
    {subgraphAttrName, graphNumber, models},
    {sourceOperationsAttrName, numbers, models},
    {sourceInputsAttrName, numbers, models},
    {sourceOutputsAttrName, numbers, models},
    {reasonsAttrName, texts, models},
};

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

static InFlightDiagnostic unknown(Operation *op, NamedAttribute attribute) {
  return op->emitError("'") << attribute.getName().getValue()
                            << "' is no attribute of the dialect nnhal";
}

LogicalResult NNHalDialect::verifyOperationAttribute(Operation *op,
                                                     NamedAttribute attribute) {
  StringRef name = attribute.getName();
  const Declaration *found = llvm::find_if(
      declarations, [&](const Declaration &row) { return row.name == name; });
  if (found == std::end(declarations))
    return unknown(op, attribute);
  if (!found->carrier.holds(op))
    return op->emitError("'")
           << name << "' is an attribute of " << found->carrier.phrase;
  if (!found->value.holds(attribute.getValue()))
    return op->emitError("'") << name << "' is " << attribute.getValue()
                              << ", expected " << found->value.phrase;
  if (auto stated = dyn_cast<TargetAttr>(attribute.getValue()))
    return verifyTarget(op, stated);
  return success();
}

LogicalResult NNHalDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                     unsigned index,
                                                     NamedAttribute attribute) {
  return op->emitError("argument ")
         << index << " has '" << attribute.getName().getValue()
         << "', which is no attribute of arguments";
}

LogicalResult NNHalDialect::verifyRegionResultAttribute(
    Operation *op, unsigned, unsigned index, NamedAttribute attribute) {
  return op->emitError("result ")
         << index << " has '" << attribute.getName().getValue()
         << "', which is no attribute of results";
}
