//===- TFLiteBidirectionalTest.cpp - Cells of two directions, and hashes --===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers of the LSTM and of the hashes are those of TensorFlow Lite's own
// tests of these operators.
//
//===----------------------------------------------------------------------===//

#include "RunTesting.h"

#include <algorithm>
#include <map>

namespace nnhal::rt {
namespace {

using schema::Activation;

/// The weights and biases of one cell of 4 units and inputs of 2, by place
/// behind its first.
const std::map<size_t, std::vector<float>> cellValues = {
    {1,
     {-0.45018822f, -0.02338299f, -0.0870589f, -0.34550029f, 0.04266912f,
      -0.15680569f, -0.34856534f, 0.43890524f}},
    {2,
     {0.09701663f, 0.20334584f, -0.50592935f, -0.31343272f, -0.40032279f,
      0.44781327f, 0.01387155f, -0.35593212f}},
    {3,
     {-0.50013041f, 0.1370284f, 0.11810488f, 0.2013163f, -0.20583314f,
      0.44344562f, 0.22077113f, -0.29909778f}},
    {4,
     {-0.25065863f, -0.28290087f, 0.04613829f, 0.40525138f, 0.44272184f,
      0.03897077f, -0.1556896f, 0.19487578f}},
    {5,
     {-0.0063535f, -0.2042388f, 0.31454784f, -0.35746509f, 0.28902304f,
      0.08183324f, -0.16555229f, 0.02286911f, -0.13566875f, 0.03034258f,
      0.48091322f, -0.12528998f, 0.24077177f, -0.51332325f, -0.33502164f,
      0.10629296f}},
    {6,
     {-0.48684245f, -0.06655136f, 0.42224967f, 0.2112639f, 0.27654213f,
      0.20864892f, -0.07646349f, 0.45877004f, 0.00141793f, -0.14609534f,
      0.36447752f, 0.09196436f, 0.28053468f, 0.01560611f, -0.20127171f,
      -0.01140004f}},
    {7,
     {-0.3407414f, 0.24443203f, -0.2078532f, 0.26320225f, 0.05695659f,
      -0.00123841f, -0.4744786f, -0.35869038f, -0.06418842f, -0.13502428f,
      -0.501764f, 0.22830659f, -0.46367589f, 0.26016325f, -0.03894562f,
      -0.16368064f}},
    {8,
     {0.43385774f, -0.17194885f, 0.2718237f, 0.09215671f, 0.24107647f,
      -0.39835793f, 0.18212086f, 0.01301402f, 0.48572797f, -0.50656658f,
      0.20047462f, -0.20607421f, -0.51818722f, -0.15390486f, 0.0468148f,
      0.39922136f}},
    {12, {0, 0, 0, 0}},
    {13, {1, 1, 1, 1}},
    {14, {0, 0, 0, 0}},
    {15, {0, 0, 0, 0}},
};
const Numbers steps = {2, 3, 3, 4, 1, 1};
const Numbers forward = {-0.02973187, 0.1229473,  0.20885126, -0.15358765,
                         -0.03716109, 0.12507336, 0.41193449, -0.20860538,
                         -0.15053082, 0.09120187, 0.24278517, -0.12222792};
const Numbers backward = {-0.0806187, 0.139077,  0.400476, -0.197842,
                          -0.0332076, 0.123838,  0.309777, -0.17621,
                          -0.0490733, 0.0739237, 0.067706, -0.0208124};

struct Form {
  bool isMerged = false, isTimeMajor = true, isHybrid = false;
  std::vector<int32_t> shape = {3, 1, 2};
};

int32_t weights(TFLiteWriter &file, const std::vector<float> &values,
                const Form &form) {
  int32_t columns = values.size() == 8 ? 2 : 4;
  std::vector<int32_t> shape = {4, columns};
  if (values.size() == 4)
    shape = {4};
  if (!form.isHybrid || values.size() == 4)
    return file.constant<float>({shape}, values);
  float scale = std::abs(std::ranges::max(
                    values, {}, [](float value) { return std::abs(value); })) /
                127;
  std::vector<int8_t> bytes;
  bytes.reserve(values.size());
  for (float value : values)
    bytes.push_back(int8_t(std::lround(value / scale)));
  return file.constant<int8_t>({shape, Type::INT8, {scale}, {0}}, bytes);
}

std::vector<std::byte> lstmFile(const Form &form) {
  TFLiteWriter file;
  std::vector<int32_t> inputs = {file.tensor({form.shape})};
  for (int direction = 0; direction < 2; ++direction)
    for (size_t place = 1; place <= 17; ++place) {
      auto found = cellValues.find(place);
      inputs.push_back(
          found == cellValues.end() ? -1 : weights(file, found->second, form));
    }
  for (int state = 0; state < 4; ++state)
    inputs.push_back(file.tensor({.shape = {4}, .isVariable = true}));
  inputs.resize(48, -1);
  std::vector<int32_t> outputs = {file.tensor({{}})};
  if (!form.isMerged)
    outputs.push_back(file.tensor({{}}));
  file.add(Code::BIDIRECTIONAL_SEQUENCE_LSTM, inputs, outputs,
           schema::CreateBidirectionalSequenceLSTMOptions(
               file.builder, Activation::TANH, 0, 0, form.isMerged,
               form.isTimeMajor));
  return file.finish({inputs[0]}, outputs);
}

TEST(TFLiteBidirectionalTest, lstm) {
  std::vector<std::byte> bytes = lstmFile({});
  EXPECT_EQ(toText(importBytes(bytes)),
            "BIDIRECTIONAL_SEQUENCE_LSTM(i3x1x2, c4x2, c4x2, c4x2, c4x2, c4x4, "
            "c4x4, c4x4, c4x4, -, -, -, c4, c4, c4, c4, -, -, c4x2, c4x2, "
            "c4x2, c4x2, c4x4, c4x4, c4x4, c4x4, -, -, -, c4, c4, c4, c4, -, "
            "-, i1x4, i1x4, i1x4, i1x4, -, -, -, -, -, -, -, -, -, 4, 0f, 0f, "
            "false, true, -, -, -, -, -, -, -, -) -> o3x1x4, o3x1x4, o1x4, "
            "o1x4, o1x4, o1x4\n");
  EXPECT_EQ(importBytes(bytes).statePairs,
            (std::vector<StatePair>{{2, 1}, {3, 2}, {4, 3}, {5, 4}}));
  std::vector<Numbers> results = runFile(bytes, {steps});
  ASSERT_EQ(results.size(), 6u);
  expectNear(results[0], forward, 1e-5);
  expectNear(results[1], backward, 1e-5);
  // The states are those after the last step of each direction.
  expectNear(results[2], {forward.end() - 4, forward.end()}, 1e-5);
  expectNear(results[4], {backward.begin(), backward.begin() + 4}, 1e-5);
}

TEST(TFLiteBidirectionalTest, lstmOfAnotherOrder) {
  Numbers merged;
  for (int step = 0; step < 3; ++step)
    for (const Numbers *one : {&forward, &backward})
      merged.insert(merged.end(), one->begin() + 4 * step,
                    one->begin() + 4 * step + 4);
  Form form = {.isMerged = true, .isTimeMajor = false, .shape = {1, 3, 2}};
  std::vector<Numbers> results = runFile(lstmFile(form), {steps});
  ASSERT_EQ(results.size(), 5u);
  expectNear(results[0], merged, 1e-5);
  // Two sequences of one step: each direction begins with the first output.
  form = {.isTimeMajor = false, .shape = {2, 1, 2}};
  results = runFile(lstmFile(form), {{2, 3, 1, 1}});
  ASSERT_EQ(results.size(), 6u);
  EXPECT_EQ(results[0], results[1]);
  expectNear({results[0].begin(), results[0].begin() + 4},
             {forward.begin(), forward.begin() + 4}, 1e-5);
  expectNear({results[1].begin() + 4, results[1].end()},
             {backward.end() - 4, backward.end()}, 1e-5);
}

// Bytes of weights lose little.
TEST(TFLiteBidirectionalTest, lstmOfQuantizedWeights) {
  std::vector<std::byte> bytes = lstmFile({.isHybrid = true});
  std::vector<std::string> names = operationsOf(bytes);
  EXPECT_EQ(std::ranges::count(names, "DEQUANTIZE"), 16);
  std::vector<Numbers> results = runFile(bytes, {steps});
  ASSERT_EQ(results.size(), 6u);
  expectNear(results[0], forward, 1e-2);
  expectNear(results[1], backward, 1e-2);
}

//===----------------------------------------------------------------------===//
// Parts that may be absent
//===----------------------------------------------------------------------===//

/// A file whose inputs 0 to 47 have the shapes of \p shapes, none where that is
/// empty.
std::string lstmText(const std::vector<std::vector<int32_t>> &shapes,
                     int outputCount = 2, bool isMerged = false) {
  TFLiteWriter file;
  std::vector<int32_t> inputs, outputs, fed;
  for (size_t i = 0; i < shapes.size(); ++i) {
    bool isData = i == 0 || i == 39, isState = i >= 35 && i < 39;
    inputs.push_back(-1);
    if (isState)
      inputs[i] = file.tensor({.shape = shapes[i], .isVariable = true});
    else if (isData && !shapes[i].empty())
      fed.push_back(inputs[i] = file.tensor({shapes[i]}));
    else if (!shapes[i].empty())
      inputs[i] = file.floats(shapes[i]);
  }
  for (int i = 0; i < outputCount; ++i)
    outputs.push_back(file.tensor({{}}));
  file.add(Code::BIDIRECTIONAL_SEQUENCE_LSTM, inputs, outputs,
           schema::CreateBidirectionalSequenceLSTMOptions(
               file.builder, Activation::TANH, 3, 2, isMerged, false));
  std::vector<std::byte> bytes = file.finish(fed, outputs);
  std::string message = importError(bytes);
  if (message == "imported")
    return toText(importBytes(bytes));
  std::string prefix = "operator 0 (BIDIRECTIONAL_SEQUENCE_LSTM): ";
  return message.starts_with(prefix) ? message.substr(prefix.size()) : message;
}

/// Shapes of inputs of batch 1, 5 steps and 3 features for cells of 4 units
/// without input gates.
std::vector<std::vector<int32_t>> coupledShapes() {
  std::vector<std::vector<int32_t>> shapes(48);
  shapes[0] = {1, 5, 3};
  for (size_t first : {0, 17}) {
    for (size_t i : {2, 3, 4})
      shapes[first + i] = {4, 3};
    for (size_t i : {6, 7, 8})
      shapes[first + i] = {4, 4};
    for (size_t i : {13, 14, 15})
      shapes[first + i] = {4};
  }
  return shapes;
}

TEST(TFLiteBidirectionalTest, lstmParts) {
  // The forward cell has peepholes, the backward cell a projection, and each
  // reads an auxiliary input of 2 features.
  std::vector<std::vector<int32_t>> shapes = coupledShapes();
  shapes[10] = shapes[11] = {4};
  for (size_t i : {23, 24, 25})
    shapes[i] = {4, 6};
  shapes[33] = {6, 4};
  shapes[34] = {6};
  shapes[39] = {1, 5, 2};
  for (size_t i : {41, 42, 43, 45, 46, 47})
    shapes[i] = {4, 2};
  EXPECT_EQ(lstmText(shapes, 1, true),
            "BIDIRECTIONAL_SEQUENCE_LSTM(i1x5x3, -, c4x3, c4x3, c4x3, -, c4x4, "
            "c4x4, c4x4, -, c4, c4, -, c4, c4, c4, -, -, -, c4x3, c4x3, c4x3, "
            "-, c4x6, c4x6, c4x6, -, -, -, -, c4, c4, c4, c6x4, c6, i1x4, "
            "i1x4, i1x6, i1x4, i1x5x2, -, c4x2, c4x2, c4x2, -, c4x2, c4x2, "
            "c4x2, 4, 3f, 2f, true, false, -, -, -, -, -, -, -, -) -> o1x5x10, "
            "o1x4, o1x4, o1x6, o1x4\n");
  // Without weights of its own the auxiliary input is the backward cell's.
  shapes = coupledShapes();
  shapes[39] = {1, 5, 2};
  for (size_t i : {19, 20, 21})
    shapes[i] = {4, 2};
  std::string text = lstmText(shapes);
  EXPECT_NE(text.find("i1x5x2, -, -, -, -, -, -, -, -, 4"), std::string::npos)
      << text;
}

TEST(TFLiteBidirectionalTest, lstmErrors) {
  std::vector<std::vector<int32_t>> shapes = coupledShapes();
  EXPECT_EQ(lstmText(shapes, 1),
            "has 1 outputs, expected 2, because merge_outputs is false");
  EXPECT_EQ(lstmText(shapes, 2, true),
            "has 2 outputs, expected 1, because merge_outputs is true");
  shapes.resize(39);
  EXPECT_EQ(lstmText(shapes), "has 39 inputs, expected 48");
  auto changed = [](size_t place, std::vector<int32_t> shape) {
    std::vector<std::vector<int32_t>> shapes = coupledShapes();
    shapes[place] = std::move(shape);
    return shapes;
  };
  EXPECT_EQ(lstmText(changed(0, {5, 3})),
            "input 0 has shape 5x3, expected rank 3");
  EXPECT_EQ(lstmText(changed(2, {})), "input 2 is missing");
  EXPECT_EQ(lstmText(changed(32, {})), "input 32 is missing");
  EXPECT_EQ(lstmText(changed(20, {4, 2})),
            "input 20 has shape 4x2, expected 4x3");
  EXPECT_EQ(lstmText(changed(24, {4, 5})),
            "input 24 has shape 4x5, expected 4x4");
  EXPECT_EQ(lstmText(changed(18, {4, 3})),
            "inputs 18 and 22 must be present together");
  EXPECT_EQ(lstmText(changed(28, {4})),
            "inputs 27 and 28 must be present together");
  EXPECT_EQ(lstmText(changed(26, {4})),
            "input 26 is present, but input 18 is missing and input 27 is "
            "missing");
  EXPECT_EQ(lstmText(changed(42, {4, 2})),
            "has 1 auxiliary weights, but the auxiliary input 39 is missing");
  EXPECT_EQ(lstmText(changed(39, {1, 4, 3})),
            "input 39 has shape 1x4x3, expected 1x5x3");
  shapes = coupledShapes();
  shapes[39] = {1, 5, 2};
  shapes[45] = {4, 2};
  EXPECT_EQ(lstmText(shapes),
            "input 41 must be present beside the other auxiliary weights");
  shapes[41] = shapes[42] = shapes[43] = shapes[40] = {4, 2};
  EXPECT_EQ(lstmText(shapes),
            "input 40 must be missing beside the other auxiliary weights");
  shapes[40] = {};
  shapes[46] = {4, 3};
  EXPECT_EQ(lstmText(shapes), "input 46 has shape 4x3, expected 4x2");
}

//===----------------------------------------------------------------------===//
// BIDIRECTIONAL_SEQUENCE_RNN
//===----------------------------------------------------------------------===//

struct RnnForm {
  bool isMerged = false, isTimeMajor = false;
  bool hasAuxiliary = false, hasAuxiliaryWeights = false;
};

/// Cells of two units for inputs of two features: one adds up what it has read,
/// the other counts tenfold what is older.
std::vector<std::byte> rnnFile(const RnnForm &form,
                               const std::vector<int32_t> &shape) {
  TFLiteWriter file;
  std::vector<int32_t> inputs = {file.tensor({shape})}, fed = inputs;
  for (float older : {1.0f, 10.0f}) {
    inputs.push_back(file.constant<float>({{2, 2}}, {1, 0, 0, 1}));
    inputs.push_back(file.constant<float>({{2, 2}}, {older, 0, 0, older}));
    inputs.push_back(file.constant<float>({{2}}, {0, 0.5f}));
    inputs.push_back(file.tensor({.shape = {2}, .isVariable = true}));
  }
  inputs.resize(12, -1);
  if (form.hasAuxiliary)
    fed.push_back(inputs[9] = file.tensor({shape}));
  if (form.hasAuxiliaryWeights) {
    inputs[10] = file.constant<float>({{2, 2}}, {0, 100, 0, 0});
    inputs[11] = file.constant<float>({{2, 2}}, {0, 0, 1000, 0});
  }
  std::vector<int32_t> outputs = {file.tensor({{}})};
  if (!form.isMerged)
    outputs.push_back(file.tensor({{}}));
  file.add(
      Code::BIDIRECTIONAL_SEQUENCE_RNN, inputs, outputs,
      schema::CreateBidirectionalSequenceRNNOptions(
          file.builder, form.isTimeMajor, Activation::RELU, form.isMerged));
  return file.finish(fed, outputs);
}

TEST(TFLiteBidirectionalTest, rnn) {
  std::vector<std::byte> bytes = rnnFile({}, {1, 3, 2});
  EXPECT_EQ(toText(importBytes(bytes)),
            "BIDIRECTIONAL_SEQUENCE_RNN(i1x3x2, c2x2, c2x2, c2, i1x2, c2x2, "
            "c2x2, c2, i1x2, -, -, -, 1, false, false) -> o1x3x2, o1x3x2, "
            "o1x2, o1x2\n");
  EXPECT_EQ(importBytes(bytes).statePairs,
            (std::vector<StatePair>{{2, 1}, {3, 2}}));
  EXPECT_EQ(runFile(bytes, {{1, 2, 3, 4, 5, 6}}),
            (std::vector<Numbers>{{1, 2.5, 4, 7, 9, 13.5},
                                  {531, 697.5, 53, 69.5, 5, 6.5},
                                  {9, 13.5},
                                  {531, 697.5}}));
  EXPECT_EQ(runFile(rnnFile({.isMerged = true}, {1, 2, 2}), {{1, 2, 3, 4}})[0],
            (Numbers{1, 2.5, 31, 47.5, 4, 7, 3, 4.5}));
  // Two sequences of one step in place of one of two.
  EXPECT_EQ(runFile(rnnFile({.isMerged = true, .isTimeMajor = true}, {1, 2, 2}),
                    {{1, 2, 3, 4}})[0],
            (Numbers{1, 2.5, 1, 2.5, 3, 4.5, 3, 4.5}));
}

TEST(TFLiteBidirectionalTest, auxiliaryInputs) {
  std::vector<Numbers> inputs = {{1, 2, 3, 4}, {5, 6, 7, 8}};
  std::vector<Numbers> parallel =
      runFile(rnnFile({.hasAuxiliary = true}, {1, 2, 2}), inputs);
  EXPECT_EQ(parallel[0], (Numbers{1, 2.5, 4, 7}));
  EXPECT_EQ(parallel[1], (Numbers{75, 91.5, 7, 8.5}));
  std::vector<Numbers> crossed = runFile(
      rnnFile({.hasAuxiliary = true, .hasAuxiliaryWeights = true}, {1, 2, 2}),
      inputs);
  EXPECT_EQ(crossed[0], (Numbers{601, 2.5, 1404, 7}));
  EXPECT_EQ(crossed[1], (Numbers{31, 75047.5, 3, 7004.5}));
}

TEST(TFLiteBidirectionalTest, rnnErrors) {
  auto error = [](const RnnForm &form, std::vector<int32_t> shape) {
    std::string message = importError(rnnFile(form, std::move(shape)));
    std::string prefix = "operator 0 (BIDIRECTIONAL_SEQUENCE_RNN): ";
    return message.starts_with(prefix) ? message.substr(prefix.size())
                                       : message;
  };
  EXPECT_EQ(error({}, {3, 2}), "input 0 has shape 3x2, expected rank 3");
  EXPECT_EQ(error({}, {1, 3, 4}), "input 1 has shape 2x2, expected 2x4");
  EXPECT_EQ(error({.hasAuxiliaryWeights = true}, {1, 3, 2}),
            "has 2 auxiliary weights, but the auxiliary input 9 is missing");
}

//===----------------------------------------------------------------------===//
// LSH_PROJECTION
//===----------------------------------------------------------------------===//

Options projection(schema::LSHProjectionType type) {
  return options([type](Builder &builder) {
    return schema::CreateLSHProjectionOptions(builder, type);
  });
}

const TestInput seeds = {{{3, 2}},
                         {0.123, 0.456, -0.321, 1.234, 5.678, -4.321}};

TEST(TFLiteBidirectionalTest, projections) {
  using schema::LSHProjectionType;
  TestInput line = {{{5}, Type::INT32}, {12345, 54321, 67890, 9876, -12345678}};
  TestInput ones = {{{5}}, {1, 1, 1, 1, 1}};
  EXPECT_EQ(run(Code::LSH_PROJECTION, {seeds, line, ones}, {{6}, Type::INT32},
                projection(LSHProjectionType::DENSE)),
            (Numbers{0, 0, 0, 1, 0, 0}));
  EXPECT_EQ(run(Code::LSH_PROJECTION, {seeds, line}, {{3}, Type::INT32},
                projection(LSHProjectionType::SPARSE)),
            (Numbers{0, 4 + 1, 8}));
  TestInput block = {{{5, 2, 2}, Type::INT32},
                     {1234, 2345, 3456, 1234, 4567, 5678, 6789,
                      4567, 7891, 8912, 9123, 7890, -987, -876,
                      -765, -987, -543, -432, -321, -543}};
  TestInput factors = {{{5}}, {0.12, 0.34, 0.56, 0.67, 0.78}};
  EXPECT_EQ(run(Code::LSH_PROJECTION, {seeds, block, factors},
                {{3}, Type::INT32}, projection(LSHProjectionType::SPARSE)),
            (Numbers{2, 4 + 1, 8 + 1}));
}

TEST(TFLiteBidirectionalTest, projectionErrors) {
  using schema::LSHProjectionType;
  TestInput line = {{{5}, Type::INT32}, {}};
  auto error = [&](const TestInput &hash, const TestInput &data,
                   LSHProjectionType type,
                   const TensorSpec &result = {{3}, Type::INT32}) {
    return operatorError(Code::LSH_PROJECTION, {hash, data}, {result},
                         projection(type));
  };
  EXPECT_EQ(error(seeds, line, LSHProjectionType::UNKNOWN),
            "projection type 0 is neither SPARSE (1) nor DENSE (2)");
  EXPECT_EQ(error(seeds, line, LSHProjectionType(7)),
            "projection type 7 is neither SPARSE (1) nor DENSE (2)");
  // The extension has 64-bit integers, but no hashes.
  for (bool isConstant : {false, true})
    EXPECT_EQ(importError(operatorFile(
                  Code::LSH_PROJECTION,
                  {seeds, {{{2}, Type::INT64}, {1, 2}, isConstant}},
                  {{{6}, Type::INT32}}, projection(LSHProjectionType::DENSE))),
              "operator 0 (LSH_PROJECTION): input 1 has type INT64, whose "
              "bytes the HAL does not hash");
  EXPECT_EQ(error(seeds, {{{5}, Type::INT8}, {}}, LSHProjectionType::DENSE),
            "the HAL's LSH_PROJECTION does not take input 1 of type INT8");
  EXPECT_EQ(error(seeds, line, LSHProjectionType::SPARSE, {{3}}),
            "output 0 has type TENSOR_FLOAT32, expected TENSOR_INT32");
  // The rules of the HAL's operation bound the bits.
  EXPECT_EQ(error({{{1, 33}}, {}}, line, LSHProjectionType::DENSE),
            "hash has 33 bits, above 32");
}

} // namespace
} // namespace nnhal::rt
