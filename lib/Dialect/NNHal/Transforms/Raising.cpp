//===- Raising.cpp - One HAL operation while it is raised -----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Raising.h"

#include "Runtime/Support/Errors.h"
#include "nnhal/Dialect/NNHal/IR/OperandTypes.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Verifier.h"

#include <algorithm>

using namespace mlir;
using namespace nnhal;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// Values up to this size are copied into the attribute.
static constexpr size_t denseLimit = 1024;

/// \p data as a constant of storage type \p type. Large values refer to the
/// bytes of the pool, which the context keeps.
static Attribute sliceOf(Type type, ArrayRef<char> data, StringRef name) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  bool isSmall = data.size() <= denseLimit;
  auto dense = tensor ? tensor : RankedTensorType::get({1}, type);
  if (dense.getNumElements() == 0)
    return DenseElementsAttr::get(dense, ArrayRef<Attribute>());
  if (!isSmall)
    return DenseResourceElementsAttr::get(
        dense, name, UnmanagedAsmResourceBlob::allocateWithAlign(data, 1));
  auto elements = DenseElementsAttr::getFromRawBuffer(dense, data);
  return tensor ? Attribute(elements) : *elements.value_begin<Attribute>();
}

static Attribute referencedValue(ConstantReferenceOp reference) {
  auto pool = SymbolTable::lookupNearestSymbolFrom<PoolOp>(
      reference, reference.getPoolAttr());
  Type type = storageTypeOf(reference.getResult().getType());
  if (!pool || !pool.getValue() || !type)
    return nullptr;
  uint64_t length = byteSizeOfType(type).value_or(0);
  std::optional<ArrayRef<char>> bytes = borrowBytes(*pool.getValue());
  std::vector<uint8_t> expanded;
  if (!bytes) {
    if (!appendBytes(*pool.getValue(), expanded).isOk() ||
        expanded.size() > denseLimit)
      return nullptr;
    bytes = ArrayRef(reinterpret_cast<const char *>(expanded.data()),
                     expanded.size());
  }
  if (reference.getOffset() > bytes->size() ||
      length > bytes->size() - reference.getOffset())
    return nullptr;
  return sliceOf(type, bytes->slice(reference.getOffset(), length),
                 reference.getPool());
}

Attribute nnhal::constantValueOf(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto constant = dyn_cast_if_present<ConstantOp>(op))
    return constant.getValue();
  if (auto copy = dyn_cast_if_present<ConstantCopyOp>(op))
    return copy.getValueAttr();
  if (auto reference = dyn_cast_if_present<ConstantReferenceOp>(op))
    return referencedValue(reference);
  return nullptr;
}

rt::Status nnhal::settleConstants(OperationOp op, ConstantCache &constants) {
  for (auto [index, input] : llvm::enumerate(op->getOpOperands())) {
    Operation *definition = input.get().getDefiningOp();
    if (!isa_and_present<ConstantCopyOp, ConstantReferenceOp>(definition))
      continue;
    Type type = input.get().getType();
    if (isa<RankedTensorType>(type)) {
      // The bytes of elements whose size nobody has told are no elements.
      if (!storageTypeOf(type))
        continue;
      Raising raising(op, constants);
      Value value = raising.tensor(index);
      if (raising.hasFailed())
        return rt::badData("{}", raising.message());
      input.set(value);
    } else if (isa<ConstantReferenceOp>(definition)) {
      auto value = dyn_cast_if_present<TypedAttr>(constantValueOf(input.get()));
      if (!value)
        return rt::badData("the value of input {} is not available", index);
      OpBuilder builder(definition);
      input.set(ConstantCopyOp::create(builder, definition->getLoc(), type,
                                       value, IntegerAttr(), IntegerAttr()));
    }
  }
  return rt::Status::ok();
}

std::optional<SmallVector<int64_t>> nnhal::integersOf(Attribute value) {
  auto elements = dyn_cast_if_present<ElementsAttr>(value);
  if (!elements || !elements.getElementType().isSignlessInteger(32))
    return std::nullopt;
  std::vector<uint8_t> bytes;
  if (!appendBytes(elements, bytes).isOk())
    return std::nullopt;
  SmallVector<int64_t> integers;
  for (size_t i = 0; i + 4 <= bytes.size(); i += 4) {
    int32_t integer;
    std::copy_n(bytes.begin() + i, 4, reinterpret_cast<uint8_t *>(&integer));
    integers.push_back(integer);
  }
  return integers;
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

Raising::Raising(OperationOp op, ConstantCache &constants)
    : op(op), constants(constants), builder(op) {}

bool Raising::isGiven(unsigned index) {
  return index < size() && !op.getInputs()[index].getDefiningOp<NoValueOp>();
}

bool Raising::isReal(unsigned index) {
  return index < size() && isa<FloatType>(op.getInputs()[index].getType());
}

void Raising::checkRanks() {
  for (unsigned index = 0; index < size(); ++index)
    if (isGiven(index) &&
        isa<UnrankedTensorType>(op.getInputs()[index].getType()))
      fail("the rank of input {} is unknown", index);
}

Value Raising::tensor(unsigned index) {
  if (!isGiven(index)) {
    fail("input {} is left out", index);
    return nullptr;
  }
  Value value = op.getInputs()[index];
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type) {
    fail("the rank of input {} is unknown", index);
    return nullptr;
  }
  if (!isa_and_present<ConstantCopyOp, ConstantReferenceOp>(
          value.getDefiningOp()))
    return value;
  Value &cached = constants[value];
  if (cached)
    return cached;
  auto elements = dyn_cast_if_present<ElementsAttr>(constantValueOf(value));
  if (!elements) {
    fail("the value of input {} is not available", index);
    return nullptr;
  }
  // Beside the operand that it stands for, so that it dominates every user.
  OpBuilder beside(value.getDefiningOp());
  cached = ConstantOp::create(beside, value.getLoc(), type, elements);
  return cached;
}

