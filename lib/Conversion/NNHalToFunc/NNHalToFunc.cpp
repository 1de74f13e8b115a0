//===- NNHalToFunc.cpp - Main graph to function ---------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Conversion/NNHalToFunc.h"

#include "InlineGraph.h"

#include "nnhal/Dialect/NNHal/IR/OperandTypes.h"
#include "nnhal/Dialect/Runtime/RuntimeOps.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace nnhal {
#define GEN_PASS_DEF_CONVERTNNHALGRAPHTOFUNC
#include "nnhal/Conversion/Passes.h.inc"

using namespace mlir;

namespace {
struct ConvertNNHalGraphToFuncPass
    : impl::ConvertNNHalGraphToFuncBase<ConvertNNHalGraphToFuncPass> {
  void runOnOperation() override;

private:
  LogicalResult convert(ModelOp model);
};
} // namespace

/// The buffers that stand for \p types; failure names the first input or output
/// (\p role) that has none.
static FailureOr<SmallVector<MemRefType>>
bufferTypes(GraphOp graph, StringRef role, ArrayRef<Type> types) {
  SmallVector<MemRefType> buffers;
  for (auto [index, type] : llvm::enumerate(types)) {
    MemRefType buffer = bufferTypeOf(type);
    if (!buffer)
      return graph.emitError(role)
             << " " << index << " of type " << type
             << " has no buffer: it must be a tensor of known rank";
    buffers.push_back(buffer);
  }
  return buffers;
}

/// Whether \p model has values of a quantized type. How their operations
/// compute is not relaxed, and once they are lowered nobody tells their sums of
/// f32 from those of others.
static bool hasQuantizedValues(ModelOp model) {
  auto isQuantized = [](Type type) {
    return isa<quant::QuantizedType>(getElementTypeOrSelf(type));
  };
  return model
      .walk([&](Operation *op) {
        bool hasOne = llvm::any_of(op->getOperandTypes(), isQuantized) ||
                      llvm::any_of(op->getResultTypes(), isQuantized);
        return hasOne ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

void ConvertNNHalGraphToFuncPass::runOnOperation() {
  ModuleOp module = getOperation();
  auto models = llvm::to_vector(module.getOps<ModelOp>());
  if (models.empty())
    return;
  if (models.size() > 1) {
    InFlightDiagnostic error = module.emitError("found ")
                               << models.size() << " models, expected one";
    error.attachNote(models[1].getLoc()) << "the second is here";
    return signalPassFailure();
  }
  if (failed(convert(models.front())))
    return signalPassFailure();
  models.front().erase();
}

/// Outputs of known extents are written where the caller wants them; if there
/// is one of unknown extents, all are handed over once they are computed, so
/// that the caller learns the extents of each.
LogicalResult ConvertNNHalGraphToFuncPass::convert(ModelOp model) {
  GraphOp graph = model.getMainGraph();
  if (Operation *other = getOperation().lookupSymbol("main")) {
    InFlightDiagnostic error = other->emitOpError(
        "has the name of the function that the main graph becomes");
    error.attachNote(graph.getLoc()) << "the graph is here";
    return error;
  }
  WalkResult references = model.walk([](ConstantReferenceOp reference) {
    reference.emitOpError("refers to a pool, which disappears with the model: "
                          "nnhal-raise-operations must run before");
    return WalkResult::interrupt();
  });
  if (references.wasInterrupted())
    return failure();
  auto inputs = bufferTypes(graph, "input", graph.getArgumentTypes());
  auto outputs = bufferTypes(graph, "output", graph.getResultTypes());
  if (failed(inputs) || failed(outputs))
    return failure();
  bool isStatic = llvm::all_of(
      *outputs, [](MemRefType type) { return type.hasStaticShape(); });
  SmallVector<Type> types(inputs->begin(), inputs->end());
  if (isStatic)
    types.append(outputs->begin(), outputs->end());

  ImplicitLocOpBuilder builder(graph.getLoc(), model);
  auto func =
      func::FuncOp::create(builder, "main", builder.getFunctionType(types, {}));
  func->setAttr(entryAttrName, builder.getUnitAttr());
  func->setAttr(inputCountAttrName, builder.getI64IntegerAttr(inputs->size()));
  func->setAttr(outputCountAttrName,
                builder.getI64IntegerAttr(isStatic ? outputs->size() : 0));
  if (model.getRelaxed() && !hasQuantizedValues(model))
    func->setAttr(relaxedAttrName, builder.getUnitAttr());
  Block *body = func.addEntryBlock();
  builder.setInsertionPointToStart(body);

  SmallVector<Value> values;
  for (auto [buffer, type] :
       llvm::zip(body->getArguments(), graph.getArgumentTypes()))
    values.push_back(readBuffer(builder, buffer, type));
  GraphInliner inliner(model, builder);
  FailureOr<SmallVector<Value>> results = inliner.inlineGraph(graph, values);
  if (failed(results))
    return failure();
  numGraphs += inliner.graphCount();
  numOutputs += isStatic ? 0 : results->size();
  for (auto [index, result] : llvm::enumerate(*results)) {
    if (isStatic)
      writeBuffer(builder, result, body->getArgument(inputs->size() + index));
    else
      runtime::DeliverOp::create(builder, storedValue(builder, result), index);
  }
  func::ReturnOp::create(builder);
  return success();
}

} // namespace nnhal
