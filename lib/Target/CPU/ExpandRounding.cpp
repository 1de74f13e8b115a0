//===- ExpandRounding.cpp - Rounding without an instruction ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A magnitude below 2^23 (f64: 2^52) that this number is added to has no room
// for a fraction: the sum is rounded to the nearest integer, halves to even,
// and is exact once the number is subtracted again. One step more or less makes
// every other direction of it. Larger magnitudes are integers, and NaN stays as
// it is. Zeros keep the sign of what was rounded.
//
//===----------------------------------------------------------------------===//

#include "ExpandRounding.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace {
/// The integers near `x`.
class Rounding {
public:
  Rounding(IRBuilder<> &builder, Value *x)
      : builder(builder), x(x), type(x->getType()),
        magnitude(builder.CreateUnaryIntrinsic(Intrinsic::fabs, x)) {
    bool isSingle = type->getScalarType()->isFloatTy();
    whole = ConstantFP::get(type, isSingle ? 0x1p23 : 0x1p52);
    even = builder.CreateFSub(builder.CreateFAdd(magnitude, whole), whole);
  }

  /// The intrinsic \p id of `x`.
  Value *by(Intrinsic::ID id);

private:
  Value *signedLike(Value *value) {
    return builder.CreateBinaryIntrinsic(Intrinsic::copysign, value, x);
  }
  /// 1 where \p condition holds, otherwise 0.
  Value *stepIf(Value *condition) {
    return builder.CreateSelect(condition, ConstantFP::get(type, 1),
                                ConstantFP::get(type, 0));
  }
  Value *down() {
    Value *near = signedLike(even);
    return builder.CreateFSub(near, stepIf(builder.CreateFCmpOGT(near, x)));
  }
  Value *up() {
    Value *near = signedLike(even);
    return builder.CreateFAdd(near, stepIf(builder.CreateFCmpOLT(near, x)));
  }
  Value *towardZero() {
    return builder.CreateFSub(even,
                              stepIf(builder.CreateFCmpOGT(even, magnitude)));
  }
  Value *halvesAway() {
    Value *below = towardZero();
    Value *rest = builder.CreateFSub(magnitude, below);
    Value *half = ConstantFP::get(type, 0.5);
    return builder.CreateFAdd(below, stepIf(builder.CreateFCmpOGE(rest, half)));
  }
  Value *rounded(Intrinsic::ID id);

  IRBuilder<> &builder;
  Value *x;
  Type *type;
  Value *magnitude;
  Constant *whole;
  /// The integer nearest to the magnitude, where that is small.
  Value *even;
};
} // namespace

Value *Rounding::rounded(Intrinsic::ID id) {
  switch (id) {
  case Intrinsic::floor:
    return down();
  case Intrinsic::ceil:
    return up();
  case Intrinsic::trunc:
    return towardZero();
  case Intrinsic::round:
    return halvesAway();
  default:
    // Code runs in the default mode, which rint and nearbyint follow.
    return even;
  }
}

Value *Rounding::by(Intrinsic::ID id) {
  Value *isSmall = builder.CreateFCmpOLT(magnitude, whole);
  return builder.CreateSelect(isSmall, signedLike(rounded(id)), x);
}

static bool isRounding(const IntrinsicInst &call) {
  Type *type = call.getType()->getScalarType();
  if (!type->isFloatTy() && !type->isDoubleTy())
    return false;
  switch (call.getIntrinsicID()) {
  case Intrinsic::floor:
  case Intrinsic::ceil:
  case Intrinsic::trunc:
  case Intrinsic::round:
  case Intrinsic::roundeven:
  case Intrinsic::rint:
  case Intrinsic::nearbyint:
    return true;
  default:
    return false;
  }
}

void nnhal::expandRounding(Function &function) {
  for (Instruction &instruction :
       make_early_inc_range(instructions(function))) {
    auto *call = dyn_cast<IntrinsicInst>(&instruction);
    if (!call || !isRounding(*call))
      continue;
    IRBuilder<> builder(call);
    Rounding rounding(builder, call->getArgOperand(0));
    call->replaceAllUsesWith(rounding.by(call->getIntrinsicID()));
    call->eraseFromParent();
  }
}
