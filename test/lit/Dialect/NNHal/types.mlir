// RUN: nnhal-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: func.func private @own_types
// CHECK-SAME: !nnhal.subgraph, !nnhal.oem, tensor<4x!nnhal.oem_byte>
// CHECK-SAME: !nnhal.oem<5.000000e-01, 3>, tensor<4x!nnhal.oem_byte<0x7FC00000, -1>>
// CHECK-SAME: !nnhal.extension<"com.example.fft", 2>
// CHECK-SAME: tensor<2x!nnhal.extension<"com.example.fft", 3, "00ff">>
func.func private @own_types(!nnhal.subgraph, !nnhal.oem, tensor<4x!nnhal.oem_byte>,
    !nnhal.oem<0.5, 3>, tensor<4x!nnhal.oem_byte<0x7FC00000, -1>>,
    !nnhal.extension<"com.example.fft", 2>, tensor<2x!nnhal.extension<"com.example.fft", 3, "00ff">>)
