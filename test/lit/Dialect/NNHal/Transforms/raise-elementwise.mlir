// RUN: nnhal-opt %s --nnhal-raise-operations="strict" --split-input-file | FileCheck %s

// CHECK-LABEL: nnhal.model @add
nnhal.model @add attributes {hal_version = "1.3"} {
  nnhal.graph @main(%a: tensor<2x3xf32>, %c: tensor<1x3xf32>) -> tensor<?x?xf32> {
    %c0 = nnhal.constant_copy 1 : i32 -> i32
    // CHECK: nnhal.add %{{.+}}, %{{.+}} activation relu
    // CHECK: -> tensor<2x3xf32>
    %r = nnhal.operation "ADD"(%a, %c, %c0)
        : (tensor<2x3xf32>, tensor<1x3xf32>, i32) -> tensor<?x?xf32>
    nnhal.return %r : tensor<?x?xf32>
  }
}

// -----

// CHECK-LABEL: nnhal.model @div
nnhal.model @div attributes {hal_version = "1.3"} {
  nnhal.graph @main(%a: tensor<2x3xf32>, %c: tensor<1x3xf32>) -> tensor<2x3xf32> {
    %c0 = nnhal.constant_copy 0 : i32 -> i32
    // CHECK: nnhal.div %{{.+}}, %{{.+}} :
    %r = nnhal.operation "DIV"(%a, %c, %c0)
        : (tensor<2x3xf32>, tensor<1x3xf32>, i32) -> tensor<2x3xf32>
    nnhal.return %r : tensor<2x3xf32>
  }
}

// -----

// CHECK-LABEL: nnhal.model @less
nnhal.model @less attributes {hal_version = "1.3"} {
  nnhal.graph @main(%a: tensor<2x3xf32>, %c: tensor<1x3xf32>) -> tensor<2x3xi8> {
    // CHECK: nnhal.less
    %r = nnhal.operation "LESS"(%a, %c)
        : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xi8>
    nnhal.return %r : tensor<2x3xi8>
  }
}

// -----

// CHECK-LABEL: nnhal.model @select
nnhal.model @select attributes {hal_version = "1.3"} {
  nnhal.graph @main(%m: tensor<2x3xi8>, %a: tensor<2x3xf32>) -> tensor<2x3xf32> {
    // CHECK: nnhal.select
    %r = nnhal.operation "SELECT"(%m, %a, %a)
        : (tensor<2x3xi8>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    nnhal.return %r : tensor<2x3xf32>
  }
}

// -----

// CHECK-LABEL: nnhal.model @rsqrt_learns_rank
nnhal.model @rsqrt_learns_rank attributes {hal_version = "1.3"} {
  nnhal.graph @main(%a: tensor<2x3xf32>) -> tensor<*xf32> {
    // CHECK: nnhal.rsqrt %{{.+}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %r = nnhal.operation "RSQRT"(%a)
        : (tensor<2x3xf32>) -> tensor<*xf32>
    nnhal.return %r : tensor<*xf32>
  }
}

// -----

// CHECK-LABEL: nnhal.model @cast
nnhal.model @cast attributes {hal_version = "1.3"} {
  nnhal.graph @main(%a: tensor<2x3xf32>) -> tensor<*xi32> {
    // CHECK: nnhal.cast %{{.+}} : (tensor<2x3xf32>) -> tensor<2x3xi32>
    %r = nnhal.operation "CAST"(%a)
        : (tensor<2x3xf32>) -> tensor<*xi32>
    nnhal.return %r : tensor<*xi32>
  }
}

// -----

// CHECK-LABEL: nnhal.model @quantize
nnhal.model @quantize attributes {hal_version = "1.3"} {
  nnhal.graph @main(%a: tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<u8:f32, 5.000000e-01:128>> {
    // CHECK: nnhal.quantize
    %r = nnhal.operation "QUANTIZE"(%a)
        : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<u8:f32, 5.000000e-01:128>>
    nnhal.return %r : tensor<2x3x!quant.uniform<u8:f32, 5.000000e-01:128>>
  }
}

// -----

// CHECK-LABEL: nnhal.model @dequantize
nnhal.model @dequantize attributes {hal_version = "1.3"} {
  nnhal.graph @main(%q: tensor<2x3x!quant.uniform<i8:f32, 5.000000e-01>>) -> tensor<2x3xf16> {
    // CHECK: nnhal.dequantize
    %r = nnhal.operation "DEQUANTIZE"(%q)
        : (tensor<2x3x!quant.uniform<i8:f32, 5.000000e-01>>) -> tensor<2x3xf16>
    nnhal.return %r : tensor<2x3xf16>
  }
}
