// RUN: nnhal-opt %s --canonicalize | FileCheck %s

// Transposes that cancel leave the extents that the result has: the cast in the
// block of the first one makes its result static before its operand.
// CHECK-LABEL: func @static_between_transposes
// CHECK-SAME: (%[[X:.+]]: tensor<1x?x12x?xf32>
// CHECK: %[[CAST:.+]] = tensor.cast %[[X]] : tensor<1x?x12x?xf32> to tensor<1x2x12x1xf32>
// CHECK: scf.if
// CHECK: nnk.conv_2d ins({{.+}} : tensor<1x2x12x1xf32>,
func.func @static_between_transposes(%x: tensor<1x?x12x?xf32>, %filter: tensor<1x1x1x1x8xf32>,
                                     %bias: tensor<1x8xf32>, %height: index, %channels: index, %is_convolved: i1)
    -> (tensor<1x2x12x1xf32>, tensor<1x1x2x12xf32>) {
  %0 = tensor.empty(%channels, %height) : tensor<1x?x?x12xf32>
  %1 = linalg.transpose ins(%x : tensor<1x?x12x?xf32>) outs(%0 : tensor<1x?x?x12xf32>) permutation = [0, 3, 1, 2]
  %2 = tensor.empty() : tensor<1x2x12x1xf32>
  %3 = scf.if %is_convolved -> tensor<1x2x12x1xf32> {
    %known = tensor.cast %1 : tensor<1x?x?x12xf32> to tensor<1x1x2x12xf32>
    %4 = linalg.transpose ins(%known : tensor<1x1x2x12xf32>) outs(%2 : tensor<1x2x12x1xf32>) permutation = [0, 2, 3, 1]
    %5 = nnk.conv_2d ins(%4, %filter, %bias : tensor<1x2x12x1xf32>, tensor<1x1x1x1x8xf32>, tensor<1x8xf32>)
        outs(%2 : tensor<1x2x12x1xf32>)
        strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0] -> tensor<1x2x12x1xf32>
    scf.yield %5 : tensor<1x2x12x1xf32>
  } else {
    scf.yield %2 : tensor<1x2x12x1xf32>
  }
  %same = tensor.cast %1 : tensor<1x?x?x12xf32> to tensor<1x1x2x12xf32>
  return %3, %same : tensor<1x2x12x1xf32>, tensor<1x1x2x12xf32>
}

// Upstream's folding sees to those whose types are the same.
// CHECK-LABEL: func @same_types
// CHECK-SAME: (%[[X:.+]]: tensor<2x3xf32>
// CHECK-NEXT: return %[[X]]
func.func @same_types(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = tensor.empty() : tensor<3x2xf32>
  %1 = linalg.transpose ins(%x : tensor<2x3xf32>) outs(%0 : tensor<3x2xf32>) permutation = [1, 0]
  %2 = tensor.empty() : tensor<2x3xf32>
  %3 = linalg.transpose ins(%1 : tensor<3x2xf32>) outs(%2 : tensor<2x3xf32>) permutation = [1, 0]
  return %3 : tensor<2x3xf32>
}

// CHECK-LABEL: func @another_order
// CHECK: %[[R:.+]] = linalg.transpose {{.+}} permutation = [1, 2, 0]
// CHECK: return %[[R]]
func.func @another_order(%x: tensor<?x3x4xf32>, %extent: index) -> tensor<3x4x2xf32> {
  %0 = tensor.empty(%extent) : tensor<3x?x4xf32>
  %1 = linalg.transpose ins(%x : tensor<?x3x4xf32>) outs(%0 : tensor<3x?x4xf32>) permutation = [1, 0, 2]
  %known = tensor.cast %1 : tensor<3x?x4xf32> to tensor<3x2x4xf32>
  %2 = tensor.empty() : tensor<3x4x2xf32>
  %3 = linalg.transpose ins(%known : tensor<3x2x4xf32>) outs(%2 : tensor<3x4x2xf32>) permutation = [0, 2, 1]
  return %3 : tensor<3x4x2xf32>
}
