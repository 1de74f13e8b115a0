//===- ConvolutionRaising.cpp - CONV_2D and FULLY_CONNECTED of 16 bits ----===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product is a convolution of one line, and a convolution in groups one for
// each group, between slices of the image and a concatenation.
//
//===----------------------------------------------------------------------===//

#include "ChannelSums.h"
#include "Raiser.h"

using namespace mlir;
using namespace nnhal;
using namespace nnhal::tflite;

namespace {

/// The operands behind those of windows.
enum ConvolutionOption : unsigned { fusedActivation = 6, firstDilation };

/// Reads one operation.
class Convolution : Raiser {
public:
  Convolution(OperationOp op, OpBuilder &builder)
      : Raiser(op, builder), filter(op.getInputs()[1]), bias(op.getInputs()[2]),
        result(op->getResult(0)) {}

  /// Whether windows, or rows of a product, are those of the image.
  bool readWindows();
  bool readProduct();
  /// Says why the operation is left to the runtime; the empty text where it is
  /// not. Windows have been read.
  StringRef whyCalled();
  Value build();

private:
  bool isFaster() const;
  bool paysPacking() const;
  Value buildGroups();

  Value filter, bias, result;
  Windows windows;
  /// The image as one line of a product.
  std::optional<int64_t> rows;
  int64_t groups = 1;
  std::vector<uint8_t> weights;
  ChannelSums sums;
  uint32_t activation = 0;
};

bool Convolution::readWindows() {
  std::optional<Windows> found = tflite::readWindows(op, firstDilation);
  std::optional<int64_t> code = integer(fusedActivation);
  if (!found || !code || !isActivation(*code) ||
      shapeOf(filter)[0] != shapeOf(result)[3])
    return false;
  activation = uint32_t(*code);
  windows = std::move(*found);
  // The filter of a group has the group's channels.
  int64_t channels = shapeOf(input)[3], own = shapeOf(filter)[3];
  if (own < 1 || channels % own != 0)
    return own == channels;
  groups = std::max<int64_t>(channels / own, 1);
  return shapeOf(filter)[0] % groups == 0;
}

bool Convolution::readProduct() {
  std::optional<ConnectedRows> product = readConnectedRows(op);
  if (!product)
    return false;
  rows = product->rows;
  activation = product->activation;
  windows = {{1, 1}, {1, 1}, {0, 0}, {}};
  return true;
}

bool Convolution::isFaster() const {
  // A micro-kernel computes a register of result channels at a time, of which
  // few leave most empty. The call multiplies along the input channels, after
  // it has gathered what lies under a window of several elements.
  int64_t channels = shapeOf(filter)[0] / groups;
  int64_t products = *elementsOf(shapeOf(filter)) / shapeOf(filter)[0];
  int64_t places = *elementsOf(shapeOf(result)) / shapeOf(filter)[0];
  bool isOne = products == shapeOf(filter).back();
  int64_t mostChannels = isOne ? 4 : 2, mostProducts = isOne ? 128 : 384;
  // A call takes two microseconds by itself.
  constexpr int64_t leastWork = 32768;
  return channels > mostChannels || products <= mostProducts ||
         places * products < leastWork;
}

/// Whether a filter that the model computes is packed in less time than the
/// kernels save.
bool Convolution::paysPacking() const {
  // A weight is packed in the time of some 40 products of the call, which takes
  // two microseconds by itself.
  constexpr int64_t leastPlaces = 48, mostWeights = 2048;
  int64_t places = *elementsOf(shapeOf(result)) / shapeOf(filter)[0];
  return places >= leastPlaces || *elementsOf(shapeOf(filter)) <= mostWeights;
}

StringRef Convolution::whyCalled() {
  bool isEmpty =
      elementsOf(shapeOf(input)) == 0 || elementsOf(shapeOf(filter)) == 0;
  if (isEmpty)
    return noElements;
  // Code for each group takes time to compile.
  constexpr int64_t mostGroups = 32;
  if (groups > mostGroups)
    return "it has more than 32 groups of channels";
  if (!isFaster())
    return "its result channels are too few for a register of sums";
  std::optional<std::vector<uint8_t>> bytes = constantBytes(filter);
  StringRef why =
      sums.readFactors(input, filter, bias, result, rows.has_value());
  if (why == otherTypes)
    return why;
  // A slice of a filter would need a part of its scales.
  if (!bytes && groups > 1)
    return computedFilter;
  if (!why.empty())
    return why;
  int64_t depth = shapeOf(filter).back();
  if (!bytes && !paysPacking())
    return "packing its filter takes longer than it saves";
  if (!bytes)
    return sums.readParts(
        *elementsOf(ArrayRef(shapeOf(filter)).drop_front().drop_back()), depth);
  weights = std::move(*bytes);
  return sums.readParts(weights, depth);
}

/// Each group is a convolution of its own channels.
Value Convolution::buildGroups() {
  Extents ohwi = shapeOf(filter), image = shapeOf(input), to = resultShape();
  ohwi[0] /= groups;
  to[3] /= groups;
  size_t size = weights.size() / size_t(groups);
  SmallVector<Value> parts;
  for (int64_t group = 0; group < groups; ++group) {
    Value own =
        weightConstant(builder, loc, ohwi,
                       ArrayRef(weights).slice(size_t(group) * size, size));
    parts.push_back(
        sums.build(builder, loc, typeOf(result, to),
                   slice(input, /*axis=*/3, group * ohwi[3], ohwi[3]), own,
                   windows, group * ohwi[0], activation));
  }
  return concatenate(parts, /*axis=*/3);
}

Value Convolution::build() {
  if (groups > 1)
    return buildGroups();
  RankedTensorType computed = resultType();
  Value source = input;
  if (rows) {
    source = reshape(input, {1, 1, *rows, shapeOf(filter)[1]});
    computed = typeOf(result, {1, 1, *rows, shapeOf(filter)[0]});
  }
  Value convolved = sums.build(builder, loc, computed, source, filter, windows,
                               /*first=*/0, activation);
  return reshape(convolved, resultShape());
}

} // namespace

FailureOr<Value> tflite::raiseConvolution(OperationOp op, OpBuilder &builder,
                                          StringRef &why) {
  bool isProduct = op.getHalOperation().getCode() == fullyConnectedCode;
  why = whyProductsAreCalled(op.getInputs()[0].getType(),
                             op.getInputs()[1].getType(),
                             op->getResult(0).getType());
  if (!why.empty())
    return failure();
  Convolution convolution(op, builder);
  why = (isProduct ? convolution.readProduct() : convolution.readWindows())
            ? convolution.whyCalled()
            : StringRef(misfit);
  if (!why.empty())
    return failure();
  return convolution.build();
}
