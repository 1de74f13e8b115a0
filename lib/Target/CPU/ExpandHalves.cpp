//===- ExpandHalves.cpp - Halves without instructions ---------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// f32 has room for the product, the sum, the quotient and the root of halves
// to be rounded to f16 as if they were exact. What only moves halves stays.
//
//===----------------------------------------------------------------------===//

#include "ExpandHalves.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

static bool isHalf(const Value *value) {
  return value->getType()->getScalarType()->isHalfTy();
}
static bool isSingle(const Value *value) {
  return value->getType()->getScalarType()->isFloatTy();
}

//===----------------------------------------------------------------------===//
// In f32
//===----------------------------------------------------------------------===//

/// Whether \p instruction computes with halves, other than converting them from
/// f32 or to it.
static bool computesHalves(const Instruction &instruction) {
  if (!isHalf(&instruction) && !any_of(instruction.operands(), isHalf))
    return false;
  switch (instruction.getOpcode()) {
  case Instruction::FPExt:
    return !isSingle(&instruction);
  case Instruction::FNeg:
  case Instruction::FCmp:
  case Instruction::SIToFP:
  case Instruction::UIToFP:
  case Instruction::FPToSI:
  case Instruction::FPToUI:
    return true;
  case Instruction::Call: {
    // Intrinsics whose only type is that of floats. Reductions of vectors,
    // which lowerings do not leave, have two.
    auto *call = dyn_cast<IntrinsicInst>(&instruction);
    return call && isHalf(call) &&
           all_of(call->args(), [&](const Use &operand) {
             return operand->getType() == call->getType();
           });
  }
  default:
    return instruction.isBinaryOp();
  }
}

