//===- OutlineOperations.cpp - A function for each distinct operation -----===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Target/CPU/Passes.h"

#include "nnhal/Codegen/EntryFunction.h"
#include "nnhal/Dialect/Kernel/Kernel.h"
#include "nnhal/Dialect/NNHal/IR/Target.h"

#include "Codegen/CallConvention.h"
#include "Codegen/PassStep.h"
#include "KernelArguments.h"
#include "KernelContent.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>
#include <string>

namespace nnhal {
#define GEN_PASS_DEF_OUTLINEOPERATIONS
#include "nnhal/Target/CPU/Passes.h.inc"

using namespace mlir;

namespace {

/// The values that an operation uses from outside, and how its function gets
/// them.
struct OperationInterface {
  /// The first arguments.
  SmallVector<Value> buffers;
  SmallVector<Type> types;
  /// Constants that the function makes for itself; numbers of the layer come
  /// from arrays, which are its last arguments.
  SmallVector<Operation *> constants;
  SmallVector<arith::ConstantOp> numbers;
  SmallVector<DenseElementsAttr> arrays;
};

struct OutlineOperationsPass
    : impl::OutlineOperationsBase<OutlineOperationsPass> {
  void runOnOperation() override;

private:
  func::FuncOp outline(Operation *op, const OperationInterface &interface);
  void replaceByCall(Operation *op, const OperationInterface &interface,
                     KernelContent &content, NumberBuffers &buffers,
                     SymbolTable &symbols);

  func::FuncOp entry;
  /// By what the functions consist of.
  llvm::StringMap<func::FuncOp> functions;
  /// Behind which the next function stands.
  func::FuncOp last;
};

} // namespace

/// Whether \p value is the memory of a constant global under another type. What
/// that contains may bound addresses.
static bool viewsConstant(Value value) {
  while (auto view = value.getDefiningOp<ViewLikeOpInterface>())
    value = view.getViewSource();
  return value.getDefiningOp<memref::GetGlobalOp>() != nullptr;
}

/// Nothing where \p op uses what a function of its own could not have.
static std::optional<OperationInterface> interfaceOf(Operation *op) {
  KernelUses used;
  for (Value operand : op->getOperands())
    used[operand].push_back(op);
  visitUsedValuesDefinedAbove(op->getRegions(), [&](OpOperand *operand) {
    used[operand->get()].push_back(operand->getOwner());
  });
  OperationInterface interface;
  SmallVector<Operation *> constants;
  for (auto &[value, users] : used) {
    Operation *definition = value.getDefiningOp();
    if (isa_and_present<arith::ConstantOp, memref::GetGlobalOp>(definition)) {
      constants.push_back(definition);
      continue;
    }
    auto buffer = dyn_cast<MemRefType>(value.getType());
    if (!buffer || needsDescriptor(buffer) || buffer.getMemorySpace() ||
        viewsConstant(value))
      return std::nullopt;
    interface.buffers.push_back(value);
    interface.types.push_back(withoutOffset(buffer));
  }
  // Arrays have scalars, and a vector is none of them.
  if (!addressesByData(op))
    interface.numbers = findNumbers(constants, used);
  llvm::erase_if(interface.numbers, [](arith::ConstantOp number) {
    return isa<VectorType>(number.getType());
  });
  interface.arrays = toArrays(interface.numbers);
  for (Operation *constant : constants)
    if (!llvm::is_contained(interface.numbers, constant))
      interface.constants.push_back(constant);
  return interface;
}

/// Moves \p op into a function of its own, behind those that there are.
func::FuncOp
OutlineOperationsPass::outline(Operation *op,
                               const OperationInterface &interface) {
  OpBuilder builder(&getContext());
  builder.setInsertionPointAfter(last);
  SmallVector<Type> types(interface.types);
  for (DenseElementsAttr array : interface.arrays)
    types.push_back(bufferTypeOf(array));
  auto function = func::FuncOp::create(builder, op->getLoc(), "operation",
                                       builder.getFunctionType(types, {}));
  function.setPrivate();
  function->setAttr(
      linkageAttrName,
      LLVM::LinkageAttr::get(&getContext(), LLVM::linkage::Linkage::Internal));
  auto arrays = static_cast<int64_t>(interface.arrays.size());
  function->setAttr(numberArraysAttrName, builder.getI64IntegerAttr(arrays));
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToStart(body);
  ValueRange arguments = body->getArguments();
  IRMapping mapping;
  mapping.map(interface.buffers, arguments.drop_back(arrays));
  for (Operation *constant : interface.constants)
    builder.clone(*constant, mapping);
  for (auto [number, load] : llvm::zip_equal(
           interface.numbers,
           loadsOf(interface.numbers, arguments.take_back(arrays), builder)))
    mapping.map(number->getResult(0), load->getResult(0));
  auto end = func::ReturnOp::create(builder, op->getLoc());
  op->moveBefore(end);
  op->walk([&](Operation *inner) {
    for (OpOperand &operand : inner->getOpOperands())
      if (Value inside = mapping.lookupOrNull(operand.get()))
        operand.set(inside);
  });
  return function;
}

/// Moves \p op into a function, unless there is an equal one, and calls that.
void OutlineOperationsPass::replaceByCall(Operation *op,
                                          const OperationInterface &interface,
                                          KernelContent &content,
                                          NumberBuffers &buffers,
                                          SymbolTable &symbols) {
  Location loc = op->getLoc();
  OpBuilder builder(&getContext());
  builder.setInsertionPointAfter(op);
  func::FuncOp function = outline(op, interface);
  std::optional<std::string> key = content.keyOf(function);
  func::FuncOp equal = key ? functions.lookup(*key) : func::FuncOp();
  if (equal) {
    function.erase();
    function = equal;
    ++numShared;
  } else {
    // Another function may have that name.
    symbols.insert(function, Block::iterator(function));
    last = function;
    if (key) {
      functions[*key] = function;
      function->setAttr(operationAttrName, builder.getStringAttr(*key));
    }
    ++numOutlined;
  }
  SmallVector<Value> operands;
  for (auto [buffer, type] :
       llvm::zip_equal(interface.buffers, interface.types))
    operands.push_back(toArgument(buffer, type, builder));
  for (DenseElementsAttr array : interface.arrays)
    operands.push_back(buffers.get(array, builder));
  func::CallOp::create(builder, loc, function, operands);
}

/// What else decides what becomes of operations in \p module.
static std::string contextOf(ModuleOp module) {
  std::string text = "operation\n";
  llvm::raw_string_ostream stream(text);
  if (TargetAttr target = findTarget(module))
    stream << target;
  return text;
}

void OutlineOperationsPass::runOnOperation() {
  FailureOr<func::FuncOp> found = findEntryFunction(getOperation());
  if (failed(found))
    return signalPassFailure();
  entry = last = *found;
  if (!entry)
    return;
  functions.clear();
  SymbolTable symbols(getOperation());
  std::string context = contextOf(getOperation());
  KernelContent content(symbols, context);
  NumberBuffers buffers(entry, symbols);
  SmallVector<Operation *> operations;
  for (Block &block : entry.getBody())
    for (Operation &op : block)
      if (isa<kernel::KernelOpInterface, linalg::LinalgOp>(op) &&
          op.getNumResults() == 0)
        operations.push_back(&op);
  for (Operation *op : operations)
    runStep(op, [&] {
      if (std::optional<OperationInterface> interface = interfaceOf(op))
        replaceByCall(op, *interface, content, buffers, symbols);
    });
}

} // namespace nnhal
