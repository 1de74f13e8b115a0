//===- LookupRulesTest.cpp - Forms of the Lookup operations ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperationBuilder.h"

#include <gtest/gtest.h>

using namespace nnhal::rt;
using namespace nnhal::rt::testing;
using Op = OperationType;

namespace {

//===----------------------------------------------------------------------===//
// EMBEDDING_LOOKUP
//===----------------------------------------------------------------------===//

OperationBuilder &addEmbedding(OperationBuilder &&builder, TensorType lookups,
                               TensorType values) {
  TensorType output = values;
  output.isRanked = false;
  output.dimensions.clear();
  return builder.tensor(std::move(lookups)).tensor(values).output(output);
}

std::string embeddingShape(TensorType lookups, TensorType values) {
  return addEmbedding(OperationBuilder(Op::EMBEDDING_LOOKUP), lookups, values)
      .shapes();
}

TEST(LookupRulesTest, EmbeddingYieldsRows) {
  EXPECT_EQ(embeddingShape(int32Tensor({3}), floatTensor({5, 2, 4})), "3x2x4");
  EXPECT_EQ(embeddingShape(int32Tensor({unknownExtent}), floatTensor({5, 2})),
            "?x2");
  EXPECT_EQ(embeddingShape(unrankedTensor(OperandType::TENSOR_INT32),
                           unrankedTensor(OperandType::TENSOR_FLOAT32)),
            "unknown rank");
}

// M-153, M-272
TEST(LookupRulesTest, EmbeddingVersions) {
  auto since = [](TensorType values) {
    return addEmbedding(OperationBuilder(Op::EMBEDDING_LOOKUP),
                        int32Tensor({3}), values)
        .since();
  };
  EXPECT_EQ(since(floatTensor({5, 2})), "1.0");
  EXPECT_EQ(since(int32Tensor({5, 2})), "1.2");
  EXPECT_EQ(since(quantTensor({5, 2}, 1, 0)), "1.2");
  EXPECT_EQ(since(halfTensor({5, 2})), "1.3");
  EXPECT_EQ(since(signedQuantTensor({5, 2}, 1, 0)), "1.3");
}

TEST(LookupRulesTest, EmbeddingRejects) {
  // embedding_lookup C1
  EXPECT_EQ(embeddingShape(floatTensor({3}), floatTensor({5, 2})),
            "lookups type TENSOR_FLOAT32 is not among TENSOR_INT32");
  EXPECT_EQ(embeddingShape(int32Tensor({3, 1}), floatTensor({5, 2})),
            "lookups rank 2 is above 1");
  // embedding_lookup C2
  EXPECT_EQ(embeddingShape(int32Tensor({3}), floatTensor({5})),
            "values rank 1 is below 2");
  EXPECT_EQ(embeddingShape(int32Tensor({3}), boolTensor({5, 2})),
            "values type TENSOR_BOOL8 is not among TENSOR_FLOAT32, "
            "TENSOR_FLOAT16, TENSOR_INT32, TENSOR_QUANT8_ASYMM, "
            "TENSOR_QUANT8_ASYMM_SIGNED");
  // M-027
  EXPECT_EQ(embeddingShape(int32Tensor({0}), floatTensor({5, 2})),
            "input 0 of shape 0 is zero-sized");
}

//===----------------------------------------------------------------------===//
// HASHTABLE_LOOKUP
//===----------------------------------------------------------------------===//

struct Hashtable {
  TensorType lookups = int32Tensor({4});
  TensorType keys = int32Tensor({3});
  TensorType values = floatTensor({3, 2});
  TensorType output = floatTensor({4, 2});
  TensorType hits = quantTensor({4}, 1.0f, 0);

  std::string shapes() const {
    return OperationBuilder(Op::HASHTABLE_LOOKUP)
        .tensor(lookups)
        .tensor(keys)
        .tensor(values)
        .output(output)
        .output(hits)
        .shapes();
  }
};

TEST(LookupRulesTest, HashtableYieldsRowsAndHits) {
  EXPECT_EQ(Hashtable().shapes(), "4x2, 4");
  Hashtable open{.values = unrankedTensor(OperandType::TENSOR_FLOAT32)};
  EXPECT_EQ(open.shapes(), "unknown rank, 4");
}

TEST(LookupRulesTest, HashtableRejects) {
  // hashtable_lookup C1
  EXPECT_EQ(Hashtable{.lookups = int32Tensor({4, 1})}.shapes(),
            "lookups rank 2 is above 1");
  // hashtable_lookup C2
  EXPECT_EQ(Hashtable{.keys = floatTensor({3})}.shapes(),
            "keys type TENSOR_FLOAT32 is not among TENSOR_INT32");
  // hashtable_lookup C3: not extended to other types (M-155).
  EXPECT_EQ(Hashtable{.values = halfTensor({3, 2})}.shapes(),
            "values type TENSOR_FLOAT16 is not among TENSOR_FLOAT32, "
            "TENSOR_INT32, TENSOR_QUANT8_ASYMM");
  // hashtable_lookup C4
  EXPECT_EQ(Hashtable{.keys = int32Tensor({2})}.shapes(),
            "number of keys 2 differs from number of rows 3");
  // hashtable_lookup C5 (M-247)
  EXPECT_EQ(Hashtable{.hits = quantTensor({4}, 0.5f, 0)}.shapes(),
            "output 1 has scale 0.5 and zero point 0, expected scale 1 and "
            "zero point 0");
}

//===----------------------------------------------------------------------===//
// LSH_PROJECTION
//===----------------------------------------------------------------------===//

struct Lsh {
  TensorType hash = floatTensor({4, 2});
  TensorType input = int32Tensor({3, 2});
  TensorType weights = floatTensor({3});
  int32_t kind = 2;
  bool hasWeights = true;

