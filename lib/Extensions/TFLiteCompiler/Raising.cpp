//===- Raising.cpp - Operations of the extension to the dialect -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Raising.h"

#include "Bytes.h"

#include "nnhal/Dialect/NNHal/IR/HalForm.h"
#include "nnhal/Dialect/NNHal/IR/OperandTypes.h"

using namespace mlir;
using namespace nnhal;
using namespace nnhal::tflite;

namespace {

/// How many of an operation's operands are what, in their order.
struct Form {
  /// Tensors in front that only say where elements go.
  size_t front = 0;
  /// Tensors that the raised operation takes.
  size_t tensors = 0;
  /// Tensors that only say the shape of the result, or where elements go.
  size_t shapes = 0;
  size_t options = 0;

  size_t count() const { return front + tensors + shapes + options; }
  ValueRange tensorsOf(OperationOp op) const {
    return op.getInputs().slice(front, tensors);
  }
  SmallVector<Value> shapesOf(OperationOp op) const {
    SmallVector<Value> found(op.getInputs().take_front(front));
    llvm::append_range(found, op.getInputs().slice(front + tensors, shapes));
    return found;
  }
};

Form formOfFunction(Function function, size_t operands) {
  size_t tensors = inputsOf(function).value_or(operands);
  switch (function) {
  case Function::add:
  case Function::sub:
  case Function::mul:
  case Function::div:
  case Function::gelu:
  case Function::leaky_relu:
    return {0, tensors, 0, 1};
  case Function::broadcast_to:
    return {0, tensors, 1, 0};
  case Function::cast:
    return {0, tensors, 0, 2};
  default:
    return {0, tensors, 0, 0};
  }
}

/// Whether the option of \p function is a fused activation.
bool takesActivation(Function function) {
  return llvm::is_contained(
      {Function::add, Function::sub, Function::mul, Function::div}, function);
}

/// The function of operators that compute each element by itself.
std::optional<Function> functionOf(uint32_t number) {
  return number == selectCode ? Function::select_v2 : symbolizeFunction(number);
}

/// Nothing for operators that raisePlaces() does not take.
std::optional<Form> formOfPlaces(uint32_t number) {
  switch (number) {
  case rankCode:
  case zerosLikeCode:
  case matrixDiagCode:
    return Form{0, 1, 0, 0};
  case shapeCode:
    return Form{0, 1, 0, 1};
  case fillCode:
    return Form{1, 1, 0, 0};
  case argMaxCode:
  case argMinCode:
    return Form{0, 1, 1, 1};
  case gatherCode:
    return Form{0, 2, 0, 2};
  case gatherNdCode:
    return Form{0, 2, 0, 0};
  case oneHotCode:
    return Form{0, 4, 0, 1};
  default:
    return usesPlaces(number) ? std::optional(Form{0, 1, 1, 2}) : std::nullopt;
  }
}

bool isContraction(uint32_t number) {
  return llvm::is_contained({convolutionCode, depthwiseCode, fullyConnectedCode,
                             transposedCode, matMulCode},
                            number);
}

bool isReshape(uint32_t number) {
  return number == reshapeCode || number == squeezeCode ||
         number == expandDimsCode;
}

/// Nothing for what the runtime computes. \p operands are how many there are.
std::optional<Form> formOf(uint32_t number, size_t operands) {
  switch (number) {
  case squeezeCode:
    return Form{0, 1, 0, 0};
  case reshapeCode:
  case expandDimsCode:
  case padCode:
  case transposeCode:
  case reverseCode:
  case tileCode:
    return Form{0, 1, 1, 0};
  case concatenationCode:
  case packCode:
    return operands > 2 ? std::optional(Form{0, operands - 2, 0, 2})
                        : std::nullopt;
  case convolutionCode:
    return Form{0, 2, 1, 6};
  case depthwiseCode:
    return Form{0, 2, 1, 7};
  case fullyConnectedCode:
    return Form{0, 2, 1, 3};
  case transposedCode:
    return Form{1, 2, 1, 4};
  case matMulCode:
    return Form{0, 2, 0, 2};
  case depthToSpaceCode:
  case softmaxCode:
  case spaceToDepthCode:
    return Form{0, 1, 0, 1};
  case batchToSpaceCode:
  case spaceToBatchCode:
    return Form{0, 1, 2, 0};
  case padV2Code:
  case mirrorPadCode:
    return Form{0, 1, 1, 1};
  case averagePoolCode:
  case maxPoolCode:
    return Form{0, 1, 0, 6};
  case splitCode:
    return Form{1, 1, 0, 1};
  case sliceCode:
    return Form{0, 1, 2, 0};
  case stridedSliceCode:
    return Form{0, 1, 3, 6};
  case splitVCode:
    return Form{0, 1, 2, 1};
  case unpackCode:
    return Form{0, 1, 0, 2};
  default: {
    if (symbolizeReducer(number))
      return Form{0, 1, 1, 1};
    if (std::optional<Normalizer> normalizer = symbolizeNormalizer(number))
      return Form{0, 1, 0, *normalizer == Normalizer::l2 ? 1u : 0u};
    if (std::optional<Form> form = formOfPlaces(number))
      return form;
    std::optional<Function> function = functionOf(number);
    return function ? std::optional(formOfFunction(*function, operands))
                    : std::nullopt;
  }
  }
}

bool isKnown(Type type) {
  auto ranked = dyn_cast<RankedTensorType>(type);
  return ranked && ranked.hasStaticShape();
}

/// The condition of SELECT may have one element for each of the values' first
/// dimension, which is not how others broadcast.
bool broadcasts(OperationOp op) {
  if (op.getHalOperation().getCode() != selectCode)
    return true;
  auto condition = cast<RankedTensorType>(op.getInputs()[0].getType());
  auto values = cast<RankedTensorType>(op.getInputs()[1].getType());
  return condition.getRank() != 1 || values.getRank() == 1 ||
         condition.getNumElements() == 1;
}

/// Whether the second operand of \p op, if it is a constant, gives the result's
/// shape. The runtime has checked what a model states, but not what follows.
bool fitsShape(OperationOp op) {
  uint32_t number = op.getHalOperation().getCode();
  if (number != reshapeCode && number != expandDimsCode &&
      number != uint32_t(Function::broadcast_to))
    return true;
  SmallVector<int64_t> given = constantIntegers(op.getInputs()[1]);
  if (given.empty())
    return true;
  ArrayRef<int64_t> input =
      cast<RankedTensorType>(op.getInputs()[0].getType()).getShape();
  ArrayRef<int64_t> result =
      cast<RankedTensorType>(op->getResult(0).getType()).getShape();
  if (number == expandDimsCode) {
    std::optional<size_t> axis = resolveAxis(given.front(), input.size() + 1);
    if (given.size() != 1 || !axis)
      return false;
    SmallVector<int64_t> expanded(input);
    expanded.insert(expanded.begin() + int64_t(*axis), 1);
    // A scalar of the file may lose the dimension that stands for it.
    return result == ArrayRef(expanded) ||
           (input.size() == 1 && input[0] == 1 && result == input);
  }
  // Files state a scalar by a shape of one 0.
  if (number == reshapeCode && given.size() == 1 && given[0] == 0 &&
      elementsOf(input) == 1)
    given[0] = 1;
  // The number of elements, which is compared later, says what -1 stands for.
  auto *open = llvm::find(given, -1);
  if (number == reshapeCode && open != given.end() &&
      given.size() == result.size())
    *open = result[size_t(open - given.begin())];
  return result == ArrayRef(given);
}

/// Says why \p op is left to the runtime; the empty text where it is not.
StringRef whyCalled(OperationOp op, const Form &form) {
  uint32_t number = op.getHalOperation().getCode();
  bool isSplit =
      llvm::is_contained({splitCode, splitVCode, unpackCode}, number);
  if (op.getInputs().size() != form.count() ||
      (op->getNumResults() != 1 && !isSplit))
    return "it has not the operator's number of operands";
  for (Value input : form.tensorsOf(op))
    if (!isKnown(input.getType()) || input.getDefiningOp<NoValueOp>())
      return "extents are known to an execution only";
  if (!llvm::all_of(op->getResultTypes(), isKnown))
    return "extents are known to an execution only";
  for (Value shape : form.shapesOf(op))
    if (!definingConstant(shape) && !shape.getDefiningOp<NoValueOp>())
      return isContraction(number) && shape != op.getInputs()[0]
                 ? "the bias is computed"
                 : "the shape is computed";
  for (Value option : op.getInputs().take_back(form.options))
    if (!definingConstant(option))
      return "an option is not a constant";
  if (!broadcasts(op))
    return "the condition is for the first dimension";
  return fitsShape(op) ? StringRef() : StringRef(misfit);
}

bool isPool(uint32_t number) {
  return number == averagePoolCode || number == maxPoolCode;
}
Reducer reducerOfPool(uint32_t number) {
  return number == maxPoolCode ? Reducer::maximum : Reducer::mean;
}

/// The operands of a pool.
enum PoolOption : unsigned {
  strideWidth = 2,
  strideHeight,
  filterWidth,
  filterHeight,
  poolActivation
};

/// The options of a pool, of lines before columns.
struct PoolOptions {
  SmallVector<int64_t> filter, strides;
  uint32_t activation;
};

/// None where they are not those of windows in the input.
std::optional<PoolOptions> poolOptionsOf(OperationOp op) {
  SmallVector<int64_t> options;
  for (PoolOption option :
       {filterHeight, filterWidth, strideHeight, strideWidth, poolActivation}) {
    std::optional<int64_t> number = constantInteger(op.getInputs()[option]);
    if (!number)
      return std::nullopt;
    options.push_back(*number);
  }
  PoolOptions found = {
      {options[0], options[1]}, {options[2], options[3]}, uint32_t(options[4])};
  auto shapeOf = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getShape();
  };
  return isActivation(options[4]) && hasWindows(shapeOf(op.getInputs()[0]),
                                                shapeOf(op->getResult(0)),
                                                found.filter, found.strides)
             ? std::optional(std::move(found))
             : std::nullopt;
}

