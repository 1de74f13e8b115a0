//===- PartitionModel.cpp - Shows how a model is divided ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DescribedDevice.h"

#include "Runtime/Partition/Explain.h"
#include "Runtime/Partition/StepModel.h"
#include "nnhal/Dialect/NNHal/IR/DiscardableAttributes.h"
#include "nnhal/Dialect/NNHal/IR/NNHalOps.h"
#include "nnhal/ModelIR/Model.h"
#include "nnhal/ModelIR/Passes.h"
#include "nnhal/Runtime/Partition.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"

namespace nnhal {
#define GEN_PASS_DEF_PARTITIONMODEL
#include "nnhal/ModelIR/Passes.h.inc"
} // namespace nnhal

using namespace mlir;
using namespace nnhal;

namespace {

class PartitionModel : public nnhal::impl::PartitionModelBase<PartitionModel> {
public:
  using Base::Base;
  void runOnOperation() override;

private:
  rt::Result<DescribedDevices> described() const;
  rt::Result<rt::PartitionPlan> plan(const rt::AnnotatedModel &model,
                                     const DescribedDevices &devices) const;
  LogicalResult replace(ModelOp source, const rt::AnnotatedModel &model,
                        const rt::PartitionPlan &plan);
};

} // namespace

rt::Result<DescribedDevices> PartitionModel::described() const {
  auto file = llvm::MemoryBuffer::getFile(devices, /*IsText=*/true);
  if (!file)
    return rt::Status(rt::StatusCode::invalidArgument,
                      file.getError().message());
  return readDevices((*file)->getBuffer());
}

rt::Result<rt::PartitionPlan>
PartitionModel::plan(const rt::AnnotatedModel &model,
                     const DescribedDevices &devices) const {
  std::vector<const rt::Device *> list;
  for (const auto &device : devices.devices)
    list.push_back(device.get());
  rt::PartitionOptions options;
  if (planner == "greedy")
    options.planner = rt::Planner::greedy;
  if (!devices.fallback)
    options.mode = rt::PartitionMode::withoutFallback;
  NNHAL_ASSIGN_OR_RETURN(
      rt::PartitionPlan made,
      rt::planPartition(model, list, devices.fallback, options));
  rt::findReasons(made, model, list);
  return made;
}

static DenseI32ArrayAttr numbers(Builder &builder,
                                 ArrayRef<uint32_t> operands) {
  return builder.getDenseI32ArrayAttr(
      SmallVector<int32_t>(operands.begin(), operands.end()));
}

/// Adds the attributes of step \p index to \p op.
static void annotate(ModelOp op, const rt::PartitionPlan &plan, size_t index,
                     const rt::partition::Boundary &boundary) {
  Builder builder(op.getContext());
  const rt::PartitionStep &step = plan.steps[index];
  op->setAttr(deviceAttrName,
              builder.getStringAttr(plan.candidates[step.device].name));
  op->setAttr(subgraphAttrName, builder.getI32IntegerAttr(step.subgraph));
  op->setAttr(sourceOperationsAttrName, numbers(builder, step.operations));
  op->setAttr(sourceInputsAttrName, numbers(builder, boundary.inputs));
  op->setAttr(sourceOutputsAttrName, numbers(builder, boundary.outputs));
  if (step.subgraph != 0)
    return;
  SmallVector<Attribute> reasons;
  for (uint32_t operation : step.operations)
    reasons.push_back(builder.getStringAttr(
        rt::toString(plan.assignments[operation].reason)));
  op->setAttr(reasonsAttrName, builder.getArrayAttr(reasons));
}

LogicalResult PartitionModel::replace(ModelOp source,
                                      const rt::AnnotatedModel &model,
                                      const rt::PartitionPlan &plan) {
  OpBuilder builder(source);
  for (auto [index, step] : llvm::enumerate(plan.steps)) {
    if (step.kind != rt::PartitionStep::Kind::execute)
      continue;
    const rt::Subgraph &subgraph =
        step.subgraph == 0 ? model.model.main
                           : model.model.referenced[step.subgraph - 1];
    rt::partition::Boundary boundary =
        rt::partition::boundaryOf(subgraph, step.operations);
    rt::AnnotatedModel part = rt::partition::extractStep(
        model, step.subgraph, step.operations, boundary);
    ModelImportOptions options;
    options.name = ("step" + Twine(index)).str();
    OwningOpRef<ModuleOp> imported =
        importModel(part, source.getContext(), options);
    if (!imported)
      return failure();
    auto op = *imported->getOps<ModelOp>().begin();
    op->remove();
    builder.insert(op);
    annotate(op, plan, index, boundary);
    ++numSteps;
  }
  SmallVector<StringRef> lines;
  std::string text = rt::partition::describeSteps(model, plan);
  StringRef(text).trim().split(lines, '\n');
  getOperation()->setAttr(planAttrName, builder.getStrArrayAttr(lines));
  source.erase();
  return success();
}

void PartitionModel::runOnOperation() {
  auto models = llvm::to_vector(getOperation().getOps<ModelOp>());
  if (models.size() != 1) {
    getOperation().emitError("expected one nnhal.model, found ")
        << models.size();
    return signalPassFailure();
  }
  ModelOp source = models.front();
  if (planner != "least-cost" && planner != "greedy") {
    source.emitError("planner '") << planner << "' is not least-cost or greedy";
    return signalPassFailure();
  }
  auto stated = described();
  if (!stated.isOk()) {
    source.emitError("devices '")
        << devices << "': " << stated.status().message();
    return signalPassFailure();
  }
  auto model = exportModel(source);
  if (!model.isOk()) {
    source.emitError(model.status().message());
    return signalPassFailure();
  }
  auto made = plan(*model, *stated);
  if (!made.isOk()) {
    source.emitError(made.status().message());
    return signalPassFailure();
  }
  if (failed(replace(source, *model, *made)))
    signalPassFailure();
}
