// RUN: nnhal-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: nnhal.model @header
// CHECK-SAME: extension_names = ["com.example.ext"], extension_prefixes = array<i32: 5>, hal_version = "1.2", relaxed
nnhal.model @header attributes {hal_version = "1.2", relaxed, extension_names = ["com.example.ext"], extension_prefixes = array<i32: 5>} {
  // CHECK: nnhal.pool @pool0 {file = "weights.bin", file_offset = 16 : i64, kind = "mmap_fd", size = 64 : i64}
  nnhal.pool @pool0 {kind = "mmap_fd", file = "weights.bin", file_offset = 16 : i64, size = 64 : i64}
  // CHECK: nnhal.graph @main(%[[X:.+]]: tensor<?x3xf32>) -> (tensor<*xf32>, tensor<?x3xf32>)
  // CHECK-SAME: state_pairs = array<i32: 1, 0>
  nnhal.graph @main(%x: tensor<?x3xf32>) -> (tensor<*xf32>, tensor<?x3xf32>)
      attributes {input_operands = array<i32: 0>, input_names = ["x"], output_names = ["y", ""], state_pairs = array<i32: 1, 0>} {
    // CHECK: nnhal.operation "com.example.ext:3"(%[[X]])
    %0 = nnhal.operation "com.example.ext:3"(%x) {outputs = array<i32: 1>} : (tensor<?x3xf32>) -> tensor<*xf32>
    %1 = nnhal.operation "RELU"(%x) {outputs = array<i32: 2>} : (tensor<?x3xf32>) -> tensor<?x3xf32>
    nnhal.return %0, %1 : tensor<*xf32>, tensor<?x3xf32>
  }
}

// CHECK-LABEL: nnhal.model @operands
nnhal.model @operands attributes {hal_version = "1.3"} {
  nnhal.pool @pool0 {kind = "ashmem", synthetic, value = dense<0> : tensor<64xi8>}
  nnhal.graph @main(%c: tensor<1xi8>) -> tensor<2xf32> {
    // CHECK: nnhal.subgraph_reference @ref0 {number = 3 : i32}
    %then = nnhal.subgraph_reference @ref0 {number = 3 : i32}
    // CHECK: nnhal.no_value : tensor<2xi32>
    %none = nnhal.no_value : tensor<2xi32>
    // CHECK: nnhal.constant_copy 1 : i8 -> i8
    %flag = nnhal.constant_copy 1 : i8 -> i8
    // CHECK: nnhal.constant_copy dense<[1, -1]> : tensor<2xi8> -> tensor<2x!quant8_asymm{{[0-9]*}}>
    %copy = nnhal.constant_copy dense<[1, -1]> : tensor<2xi8> -> tensor<2x!quant.uniform<u8:f32, 5.000000e-01:128>>
    // CHECK: nnhal.constant_reference @pool0[8] : tensor<2x3xf32>
    %reference = nnhal.constant_reference @pool0[8] : tensor<2x3xf32>
    // CHECK: nnhal.constant_reference @pool0[0] {length = 7 : i64} : !nnhal.oem
    %oem = nnhal.constant_reference @pool0[0] {length = 7 : i64} : !nnhal.oem
    // CHECK: nnhal.operation "IF"
    %0 = nnhal.operation "IF"(%c, %then, %then) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  // CHECK: nnhal.graph @ref0() -> tensor<2xf32>
  nnhal.graph @ref0() -> tensor<2xf32> {
    %0 = nnhal.operation "OEM_OPERATION"() : () -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
}
