//===- TFLiteVariablesTest.cpp - Resource variables as states -------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunTesting.h"

using namespace nnhal;
using namespace nnhal::rt;

namespace {

using Floats = std::vector<float>;

int32_t addHandle(TFLiteWriter &file, const char *name,
                  const char *container = nullptr) {
  int32_t handle = file.tensor({{}, Type::RESOURCE});
  auto where = container ? file.builder.CreateString(container) : 0;
  auto shared = file.builder.CreateString(name);
  file.add(Code::VAR_HANDLE, {}, {handle},
           schema::CreateVarHandleOptions(file.builder, where, shared));
  return handle;
}

void callOnce(TFLiteWriter &file, int32_t subgraph = 1) {
  file.add(Code::CALL_ONCE, {}, {},
           schema::CreateCallOnceOptions(file.builder, subgraph));
}

/// A subgraph that assigns \p values to variable 'sum'.
void addInitializer(TFLiteWriter &file, const Floats &values) {
  int32_t handle = addHandle(file, "sum");
  file.add(Code::ASSIGN_VARIABLE,
           {handle, file.constant<float>({{int32_t(values.size())}}, values)},
           {});
}

/// Adds the input to variable 'sum' and returns the sum.
std::vector<std::byte> accumulator(const Floats &initial) {
  TFLiteWriter file;
  if (!initial.empty())
    callOnce(file);
  int32_t x = file.tensor({{2}}), old = file.tensor({{2}}),
          sum = file.tensor({{2}}), handle = addHandle(file, "sum");
  file.add(Code::READ_VARIABLE, {handle}, {old});
  file.add(Code::ADD, {old, x}, {sum});
  file.add(Code::ASSIGN_VARIABLE, {handle, sum}, {});
  if (initial.empty())
    return file.finish({x}, {sum});
  file.endSubgraph({x}, {sum});
  addInitializer(file, initial);
  return file.finish({}, {});
}

TEST(TFLiteVariablesTest, aVariableBecomesAState) {
  AnnotatedModel model = importBytes(accumulator({}));
  // The sum is an output already, so that the state is a copy of it.
  EXPECT_EQ(toText(model), "ADD(i2, i2, 0) -> o2\nRESHAPE(o2, {2}) -> o2\n");
  EXPECT_EQ(model.statePairs, (std::vector<StatePair>{{1, 1}}));
  EXPECT_EQ(model.inputNames[1], "sum");
  EXPECT_EQ(model.outputNames[1], "sum");
  EXPECT_EQ(runFile(accumulator({}), {{1, 2}, {10, 20}}),
            (std::vector<Numbers>{{11, 22}, {11, 22}}));
}

TEST(TFLiteVariablesTest, zerosNeedNoSecondState) {
  EXPECT_EQ(importBytes(accumulator({0, 0})).statePairs.size(), 1u);
}

TEST(TFLiteVariablesTest, otherInitialValuesAreSelectedOnce) {
  std::vector<std::byte> bytes = accumulator({5, 7});
  AnnotatedModel model = importBytes(bytes);
  EXPECT_EQ(model.statePairs, (std::vector<StatePair>{{1, 1}, {2, 2}}));
  EXPECT_EQ(model.inputNames[2], "sum/assigned");
  EXPECT_EQ(runFile(bytes, {{1, 2}, {0, 0}, {0, 0}}),
            (std::vector<Numbers>{{6, 9}, {6, 9}, {1, 1}}));
  EXPECT_EQ(runFile(bytes, {{1, 2}, {6, 9}, {1, 1}}),
            (std::vector<Numbers>{{7, 11}, {7, 11}, {1, 1}}));
}

TEST(TFLiteVariablesTest, theZeroOfBytesIsTheirZeroPoint) {
  auto statesOf = [](int8_t initial) {
    TFLiteWriter file;
    callOnce(file);
    TensorSpec spec = {{2}, Type::INT8, {0.5f}, {-3}};
    int32_t x = file.tensor(spec), y = file.tensor(spec),
            handle = addHandle(file, "v", "c");
    file.add(Code::READ_VARIABLE, {handle}, {y});
    file.add(Code::ASSIGN_VARIABLE, {handle, x}, {});
    file.endSubgraph({x}, {y});
    int32_t same = addHandle(file, "v", "c");
    addHandle(file, "v", "d");
    file.add(Code::ASSIGN_VARIABLE,
             {same, file.constant<int8_t>(spec, {initial, initial})}, {});
    AnnotatedModel model = importBytes(file.finish({}, {}));
    EXPECT_EQ(model.inputNames[1], "c/v");
    return model.statePairs.size();
  };
  EXPECT_EQ(statesOf(-3), 1u);
  EXPECT_EQ(statesOf(0), 2u);
}

TEST(TFLiteVariablesTest, aVariableThatNothingElseAssignsIsAConstant) {
  TFLiteWriter file;
  callOnce(file);
  int32_t x = file.tensor({{2}}), weights = file.tensor({{2}}),
          y = file.tensor({{2}}), handle = addHandle(file, "sum");
  file.add(Code::READ_VARIABLE, {handle}, {weights});
  file.add(Code::ADD, {weights, x}, {y});
  file.endSubgraph({x}, {y});
  addInitializer(file, {5, 7});
  std::vector<std::byte> bytes = file.finish({}, {});
  EXPECT_EQ(toText(importBytes(bytes)), "ADD(c2, i2, 0) -> o2\n");
  EXPECT_EQ(runFile(bytes, {{1, 2}}), (std::vector<Numbers>{{6, 9}}));
}

TEST(TFLiteVariablesTest, whatIsAssignedFirstIsNoState) {
  TFLiteWriter file;
  TensorSpec first = {{2}, Type::INT8, {0.5f}, {0}},
             second = {{2}, Type::INT8, {0.25f}, {10}};
  int32_t x = file.tensor(first), y = file.tensor(second),
          handle = addHandle(file, "v");
  file.add(Code::ASSIGN_VARIABLE, {handle, x}, {});
  file.add(Code::READ_VARIABLE, {handle}, {y});
  std::vector<std::byte> bytes = file.finish({x}, {y});
  EXPECT_TRUE(importBytes(bytes).statePairs.empty());
  // A variable keeps bytes, whatever their scale.
  EXPECT_EQ(runFile(bytes, {{3, -4}}), (std::vector<Numbers>{{3, -4}}));
}

TEST(TFLiteVariablesTest, statesFromConstantsAndInputsAreCopies) {
  TFLiteWriter file;
  int32_t x = file.tensor({{2}}), a = file.tensor({{2}}),
          b = file.tensor({{2}}), c = file.floats({2}, 3),
          first = addHandle(file, "a"), second = addHandle(file, "b");
  file.add(Code::READ_VARIABLE, {first}, {a});
  file.add(Code::READ_VARIABLE, {second}, {b});
  file.add(Code::ASSIGN_VARIABLE, {first, x}, {});
  file.add(Code::ASSIGN_VARIABLE, {second, c}, {});
  EXPECT_EQ(runFile(file.finish({x}, {a, b}), {{1, 2}, {3, 4}, {5, 6}}),
            (std::vector<Numbers>{{3, 4}, {5, 6}, {1, 2}, {3, 3}}));
}

TEST(TFLiteVariablesTest, scalars) {
  TFLiteWriter file;
  int32_t x = file.tensor({{}}), old = file.tensor({{}}),
          handle = addHandle(file, "v");
  file.add(Code::READ_VARIABLE, {handle}, {old});
  file.add(Code::ASSIGN_VARIABLE, {handle, x}, {});
  EXPECT_EQ(runFile(file.finish({x}, {old}), {{4}, {5}}),
            (std::vector<Numbers>{{5}, {4}}));
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

/// What is wrong with a main subgraph that \p body adds to.
template <typename Body> std::string errorOf(Body body) {
  TFLiteWriter file;
  int32_t x = file.tensor({{2}}), handle = addHandle(file, "v");
  body(file, x, handle);
  return importError(file.finish({x}, {x}));
}

TEST(TFLiteVariablesTest, errorsOfVariables) {
  EXPECT_EQ(
      errorOf([](TFLiteWriter &file, int32_t x, int32_t) {
        file.add(Code::READ_VARIABLE, {x}, {file.tensor({{2}})});
      }),
      "operator 1 (READ_VARIABLE): input 0, tensor 0 't0', is no variable");
  EXPECT_EQ(errorOf([](TFLiteWriter &file, int32_t x, int32_t handle) {
              file.add(Code::ASSIGN_VARIABLE, {handle, x}, {});
              file.add(Code::READ_VARIABLE, {handle},
                       {file.tensor({{2}, Type::INT32})});
            }),
            "operator 2 (READ_VARIABLE): variable 'v' has type TENSOR_FLOAT32, "
            "but tensor 2 't2' has type TENSOR_INT32");
  EXPECT_EQ(
      errorOf([](TFLiteWriter &file, int32_t x, int32_t handle) {
        file.add(Code::READ_VARIABLE, {handle}, {file.tensor({{3}})});
        file.add(Code::ASSIGN_VARIABLE, {handle, x}, {});
      }),
      "operator 2 (ASSIGN_VARIABLE): variable 'v' has shape 3, but tensor "
      "0 't0' has shape 2");
  EXPECT_EQ(errorOf([](TFLiteWriter &file, int32_t, int32_t handle) {
              file.add(Code::READ_VARIABLE, {handle},
                       {file.tensor({{2}, Type::STRING})});
            }),
            "operator 1 (READ_VARIABLE): tensor 2 't2' has type STRING, which "
            "the HAL does not have");
  EXPECT_EQ(errorOf([](TFLiteWriter &file, int32_t x, int32_t handle) {
              file.add(Code::ASSIGN_VARIABLE, {handle, x}, {});
              file.add(Code::READ_VARIABLE, {handle},
                       {file.tensor({{2}, Type::STRING})});
            }),
            "operator 2 (READ_VARIABLE): tensor 2 't2' has type STRING, which "
            "the HAL does not have");
  EXPECT_EQ(
      errorOf([](TFLiteWriter &file, int32_t, int32_t handle) {
        file.add(
            Code::ASSIGN_VARIABLE,
            {handle, file.constant<int8_t>(
                         {{2}, Type::INT8, {0.5f, 0.25f}, {0, 0}}, {1, 2})},
            {});
      }),
      "operator 1 (ASSIGN_VARIABLE): tensor 2 't2' has 2 scales, variable "
      "'v' would need one");
  EXPECT_EQ(
      errorOf([](TFLiteWriter &file, int32_t, int32_t handle) {
        file.add(Code::ASSIGN_VARIABLE,
                 {handle, file.tensor({.shape = {2}, .isVariable = true})}, {});
      }),
      "operator 1 (ASSIGN_VARIABLE): input 1, tensor 2 't2', is a "
      "variable");
  EXPECT_EQ(errorOf([](TFLiteWriter &file, int32_t x, int32_t handle) {
              file.add(Code::ASSIGN_VARIABLE, {handle, x}, {});
              file.add(Code::READ_VARIABLE, {handle}, {x});
            }),
            "operator 2 (READ_VARIABLE): computes tensor 0 't0', which has a "
            "value already");
  EXPECT_EQ(errorOf([](TFLiteWriter &file, int32_t, int32_t handle) {
              file.add(Code::ABS, {handle}, {file.tensor({{}})});
            }),
            "operator 1 (ABS): tensor 1 't1' has type RESOURCE, which the HAL "
            "does not have");
}

/// What is wrong with a CALL_ONCE of a subgraph that \p body adds to.
template <typename Body> std::string errorOfInitializer(Body body) {
  TFLiteWriter file;
  callOnce(file);
  int32_t x = file.tensor({{2}}), y = file.tensor({{2}}),
          handle = addHandle(file, "v");
  file.add(Code::READ_VARIABLE, {handle}, {y});
  file.endSubgraph({x}, {y});
  body(file, addHandle(file, "v"));
  return importError(file.finish({}, {}));
}

TEST(TFLiteVariablesTest, errorsOfInitializers) {
  TFLiteWriter without;
  int32_t x = without.tensor({{2}});
  callOnce(without, 3);
  EXPECT_EQ(importError(without.finish({x}, {x})),
            "operator 0 (CALL_ONCE): calls subgraph 3 of 1");
  EXPECT_EQ(errorOfInitializer([](TFLiteWriter &file, int32_t) {
              file.add(Code::ABS, {file.floats({2})}, {file.tensor({{2}})});
            }),
            "operator 0 (CALL_ONCE): subgraph 1: its operator 1 is ABS, and "
            "only constants can be assigned once");
  EXPECT_EQ(errorOfInitializer([](TFLiteWriter &file, int32_t handle) {
              file.add(Code::ASSIGN_VARIABLE, {handle}, {});
            }),
            "operator 0 (CALL_ONCE): subgraph 1: its operator 1 has 1 inputs, "
            "expected 2");
  EXPECT_EQ(errorOfInitializer([](TFLiteWriter &file, int32_t) {
              int32_t c = file.floats({2});
              file.add(Code::ASSIGN_VARIABLE, {c, c}, {});
            }),
            "operator 0 (CALL_ONCE): subgraph 1: its operator 1 assigns to "
            "tensor 1, which is no variable");
  EXPECT_EQ(errorOfInitializer([](TFLiteWriter &file, int32_t handle) {
              file.add(Code::ASSIGN_VARIABLE, {handle, 9}, {});
            }),
            "operator 0 (CALL_ONCE): subgraph 1: its operator 1 assigns tensor "
            "9 of 1");
  EXPECT_EQ(errorOfInitializer([](TFLiteWriter &file, int32_t handle) {
              file.add(Code::ASSIGN_VARIABLE, {handle, file.tensor({{2}})}, {});
            }),
            "operator 0 (CALL_ONCE): subgraph 1: its operator 1 assigns tensor "
            "1 't1', which is not a constant");
  EXPECT_EQ(errorOfInitializer([](TFLiteWriter &file, int32_t handle) {
              file.add(Code::ASSIGN_VARIABLE, {handle, file.integers({1, 2})},
                       {});
            }),
            "operator 2 (READ_VARIABLE): variable 'v' is set to INT32 and read "
            "as FLOAT32");
}

} // namespace