/// Builds a reduction, and where it keeps dimensions a reshape.
FailureOr<Value> buildReduction(OperationOp op, OpBuilder &builder,
                                Reducer reducer) {
  Value input = op.getInputs()[0];
  ArrayRef<int64_t> shape = cast<RankedTensorType>(input.getType()).getShape();
  SmallVector<int64_t> axes = constantIntegers(op.getInputs()[1]), kept;
  for (int64_t &axis : axes) {
    std::optional<size_t> place = resolveAxis(axis, shape.size());
    if (!place)
      return failure();
    axis = int64_t(*place);
  }
  llvm::sort(axes);
  axes.erase(llvm::unique(axes), axes.end());
  for (auto [axis, extent] : llvm::enumerate(shape))
    if (!llvm::is_contained(axes, int64_t(axis)))
      kept.push_back(extent);
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  std::optional<int64_t> count = elementsOf(kept);
  if (!count || count != elementsOf(result.getShape()))
    return failure();
  Value reduced =
      ReduceOp::create(builder, op.getLoc(),
                       RankedTensorType::get(kept, result.getElementType()),
                       reducer, input, axes);
  if (result.getShape() == ArrayRef(kept))
    return reduced;
  return Value(
      tflite::ReshapeOp::create(builder, op.getLoc(), result, reduced));
}

