// RUN: nnhal-opt %s --convert-nnhal-to-linalg | FileCheck %s

// CHECK-LABEL: @mean_keeps_channels_innermost
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "reduction", "reduction", "parallel"]
// CHECK:           arith.addf
// CHECK:         %[[COUNT:.+]] = arith.constant 4.900000e+01 : f32
// CHECK:         arith.divf %{{.*}}, %[[COUNT]]
// CHECK:         tensor.expand_shape {{.*}} into tensor<1x1x1x8xf32>
func.func @mean_keeps_channels_innermost(%x: tensor<1x7x7x8xf32>) -> tensor<1x1x1x8xf32> {
  %0 = nnhal.mean %x axes [2, -3] keep_dims : (tensor<1x7x7x8xf32>) -> tensor<1x1x1x8xf32>
  return %0 : tensor<1x1x1x8xf32>
}

// CHECK-LABEL: @reduce_max_of_everything
// CHECK:         arith.constant 0xFF800000 : f32
// CHECK:         iterator_types = ["reduction", "reduction"]
// CHECK:         tensor.expand_shape {{.*}} tensor<f32> into tensor<1xf32>
func.func @reduce_max_of_everything(%x: tensor<2x3xf32>) -> tensor<1xf32> {
  %0 = nnhal.reduce_max %x axes [0, 1, 1] : (tensor<2x3xf32>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// CHECK-LABEL: @reduce_all_reads_truth
// CHECK:         arith.cmpi ne
// CHECK:         arith.andi
func.func @reduce_all_reads_truth(%x: tensor<2x3xi8>) -> tensor<2xi8> {
  %0 = nnhal.reduce_all %x axes [1] : (tensor<2x3xi8>) -> tensor<2xi8>
  return %0 : tensor<2xi8>
}

// CHECK-LABEL: @argmin_keeps_the_first
// CHECK:         linalg.index 1
// CHECK:         arith.cmpf olt
func.func @argmin_keeps_the_first(%x: tensor<2x3xf32>) -> tensor<2xi32> {
  %0 = nnhal.argmin %x axis -1 : (tensor<2x3xf32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