Attribute Raising::constant(unsigned index) {
  if (!isGiven(index)) {
    fail("input {} is left out", index);
    return nullptr;
  }
  Attribute value = constantValueOf(op.getInputs()[index]);
  if (!value)
    fail("input {} is not a constant", index);
  return value;
}

int64_t Raising::integer(unsigned index) {
  Attribute value = constant(index);
  return value ? cast<IntegerAttr>(value).getInt() : 0;
}

float Raising::real(unsigned index) {
  Attribute value = constant(index);
  return value ? float(cast<FloatAttr>(value).getValueAsDouble()) : 0;
}

bool Raising::flag(unsigned index) {
  Attribute value = constant(index);
  return value && !cast<IntegerAttr>(value).getValue().isZero();
}

SmallVector<int64_t> Raising::integers(unsigned index) {
  Attribute value = constant(index);
  return value ? *integersOf(value) : SmallVector<int64_t>();
}

FlatSymbolRefAttr Raising::graph(unsigned index) {
  if (!isGiven(index)) {
    fail("input {} is left out", index);
    return nullptr;
  }
  auto reference = op.getInputs()[index].getDefiningOp<SubgraphReferenceOp>();
  if (!reference) {
    fail("input {} is no reference to a graph", index);
    return nullptr;
  }
  return reference.getGraphAttr();
}

Value Raising::channelsLast(unsigned index, bool isNchw) {
  Value value = tensor(index);
  if (!value || !isNchw)
    return value;
  auto type = cast<RankedTensorType>(value.getType());
  assert(type.getRank() == 4 && "rules demand that of images");
  ArrayRef<int64_t> shape = type.getShape();
  auto last = RankedTensorType::get({shape[0], shape[2], shape[3], shape[1]},
                                    type.getElementType());
  Value transposed = TransposeOp::create(builder, op.getLoc(), last, value,
                                         ArrayRef<int64_t>{0, 2, 3, 1});
  made.push_back(transposed.getDefiningOp());
  return transposed;
}

Value Raising::channelsFirst(Operation *created) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfter(created);
  Value picture = created->getResult(0);
  auto type = cast<RankedTensorType>(picture.getType());
  ArrayRef<int64_t> shape = type.getShape();
  auto first = RankedTensorType::get({shape[0], shape[3], shape[1], shape[2]},
                                     type.getElementType());
  return TransposeOp::create(builder, op.getLoc(), first, picture,
                             ArrayRef<int64_t>{0, 3, 1, 2});
}

ArrayRef<int64_t> Raising::shapeOf(Value value) {
  return value ? cast<RankedTensorType>(value.getType()).getShape()
               : ArrayRef<int64_t>();
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

Type Raising::spatialResultType(bool isNchw) {
  Type type = resultType(0);
  auto tensor = dyn_cast_if_present<RankedTensorType>(type);
  if (!isNchw || !tensor || tensor.getRank() != 4)
    return type;
  ArrayRef<int64_t> shape = tensor.getShape();
  return RankedTensorType::get({shape[0], shape[2], shape[3], shape[1]},
                               tensor.getElementType());
}

void Raising::replaceForm(OperationName name, ValueRange operands,
                          ArrayRef<NamedAttribute> attributes, bool isNchw,
                          Type spatialType) {
  if (hasFailed())
    return eraseMade();
  SmallVector<Type> types(op->getResultTypes());
  if (spatialType)
    types = {spatialType};
  OperationState state(op.getLoc(), name, operands, types, attributes);
  replaceBy(builder.create(state), isNchw);
}

void Raising::eraseMade() {
  for (Operation *operation : llvm::reverse(made))
    operation->erase();
  made.clear();
}

void Raising::replaceBy(Operation *created, bool isNchw) {
  made.push_back(created);
  Operation *last = created;
  if (isNchw && !hasFailed()) {
    last = channelsFirst(created).getDefiningOp();
    made.push_back(last);
  }
  // The rule of the operation has been checked; what the canonical level cannot
  // hold, such as a type, its verifier says.
  {
    ScopedDiagnosticHandler handler(
        op.getContext(), [&](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
            fail("{}", diagnostic.str());
          return success();
        });
    if (!hasFailed() && failed(mlir::verify(created)))
      fail("'{}' does not verify", created->getName().getStringRef().str());
    auto user = dyn_cast<SymbolUserOpInterface>(created);
    SymbolTableCollection symbols;
    if (user && !hasFailed() && failed(user.verifySymbolUses(symbols)))
      fail("'{}' does not verify", created->getName().getStringRef().str());
  }
  if (hasFailed())
    return eraseMade();
  op->replaceAllUsesWith(last->getResults());
  op.erase();
}
