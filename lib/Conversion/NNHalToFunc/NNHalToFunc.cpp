//===- NNHalToFunc.cpp - Main graph to function -----------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Conversion/NNHalToFunc.h"

#include "nnhal/Dialect/NNHal/IR/NNHalOps.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"

namespace nnhal {
#define GEN_PASS_DEF_CONVERTNNHALGRAPHTOFUNC
#include "nnhal/Conversion/Passes.h.inc"

using namespace mlir;

namespace {
struct ConvertNNHalGraphToFuncPass
    : impl::ConvertNNHalGraphToFuncBase<ConvertNNHalGraphToFuncPass> {
  void runOnOperation() override;
};
} // namespace

/// The buffers that stand for \p types; failure names the first input or output
/// (\p role) that has none.
static LogicalResult appendBufferTypes(GraphOp graph, StringRef role,
                                       ArrayRef<Type> types,
                                       SmallVectorImpl<Type> &buffers) {
  for (auto [index, type] : llvm::enumerate(types)) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape() ||
        !MemRefType::isValidElementType(tensor.getElementType()))
      return graph.emitError(role)
             << " " << index << " of type " << type
             << " has no buffer: it must be a tensor of static shape";
    buffers.push_back(
        MemRefType::get(tensor.getShape(), tensor.getElementType()));
  }
  return success();
}

void ConvertNNHalGraphToFuncPass::runOnOperation() {
  ModuleOp module = getOperation();
  auto models = llvm::to_vector(module.getOps<ModelOp>());
  if (models.empty())
    return;
  if (models.size() > 1) {
    module.emitError("found ") << models.size() << " models, expected one";
    return signalPassFailure();
  }
  ModelOp model = models.front();
  GraphOp graph = model.getMainGraph();
  SmallVector<Type> types;
  if (failed(
          appendBufferTypes(graph, "input", graph.getArgumentTypes(), types)) ||
      failed(appendBufferTypes(graph, "output", graph.getResultTypes(), types)))
    return signalPassFailure();

  OpBuilder builder(model);
  auto func = func::FuncOp::create(builder, graph.getLoc(), "main",
                                   builder.getFunctionType(types, {}));
  unsigned inputCount = graph.getArgumentTypes().size();
  func->setAttr(entryAttrName, builder.getUnitAttr());
  func->setAttr(inputCountAttrName, builder.getI64IntegerAttr(inputCount));
  func->setAttr(outputCountAttrName,
                builder.getI64IntegerAttr(graph.getResultTypes().size()));
  Block *body = func.addEntryBlock();
  builder.setInsertionPointToStart(body);

  IRMapping mapping;
  for (auto [input, buffer] :
       llvm::zip(graph.getBody().getArguments(), body->getArguments()))
    mapping.map(input, bufferization::ToTensorOp::create(
                           builder, graph.getLoc(), input.getType(), buffer,
                           /*restrict=*/true));
  Block &graphBody = graph.getBody().front();
  for (Operation &op : graphBody.without_terminator())
    builder.clone(op, mapping);
  for (auto [index, output] :
       llvm::enumerate(graphBody.getTerminator()->getOperands()))
    bufferization::MaterializeInDestinationOp::create(
        builder, graph.getLoc(), /*result=*/Type(), mapping.lookup(output),
        body->getArgument(inputCount + index), /*restrict=*/true,
        /*writable=*/true);
  func::ReturnOp::create(builder, graph.getLoc());
  model.erase();
}

} // namespace nnhal
