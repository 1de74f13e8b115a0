//===- StableHloTesting.h - Files with operators of StableHLO ---*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_UNIT_IMPORT_STABLEHLOTESTING_H
#define NNHAL_TEST_UNIT_IMPORT_STABLEHLOTESTING_H

#include "RunTesting.h"

namespace nnhal::rt {

/// Options of the second union that \p create makes, with schema::Create...
template <typename Create> OperatorExtras options2(Create create) {
  OperatorExtras extras;
  extras.options2 = [create](Builder &builder) {
    auto kindOf = []<typename T>(flatbuffers::Offset<T>) {
      return schema::BuiltinOptions2Traits<T>::enum_value;
    };
    auto made = create(builder);
    return std::pair(kindOf(made), made.Union());
  };
  return extras;
}

using Longs = std::vector<int64_t>;

inline OperatorExtras compareBy(schema::ComparisonDirection direction,
                                schema::ComparisonType type = {}) {
  return options2([=](Builder &b) {
    return schema::CreateStablehloCompareOptions(b, direction, type);
  });
}
inline OperatorExtras broadcastTo(Longs dimensions) {
  return options2([=](Builder &b) {
    return schema::CreateStablehloBroadcastInDimOptionsDirect(b, &dimensions);
  });
}
inline OperatorExtras concatenateAlong(int64_t dimension) {
  return options2([=](Builder &b) {
    return schema::CreateStablehloConcatenateOptions(b, dimension);
  });
}
inline OperatorExtras transposeBy(Longs permutation) {
  return options2([=](Builder &b) {
    return schema::CreateStablehloTransposeOptionsDirect(b, &permutation);
  });
}
inline OperatorExtras sliceOf(Longs begin, Longs end, Longs strides) {
  return options2([=](Builder &b) {
    return schema::CreateStablehloSliceOptionsDirect(b, &begin, &end, &strides);
  });
}
inline OperatorExtras dynamicSliceOf(Longs sizes) {
  return options2([=](Builder &b) {
    return schema::CreateStablehloDynamicSliceOptionsDirect(b, &sizes);
  });
}
inline OperatorExtras padBy(Longs low, Longs high, Longs interior) {
  return options2([=](Builder &b) {
    return schema::CreateStablehloPadOptionsDirect(b, &low, &high, &interior);
  });
}
inline OperatorExtras iotaAlong(int64_t dimension) {
  return options2([=](Builder &b) {
    return schema::CreateStablehloIotaOptions(b, dimension);
  });
}
inline OperatorExtras gatherBy(Longs offsets, Longs collapsed, Longs axes,
                               int64_t vectorDimension, Longs sizes) {
  return options2([=](Builder &b) {
    return schema::CreateStablehloGatherOptionsDirect(
        b, &offsets, &collapsed, &axes, vectorDimension, &sizes);
  });
}
inline OperatorExtras dotOver(Longs leftBatch, Longs rightBatch, Longs left,
                              Longs right) {
  return options2([=](Builder &b) {
    return schema::CreateStablehloDotGeneralOptionsDirect(
        b, &leftBatch, &rightBatch, &left, &right);
  });
}

/// A convolution of pictures with channels last, unless a test changes it.
struct HloConvolution {
  Longs strides = {1, 1}, padding = {0, 0, 0, 0}, leftDilation = {1, 1},
        dilation = {1, 1};
  std::vector<uint8_t> reversal = {0, 0};
  Longs input = {0, 1, 2, 3}, kernel = {3, 0, 1, 2}, output = {0, 1, 2, 3};
  int64_t groups = 1, batchGroups = 1;
};
inline OperatorExtras convolution(const HloConvolution &form) {
  return options2([=](Builder &b) {
    Longs in = {form.input[1], form.input[2]},
          kernel = {form.kernel[1], form.kernel[2]},
          out = {form.output[1], form.output[2]};
    return schema::CreateStablehloConvolutionOptionsDirect(
        b, &form.strides, &form.padding, &form.leftDilation, &form.dilation,
        &form.reversal, form.input[0], form.input[3], &in, form.kernel[3],
        form.kernel[0], &kernel, form.output[0], form.output[3], &out,
        form.groups, form.batchGroups);
  });
}

/// A file of one operator whose subgraph 1 is \p body of two scalars.
inline std::vector<std::byte>
reducingFile(Code code, const std::vector<TestInput> &inputs,
             const TensorSpec &output, const OperatorExtras &extras,
             Code body = Code::STABLEHLO_ADD, int bodyOperators = 1) {
  TFLiteWriter file;
  std::vector<int32_t> operands, fed;
  for (const TestInput &input : inputs) {
    bool isTruth = input.spec.type == Type::BOOL;
    std::vector<float> numbers(input.values.begin(), input.values.end());
    std::vector<uint8_t> truths;
    for (double value : input.values)
      truths.push_back(value != 0);
    operands.push_back(!input.isConstant ? file.tensor(input.spec)
                       : isTruth         ? file.constant(input.spec, truths)
                                         : file.constant(input.spec, numbers));
    if (!input.isConstant)
      fed.push_back(operands.back());
  }
  int32_t result = file.tensor(output);
  file.add(code, operands, {result}, schema::BuiltinOptions::NONE, 0, extras);
  file.endSubgraph(fed, {result});
  TensorSpec scalar = {{}, output.type};
  int32_t a = file.tensor(scalar), b = file.tensor(scalar),
          sum = file.tensor(scalar);
  for (int i = 0; i < bodyOperators; ++i)
    file.add(body, {b, a}, {sum});
  return file.finish({a, b}, {sum});
}

inline OperatorExtras reduceOver(Longs dimensions, int32_t body = 1) {
  return options2([=](Builder &b) {
    return schema::CreateStablehloReduceOptionsDirect(b, &dimensions, body);
  });
}
inline OperatorExtras windowsOf(Longs extents, Longs strides, Longs padding,
                                Longs dilations = {1, 1, 1, 1}) {
  return options2([=](Builder &b) {
    return schema::CreateStablehloReduceWindowOptionsDirect(
        b, &extents, &strides, &dilations, &dilations, &padding, 1);
  });
}

} // namespace nnhal::rt

#endif // NNHAL_TEST_UNIT_IMPORT_STABLEHLOTESTING_H
