//===- Structure.cpp - Models, graphs and HAL operations ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Dialect/NNHal/IR/ExtensionInterface.h"
#include "nnhal/Dialect/NNHal/IR/NNHalOps.h"
#include "nnhal/Dialect/NNHal/IR/OperandTypes.h"

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSet.h"

#include <limits>

using namespace mlir;
using namespace nnhal;

//===----------------------------------------------------------------------===//
// ModelOp
//===----------------------------------------------------------------------===//

GraphOp ModelOp::getMainGraph() { return lookupSymbol<GraphOp>("main"); }

std::optional<uint16_t> ModelOp::getExtensionPrefix(StringRef name) {
  for (const rt::ExtensionNameAndPrefix &extension : getExtensions())
    if (extension.name == name)
      return extension.prefix;
  return std::nullopt;
}

std::vector<rt::ExtensionNameAndPrefix> ModelOp::getExtensions() {
  std::vector<rt::ExtensionNameAndPrefix> extensions;
  if (!getExtensionNames() || !getExtensionPrefixes())
    return extensions;
  for (auto [name, prefix] :
       llvm::zip(*getExtensionNames(), *getExtensionPrefixes()))
    extensions.push_back(
        {cast<StringAttr>(name).getValue().str(), uint16_t(prefix)});
  return extensions;
}

/// Bounds of operandValues: HAL locations have 32 bits.
static LogicalResult verifyOperandValues(ModelOp op) {
  constexpr int64_t limit = std::numeric_limits<uint32_t>::max();
  int64_t size = int64_t(op.getOperandValuesSize().value_or(0));
  if (size < 0 || size > limit)
    return op.emitOpError("operand values size ")
           << size << " is outside 0 to " << limit;
  if (!op.getOperandValues())
    return success();
  ShapedType type = op.getOperandValues()->getShapedType();
  if (type.getRank() != 1 || !type.getElementType().isSignlessInteger(8))
    return op.emitOpError("operand values must be tensor<Nxi8>, found ")
           << type;
  return success();
}

LogicalResult ModelOp::verify() {
  if (!rt::parseHalVersion(std::string_view(getHalVersion())))
    return emitOpError("HAL version \"")
           << getHalVersion() << "\" is not one of 1.0 to 1.3";
  if (failed(verifyOperandValues(*this)))
    return failure();
  size_t names = getExtensionNames() ? getExtensionNames()->size() : 0;
  size_t prefixes = getExtensionPrefixes() ? getExtensionPrefixes()->size() : 0;
  if (names != prefixes)
    return emitOpError("has ") << names << " extension names and " << prefixes
                               << " extension prefixes";
  if (names == 0)
    return success();
  llvm::StringSet<> seenNames;
  DenseSet<int64_t> seenPrefixes;
  for (auto [attribute, prefix] :
       llvm::zip(*getExtensionNames(), *getExtensionPrefixes())) {
    StringRef name = cast<StringAttr>(attribute).getValue();
    if (prefix < 1 || prefix > 0xFFFF)
      return emitOpError("extension prefix ")
             << prefix << " is outside 1 to 65535";
    if (!seenNames.insert(name).second)
      return emitOpError("extension \"") << name << "\" is declared twice";
    if (!seenPrefixes.insert(prefix).second)
      return emitOpError("extension prefix ") << prefix << " is declared twice";
  }
  return success();
}