  template <typename Ask> std::string ask(Ask query) const {
    OperationBuilder builder(Op::LSH_PROJECTION);
    builder.tensor(hash).tensor(input);
    if (hasWeights)
      builder.tensor(weights);
    else
      builder.omitted(weights);
    return query(
        builder.int32(kind).output(unrankedTensor(OperandType::TENSOR_INT32)));
  }
  std::string shapes() const {
    return ask([](const OperationBuilder &b) { return b.shapes(); });
  }
  std::string since() const {
    return ask([](const OperationBuilder &b) { return b.since(); });
  }
};

// A-077, M-159, M-162, M-262: SPARSE_DEPRECATED is 1, DENSE 2 and SPARSE 3;
// weights may be omitted for all types.
TEST(LookupRulesTest, LshShapes) {
  EXPECT_EQ(Lsh().shapes(), "8");
  EXPECT_EQ(Lsh{.kind = 1}.shapes(), "4");
  EXPECT_EQ((Lsh{.kind = 3, .hasWeights = false}.shapes()), "4");
  EXPECT_EQ((Lsh{.kind = 2, .hasWeights = false}.shapes()), "8");
  EXPECT_EQ(Lsh{.hash = unrankedTensor(OperandType::TENSOR_FLOAT32)}.shapes(),
            "?");
}

// M-157, M-280
TEST(LookupRulesTest, LshVersions) {
  EXPECT_EQ(Lsh().since(), "1.0");
  EXPECT_EQ(
      (Lsh{.hash = halfTensor({4, 2}), .weights = halfTensor({3})}.since()),
      "1.2");
  EXPECT_EQ(Lsh{.input = halfTensor({3})}.since(), "1.2");
  EXPECT_EQ(Lsh{.input = quantTensor({3}, 1, 0)}.since(), "1.0");
}

TEST(LookupRulesTest, LshRejects) {
  // lsh_projection C1
  EXPECT_EQ(Lsh{.hash = int32Tensor({4, 2})}.shapes(),
            "hash type TENSOR_INT32 is not among TENSOR_FLOAT32, "
            "TENSOR_FLOAT16");
  // lsh_projection C2
  EXPECT_EQ(Lsh{.input = boolTensor({3})}.shapes(),
            "input type TENSOR_BOOL8 is not among TENSOR_FLOAT32, "
            "TENSOR_FLOAT16, TENSOR_INT32, TENSOR_QUANT8_ASYMM");
  // lsh_projection C3
  EXPECT_EQ(Lsh{.weights = halfTensor({3})}.shapes(),
            "weights type TENSOR_FLOAT16 is not among TENSOR_FLOAT32");
  // lsh_projection C4
  EXPECT_EQ(Lsh{.weights = floatTensor({2})}.shapes(),
            "number of weights 2 differs from number of input rows 3");
  // lsh_projection C5
  EXPECT_EQ(Lsh{.kind = 0}.shapes(), "projection type is 0, expected 1 to 3");
  EXPECT_EQ(Lsh{.kind = 4}.shapes(), "projection type is 4, expected 1 to 3");
  // lsh_projection C6
  EXPECT_EQ(Lsh{.hash = floatTensor({1, 33})}.shapes(),
            "hash has 33 bits, above 32");
  // lsh_projection C7 (M-160)
  EXPECT_EQ((Lsh{.hash = floatTensor({5, 30}), .kind = 3}.shapes()),
            "5 hash functions of 30 bits need 33 bits, above 32");
  EXPECT_EQ((Lsh{.hash = floatTensor({4, 30}), .kind = 3}.shapes()), "4");
  EXPECT_EQ((Lsh{.hash = floatTensor({5, 32}), .kind = 1}.shapes()), "5");
  EXPECT_EQ(Lsh{.input = int32Tensor({3, 0})}.shapes(),
            "input 1 of shape 3x0 is zero-sized");
}

//===----------------------------------------------------------------------===//
// RANDOM_MULTINOMIAL
//===----------------------------------------------------------------------===//

std::string multinomial(TensorType logits, int32_t count, TensorType seeds) {
  return OperationBuilder(Op::RANDOM_MULTINOMIAL)
      .tensor(logits)
      .int32(count)
      .tensor(seeds)
      .output(unrankedTensor(OperandType::TENSOR_INT32))
      .shapes();
}

// M-235
TEST(LookupRulesTest, MultinomialYieldsSamples) {
  EXPECT_EQ(multinomial(floatTensor({2, 5}), 7, int32Tensor({2})), "2x7");
  OperationBuilder open(Op::RANDOM_MULTINOMIAL);
  open.tensor(halfTensor({2, 5}))
      .scalar(OperandType::INT32)
      .tensor(int32Tensor({2}))
      .output(unrankedTensor(OperandType::TENSOR_INT32));
  EXPECT_EQ(open.shapes(), "?x?");
  EXPECT_EQ(open.since(), "1.2");
}

TEST(LookupRulesTest, MultinomialRejects) {
  // random_multinomial C1
  EXPECT_EQ(multinomial(floatTensor({5}), 7, int32Tensor({2})),
            "logits rank 1 is below 2");
  // random_multinomial C2
  EXPECT_EQ(multinomial(floatTensor({2, 5}), 0, int32Tensor({2})),
            "sample count 0 must be positive");
  // random_multinomial C3
  EXPECT_EQ(multinomial(floatTensor({2, 5}), 7, floatTensor({2})),
            "seeds type TENSOR_FLOAT32 is not among TENSOR_INT32");
  // random_multinomial C4
  EXPECT_EQ(multinomial(floatTensor({2, 5}), 7, int32Tensor({3})),
            "number of seeds 3 differs from the expected 2");
}

} // namespace
