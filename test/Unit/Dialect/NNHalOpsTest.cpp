//===- NNHalOpsTest.cpp - The canonical operations ------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Dialect/NNHal/IR/NNHalOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <set>

using namespace nnhal;

namespace {

class NNHalOpsTest : public ::testing::Test {
protected:
  NNHalOpsTest() {
    context.loadDialect<NNHalDialect>();
    module = mlir::ModuleOp::create(builder, location);
    builder.setInsertionPointToStart(module->getBody());
  }

  mlir::RankedTensorType tensor(llvm::ArrayRef<int64_t> shape,
                                mlir::Type element) {
    return mlir::RankedTensorType::get(shape, element);
  }

  /// A value of \p type.
  mlir::Value valueOf(mlir::Type type) {
    return module->getBody()->addArgument(type, location);
  }

  mlir::Type quantized(double scale) {
    return mlir::quant::UniformQuantizedType::get(
        0, builder.getIntegerType(8), builder.getF32Type(), scale, 128, 0, 255);
  }

  /// Returns the message of \p check; it is empty when that succeeds.
  std::string complaintOf(llvm::function_ref<llvm::LogicalResult()> check) {
    std::string text;
    mlir::ScopedDiagnosticHandler handler(&context,
                                          [&](mlir::Diagnostic &diagnostic) {
                                            text = diagnostic.str();
                                            return mlir::success();
                                          });
    EXPECT_EQ(succeeded(check()), text.empty());
    return text;
  }