LogicalResult ModelOp::verifyRegions() {
  for (Operation &op : *getBody().begin()) {
    if (!isa<PoolOp, GraphOp>(op))
      return op.emitOpError("is not allowed in a model, only pools and graphs");
    auto graph = dyn_cast<GraphOp>(op);
    if (graph && !graph.isMain() &&
        (graph.getInputNames() || graph.getOutputNames() ||
         graph.getStatePairs()))
      return op.emitOpError("is not the main graph but has names or state "
                            "pairs");
  }
  if (!getMainGraph())
    return emitOpError("has no graph @main");
  WalkResult result = walk([&](OperationOp op) {
    HalOperationAttr operation = op.getHalOperation();
    if (!operation.isExtension() ||
        getExtensionPrefix(operation.getExtension()))
      return WalkResult::advance();
    op.emitOpError("extension \"")
        << operation.getExtension() << "\" is not declared by the model";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// PoolOp
//===----------------------------------------------------------------------===//

uint64_t PoolOp::getByteSize() {
  if (getSize())
    return *getSize();
  return getValue() ? getValue()->getShapedType().getNumElements() : 0;
}

LogicalResult PoolOp::verify() {
  if (std::optional<ElementsAttr> value = getValue()) {
    ShapedType type = value->getShapedType();
    if (type.getRank() != 1 || !type.getElementType().isSignlessInteger(8))
      return emitOpError("bytes must be tensor<Nxi8>, found ") << type;
    std::optional<ArrayRef<char>> bytes = borrowBytes(*value);
    if (bytes && int64_t(bytes->size()) != type.getNumElements())
      return emitOpError("resource has ")
             << bytes->size() << " bytes, its type needs "
             << type.getNumElements();
    if (getSize() && int64_t(*getSize()) != type.getNumElements())
      return emitOpError("size ") << *getSize() << " differs from the "
                                  << type.getNumElements() << " bytes given";
  } else if (!getFile() || !getSize()) {
    return emitOpError("needs a value, or a file and a size");
  }
  if (int64_t(getFileOffset()) < 0)
    return emitOpError("file offset ")
           << int64_t(getFileOffset()) << " is negative";
  if (getSize() && int64_t(*getSize()) < 0)
    return emitOpError("size ") << int64_t(*getSize()) << " is negative";
  return success();
}

//===----------------------------------------------------------------------===//
// GraphOp
//===----------------------------------------------------------------------===//

void GraphOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                    FunctionType type) {
  state.addAttribute(getSymNameAttrName(state.name),
                     builder.getStringAttr(name));
  state.addAttribute(getFunctionTypeAttrName(state.name), TypeAttr::get(type));
  Block *body = new Block();
  state.addRegion()->push_back(body);
  for (Type input : type.getInputs())
    body->addArgument(input, state.location);
}

ParseResult GraphOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildFunctionType =
      [](Builder &builder, ArrayRef<Type> arguments, ArrayRef<Type> results,
         function_interface_impl::VariadicFlag,
         std::string &) { return builder.getFunctionType(arguments, results); };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false,
      getFunctionTypeAttrName(result.name), buildFunctionType,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void GraphOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(
      printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
      getArgAttrsAttrName(), getResAttrsAttrName());
}

LogicalResult GraphOp::verify() {
  auto checkCount = [&](StringRef what, size_t count,
                        size_t expected) -> LogicalResult {
    if (count == expected)
      return success();
    return emitOpError("has ") << count << ' ' << what << " for " << expected;
  };
  if (getInputOperands() &&
      failed(checkCount("input operand numbers", getInputOperands()->size(),
                        getNumArguments())))
    return failure();
  if (getInputNames() &&
      failed(checkCount("input names", getInputNames()->size(),
                        getNumArguments())))
    return failure();
  if (getOutputNames() &&
      failed(checkCount("output names", getOutputNames()->size(),
                        getNumResults())))
    return failure();
  std::optional<ArrayRef<int32_t>> pairs = getStatePairs();
  if (!pairs)
    return success();
  if (pairs->size() % 2 != 0)
    return emitOpError("state pairs have ")
           << pairs->size() << " numbers, which is odd";
  for (size_t i = 0; i < pairs->size(); i += 2) {
    int32_t output = (*pairs)[i], input = (*pairs)[i + 1];
    if (output < 0 || unsigned(output) >= getNumResults())
      return emitOpError("state output ")
             << output << " exceeds the " << getNumResults() << " outputs";
    if (input < 0 || unsigned(input) >= getNumArguments())
      return emitOpError("state input ")
             << input << " exceeds the " << getNumArguments() << " inputs";
  }
  return success();
}

LogicalResult GraphOp::verifyRegions() {
  DenseMap<int64_t, Operation *> owners;
  auto add = [&](Operation *op, int64_t number) -> LogicalResult {
    if (number < 0)
      return op->emitOpError("operand number ") << number << " is negative";
    auto [owner, isNew] = owners.insert({number, op});
    if (isNew)
      return success();
    InFlightDiagnostic error = op->emitOpError("operand number ")
                               << number << " is used twice";
    if (owner->second != op)
      error.attachNote(owner->second->getLoc()) << "the other use is here";
    return error;
  };
  for (int32_t number : getInputOperands().value_or(ArrayRef<int32_t>()))
    if (failed(add(*this, number)))
      return failure();
  for (Operation &op : getBody().front()) {
    if (auto operation = dyn_cast<OperationOp>(op)) {
      for (int32_t number :
           operation.getOutputs().value_or(ArrayRef<int32_t>()))
        if (failed(add(&op, number)))
          return failure();
      continue;
    }
    if (!isa<NoValueOp, SubgraphReferenceOp, ConstantCopyOp,
             ConstantReferenceOp>(op))
      continue;
    if (auto number = op.getAttrOfType<IntegerAttr>("number");
        number && failed(add(&op, number.getInt())))
      return failure();
  }
  return success();
}

LogicalResult ReturnOp::verify() {
  auto graph = cast<GraphOp>((*this)->getParentOp());
  ArrayRef<Type> types = graph.getResultTypes();
  if (types.size() != getNumOperands())
    return emitOpError("has ")
           << getNumOperands() << " operands, the graph has " << types.size()
           << " outputs";
  for (auto [i, type, value] : llvm::enumerate(types, getOutputs()))
    if (type != value.getType())
      return emitOpError("operand ") << i << " has type " << value.getType()
                                     << ", the graph's output has " << type;
  return success();
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

LogicalResult
SubgraphReferenceOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  if (symbolTable.lookupNearestSymbolFrom<GraphOp>(*this, getGraphAttr()))
    return success();
  return emitOpError("refers to ") << getGraphAttr() << ", which is no graph";
}

LogicalResult ConstantCopyOp::verify() {
  Type type = getResult().getType();
  auto value = cast<TypedAttr>(getValueAttr());
  auto ranked = dyn_cast<RankedTensorType>(type);
  if (isa<UnrankedTensorType>(type) || (ranked && !ranked.hasStaticShape()))
    return emitOpError("needs known dimensions, found ") << type;
  if (Type storage = storageTypeOf(type)) {
    if (value.getType() != storage)
      return emitOpError("value type ")
             << value.getType() << " differs from the storage type " << storage;
  } else {
    auto bytes = dyn_cast<RankedTensorType>(value.getType());
    if (!bytes || bytes.getRank() != 1 ||
        !bytes.getElementType().isSignlessInteger(8))
      return emitOpError("value of ")
             << type << " must be bytes, tensor<Nxi8>, found "
             << value.getType();
  }
  if (!isa<FloatAttr, IntegerAttr, ElementsAttr>(getValueAttr()))
    return emitOpError("value must be a number or elements, found ")
           << getValueAttr();
  std::optional<ArrayRef<char>> bytes = borrowBytes(getValueAttr());
  std::optional<uint64_t> size = byteSizeOfType(value.getType());
  if (bytes && bytes->size() != size)
    return emitOpError("resource has ")
           << bytes->size() << " bytes, its type needs " << size.value_or(0);
  if (getOffset() && int64_t(*getOffset()) < 0)
    return emitOpError("offset ") << int64_t(*getOffset()) << " is negative";
  return success();
}

LogicalResult ConstantReferenceOp::verify() {
  Type type = getResult().getType();
  std::optional<uint64_t> size = byteSizeOfType(type);
  if (storageTypeOf(type) || isa<UnrankedTensorType>(type)) {
    if (!size)
      return emitOpError("needs known dimensions, found ") << type;
    if (getLength() && *getLength() != *size)
      return emitOpError("length ") << *getLength() << " differs from the "
                                    << *size << " bytes of " << type;
  } else if (!getLength()) {
    return emitOpError("needs a length: ") << type << " has no size";
  }
  if (int64_t(getOffset()) < 0)
    return emitOpError("offset ") << int64_t(getOffset()) << " is negative";
  return success();
}

LogicalResult
ConstantReferenceOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  auto pool = symbolTable.lookupNearestSymbolFrom<PoolOp>(*this, getPoolAttr());
  if (!pool)
    return emitOpError("refers to ") << getPoolAttr() << ", which is no pool";
  uint64_t length =
      getLength().value_or(byteSizeOfType(getResult().getType()).value_or(0));
  uint64_t size = pool.getByteSize();
  if (getOffset() <= size && length <= size - getOffset())
    return success();
  InFlightDiagnostic error = emitOpError("reads ")
                             << length << " bytes at offset " << getOffset()
                             << " of a pool of " << size << " bytes";
  error.attachNote(pool.getLoc()) << "the pool is here";
  return error;
}

