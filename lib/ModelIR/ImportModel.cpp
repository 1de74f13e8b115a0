//===- ImportModel.cpp - HAL model to IR ----------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/ModelIR/Model.h"

#include "Packing.h"
#include "Runtime/Support/Errors.h"
#include "nnhal/Dialect/NNHal/IR/NNHalOps.h"
#include "nnhal/Dialect/NNHal/IR/OperandTypes.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"

#include <cstring>

using namespace mlir;
using namespace nnhal;

namespace {
/// Values up to this size are printed as numbers, larger ones as resources.
constexpr size_t denseLimit = 1024;

using Bytes = std::span<const std::byte>;

ArrayRef<char> toChars(Bytes bytes) {
  return ArrayRef(reinterpret_cast<const char *>(bytes.data()), bytes.size());
}

/// Elements of type \p type; small ones inline, others in \p blob.
ElementsAttr makeElements(RankedTensorType type, Bytes bytes, StringRef name,
                          llvm::function_ref<AsmResourceBlob()> makeBlob) {
  if (type.getNumElements() == 0)
    return DenseElementsAttr::get(type, ArrayRef<Attribute>());
  if (bytes.size() <= denseLimit)
    return DenseElementsAttr::getFromRawBuffer(type, toChars(bytes));
  return DenseResourceElementsAttr::get(type, name, makeBlob());
}

Attribute makeScalar(Type type, Bytes bytes) {
  APInt bits(bytes.size() * 8, 0);
  uint64_t word = 0;
  std::memcpy(&word, bytes.data(), bytes.size());
  bits = APInt(bytes.size() * 8, word);
  if (auto floating = dyn_cast<FloatType>(type))
    return FloatAttr::get(type, APFloat(floating.getFloatSemantics(), bits));
  return IntegerAttr::get(type, bits);
}

/// The bytes of a pool, without a copy where somebody else keeps them alive.
AsmResourceBlob shareMemory(const rt::Memory &memory, Bytes bytes,
                            bool borrow) {
  constexpr size_t alignment = 1;
  ArrayRef<char> data = toChars(bytes);
  if (const auto *copied = std::get_if<rt::Memory::Copied>(&memory.kind()))
    return AsmResourceBlob(
        data, alignment, [owner = copied->owner](void *, size_t, size_t) {},
        /*dataIsMutable=*/false);
  if (const auto *shared = std::get_if<rt::Memory::Shared>(&memory.kind()))
    return AsmResourceBlob(
        data, alignment, [owner = shared->pool](void *, size_t, size_t) {},
        /*dataIsMutable=*/false);
  if (borrow)
    return UnmanagedAsmResourceBlob::allocateWithAlign(data, alignment);
  return HeapAsmResourceBlob::allocateAndCopyWithAlign(data, alignment);
}

class ModelImporter {
public:
  ModelImporter(const rt::AnnotatedModel &annotated, MLIRContext *context,
                const ModelImportOptions &options)
      : annotated(annotated), model(annotated.model), options(options),
        builder(context), packing(comparePacking(model)) {}

  rt::Result<OwningOpRef<ModuleOp>> run();

private:
  rt::Status importPool(size_t index);
  rt::Result<GraphOp> importGraph(const rt::Subgraph &subgraph, StringRef name);
  rt::Status importBody(const rt::Subgraph &subgraph, GraphOp graph);
  rt::Result<Value> operandValue(const rt::Subgraph &subgraph, uint32_t index);
  rt::Result<Value> importConstant(const rt::Operand &operand, Type type,
                                   IntegerAttr number);
  rt::Status importOperation(const rt::Subgraph &subgraph, size_t index);
  rt::Result<HalOperationAttr> halOperation(rt::OperationType type);
  rt::Result<Type> operandType(const rt::Subgraph &subgraph, uint32_t index);
  void annotateMain(GraphOp graph);
  ModelOp createModel();

  const rt::AnnotatedModel &annotated;
  const rt::Model &model;
  const ModelImportOptions &options;
  OpBuilder builder;
  PackingDifference packing;
  /// Values of the current graph's operands; null until defined.
  std::vector<Value> values;
};
} // namespace

