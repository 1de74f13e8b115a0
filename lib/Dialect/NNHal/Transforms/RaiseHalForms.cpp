//===- RaiseHalForms.cpp - Operations listed input by input ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What NNHal_FormOp says about each input is enough to read it. The rule of the
// operation has been checked: numbers and types of inputs are those of a form.
//
//===----------------------------------------------------------------------===//

#include "Raising.h"

#include "nnhal/Backend/Signatures/Contraction.h"
#include "nnhal/Backend/Signatures/Window.h"

#include "mlir/IR/OpDefinition.h"

#include <numeric>

using namespace nnhal;
using llvm::ArrayRef;
using llvm::SmallVector;
using mlir::Attribute;
using mlir::ShapedType;
using mlir::Type;
using mlir::Value;

namespace {
/// Reads the inputs of one operation from first to last.
class FormReader {
public:
  FormReader(Raising &raising, ArrayRef<HalInput> inputs,
             bool hasSpatialResult);

  void read();
  /// Replaces the operation by one of type \p name.
  void replace(mlir::OperationName name, llvm::StringRef segmentsName);
  /// Gives the operation, which stays in the HAL's form, pictures with channels
  /// last, too, where its layout is known to be NCHW.
  void keep();

private:
  /// Whether pads follow from a padding scheme.
  bool isImplicit() const { return places.has("padding scheme"); }
  bool readLayout() const;
  bool hasPicturesOfKnownRank() const;
  Value shapeWithChannelsLast(unsigned index);
  void readOperand(const HalInput &input);
  Attribute readAttribute(const HalInput &input);
  Attribute readFlag(const HalInput &input);
  Attribute readPads(const HalInput &input);
  Attribute readTransposedPads();
  Attribute readFactor();
  SmallVector<int64_t> readSize();
  SmallVector<int64_t> unitAxes();
  SmallVector<int64_t> reversedDimensions();

  Raising &raising;
  ArrayRef<HalInput> inputs;
  bool hasSpatialResult;
  /// The form that the use has.
  rt::InputPlaces places;
  bool isNchw = false;
  /// The next input of the HAL.
  unsigned at = 0;
  SmallVector<Value> operands;
  SmallVector<int32_t> segments;
  SmallVector<mlir::NamedAttribute> attributes;
  /// The type of a spatial result with channels last.
  Type spatialType;
};
} // namespace

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

FormReader::FormReader(Raising &raising, ArrayRef<HalInput> inputs,
                       bool hasSpatialResult)
    : raising(raising), inputs(inputs), hasSpatialResult(hasSpatialResult) {
  HalView view;
  if (rt::Status status = raising.getOperation().readHalForm(view);
      !status.isOk())
    raising.fail("{}", status.message());
  else
    places = rt::InputPlaces(view.getOperation());
}

