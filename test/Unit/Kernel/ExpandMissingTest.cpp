//===- ExpandMissingTest.cpp - What targets have no instructions for ------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expansions of constants are folded to what they compute, and compared bit by
// bit with what an instruction computes.
//
//===----------------------------------------------------------------------===//

#include "Target/CPU/ExpandMissing.h"

#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/NoFolder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

using namespace llvm;
using nnhal::ExpandMissingPass;
using nnhal::MissingInstructions;

namespace {

using Values = std::vector<APFloat>;

/// A function that returns what `compute` makes of vectors of constants.
class ExpandMissing : public testing::Test {
protected:
  using Compute =
      function_ref<Value *(IRBuilder<NoFolder> &, ArrayRef<Value *> operands)>;

  /// The results of \p compute once \p missing is expanded, by element.
  Values expand(MissingInstructions missing, ArrayRef<Values> operands,
                Compute compute);

  LLVMContext context;
  Module module{"test", context};
};

Constant *vectorOf(LLVMContext &context, const Values &values) {
  SmallVector<Constant *> elements;
  for (const APFloat &value : values)
    elements.push_back(ConstantFP::get(context, value));
  return ConstantVector::get(elements);
}

Values ExpandMissing::expand(MissingInstructions missing,
                             ArrayRef<Values> operands, Compute compute) {
  SmallVector<Value *> constants;
  for (const Values &values : operands)
    constants.push_back(vectorOf(context, values));
  // The type of the result is known once it is computed.
  auto *probe =
      Function::Create(FunctionType::get(Type::getVoidTy(context), false),
                       GlobalValue::InternalLinkage, "f", module);
  IRBuilder<NoFolder> builder(BasicBlock::Create(context, "", probe));
  Value *result = compute(builder, constants);
  auto *place = new GlobalVariable(module, result->getType(), false,
                                   GlobalValue::ExternalLinkage, nullptr, "g");
  StoreInst *store = builder.CreateStore(result, place);
  builder.CreateRetVoid();
  FunctionAnalysisManager analyses;
  ExpandMissingPass(missing).run(*probe, analyses);
  for (Instruction &instruction : instructions(*probe)) {
    EXPECT_FALSE(isa<FPExtInst>(instruction) || isa<FPTruncInst>(instruction));
    if (Constant *folded =
            ConstantFoldInstruction(&instruction, module.getDataLayout()))
      instruction.replaceAllUsesWith(folded);
  }
  Values found;
  auto *constant = dyn_cast<Constant>(store->getValueOperand());
  EXPECT_TRUE(constant) << "something is no constant";
  for (unsigned i = 0; constant && i < operands.front().size(); ++i)
    found.push_back(
        cast<ConstantFP>(constant->getAggregateElement(i))->getValueAPF());
  return found;
}

/// Zeros have a sign, and NaN is any NaN.
void expectSame(const Values &found, const Values &expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (auto [index, pair] : enumerate(zip(found, expected))) {
    const APFloat &value = std::get<0>(pair), &wanted = std::get<1>(pair);
    EXPECT_TRUE(wanted.isNaN() ? value.isNaN() : value.bitwiseIsEqual(wanted))
        << "element " << index << ": " << value.convertToDouble() << " and not "
        << wanted.convertToDouble();
  }
}

template <typename Real> std::vector<Real> interesting() {
  using Limits = std::numeric_limits<Real>;
  auto whole = Real(std::ldexp(1.0, Limits::digits - 1));
  Real below = std::nextafter(Real(0.5), Real(0));
  std::vector<Real> values = {0,
                              Limits::denorm_min(),
                              Real(0.25),
                              below,
                              Real(0.5),
                              Real(0.75),
                              std::nextafter(Real(1), Real(0)),
                              1,
                              Real(1.5),
                              2,
                              Real(2.5),
                              Real(3.5),
                              Real(1234.5),
                              whole / 2 - Real(0.5),
                              whole / 2 + Real(0.5),
                              whole - Real(0.5),
                              whole - 1,
                              whole,
                              whole + 1,
                              Limits::max(),
                              Limits::infinity(),
                              Limits::quiet_NaN()};
  size_t count = values.size();
  for (size_t i = 0; i < count; ++i)
    values.push_back(-values[i]);
  return values;
}

struct Direction {
  Intrinsic::ID id;
  double (*ofDouble)(double);
  float (*ofFloat)(float);
};

const Direction directions[] = {
    {Intrinsic::floor, std::floor, std::floor},
    {Intrinsic::ceil, std::ceil, std::ceil},
    {Intrinsic::trunc, std::trunc, std::trunc},
    {Intrinsic::round, std::round, std::round},
    {Intrinsic::roundeven, std::nearbyint, std::nearbyint},
    {Intrinsic::rint, std::nearbyint, std::nearbyint},
    {Intrinsic::nearbyint, std::nearbyint, std::nearbyint},
};

TEST_F(ExpandMissing, RoundsSingles) {
  for (const Direction &direction : directions) {
    Values values, expected;
    for (float value : interesting<float>()) {
      values.emplace_back(value);
      expected.emplace_back(direction.ofFloat(value));
    }
    expectSame(expand({.rounding = true}, values,
                      [&](auto &builder, ArrayRef<Value *> operands) {
                        return builder.CreateUnaryIntrinsic(direction.id,
                                                            operands[0]);
                      }),
               expected);
  }
}

TEST_F(ExpandMissing, RoundsDoubles) {
  for (const Direction &direction : directions) {
    Values values, expected;
    for (double value : interesting<double>()) {
      values.emplace_back(value);
      expected.emplace_back(direction.ofDouble(value));
    }
    expectSame(expand({.rounding = true}, values,
                      [&](auto &builder, ArrayRef<Value *> operands) {
                        return builder.CreateUnaryIntrinsic(direction.id,
                                                            operands[0]);
                      }),
               expected);
  }
}

APFloat half(uint16_t bits) {
  return APFloat(APFloat::IEEEhalf(), APInt(16, bits));
}

APFloat converted(APFloat value, const fltSemantics &semantics) {
  bool losesInfo = false;
  (void)value.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  return value;
}

TEST_F(ExpandMissing, ExtendsHalves) {
  for (uint32_t first = 0; first < 0x10000; first += 0x400) {
    Values values, expected;
    for (uint32_t bits = first; bits < first + 0x400; bits += 11) {
      values.push_back(half(uint16_t(bits)));
      expected.push_back(converted(values.back(), APFloat::IEEEsingle()));
    }
    expectSame(expand({.halves = true}, values,
                      [&](auto &builder, ArrayRef<Value *> operands) {
                        Type *type = operands[0]->getType();
                        return builder.CreateFPExt(
                            operands[0],
                            type->getWithNewType(builder.getFloatTy()));
                      }),
               expected);
  }
}

/// Floats at each half, between it and the next one, and beside both.
TEST_F(ExpandMissing, TruncatesToHalves) {
  for (uint32_t sign : {0u, 0x80000000u}) {
    for (uint32_t first = 0; first < 0x7c00; first += 0x400) {
      Values values, expected;
      for (uint32_t bits = first; bits < first + 0x400; bits += 73) {
        APFloat at = converted(half(uint16_t(bits)), APFloat::IEEEsingle());
        APFloat next =
            converted(half(uint16_t(bits + 1)), APFloat::IEEEsingle());
        auto low = uint32_t(at.bitcastToAPInt().getZExtValue());
        auto high = uint32_t(next.bitcastToAPInt().getZExtValue());
        uint32_t middle = low + (high - low) / 2;
        for (uint32_t near : {low, low + 1, middle - 1, middle, middle + 1,
                              high - 1, 0x7f7fffffu, 0x7f800000u, 0x7f800001u,
                              0x477fefffu, 0x477ff000u, 1u})
          values.push_back(
              APFloat(APFloat::IEEEsingle(), APInt(32, near | sign)));
      }
      for (const APFloat &value : values)
        expected.push_back(converted(value, APFloat::IEEEhalf()));
      expectSame(expand({.halves = true}, values,
                        [&](auto &builder, ArrayRef<Value *> operands) {
                          Type *type = operands[0]->getType();
                          return builder.CreateFPTrunc(
                              operands[0],
                              type->getWithNewType(builder.getHalfTy()));
                        }),
                 expected);
    }
  }
}

/// Sums, negations and functions of halves are those of floats, rounded. So are
/// the functions that round, where those are missing too.
TEST_F(ExpandMissing, ComputesHalvesInSingles) {
  Values a = {half(0x3c00), half(0x3e00), half(0x0001), half(0x7bff)};
  Values b = {half(0x3c01), half(0xbe00), half(0x8002), half(0x7bff)};
  using Builder = IRBuilder<NoFolder>;
  auto expandHalves = [&](Compute compute) {
    return expand({.rounding = true, .halves = true, .fused = true}, {a, b},
                  compute);
  };
  Values sums = a, products = a, negated = a, floors = a, fused = a;
  for (size_t i = 0; i < a.size(); ++i) {
    sums[i].add(b[i], APFloat::rmNearestTiesToEven);
    products[i].multiply(b[i], APFloat::rmNearestTiesToEven);
    negated[i].changeSign();
    floors[i].roundToIntegral(APFloat::rmTowardNegative);
    fused[i].fusedMultiplyAdd(b[i], a[i], APFloat::rmNearestTiesToEven);
  }
  expectSame(expandHalves([](Builder &builder, ArrayRef<Value *> operands) {
               return builder.CreateFAdd(operands[0], operands[1]);
             }),
             sums);
  expectSame(expandHalves([](Builder &builder, ArrayRef<Value *> operands) {
               return builder.CreateFMul(operands[0], operands[1]);
             }),
             products);
  expectSame(expandHalves([](Builder &builder, ArrayRef<Value *> operands) {
               return builder.CreateFNeg(operands[0]);
             }),
             negated);
  expectSame(expandHalves([](Builder &builder, ArrayRef<Value *> operands) {
               return builder.CreateUnaryIntrinsic(Intrinsic::floor,
                                                   operands[0]);
             }),
             floors);
  expectSame(expandHalves([](Builder &builder, ArrayRef<Value *> operands) {
               return builder.CreateIntrinsic(
                   Intrinsic::fma, {operands[0]->getType()},
                   {operands[0], operands[1], operands[0]});
             }),
             fused);
  // A comparison decides, and integers are converted.
  expectSame(expandHalves([](Builder &builder, ArrayRef<Value *> operands) {
               Value *isLess = builder.CreateFCmpOLT(operands[0], operands[1]);
               Value *integers = builder.CreateZExt(
                   isLess, isLess->getType()->getWithNewBitWidth(32));
               return builder.CreateSIToFP(integers, operands[0]->getType());
             }),
             {half(0x3c00), half(0), half(0), half(0)});
}

TEST_F(ExpandMissing, RoundsProductsAndSumsTwice) {
  Values a = {APFloat(1.0f + 0x1p-23f), APFloat(3.0f)};
  Values c = {APFloat(-1.0f), APFloat(0.5f)};
  expectSame(expand({.fused = true}, {a, c},
                    [](auto &builder, ArrayRef<Value *> operands) {
                      return builder.CreateIntrinsic(
                          Intrinsic::fma, {operands[0]->getType()},
                          {operands[0], operands[0], operands[1]});
                    }),
             {APFloat(0x1p-22f), APFloat(9.5f)});
}

} // namespace