ModelOp ModelImporter::createModel() {
  auto op = ModelOp::create(
      builder, builder.getUnknownLoc(), builder.getStringAttr(options.name),
      builder.getStringAttr(llvm::StringRef(rt::toString(model.halVersion))),
      model.relaxComputationFloat32toFloat16 ? builder.getUnitAttr()
                                             : UnitAttr(),
      ArrayAttr(), DenseI32ArrayAttr(), ElementsAttr(), IntegerAttr());
  if (!model.extensionNameToPrefix.empty()) {
    SmallVector<StringRef> names;
    SmallVector<int32_t> prefixes;
    for (const rt::ExtensionNameAndPrefix &extension :
         model.extensionNameToPrefix) {
      names.push_back(extension.name);
      prefixes.push_back(extension.prefix);
    }
    op.setExtensionNamesAttr(builder.getStrArrayAttr(names));
    op.setExtensionPrefixes(prefixes);
  }
  Bytes bytes = std::as_bytes(std::span(model.operandValues));
  if (packing.offsetsDiffer)
    op.setOperandValuesSize(bytes.size());
  if (packing.gapsAreUsed) {
    auto type =
        RankedTensorType::get({int64_t(bytes.size())}, builder.getI8Type());
    op.setOperandValuesAttr(makeElements(type, bytes, "operand_values", [&] {
      return HeapAsmResourceBlob::allocateAndCopyWithAlign(toChars(bytes), 1);
    }));
  }
  return op;
}

rt::Result<OwningOpRef<ModuleOp>> ModelImporter::run() {
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder.getUnknownLoc());
  builder.setInsertionPointToEnd(module->getBody());
  ModelOp op = createModel();
  Block &body = op.getBody().emplaceBlock();
  builder.setInsertionPointToEnd(&body);
  for (size_t i = 0; i < model.pools.size(); ++i)
    NNHAL_RETURN_IF_ERROR(importPool(i).withContext(fmt::format("pool {}", i)));
  rt::Result<GraphOp> main = importGraph(model.main, "main");
  if (!main.isOk())
    return std::move(main).takeStatus().withContext("main subgraph");
  annotateMain(*main);
  for (size_t i = 0; i < model.referenced.size(); ++i) {
    builder.setInsertionPointToEnd(&body);
    rt::Result<GraphOp> graph =
        importGraph(model.referenced[i], "ref" + std::to_string(i));
    if (!graph.isOk())
      return std::move(graph).takeStatus().withContext(
          fmt::format("referenced subgraph {}", i));
  }
  return module;
}

rt::Status ModelImporter::importPool(size_t index) {
  const rt::Pool &pool = model.pools[index];
  NNHAL_ASSIGN_OR_RETURN(rt::Memory memory, pool.memory.snapshot());
  NNHAL_ASSIGN_OR_RETURN(Bytes bytes, memory.bytes());
  auto type =
      RankedTensorType::get({int64_t(bytes.size())}, builder.getI8Type());
  std::string name = "pool" + std::to_string(index);
  ElementsAttr value = makeElements(type, bytes, name, [&] {
    return shareMemory(memory, bytes, options.borrow);
  });
  auto op = PoolOp::create(
      builder, builder.getUnknownLoc(), builder.getStringAttr(name),
      builder.getStringAttr(pool.name), value, StringAttr(), IntegerAttr(),
      IntegerAttr(), UnitAttr());
  if (!pool.file.empty())
    op.setFile(StringRef(pool.file));
  if (pool.fileOffset != 0)
    op.setFileOffset(pool.fileOffset);
  op.setSynthetic(pool.isSynthetic);
  return rt::Status::ok();
}

void ModelImporter::annotateMain(GraphOp graph) {
  auto toAttribute = [&](const std::vector<std::string> &names) {
    SmallVector<StringRef> references(names.begin(), names.end());
    return builder.getStrArrayAttr(references);
  };
  if (!annotated.inputNames.empty())
    graph.setInputNamesAttr(toAttribute(annotated.inputNames));
  if (!annotated.outputNames.empty())
    graph.setOutputNamesAttr(toAttribute(annotated.outputNames));
  if (annotated.statePairs.empty())
    return;
  SmallVector<int32_t> pairs;
  for (const rt::StatePair &pair : annotated.statePairs)
    pairs.append({int32_t(pair.outputIndex), int32_t(pair.inputIndex)});
  graph.setStatePairs(pairs);
}

