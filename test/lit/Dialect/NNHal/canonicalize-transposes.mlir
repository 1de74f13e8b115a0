// RUN: nnhal-opt %s --canonicalize --split-input-file | FileCheck %s

// Two NCHW convolutions with an addition and activations between them: one
// transpose at the start, one at the end.
// CHECK-LABEL: func @convolutions
// CHECK-SAME: (%[[X:[^:]+]]: tensor<1x4x8x6xf32>,
// CHECK-NEXT: %[[IN:.+]] = nnhal.transpose %[[X]] permutation [0, 2, 3, 1]
// CHECK-NEXT: %[[C0:.+]] = nnhal.conv_2d %[[IN]], {{.+}}activation relu
// CHECK-NEXT: %[[C1:.+]] = nnhal.conv_2d %[[IN]]
// CHECK-NEXT: %[[SUM:.+]] = nnhal.add %[[C0]], %[[C1]] activation relu6
// CHECK-NEXT: %[[H:.+]] = nnhal.hard_swish %[[SUM]]
// CHECK-NEXT: %[[C2:.+]] = nnhal.conv_2d %[[H]]
// CHECK-NEXT: %[[OUT:.+]] = nnhal.transpose %[[C2]] permutation [0, 3, 1, 2]
// CHECK-NEXT: return %[[OUT]]
func.func @convolutions(%x: tensor<1x4x8x6xf32>, %w: tensor<4x1x1x4xf32>, %b: tensor<4xf32>) -> tensor<1x4x8x6xf32> {
  %0 = nnhal.transpose %x permutation [0, 2, 3, 1] : (tensor<1x4x8x6xf32>) -> tensor<1x8x6x4xf32>
  %1 = nnhal.conv_2d %0, %w, %b pads [0, 0, 0, 0] strides [1, 1] : (tensor<1x8x6x4xf32>, tensor<4x1x1x4xf32>, tensor<4xf32>) -> tensor<1x8x6x4xf32>
  %2 = nnhal.transpose %1 permutation [0, 3, 1, 2] : (tensor<1x8x6x4xf32>) -> tensor<1x4x8x6xf32>
  %3 = nnhal.relu %2 : (tensor<1x4x8x6xf32>) -> tensor<1x4x8x6xf32>
  %4 = nnhal.conv_2d %0, %w, %b pads [0, 0, 0, 0] strides [1, 1] : (tensor<1x8x6x4xf32>, tensor<4x1x1x4xf32>, tensor<4xf32>) -> tensor<1x8x6x4xf32>
  %5 = nnhal.transpose %4 permutation [0, 3, 1, 2] : (tensor<1x8x6x4xf32>) -> tensor<1x4x8x6xf32>
  %6 = nnhal.add %3, %5 activation relu6 : (tensor<1x4x8x6xf32>, tensor<1x4x8x6xf32>) -> tensor<1x4x8x6xf32>
  %7 = nnhal.hard_swish %6 : (tensor<1x4x8x6xf32>) -> tensor<1x4x8x6xf32>
  %8 = nnhal.transpose %7 permutation [0, 2, 3, 1] : (tensor<1x4x8x6xf32>) -> tensor<1x8x6x4xf32>
  %9 = nnhal.conv_2d %8, %w, %b pads [0, 0, 0, 0] strides [1, 1] : (tensor<1x8x6x4xf32>, tensor<4x1x1x4xf32>, tensor<4xf32>) -> tensor<1x8x6x4xf32>
  %10 = nnhal.transpose %9 permutation [0, 3, 1, 2] : (tensor<1x8x6x4xf32>) -> tensor<1x4x8x6xf32>
  return %10 : tensor<1x4x8x6xf32>
}

// -----

