// RUN: nnhal-opt %s --nnhal-check-version=report --verify-diagnostics --split-input-file | FileCheck %s

// The model is left as it is.
// CHECK: nnhal.operation "ADD"

// expected-remark @+1 {{the lowest HAL version of the model is 1.0}}
nnhal.model @old attributes {hal_version = "1.3"} {
  nnhal.graph @main(%a: tensor<2xf32>) -> tensor<2xf32> {
    %c = nnhal.constant_copy 0 : i32 -> i32
    // expected-remark @+1 {{ADD needs HAL 1.0}}
    %r = nnhal.operation "ADD"(%a, %a, %c) : (tensor<2xf32>, tensor<2xf32>, i32) -> tensor<2xf32>
    nnhal.return %r : tensor<2xf32>
  }
}

// -----

// Integers can be added since 1.3; what needs no more than 1.0 is not named.
// expected-remark @+1 {{the lowest HAL version of the model is 1.3}}
nnhal.model @use attributes {hal_version = "1.0"} {
  nnhal.graph @main(%a: tensor<2xi32>) -> tensor<2xi32> {
    %c = nnhal.constant_copy 0 : i32 -> i32
    // expected-remark @+1 {{this use of ADD needs HAL 1.3}}
    %r = nnhal.operation "ADD"(%a, %a, %c) : (tensor<2xi32>, tensor<2xi32>, i32) -> tensor<2xi32>
    nnhal.return %r : tensor<2xi32>
  }
}

// -----

// expected-remark @+1 {{the lowest HAL version of the model is 1.2}}
nnhal.model @operands attributes {hal_version = "1.3", extension_names = ["com.example.fft"], extension_prefixes = array<i32: 7>} {
  // expected-remark @+1 {{a pool of kind hardware_buffer_blob needs HAL 1.2}}
  nnhal.pool @pool0 {kind = "hardware_buffer_blob", value = dense<0> : tensor<4xi8>}
  nnhal.pool @pool1 {kind = "ashmem", value = dense<0> : tensor<4xi8>}
  // expected-remark @+1 {{type TENSOR_FLOAT16 of input 0 needs HAL 1.2}}
  nnhal.graph @main(%a: tensor<2xf16>) -> tensor<*xf16> {
    // expected-remark @+1 {{the extension type of the result needs HAL 1.2}}
    %e = nnhal.no_value : !nnhal.extension<"com.example.fft", 2>
    // expected-remark @+1 {{com.example.fft:3 needs HAL 1.2}}
    %f = nnhal.operation "com.example.fft:3"(%a, %e) : (tensor<2xf16>, !nnhal.extension<"com.example.fft", 2>) -> tensor<2xf16>
    // expected-remark @+1 {{the unknown rank of the result needs HAL 1.2}}
    %r = nnhal.operation "OEM_OPERATION"(%f) : (tensor<2xf16>) -> tensor<*xf16>
    nnhal.return %r : tensor<*xf16>
  }
}

// -----

// expected-remark @+1 {{the lowest HAL version of the model is 1.3}}
nnhal.model @subgraphs attributes {hal_version = "1.3"} {
  // expected-remark @+1 {{type TENSOR_BOOL8 of input 0 needs HAL 1.2}}
  nnhal.graph @main(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    // expected-remark @+1 {{type SUBGRAPH of the result needs HAL 1.3}}
    %s = nnhal.subgraph_reference @branch
    // expected-remark @+1 {{IF needs HAL 1.3}}
    %r = nnhal.operation "IF"(%c, %s, %s, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %r : tensor<2xf32>
  }
  // expected-remark @+1 {{a referenced subgraph needs HAL 1.3}}
  nnhal.graph @branch(%x: tensor<2xf32>) -> tensor<2xf32> {
    // expected-remark @+1 {{FLOOR needs HAL 1.0}}
    %r = nnhal.operation "FLOOR"(%x) : (tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %r : tensor<2xf32>
  }
}
