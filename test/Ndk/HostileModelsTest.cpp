//===- HostileModelsTest.cpp - Damaged models by calls of the NDK ---------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conformance cases that a mutator damages are stated by the C functions as a
// client would that looks at no result code: calls go on after those that fail.
// NNHAL_HOSTILE_CASES is a folder of more cases.
//
//===----------------------------------------------------------------------===//

#include "FeedModel.h"
#include "HostileTesting.h"

#include "../Unit/Mutation/Mutator.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace nnhal;
using namespace nnhal::test;

namespace {

/// Tensors and outputs beyond this are refused by the test: it is about
/// hostile calls, not about lack of memory.
constexpr uint64_t maxTensor = 1 << 20;

/// Extents as a client may state them, none of them so large that a device
/// would be right to allocate gigabytes.
bool isSmall(const rt::Model &model) {
  auto areSmall = [](const rt::Subgraph &graph) {
    return std::ranges::all_of(graph.operands, [](const rt::Operand &operand) {
      uint64_t size = 1;
      for (uint32_t extent : operand.dimensions)
        size = std::min<uint64_t>(size * std::max(extent, 1u), UINT32_MAX);
      return size <= maxTensor;
    });
  };
  return areSmall(model.main) &&
         std::ranges::all_of(model.referenced, areSmall);
}

/// States models without a look at what the calls return.
class CarelessFeeder {
public:
  /// The model, with those that it refers to.
  struct Fed {
    NdkModel model;
    std::vector<Fed> referenced;
    int finished = ANEURALNETWORKS_BAD_STATE;
  };

  explicit CarelessFeeder(const rt::Model &model) : model(model) {}

  Fed feed(const rt::Subgraph &graph, int depth = 0) const {
    Fed fed;
    ANeuralNetworksModel *made = nullptr;
    expectCode(ANeuralNetworksModel_create(&made));
    fed.model.reset(made);
    for (size_t i = 0; i < graph.operands.size(); ++i) {
      const rt::Operand &operand = graph.operands[i];
      ANeuralNetworksOperandType type = operandTypeOf(operand);
      expectCode(ANeuralNetworksModel_addOperand(made, &type));
      feedParams(made, int32_t(i), operand);
      feedValue(fed, int32_t(i), operand, depth);
    }
    for (const rt::Operation &operation : graph.operations)
      expectCode(ANeuralNetworksModel_addOperation(
          made, int32_t(operation.type), uint32_t(operation.inputs.size()),
          operation.inputs.data(), uint32_t(operation.outputs.size()),
          operation.outputs.data()));
    expectCode(ANeuralNetworksModel_identifyInputsAndOutputs(
        made, uint32_t(graph.inputIndexes.size()), graph.inputIndexes.data(),
        uint32_t(graph.outputIndexes.size()), graph.outputIndexes.data()));
    expectCode(ANeuralNetworksModel_relaxComputationFloat32toFloat16(
        made, model.relaxComputationFloat32toFloat16));
    fed.finished = expectCode(ANeuralNetworksModel_finish(made));
    return fed;
  }

private:
  void feedParams(ANeuralNetworksModel *made, int32_t index,
                  const rt::Operand &operand) const {
    const auto *quant =
        std::get_if<rt::SymmPerChannelQuantParams>(&operand.extraParams);
    if (!quant)
      return;
    ANeuralNetworksSymmPerChannelQuantParams params = {
        quant->channelDim, uint32_t(quant->scales.size()),
        quant->scales.data()};
    expectCode(ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(
        made, index, &params));
  }