/// Whether \p function fails where a divisor is 0, which only the runtime's
/// half can report.
bool hasDivisors(Function function, Type type) {
  return llvm::is_contained(
             {Function::div, Function::floor_div, Function::floor_mod},
             function) &&
         classOf(type) != ElementClass::float32;
}

/// Whether \p value, whose extents are known, is a constant without a 0. That
/// is the zero point of bytes; wider numbers that are divided by have none.
bool isWithoutZeros(Value value) {
  Attribute constant = definingConstant(value);
  std::vector<uint8_t> bytes;
  if (!constant || !appendBytes(constant, bytes).isOk())
    return false;
  int64_t count = cast<RankedTensorType>(value.getType()).getNumElements();
  quant::UniformQuantizedType quantized = bytesOf(value.getType());
  auto zero = uint8_t(quantized ? quantized.getZeroPoint() : 0);
  for (int64_t index = 0; index < count; ++index) {
    auto element =
        ArrayRef(bytes).slice(bytes.size() / size_t(count) * size_t(index),
                              bytes.size() / size_t(count));
    if (llvm::all_of(element, [=](uint8_t byte) { return byte == zero; }))
      return false;
  }
  return true;
}

/// Builds the operation of \p function with its options, which are constants.
/// Fails where they are not those of the function.
FailureOr<Value> buildElementwise(OperationOp op, OpBuilder &builder,
                                  Function function, const Form &form) {
  int32_t activation = 0;
  bool isApproximate = false;
  APFloat alpha(0.0f);
  if (form.options == 1) {
    Attribute option = definingConstant(op.getInputs().back());
    auto real = dyn_cast<FloatAttr>(option);
    auto integer = dyn_cast<IntegerAttr>(option);
    if (function == Function::leaky_relu && real && real.getType().isF32())
      alpha = real.getValue();
    else if (function == Function::gelu && integer)
      isApproximate = !integer.getValue().isZero();
    else if (std::optional<int64_t> code =
                 constantInteger(op.getInputs().back());
             takesActivation(function) && code && isActivation(*code))
      activation = int32_t(*code);
    else
      return failure();
  }
  return Value(ElementwiseOp::create(builder, op.getLoc(),
                                     op->getResult(0).getType(), function,
                                     op.getInputs().take_front(form.tensors),
                                     activation, alpha, isApproximate));
}

