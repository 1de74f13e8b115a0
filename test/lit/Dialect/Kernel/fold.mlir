// RUN: nnhal-opt %s --canonicalize | FileCheck %s

// Halves are rounded up: 3 * 2^30 / 2^31 is 1.5, -3 * 2^30 / 2^31 is -1.5.
// CHECK-LABEL: @doubling_high_mul
// CHECK-DAG: %[[UP:.+]] = arith.constant 2 : i32
// CHECK-DAG: %[[DOWN:.+]] = arith.constant -1 : i32
// CHECK: return %[[UP]], %[[DOWN]]
func.func @doubling_high_mul() -> (i32, i32) {
  %half = arith.constant 1073741824 : i32
  %three = arith.constant 3 : i32
  %minus = arith.constant -3 : i32
  %0 = nnk.doubling_high_mul %three, %half : i32
  %1 = nnk.doubling_high_mul %minus, %half : i32
  return %0, %1 : i32, i32
}
