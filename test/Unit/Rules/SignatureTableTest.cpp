//===- SignatureTableTest.cpp - Operands of each operation ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperationBuilder.h"

#include "nnhal/Backend/SignatureTable.h"

#include <gtest/gtest.h>

#include <map>
#include <string_view>

using namespace nnhal::rt;
using namespace nnhal::rt::testing;

namespace {

using enum OperationType;
using enum HalVersion;

/// The ten types of tensors, as the tables call them.
const std::map<std::string_view, OperandType> tensorTypes = {
    {"TF32", OperandType::TENSOR_FLOAT32},
    {"TF16", OperandType::TENSOR_FLOAT16},
    {"TI32", OperandType::TENSOR_INT32},
    {"TB8", OperandType::TENSOR_BOOL8},
    {"Q8A", OperandType::TENSOR_QUANT8_ASYMM},
    {"Q8S", OperandType::TENSOR_QUANT8_ASYMM_SIGNED},
    {"Q8Y", OperandType::TENSOR_QUANT8_SYMM},
    {"Q8PC", OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL},
    {"Q16S", OperandType::TENSOR_QUANT16_SYMM},
    {"Q16A", OperandType::TENSOR_QUANT16_ASYMM},
};

/// The rules of group M for an operation whose operands follow from the type of
/// its first input.
struct Expected {
  OperationType type;
  /// A letter for each input: a tensor of the type (x), of bools (c), of 32-bit
  /// integers with an element per dimension (n: a permutation, a begin or
  /// indices; o: ones; s: the extents; p: pairs of 0), of one -1 (l), of two
  /// ones (t), of two pairs of 0 (q); an INT32 of 0 (i) or 1 (k), a BOOL (b), a
  /// float scalar (f), one of the type of the elements (v); nothing (?); a
  /// filter or a matrix (w), a filter of one batch (d), a bias (B), two
  /// integers (h), boxes (r).
  std::string_view inputs;
  /// Types of the first input with the version since which they are legal,
  /// "TF32 1.0, TF16 1.2". All others are refused.
  std::string_view types;
  size_t minRank = 1;
  /// 0 where any rank is legal.
  size_t maxRank = 0;
  bool takesZeroSized = false;
  /// The type of the result where it is not that of the input, and the
  /// quantization that is prescribed for 8 bits.
  std::string_view result = "";
  float scale = 0.0f;
  int32_t zeroPoint = 0;
};

constexpr std::string_view floats10 = "TF32 1.0, TF16 1.2";
constexpr std::string_view floats12 = "TF32 1.2, TF16 1.2";
constexpr std::string_view common10 = "TF32 1.0, Q8A 1.0, TF16 1.2, Q8S 1.3";
constexpr std::string_view common11 = "TF32 1.1, Q8A 1.1, TF16 1.2, Q8S 1.3";
constexpr std::string_view common12 = "TF32 1.2, Q8A 1.2, TF16 1.2, Q8S 1.3";
constexpr std::string_view numbers12 =
    "TF32 1.2, TF16 1.2, TI32 1.2, Q8A 1.2, Q8S 1.3";
constexpr std::string_view all12 =
    "TB8 1.2, TF32 1.2, TF16 1.2, TI32 1.2, Q8A 1.2, Q8S 1.3";

const Expected signatures[] = {
    {ADD, "xxi", "TF32 1.0, Q8A 1.0, TF16 1.2, Q8S 1.3, TI32 1.3", 1, 4,
     true},                       // M-265
    {FLOOR, "x", floats10, 1, 4}, // M-273
    {L2_NORMALIZATION, "x", "TF32 1.0, TF16 1.2, Q8A 1.2, Q8S 1.3", 4, 4, false,
     "", 1.0f / 128, 128},                                   // M-276
    {LOCAL_RESPONSE_NORMALIZATION, "xkfff", floats10, 4, 4}, // M-278
    {LOGISTIC, "x", common10, 1, 4, true, "", 1.0f / 256},   // M-279
    {MUL, "xxi", "TF32 1.0, Q8A 1.0, TF16 1.2, Q8S 1.3, TI32 1.3", 1, 4, true,
     "", 4.0f},                                            // M-283
    {RELU, "x", common10, 1, 4, true},                     // M-284
    {RELU1, "x", common10, 1, 4, true},                    // M-285
    {RELU6, "x", common10, 1, 4, true},                    // M-286
    {SOFTMAX, "xf", common10, 4, 4, true, "", 1.0f / 256}, // M-290
    {TANH, "x", "TF32 1.0, TF16 1.2, Q8A 1.2, Q8S 1.3", 1, 4, true, "",
     1.0f / 128, 128},                                        // M-293
    {DIV, "xxi", "TF32 1.1, TF16 1.2, TI32 1.3", 1, 4, true}, // M-295
    {MEAN, "xli", common11, 1, 4},                            // M-296
    {SUB, "xxi", "TF32 1.1, TF16 1.2, Q8A 1.2, Q8S 1.3, TI32 1.3", 1, 4,
     true},                                           // M-301
    {TRANSPOSE, "xn", common11, 1, 4, true},          // M-302
    {ABS, "x", "TF16 1.2, TF32 1.2, TI32 1.3"},       // M-303
    {ARGMAX, "xi", numbers12, 1, 0, false, "TI32"},   // M-304
    {ARGMIN, "xi", numbers12, 1, 0, false, "TI32"},   // M-305
    {EQUAL, "xx", all12, 1, 0, false, "TB8"},         // M-313
    {EXP, "x", floats12},                             // M-314
    {EXPAND_DIMS, "xi", numbers12},                   // M-315
    {GATHER, "xin", numbers12},                       // M-316
    {GREATER, "xx", all12, 1, 0, false, "TB8"},       // M-318
    {GREATER_EQUAL, "xx", all12, 1, 0, false, "TB8"}, // M-319
    {LESS, "xx", all12, 1, 0, false, "TB8"},          // M-323
    {LESS_EQUAL, "xx", all12, 1, 0, false, "TB8"},    // M-324
    {LOG, "x", floats12},                             // M-325
    {LOGICAL_AND, "xx", "TB8 1.2"},                   // M-326
    {LOGICAL_NOT, "x", "TB8 1.2"},                    // M-327
    {LOGICAL_OR, "xx", "TB8 1.2"},                    // M-328
    {LOG_SOFTMAX, "xfi", floats12},                   // M-329
    {MAXIMUM, "xx", numbers12},                       // M-330
    {MINIMUM, "xx", numbers12},                       // M-331
    {NEG, "x", "TF16 1.2, TF32 1.2, TI32 1.2"},       // M-332
    {NOT_EQUAL, "xx", all12, 1, 0, false, "TB8"},     // M-333
    {PAD_V2, "xpv", common12, 1, 4},                  // M-334
    {POW, "xx", floats12},                            // M-335
    {PRELU, "xx", common12, 1, 0, false, "", 4.0f},   // M-336
    {REDUCE_ALL, "xlb", "TB8 1.2", 1, 4},             // M-340
    {REDUCE_ANY, "xlb", "TB8 1.2", 1, 4},             // M-341
    {REDUCE_MAX, "xlb", common12, 1, 4},              // M-132, M-342
    {REDUCE_MIN, "xlb", common12, 1, 4},              // M-132, M-343
    {REDUCE_PROD, "xlb", floats12, 1, 4},             // M-131, M-344
    {REDUCE_SUM, "xlb", floats12, 1, 4},              // M-131, M-345
    {RSQRT, "x", floats12},                           // M-348
    {SELECT, "cxx", numbers12},                       // M-349
    {SIN, "x", floats12},                             // M-350
    {SLICE, "xno", numbers12, 1, 0, true},            // M-351
    {SQRT, "x", floats12},                            // M-353
    {TILE, "xo", numbers12},                          // M-354
    {ELU, "xv", "TF16 1.3, TF32 1.3", 1, 0, true},    // M-258, M-363
    {HARD_SWISH, "x", "TF16 1.3, TF32 1.3, Q8A 1.3, Q8S 1.3", 1, 0,
     true},                                             // M-364
    {AVERAGE_POOL_2D, "xkkkkki", common10, 4, 4, true}, // M-266
    {CONCATENATION, "xxi", common10, 1, 4, true},       // M-267
    {DEPTH_TO_SPACE, "xk", common10, 4, 4},             // M-270
    {DEQUANTIZE, "x", "Q8A 1.0, Q8Y 1.2, Q8PC 1.2, Q8S 1.2", 1, 4, true,
     "TF32"},                                       // M-271
    {L2_POOL_2D, "xkkkkki", floats10, 4, 4, true},  // M-277
    {MAX_POOL_2D, "xkkkkki", common10, 4, 4, true}, // M-282
    {RESHAPE, "xs", common10, 1, 4},                // M-287
    {RESIZE_BILINEAR, "xkk", "TF32 1.0, TF16 1.2, Q8A 1.2, Q8S 1.3", 4, 4,
     true},                                     // M-288
    {SPACE_TO_DEPTH, "xk", common10, 4, 4},     // M-291
    {BATCH_TO_SPACE_ND, "xt", common11, 4, 4},  // M-294
    {PAD, "xp", common11, 1, 4},                // M-297
    {SPACE_TO_BATCH_ND, "xtq", common11, 4, 4}, // M-298
    {SQUEEZE, "x?", common11, 1, 4},            // M-299
    {STRIDED_SLICE, "xnsoiii", common11, 1, 4}, // M-113, M-300
    {CAST, "x",
     "TF32 1.2, TF16 1.2, TI32 1.2, Q8A 1.2, TB8 1.3, Q8S 1.3, Q8Y 1.3, "
     "Q16S 1.3, Q16A 1.3"},                                     // M-310
    {CHANNEL_SHUFFLE, "xki", common12, 1, 4},                   // M-311
    {INSTANCE_NORMALIZATION, "xvvvb", floats12, 4, 4},          // M-322
    {QUANTIZE, "x", floats12, 1, 0, true, "Q8A"},               // M-337
    {RANDOM_MULTINOMIAL, "xkt", floats12, 2, 2, false, "TI32"}, // M-339
    {SPLIT, "xik", numbers12},                                  // M-352
    {TOPK_V2, "xk", numbers12},                                 // M-355
    {RESIZE_NEAREST_NEIGHBOR, "xkkb", common12, 4, 4, true},    // M-359
    {CONV_2D, "xwBkkki", common10, 4, 4, true, "", 4.0f},       // M-268
    {DEPTHWISE_CONV_2D, "xdBkkkki", common10, 4, 4, true, "",
     4.0f},                                                      // M-082, M-269
    {FULLY_CONNECTED, "xwBi", common10, 2, 4, true, "", 4.0f},   // M-274
    {HASHTABLE_LOOKUP, "hhx", "TF32 1.0, TI32 1.0, Q8A 1.0", 2}, // M-275
    {HEATMAP_MAX_KEYPOINT, "xrb", common12, 4, 4},               // M-321
    {TRANSPOSE_CONV_2D, "xwBskkkib", common12, 4, 4},            // M-356
    {RANK, "x",
     "TF32 1.3, TF16 1.3, TI32 1.3, TB8 1.3, Q8A 1.3, Q8S 1.3, Q8Y 1.3, "
     "Q8PC 1.3, Q16S 1.3, Q16A 1.3",
     1, 0, true}, // M-366
};

/// A use of an operation on tensors of some shape.
class Use {
public:
  Use(const Expected &signature, std::string_view type,
      std::vector<int64_t> shape)
      : signature(signature), type(tensorTypes.at(type)),
        shape(std::move(shape)) {}

