// RUN: nnhal-opt %s --verify-roundtrip | FileCheck %s
// RUN: nnhal-opt %s --canonicalize | FileCheck %s --check-prefix=FOLDED

// CHECK-LABEL: @a_quantized_constant_has_its_stored_values
// CHECK: nnhal.constant dense<[1, 2]> : tensor<2xi8> -> tensor<2x!quant8_asymm_signed{{[0-9]*}}>
func.func @a_quantized_constant_has_its_stored_values() -> tensor<2x!quant.uniform<i8:f32, 0.5>> {
  %0 = nnhal.constant dense<[1, 2]> : tensor<2xi8> -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  return %0 : tensor<2x!quant.uniform<i8:f32, 0.5>>
}

// CHECK-LABEL: @a_constant_of_an_extension_has_its_stored_values
// CHECK: nnhal.constant dense<[1, -1]> : tensor<2xi64> -> tensor<2x!nnhal.extension<"com.example.ext", 0 : 8>>
func.func @a_constant_of_an_extension_has_its_stored_values() -> tensor<2x!nnhal.extension<"com.example.ext", 0 : 8>> {
  %0 = nnhal.constant dense<[1, -1]> : tensor<2xi64> -> tensor<2x!nnhal.extension<"com.example.ext", 0 : 8>>
  return %0 : tensor<2x!nnhal.extension<"com.example.ext", 0 : 8>>
}

// CHECK-LABEL: @a_constant_may_be_a_resource
// CHECK: nnhal.constant dense_resource<weights> : tensor<2xf32> -> tensor<2xf32>
func.func @a_constant_may_be_a_resource() -> tensor<2xf32> {
  %0 = nnhal.constant dense_resource<weights> : tensor<2xf32> -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// FOLDED-LABEL: @equal_constants_are_merged
// FOLDED: %[[C:.+]] = nnhal.constant
// FOLDED-NOT: nnhal.constant
// FOLDED: return %[[C]], %[[C]]
func.func @equal_constants_are_merged() -> (tensor<1xi32>, tensor<1xi32>) {
  %0 = nnhal.constant dense<7> : tensor<1xi32> -> tensor<1xi32>
  %1 = nnhal.constant dense<7> : tensor<1xi32> -> tensor<1xi32>
  return %0, %1 : tensor<1xi32>, tensor<1xi32>
}

{-#
  dialect_resources: {
    builtin: {
      weights: "0x040000000000803F00000040"
    }
  }
#-}
