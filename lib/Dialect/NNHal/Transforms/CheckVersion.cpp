//===- CheckVersion.cpp - What a HAL version cannot hold ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Dialect/NNHal/Transforms/Passes.h"

#include "Runtime/Support/Errors.h"
#include "nnhal/Backend/Signatures.h"
#include "nnhal/Dialect/NNHal/IR/NNHalOps.h"
#include "nnhal/Dialect/NNHal/IR/OperandTypes.h"

#include "llvm/ADT/DenseMap.h"

#include <deque>

namespace nnhal {
#define GEN_PASS_DEF_CHECKVERSION
#include "nnhal/Dialect/NNHal/Transforms/Passes.h.inc"
} // namespace nnhal

using namespace mlir;
using namespace nnhal;
using rt::HalVersion;

namespace {
/// A version and what of an operation of the IR needs it.
struct Need {
  HalVersion version = HalVersion::V1_0;
  std::string what;

  /// Keeps the higher one; on a tie the one that was there.
  void add(HalVersion other, std::string text) {
    if (what.empty() || other > version)
      *this = {other, std::move(text)};
  }
};

/// Reads the operations of one model as rt::checkOperation() wants them.
class ModelReader {
public:
  explicit ModelReader(ModelOp model);

  /// What \p op, one of a graph, needs; invalidArgument where no version holds
  /// it.
  rt::Result<Need> needOf(Operation &op);
  rt::Result<Need> needOfGraph(GraphOp graph);
  Need needOfPool(PoolOp pool);

private:
  rt::Status addType(Type type, std::string name, Need &need);
  rt::Status addOperation(OperationOp op, Need &need);
  rt::Result<rt::OperandView> viewOf(Value value);
  std::optional<std::span<const std::byte>> bytesOf(Operation *op);
  std::optional<std::span<const std::byte>> bytesOf(Attribute value);

  ModelOp model;
  std::vector<rt::ExtensionNameAndPrefix> extensions;
  /// Bytes of attributes that have none to borrow; a deque keeps them in place.
  DenseMap<Attribute, std::span<const std::byte>> expanded;
  std::deque<std::vector<uint8_t>> storage;
};
} // namespace

