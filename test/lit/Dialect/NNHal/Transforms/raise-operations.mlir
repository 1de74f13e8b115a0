// RUN: nnhal-opt %s --nnhal-raise-operations 2>&1 | FileCheck %s

// What cannot be raised stays, with a remark; unused operands and pools go.

// CHECK: remark: not raised: OEM_OPERATION: no canonical operation stands for it
// CHECK-LABEL: nnhal.model @partial
nnhal.model @partial attributes {hal_version = "1.3"} {
  // CHECK-NOT: @unused
  nnhal.pool @unused {kind = "ashmem", value = dense<0> : tensor<8xi8>}
  // CHECK-NOT: nnhal.pool @pool0
  nnhal.pool @pool0 {kind = "ashmem", value = dense<[0, 0, 0, 0, 0, 0, -128, 63]> : tensor<8xi8>}
  // CHECK: nnhal.graph @main(%[[X:.+]]: tensor<?x2xf32>, %{{.+}}: i32)
  nnhal.graph @main(%x: tensor<?x2xf32>, %s: i32) -> (tensor<?x?xf32>, tensor<2xf32>) {
    // CHECK-NOT: nnhal.constant_copy
    // CHECK: %[[Y:.+]] = nnhal.constant dense<[0.000000e+00, 1.000000e+00]> : tensor<2xf32> -> tensor<2xf32>
    %y = nnhal.constant_reference @pool0[0] : tensor<2xf32>
    %zero = nnhal.constant_copy 0 : i32 -> i32
    %none = nnhal.no_value : tensor<2xf32>
    // CHECK: nnhal.add %[[X]], %[[Y]] : (tensor<?x2xf32>, tensor<2xf32>) -> tensor<?x2xf32>
    %0 = nnhal.operation "ADD"(%x, %y, %zero) : (tensor<?x2xf32>, tensor<2xf32>, i32) -> tensor<?x?xf32>
    // CHECK: nnhal.operation "OEM_OPERATION"
    %1 = nnhal.operation "OEM_OPERATION"(%x) : (tensor<?x2xf32>) -> tensor<2xf32>
    // CHECK: nnhal.return %{{.+}}, %{{.+}} : tensor<?x2xf32>, tensor<2xf32>
    nnhal.return %0, %1 : tensor<?x?xf32>, tensor<2xf32>
  }
}