  /// With only the first \p count inputs, or more of the last kind, and with
  /// \p added outputs more than there are.
  std::string since(size_t count, size_t added = 0) const {
    OperationBuilder builder(signature.type);
    for (size_t i = 0; i < count; ++i)
      add(builder, i < signature.inputs.size() ? signature.inputs[i] : 'b');
    builder.output(result());
    if (signature.type == TOPK_V2)
      builder.output(unrankedTensor(OperandType::TENSOR_INT32));
    if (signature.type == HASHTABLE_LOOKUP)
      builder.output(quantTensor({2}, 1.0f, 0));
    if (signature.type == HEATMAP_MAX_KEYPOINT) {
      TensorType keypoints = unrankedTensor(
          isQuantized(type) ? OperandType::TENSOR_QUANT16_ASYMM : type);
      keypoints.scale = isQuantized(type) ? 0.125f : 0.0f;
      builder.output(keypoints);
    }
    for (size_t i = 0; i < added; ++i)
      builder.output(result());
    return builder.since();
  }
  std::string since() const { return since(signature.inputs.size()); }

private:
  TensorType tensor(float scale, int32_t zeroPoint) const {
    TensorType result = tensorType(type, shape);
    if (type == OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL)
      result.channelQuant = {std::vector<float>(size_t(shape[0]), 1.0f), 0};
    else if (isQuantized(type))
      result.scale = scale, result.zeroPoint = zeroPoint;
    return result;
  }
  TensorType result() const {
    if (signature.type == RANK)
      return tensorType(OperandType::INT32, {});
    TensorType stated = unrankedTensor(
        signature.result.empty() ? type : tensorTypes.at(signature.result));
    if (stated.type == OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL) {
      stated.channelQuant = tensor(1.0f, 0).channelQuant;
    } else if (isQuantized(stated.type)) {
      stated.scale = signature.scale != 0.0f ? signature.scale : 1.0f;
      stated.zeroPoint = signature.zeroPoint;
      if (type == OperandType::TENSOR_QUANT8_ASYMM_SIGNED &&
          signature.scale != 0.0f && signature.scale < 1.0f)
        stated.zeroPoint -= 128;
    }
    return stated;
  }
  void add(OperationBuilder &builder, char letter) const {
    int64_t rank = int64_t(shape.size());
    bool isHalf = type == OperandType::TENSOR_FLOAT16;
    switch (letter) {
    case 'x':
      builder.tensor(tensor(1.0f, 0));
      return;
    case 'c':
      builder.tensor(boolTensor(shape));
      return;
    case 'n': { // A permutation, the start of a slice, or indices.
      std::vector<double> values(shape.size());
      if (signature.type == TRANSPOSE)
        for (size_t i = 0; i < values.size(); ++i)
          values[i] = double(i);
      builder.tensor(int32Tensor({rank}), values);
      return;
    }
    case 'l':
      builder.tensor(int32Tensor({1}), {-1});
      return;
    case 'p':
      builder.tensor(int32Tensor({rank, 2}),
                     std::vector<double>(2 * shape.size()));
      return;
    case 'o': {
      std::vector<double> ones(shape.size(), 1);
      if (shape[0] == 0)
        ones[0] = 0;
      builder.tensor(int32Tensor({rank}), ones);
      return;
    }
    case 's':
      builder.tensor(int32Tensor({rank}), {shape.begin(), shape.end()});
      return;
    case 't':
      builder.tensor(int32Tensor({2}), {1, 1});
      return;
    case 'q':
      builder.tensor(int32Tensor({2, 2}), {0, 0, 0, 0});
      return;
    case '?':
      builder.omitted(int32Tensor({1}));
      return;
    case 'i':
      builder.int32(0);
      return;
    case 'k':
      builder.int32(1);
      return;
    case 'b':
      builder.boolean(true);
      return;
    case 'v':
      if (isQuantized(type)) {
        builder.int32(0);
        return;
      }
      [[fallthrough]];
    case 'f':
      isHalf ? builder.float16(1.0f) : builder.float32(1.0f);
      return;
    default:
      addWeights(builder, letter);
    }
  }
  /// Operands whose shape does not follow from that of the first input.
  void addWeights(OperationBuilder &builder, char letter) const {
    TensorType weights = tensor(1.0f, 0);
    switch (letter) {
    case 'w': // A filter of all channels, or a matrix.
      weights.dimensions.assign(signature.type == FULLY_CONNECTED ? 2 : 4, 2);
      break;
    case 'd':
      weights.dimensions = {1, 2, 2, 2};
      break;
    case 'B':
      if (isQuantized(type))
        weights = tensorType(OperandType::TENSOR_INT32, {}, 1.0f);
      weights.dimensions = {2};
      break;
    case 'h':
      weights = int32Tensor({2});
      break;
    case 'r':
      if (isQuantized(type))
        weights = tensorType(OperandType::TENSOR_QUANT16_ASYMM, {}, 0.125f);
      weights.dimensions = {shape[0], 4};
      break;
    default:
      FAIL() << letter;
    }
    builder.tensor(std::move(weights));
  }

