// Products of 16-bit matrices are raised where packing one of them is worth it.
// RUN: nnhal-opt %s --load-dialect-plugin=%{extension-halves}/nnhal.tflite.compiler.so --nnhal-raise-operations 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REASONS <%t
// CHECK: %[[TURNED:.+]] = tflite.transpose %{{.+}} [0, 2, 1] : tensor<1x6x70x{{.+}} -> tensor<1x70x6x
// CHECK: tflite.matmul %[[TURNED]], %{{.+}} multiplier 16384 shift 15 {transposed} : tensor<1x70x6x!quant16_symm>, tensor<2x16x6x!quant16_symm> -> tensor<2x70x16x
// REASONS: not raised: nnhal.tflite:126: elements of these types are not compiled
// REASONS: not raised: nnhal.tflite:126: its options and shapes do not fit
// REASONS: not raised: nnhal.tflite:126: it has no elements
// REASONS: not raised: nnhal.tflite:126: some of its matrices are those of several products
// REASONS: not raised: nnhal.tflite:126: it has more than 16 products of 510 or fewer numbers
// REASONS: not raised: nnhal.tflite:126: packing its matrices takes longer than it saves
!fixed = !quant.uniform<i16:f32, 0.5>
nnhal.model @model attributes {hal_version = "1.3", extension_names = ["nnhal.tflite"], extension_prefixes = array<i32: 1>} {
  nnhal.graph @main(%x: tensor<6x70x!fixed>, %y: tensor<2x16x6x!fixed>, %real: tensor<6x70xf32>, %none: tensor<0x6x!fixed>, %left: tensor<2x1x2x2x!fixed>, %right: tensor<1x2x2x2x!fixed>, %many: tensor<17x2x2x!fixed>, %row: tensor<1x600x!fixed>, %wide: tensor<600x64x!fixed>) -> (tensor<2x70x16x!fixed>, tensor<70x70xf32>, tensor<2x70x6x!fixed>, tensor<0x70x!fixed>, tensor<2x2x2x2x!fixed>, tensor<17x2x2x!fixed>, tensor<1x64x!fixed>) {
    %no = nnhal.constant_copy 0 : i8 -> i8
    %yes = nnhal.constant_copy 1 : i8 -> i8
    %r0 = nnhal.operation "nnhal.tflite:126"(%x, %y, %yes, %yes) : (tensor<6x70x!fixed>, tensor<2x16x6x!fixed>, i8, i8) -> tensor<2x70x16x!fixed>
    %r1 = nnhal.operation "nnhal.tflite:126"(%real, %real, %yes, %no) : (tensor<6x70xf32>, tensor<6x70xf32>, i8, i8) -> tensor<70x70xf32>
    %r2 = nnhal.operation "nnhal.tflite:126"(%x, %y, %yes, %yes) : (tensor<6x70x!fixed>, tensor<2x16x6x!fixed>, i8, i8) -> tensor<2x70x6x!fixed>
    %r3 = nnhal.operation "nnhal.tflite:126"(%none, %x, %no, %no) : (tensor<0x6x!fixed>, tensor<6x70x!fixed>, i8, i8) -> tensor<0x70x!fixed>
    %r4 = nnhal.operation "nnhal.tflite:126"(%left, %right, %no, %no) : (tensor<2x1x2x2x!fixed>, tensor<1x2x2x2x!fixed>, i8, i8) -> tensor<2x2x2x2x!fixed>
    %r5 = nnhal.operation "nnhal.tflite:126"(%many, %many, %no, %no) : (tensor<17x2x2x!fixed>, tensor<17x2x2x!fixed>, i8, i8) -> tensor<17x2x2x!fixed>
    %r6 = nnhal.operation "nnhal.tflite:126"(%row, %wide, %no, %no) : (tensor<1x600x!fixed>, tensor<600x64x!fixed>, i8, i8) -> tensor<1x64x!fixed>
    nnhal.return %r0, %r1, %r2, %r3, %r4, %r5, %r6 : tensor<2x70x16x!fixed>, tensor<70x70xf32>, tensor<2x70x6x!fixed>, tensor<0x70x!fixed>, tensor<2x2x2x2x!fixed>, tensor<17x2x2x!fixed>, tensor<1x64x!fixed>
  }
}
