// RUN: nnhal-opt %s --split-input-file --nnhal-raise-operations --convert-nnhal-graph-to-func --convert-nnhal-to-linalg --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @main(
// CHECK:         iterator_types = ["parallel", "reduction"]
// CHECK:         %[[MULTIPLIERS:.+]] = linalg.generic
// CHECK:         math.ctlz {{.*}} : i64
// CHECK:         %[[EXPONENTS:.+]] = linalg.generic
// CHECK:         linalg.generic {{.*}} ins({{.*}}, %[[MULTIPLIERS]], %[[EXPONENTS]] :
nnhal.model @quantized_l2 attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<2x3x!quant.uniform<u8:f32, 0.5:128>>) -> tensor<2x3x!quant.uniform<u8:f32, 7.8125e-3:128>> {
    %0 = nnhal.operation "L2_NORMALIZATION"(%x) : (tensor<2x3x!quant.uniform<u8:f32, 0.5:128>>) -> tensor<2x3x!quant.uniform<u8:f32, 7.8125e-3:128>>
    nnhal.return %0 : tensor<2x3x!quant.uniform<u8:f32, 7.8125e-3:128>>
  }
}

// -----

// A radius that is computed is checked, and windows end at the tensor's edges.
// CHECK-LABEL: func.func @main(
// CHECK:         nnrt.check
// CHECK:         linalg.generic
// CHECK:         arith.maxsi
// CHECK:         arith.minsi
// CHECK:         scf.for
// CHECK:         math.powf
nnhal.model @computed_radius attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1x2x3x4xf32>, %radius: i32) -> tensor<1x2x3x4xf32> {
    %one = nnhal.constant_copy 1.0 : f32 -> f32
    %0 = nnhal.operation "LOCAL_RESPONSE_NORMALIZATION"(%x, %radius, %one, %one, %one) : (tensor<1x2x3x4xf32>, i32, f32, f32, f32) -> tensor<1x2x3x4xf32>
    nnhal.return %0 : tensor<1x2x3x4xf32>
  }
}

// -----

// The window of a known radius is a sum of slices of a padded tensor.
// CHECK-LABEL: func.func @main(
// CHECK:         tensor.insert_slice
// CHECK-COUNT-3: tensor.extract_slice
// CHECK-NOT:     scf.for
// CHECK:         math.powf
nnhal.model @known_radius attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1x2x3x?xf32>) -> tensor<1x2x3x?xf32> {
    %radius = nnhal.constant_copy 1 : i32 -> i32
    %one = nnhal.constant_copy 1.0 : f32 -> f32
    %0 = nnhal.operation "LOCAL_RESPONSE_NORMALIZATION"(%x, %radius, %one, %one, %one) : (tensor<1x2x3x?xf32>, i32, f32, f32, f32) -> tensor<1x2x3x?xf32>
    nnhal.return %0 : tensor<1x2x3x?xf32>
  }
}

// -----

// CHECK-LABEL: func.func @main(
// CHECK-COUNT-3: linalg.generic
// CHECK:         math.sqrt
nnhal.model @dynamic_instance attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1x?x?x4xf16>) -> tensor<1x?x?x4xf16> {
    %one = nnhal.constant_copy 1.0 : f16 -> f16
    %false = nnhal.constant_copy 0 : i8 -> i8
    %0 = nnhal.operation "INSTANCE_NORMALIZATION"(%x, %one, %one, %one, %false) : (tensor<1x?x?x4xf16>, f16, f16, f16, i8) -> tensor<1x?x?x4xf16>
    nnhal.return %0 : tensor<1x?x?x4xf16>
  }
}
