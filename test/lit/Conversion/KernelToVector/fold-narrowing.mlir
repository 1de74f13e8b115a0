// RUN: nnhal-opt %s --nnk-fuse-epilogue | FileCheck %s

// A clamp to the output's range and its zero point, which the next operation
// takes off again: nothing is lost in 8 bits.
// CHECK-LABEL: func @kept
// CHECK: %[[ADD:.+]] = arith.addi
// CHECK-NEXT: arith.extsi %[[ADD]] : i16 to i32
// CHECK-NOT: arith.trunci
// CHECK: return
func.func @kept(%x: i16) -> i32 {
  %low = arith.constant 0 : i16
  %high = arith.constant 255 : i16
  %zero = arith.constant -128 : i16
  %0 = arith.maxsi %x, %low : i16
  %1 = arith.minsi %0, %high : i16
  %2 = arith.addi %1, %zero : i16
  %3 = arith.trunci %2 : i16 to i8
  %4 = arith.extsi %3 : i8 to i32
  return %4 : i32
}

// Unsigned, and back to the type that it was.
// CHECK-LABEL: func @same_type
// CHECK: %[[MIN:.+]] = arith.minsi
// CHECK-NEXT: return %[[MIN]]
func.func @same_type(%x: i16) -> i16 {
  %low = arith.constant 0 : i16
  %high = arith.constant 255 : i16
  %0 = arith.maxsi %x, %low : i16
  %1 = arith.minsi %0, %high : i16
  %2 = arith.trunci %1 : i16 to i8
  %3 = arith.extui %2 : i8 to i16
  return %3 : i16
}

// To fewer bits than there were.
// CHECK-LABEL: func @fewer
// CHECK: %[[MIN:.+]] = arith.minsi
// CHECK-NEXT: %[[SHORT:.+]] = arith.trunci %[[MIN]] : i32 to i16
// CHECK-NEXT: return %[[SHORT]]
func.func @fewer(%x: i32) -> i16 {
  %low = arith.constant -128 : i32
  %high = arith.constant 127 : i32
  %0 = arith.maxsi %x, %low : i32
  %1 = arith.minsi %0, %high : i32
  %2 = arith.trunci %1 : i32 to i8
  %3 = arith.extsi %2 : i8 to i16
  return %3 : i16
}

// 128 does not fit signed, -1 does not fit unsigned; of arguments nothing is
// known.
// CHECK-LABEL: func @cut_off
// CHECK-COUNT-3: arith.trunci
// CHECK: return
func.func @cut_off(%x: i16) -> (i16, i16, i16) {
  %minusOne = arith.constant -1 : i16
  %low = arith.constant 0 : i16
  %high = arith.constant 128 : i16
  %0 = arith.maxsi %x, %low : i16
  %1 = arith.minsi %0, %high : i16
  %2 = arith.trunci %1 : i16 to i8
  %3 = arith.extsi %2 : i8 to i16
  %4 = arith.maxsi %x, %minusOne : i16
  %5 = arith.minsi %4, %high : i16
  %6 = arith.trunci %5 : i16 to i8
  %7 = arith.extui %6 : i8 to i16
  %8 = arith.trunci %x : i16 to i8
  %9 = arith.extui %8 : i8 to i16
  return %3, %7, %9 : i16, i16, i16
}
