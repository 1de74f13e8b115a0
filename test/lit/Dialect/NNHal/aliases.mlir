// RUN: nnhal-opt %s --verify-roundtrip | FileCheck %s

// Quantized types are named as the HAL names them.

// CHECK-DAG: !quant8_asymm = !quant.uniform<u8:f32, 5.000000e-01:128>
// CHECK-DAG: !quant8_asymm1 = !quant.uniform<u8:f32, 2.500000e-01:128>
// CHECK-DAG: !quant8_asymm_signed = !quant.uniform<i8:f32, 5.000000e-01:3>
// CHECK-DAG: !quant8_symm = !quant.uniform<i8<-127:127>:f32, 5.000000e-01>
// CHECK-DAG: !quant8_symm_per_channel = !quant.uniform<i8<-127:127>:f32:0, {5.000000e-01,2.500000e-01}>
// CHECK-DAG: !quant16_symm = !quant.uniform<i16:f32, 5.000000e-01>
// CHECK-DAG: !quant16_asymm = !quant.uniform<u16:f32, 5.000000e-01:7>
// CHECK-DAG: !quantized = !quant.uniform<i32:f32, 5.000000e-01>
nnhal.model @model attributes {hal_version = "1.3"} {
  // CHECK: nnhal.graph @main(%{{.*}}: tensor<2x!quant8_asymm>, %{{.*}}: tensor<2x!quant8_asymm1>, %{{.*}}: tensor<2x!quant8_asymm_signed>, %{{.*}}: tensor<2x!quant8_symm>, %{{.*}}: tensor<2x!quant8_symm_per_channel>, %{{.*}}: tensor<2x!quant16_symm>, %{{.*}}: tensor<2x!quant16_asymm>, %{{.*}}: tensor<2x!quantized>)
  nnhal.graph @main(
      %0: tensor<2x!quant.uniform<u8:f32, 0.5:128>>,
      %1: tensor<2x!quant.uniform<u8:f32, 0.25:128>>,
      %2: tensor<2x!quant.uniform<i8:f32, 0.5:3>>,
      %3: tensor<2x!quant.uniform<i8<-127:127>:f32, 0.5>>,
      %4: tensor<2x!quant.uniform<i8<-127:127>:f32:0, {0.5,0.25}>>,
      %5: tensor<2x!quant.uniform<i16:f32, 0.5>>,
      %6: tensor<2x!quant.uniform<u16:f32, 0.5:7>>,
      %7: tensor<2x!quant.uniform<i32:f32, 0.5>>) {
    nnhal.return
  }
}
