// RUN: not nnhal-translate --mlir-to-json --split-input-file %s 2>&1 | FileCheck %s

// The HAL has no canonical operations.
// CHECK: error: graph @main: 'nnhal.relu' is not of the NNAPI-shaped level
nnhal.model @m attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = nnhal.relu %x : (tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
}

// -----

// B-054: an output is written by an operation.
// CHECK: error: graph @main: output 0 is not written by an operation
nnhal.model @m attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    nnhal.return %x : tensor<2xf32>
  }
}

// -----

// B-054: an output is stated once.
// CHECK: error: graph @main: output 1 is an output already
nnhal.model @m attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
    %0 = nnhal.operation "RELU"(%x) : (tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0, %0 : tensor<2xf32>, tensor<2xf32>
  }
}

// -----

// CHECK: error: graph @main: operand 0: the HAL has no operand type for tensor<2xf64>
nnhal.model @m attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<2xf64>) -> tensor<2xf32> {
    %0 = nnhal.operation "OEM_OPERATION"(%x) : (tensor<2xf64>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
}

// -----

// CHECK: error: graph @main: operand 0: the HAL has no tensor of rank 0
nnhal.model @m attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<f32>) -> tensor<2xf32> {
    %0 = nnhal.operation "OEM_OPERATION"(%x) : (tensor<f32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
}

// -----

// CHECK: error: graph @main: operand 0: no HAL type stores signed 8-bit values from -8 to 7
nnhal.model @m attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<2x!quant.uniform<i8<-8:7>:f32, 1.000000e+00>>) -> tensor<2xf32> {
    %0 = nnhal.operation "OEM_OPERATION"(%x) : (tensor<2x!quant.uniform<i8<-8:7>:f32, 1.000000e+00>>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
}

// -----

// CHECK: error: graph @main: operand 0: channel quantization of the HAL is i8<-127:127> with zero point 0
nnhal.model @m attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<2x!quant.uniform<i8:f32:0, {1.000000e+00, 2.000000e+00}>>) -> tensor<2xf32> {
    %0 = nnhal.operation "OEM_OPERATION"(%x) : (tensor<2x!quant.uniform<i8:f32:0, {1.000000e+00, 2.000000e+00}>>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
}

// -----

// CHECK: error: graph @main: operand 0: extension "com.example.ext" is not declared by the model
nnhal.model @m attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: !nnhal.extension<"com.example.ext", 1>) -> tensor<2xf32> {
    %0 = nnhal.operation "OEM_OPERATION"(%x) : (!nnhal.extension<"com.example.ext", 1>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
}

// -----

// CHECK: error: graph @main: operand 0: extension type number 65536 exceeds 65535
nnhal.model @m attributes {hal_version = "1.3", extension_names = ["a"], extension_prefixes = array<i32: 1>} {
  nnhal.graph @main(%x: !nnhal.extension<"a", 65536>) -> tensor<2xf32> {
    %0 = nnhal.operation "OEM_OPERATION"(%x) : (!nnhal.extension<"a", 65536>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
}

// -----

// CHECK: error: graph @main: operand 0: extension data "0g" is not hexadecimal
nnhal.model @m attributes {hal_version = "1.3", extension_names = ["a"], extension_prefixes = array<i32: 1>} {
  nnhal.graph @main(%x: !nnhal.extension<"a", 1, "0g">) -> tensor<2xf32> {
    %0 = nnhal.operation "OEM_OPERATION"(%x) : (!nnhal.extension<"a", 1, "0g">) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
}

// -----

// An operand of IF is another graph than the main one.
// CHECK: error: graph @main: operand 1: the main graph cannot be referred to
nnhal.model @m attributes {hal_version = "1.3"} {
  nnhal.graph @main(%c: tensor<1xi8>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @main
    %0 = nnhal.operation "IF"(%c, %then, %then) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
}

// -----

// HAL locations have 32 bits.
// CHECK: error: constants end at byte 4294967299, the HAL allows 4294967295
nnhal.model @m attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %c = nnhal.constant_copy 1 : i32 {offset = 4294967295 : i64} -> i32
    %0 = nnhal.operation "RELU"(%x) : (tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
}

// -----

// CHECK: error: the module holds 0 nnhal.model operations, one is needed

// -----

// What a resource holds may be unknown to this tool, and so large that its
// size has no number.
// CHECK: error: a constant's value has no data
nnhal.model @m attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1xf32>) -> tensor<1xf32> {
    %c = nnhal.constant_copy dense_resource<absent> : tensor<1xf32> -> tensor<1xf32>
    %zero = nnhal.constant_copy 0 : i32 -> i32
    %0 = nnhal.operation "ADD"(%x, %c, %zero) : (tensor<1xf32>, tensor<1xf32>, i32) -> tensor<1xf32>
    nnhal.return %0 : tensor<1xf32>
  }
}

// -----

// CHECK: error: a constant's value has no known size
nnhal.model @m attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1xf32>) -> tensor<1xf32> {
    %c = nnhal.constant_copy dense_resource<absent> : tensor<4294967295x4294967295x4294967295xf32> -> tensor<4294967295x4294967295x4294967295xf32>
    %0 = nnhal.operation "RELU"(%x) : (tensor<1xf32>) -> tensor<1xf32>
    nnhal.return %0 : tensor<1xf32>
  }
}