  void feedValue(Fed &fed, int32_t index, const rt::Operand &operand,
                 int depth) const {
    ANeuralNetworksModel *made = fed.model.get();
    if (operand.lifetime == rt::OperandLifeTime::SUBGRAPH) {
      const ANeuralNetworksModel *value = nullptr;
      if (operand.location.offset < model.referenced.size() && depth < 3) {
        fed.referenced.push_back(
            feed(model.referenced[operand.location.offset], depth + 1));
        value = fed.referenced.back().model.get();
      }
      expectCode(
          ANeuralNetworksModel_setOperandValueFromModel(made, index, value));
    } else if (operand.lifetime == rt::OperandLifeTime::NO_VALUE) {
      expectCode(ANeuralNetworksModel_setOperandValue(made, index, nullptr, 0));
    } else if (rt::isConstant(operand.lifetime)) {
      bool isPool = operand.lifetime == rt::OperandLifeTime::CONSTANT_REFERENCE;
      if (isPool && operand.location.poolIndex >= model.pools.size())
        return;
      auto bytes = rt::constantBytes(model, operand);
      if (bytes.isOk())
        expectCode(ANeuralNetworksModel_setOperandValue(
            made, index, bytes->data(), bytes->size()));
    }
  }

  const rt::Model &model;
};

struct Counts {
  uint64_t models = 0;
  uint64_t finished = 0;
  uint64_t compiled = 0;
  uint64_t computed = 0;
};

/// Sets the arguments of \p test, and more than that, and computes.
int compute(ANeuralNetworksCompilation *compilation, const rt::TestCase &test,
            std::mt19937 &random) {
  ANeuralNetworksExecution *made = nullptr;
  expectCode(ANeuralNetworksExecution_create(compilation, &made));
  NdkExecution execution(made);
  expectCode(ANeuralNetworksExecution_setLoopTimeout(made, 1'000'000));
  expectCode(ANeuralNetworksExecution_setTimeout(made, 500'000'000));
  expectCode(ANeuralNetworksExecution_setMeasureTiming(made, random() % 2));
  const rt::TestExample &example = test.examples[0];
  for (size_t i = 0; i < example.inputs.size(); ++i) {
    const rt::TestTensor &input = example.inputs[i];
    ANeuralNetworksOperandType type = {};
    type.type = random() % 8 == 0 ? int32_t(random() % 17) : 0;
    if (i < test.model.main.inputIndexes.size() &&
        test.model.main.inputIndexes[i] < test.model.main.operands.size())
      type = operandTypeOf(
          test.model.main.operands[test.model.main.inputIndexes[i]]);
    type.dimensionCount = uint32_t(input.dimensions.size());
    type.dimensions =
        input.dimensions.empty() ? nullptr : input.dimensions.data();
    bool isAbsent = input.isAbsent || random() % 32 == 0;
    expectCode(ANeuralNetworksExecution_setInput(
        made, int32_t(i), random() % 2 ? &type : nullptr,
        isAbsent ? nullptr : input.bytes.data(),
        isAbsent ? 0 : input.bytes.size()));
  }
  std::vector<std::vector<std::byte>> outputs;
  for (size_t i = 0; i < test.model.main.outputIndexes.size(); ++i) {
    uint32_t index = test.model.main.outputIndexes[i];
    uint64_t size = 4096;
    if (index < test.model.main.operands.size())
      size = rt::byteSizeOf(test.model.main.operands[index]).value_or(4096);
    if (random() % 16 == 0)
      size /= 2;
    std::vector<std::byte> &bytes =
        outputs.emplace_back(std::min<uint64_t>(size, 8 * maxTensor));
    expectCode(ANeuralNetworksExecution_setOutput(made, int32_t(i), nullptr,
                                                  bytes.data(), bytes.size()));
  }
  int code = expectCode(ANeuralNetworksExecution_compute(made));
  // Nobody knows how many dimensions are written before the rank is asked.
  for (int32_t i = 0; i < int32_t(outputs.size()) + 1; ++i) {
    uint32_t rank = 0;
    if (expectCode(ANeuralNetworksExecution_getOutputOperandRank(
            made, i, &rank)) == ANEURALNETWORKS_NO_ERROR) {
      std::vector<uint32_t> dimensions(rank + 1);
      expectCode(ANeuralNetworksExecution_getOutputOperandDimensions(
          made, i, dimensions.data()));
    }
  }
  uint64_t duration = 0;
  expectCode(ANeuralNetworksExecution_getDuration(
      made, int32_t(random() % 6) - 1, &duration));
  return code;
}

void tryOut(const rt::TestCase &test, std::mt19937 &random, Counts &counts) {
  ++counts.models;
  CarelessFeeder::Fed fed = CarelessFeeder(test.model).feed(test.model.main);
  std::vector<uint8_t> supported(test.model.main.operations.size() + 1);
  const ANeuralNetworksDevice *device = referenceDevice();
  static_assert(sizeof(bool) == 1);
  expectCode(ANeuralNetworksModel_getSupportedOperationsForDevices(
      fed.model.get(), &device, 1, reinterpret_cast<bool *>(supported.data())));
  // A model that was not finished well, or not at all, is compiled
  // nevertheless.
  counts.finished += fed.finished == ANEURALNETWORKS_NO_ERROR;
  ANeuralNetworksCompilation *made = nullptr;
  expectCode(ANeuralNetworksCompilation_createForDevices(fed.model.get(),
                                                         &device, 1, &made));
  NdkCompilation compilation(made);
  if (!compilation)
    return;
  expectCode(ANeuralNetworksCompilation_setPreference(
      made, int32_t(random() % 5) - 1));
  int code = expectCode(ANeuralNetworksCompilation_finish(made));
  counts.compiled += code == ANEURALNETWORKS_NO_ERROR;
  if (isSmall(test.model))
    counts.computed += compute(made, test, random) == ANEURALNETWORKS_NO_ERROR;
}

std::vector<rt::TestCase> readCases(const std::string &folder) {
  std::vector<rt::TestCase> cases;
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator it(folder, error), end;
       !error && it != end; it.increment(error)) {
    if (it->path().extension() != ".json" || it->file_size() > 1 << 18)
      continue;
    std::ifstream stream(it->path());
    std::stringstream text;
    text << stream.rdbuf();
    rt::Status status = rt::readTestCases(text.str(), [&](rt::TestCase test) {
      if (!test.examples.empty())
        cases.push_back(std::move(test));
      return rt::Status::ok();
    });
    EXPECT_EQ(status.message(), "") << it->path();
  }
  return cases;
}

