//===- DetectionFormsTest.cpp - Operands of Detection operations and FILL -===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperationBuilder.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>

using namespace nnhal::rt;
using namespace nnhal::rt::testing;

namespace {

using enum OperandType;
using Op = OperationType;

constexpr OperandType tensorTypes[] = {
    TENSOR_FLOAT32,      TENSOR_FLOAT16,
    TENSOR_INT32,        TENSOR_BOOL8,
    TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED,
    TENSOR_QUANT8_SYMM,  TENSOR_QUANT8_SYMM_PER_CHANNEL,
    TENSOR_QUANT16_SYMM, TENSOR_QUANT16_ASYMM};

/// One input: a tensor without a value, or a scalar with one.
struct Operand {
  TensorType type;
  std::optional<double> value;
};

struct Use {
  std::vector<Operand> inputs;
  std::vector<TensorType> outputs;

  std::string since(Op operation) const {
    OperationBuilder builder(operation);
    for (const Operand &input : inputs)
      if (input.value)
        builder.tensor(input.type, {*input.value});
      else
        builder.tensor(input.type);
    for (const TensorType &output : outputs)
      builder.output(output);
    return builder.since();
  }
};

bool isByte(OperandType type) {
  return type == TENSOR_QUANT8_ASYMM || type == TENSOR_QUANT8_ASYMM_SIGNED;
}

/// A tensor of \p type, quantized in some way where that is needed.
TensorType some(OperandType type, std::vector<int64_t> shape) {
  TensorType result = tensorType(type, std::move(shape));
  if (type == TENSOR_QUANT8_SYMM_PER_CHANNEL)
    result.channelQuant = {std::vector<float>(4, 1.0f), 0};
  else if (isQuantized(type))
    result.scale = type == TENSOR_QUANT16_ASYMM ? 0.125f : 1.0f;
  return result;
}
TensorType open(OperandType type) {
  TensorType result = some(type, {});
  result.isRanked = false;
  return result;
}
/// Coordinates beside elements of \p type.
OperandType coordinates(OperandType type) {
  return isByte(type) ? TENSOR_QUANT16_ASYMM : type;
}

Operand integer(int32_t value) { return {tensorType(INT32, {}), value}; }
Operand boolean() { return {tensorType(BOOL, {}), 0.0}; }
/// A float scalar of the kind that goes with \p type.
Operand real(OperandType type, double value = 1.0) {
  return {tensorType(type == TENSOR_FLOAT16 ? FLOAT16 : FLOAT32, {}), value};
}
Operand integers(std::vector<int64_t> shape) {
  return {int32Tensor(std::move(shape)), {}};
}

/// Uses whose first input has \p rank dimensions, of which the first, or the
/// number of boxes, is \p first.
using Make = std::function<Use(OperandType, size_t rank, int64_t first)>;

std::vector<int64_t> shapeOf(std::vector<int64_t> shape, size_t rank) {
  shape.resize(rank, 2);
  return shape;
}

Use transform(OperandType type, size_t rank, int64_t boxes) {
  OperandType deltas =
      type == TENSOR_QUANT16_ASYMM ? TENSOR_QUANT8_ASYMM : type;
  return {{{some(type, shapeOf({boxes, 4}, rank)), {}},
           {some(deltas, {boxes, 8}), {}},
           integers({boxes}),
           {some(type, {2, 2}), {}}},
          {open(type)}};
}

Use nms(OperandType type, size_t rank, int64_t boxes) {
  OperandType places = coordinates(type);
  return {{{some(type, shapeOf({boxes, 3}, rank)), {}},
           {some(places, {boxes, 12}), {}},
           integers({boxes}),
           real(type),
           integer(-1),
           integer(0),
           real(type),
           real(type),
           real(type)},
          {open(type), open(places), open(TENSOR_INT32), open(TENSOR_INT32)}};
}

Use postprocessing(OperandType type, size_t rank, int64_t batches) {
  return {{{some(type, shapeOf({batches, 6, 3}, rank)), {}},
           {some(type, {batches, 6, 7}), {}},
           {some(type, {6, 4}), {}},
           real(type),
           real(type),
           real(type),
           real(type),
           boolean(),
           integer(3),
           integer(2),
           integer(1),
           real(type, 0.0),
           real(type, 0.5),
           boolean()},
          {open(type), open(type), open(TENSOR_INT32), open(TENSOR_INT32)}};
}

Use proposals(OperandType type, size_t rank, int64_t batches) {
  OperandType anchors = isByte(type) ? TENSOR_QUANT16_SYMM : type;
  TensorType anchor = some(anchors, {5, 4});
  if (isByte(type))
    anchor.scale = 0.125f;
  return {{{some(type, shapeOf({batches, 3, 4, 5}, rank)), {}},
           {some(type, {batches, 3, 4, 20}), {}},
           {anchor, {}},
           {some(coordinates(type), {batches, 2}), {}},
           real(type),
           real(type),
           integer(-1),
           integer(-1),
           real(type, 0.5),
           real(type),
           boolean()},
          {open(type), open(coordinates(type)), open(TENSOR_INT32)}};
}

Use roiPooling(OperandType type, size_t rank, int64_t boxes) {
  return {{{some(type, shapeOf({2, 8, 9, 3}, rank)), {}},
           {some(coordinates(type), {boxes, 4}), {}},
           integers({boxes}),
           integer(2),
           integer(3),
           real(type),
           real(type),
           boolean()},
          {open(type)}};
}

Use roiAlign(OperandType type, size_t rank, int64_t boxes) {
  Use use = roiPooling(type, rank, boxes);
  use.inputs.insert(use.inputs.end() - 1, {integer(0), integer(0)});
  return use;
}

struct Form {
  Op operation;
  Make make;
  size_t inputs;
  size_t outputs;
  std::map<OperandType, std::string> types;
  size_t rank;
  bool takesZeroSized;
};

const std::map<OperandType, std::string> scores = {
    {TENSOR_FLOAT32, "1.2"},
    {TENSOR_FLOAT16, "1.2"},
    {TENSOR_QUANT8_ASYMM, "1.2"},
    {TENSOR_QUANT8_ASYMM_SIGNED, "1.3"}};
const std::map<OperandType, std::string> boxes = {
    {TENSOR_FLOAT32, "1.2"},
    {TENSOR_FLOAT16, "1.2"},
    {TENSOR_QUANT16_ASYMM, "1.2"}};
const std::map<OperandType, std::string> floats = {{TENSOR_FLOAT32, "1.2"},
                                                   {TENSOR_FLOAT16, "1.2"}};

const Form forms[] = {
    // M-306
    {Op::AXIS_ALIGNED_BBOX_TRANSFORM, transform, 4, 1, boxes, 2, true},
    // M-309
    {Op::BOX_WITH_NMS_LIMIT, nms, 9, 4, scores, 2, true},
    // M-312
    {Op::DETECTION_POSTPROCESSING, postprocessing, 14, 4, floats, 3, false},
    // M-317
    {Op::GENERATE_PROPOSALS, proposals, 11, 3, scores, 4, false},
    // M-346
    {Op::ROI_ALIGN, roiAlign, 10, 1, scores, 4, true},
    // M-347
    {Op::ROI_POOLING, roiPooling, 8, 1, scores, 4, false},
};

class DetectionFormsTest : public ::testing::TestWithParam<Form> {
protected:
  std::string since(const Use &use) const {
    return use.since(GetParam().operation);
  }
  Use use(OperandType type = TENSOR_FLOAT32, int64_t first = 2) const {
    return GetParam().make(type, GetParam().rank, first);
  }
};
INSTANTIATE_TEST_SUITE_P(All, DetectionFormsTest, ::testing::ValuesIn(forms),
                         [](const auto &info) {
                           return std::string(nameOf(info.param.operation));
                         });

bool isVersion(const std::string &text) {
  return text.size() == 3 && text.starts_with("1.");
}

TEST_P(DetectionFormsTest, types) {
  const Form &form = GetParam();
  for (OperandType type : tensorTypes) {
    std::string found = since(use(type));
    auto wanted = form.types.find(type);
    if (wanted == form.types.end())
      EXPECT_FALSE(isVersion(found)) << nameOf(type) << " since " << found;
    else
      EXPECT_EQ(found, wanted->second) << nameOf(type);
  }
}

TEST_P(DetectionFormsTest, counts) {
  const Form &form = GetParam();
  Use right = use();
  EXPECT_EQ(right.inputs.size(), form.inputs);
  EXPECT_EQ(right.outputs.size(), form.outputs);
  EXPECT_EQ(since(right), "1.2");
  Use fewer = right, more = right;
  fewer.inputs.pop_back();
  more.inputs.push_back(boolean());
  EXPECT_TRUE(since(fewer).starts_with("found ")) << since(fewer);
  EXPECT_TRUE(since(more).starts_with("found ")) << since(more);
  fewer = more = right;
  fewer.outputs.pop_back();
  more.outputs.push_back(open(TENSOR_INT32));
  EXPECT_FALSE(isVersion(since(fewer)));
  EXPECT_FALSE(isVersion(since(more)));
}

TEST_P(DetectionFormsTest, ranks) {
  const Form &form = GetParam();
  for (size_t rank = 1; rank <= 5; ++rank) {
    std::string found = since(form.make(TENSOR_FLOAT32, rank, 2));
    EXPECT_EQ(isVersion(found), rank == form.rank)
        << "rank " << rank << ": " << found;
  }
}

TEST_P(DetectionFormsTest, zeroSizedInputs) {
  std::string found = since(use(TENSOR_FLOAT32, 0));
  EXPECT_EQ(isVersion(found), GetParam().takesZeroSized) << found;
}

// M-306: deltas beside quantized boxes are of either 8-bit type.
TEST(TransformTest, deltas) {
  Use use = transform(TENSOR_QUANT16_ASYMM, 2, 2);
  use.inputs[1].type = some(TENSOR_QUANT8_ASYMM_SIGNED, {2, 8});
  EXPECT_EQ(use.since(Op::AXIS_ALIGNED_BBOX_TRANSFORM), "1.2");
  use.inputs[1].type = some(TENSOR_QUANT16_ASYMM, {2, 8});
  EXPECT_EQ(use.since(Op::AXIS_ALIGNED_BBOX_TRANSFORM),
            "deltas type TENSOR_QUANT16_ASYMM is not among "
            "TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED");
}

// M-207: ratios are FLOAT16 beside TENSOR_FLOAT16 and FLOAT32 otherwise; boxes
// beside quantized features are TENSOR_QUANT16_ASYMM of scale 0.125 and zero
// point 0.
TEST(RoiAlignTest, ratiosAndBoxes) {
  auto message = [](const Use &use) { return use.since(Op::ROI_ALIGN); };
  for (auto [features, wrong] :
       {std::pair(TENSOR_FLOAT16, TENSOR_FLOAT32),
        std::pair(TENSOR_FLOAT32, TENSOR_FLOAT16),
        std::pair(TENSOR_QUANT8_ASYMM, TENSOR_FLOAT16)}) {
    Use use = roiAlign(features, 4, 2);
    EXPECT_EQ(message(use), "1.2");
    for (size_t ratio : {5, 6}) {
      Use other = use;
      other.inputs[ratio] = real(wrong);
      EXPECT_FALSE(isVersion(message(other))) << nameOf(features);
    }
  }
  Use use = roiAlign(TENSOR_QUANT8_ASYMM, 4, 2);
  use.inputs[1].type.scale = 0.25f;
  EXPECT_EQ(message(use),
            "rois scale 0.25 and zero point 0 must be 0.125 and 0");
  use = roiAlign(TENSOR_QUANT8_ASYMM, 4, 2);
  use.inputs[1].type.zeroPoint = 1;
  EXPECT_EQ(message(use),
            "rois scale 0.125 and zero point 1 must be 0.125 and 0");
  use.inputs[1].type = some(TENSOR_FLOAT32, {2, 4});
  EXPECT_EQ(message(use), "rois type TENSOR_FLOAT32 is not among "
                          "TENSOR_QUANT16_ASYMM");
}

// M-208: which of its numbers are positive.
TEST(RoiAlignTest, bounds) {
  auto with = [](size_t input, double value) {
    Use use = roiAlign(TENSOR_FLOAT32, 4, 2);
    use.inputs[input].value = value;
    return use.since(Op::ROI_ALIGN);
  };
  EXPECT_EQ(with(3, 1), "1.2");
  EXPECT_EQ(with(3, 0), "output height 0 must be positive");
  EXPECT_EQ(with(4, 0), "output width 0 must be positive");
  EXPECT_EQ(with(5, 0.5), "1.2");
  EXPECT_EQ(with(5, 0), "height ratio 0 must be positive");
  EXPECT_EQ(with(6, 0), "width ratio 0 must be positive");
  EXPECT_EQ(with(7, 0), "1.2");
  EXPECT_EQ(with(7, -1), "number of samples -1 must not be negative");
  EXPECT_EQ(with(8, -1), "number of samples -1 must not be negative");
  auto features = [](std::vector<int64_t> shape, int64_t boxes) {
    Use use = roiAlign(TENSOR_FLOAT32, 4, boxes);
    use.inputs[0].type.dimensions = std::move(shape);
    return use.since(Op::ROI_ALIGN);
  };
  EXPECT_EQ(features({1, 1, 1, 1}, 2), "1.2");
  EXPECT_EQ(features({1, 0, 1, 1}, 2), "features height 0 must be positive");
  EXPECT_EQ(features({1, 1, 0, 1}, 2), "features width 0 must be positive");
  EXPECT_EQ(features({1, 1, 1, 0}, 2), "features channels 0 must be positive");
  EXPECT_EQ(features({0, 1, 1, 1}, 2), "features batch 0 must be positive");
  // The number of boxes, which is that of results, may be 0.
  EXPECT_EQ(features({1, 1, 1, 1}, 0), "1.2");
}

// M-365: FILL takes extents and a value.
TEST(FillTest, forms) {
  auto since = [](std::vector<int64_t> extents, OperandType value,
                  OperandType output) {
    OperationBuilder builder(Op::FILL);
    std::vector<double> elements(extents.begin(), extents.end());
    builder.tensor(int32Tensor({int64_t(extents.size())}), elements);
    builder.tensor(tensorType(value, {}), {1.0});
    return builder.output(open(output)).since();
  };
  EXPECT_EQ(since({2, 3}, FLOAT32, TENSOR_FLOAT32), "1.3");
  EXPECT_EQ(since({2, 3}, FLOAT16, TENSOR_FLOAT16), "1.3");
  EXPECT_EQ(since({2, 3}, INT32, TENSOR_INT32), "1.3");
  for (OperandType output : tensorTypes)
    for (OperandType value : {FLOAT32, FLOAT16, INT32, BOOL}) {
      bool isLegal = (output == TENSOR_FLOAT32 && value == FLOAT32) ||
                     (output == TENSOR_FLOAT16 && value == FLOAT16) ||
                     (output == TENSOR_INT32 && value == INT32);
      EXPECT_EQ(isVersion(since({2}, value, output)), isLegal)
          << nameOf(output) << " of " << nameOf(value);
    }
  for (size_t rank = 1; rank <= 7; ++rank)
    EXPECT_EQ(since(std::vector<int64_t>(rank, 2), INT32, TENSOR_INT32), "1.3")
        << rank;
  OperationBuilder alone(Op::FILL);
  alone.tensor(int32Tensor({1}), {2});
  EXPECT_TRUE(alone.output(open(TENSOR_INT32)).since().starts_with("found "));
  OperationBuilder third(Op::FILL);
  third.tensor(int32Tensor({1}), {2}).int32(1).int32(1);
  EXPECT_TRUE(third.output(open(TENSOR_INT32)).since().starts_with("found "));
  OperationBuilder two(Op::FILL);
  two.tensor(int32Tensor({1}), {2}).int32(1).output(open(TENSOR_INT32));
  EXPECT_FALSE(isVersion(two.output(open(TENSOR_INT32)).since()));
}

} // namespace
