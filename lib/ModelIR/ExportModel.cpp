//===- ExportModel.cpp - IR to HAL model ----------------------------------===//
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

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"

#include <limits>

using namespace mlir;
using namespace nnhal;

namespace {
class ModelExporter {
public:
  ModelExporter(ModelOp op, const ModelExportOptions &options)
      : op(op), options(options), model(annotated.model) {}

  rt::Result<rt::AnnotatedModel> run();

private:
  void exportHeader();
  rt::Status exportPool(PoolOp pool);
  rt::Status exportGraph(GraphOp graph, rt::Subgraph &subgraph);
  void numberOperands(GraphOp graph);
  rt::Status exportOperand(Value value, rt::Subgraph &subgraph);
  rt::Status exportOperation(OperationOp operation, rt::Subgraph &subgraph);
  rt::Status exportReturn(ReturnOp op, rt::Subgraph &subgraph);
  rt::Status packConstants();
  void exportAnnotations(GraphOp graph);

  ModelOp op;
  const ModelExportOptions &options;
  rt::AnnotatedModel annotated;
  rt::Model &model;
  llvm::StringMap<uint32_t> pools;
  llvm::StringMap<uint32_t> graphs;
  /// Operand numbers of the current graph.
  DenseMap<Value, uint32_t> numbers;
  /// CONSTANT_COPY operands by subgraph (the main one first) and number; the
  /// location is filled in by packConstants().
  std::vector<std::vector<std::pair<uint32_t, ConstantCopyOp>>> copies;
};

std::optional<int64_t> statedNumber(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto graph = cast<GraphOp>(argument.getOwner()->getParentOp());
    if (!graph.getInputOperands())
      return std::nullopt;
    return (*graph.getInputOperands())[argument.getArgNumber()];
  }
  auto result = cast<OpResult>(value);
  if (auto operation = dyn_cast<OperationOp>(result.getOwner())) {
    if (!operation.getOutputs())
      return std::nullopt;
    return (*operation.getOutputs())[result.getResultNumber()];
  }
  if (auto number = result.getOwner()->getAttrOfType<IntegerAttr>("number"))
    return number.getInt();
  return std::nullopt;
}

/// Arguments, then results in order of definition.
SmallVector<Value> valuesOf(GraphOp graph) {
  SmallVector<Value> values(graph.getArguments());
  for (Operation &op : graph.getBody().front())
    llvm::append_range(values, op.getResults());
  return values;
}
} // namespace

void ModelExporter::exportHeader() {
  model.halVersion = *rt::parseHalVersion(std::string_view(op.getHalVersion()));
  model.relaxComputationFloat32toFloat16 = op.getRelaxed();
  model.extensionNameToPrefix = op.getExtensions();
}

rt::Result<rt::AnnotatedModel> ModelExporter::run() {
  exportHeader();
  for (PoolOp pool : op.getOps<PoolOp>())
    NNHAL_RETURN_IF_ERROR(
        exportPool(pool).withContext("pool @" + pool.getSymName().str()));
  SmallVector<GraphOp> ordered{op.getMainGraph()};
  for (GraphOp graph : op.getOps<GraphOp>()) {
    if (graph.isMain())
      continue;
    graphs[graph.getSymName()] = ordered.size() - 1;
    ordered.push_back(graph);
  }
  model.referenced.resize(ordered.size() - 1);
  for (auto [i, graph] : llvm::enumerate(ordered)) {
    copies.emplace_back();
    rt::Subgraph &subgraph = i == 0 ? model.main : model.referenced[i - 1];
    NNHAL_RETURN_IF_ERROR(
        exportGraph(graph, subgraph)
            .withContext("graph @" + graph.getSymName().str()));
    rt::computeConsumers(subgraph);
  }
  NNHAL_RETURN_IF_ERROR(packConstants());
  exportAnnotations(ordered.front());
  return std::move(annotated);
}

