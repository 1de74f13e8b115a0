// Tensors without elements are neither sliced nor inserted.
// RUN: nnhal-opt %s --load-dialect-plugin=%{extension-halves}/nnhal.tflite.compiler.so --convert-nnhal-to-linalg | FileCheck %s

// CHECK-LABEL: func.func @empty
// CHECK-NOT: tensor.extract_slice
// CHECK: %[[ROOM:.+]] = tensor.empty() : tensor<2x3xf32>
// CHECK: %[[FIRST:.+]] = tensor.insert_slice %arg0 into %[[ROOM]][0, 0] [2, 3] [1, 1]
// CHECK-NOT: tensor.insert_slice
// CHECK: return %[[FIRST]]
func.func @empty(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = tflite.slice %x [2, 0] [1, 1] : tensor<2x3xf32> -> tensor<0x3xf32>
  %1 = tflite.concatenate %x, %0 {axis = 0} : tensor<2x3xf32>, tensor<0x3xf32> -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @empty_sums
// CHECK-NOT: scf.for
// CHECK: %[[SUMS:.+]] = tensor.empty() : tensor<2x0xf32>
// CHECK: return %[[SUMS]]
func.func @empty_sums(%x: tensor<2x0xf32>) -> tensor<2x0xf32> {
  %0 = tflite.cumsum %x {axis = 0} : tensor<2x0xf32> -> tensor<2x0xf32>
  return %0 : tensor<2x0xf32>
}

// CHECK-LABEL: func.func @empty_diagonals
// CHECK-NOT: tensor.insert_slice
// CHECK: return
func.func @empty_diagonals(%x: tensor<0x3xf32>) -> tensor<0x3x3xf32> {
  %0 = tflite.diagonal %x : tensor<0x3xf32> -> tensor<0x3x3xf32>
  return %0 : tensor<0x3x3xf32>
}

// Indices are checked where rows have no elements, too.
// CHECK-LABEL: func.func @empty_rows
// CHECK: nnrt.check
func.func @empty_rows(%x: tensor<3x0xf32>, %indices: tensor<2xi32>) -> tensor<2x0xf32> {
  %0 = tflite.gather %x, %indices {axis = 0} : tensor<3x0xf32>, tensor<2xi32> -> tensor<2x0xf32>
  return %0 : tensor<2x0xf32>
}
