// RUN: nnhal-opt %s --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: func @views
// CHECK-NEXT: %[[R:.+]] = nnhal.constant dense<{{\[}}[1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00]]> : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: return %[[R]]
func.func @views() -> tensor<2x2xf32> {
  %0 = nnhal.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32> -> tensor<4xf32>
  %1 = nnhal.expand_dims %0 axis 0 : (tensor<4xf32>) -> tensor<1x4xf32>
  %2 = nnhal.squeeze %1 axes [0] : (tensor<1x4xf32>) -> tensor<4xf32>
  %3 = nnhal.reshape %2 : (tensor<4xf32>) -> tensor<2x2xf32>
  return %3 : tensor<2x2xf32>
}

// -----

// Bytes that are not copied are folded at any size.
// CHECK-LABEL: func @large_view
// CHECK-NEXT: nnhal.constant dense<1.000000e+00> : tensor<50x20xf32> -> tensor<50x20xf32>
// CHECK-NEXT: nnhal.constant dense_resource<weights> : tensor<3x1xf32> -> tensor<3x1xf32>
// CHECK-NEXT: return
func.func @large_view() -> (tensor<50x20xf32>, tensor<3x1xf32>) {
  %0 = nnhal.constant dense<1.0> : tensor<1000xf32> -> tensor<1000xf32>
  %1 = nnhal.reshape %0 : (tensor<1000xf32>) -> tensor<50x20xf32>
  %2 = nnhal.constant dense_resource<weights> : tensor<3xf32> -> tensor<3xf32>
  %3 = nnhal.reshape %2 : (tensor<3xf32>) -> tensor<3x1xf32>
  return %1, %3 : tensor<50x20xf32>, tensor<3x1xf32>
}

