//===- Folding.cpp - Constants that follow from constants -----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Models compute shapes from those of tensors by operators that move or join
// integers. Where extents are known these are constants, which operators that
// take shapes, axes and places are raised by.
//
//===----------------------------------------------------------------------===//

#include "Raising.h"
#include "TFLiteDialect.h"

#include "nnhal/Dialect/NNHal/IR/NNHalOps.h"
#include "nnhal/Dialect/NNHal/IR/OperandTypes.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace nnhal;
using namespace nnhal::tflite;

namespace {

/// Larger constants stay unfolded, as those of the HAL's operations do.
constexpr uint64_t mostBytes = 1024;

/// The elements of a constant of few bytes.
class ConstantElements {
public:
  /// None where \p value, of \p type, is not known or has too many bytes.
  static std::optional<ConstantElements> of(Attribute value, Type type) {
    std::optional<uint64_t> size = byteSizeOfType(type);
    ConstantElements found(type);
    if (!value || !size || *size > mostBytes ||
        !appendBytes(value, found.bytes).isOk() || found.bytes.size() != *size)
      return std::nullopt;
    return found;
  }

  ArrayRef<int64_t> getShape() const { return shape; }
  ArrayRef<uint8_t> at(ArrayRef<int64_t> position) const {
    auto place = size_t(linearize(position, computeStrides(shape)));
    return ArrayRef(bytes).slice(place * elementSize, elementSize);
  }

private:
  explicit ConstantElements(Type type)
      : shape(cast<RankedTensorType>(type).getShape()),
        elementSize(byteSizeOfType(getElementTypeOrSelf(type)).value_or(0)) {}

  SmallVector<int64_t> shape;
  size_t elementSize;
  std::vector<uint8_t> bytes;
};

using Position = ArrayRef<int64_t>;

} // namespace

/// A constant of \p type, whose element at each position is what \p elementAt
/// says; null where it would have too many bytes, or none.
static Attribute
assemble(Type type, llvm::function_ref<ArrayRef<uint8_t>(Position)> elementAt) {
  auto storage = dyn_cast_if_present<RankedTensorType>(storageTypeOf(type));
  std::optional<uint64_t> size = byteSizeOfType(type);
  if (!storage || !size || *size > mostBytes || *size == 0)
    return {};
  SmallVector<int64_t> strides = computeStrides(storage.getShape());
  SmallVector<char> bytes;
  for (int64_t index = 0; index < storage.getNumElements(); ++index)
    llvm::append_range(bytes, elementAt(delinearize(index, strides)));
  return DenseElementsAttr::getFromRawBuffer(storage, bytes);
}

Operation *TFLiteDialect::materializeConstant(OpBuilder &builder,
                                              Attribute value, Type type,
                                              Location location) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || !storageTypeOf(type))
    return nullptr;
  return ConstantOp::create(builder, location, type, elements);
}

//===----------------------------------------------------------------------===//
// ConstantElements that move
//===----------------------------------------------------------------------===//

OpFoldResult tflite::ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getInput().getType() == getResult().getType())
    return getInput();
  Attribute input = adaptor.getInput();
  auto storage =
      dyn_cast_if_present<RankedTensorType>(storageTypeOf(getType()));
  if (!storage)
    return {};
  if (auto dense = dyn_cast_if_present<DenseElementsAttr>(input))
    return dense.reshape(storage);
  if (auto resource = dyn_cast_if_present<DenseResourceElementsAttr>(input))
    return DenseResourceElementsAttr::get(storage, resource.getRawHandle());
  return {};
}

OpFoldResult tflite::SliceOp::fold(FoldAdaptor adaptor) {
  std::optional<ConstantElements> input =
      ConstantElements::of(adaptor.getInput(), getInput().getType());
  if (!input)
    return {};
  return assemble(getType(), [&](Position position) {
    SmallVector<int64_t> source;
    for (auto [offset, stride, index] :
         llvm::zip_equal(getOffsets(), getStrides(), position))
      source.push_back(offset + index * stride);
    return input->at(source);
  });
}

OpFoldResult ConcatenateOp::fold(FoldAdaptor adaptor) {
  SmallVector<ConstantElements> parts;
  for (auto [value, attribute] :
       llvm::zip_equal(getInputs(), adaptor.getInputs())) {
    std::optional<ConstantElements> part =
        ConstantElements::of(attribute, value.getType());
    if (!part)
      return {};
    parts.push_back(std::move(*part));
  }
  return assemble(getType(), [&](Position position) {
    SmallVector<int64_t> source(position);
    int64_t &index = source[getAxis()];
    const ConstantElements *part = parts.begin();
    while (index >= part->getShape()[getAxis()])
      index -= (part++)->getShape()[getAxis()];
    return part->at(source);
  });
}

