//===- ObjectEmitterTest.cpp - LLVM dialect to machine code ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Target/CPU/CodeEmission.h"
#include "nnhal/Dialect/NNHal/IR/NNHal.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"

#include <gtest/gtest.h>

#include <string>

using namespace nnhal;

namespace {

/// The object of a loop that stores to two places a stride apart, with
/// \p longRound as the cost model's number of that name.
Object emitLoop(int64_t longRound) {
  mlir::DialectRegistry registry;
  registry.insert<mlir::LLVM::LLVMDialect, NNHalDialect>();
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  mlir::MLIRContext context(registry);
  std::string text = R"(
module attributes {nnhal.target = #nnhal.target<"cpu", parameters = {long_round = )" +
                     std::to_string(longRound) + R"(}>} {
  llvm.func @f(%place: !llvm.ptr, %count: i64, %stride: i64) {
    %zero = llvm.mlir.constant(0 : i64) : i64
    %one = llvm.mlir.constant(1 : i64) : i64
    llvm.br ^loop(%zero : i64)
  ^loop(%i: i64):
    %offset = llvm.mul %i, %stride : i64
    %first = llvm.getelementptr %place[%offset] : (!llvm.ptr, i64) -> !llvm.ptr, i64
    llvm.store %i, %first : i64, !llvm.ptr
    %behind = llvm.add %offset, %stride : i64
    %second = llvm.getelementptr %place[%behind] : (!llvm.ptr, i64) -> !llvm.ptr, i64
    llvm.store %i, %second : i64, !llvm.ptr
    %next = llvm.add %i, %one : i64
    %isLess = llvm.icmp "slt" %next, %count : i64
    llvm.cond_br %isLess, ^loop(%next : i64), ^end
  ^end:
    llvm.return
  }
})";
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  auto machine = Machine::create({"x86_64-unknown-linux-gnu", "x86-64-v3", ""});
  KernelLibrary library({}, {});
  Cancellation cancellation({});
  if (!module || !machine.isOk())
    return {};
  auto wrapped = mlir::ModuleOp::create(module->getLoc());
  wrapped->setAttrs((*module)->getAttrs());
  wrapped.push_back(module.release());
  mlir::OwningOpRef<mlir::ModuleOp> owner(wrapped);
  auto objects = emitObjects(wrapped, *machine, library, cancellation);
  if (!objects.isOk() || objects->size() != 1)
    return {};
  return objects->front();
}

/// LLVM multiplies in each round, or adds the stride where it reduces the
/// strength of that. Other code says that the pass is found by its name.
TEST(ObjectEmitter, LeavesStrengthReductionOutWhereRoundsAreLong) {
  Object isLong = emitLoop(2), isShort = emitLoop(3);
  ASSERT_FALSE(isLong.empty());
  ASSERT_FALSE(isShort.empty());
  EXPECT_EQ(isShort, emitLoop(1000));
  EXPECT_NE(isLong, isShort);
}

} // namespace