rt::Result<Type> ModelImporter::operandType(const rt::Subgraph &subgraph,
                                            uint32_t index) {
  if (index >= subgraph.operands.size())
    return rt::badData("operand {} exceeds the {} operands", index,
                       subgraph.operands.size());
  rt::Result<Type> type =
      typeOfOperand(builder.getContext(), subgraph.operands[index],
                    model.extensionNameToPrefix, options.extensions);
  if (!type.isOk())
    return std::move(type).takeStatus().withContext(
        fmt::format("operand {}", index));
  return type;
}

rt::Result<GraphOp> ModelImporter::importGraph(const rt::Subgraph &subgraph,
                                               StringRef name) {
  SmallVector<Type> inputs, outputs;
  for (uint32_t index : subgraph.inputIndexes) {
    NNHAL_ASSIGN_OR_RETURN(Type type, operandType(subgraph, index));
    inputs.push_back(type);
  }
  for (uint32_t index : subgraph.outputIndexes) {
    NNHAL_ASSIGN_OR_RETURN(Type type, operandType(subgraph, index));
    outputs.push_back(type);
  }
  auto graph = GraphOp::create(builder, builder.getUnknownLoc(), name,
                               builder.getFunctionType(inputs, outputs));
  graph.setInputOperands(SmallVector<int32_t>(subgraph.inputIndexes.begin(),
                                              subgraph.inputIndexes.end()));
  builder.setInsertionPointToStart(&graph.getBody().front());
  NNHAL_RETURN_IF_ERROR(importBody(subgraph, graph));
  return graph;
}

rt::Status ModelImporter::importBody(const rt::Subgraph &subgraph,
                                     GraphOp graph) {
  values.assign(subgraph.operands.size(), Value());
  for (auto [index, argument] :
       llvm::zip(subgraph.inputIndexes, graph.getArguments()))
    values[index] = argument;
  for (size_t i = 0; i < subgraph.operations.size(); ++i)
    NNHAL_RETURN_IF_ERROR(importOperation(subgraph, i)
                              .withContext(fmt::format("operation {}", i)));
  // What no operation reads is part of the model all the same.
  for (uint32_t i = 0; i < values.size(); ++i)
    NNHAL_RETURN_IF_ERROR(operandValue(subgraph, i).status());
  SmallVector<Value> outputs;
  for (uint32_t index : subgraph.outputIndexes)
    outputs.push_back(values[index]);
  ReturnOp::create(builder, builder.getUnknownLoc(), outputs);
  return rt::Status::ok();
}

rt::Result<Value> ModelImporter::operandValue(const rt::Subgraph &subgraph,
                                              uint32_t index) {
  NNHAL_ASSIGN_OR_RETURN(Type type, operandType(subgraph, index));
  if (values[index])
    return values[index];
  const rt::Operand &operand = subgraph.operands[index];
  Location location = builder.getUnknownLoc();
  IntegerAttr number = builder.getI32IntegerAttr(index);
  switch (operand.lifetime) {
  case rt::OperandLifeTime::NO_VALUE:
    values[index] = NoValueOp::create(builder, location, type, number);
    return values[index];
  case rt::OperandLifeTime::SUBGRAPH: {
    auto name = FlatSymbolRefAttr::get(
        builder.getContext(), "ref" + std::to_string(operand.location.offset));
    if (operand.location.offset >= model.referenced.size())
      return rt::badData("operand {} refers to subgraph {} of {}", index,
                         operand.location.offset, model.referenced.size());
    values[index] =
        SubgraphReferenceOp::create(builder, location, type, name, number);
    return values[index];
  }
  case rt::OperandLifeTime::CONSTANT_COPY:
  case rt::OperandLifeTime::CONSTANT_REFERENCE: {
    rt::Result<Value> value = importConstant(operand, type, number);
    if (!value.isOk())
      return std::move(value).takeStatus().withContext(
          fmt::format("operand {}", index));
    values[index] = *value;
    return values[index];
  }
  default:
    return rt::badData("operand {} is read before it is written", index);
  }
}