/// Lets \p instruction compute in f32 what it computed of halves.
static void widen(Instruction &instruction) {
  IRBuilder<> builder(&instruction);
  auto wideType = [&](Type *type) {
    return type->getWithNewType(builder.getFloatTy());
  };
  SmallVector<Value *> operands;
  auto count = isa<CallInst>(instruction)
                   ? cast<CallInst>(instruction).arg_size()
                   : instruction.getNumOperands();
  for (Value *operand :
       make_range(instruction.op_begin(), instruction.op_begin() + count))
    operands.push_back(
        isHalf(operand)
            ? builder.CreateFPExt(operand, wideType(operand->getType()))
            : operand);
  Type *type = instruction.getType();
  Type *computed = isHalf(&instruction) ? wideType(type) : type;
  Value *result;
  if (auto *call = dyn_cast<IntrinsicInst>(&instruction))
    result =
        builder.CreateIntrinsic(call->getIntrinsicID(), {computed}, operands);
  else if (auto *compare = dyn_cast<FCmpInst>(&instruction))
    result =
        builder.CreateFCmp(compare->getPredicate(), operands[0], operands[1]);
  else if (auto *cast = dyn_cast<CastInst>(&instruction))
    result = builder.CreateCast(cast->getOpcode(), operands[0], computed);
  else if (instruction.getOpcode() == Instruction::FNeg)
    result = builder.CreateFNeg(operands[0]);
  else
    result =
        builder.CreateBinOp(Instruction::BinaryOps(instruction.getOpcode()),
                            operands[0], operands[1]);
  if (isHalf(&instruction))
    result = builder.CreateFPTrunc(result, type);
  instruction.replaceAllUsesWith(result);
  instruction.eraseFromParent();
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

namespace {
/// The bits of f32, and constants beside them, of as many elements as a value.
class Bits {
public:
  Bits(IRBuilder<> &builder, Type *type)
      : builder(builder), integer(type->getWithNewType(builder.getInt32Ty())),
        real(type->getWithNewType(builder.getFloatTy())) {}

  Value *number(uint32_t bits) const { return ConstantInt::get(integer, bits); }
  Value *asReal(Value *value) const {
    return builder.CreateBitCast(value, real);
  }
  Value *asInteger(Value *value) const {
    return builder.CreateBitCast(value, integer);
  }
  Type *getInteger() const { return integer; }

private:
  IRBuilder<> &builder;
  Type *integer, *real;
};
} // namespace

/// f16 and f32 differ in the width of the exponent. A product with the power of
/// two between the two biases makes a number of a subnormal half, too.
static Value *extended(IRBuilder<> &builder, Value *half) {
  Type *type = half->getType();
  Bits bits(builder, type);
  Value *stored = builder.CreateZExt(
      builder.CreateBitCast(half, type->getWithNewType(builder.getInt16Ty())),
      bits.getInteger());
  Value *magnitude =
      builder.CreateShl(builder.CreateAnd(stored, bits.number(0x7fff)), 13);
  Value *sign =
      builder.CreateShl(builder.CreateAnd(stored, bits.number(0x8000)), 16);
  Value *scale = bits.asReal(bits.number((254 - 15) << 23)); // 2^112
  Value *number =
      bits.asInteger(builder.CreateFMul(bits.asReal(magnitude), scale));
  // An infinity or a NaN.
  Value *isSpecial =
      builder.CreateICmpUGE(magnitude, bits.number(0x7c00u << 13));
  Value *special = builder.CreateOr(magnitude, bits.number(0xffu << 23));
  return bits.asReal(
      builder.CreateOr(builder.CreateSelect(isSpecial, special, number), sign));
}

/// Each of the three kinds of results is computed for every element.
static Value *truncated(IRBuilder<> &builder, Value *single, Type *half) {
  Bits bits(builder, half);
  Value *stored = bits.asInteger(single);
  Value *magnitude = builder.CreateAnd(stored, bits.number(0x7fffffff));
  // From 2^16 on: an infinity, or a NaN with the bits that remain of it.
  Value *payload =
      builder.CreateAnd(builder.CreateLShr(magnitude, 13), bits.number(0x3ff));
  Value *isNaN = builder.CreateICmpUGT(magnitude, bits.number(0xffu << 23));
  Value *special = builder.CreateSelect(
      isNaN, builder.CreateOr(payload, bits.number(0x7e00)),
      bits.number(0x7c00));
  // Below 2^-14 the last bit of a half is 2^-24, which is that of 0.5 in f32.
  Value *half32 = bits.number(126u << 23);
  Value *sum = builder.CreateFAdd(bits.asReal(magnitude), bits.asReal(half32));
  Value *subnormal = builder.CreateSub(bits.asInteger(sum), half32);
  // Others lose 13 bits. What is added to them carries where they are above a
  // half, or are one and the bit before them is 1.
  Value *odd =
      builder.CreateAnd(builder.CreateLShr(magnitude, 13), bits.number(1));
  uint32_t rebias = 0u - (112u << 23);
  Value *carried = builder.CreateAdd(
      builder.CreateAdd(magnitude, bits.number(rebias + 0xfff)), odd);
  Value *normal = builder.CreateLShr(carried, 13);
  Value *isSpecial =
      builder.CreateICmpUGE(magnitude, bits.number((127u + 16) << 23));
  Value *isSubnormal =
      builder.CreateICmpULT(magnitude, bits.number((127u - 14) << 23));
  Value *result = builder.CreateSelect(
      isSpecial, special, builder.CreateSelect(isSubnormal, subnormal, normal));
  Value *sign =
      builder.CreateAnd(builder.CreateLShr(stored, 16), bits.number(0x8000));
  Value *narrow =
      builder.CreateTrunc(builder.CreateOr(result, sign),
                          half->getWithNewType(builder.getInt16Ty()));
  return builder.CreateBitCast(narrow, half);
}

void nnhal::expandHalves(Function &function) {
  for (Instruction &instruction : make_early_inc_range(instructions(function)))
    if (computesHalves(instruction))
      widen(instruction);
  for (Instruction &instruction :
       make_early_inc_range(instructions(function))) {
    auto *cast = dyn_cast<CastInst>(&instruction);
    if (!cast)
      continue;
    IRBuilder<> builder(cast);
    Value *operand = cast->getOperand(0);
    Value *result = nullptr;
    if (isa<FPExtInst>(cast) && isHalf(operand))
      result = extended(builder, operand);
    else if (isa<FPTruncInst>(cast) && isHalf(cast) && isSingle(operand))
      result = truncated(builder, operand, cast->getType());
    if (!result)
      continue;
    cast->replaceAllUsesWith(result);
    cast->eraseFromParent();
  }
}