// Every function of one element lets a transpose pass.
// CHECK-LABEL: func @functions
// CHECK-SAME: (%[[X:.+]]: tensor<2x?xf32>)
// CHECK-NOT: nnhal.transpose
// CHECK: nnhal.relu %[[X]] : (tensor<2x?xf32>) -> tensor<2x?xf32>
// CHECK-NEXT: nnhal.abs
// CHECK-NEXT: nnhal.tanh
// CHECK-NEXT: nnhal.logistic
// CHECK-NEXT: nnhal.hard_swish
// CHECK-NEXT: nnhal.relu1
// CHECK-NEXT: nnhal.elu
// CHECK-NEXT: nnhal.neg
// CHECK-NEXT: nnhal.relu6
// CHECK-NEXT: nnhal.exp
// CHECK-NEXT: nnhal.log
// CHECK-NEXT: nnhal.sin
// CHECK-NEXT: nnhal.sqrt
// CHECK-NEXT: nnhal.rsqrt
// CHECK-NEXT: %[[R:.+]] = nnhal.floor
// CHECK-NEXT: %[[T:.+]] = nnhal.transpose %[[R]] permutation [1, 0] : (tensor<2x?xf32>) -> tensor<?x2xf32>
// CHECK-NEXT: return %[[T]]
func.func @functions(%x: tensor<2x?xf32>) -> tensor<?x2xf32> {
  %0 = nnhal.transpose %x permutation [1, 0] : (tensor<2x?xf32>) -> tensor<?x2xf32>
  %1 = nnhal.relu %0 : (tensor<?x2xf32>) -> tensor<?x2xf32>
  %2 = nnhal.abs %1 : (tensor<?x2xf32>) -> tensor<?x2xf32>
  %3 = nnhal.tanh %2 : (tensor<?x2xf32>) -> tensor<?x2xf32>
  %4 = nnhal.logistic %3 : (tensor<?x2xf32>) -> tensor<?x2xf32>
  %5 = nnhal.hard_swish %4 : (tensor<?x2xf32>) -> tensor<?x2xf32>
  %6 = nnhal.relu1 %5 : (tensor<?x2xf32>) -> tensor<?x2xf32>
  %7 = nnhal.elu %6 alpha 1.0 : (tensor<?x2xf32>) -> tensor<?x2xf32>
  %8 = nnhal.neg %7 : (tensor<?x2xf32>) -> tensor<?x2xf32>
  %9 = nnhal.relu6 %8 : (tensor<?x2xf32>) -> tensor<?x2xf32>
  %10 = nnhal.exp %9 : (tensor<?x2xf32>) -> tensor<?x2xf32>
  %11 = nnhal.log %10 : (tensor<?x2xf32>) -> tensor<?x2xf32>
  %12 = nnhal.sin %11 : (tensor<?x2xf32>) -> tensor<?x2xf32>
  %13 = nnhal.sqrt %12 : (tensor<?x2xf32>) -> tensor<?x2xf32>
  %14 = nnhal.rsqrt %13 : (tensor<?x2xf32>) -> tensor<?x2xf32>
  %15 = nnhal.floor %14 : (tensor<?x2xf32>) -> tensor<?x2xf32>
  return %15 : tensor<?x2xf32>
}

// -----

!q = !quant.uniform<u8:f32, 0.5:128>
!r = !quant.uniform<u8:f32, 0.25:3>
// Conversions change the type of what is transposed.
// CHECK-LABEL: func @conversions
// CHECK-SAME: (%[[X:.+]]: tensor<2x3x
// CHECK-NEXT: %[[D:.+]] = nnhal.dequantize %[[X]] {{.+}} -> tensor<2x3xf16>
// CHECK-NEXT: %[[C:.+]] = nnhal.cast %[[D]] {{.+}} -> tensor<2x3xf32>
// CHECK-NEXT: %[[Q:.+]] = nnhal.quantize %[[C]] {{.+}} -> tensor<2x3x
// CHECK-NEXT: %[[T:.+]] = nnhal.transpose %[[Q]] {{.+}} -> tensor<3x2x
// CHECK-NEXT: return %[[T]]
func.func @conversions(%x: tensor<2x3x!q>) -> tensor<3x2x!r> {
  %0 = nnhal.transpose %x permutation [1, 0] : (tensor<2x3x!q>) -> tensor<3x2x!q>
  %1 = nnhal.dequantize %0 : (tensor<3x2x!q>) -> tensor<3x2xf16>
  %2 = nnhal.cast %1 : (tensor<3x2xf16>) -> tensor<3x2xf32>
  %3 = nnhal.quantize %2 : (tensor<3x2xf32>) -> tensor<3x2x!r>
  return %3 : tensor<3x2x!r>
}

// -----

