// RUN: nnhal-opt %s --nnhal-expand-math=for-shaders | FileCheck %s

// ln(2) is subtracted in two parts, whose products are exact without a fused
// operation.
// CHECK-LABEL: func.func @exp
// CHECK-NOT:     math.{{exp|fma}}
// CHECK:         math.roundeven
// CHECK:         arith.constant 0.693359375 : f32
// CHECK:         arith.constant -2.12194442E-4 : f32
// CHECK-NOT:     math.
// CHECK:         return
func.func @exp(%x: f32) -> f32 {
  %0 = math.exp %x : f32
  return %0 : f32
}

// What SPIR-V computes well stays, and nothing becomes an operation of LLVM.
// CHECK-LABEL: func.func @kept
// CHECK:         math.floor
// CHECK:         math.sqrt
// CHECK:         math.roundeven
// CHECK:         arith.fptosi
// CHECK-NOT:     llvm.
// CHECK:         return
func.func @kept(%x: f32) -> i32 {
  %0 = math.floor %x : f32
  %1 = math.sqrt %0 : f32
  %2 = math.roundeven %1 : f32
  %3 = arith.fptosi %2 : f32 to i32
  return %3 : i32
}

// CHECK-LABEL: func.func @trunc
// CHECK:         math.absf
// CHECK:         math.floor
// CHECK:         math.copysign
func.func @trunc(%x: f64) -> f64 {
  %0 = math.trunc %x : f64
  return %0 : f64
}

// Vectors of SPIR-V have no reduction.
// CHECK-LABEL: func.func @sine_and_cosine
// CHECK-NOT:     math.{{sin|cos}}
// CHECK-NOT:     vector.reduction
// CHECK:         scf.if
// CHECK:         scf.if
// CHECK:         return
func.func @sine_and_cosine(%x: vector<4xf32>) -> (vector<4xf32>, vector<4xf32>) {
  %0 = math.sin %x : vector<4xf32>
  %1 = math.cos %x : vector<4xf32>
  return %0, %1 : vector<4xf32>, vector<4xf32>
}

// CHECK-LABEL: func.func @half
// CHECK-SAME:    (%[[X:.+]]: f16)
// CHECK:         arith.extf %[[X]] : f16 to f32
// CHECK-NOT:     math.log
// CHECK:         %[[RESULT:.+]] = arith.truncf %{{.+}} : f32 to f16
// CHECK:         return %[[RESULT]]
func.func @half(%x: f16) -> f16 {
  %0 = math.log %x : f16
  return %0 : f16
}

// Numbers of 64 bits are not needed.
// CHECK-LABEL: func.func @doubling_high_mul
// CHECK:         arith.mulsi_extended %{{.+}}, %{{.+}} : i32
// CHECK-NOT:     i64
// CHECK:         return
func.func @doubling_high_mul(%x: i32, %y: i32) -> i32 {
  %0 = nnk.doubling_high_mul %x, %y : i32
  return %0 : i32
}