ModelReader::ModelReader(ModelOp model) : model(model) {
  if (!model.getExtensionNames())
    return;
  for (auto [name, prefix] :
       llvm::zip(*model.getExtensionNames(), *model.getExtensionPrefixes()))
    extensions.push_back(
        {cast<StringAttr>(name).getValue().str(), uint16_t(prefix)});
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

std::optional<std::span<const std::byte>>
ModelReader::bytesOf(Attribute value) {
  if (std::optional<ArrayRef<char>> data = borrowBytes(value))
    return std::as_bytes(std::span(data->data(), data->size()));
  auto known = expanded.find(value);
  if (known != expanded.end())
    return known->second;
  std::vector<uint8_t> bytes;
  if (!appendBytes(value, bytes).isOk())
    return std::nullopt;
  storage.push_back(std::move(bytes));
  return expanded[value] = std::as_bytes(std::span(storage.back()));
}

/// The bytes of the constant \p op; nullopt where they are not at hand.
std::optional<std::span<const std::byte>> ModelReader::bytesOf(Operation *op) {
  if (auto copy = dyn_cast_if_present<ConstantCopyOp>(op))
    return bytesOf(copy.getValueAttr());
  auto reference = dyn_cast_if_present<ConstantReferenceOp>(op);
  if (!reference)
    return std::nullopt;
  auto pool = model.lookupSymbol<PoolOp>(reference.getPool());
  if (!pool || !pool.getValue())
    return std::nullopt;
  std::optional<std::span<const std::byte>> bytes = bytesOf(*pool.getValue());
  uint64_t length = reference.getLength().value_or(
      byteSizeOfType(reference.getResult().getType()).value_or(0));
  uint64_t offset = reference.getOffset();
  if (!bytes || offset > bytes->size() || length > bytes->size() - offset)
    return std::nullopt;
  return bytes->subspan(offset, length);
}

rt::Result<rt::OperandView> ModelReader::viewOf(Value value) {
  NNHAL_ASSIGN_OR_RETURN(rt::Operand operand,
                         operandOfType(value.getType(), extensions));
  rt::OperandView view;
  view.type = rt::TensorType::of(operand);
  if (rt::isScalar(operand.type))
    view.type.isRanked = true;
  view.isOmitted = value.getDefiningOp<NoValueOp>() != nullptr;
  view.value = bytesOf(value.getDefiningOp());
  return view;
}

//===----------------------------------------------------------------------===//
// Versions
//===----------------------------------------------------------------------===//

/// A type needs the version that introduced it, an unknown rank HAL 1.2 (A-022,
/// B-001, B-013).
rt::Status ModelReader::addType(Type type, std::string name, Need &need) {
  NNHAL_ASSIGN_OR_RETURN(rt::Operand operand, operandOfType(type, extensions));
  if (rt::isExtension(operand.type)) {
    need.add(HalVersion::V1_2, fmt::format("the extension type of {}", name));
    return rt::Status::ok();
  }
  const rt::OperandTypeInfo *info = rt::lookUp(operand.type);
  if (!info)
    return rt::badData("code {} is not an operand type",
                       uint32_t(operand.type));
  if (info->isTensor && operand.dimensions.empty())
    need.add(HalVersion::V1_2, fmt::format("the unknown rank of {}", name));
  need.add(info->since, fmt::format("type {} of {}", info->name, name));
  return rt::Status::ok();
}

rt::Status ModelReader::addOperation(OperationOp op, Need &need) {
  std::string name = op.getHalName();
  const rt::OperationInfo *info = op.getHalOperation().getInfo();
  if (!info) {
    // B-032, B-033: OEM operations always were, extensions came with 1.2.
    bool isExtension = op.getHalOperation().isExtension();
    need.add(isExtension ? HalVersion::V1_2 : HalVersion::V1_0, name);
    return rt::Status::ok();
  }
  need.add(info->since, name);
  rt::OperationView view;
  view.type = info->type;
  for (Value input : op.getInputs()) {
    NNHAL_ASSIGN_OR_RETURN(rt::OperandView operand, viewOf(input));
    view.inputs.push_back(std::move(operand));
  }
  for (Value output : op->getResults()) {
    NNHAL_ASSIGN_OR_RETURN(rt::OperandView operand, viewOf(output));
    view.outputs.push_back(std::move(operand));
  }
  NNHAL_ASSIGN_OR_RETURN(rt::OperationFacts facts, rt::checkOperation(view));
  need.add(facts.since, fmt::format("this use of {}", name));
  return rt::Status::ok();
}

rt::Result<Need> ModelReader::needOf(Operation &op) {
  Need need;
  if (auto operation = dyn_cast<OperationOp>(op))
    NNHAL_RETURN_IF_ERROR(
        addOperation(operation, need).withContext(operation.getHalName()));
  for (OpResult result : op.getResults())
    NNHAL_RETURN_IF_ERROR(
        addType(result.getType(),
                op.getNumResults() == 1
                    ? std::string("the result")
                    : fmt::format("result {}", result.getResultNumber()),
                need));
  return need;
}

rt::Result<Need> ModelReader::needOfGraph(GraphOp graph) {
  Need need;
  if (!graph.isMain())
    need.add(HalVersion::V1_3, "a referenced subgraph");
  for (auto [index, type] : llvm::enumerate(graph.getArgumentTypes()))
    NNHAL_RETURN_IF_ERROR(addType(type, fmt::format("input {}", index), need));
  return need;
}

/// Hardware buffers came with HAL 1.2, other kinds of pools with 1.0 (B-074).
Need ModelReader::needOfPool(PoolOp pool) {
  Need need;
  StringRef kind = pool.getKind();
  need.add(kind.starts_with("hardware_buffer") ? HalVersion::V1_2
                                               : HalVersion::V1_0,
           fmt::format("a pool of kind {}", kind.str()));
  return need;
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct CheckVersionPass
    : public nnhal::impl::CheckVersionBase<CheckVersionPass> {
  using CheckVersionBase::CheckVersionBase;

  void runOnOperation() override {
    bool hasFailed = false;
    getOperation()->walk<WalkOrder::PreOrder>([&](ModelOp model) {
      hasFailed |= failed(checkModel(model));
      return WalkResult::skip();
    });
    if (hasFailed)
      return signalPassFailure();
    markAllAnalysesPreserved();
  }

private:
  LogicalResult checkModel(ModelOp model);
  void checkGraph(GraphOp graph, ModelReader &reader);
  void require(Operation *op, const rt::Result<Need> &need);

  HalVersion bound = HalVersion::V1_3;
  HalVersion lowest = HalVersion::V1_0;
  bool isLegal = true;
};
} // namespace

void CheckVersionPass::require(Operation *op, const rt::Result<Need> &need) {
  if (!need.isOk()) {
    op->emitError("no HAL version holds this: ") << need.status().message();
    isLegal = false;
    return;
  }
  lowest = std::max(lowest, need->version);
  StringRef version = rt::toString(need->version);
  if (report) {
    if (isa<OperationOp>(op) || need->version > HalVersion::V1_0)
      op->emitRemark(need->what) << " needs HAL " << version;
    return;
  }
  if (need->version <= bound)
    return;
  op->emitError(need->what)
      << " needs HAL " << version << ", the model is checked as "
      << StringRef(rt::toString(bound));
  isLegal = false;
}

void CheckVersionPass::checkGraph(GraphOp graph, ModelReader &reader) {
  require(graph, reader.needOfGraph(graph));
  for (Operation &op : graph.getBody().front().without_terminator()) {
    if (!isa<OperationOp, NoValueOp, SubgraphReferenceOp, ConstantCopyOp,
             ConstantReferenceOp>(op)) {
      op.emitError("is not of the NNAPI-shaped level, HAL versions are checked "
                   "before raising");
      isLegal = false;
      continue;
    }
    require(&op, reader.needOf(op));
  }
}

LogicalResult CheckVersionPass::checkModel(ModelOp model) {
  StringRef asked =
      version.empty() ? model.getHalVersion() : version.getValue();
  std::optional<HalVersion> parsed =
      rt::parseHalVersion(std::string_view(asked));
  if (!parsed)
    return model.emitError("HAL version \"")
           << asked << "\" is not one of 1.0 to 1.3";
  bound = *parsed;
  lowest = HalVersion::V1_0;
  isLegal = true;
  ModelReader reader(model);
  for (PoolOp pool : model.getOps<PoolOp>())
    require(pool, reader.needOfPool(pool));
  for (GraphOp graph : model.getOps<GraphOp>())
    checkGraph(graph, reader);
  if (isLegal && report)
    model.emitRemark("the lowest HAL version of the model is ")
        << StringRef(rt::toString(lowest));
  return success(isLegal);
}
