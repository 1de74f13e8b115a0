// RUN: nnhal-opt %s --convert-nnhal-to-linalg | FileCheck %s

// CHECK-LABEL: @relu1_limits_both_sides
// CHECK:         arith.cmpf ogt
// CHECK:         arith.cmpf olt
func.func @relu1_limits_both_sides(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = nnhal.relu1 %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @logistic_of_large_values
// CHECK:         %[[NEGATED:.+]] = arith.negf
// CHECK:         %[[POWER:.+]] = math.exp %[[NEGATED]]
// CHECK:         %[[SUM:.+]] = arith.addf %[[POWER]], %{{.+}}
// CHECK:         arith.divf {{.*}}, %[[SUM]]
func.func @logistic_of_large_values(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = nnhal.logistic %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @prelu_broadcasts_alpha
// CHECK:         ins(%{{.*}}, %{{.*}} : tensor<1x2x2x3xf32>, tensor<3xf32>)
func.func @prelu_broadcasts_alpha(%x: tensor<1x2x2x3xf32>, %a: tensor<3xf32>) -> tensor<1x2x2x3xf32> {
  %0 = nnhal.prelu %x, %a : (tensor<1x2x2x3xf32>, tensor<3xf32>) -> tensor<1x2x2x3xf32>
  return %0 : tensor<1x2x2x3xf32>
}

// CHECK-LABEL: @softmax_subtracts_the_maximum
// CHECK:         arith.constant 0xFF800000 : f32
// CHECK:         iterator_types = ["parallel", "reduction"]
// CHECK:         %[[MAX:.+]] = tensor.expand_shape {{.*}} tensor<2xf32> into tensor<2x1xf32>
// CHECK:         linalg.generic {{.*}} ins(%{{.*}}, %[[MAX]]
// CHECK:           arith.subf
// CHECK:           arith.mulf
// CHECK:         math.exp
// CHECK:         iterator_types = ["parallel", "reduction"]
// CHECK:         arith.divf
func.func @softmax_subtracts_the_maximum(%x: tensor<2x10xf32>) -> tensor<2x10xf32> {
  %0 = nnhal.softmax %x beta 2.0 axis -1 : (tensor<2x10xf32>) -> tensor<2x10xf32>
  return %0 : tensor<2x10xf32>
}

// CHECK-LABEL: @log_softmax_takes_one_logarithm_per_row
// CHECK:         linalg.generic {{.*}} ins(%{{.*}} : tensor<1x1xf32>)
// CHECK:           math.log
// CHECK:         arith.subf
func.func @log_softmax_takes_one_logarithm_per_row(%x: tensor<1x10xf32>) -> tensor<1x10xf32> {
  %0 = nnhal.log_softmax %x beta 1.0 axis 1 : (tensor<1x10xf32>) -> tensor<1x10xf32>
  return %0 : tensor<1x10xf32>
}
