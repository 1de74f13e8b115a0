// RUN: nnhal-opt %s --split-input-file --convert-nnhal-graph-to-func | FileCheck %s

// The function says what the model allows.

// CHECK-LABEL: func.func @main(%{{.+}}: memref<4xf32>, %{{.+}}: memref<4xf32>)
// CHECK-SAME:    nnhal.relaxed
nnhal.model @floats attributes {hal_version = "1.3", relaxed} {
  nnhal.graph @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = nnhal.relu %x : (tensor<4xf32>) -> tensor<4xf32>
    nnhal.return %0 : tensor<4xf32>
  }
}

// -----

// Quantized values stay exact, and those of f32 beside them.

!q = !quant.uniform<u8:f32, 0.5:3>
// CHECK-LABEL: func.func @main
// CHECK-NOT:     nnhal.relaxed
nnhal.model @bytes attributes {hal_version = "1.3", relaxed} {
  nnhal.graph @main(%x: tensor<4xf32>) -> tensor<4x!q> {
    %0 = nnhal.quantize %x : (tensor<4xf32>) -> tensor<4x!q>
    nnhal.return %0 : tensor<4x!q>
  }
}
