// Constants of an extension's elements are what the elements are stored as. Where
// nobody has described the type they are bytes, which no compiled code holds.
// RUN: nnhal-opt %s --split-input-file --nnhal-compile=until=lower --verify-diagnostics | FileCheck %s
!long = !nnhal.extension<"com.example.vendor", 0 : 8>

// CHECK: %[[LONG:.+]] = arith.constant dense<[1, -1]> : tensor<2xi64>
// CHECK: nnrt.call_routine(%[[LONG]]) {{.+}} {reason = "no dialect brings its extension"}
module attributes {nnhal.called_extensions = ["com.example.vendor"]} {
  nnhal.model @model attributes {hal_version = "1.3", extension_names = ["com.example.vendor"], extension_prefixes = array<i32: 1>} {
    nnhal.graph @main() -> tensor<2xf32> {
      %long = nnhal.constant_copy dense<[1, -1]> : tensor<2xi64> -> tensor<2x!long>
      // expected-remark @+1 {{not raised: com.example.vendor:1: no dialect brings its extension}}
      %0 = nnhal.operation "com.example.vendor:1"(%long) : (tensor<2x!long>) -> tensor<2xf32>
      nnhal.return %0 : tensor<2xf32>
    }
  }
}

// -----

!odd = !nnhal.extension<"com.example.vendor", 3>

module attributes {nnhal.called_extensions = ["com.example.vendor"]} {
  nnhal.model @model attributes {hal_version = "1.3", extension_names = ["com.example.vendor"], extension_prefixes = array<i32: 1>} {
    nnhal.graph @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %odd = nnhal.constant_copy dense<[1, 2, 3, 4]> : tensor<4xi8> -> tensor<2x!odd>
      // expected-remark @+2 {{not raised: com.example.vendor:1: no dialect brings its extension}}
      // expected-error @+1 {{cannot be lowered: input 1 has elements of no known size}}
      %0 = nnhal.operation "com.example.vendor:1"(%x, %odd) : (tensor<2xf32>, tensor<2x!odd>) -> tensor<2xf32>
      nnhal.return %0 : tensor<2xf32>
    }
  }
}