  const Expected &signature;
  OperandType type;
  std::vector<int64_t> shape;
};

/// The version of \p type in "TF32 1.0, TF16 1.2"; empty where it is not there.
std::string versionIn(std::string_view types, std::string_view type) {
  std::string list = ", " + std::string(types);
  size_t found = list.find(", " + std::string(type) + " ");
  return found == std::string::npos ? ""
                                    : list.substr(found + 3 + type.size(), 3);
}

std::vector<int64_t> shapeOfRank(size_t rank, int64_t first = 2) {
  std::vector<int64_t> shape(rank, 2);
  shape[0] = first;
  return shape;
}

class SignatureTableTest : public ::testing::TestWithParam<Expected> {};
INSTANTIATE_TEST_SUITE_P(All, SignatureTableTest,
                         ::testing::ValuesIn(signatures), [](const auto &info) {
                           return std::string(nameOf(info.param.type));
                         });

bool isVersion(const std::string &text) {
  return text.size() == 3 && text[0] == '1' && text[1] == '.';
}

// L-025: the types of the first input, each with its version.
TEST_P(SignatureTableTest, types) {
  const Expected &signature = GetParam();
  size_t rank = std::max<size_t>(signature.minRank, 2);
  for (const auto &[name, type] : tensorTypes) {
    std::string version = versionIn(signature.types, name);
    std::string found = Use(signature, name, shapeOfRank(rank)).since();
    if (version.empty())
      EXPECT_FALSE(isVersion(found)) << name << " since " << found;
    else
      EXPECT_EQ(found, version) << name;
  }
}

// L-025: how many inputs and outputs there are.
TEST_P(SignatureTableTest, inputs) {
  const Expected &signature = GetParam();
  std::string_view type = signature.types.substr(0, signature.types.find(' '));
  Use use(signature, type, shapeOfRank(std::max<size_t>(signature.minRank, 2)));
  size_t count = signature.inputs.size();
  EXPECT_TRUE(isVersion(use.since())) << use.since();
  EXPECT_FALSE(isVersion(use.since(count - 1)));
  // The axis of CONCATENATION is the last input, however many there are.
  if (signature.type != CONCATENATION)
    EXPECT_TRUE(use.since(count - 1).starts_with("found "))
        << use.since(count - 1);
  EXPECT_FALSE(isVersion(use.since(count + 3)));
  EXPECT_FALSE(isVersion(use.since(count, 1))) << use.since(count, 1);
}

// The rank of the first input.
TEST_P(SignatureTableTest, ranks) {
  const Expected &signature = GetParam();
  std::string_view type = signature.types.substr(0, signature.types.find(' '));
  for (size_t rank = signature.minRank; rank <= 6; ++rank) {
    std::string found = Use(signature, type, shapeOfRank(rank)).since();
    bool isLegal = signature.maxRank == 0 || rank <= signature.maxRank;
    EXPECT_EQ(isVersion(found), isLegal) << "rank " << rank << ": " << found;
  }
}

// Tensors without elements.
TEST_P(SignatureTableTest, zeroSizedInputs) {
  const Expected &signature = GetParam();
  if (!signature.takesZeroSized)
    return;
  std::string_view type = signature.types.substr(0, signature.types.find(' '));
  std::string found =
      Use(signature, type,
          shapeOfRank(std::max<size_t>(signature.minRank, 2), 0))
          .since();
  EXPECT_TRUE(isVersion(found)) << found;
}

// The types in the table of signatures, which validation leaves to the rules.
TEST_P(SignatureTableTest, typesOfTheTable) {
  const Expected &signature = GetParam();
  std::map<std::string, std::string> expected, found;
  for (const auto &[name, type] : tensorTypes)
    if (std::string version = versionIn(signature.types, name);
        !version.empty())
      expected[std::string(nameOf(type))] = version;
  // The first tensor of a type that operands do not share.
  size_t index = signature.inputs.find('x');
  for (const TypeSince &type : signatureOf(signature.type)->inputs[index].types)
    found[std::string(nameOf(type.type))] = toString(type.since);
  EXPECT_EQ(found, expected);
}

TEST(SignaturesTest, everyOperationHasOne) {
  for (const OperationInfo &operation : allOperations()) {
    const nnhal::rt::Signature *signature = signatureOf(operation.type);
    ASSERT_TRUE(signature) << operation.name;
    EXPECT_EQ(signature->operation, operation.type);
  }
  EXPECT_FALSE(signatureOf(OperationType(102)));
  EXPECT_FALSE(signatureOf(OEM_OPERATION));
}

TEST(SignaturesTest, inputCounts) {
  using Counts = std::vector<size_t>;
  auto counts = [](OperationType type) {
    return inputCountsOf(*signatureOf(type));
  };
  EXPECT_EQ(counts(CONV_2D), (Counts{7, 8, 10, 11, 13}));           // M-071
  EXPECT_EQ(counts(DEPTHWISE_CONV_2D), (Counts{8, 9, 11, 12, 14})); // M-079
  EXPECT_EQ(counts(GROUPED_CONV_2D), (Counts{9, 12}));
  EXPECT_EQ(counts(TRANSPOSE_CONV_2D), (Counts{9, 11}));
  EXPECT_EQ(counts(MAX_POOL_2D), (Counts{7, 8, 10, 11}));
  EXPECT_EQ(counts(LSTM), (Counts{23, 27}));
  EXPECT_EQ(counts(BIDIRECTIONAL_SEQUENCE_LSTM), (Counts{61}));
  EXPECT_EQ(counts(QUANTIZED_LSTM), (Counts{32}));
  EXPECT_EQ(counts(CONCATENATION), (Counts{2}));
  EXPECT_TRUE(hasRepeatedInputs(*signatureOf(CONCATENATION)));
  EXPECT_EQ(counts(WHILE), (Counts{3}));
}

// M-072: ten inputs are implicit with dilations or explicit without a layout.
TEST(SignaturesTest, formsByTypes) {
  auto names = [](OperandType eighth) {
    std::vector<OperandType> types(10, OperandType::INT32);
    std::fill_n(types.begin(), 3, OperandType::TENSOR_FLOAT32);
    types[7] = eighth;
    std::vector<std::string_view> result;
    for (const InputRow *row : inputRowsOf(*signatureOf(CONV_2D), types))
      result.push_back(row->name);
    return result;
  };
  using Names = std::vector<std::string_view>;
  EXPECT_EQ(names(OperandType::BOOL),
            (Names{"input", "filter", "bias", "padding scheme", "stride width",
                   "stride height", "activation", "layout", "dilation width",
                   "dilation height"}));
  for (OperandType other : {OperandType::INT32, OperandType::FLOAT32})
    EXPECT_EQ(
        names(other),
        (Names{"input", "filter", "bias", "left pad", "right pad", "top pad",
               "bottom pad", "stride width", "stride height", "activation"}));
  std::vector<OperandType> nine(9, OperandType::INT32);
  EXPECT_TRUE(inputRowsOf(*signatureOf(CONV_2D), nine).empty());
}

TEST(SignaturesTest, repeatedInputs) {
  std::vector<OperandType> types(4, OperandType::TENSOR_FLOAT32);
  types.back() = OperandType::INT32;
  std::vector<const InputRow *> rows =
      inputRowsOf(*signatureOf(CONCATENATION), types);
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[2]->name, "input");
  EXPECT_EQ(rows[3]->name, "axis");
}

} // namespace