bool FormReader::readLayout() const {
  size_t place = places.indexOf("layout");
  return place < raising.size() && raising.isNchw(unsigned(place));
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

void FormReader::readOperand(const HalInput &input) {
  if (input.kind == HalInput::variadic) {
    for (unsigned i = 0; i < countInputs(input, places, at); ++i)
      operands.push_back(raising.tensor(at + i));
    return;
  }
  bool isGiven = input.kind != HalInput::optional || raising.isGiven(at);
  segments.push_back(isGiven);
  if (isGiven)
    operands.push_back(
        raising.channelsLast(at, isNchw && input.kind == HalInput::spatial));
}

Attribute FormReader::readFlag(const HalInput &input) {
  mlir::Builder &builder = raising.getBuilder();
  if (input.kind == HalInput::flag)
    return builder.getBoolAttr(raising.flag(at));
  return builder.getBoolAttr(raising.integer(at) > 0);
}

/// A width and a height as [height, width] (M-075).
SmallVector<int64_t> FormReader::readSize() {
  return {raising.integer(at + 1), raising.integer(at)};
}

/// Every dimension of extent 1 goes where axes are left out (M-106).
SmallVector<int64_t> FormReader::unitAxes() {
  SmallVector<int64_t> axes;
  for (auto [axis, extent] :
       llvm::enumerate(Raising::shapeOf(operands.front()))) {
    if (ShapedType::isDynamic(extent))
      raising.fail("squeezing without axes needs known extents");
    if (extent == 1)
      axes.push_back(int64_t(axis));
  }
  return axes;
}

/// The permutation that stands for a left-out one (M-108).
SmallVector<int64_t> FormReader::reversedDimensions() {
  SmallVector<int64_t> permutation(Raising::shapeOf(operands.front()).size());
  std::iota(permutation.rbegin(), permutation.rend(), 0);
  return permutation;
}

/// The padding scheme SAME; of the schemes 0 to 2 only it pads (M-008).
constexpr int64_t samePadding = 1;

/// Pads as the decoder resolves them: [top, bottom, left, right]; nullopt where
/// the extents that they follow from are unknown.
static std::optional<SmallVector<int64_t>> resolvedPads(Raising &raising) {
  HalView view;
  if (!raising.getOperation().readHalForm(view).isOk())
    return std::nullopt;
  auto isKnown = [](const rt::TensorType &type) {
    return type.isRanked && type.rank() == 4 &&
           type.dimensions[1] != rt::unknownExtent &&
           type.dimensions[2] != rt::unknownExtent;
  };
  auto pads = [](const rt::Pads2D &pads) {
    return SmallVector<int64_t>{pads.top, pads.bottom, pads.left, pads.right};
  };
  const rt::OperationView &operation = view.getOperation();
  if (rt::Result<rt::ConvolutionForm> form = rt::decodeConvolution(operation);
      form.isOk()) {
    bool followFromInput =
        operation.type != rt::OperationType::TRANSPOSE_CONV_2D;
    if ((followFromInput && !isKnown(form->input)) ||
        !isKnown(operation.inputs[1].type))
      return std::nullopt;
    return pads(form->params.pads);
  }
  rt::Result<rt::PoolForm> form = rt::decodePool(operation);
  if (!form.isOk() || !isKnown(form->input))
    return std::nullopt;
  return pads(form->params.pads);
}

Attribute FormReader::readPads(const HalInput &input) {
  mlir::Builder &builder = raising.getBuilder();
  if (!isImplicit())
    return builder.getDenseI64ArrayAttr(
        {raising.integer(at + 2), raising.integer(at + 3), raising.integer(at),
         raising.integer(at + 1)});
  if (input.kind == HalInput::transposedPads)
    return readTransposedPads();
  int64_t scheme = raising.integer(at);
  if (raising.hasFailed() || scheme != samePadding)
    return builder.getDenseI64ArrayAttr({0, 0, 0, 0});
  std::optional<SmallVector<int64_t>> pads = resolvedPads(raising);
  return pads ? builder.getDenseI64ArrayAttr(*pads) : mlir::DenseI64ArrayAttr();
}

/// Pads that follow from a shape which the model gives. The type of the result
/// states its extents where it must have them, which the rule has checked if it
/// knew the extents of the input. An input whose extents an execution brings
/// may lead to another result, so that pads stand in its place.
Attribute FormReader::readTransposedPads() {
  mlir::Builder &builder = raising.getBuilder();
  SmallVector<int64_t> shape = raising.integers(at);
  int64_t scheme = raising.integer(at + 1);
  if (raising.hasFailed() || scheme != samePadding)
    return builder.getDenseI64ArrayAttr({0, 0, 0, 0});
  unsigned height = isNchw ? 2 : 1;
  auto input = Raising::shapeOf(operands.front());
  if (!ShapedType::isDynamic(input[1]) && !ShapedType::isDynamic(input[2])) {
    spatialType = withKnownExtents(spatialType,
                                   {ShapedType::kDynamic, shape[height],
                                    shape[height + 1], ShapedType::kDynamic});
    return nullptr;
  }
  std::optional<SmallVector<int64_t>> pads = resolvedPads(raising);
  if (!pads)
    raising.fail("padding SAME needs known extents of the filter or the input");
  else if (*llvm::min_element(*pads) < 0)
    raising.fail("padding SAME with a stride above the filter's extent needs "
                 "known extents of the input");
  return pads ? builder.getDenseI64ArrayAttr(*pads) : mlir::DenseI64ArrayAttr();
}

/// The factor by which a result differs from its operand, unless its type says
/// both extents.
Attribute FormReader::readFactor() {
  if (!raising.isReal(at)) {
    raising.integer(at);
    return nullptr;
  }
  float factor = raising.real(at);
  auto type = llvm::dyn_cast<mlir::RankedTensorType>(spatialType);
  if (type && !type.isDynamicDim(1) && !type.isDynamicDim(2))
    return nullptr;
  return raising.getBuilder().getF32FloatAttr(factor);
}

Attribute FormReader::readAttribute(const HalInput &input) {
  mlir::Builder &builder = raising.getBuilder();
  switch (input.kind) {
  case HalInput::integer:
    return builder.getI64IntegerAttr(raising.integer(at));
  case HalInput::real:
    return builder.getF32FloatAttr(raising.real(at));
  case HalInput::number:
    if (raising.isReal(at))
      return builder.getF32FloatAttr(raising.real(at));
    return builder.getI32IntegerAttr(int32_t(raising.integer(at)));
  case HalInput::flag:
  case HalInput::numberFlag:
  case HalInput::positiveFlag:
    return readFlag(input);
  case HalInput::unitAxes:
  case HalInput::permutation: {
    bool areAxes = input.kind == HalInput::unitAxes;
    SmallVector<int64_t> values;
    if (raising.isGiven(at))
      values = raising.integers(at);
    else
      values = areAxes ? unitAxes() : reversedDimensions();
    return builder.getDenseI64ArrayAttr(values);
  }
  case HalInput::integers:
  case HalInput::pairs:
    return builder.getDenseI64ArrayAttr(raising.integers(at));
  case HalInput::size:
    return builder.getDenseI64ArrayAttr(readSize());
  case HalInput::pads:
  case HalInput::transposedPads:
    return readPads(input);
  case HalInput::width:
  case HalInput::height:
    return readFactor();
  case HalInput::resultShape:
    raising.integers(at);
    return nullptr;
  case HalInput::resultCount:
    raising.integer(at);
    return nullptr;
  default:
    return enumeratorAttr(builder.getContext(), input.kind,
                          raising.integer(at));
  }
}

void FormReader::read() {
  raising.checkRanks();
  if (raising.hasFailed())
    return;
  isNchw = readLayout();
  if (hasSpatialResult)
    spatialType = raising.spatialResultType(isNchw);
  for (const HalInput &input : inputs) {
    if (raising.hasFailed())
      return;
    if (input.isOperand()) {
      readOperand(input);
    } else if (input.kind != HalInput::layout &&
               (raising.isGiven(at) || !input.fallback)) {
      if (Attribute attribute = readAttribute(input))
        attributes.push_back(
            raising.getBuilder().getNamedAttr(input.name, attribute));
    }
    at += countInputs(input, places, at);
  }
}

void FormReader::replace(mlir::OperationName name,
                         llvm::StringRef segmentsName) {
  if (!segmentsName.empty())
    attributes.push_back(raising.getBuilder().getNamedAttr(
        segmentsName, raising.getBuilder().getDenseI32ArrayAttr(segments)));
  raising.replaceForm(name, operands, attributes, isNchw && hasSpatialResult,
                      spatialType);
}

//===----------------------------------------------------------------------===//
// What stays in the HAL's form
//===----------------------------------------------------------------------===//

bool FormReader::hasPicturesOfKnownRank() const {
  OperationOp op = raising.getOperation();
  auto isKnown = [](Type type) {
    auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
    return tensor && tensor.getRank() == 4;
  };
  unsigned place = 0;
  for (const HalInput &input : inputs) {
    if (input.kind == HalInput::spatial &&
        !isKnown(op.getInputs()[place].getType()))
      return false;
    place += countInputs(input, places, place);
  }
  return !hasSpatialResult || isKnown(raising.resultType(0));
}

/// The shape of a picture that input \p index, an NCHW one, states; it may be
/// computed.
Value FormReader::shapeWithChannelsLast(unsigned index) {
  mlir::OpBuilder &builder = raising.getBuilder();
  mlir::Location location = raising.getOperation().getLoc();
  auto type = mlir::RankedTensorType::get({4}, builder.getI32Type());
  auto makeConstant = [&](ArrayRef<int32_t> values) -> Value {
    return ConstantOp::create(builder, location, type,
                              mlir::DenseElementsAttr::get(type, values));
  };
  Value shape = raising.getOperation().getInputs()[index];
  std::optional<SmallVector<int64_t>> known =
      integersOf(constantValueOf(shape));
  if (known && known->size() == 4)
    return makeConstant({int32_t((*known)[0]), int32_t((*known)[2]),
                         int32_t((*known)[3]), int32_t((*known)[1])});
  return GatherOp::create(builder, location, type, shape, /*axis=*/0,
                          makeConstant({0, 2, 3, 1}));
}

void FormReader::keep() {
  if (!readLayout() || !hasPicturesOfKnownRank())
    return;
  OperationOp op = raising.getOperation();
  mlir::OpBuilder &builder = raising.getBuilder();
  unsigned place = 0;
  for (const HalInput &input : inputs) {
    if (input.kind == HalInput::spatial)
      op->setOperand(place, raising.channelsLast(place, /*isNchw=*/true));
    place += countInputs(input, places, place);
  }
  auto isNhwc = ConstantCopyOp::create(
      builder, op.getLoc(), builder.getI8Type(), builder.getI8IntegerAttr(0),
      /*number=*/mlir::IntegerAttr(), /*offset=*/mlir::IntegerAttr());
  op->setOperand(unsigned(places.indexOf("layout")), isNhwc);
  if (auto shape = unsigned(places.indexOf("output shape"));
      places.has("output shape"))
    op->setOperand(shape, shapeWithChannelsLast(shape));
  if (!hasSpatialResult)
    return;
  mlir::Value result = op->getResult(0);
  result.setType(raising.spatialResultType(/*isNchw=*/true));
  Value stated = raising.channelsFirst(op);
  result.replaceAllUsesExcept(stated, stated.getDefiningOp());
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// Raises to an operation that is declared by NNHal_FormOp.
template <typename OpTy> static void raiseForm(Raising &raising) {
  FormReader reader(raising, OpTy::getHalInputs(), OpTy::hasSpatialResult);
  reader.read();
  llvm::StringRef segmentsName;
  if constexpr (OpTy::template hasTrait<
                    mlir::OpTrait::AttrSizedOperandSegments>())
    segmentsName = OpTy::getOperandSegmentSizeAttr();
  reader.replace(mlir::OperationName(OpTy::getOperationName(),
                                     raising.getBuilder().getContext()),
                 segmentsName);
  if (raising.hasFailed())
    reader.keep();
}

template <typename... OpTys> static void addRows(RaiseTable &table) {
  auto addRow = [&]<typename OpTy>() {
    if constexpr (requires { OpTy::getHalInputs(); })
      table.emplace(OpTy::getOperationCode(), raiseForm<OpTy>);
  };
  (addRow.template operator()<OpTys>(), ...);
}

void nnhal::addHalFormRows(RaiseTable &table) {
  addRows<
#define GET_OP_LIST
#include "nnhal/Dialect/NNHal/IR/NNHalOps.cpp.inc"
      >(table);
}
