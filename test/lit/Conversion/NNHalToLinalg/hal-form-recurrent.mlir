// RUN: nnhal-opt %s --split-input-file --nnhal-raise-operations --convert-nnhal-graph-to-func --convert-nnhal-to-linalg --canonicalize | FileCheck %s
// RUN: nnhal-opt %s --split-input-file --nnhal-compile=until=bufferize | FileCheck %s --check-prefix=BUFFER

// One loop over time carries the output, the state and the next state, in
// memory that is made before it.
// CHECK-LABEL: func.func @main(
// CHECK:         %[[OUTPUT:.+]] = bufferization.alloc_tensor() : tensor<4x3x2xf32>
// CHECK:         %[[NEXT:.+]] = bufferization.alloc_tensor() : tensor<3x2xf32>
// CHECK:         %[[LAST:.+]]:3 = scf.for %{{.+}} = %c0 to %c4 step %c1 iter_args(%{{.+}} = %[[OUTPUT]], %[[OLD:.+]] = %{{.+}}, %{{.+}} = %[[NEXT]])
// CHECK:           tensor.extract %[[OLD]]
// CHECK:           math.tanh
// CHECK:           tensor.insert
// BUFFER-LABEL: func.func @main(
// BUFFER:         memref.alloc
// BUFFER:         scf.for
// BUFFER-NOT:     memref.alloc
// BUFFER-NOT:     memref.copy
// BUFFER:         return
nnhal.model @sequence attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<4x3x5xf32>, %w: tensor<2x5xf32>, %r: tensor<2x2xf32>, %bias: tensor<2xf32>, %state: tensor<3x2xf32>) -> (tensor<4x3x2xf32>, tensor<3x2xf32>) {
    %tanh = nnhal.constant_copy 4 : i32 -> i32
    %timeMajor = nnhal.constant_copy 1 : i32 -> i32
    %0:2 = nnhal.operation "UNIDIRECTIONAL_SEQUENCE_RNN"(%x, %w, %r, %bias, %state, %tanh, %timeMajor) : (tensor<4x3x5xf32>, tensor<2x5xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<3x2xf32>, i32, i32) -> (tensor<4x3x2xf32>, tensor<3x2xf32>)
    nnhal.return %0#0, %0#1 : tensor<4x3x2xf32>, tensor<3x2xf32>
  }
}

// -----

// The request may omit the bias: its extent counts, and its elements are read,
// only when it does not. The rank, an input, is checked before it divides.
// CHECK-LABEL: func.func @main(
// CHECK:         nnrt.check {{.*}} reason 8
// CHECK:         nnrt.check {{.*}} reason 10
// CHECK:         arith.divsi
// CHECK:         %[[IS_GIVEN:.+]] = nnrt.is_present
// CHECK:         %[[IS_OMITTED:.+]] = arith.xori %[[IS_GIVEN]], %true
// CHECK:         %[[FITS:.+]] = arith.ori %{{.+}}, %[[IS_OMITTED]]
// CHECK:         nnrt.check %[[FITS]], {{.*}} reason 1
// CHECK:         scf.if %[[IS_GIVEN]]
// BUFFER-LABEL: func.func @main(
nnhal.model @computed_rank attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<2x3xf16>, %features: tensor<4x3xf16>, %time: tensor<4x5xf16>, %bias: tensor<?xf16>, %state: tensor<2x20xf16>, %rank: i32) -> (tensor<2x20xf16>, tensor<2x?xf16>) {
    %none = nnhal.constant_copy 0 : i32 -> i32
    %0:2 = nnhal.operation "SVDF"(%x, %features, %time, %bias, %state, %rank, %none) : (tensor<2x3xf16>, tensor<4x3xf16>, tensor<4x5xf16>, tensor<?xf16>, tensor<2x20xf16>, i32, i32) -> (tensor<2x20xf16>, tensor<2x?xf16>)
    nnhal.return %0#0, %0#1 : tensor<2x20xf16>, tensor<2x?xf16>
  }
}

// -----

!byte = !quant.uniform<u8:f32, 7.8125e-3:128>
!weight = !quant.uniform<u8:f32, 0.05:100>
!cell = !quant.uniform<i16:f32, 4.8828125e-4>

// Sums in 64 bits, cut to 32 before they are scaled. The output is made of the
// cell state, and nothing is a float.
// CHECK-LABEL: func.func @main(
// CHECK-NOT:     f32
// CHECK:         %[[CELL:.+]] = linalg.generic
// CHECK:         scf.for {{.*}} -> (i64)
// CHECK-NOT:     f32
// CHECK:         linalg.generic {{.*}} ins({{.*}}, %[[CELL]] :
// CHECK-NOT:     f32
// CHECK:         return
// BUFFER-LABEL: func.func @main(
nnhal.model @quantized attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1x3x!byte>, %w: tensor<2x3x!weight>, %r: tensor<2x2x!weight>, %bias: tensor<2x!quant.uniform<i32:f32, 3.90625e-4>>, %state: tensor<1x2x!cell>, %output: tensor<1x2x!byte>) -> (tensor<1x2x!cell>, tensor<1x2x!byte>) {
    %0:2 = nnhal.operation "QUANTIZED_16BIT_LSTM"(%x, %w, %w, %w, %w, %r, %r, %r, %r, %bias, %bias, %bias, %bias, %state, %output) : (tensor<1x3x!byte>, tensor<2x3x!weight>, tensor<2x3x!weight>, tensor<2x3x!weight>, tensor<2x3x!weight>, tensor<2x2x!weight>, tensor<2x2x!weight>, tensor<2x2x!weight>, tensor<2x2x!weight>, tensor<2x!quant.uniform<i32:f32, 3.90625e-4>>, tensor<2x!quant.uniform<i32:f32, 3.90625e-4>>, tensor<2x!quant.uniform<i32:f32, 3.90625e-4>>, tensor<2x!quant.uniform<i32:f32, 3.90625e-4>>, tensor<1x2x!cell>, tensor<1x2x!byte>) -> (tensor<1x2x!cell>, tensor<1x2x!byte>)
    nnhal.return %0#0, %0#1 : tensor<1x2x!cell>, tensor<1x2x!byte>
  }
}