rt::Status ModelExporter::exportPool(PoolOp op) {
  rt::Pool pool;
  pool.name = op.getKind().str();
  pool.file = op.getFile().value_or("").str();
  pool.fileOffset = op.getFileOffset();
  pool.isSynthetic = op.getSynthetic();
  if (std::optional<ElementsAttr> value = op.getValue()) {
    std::vector<uint8_t> bytes;
    NNHAL_RETURN_IF_ERROR(appendBytes(*value, bytes));
    pool.memory = rt::Memory::copy(std::as_bytes(std::span(bytes)));
  } else {
    NNHAL_ASSIGN_OR_RETURN(
        rt::Memory file,
        rt::Memory::readFile(options.directory + "/" + pool.file));
    NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> bytes, file.bytes());
    uint64_t size = *op.getSize();
    if (pool.fileOffset > bytes.size() || size > bytes.size() - pool.fileOffset)
      return rt::badData("{} bytes at offset {} exceed file {} of {} bytes",
                         size, pool.fileOffset, pool.file, bytes.size());
    pool.memory = rt::Memory::copy(bytes.subspan(pool.fileOffset, size));
  }
  pools[op.getSymName()] = model.pools.size();
  model.pools.push_back(std::move(pool));
  return rt::Status::ok();
}

/// Stated numbers are kept when together they are 0 to n - 1; otherwise
/// operands are numbered in order of definition.
void ModelExporter::numberOperands(GraphOp graph) {
  SmallVector<Value> values = valuesOf(graph);
  numbers.clear();
  bool areStated = true;
  for (auto [i, value] : llvm::enumerate(values)) {
    std::optional<int64_t> number = statedNumber(value);
    // Verification has found stated numbers to be unique.
    areStated &= number && *number < int64_t(values.size());
    numbers[value] = i;
  }
  if (areStated)
    for (Value value : values)
      numbers[value] = uint32_t(*statedNumber(value));
}

rt::Status ModelExporter::exportGraph(GraphOp graph, rt::Subgraph &subgraph) {
  for (Operation &op : graph.getBody().front())
    if (!isa<OperationOp, NoValueOp, SubgraphReferenceOp, ConstantCopyOp,
             ConstantReferenceOp, ReturnOp>(op))
      return rt::badData("'{}' is not of the NNAPI-shaped level",
                         op.getName().getStringRef().str());
  numberOperands(graph);
  subgraph.operands.resize(numbers.size());
  for (Value value : valuesOf(graph))
    NNHAL_RETURN_IF_ERROR(
        exportOperand(value, subgraph)
            .withContext(fmt::format("operand {}", numbers[value])));
  for (BlockArgument argument : graph.getArguments())
    subgraph.inputIndexes.push_back(numbers[argument]);
  for (Operation &op : graph.getBody().front()) {
    if (auto operation = dyn_cast<OperationOp>(op))
      NNHAL_RETURN_IF_ERROR(exportOperation(operation, subgraph));
    else if (auto terminator = dyn_cast<ReturnOp>(op))
      NNHAL_RETURN_IF_ERROR(exportReturn(terminator, subgraph));
  }
  llvm::sort(copies.back(), llvm::less_first());
  return rt::Status::ok();
}

rt::Status ModelExporter::exportOperand(Value value, rt::Subgraph &subgraph) {
  uint32_t number = numbers[value];
  rt::Operand &operand = subgraph.operands[number];
  NNHAL_ASSIGN_OR_RETURN(
      operand, operandOfType(value.getType(), model.extensionNameToPrefix));
  if (isa<BlockArgument>(value)) {
    operand.lifetime = rt::OperandLifeTime::SUBGRAPH_INPUT;
    return rt::Status::ok();
  }
  Operation *op = value.getDefiningOp();
  if (isa<NoValueOp>(op)) {
    operand.lifetime = rt::OperandLifeTime::NO_VALUE;
  } else if (auto reference = dyn_cast<SubgraphReferenceOp>(op)) {
    auto graph = graphs.find(reference.getGraph());
    if (graph == graphs.end())
      return rt::badData("the main graph cannot be referred to");
    operand.lifetime = rt::OperandLifeTime::SUBGRAPH;
    operand.location.offset = graph->second;
  } else if (auto copy = dyn_cast<ConstantCopyOp>(op)) {
    operand.lifetime = rt::OperandLifeTime::CONSTANT_COPY;
    copies.back().push_back({number, copy});
  } else if (auto reference = dyn_cast<ConstantReferenceOp>(op)) {
    operand.lifetime = rt::OperandLifeTime::CONSTANT_REFERENCE;
    uint64_t length = reference.getLength().value_or(
        byteSizeOfType(value.getType()).value_or(0));
    if (reference.getOffset() + length > std::numeric_limits<uint32_t>::max())
      return rt::badData("constant ends at byte {}, the HAL allows {}",
                         reference.getOffset() + length,
                         std::numeric_limits<uint32_t>::max());
    operand.location = {pools.lookup(reference.getPool()),
                        uint32_t(reference.getOffset()), uint32_t(length)};
  }
  return rt::Status::ok();
}