/// The option of SOFTMAX; null where it is something else.
FloatAttr betaOf(OperationOp op) {
  auto beta = dyn_cast<FloatAttr>(definingConstant(op.getInputs().back()));
  return beta && beta.getType().isF32() ? beta : FloatAttr();
}

/// Says why \p op, which is not computed element by element, is left to the
/// runtime.
StringRef whyOtherIsCalled(OperationOp op, const Form &form) {
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  uint32_t number = op.getHalOperation().getCode();
  if (number == softmaxCode) {
    FloatAttr beta = betaOf(op);
    return beta ? whySoftmaxIsCalled(op.getInputs()[0].getType(),
                                     op->getResult(0).getType(),
                                     beta.getValue().convertToFloat())
                : StringRef(misfit);
  }
  if (symbolizeNormalizer(number))
    return whyNormalizeIsCalled(op.getInputs()[0].getType(),
                                op->getResult(0).getType());
  if (isPool(number)) {
    std::optional<PoolOptions> options = poolOptionsOf(op);
    return options
               ? whyPoolIsCalled(reducerOfPool(number),
                                 op.getInputs()[0].getType(),
                                 op->getResult(0).getType(), options->filter)
               : StringRef(misfit);
  }
  if (std::optional<Reducer> reducer = symbolizeReducer(number))
    return constantIntegers(op.getInputs()[1]).empty()
               ? StringRef(noPlace)
               : whyReduceIsCalled(*reducer, op.getInputs()[0].getType(),
                                   op->getResult(0).getType());
  for (Type type : llvm::concat<const Type>(form.tensorsOf(op).getTypes(),
                                            op->getResultTypes()))
    if (getElementTypeOrSelf(type) != element)
      return "the result has another type of elements";
  if (isReshape(number))
    return "";
  SmallVector<Value> places = form.shapesOf(op);
  // Options of others are integers too.
  if (number != padV2Code && number != stridedSliceCode)
    llvm::append_range(places, op.getInputs().take_back(form.options));
  for (Value place : places)
    if (constantIntegers(place).empty())
      return noPlace;
  return "";
}

FailureOr<SmallVector<Value>> single(FailureOr<Value> value) {
  if (failed(value))
    return failure();
  return SmallVector<Value>{*value};
}

/// Fails, and builds nothing, where options or shapes do not fit.
FailureOr<SmallVector<Value>> build(OperationOp op, OpBuilder &builder,
                                    const Form &form) {
  uint32_t number = op.getHalOperation().getCode();
  Type result = op->getResult(0).getType();
  if (number == softmaxCode)
    return single(Value(tflite::SoftmaxOp::create(builder, op.getLoc(), result,
                                                  op.getInputs().front(),
                                                  betaOf(op).getValue())));
  if (std::optional<Normalizer> normalizer = symbolizeNormalizer(number)) {
    // TensorFlow Lite takes no other activation.
    if (*normalizer == Normalizer::l2 &&
        constantInteger(op.getInputs().back()) != 0)
      return failure();
    return single(Value(tflite::NormalizeOp::create(
        builder, op.getLoc(), result, *normalizer, op.getInputs().front())));
  }
  if (isPool(number)) {
    std::optional<PoolOptions> options = poolOptionsOf(op);
    if (!options)
      return failure();
    return single(Value(tflite::PoolOp::create(
        builder, op.getLoc(), result, reducerOfPool(number),
        op.getInputs().front(), options->filter, options->strides,
        options->activation)));
  }
  if (std::optional<Reducer> reducer = symbolizeReducer(number))
    return single(buildReduction(op, builder, *reducer));
  if (isReshape(number)) {
    Value input = op.getInputs().front();
    std::optional<int64_t> count =
        elementsOf(cast<RankedTensorType>(input.getType()).getShape());
    if (!count ||
        count != elementsOf(cast<RankedTensorType>(result).getShape()))
      return failure();
    return single(
        Value(tflite::ReshapeOp::create(builder, op.getLoc(), result, input)));
  }
  if (std::optional<Function> function = functionOf(number))
    return single(buildElementwise(op, builder, *function, form));
  return raiseMovement(number, op, builder);
}