{-#
  dialect_resources: {
    builtin: {
      weights: "0x0400000000008040000040400000803F"
    }
  }
#-}

// -----

!q = !quant.uniform<u8:f32, 0.5:128>
// CHECK-LABEL: func @moves
// CHECK-DAG: dense<{{\[}}[1, 4], [2, 5], [3, 6]]> : tensor<3x2xi8> -> tensor<3x2x!
// CHECK-DAG: dense<{{\[}}[2, 3], [5, 6]]> : tensor<2x2xi8>
// CHECK-DAG: dense<{{\[}}[6, 4], [3, 1]]> : tensor<2x2xi8>
// CHECK-DAG: dense<[4, 6]> : tensor<2xi8>
func.func @moves() -> (tensor<3x2x!q>, tensor<2x2x!q>, tensor<2x2x!q>, tensor<2x!q>) {
  %0 = nnhal.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi8> -> tensor<2x3x!q>
  %1 = nnhal.transpose %0 permutation [1, 0] : (tensor<2x3x!q>) -> tensor<3x2x!q>
  %2 = nnhal.slice %0 begin [0, 1] size [2, -1] : (tensor<2x3x!q>) -> tensor<2x2x!q>
  %3 = nnhal.strided_slice %0 begin [1, 2] end [0, 0] strides [-1, -2] end_mask 3 : (tensor<2x3x!q>) -> tensor<2x2x!q>
  %4 = nnhal.strided_slice %0 begin [1, 0] end [2, 3] strides [1, 2] shrink_mask 1 : (tensor<2x3x!q>) -> tensor<2x!q>
  return %1, %2, %3, %4 : tensor<3x2x!q>, tensor<2x2x!q>, tensor<2x2x!q>, tensor<2x!q>
}

// -----

// CHECK-LABEL: func @joins
// CHECK-DAG: dense<{{\[}}[1, 2, 5], [3, 4, 6]]> : tensor<2x3xi32>
// CHECK-DAG: dense<{{\[}}[1, 2, 1, 2], [3, 4, 3, 4]]> : tensor<2x4xi32>
// CHECK-DAG: dense<{{\[}}[3, 4], [1, 2], [3, 4]]> : tensor<3x2xi32>
// CHECK-DAG: dense<{{\[}}[1], [3]]> : tensor<2x1xi32>
// CHECK-DAG: dense<{{\[}}[2], [4]]> : tensor<2x1xi32>
func.func @joins() -> (tensor<2x3xi32>, tensor<2x4xi32>, tensor<3x2xi32>, tensor<2x1xi32>, tensor<2x1xi32>) {
  %0 = nnhal.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32> -> tensor<2x2xi32>
  %1 = nnhal.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %2 = nnhal.constant dense<[[5.0], [6.0]]> : tensor<2x1xf32> -> tensor<2x1xf32>
  %3 = nnhal.concatenation %1, %2 axis 1 : (tensor<2x2xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
  %4 = nnhal.cast %3 : (tensor<2x3xf32>) -> tensor<2x3xi32>
  %5 = nnhal.tile %0 multiples [1, 2] : (tensor<2x2xi32>) -> tensor<2x4xi32>
  %6 = nnhal.constant dense<[1, 0, 1]> : tensor<3xi32> -> tensor<3xi32>
  %7 = nnhal.gather %0, %6 axis 0 : (tensor<2x2xi32>, tensor<3xi32>) -> tensor<3x2xi32>
  %8:2 = nnhal.split %0 axis 1 : (tensor<2x2xi32>) -> (tensor<2x1xi32>, tensor<2x1xi32>)
  return %4, %5, %7, %8#0, %8#1 : tensor<2x3xi32>, tensor<2x4xi32>, tensor<3x2xi32>, tensor<2x1xi32>, tensor<2x1xi32>
}

// -----

// gather C4 fails when the model runs.
// CHECK-LABEL: func @gather_out_of_range
// CHECK: nnhal.gather
func.func @gather_out_of_range() -> tensor<1xi32> {
  %0 = nnhal.constant dense<[1, 2]> : tensor<2xi32> -> tensor<2xi32>
  %1 = nnhal.constant dense<2> : tensor<1xi32> -> tensor<1xi32>
  %2 = nnhal.gather %0, %1 axis 0 : (tensor<2xi32>, tensor<1xi32>) -> tensor<1xi32>
  return %2 : tensor<1xi32>
}

// -----

!q = !quant.uniform<u8:f32, 0.5:7>
// CHECK-LABEL: func @pads
// CHECK-DAG: dense<[7, 1, 2, 7, 7]> : tensor<5xi8>
// CHECK-DAG: dense<[1, 2, 9]> : tensor<3xi8>
// CHECK-DAG: dense<{{\[}}[1.500000e+00, 1.500000e+00], [1.000000e+00, 2.000000e+00]]> : tensor<2x2xf16>
// CHECK-DAG: dense<0.000000e+00> : tensor<3xf32>
func.func @pads() -> (tensor<5x!q>, tensor<3x!q>, tensor<2x2xf16>, tensor<3xf32>) {
  %0 = nnhal.constant dense<[1, 2]> : tensor<2xi8> -> tensor<2x!q>
  %1 = nnhal.pad %0 paddings [1, 2] : (tensor<2x!q>) -> tensor<5x!q>
  %2 = nnhal.pad_v2 %0 paddings [0, 1] value(9 : i32) : (tensor<2x!q>) -> tensor<3x!q>
  %3 = nnhal.constant dense<[[1.0, 2.0]]> : tensor<1x2xf16> -> tensor<1x2xf16>
  %4 = nnhal.pad_v2 %3 paddings [1, 0, 0, 0] value(1.5 : f32) : (tensor<1x2xf16>) -> tensor<2x2xf16>
  %5 = nnhal.constant dense<0.0> : tensor<2xf32> -> tensor<2xf32>
  %6 = nnhal.pad %5 paddings [1, 0] : (tensor<2xf32>) -> tensor<3xf32>
  return %1, %2, %4, %6 : tensor<5x!q>, tensor<3x!q>, tensor<2x2xf16>, tensor<3xf32>
}

// -----

// Up to 1 KiB.
// CHECK-LABEL: func @fills
// CHECK-DAG: nnhal.constant dense<3> : tensor<256xi32> -> tensor<256xi32>
// CHECK-DAG: nnhal.constant dense<5.000000e-01> : tensor<2xf16> -> tensor<2xf16>
// CHECK-DAG: nnhal.fill value(4 : i32) : () -> tensor<257xi32>
func.func @fills() -> (tensor<256xi32>, tensor<257xi32>, tensor<2xf16>) {
  %0 = nnhal.fill value(3 : i32) : () -> tensor<256xi32>
  %1 = nnhal.fill value(4 : i32) : () -> tensor<257xi32>
  %2 = nnhal.fill value(0.5 : f32) : () -> tensor<2xf16>
  return %0, %1, %2 : tensor<256xi32>, tensor<257xi32>, tensor<2xf16>
}