// transpose takes neither integers nor booleans.
// CHECK-LABEL: func @other_types
// CHECK: %[[T:.+]] = nnhal.transpose
// CHECK-DAG: nnhal.cast %[[T]]
// CHECK-DAG: nnhal.equal %[[T]], %[[T]]
func.func @other_types(%x: tensor<2x3xf32>) -> (tensor<3x2xi32>, tensor<3x2xi8>) {
  %0 = nnhal.transpose %x permutation [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = nnhal.cast %0 : (tensor<3x2xf32>) -> tensor<3x2xi32>
  %2 = nnhal.equal %0, %0 : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xi8>
  return %1, %2 : tensor<3x2xi32>, tensor<3x2xi8>
}

// -----

// A transpose that others read, too, stays where it is.
// CHECK-LABEL: func @other_readers
// CHECK-SAME: (%[[X:.+]]: tensor<2x3xf32>)
// CHECK-NEXT: %[[T:.+]] = nnhal.transpose %[[X]]
// CHECK-NEXT: %[[R:.+]] = nnhal.relu %[[T]]
// CHECK-NEXT: return %[[T]], %[[R]]
func.func @other_readers(%x: tensor<2x3xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>) {
  %0 = nnhal.transpose %x permutation [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = nnhal.relu %0 : (tensor<3x2xf32>) -> tensor<3x2xf32>
  return %0, %1 : tensor<3x2xf32>, tensor<3x2xf32>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:3>
// CHECK-LABEL: func @binary
// CHECK-SAME: (%[[X:[^:]+]]: tensor<2x3x{{.+}}>, %[[Y:[^:]+]]: tensor<2x1x
// CHECK-NEXT: %[[A:.+]] = nnhal.mul %[[X]], %[[Y]] activation relu {{.+}} -> tensor<2x3x
// CHECK-NEXT: %[[M:.+]] = nnhal.maximum %[[A]], %[[A]] {{.+}} -> tensor<2x3x
// CHECK-NEXT: %[[T:.+]] = nnhal.transpose %[[M]] {{.+}} -> tensor<3x2x
// CHECK-NEXT: return %[[T]]
func.func @binary(%x: tensor<2x3x!q>, %y: tensor<2x1x!q>) -> tensor<3x2x!q> {
  %0 = nnhal.transpose %x permutation [1, 0] : (tensor<2x3x!q>) -> tensor<3x2x!q>
  %1 = nnhal.transpose %y permutation [1, 0] : (tensor<2x1x!q>) -> tensor<1x2x!q>
  %2 = nnhal.mul %0, %1 activation relu : (tensor<3x2x!q>, tensor<1x2x!q>) -> tensor<3x2x!q>
  %3 = nnhal.maximum %2, %2 : (tensor<3x2x!q>, tensor<3x2x!q>) -> tensor<3x2x!q>
  return %3 : tensor<3x2x!q>
}

// -----

// All that read a transpose pass it together.
// CHECK-LABEL: func @swish
// CHECK-SAME: (%[[X:.+]]: tensor<2x3xf32>)
// CHECK-NEXT: %[[L:.+]] = nnhal.logistic %[[X]]
// CHECK-NEXT: %[[M:.+]] = nnhal.mul %[[X]], %[[L]]
// CHECK-NEXT: %[[T:.+]] = nnhal.transpose %[[M]]
// CHECK-NEXT: return %[[T]]
func.func @swish(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %0 = nnhal.transpose %x permutation [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = nnhal.logistic %0 : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %2 = nnhal.mul %0, %1 : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return %2 : tensor<3x2xf32>
}

// -----

// Different orders; another operand: there would be more transposes.
// CHECK-LABEL: func @binary_of_others
// CHECK-COUNT-2: nnhal.transpose
// CHECK: nnhal.add
// CHECK: nnhal.transpose
// CHECK: nnhal.sub
// CHECK-NEXT: return
func.func @binary_of_others(%x: tensor<2x2x2xf32>, %y: tensor<2x2x2xf32>) -> (tensor<2x2x2xf32>, tensor<2x2x2xf32>) {
  %0 = nnhal.transpose %x permutation [1, 2, 0] : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
  %1 = nnhal.transpose %y permutation [2, 0, 1] : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
  %2 = nnhal.add %0, %1 : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
  %3 = nnhal.transpose %x permutation [1, 0, 2] : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
  %4 = nnhal.sub %3, %y : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
  return %2, %4 : tensor<2x2x2xf32>, tensor<2x2x2xf32>
}

// -----

// Constants permute along, those of fewer dimensions, too; a single element is
// the same in any order.
// CHECK-LABEL: func @constants
// CHECK-SAME: (%[[X:[^:]+]]: tensor<2x3xf32>, %[[S:[^:]+]]: tensor<1xf32>)
// CHECK-DAG: %[[C:.+]] = nnhal.constant dense<{{\[\[}}1.000000e+00, 3.000000e+00, 5.000000e+00], [2.000000e+00, 4.000000e+00, 6.000000e+00]]> : tensor<2x3xf32>
// CHECK-DAG: %[[V:.+]] = nnhal.constant dense<{{\[\[}}7.000000e+00], [8.000000e+00]]> : tensor<2x1xf32>
// CHECK-DAG: %[[A:.+]] = nnhal.add %[[X]], %[[C]]
// CHECK-DAG: %[[P:.+]] = nnhal.prelu %[[A]], %[[V]] : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
// CHECK-DAG: %[[D:.+]] = nnhal.div %[[P]], %[[S]]
// CHECK: %[[T:.+]] = nnhal.transpose %[[D]]
// CHECK-NEXT: return %[[T]]
func.func @constants(%x: tensor<2x3xf32>, %s: tensor<1xf32>) -> tensor<3x2xf32> {
  %c = nnhal.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32> -> tensor<3x2xf32>
  %v = nnhal.constant dense<[7.0, 8.0]> : tensor<2xf32> -> tensor<2xf32>
  %0 = nnhal.transpose %x permutation [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = nnhal.add %0, %c : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %2 = nnhal.prelu %1, %v : (tensor<3x2xf32>, tensor<2xf32>) -> tensor<3x2xf32>
  %3 = nnhal.div %2, %s : (tensor<3x2xf32>, tensor<1xf32>) -> tensor<3x2xf32>
  return %3 : tensor<3x2xf32>
}

// -----

// A sum with a model input in NCHW order: the transpose below meets the one
// above.
// CHECK-LABEL: func @hoist
// CHECK-SAME: (%[[X:[^:]+]]: tensor<1x2x3x4xf32>, %[[Y:[^:]+]]: tensor<1x3x4x2xf32>)
// CHECK-NEXT: %[[T:.+]] = nnhal.transpose %[[X]] permutation [0, 2, 3, 1] : (tensor<1x2x3x4xf32>) -> tensor<1x3x4x2xf32>
// CHECK-NEXT: %[[A:.+]] = nnhal.add %[[T]], %[[Y]] : (tensor<1x3x4x2xf32>, tensor<1x3x4x2xf32>) -> tensor<1x3x4x2xf32>
// CHECK-NEXT: %[[H:.+]] = nnhal.tanh %[[A]]
// CHECK-NEXT: return %[[H]]
func.func @hoist(%x: tensor<1x2x3x4xf32>, %y: tensor<1x3x4x2xf32>) -> tensor<1x3x4x2xf32> {
  %0 = nnhal.transpose %y permutation [0, 3, 1, 2] : (tensor<1x3x4x2xf32>) -> tensor<1x2x3x4xf32>
  %1 = nnhal.add %x, %0 : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  %2 = nnhal.tanh %1 : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  %3 = nnhal.transpose %2 permutation [0, 2, 3, 1] : (tensor<1x2x3x4xf32>) -> tensor<1x3x4x2xf32>
  return %3 : tensor<1x3x4x2xf32>
}

// -----

// One transpose of a sum, not two of its operands.
// CHECK-LABEL: func @hoist_in_part
// CHECK-SAME: (%[[X:[^:]+]]: tensor<2x3xf32>, %[[Y:[^:]+]]: tensor<2x3xf32>, %[[Z:[^:]+]]: tensor<3x2xf32>)
// CHECK-NEXT: %[[S:.+]] = nnhal.sub %[[X]], %[[Y]]
// CHECK-NEXT: %[[T:.+]] = nnhal.transpose %[[S]]
// CHECK-NEXT: %[[A:.+]] = nnhal.add %[[T]], %[[Z]]
// CHECK-NEXT: return %[[A]]
func.func @hoist_in_part(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>, %z: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %0 = nnhal.transpose %z permutation [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
  %1 = nnhal.sub %x, %y : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = nnhal.add %1, %0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = nnhal.transpose %2 permutation [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return %3 : tensor<3x2xf32>
}

// -----

// Nothing above to meet, or a result that is read in the old order, too.
// CHECK-LABEL: func @no_hoist
// CHECK: nnhal.relu
// CHECK-NEXT: nnhal.transpose
// CHECK-NEXT: nnhal.transpose
// CHECK-NEXT: nnhal.add
// CHECK-NEXT: nnhal.transpose
// CHECK-NEXT: return
func.func @no_hoist(%x: tensor<2x3xf32>, %y: tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<2x3xf32>, tensor<3x2xf32>) {
  %0 = nnhal.relu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = nnhal.transpose %0 permutation [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %2 = nnhal.transpose %y permutation [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
  %3 = nnhal.add %x, %2 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %4 = nnhal.transpose %3 permutation [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return %1, %3, %4 : tensor<3x2xf32>, tensor<2x3xf32>, tensor<3x2xf32>
}

// -----

!q = !quant.uniform<u8:f32, 0.5:128>
// A splat of any size folds, and so does what only moves dimensions of extent
// 1; other large constants stay.
// CHECK-LABEL: func @constants_of_any_size
// CHECK-DAG: nnhal.constant dense<7> : tensor<100x2000xi8> -> tensor<100x2000x!
// CHECK-DAG: nnhal.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf16>
// CHECK-DAG: %[[K:.+]] = nnhal.constant dense_resource<many> : tensor<1x300x1xf32>
// CHECK-DAG: %[[L:.+]] = nnhal.constant dense_resource<many> : tensor<3x100xf32>
// CHECK-DAG: %[[T:.+]] = nnhal.transpose %[[L]]
// CHECK: return %{{.+}}, %{{.+}}, %[[K]], %[[T]]
func.func @constants_of_any_size() -> (tensor<100x2000x!q>, tensor<2xf16>, tensor<1x300x1xf32>, tensor<100x3xf32>) {
  %0 = nnhal.constant dense<7> : tensor<2000x100xi8> -> tensor<2000x100x!q>
  %1 = nnhal.transpose %0 permutation [1, 0] : (tensor<2000x100x!q>) -> tensor<100x2000x!q>
  %2 = nnhal.constant dense<[1.0, 2.0]> : tensor<2xf16> -> tensor<2xf16>
  %3 = nnhal.transpose %2 permutation [0] : (tensor<2xf16>) -> tensor<2xf16>
  %4 = nnhal.constant dense_resource<many> : tensor<1x1x300xf32> -> tensor<1x1x300xf32>
  %5 = nnhal.transpose %4 permutation [0, 2, 1] : (tensor<1x1x300xf32>) -> tensor<1x300x1xf32>
  %6 = nnhal.constant dense_resource<many> : tensor<3x100xf32> -> tensor<3x100xf32>
  %7 = nnhal.transpose %6 permutation [1, 0] : (tensor<3x100xf32>) -> tensor<100x3xf32>
  return %1, %3, %5, %7 : tensor<100x2000x!q>, tensor<2xf16>, tensor<1x300x1xf32>, tensor<100x3xf32>
}

// -----

!c = !quant.uniform<i8<-127:127>:f32:0, {0.5, 0.25}>
// Scales of channels do not move.
// CHECK-LABEL: func @channels
// CHECK-SAME: (%[[X:.+]]: tensor<2x1x
// CHECK-DAG: %[[K:.+]] = nnhal.constant dense<{{.+}}> : tensor<2x1xi8>
// CHECK-DAG: %[[D:.+]] = nnhal.dequantize %[[K]]
// CHECK-DAG: nnhal.transpose %[[D]]
// CHECK-DAG: %[[E:.+]] = nnhal.dequantize %[[X]]
// CHECK-DAG: nnhal.transpose %[[E]]
func.func @channels(%x: tensor<2x1x!c>) -> (tensor<1x2xf32>, tensor<1x2xf32>) {
  %0 = nnhal.constant dense<[[1], [2]]> : tensor<2x1xi8> -> tensor<2x1x!c>
  %1 = nnhal.dequantize %0 : (tensor<2x1x!c>) -> tensor<2x1xf32>
  %2 = nnhal.transpose %1 permutation [1, 0] : (tensor<2x1xf32>) -> tensor<1x2xf32>
  %3 = nnhal.dequantize %x : (tensor<2x1x!c>) -> tensor<2x1xf32>
  %4 = nnhal.transpose %3 permutation [1, 0] : (tensor<2x1xf32>) -> tensor<1x2xf32>
  return %2, %4 : tensor<1x2xf32>, tensor<1x2xf32>
}