FailureOr<Value> raiseContraction(uint32_t number, OperationOp op,
                                  OpBuilder &builder, StringRef &why) {
  if (number == matMulCode)
    return raiseMatMul(op, builder, why);
  if (number == transposedCode)
    return raiseTransposed(op, builder, why);
  if (number == fullyConnectedCode &&
      integerFormOf(op.getInputs()[0].getType()) == IntegerForm{8, true})
    return raiseByteProduct(op, builder, why);
  return number == depthwiseCode ? raiseDepthwise(op, builder, why)
                                 : raiseConvolution(op, builder, why);
}

StringRef whyFunctionIsCalled(OperationOp op, const Form &form,
                              Function function) {
  ValueRange inputs = form.tensorsOf(op);
  StringRef why = whyElementwiseIsCalled(function, inputs.getTypes(),
                                         op->getResult(0).getType());
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  std::optional<SmallVector<int64_t>> shape;
  if (why.empty())
    shape = broadcastShape(function, inputs.getTypes(), result);
  if (why.empty() && (!shape || ArrayRef(*shape) != result.getShape()))
    why = misfit;
  // Others than ADD_N broadcast.
  if (why.empty() && function == Function::add_n &&
      llvm::any_of(inputs.getTypes(), [&](Type type) {
        return cast<RankedTensorType>(type).getShape() != result.getShape();
      }))
    why = misfit;
  if (why.empty() && hasDivisors(function, inputs[0].getType()) &&
      !isWithoutZeros(inputs[1]))
    why = "a divisor may be 0";
  return why;
}

} // namespace

FailureOr<SmallVector<Value>> TFLiteRaising::raise(OperationOp op,
                                                   OpBuilder &builder,
                                                   std::string &reason) const {
  uint32_t number = op.getHalOperation().getCode();
  std::optional<Form> form = formOf(number, op.getInputs().size());
  StringRef why = form ? whyCalled(op, *form) : "the runtime computes it";
  if (why.empty() && (usesPlaces(number) || isContraction(number))) {
    FailureOr<Value> raised = isContraction(number)
                                  ? raiseContraction(number, op, builder, why)
                                  : raisePlaces(number, op, builder, why);
    reason = why;
    return single(raised);
  }
  if (why.empty()) {
    std::optional<Function> function = functionOf(number);
    why = function ? whyFunctionIsCalled(op, *form, *function)
                   : whyOtherIsCalled(op, *form);
  }
  if (!why.empty()) {
    reason = why;
    return failure();
  }
  FailureOr<SmallVector<Value>> built = build(op, builder, *form);
  if (failed(built))
    reason = misfit;
  return built;
}

void TFLiteRaising::populateLowering(const TypeConverter &converter,
                                     RewritePatternSet &patterns,
                                     ConversionTarget &) const {
  populateByteProductLowering(converter, patterns);
  populateConvolutionLowering(converter, patterns);
  populateCumsumLowering(converter, patterns);
  populateDepthwiseLowering(converter, patterns);
  populateElementwiseLowering(converter, patterns);
  populateIndexingLowering(converter, patterns);
  populateMatMulLowering(converter, patterns);
  populateMovementLowering(converter, patterns);
  populateNormalizeLowering(converter, patterns);
  populatePoolLowering(converter, patterns);
  populateReduceLowering(converter, patterns);
  populateResizeLowering(converter, patterns);
  populateSoftmaxLowering(converter, patterns);
}