OpFoldResult tflite::GatherOp::fold(FoldAdaptor adaptor) {
  std::optional<ConstantElements> input =
      ConstantElements::of(adaptor.getInput(), getInput().getType());
  SmallVector<int64_t> indices =
      integersOf(adaptor.getIndices(), getIndices().getType());
  // An index outside of the dimension ends the execution.
  int64_t extent = getInput().getType().getDimSize(unsigned(getAxis()));
  if (!input || indices.empty() || llvm::any_of(indices, [&](int64_t index) {
        return index < 0 || index >= extent;
      }))
    return {};
  ArrayRef<int64_t> shape = getIndices().getType().getShape();
  SmallVector<int64_t> strides = computeStrides(shape);
  size_t axis = getAxis(), batch = getBatch();
  size_t behind = axis + shape.size() - batch;
  return assemble(getType(), [&](Position position) {
    SmallVector<int64_t> place(position.take_front(batch));
    llvm::append_range(place, position.slice(axis, behind - axis));
    SmallVector<int64_t> source(position.take_front(axis));
    source.push_back(indices[size_t(linearize(place, strides))]);
    llvm::append_range(source, position.drop_front(behind));
    return input->at(source);
  });
}

//===----------------------------------------------------------------------===//
// Integers that are computed with
//===----------------------------------------------------------------------===//

static bool isInteger(Type type) {
  ElementClass found = classOf(type);
  return found == ElementClass::int32 || found == ElementClass::int64;
}

/// A constant of \p numbers, which wrap around where its elements are shorter.
static Attribute constantOf(Type type, ArrayRef<uint64_t> numbers) {
  auto storage = cast<RankedTensorType>(storageTypeOf(type));
  SmallVector<APInt> elements;
  for (uint64_t number : numbers)
    elements.emplace_back(storage.getElementTypeBitWidth(), number,
                          /*isSigned=*/false, /*implicitTrunc=*/true);
  return DenseElementsAttr::get(storage, elements);
}

/// Returns \p function of \p numbers; it is one of those that compute shapes.
static uint64_t evaluate(Function function, ArrayRef<uint64_t> numbers) {
  switch (function) {
  case Function::add:
    return numbers[0] + numbers[1];
  case Function::sub:
    return numbers[0] - numbers[1];
  case Function::mul:
    return numbers[0] * numbers[1];
  default:
    assert(function == Function::cast && "others are not folded");
    return numbers[0];
  }
}

OpFoldResult ElementwiseOp::fold(FoldAdaptor adaptor) {
  Function function = getFunction();
  std::optional<uint64_t> size = byteSizeOfType(getType());
  if (!llvm::is_contained(
          {Function::add, Function::sub, Function::mul, Function::cast},
          function) ||
      getActivation() != 0 || !isInteger(getType()) || !size ||
      *size > mostBytes)
    return {};
  SmallVector<SmallVector<int64_t>> inputs;
  for (auto [value, attribute] :
       llvm::zip_equal(getInputs(), adaptor.getInputs())) {
    inputs.push_back(integersOf(attribute, value.getType()));
    if (!isInteger(value.getType()) || inputs.back().empty())
      return {};
  }
  auto type = cast<RankedTensorType>(getType());
  SmallVector<int64_t> strides = computeStrides(type.getShape());
  SmallVector<uint64_t> results;
  for (int64_t index = 0; index < type.getNumElements(); ++index) {
    SmallVector<int64_t> position = delinearize(index, strides);
    SmallVector<uint64_t> numbers;
    for (auto [value, input] : llvm::zip_equal(getInputs(), inputs)) {
      ArrayRef<int64_t> shape =
          cast<RankedTensorType>(value.getType()).getShape();
      SmallVector<int64_t> source(ArrayRef(position).take_back(shape.size()));
      for (auto [place, extent] : llvm::zip_equal(source, shape))
        place = extent == 1 ? 0 : place;
      numbers.push_back(
          uint64_t(input[size_t(linearize(source, computeStrides(shape)))]));
    }
    results.push_back(evaluate(function, numbers));
  }
  return constantOf(type, results);
}

/// Folds sums and products of all elements, which are what shapes are computed
/// by.
OpFoldResult ReduceOp::fold(FoldAdaptor adaptor) {
  bool isSum = getReducer() == Reducer::sum;
  auto input = cast<RankedTensorType>(getInput().getType());
  SmallVector<int64_t> numbers = integersOf(adaptor.getInput(), input);
  if ((!isSum && getReducer() != Reducer::product) || numbers.empty() ||
      !isInteger(input) || classOf(getType()) != classOf(input) ||
      getAxes().size() != size_t(input.getRank()) ||
      numbers.size() * sizeof(int64_t) > mostBytes)
    return {};
  uint64_t result = isSum ? 0 : 1;
  for (int64_t number : numbers)
    result = isSum ? result + uint64_t(number) : result * uint64_t(number);
  return constantOf(getType(), result);
}
