// RUN: nnhal-opt %s --nnhal-expand-math | FileCheck %s

// CHECK-LABEL: func.func @no_library_calls
// CHECK-NOT:     math.exp
// CHECK-NOT:     math.tanh
// CHECK-NOT:     math.powf
// CHECK:         return
func.func @no_library_calls(%x: vector<8xf32>, %y: f32) -> (vector<8xf32>, f32) {
  %0 = math.exp %x : vector<8xf32>
  %1 = math.tanh %0 : vector<8xf32>
  %2 = math.powf %y, %y : f32
  return %1, %2 : vector<8xf32>, f32
}