rt::Result<Value> ModelImporter::importConstant(const rt::Operand &operand,
                                                Type type, IntegerAttr number) {
  Location location = builder.getUnknownLoc();
  std::optional<uint64_t> size = byteSizeOfType(type);
  NNHAL_ASSIGN_OR_RETURN(Bytes bytes, rt::constantBytes(model, operand));
  if (size && *size != bytes.size())
    return rt::badData("a constant has {} bytes, its type needs {}",
                       bytes.size(), *size);
  if (operand.lifetime == rt::OperandLifeTime::CONSTANT_REFERENCE) {
    auto pool = FlatSymbolRefAttr::get(
        builder.getContext(),
        "pool" + std::to_string(operand.location.poolIndex));
    return Value(ConstantReferenceOp::create(
        builder, location, type, pool,
        builder.getI64IntegerAttr(operand.location.offset),
        size ? IntegerAttr() : builder.getI64IntegerAttr(bytes.size()),
        number));
  }
  Type storage = storageTypeOf(type);
  if (!storage)
    storage =
        RankedTensorType::get({int64_t(bytes.size())}, builder.getI8Type());
  Attribute value;
  if (auto tensor = dyn_cast<RankedTensorType>(storage))
    value = makeElements(tensor, bytes,
                         "operand" + std::to_string(number.getInt()), [&] {
                           return HeapAsmResourceBlob::allocateAndCopyWithAlign(
                               toChars(bytes), 1);
                         });
  else
    value = makeScalar(storage, bytes);
  return Value(ConstantCopyOp::create(
      builder, location, type, cast<TypedAttr>(value), number,
      packing.offsetsDiffer ? builder.getI64IntegerAttr(operand.location.offset)
                            : IntegerAttr()));
}

rt::Result<HalOperationAttr>
ModelImporter::halOperation(rt::OperationType type) {
  MLIRContext *context = builder.getContext();
  if (rt::lookUp(type) || type == rt::OperationType::OEM_OPERATION)
    return HalOperationAttr::get(context, type);
  for (const rt::ExtensionNameAndPrefix &extension :
       model.extensionNameToPrefix)
    if (rt::isExtension(type) && extension.prefix == uint32_t(type) >> 16)
      return HalOperationAttr::get(context, uint32_t(type) & 0xFFFF,
                                   extension.name);
  return rt::badData("operation type {} is unknown", uint32_t(type));
}

rt::Status ModelImporter::importOperation(const rt::Subgraph &subgraph,
                                          size_t index) {
  const rt::Operation &operation = subgraph.operations[index];
  NNHAL_ASSIGN_OR_RETURN(HalOperationAttr name, halOperation(operation.type));
  SmallVector<Value> inputs;
  for (uint32_t input : operation.inputs) {
    NNHAL_ASSIGN_OR_RETURN(Value value, operandValue(subgraph, input));
    inputs.push_back(value);
  }
  SmallVector<Type> types;
  SmallVector<int32_t> numbers;
  for (uint32_t output : operation.outputs) {
    NNHAL_ASSIGN_OR_RETURN(Type type, operandType(subgraph, output));
    types.push_back(type);
    numbers.push_back(output);
  }
  // The location lets later diagnostics say which operation of the model.
  Location location = NameLoc::get(builder.getStringAttr(
      fmt::format("operation {} {}", index, name.getSpelling())));
  auto op = OperationOp::create(builder, location, types, name, inputs,
                                builder.getDenseI32ArrayAttr(numbers));
  for (auto [output, result] : llvm::zip(operation.outputs, op->getResults())) {
    if (values[output])
      return rt::badData("operand {} is written twice", output);
    values[output] = result;
  }
  return rt::Status::ok();
}

OwningOpRef<ModuleOp> nnhal::importModel(const rt::AnnotatedModel &model,
                                         MLIRContext *context,
                                         const ModelImportOptions &options) {
  context->loadDialect<NNHalDialect>();
  rt::Result<OwningOpRef<ModuleOp>> module =
      ModelImporter(model, context, options).run();
  if (!module.isOk()) {
    mlir::emitError(UnknownLoc::get(context)) << module.status().message();
    return nullptr;
  }
  if (failed(mlir::verify(**module)))
    return nullptr;
  return *std::move(module);
}
