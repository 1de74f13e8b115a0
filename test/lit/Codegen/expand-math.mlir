// RUN: nnhal-opt %s --nnhal-expand-math | FileCheck %s

// CHECK-LABEL: func.func @no_library_calls
// CHECK-NOT:     math.exp
// CHECK-NOT:     math.tanh
// CHECK-NOT:     math.powf
// CHECK-NOT:     math.atan
// CHECK:         return
func.func @no_library_calls(%x: vector<8xf32>, %y: f32) -> (vector<8xf32>, f32) {
  %0 = math.exp %x : vector<8xf32>
  %angles = math.atan2 %0, %x : vector<8xf32>
  %1 = math.tanh %angles : vector<8xf32>
  %2 = math.powf %y, %y : f32
  return %1, %2 : vector<8xf32>, f32
}

// The whole range is right: no rest of upstream's approximations, and large
// arguments of sin are reduced only where there are any.
// CHECK-LABEL: func.func @own_expansions
// CHECK-NOT:     math.log
// CHECK-NOT:     math.sin
// CHECK:         %[[ANY:.+]] = vector.reduction <or>
// CHECK:         scf.if %[[ANY]]
// CHECK:           arith.muli {{.*}} : vector<8xi64>
// CHECK-NOT:     math.fma
// CHECK:         return
func.func @own_expansions(%x: vector<8xf32>) -> (vector<8xf32>, vector<8xf32>) {
  %0 = math.log %x : vector<8xf32>
  %1 = math.sin %x : vector<8xf32>
  return %0, %1 : vector<8xf32>, vector<8xf32>
}

// Even and odd lanes of a vector are multiplied apart, a number as it is.
// CHECK-LABEL: @doubling_high_mul
// CHECK: %[[PAIRS:.+]] = vector.bitcast %{{.+}} : vector<8xi32> to vector<4xi64>
// CHECK-COUNT-2: arith.muli {{.*}} : vector<4xi64>
// CHECK: vector.shuffle {{.*}} [0, 8, 2, 10, 4, 12, 6, 14]
// CHECK: arith.muli {{.*}} : i64
// CHECK-NOT: nnk.
// CHECK: return
func.func @doubling_high_mul(%a: vector<8xi32>, %b: vector<8xi32>, %c: i32, %d: i32) -> (vector<8xi32>, i32) {
  %0 = nnk.doubling_high_mul %a, %b : vector<8xi32>
  %1 = nnk.doubling_high_mul %c, %d : i32
  return %0, %1 : vector<8xi32>, i32
}

// The high half of doubled numbers is the result: it stays where it is.
// CHECK-LABEL: @doubling_high_mul_nsw
// CHECK: arith.addi %[[A:.+]], %[[A]] : vector<8xi32>
// CHECK-COUNT-2: arith.muli {{.*}} : vector<4xi64>
// CHECK: vector.shuffle {{.*}} [0, 9, 2, 11, 4, 13, 6, 15]
// CHECK: return
func.func @doubling_high_mul_nsw(%a: vector<8xi32>, %b: vector<8xi32>) -> vector<8xi32> {
  %0 = nnk.doubling_high_mul %a, %b nsw : vector<8xi32>
  return %0 : vector<8xi32>
}

// Rounding to even and conversion at once; not where something else is wanted.
// CHECK-LABEL: @rounded_to_int
// CHECK: llvm.intr.lrint(%{{.+}}) : (vector<8xf32>) -> vector<8xi32>
// CHECK: llvm.intr.lrint(%{{.+}}) : (f32) -> i32
// CHECK: arith.fptosi %{{.+}} : f32 to i8
// CHECK: arith.fptoui
func.func @rounded_to_int(%x: vector<8xf32>, %y: f32) -> (vector<8xi32>, i32, i8, i32) {
  %0 = math.roundeven %x : vector<8xf32>
  %1 = arith.fptosi %0 : vector<8xf32> to vector<8xi32>
  %2 = math.roundeven %y : f32
  %3 = arith.fptosi %2 : f32 to i32
  %4 = arith.fptosi %2 : f32 to i8
  %5 = arith.fptoui %2 : f32 to i32
  return %1, %3, %4, %5 : vector<8xi32>, i32, i8, i32
}
