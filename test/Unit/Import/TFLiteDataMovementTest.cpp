//===- TFLiteDataMovementTest.cpp - Operators that move elements ----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunTesting.h"

#include "Runtime/Support/Float16.h"

#include <numeric>

namespace nnhal::rt {
namespace {

using schema::Activation;

std::string text(Code code, const std::vector<TestInput> &inputs,
                 const TensorSpec &output = {{}}, const Options &made = {}) {
  std::string lines =
      toText(importBytes(operatorFile(code, inputs, {output}, made)));
  return lines.substr(0, lines.size() - 1);
}

TestInput computed(std::vector<int32_t> shape, Type type = Type::FLOAT32) {
  return {{std::move(shape), type}, {}};
}

//===----------------------------------------------------------------------===//
// STRIDED_SLICE
//===----------------------------------------------------------------------===//

struct SliceForm {
  std::vector<int32_t> begin, offsets, strides;
  int32_t beginMask = 0, endMask = 0, shrinkMask = 0;
};

/// A slice of {0, 1, 2, 3, 4, 5} or so, whose ends are offsets.
Numbers sliceByOffsets(const SliceForm &form, std::vector<int32_t> shape) {
  Numbers values(countOf(shape));
  std::iota(values.begin(), values.end(), 0);
  return run(Code::STRIDED_SLICE,
             {reals(std::move(shape), values), integersInput(form.begin),
              integersInput(form.offsets), integersInput(form.strides)},
             {}, options([&](Builder &b) {
               return schema::CreateStridedSliceOptions(b, form.beginMask,
                                                        form.endMask, 0, 0,
                                                        form.shrinkMask, true);
             }));
}

TEST(TFLiteDataMovementTest, offsetsCountFromWhereTheSliceBegins) {
  EXPECT_EQ(sliceByOffsets({{1}, {3}, {1}}, {6}), (Numbers{1, 2, 3}));
  // The begin is a place inside of the tensor first.
  EXPECT_EQ(sliceByOffsets({{-2}, {2}, {1}}, {6}), (Numbers{4, 5}));
  EXPECT_EQ(sliceByOffsets({{-9}, {2}, {1}}, {6}), (Numbers{0, 1}));
  EXPECT_EQ(sliceByOffsets({{3}, {2}, {1}, 1}, {6}), (Numbers{0, 1}));
  EXPECT_EQ(sliceByOffsets({{4}, {9}, {1}}, {6}), (Numbers{4, 5}));
  EXPECT_EQ(sliceByOffsets({{4}, {INT32_MAX}, {1}}, {6}), (Numbers{4, 5}));
  // Backward from an element, and from the last one.
  EXPECT_EQ(sliceByOffsets({{-2}, {-4}, {-2}}, {6}), (Numbers{4, 2}));
  EXPECT_EQ(sliceByOffsets({{9}, {-2}, {-1}}, {6}), (Numbers{5, 4}));
  EXPECT_EQ(sliceByOffsets({{1}, {-2}, {-1}, 1}, {6}), (Numbers{5, 4}));
  // A negative sum counts from the end, as an end without an offset does.
  EXPECT_EQ(sliceByOffsets({{1}, {-3}, {1}}, {6}), (Numbers{1, 2, 3}));
  EXPECT_EQ(sliceByOffsets({{1}, {-9}, {-1}}, {6}), (Numbers{1, 0}));
}

TEST(TFLiteDataMovementTest, offsetsBesideMasks) {
  // The end of the first dimension is masked, the second one is dropped.
  EXPECT_EQ(sliceByOffsets({{1, -1}, {0, 0}, {1, 1}, 0, 1, 2}, {3, 4}),
            (Numbers{7, 11}));
  EXPECT_EQ(sliceByOffsets({{-2, -2}, {2, 2}, {1, 1}}, {3, 4}),
            (Numbers{6, 7, 10, 11}));
}

//===----------------------------------------------------------------------===//
// PADV2, FILL
//===----------------------------------------------------------------------===//

// M-118: the padding value of quantized data is one of its numbers.
TEST(TFLiteDataMovementTest, paddingValuesHaveTheTypeOfTheData) {
  TestInput around = integersInput({1, 1}, {1, 2});
  EXPECT_EQ(run(Code::PADV2,
                {reals({2}, {1, 2}), around, {{{}}, {9}, /*isConstant=*/true}}),
            (Numbers{9, 1, 2, 9}));
  for (Type type : {Type::UINT8, Type::INT8}) {
    double least = type == Type::INT8 ? -128 : 0;
    TensorSpec data = {{2}, type, {0.5f}, {3}}, value = data, result = data;
    value.shape = result.shape = {};
    std::vector<TestInput> inputs = {
        {data, {1, 2}}, around, {value, {least}, /*isConstant=*/true}};
    EXPECT_EQ(run(Code::PADV2, inputs, result), (Numbers{least, 1, 2, least}));
    inputs[2].spec.scales = {0.25f};
    EXPECT_EQ(operatorError(Code::PADV2, inputs, {result}),
              "the padding value has another type or scale than input 0");
  }
}

TEST(TFLiteDataMovementTest, fillsWithAnyType) {
  TestInput shape = integersInput({2, 2});
  EXPECT_EQ(text(Code::FILL, {shape, {{{}}, {2.5}, true}}),
            "FILL({2 2}, 2.5f) -> o2x2");
  EXPECT_EQ(run(Code::FILL, {shape, {{{}}, {2.5}, true}}),
            (Numbers{2.5, 2.5, 2.5, 2.5}));
  EXPECT_EQ(run(Code::FILL, {shape, {{{}, Type::INT32}, {7}, true}},
                {{}, Type::INT32}),
            (Numbers{7, 7, 7, 7}));
  TFLiteWriter file;
  int32_t fed = file.tensor({{2}, Type::FLOAT16}),
          half = file.constant<uint16_t>({{}, Type::FLOAT16},
                                         {float16FromDouble(1.5)}),
          filled = file.tensor({{2}, Type::FLOAT16}),
          sum = file.tensor({{}, Type::FLOAT16});
  file.add(Code::FILL, {file.integers({2}), half}, {filled});
  file.add(Code::ADD, {fed, filled}, {sum});
  EXPECT_EQ(runFile(file.finish({fed}, {sum}), {{1, 2}}),
            (std::vector<Numbers>{{2.5, 3.5}}));
  EXPECT_EQ(operatorError(Code::FILL, {shape, {{{2}}, {1, 2}, true}}, {{{}}}),
            "input 1 has shape 2, expected a scalar");
  EXPECT_EQ(operatorError(Code::FILL, {shape, computed({})}, {{{}}}),
            "input 1 must be a constant; the extension nnhal.tflite takes it");
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

// A scalar has one dimension in the HAL, before it gets another one.
TEST(TFLiteDataMovementTest, scalarsThatGetADimension) {
  std::vector<TestInput> inputs = {reals({}, {5}), integersInput({0}, {})};
  EXPECT_EQ(run(Code::EXPAND_DIMS, inputs, {{1}}), (Numbers{5}));
  inputs[0].spec.type = Type::INT32;
  EXPECT_EQ(operatorError(Code::EXPAND_DIMS, inputs, {{{1}, Type::INT32}}),
            "the HAL computes shape 1x1 and cannot reshape it to 1 for type "
            "TENSOR_INT32");
}

TEST(TFLiteDataMovementTest, aShapeThatIsFedHasToGiveTheStatedOne) {
  EXPECT_EQ(text(Code::RESHAPE, {computed({2, 3}), computed({2}, Type::INT32)},
                 {{3, 2}}),
            "RESHAPE(i2x3, i2) -> o3x2");
}

TEST(TFLiteDataMovementTest, concatenations) {
  auto joined = [](Activation activation, int32_t axis = 0) {
    return options([=](Builder &b) {
      return schema::CreateConcatenationOptions(b, axis, activation);
    });
  };
  std::vector<TestInput> two = {reals({2}, {-3, 0.5}), reals({1}, {9})};
  EXPECT_EQ(run(Code::CONCATENATION, two, {}, joined(Activation::NONE)),
            (Numbers{-3, 0.5, 9}));
  EXPECT_EQ(run(Code::CONCATENATION, two, {}, joined(Activation::RELU)),
            (Numbers{0, 0.5, 9}));
  EXPECT_EQ(run(Code::CONCATENATION, two, {}, joined(Activation::RELU6, -1)),
            (Numbers{0, 0.5, 6}));
  EXPECT_EQ(run(Code::CONCATENATION, two, {}, joined(Activation::RELU_N1_TO_1)),
            (Numbers{-1, 0.5, 1}));
  EXPECT_EQ(operatorError(Code::CONCATENATION,
                          {computed({2}), computed({2}, Type::INT32)}, {{{}}},
                          joined(Activation::NONE)),
            "input 1 has type INT32, but input 0 has type FLOAT32");
  TFLiteWriter file;
  int32_t x = file.tensor({{2}}), y = file.tensor({{}});
  file.add(Code::CONCATENATION, {x, -1}, {y},
           schema::CreateConcatenationOptions(file.builder, 0));
  EXPECT_EQ(halImportError(file.finish({x}, {y})),
            "operator 0 (CONCATENATION): input 1 is missing");
}

} // namespace
} // namespace nnhal::rt