rt::Status ModelExporter::exportOperation(OperationOp op,
                                          rt::Subgraph &subgraph) {
  rt::Operation operation;
  HalOperationAttr name = op.getHalOperation();
  if (std::optional<rt::OperationType> type = name.getOperationType())
    operation.type = *type;
  else
    operation.type = rt::OperationType(
        uint32_t(*this->op.getExtensionPrefix(name.getExtension())) << 16 |
        name.getCode());
  for (Value input : op.getInputs())
    operation.inputs.push_back(numbers[input]);
  for (Value output : op->getResults())
    operation.outputs.push_back(numbers[output]);
  subgraph.operations.push_back(std::move(operation));
  return rt::Status::ok();
}

rt::Status ModelExporter::exportReturn(ReturnOp op, rt::Subgraph &subgraph) {
  for (auto [i, value] : llvm::enumerate(op.getOutputs())) {
    if (!value.getDefiningOp<OperationOp>())
      return rt::badData("output {} is not written by an operation", i);
    rt::Operand &operand = subgraph.operands[numbers[value]];
    if (operand.lifetime == rt::OperandLifeTime::SUBGRAPH_OUTPUT)
      return rt::badData("output {} is an output already", i);
    operand.lifetime = rt::OperandLifeTime::SUBGRAPH_OUTPUT;
    subgraph.outputIndexes.push_back(numbers[value]);
  }
  return rt::Status::ok();
}

rt::Status ModelExporter::packConstants() {
  if (op.getOperandValues())
    NNHAL_RETURN_IF_ERROR(
        appendBytes(*op.getOperandValues(), model.operandValues));
  else if (op.getOperandValuesSize())
    model.operandValues.resize(*op.getOperandValuesSize());
  Packer packer;
  for (size_t i = 0; i < copies.size(); ++i) {
    rt::Subgraph &subgraph = i == 0 ? model.main : model.referenced[i - 1];
    for (auto [number, copy] : copies[i]) {
      std::vector<uint8_t> bytes;
      NNHAL_RETURN_IF_ERROR(appendBytes(copy.getValueAttr(), bytes));
      uint64_t offset = packer.place(bytes.size());
      offset = copy.getOffset().value_or(offset);
      uint64_t end = offset + bytes.size();
      if (end > std::numeric_limits<uint32_t>::max())
        return rt::badData("constants end at byte {}, the HAL allows {}", end,
                           std::numeric_limits<uint32_t>::max());
      if (end > model.operandValues.size())
        model.operandValues.resize(end);
      std::copy(bytes.begin(), bytes.end(),
                model.operandValues.begin() + offset);
      subgraph.operands[number].location = {0, uint32_t(offset),
                                            uint32_t(bytes.size())};
    }
  }
  return rt::Status::ok();
}

void ModelExporter::exportAnnotations(GraphOp graph) {
  auto toStrings = [](ArrayAttr names) {
    std::vector<std::string> strings;
    for (Attribute name : names)
      strings.push_back(cast<StringAttr>(name).getValue().str());
    return strings;
  };
  if (graph.getInputNames())
    annotated.inputNames = toStrings(*graph.getInputNames());
  if (graph.getOutputNames())
    annotated.outputNames = toStrings(*graph.getOutputNames());
  if (!graph.getStatePairs())
    return;
  ArrayRef<int32_t> pairs = *graph.getStatePairs();
  for (size_t i = 0; i < pairs.size(); i += 2)
    annotated.statePairs.push_back(
        {uint32_t(pairs[i]), uint32_t(pairs[i + 1])});
}

rt::Result<rt::AnnotatedModel>
nnhal::exportModel(Operation *op, const ModelExportOptions &options) {
  if (auto model = dyn_cast<ModelOp>(op))
    return ModelExporter(model, options).run();
  SmallVector<ModelOp> models;
  op->walk<WalkOrder::PreOrder>([&](ModelOp model) {
    models.push_back(model);
    return WalkResult::skip();
  });
  if (models.size() != 1)
    return rt::badData("the module holds {} nnhal.model operations, one is "
                       "needed",
                       models.size());
  return ModelExporter(models.front(), options).run();
}