  mlir::MLIRContext context;
  mlir::OpBuilder builder{&context};
  mlir::Location location = builder.getUnknownLoc();
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

template <typename... OpTys> std::set<rt::OperationType> codesOf() {
  std::set<rt::OperationType> codes;
  auto insert = [&]<typename OpTy>() {
    if constexpr (requires { OpTy::getOperationCode(); })
      codes.insert(OpTy::getOperationCode());
  };
  (insert.template operator()<OpTys>(), ...);
  return codes;
}

// A-079 to A-181.
TEST_F(NNHalOpsTest, HasAnOperationForEachOfTheHal) {
  std::set<rt::OperationType> codes = codesOf<
#define GET_OP_LIST
#include "nnhal/Dialect/NNHal/IR/NNHalOps.cpp.inc"
      >();
  EXPECT_EQ(codes.size(), rt::allOperations().size());
}

// B-030 to B-033: codes of the HAL, of OEM operations and of extensions.
TEST_F(NNHalOpsTest, NamesOperationsOfTheHal) {
  auto conv = HalOperationAttr::ofName(&context, "CONV_2D");
  EXPECT_EQ(conv, HalOperationAttr::get(&context, rt::OperationType::CONV_2D));
  EXPECT_EQ(conv.getSpelling(), "CONV_2D");
  auto oem = HalOperationAttr::ofName(&context, "OEM_OPERATION");
  EXPECT_EQ(oem.getOperationType(), rt::OperationType::OEM_OPERATION);
  EXPECT_EQ(oem.getInfo(), nullptr);
  auto extension = HalOperationAttr::ofName(&context, "com.example.ext:3");
  EXPECT_EQ(extension.getExtension(), "com.example.ext");
  EXPECT_EQ(extension.getCode(), 3u);
  EXPECT_EQ(extension.getOperationType(), std::nullopt);
  EXPECT_EQ(extension.getSpelling(), "com.example.ext:3");
  EXPECT_FALSE(HalOperationAttr::ofName(&context, "CONV_5D"));
  auto complaint = [&](uint32_t code, llvm::StringRef name) {
    return complaintOf([&] {
      return mlir::success(bool(HalOperationAttr::getChecked(
          [&] { return mlir::emitError(location); }, &context, code, name)));
    });
  };
  EXPECT_EQ(complaint(102, ""), "code 102 is not an operation of the HAL");
  EXPECT_EQ(complaint(65536, "com.example.ext"),
            "number 65536 of extension \"com.example.ext\" exceeds 65535");
}

// Attributes become constants in the HAL's order.
TEST_F(NNHalOpsTest, ReadsOperationsInTheFormOfTheHal) {
  mlir::Value input = valueOf(tensor({1, 8, 6, 4}, builder.getF32Type()));
  auto pool = MaxPool2DOp::create(builder, location, input,
                                  builder.getDenseI64ArrayAttr({0, 1, 2, 3}),
                                  {2, 1}, {4, 5});
  HalView view;
  ASSERT_TRUE(llvm::cast<HalFormOpInterface>(*pool).readHalForm(view).isOk());
  const rt::OperationView &operation = view.getOperation();
  EXPECT_EQ(operation.type, rt::OperationType::MAX_POOL_2D);
  EXPECT_EQ(view.operandOf(0), 0u);
  EXPECT_EQ(view.operandOf(1), std::nullopt);
  std::vector<int> values;
  for (const rt::OperandView &parameter :
       llvm::ArrayRef(operation.inputs).drop_front())
    values.push_back(int(parameter.value->front()));
  EXPECT_EQ(values, (std::vector<int>{2, 3, 0, 1, 1, 2, 5, 4, 0, 0}));
  EXPECT_EQ(operation.outputs.size(), 1u);
}

TEST_F(NNHalOpsTest, InfersResultTypes) {
  mlir::Type f32 = builder.getF32Type();
  mlir::Value lhs = valueOf(tensor({mlir::ShapedType::kDynamic, 4}, f32));
  mlir::Value rhs = valueOf(tensor({3, 1}, f32));
  EXPECT_EQ(AddOp::create(builder, location, lhs, rhs).getType(),
            tensor({3, 4}, f32));
  EXPECT_EQ(LessOp::create(builder, location, lhs, rhs).getType(),
            tensor({3, 4}, builder.getI8Type()));
  auto topK = TopKV2Op::create(builder, location, rhs, 1);
  EXPECT_EQ(topK.getIndices().getType(), tensor({3, 1}, builder.getI32Type()));
}

// Operations that are declared by the inputs of the HAL operation.
TEST_F(NNHalOpsTest, InfersResultTypesFromTheHalsForm) {
  mlir::Type f32 = builder.getF32Type(), i32 = builder.getI32Type();
  mlir::Value lookups = valueOf(tensor({3}, i32));
  mlir::Value values = valueOf(tensor({5, 2}, f32));
  EXPECT_EQ(
      EmbeddingLookupOp::create(builder, location, lookups, values).getType(),
      tensor({3, 2}, f32));
  EXPECT_EQ(RankOp::create(builder, location, values).getType(), i32);
  mlir::Value input = valueOf(tensor({2, 4}, quantized(0.5)));
  mlir::Type result =
      L2NormalizationOp::create(builder, location, input, /*axis=*/1).getType();
  auto element = llvm::cast<mlir::quant::UniformQuantizedType>(
      llvm::cast<mlir::RankedTensorType>(result).getElementType());
  EXPECT_EQ(element.getScale(), 1.0 / 128);
  EXPECT_EQ(element.getZeroPoint(), 128);
}

// What an operation's list says of its inputs is what the rules read.
TEST_F(NNHalOpsTest, ListsTheHalsInputs) {
  EXPECT_EQ(LstmOp::getHalInputs().size(), 27u);
  EXPECT_EQ(UnidirectionalSequenceLstmOp::getHalInputs().size(), 28u);
  EXPECT_EQ(BidirectionalSequenceLstmOp::getHalInputs().size(), 61u);
  EXPECT_EQ(QuantizedLstmOp::getHalInputs().size(), 32u);
  EXPECT_STREQ(LstmOp::getHalInputs()[19].name, "cell_state");
  EXPECT_STREQ(LstmOp::getHalInputs()[20].name, "activation");
  EXPECT_STREQ(BidirectionalSequenceLstmOp::getHalInputs()[39].name,
               "aux_input");
  EXPECT_STREQ(BidirectionalSequenceLstmOp::getHalInputs()[52].name,
               "time_major");
}

// M-080, M-086: what states the pads of TRANSPOSE_CONV_2D.
TEST_F(NNHalOpsTest, CountsInputsThatPadsStandFor) {
  using enum rt::OperandType;
  auto countPads = [](std::initializer_list<rt::OperandType> scalars) {
    rt::OperationView use;
    use.type = rt::OperationType::TRANSPOSE_CONV_2D;
    use.inputs.resize(3);
    for (rt::OperandType scalar : scalars)
      use.inputs.emplace_back().type.type = scalar;
    return countInputs(TransposeConv2DOp::getHalInputs()[3],
                       rt::InputPlaces(use), 3);
  };
  EXPECT_EQ(countPads({TENSOR_INT32, INT32, INT32, INT32, INT32, BOOL}), 2u);
  EXPECT_EQ(countPads({INT32, INT32, INT32, INT32, INT32, INT32, INT32, BOOL}),
            4u);
}

TEST_F(NNHalOpsTest, InfersPrescribedQuantization) {
  mlir::Value input = valueOf(tensor({2, 4}, quantized(0.5)));
  mlir::Type result = LogisticOp::create(builder, location, input).getType();
  auto element = llvm::cast<mlir::quant::UniformQuantizedType>(
      llvm::cast<mlir::RankedTensorType>(result).getElementType());
  EXPECT_EQ(element.getScale(), 1.0 / 256);
  EXPECT_EQ(element.getZeroPoint(), 0);
}

TEST_F(NNHalOpsTest, FreeQuantizationIsNotInferred) {
  mlir::Value input = valueOf(tensor({2, 4}, quantized(0.5)));
  llvm::SmallVector<mlir::Type> types;
  AddOp::Properties properties;
  AddOp::populateDefaultProperties(
      mlir::OperationName(AddOp::getOperationName(), &context), properties);
  EXPECT_EQ(complaintOf([&] {
              return AddOp::inferReturnTypes(&context, location, {input, input},
                                             builder.getDictionaryAttr({}),
                                             &properties, {}, types);
            }),
            "the quantization of the result is free: state its type");
}

// M-025, M-026: the verifier applies the rules of models, by which an axis that
// is listed twice counts once and a result without dimensions has one.
TEST_F(NNHalOpsTest, ReducesEachAxisOnce) {
  mlir::Type f32 = builder.getF32Type();
  mlir::Value value = valueOf(tensor({2, 3, 4}, f32));
  int64_t twice[] = {1, -2};
  int64_t all[] = {0, 1, 2};
  auto mean = MeanOp::create(builder, location, value, twice);
  EXPECT_EQ(mean.getType(), tensor({2, 4}, f32));
  EXPECT_TRUE(succeeded(mlir::verify(mean)));
  EXPECT_EQ(ReduceMaxOp::create(builder, location, value, all).getType(),
            tensor({1}, f32));
  mean.getResult().setType(tensor({2, 3, 4}, f32));
  EXPECT_EQ(complaintOf([&] { return mlir::verify(mean); }),
            "'nnhal.mean' op output shape 2x3x4 has rank 3, expected shape "
            "2x4");
}

// B-037: an operand of a graph is one value.
TEST_F(NNHalOpsTest, NumbersOperandsOnce) {
  auto complaint = [&](int number) {
    std::string text = R"(
      nnhal.model @m attributes {hal_version = "1.3"} {
        nnhal.graph @main(%x: tensor<2xf32>) -> tensor<2xf32>
            attributes {input_operands = array<i32: 4>} {
          %0 = nnhal.no_value {number = )" +
                       std::to_string(number) + R"( : i32} : tensor<2xf32>
          nnhal.return %x : tensor<2xf32>
        }
      })";
    return complaintOf([&] {
      return mlir::success(
          bool(mlir::parseSourceString<mlir::ModuleOp>(text, &context)));
    });
  };
  EXPECT_EQ(complaint(5), "");
  EXPECT_EQ(complaint(4), "'nnhal.no_value' op operand number 4 is used twice");
}

TEST_F(NNHalOpsTest, TensorTypesRoundTrip) {
  mlir::Type types[] = {
      tensor({2, mlir::ShapedType::kDynamic, 0}, builder.getF16Type()),
      tensor({2}, quantized(0.5)),
      mlir::UnrankedTensorType::get(builder.getI32Type()),
      tensor({2}, mlir::quant::UniformQuantizedPerAxisType::get(
                      mlir::quant::QuantizationFlags::Signed,
                      builder.getIntegerType(8), builder.getF32Type(),
                      {0.5, 0.25}, {0, 0}, 0, -127, 127)),
  };
  for (mlir::Type type : types) {
    llvm::FailureOr<rt::TensorType> rule = toTensorType(type);
    ASSERT_TRUE(succeeded(rule));
    EXPECT_EQ(fromTensorType(&context, *rule), type);
  }
  EXPECT_TRUE(failed(toTensorType(tensor({2}, builder.getF64Type()))));
  EXPECT_TRUE(failed(toTensorType(builder.getF32Type())));
}

} // namespace
