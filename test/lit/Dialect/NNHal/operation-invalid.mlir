// RUN: nnhal-opt %s --split-input-file --verify-diagnostics

// nnhal.operation obeys the rules that HAL models are validated with.

nnhal.model @input_count attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    // expected-error @below {{'nnhal.operation' op found 2 inputs, expected 3}}
    %0 = nnhal.operation "ADD"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
}

// -----

nnhal.model @stated_type attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<2xf32>) -> tensor<3xf32> {
    // expected-error @below {{'nnhal.operation' op output dimension 0 is 3, expected 2}}
    %0 = nnhal.operation "RELU"(%x) : (tensor<2xf32>) -> tensor<3xf32>
    nnhal.return %0 : tensor<3xf32>
  }
}

// -----

nnhal.model @constant_value attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %c = nnhal.constant_copy 7 : i32 -> i32
    // expected-error @below {{'nnhal.operation' op fused activation 7 is outside [0, 3]}}
    %0 = nnhal.operation "ADD"(%x, %x, %c) : (tensor<2xf32>, tensor<2xf32>, i32) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
}

// -----

nnhal.model @omitted attributes {hal_version = "1.3"} {
  nnhal.graph @main() -> tensor<2xf32> {
    %n = nnhal.no_value : tensor<2xf32>
    // expected-error @below {{'nnhal.operation' op input 0 (input) is omitted, but it is not optional}}
    %0 = nnhal.operation "RELU"(%n) : (tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
}

// -----

// Buffers and vectors are no scalars of their elements.
nnhal.model @buffer attributes {hal_version = "1.3"} {
  nnhal.graph @main(%d: tensor<1xi32>, %x: memref<2xf32>) -> tensor<?xf32> {
    // expected-error @below {{'nnhal.operation' op input 1: the HAL has no operand type for memref<2xf32>}}
    %0 = nnhal.operation "FILL"(%d, %x) : (tensor<1xi32>, memref<2xf32>) -> tensor<?xf32>
    nnhal.return %0 : tensor<?xf32>
  }
}

// -----

nnhal.model @vector attributes {hal_version = "1.3"} {
  nnhal.graph @main(%d: tensor<1xi32>, %x: vector<2xf32>) -> tensor<?xf32> {
    // expected-error @below {{'nnhal.operation' op input 1: the HAL has no operand type for vector<2xf32>}}
    %0 = nnhal.operation "FILL"(%d, %x) : (tensor<1xi32>, vector<2xf32>) -> tensor<?xf32>
    nnhal.return %0 : tensor<?xf32>
  }
}

// -----

nnhal.model @no_hal_type attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<2xf64>) -> tensor<2xf32> {
    // expected-error @below {{'nnhal.operation' op input 0: the HAL has no operand type for tensor<2xf64>}}
    %0 = nnhal.operation "RELU"(%x) : (tensor<2xf64>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
}

// -----

nnhal.model @extension_type attributes {hal_version = "1.3", extension_names = ["a"], extension_prefixes = array<i32: 1>} {
  nnhal.graph @main(%x: tensor<2xf32>) -> !nnhal.extension<"a", 1> {
    // expected-error @below {{'nnhal.operation' op output 0: it is of an extension, which the operation is not}}
    %0 = nnhal.operation "RELU"(%x) : (tensor<2xf32>) -> !nnhal.extension<"a", 1>
    nnhal.return %0 : !nnhal.extension<"a", 1>
  }
}