//===----------------------------------------------------------------------===//
// OperationOp
//===----------------------------------------------------------------------===//

LogicalResult OperationOp::verify() {
  if (getOutputs() && getOutputs()->size() != getNumResults())
    return emitOpError("has ")
           << getOutputs()->size() << " output operand numbers for "
           << getNumResults() << " results";
  HalOperationAttr operation = getHalOperation();
  if (const rt::OperationInfo *info = operation.getInfo())
    return verifyStatedUse(*this, info->type);
  const NNHalExtensionInterface *extension = findExtension(*this);
  return extension ? extension->verifyOperation(*this) : success();
}

void OperationOp::writeProperties(DialectBytecodeWriter &writer) {
  writer.writeAttribute(StringAttr::get(getContext(), getHalName()));
  writer.writeOptionalAttribute(getOutputsAttr());
}

LogicalResult OperationOp::readProperties(DialectBytecodeReader &reader,
                                          OperationState &state) {
  auto &properties = state.getOrAddProperties<Properties>();
  StringAttr name;
  if (failed(reader.readAttribute(name)) ||
      failed(reader.readOptionalAttribute(properties.outputs)))
    return failure();
  properties.hal_operation =
      HalOperationAttr::ofName(name.getContext(), name.getValue());
  if (properties.hal_operation)
    return success();
  return reader.emitError("\"")
         << name.getValue() << "\" is not an operation of the HAL";
}