// J-110, J-113: damaged models are codes, and nothing ends the process.
TEST(HostileModelsTest, DamagedCases) {
  std::vector<rt::TestCase> cases = readCases(NNHAL_TEST_DATA "/Cases");
  if (const char *folder = std::getenv("NNHAL_HOSTILE_CASES"))
    for (rt::TestCase &test : readCases(folder))
      cases.push_back(std::move(test));
  ASSERT_FALSE(cases.empty());
  Counts counts;
  repeat(1000, [&](uint64_t round) {
    std::mt19937 random{uint32_t(round)};
    rt::TestCase test = cases[random() % cases.size()];
    // One in eight stays as it is, so that something computes.
    if (round % 8 != 0)
      rt::test::Mutator(uint32_t(round)).mutate(test);
    tryOut(test, random, counts);
  });
  RecordProperty("models", std::to_string(counts.models));
  RecordProperty("computed", std::to_string(counts.computed));
  EXPECT_GT(counts.finished, counts.models / 20);
  EXPECT_GT(counts.compiled, counts.models / 20);
  EXPECT_GT(counts.computed, counts.models / 40);
  EXPECT_LT(counts.finished, counts.models);
}

// J-113: numbers of operands, inputs and operations that nobody has.
TEST(HostileModelsTest, HugeCounts) {
  ANeuralNetworksModel *made = nullptr;
  expectCode(ANeuralNetworksModel_create(&made));
  NdkModel model(made);
  const uint32_t one = 1;
  // The client says that it has this many dimensions, and has one.
  ANeuralNetworksOperandType type = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, nullptr,
                                     0, 0};
  type.dimensionCount = UINT32_MAX;
  EXPECT_EQ(ANeuralNetworksModel_addOperand(made, &type),
            ANEURALNETWORKS_BAD_DATA);
  type = {ANEURALNETWORKS_TENSOR_FLOAT32, 1, &one, 0, 0};
  for (int i = 0; i < 100'000; ++i)
    ASSERT_EQ(ANeuralNetworksModel_addOperand(made, &type),
              ANEURALNETWORKS_NO_ERROR);
  std::vector<uint32_t> all(100'000);
  for (uint32_t i = 0; i < all.size(); ++i)
    all[i] = i;
  EXPECT_EQ(
      ANeuralNetworksModel_addOperation(made, ANEURALNETWORKS_CONCATENATION,
                                        99'999, all.data(), 1, &all.back()),
      ANEURALNETWORKS_BAD_DATA);
  expectCode(ANeuralNetworksModel_identifyInputsAndOutputs(
      made, 99'999, all.data(), 1, &all.back()));
  EXPECT_NE(expectCode(ANeuralNetworksModel_finish(made)),
            ANEURALNETWORKS_NO_ERROR);
}

/// A model that refers to \p value twice as the branches of an IF.
NdkModel nest(const ANeuralNetworksModel *value) {
  ANeuralNetworksModel *made = nullptr;
  expectCode(ANeuralNetworksModel_create(&made));
  const uint32_t one = 1, four = 4;
  ANeuralNetworksOperandType condition = {ANEURALNETWORKS_TENSOR_BOOL8, 1, &one,
                                          0, 0};
  ANeuralNetworksOperandType graph = {ANEURALNETWORKS_MODEL, 0, nullptr, 0, 0};
  ANeuralNetworksOperandType floats = {ANEURALNETWORKS_TENSOR_FLOAT32, 1, &four,
                                       0, 0};
  for (const auto *type : {&condition, &graph, &graph, &floats, &floats})
    expectCode(ANeuralNetworksModel_addOperand(made, type));
  const uint8_t yes = 1;
  expectCode(ANeuralNetworksModel_setOperandValue(made, 0, &yes, 1));
  expectCode(ANeuralNetworksModel_setOperandValueFromModel(made, 1, value));
  expectCode(ANeuralNetworksModel_setOperandValueFromModel(made, 2, value));
  const uint32_t inputs[] = {0, 1, 2, 3}, output = 4;
  expectCode(ANeuralNetworksModel_addOperation(made, ANEURALNETWORKS_IF, 4,
                                               inputs, 1, &output));
  expectCode(ANeuralNetworksModel_identifyInputsAndOutputs(made, 1, inputs + 3,
                                                           1, &output));
  expectCode(ANeuralNetworksModel_finish(made));
  return NdkModel(made);
}

// J-113: each level names the one below twice, so that a client of few calls
// could ask for any amount of work.
TEST(HostileModelsTest, NestedModels) {
  std::vector<NdkModel> levels;
  levels.push_back(unaryModel(ANEURALNETWORKS_RELU));
  for (int i = 0; i < 8; ++i)
    levels.push_back(nest(levels.back().get()));
  NdkCompilation compilation = compile(levels.back().get());
  if (compilation) {
    ANeuralNetworksExecution *made = nullptr;
    expectCode(ANeuralNetworksExecution_create(compilation.get(), &made));
    NdkExecution execution(made);
    std::array<float, 4> in = {-1, 2, -3, 4}, out = {};
    expectCode(ANeuralNetworksExecution_setInput(made, 0, nullptr, in.data(),
                                                 sizeof(in)));
    expectCode(ANeuralNetworksExecution_setOutput(made, 0, nullptr, out.data(),
                                                  sizeof(out)));
    EXPECT_EQ(ANeuralNetworksExecution_compute(made), ANEURALNETWORKS_NO_ERROR);
    EXPECT_EQ(out, (std::array<float, 4>{0, 2, 0, 4}));
  }
  // Models are freed in the reverse order (J-079).
  compilation.reset();
  while (!levels.empty())
    levels.pop_back();
}

} // namespace
