// RUN: nnhal-opt %s --nnk-expand-products | FileCheck %s

// The product is exact in 64 bits, and halves are rounded up.
// CHECK-LABEL: @scaled
// CHECK-SAME:    (%[[A:.+]]: i32, %[[B:.+]]: i32)
// CHECK-NOT:     nnk.
// CHECK-DAG:     %[[X:.+]] = arith.extsi %[[A]] : i32 to i64
// CHECK-DAG:     %[[Y:.+]] = arith.extsi %[[B]] : i32 to i64
// CHECK-DAG:     %[[HALF:.+]] = arith.constant 1073741824 : i64
// CHECK-DAG:     %[[PRODUCT:.+]] = arith.muli %[[X]], %[[Y]] : i64
// CHECK-DAG:     %[[ROUNDED:.+]] = arith.addi %[[PRODUCT]], %[[HALF]] : i64
// CHECK:         %[[HIGH:.+]] = arith.shrsi %[[ROUNDED]], %{{.+}} : i64
// CHECK:         arith.trunci %[[HIGH]] : i64 to i32
func.func @scaled(%a: i32, %b: i32) -> i32 {
  %0 = nnk.doubling_high_mul %a, %b nsw : i32
  return %0 : i32
}
