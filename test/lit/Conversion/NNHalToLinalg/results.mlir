// What the lowered operations compute, through upstream loops.

// RUN: nnhal-opt %s --convert-nnhal-to-linalg --canonicalize \
// RUN:   --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" --canonicalize \
// RUN:   --convert-nnk-to-vector --convert-linalg-to-loops --expand-strided-metadata --lower-affine \
// RUN:   --convert-vector-to-scf --convert-scf-to-cf --convert-vector-to-llvm --convert-math-to-llvm \
// RUN:   --convert-math-to-libm --convert-arith-to-llvm --convert-index-to-llvm --finalize-memref-to-llvm \
// RUN:   --convert-func-to-llvm --convert-cf-to-llvm --convert-ub-to-llvm --reconcile-unrealized-casts \
// RUN: | mlir-runner -e main --entry-point-result=void \
// RUN:     --shared-libs=%llvm_lib/libmlir_runner_utils.so,%llvm_lib/libmlir_c_runner_utils.so \
// RUN: | FileCheck %s

func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}
func.func private @printMemrefI32(tensor<*xi32>) attributes {llvm.emit_c_interface}

func.func @main() {
  %x = arith.constant dense<[[1.0, -2.0, 3.0], [-4.0, 5.0, 0.0]]> : tensor<2x3xf32>
  %row = arith.constant dense<[10.0, 20.0, 30.0]> : tensor<3xf32>
  %image = arith.constant dense<[[[[1.0], [2.0]], [[3.0], [5.0]]]]> : tensor<1x2x2x1xf32>
  call @elementwise(%x, %row) : (tensor<2x3xf32>, tensor<3xf32>) -> ()
  call @reductions(%x) : (tensor<2x3xf32>) -> ()
  call @movement(%x, %row) : (tensor<2x3xf32>, tensor<3xf32>) -> ()
  call @images(%image) : (tensor<1x2x2x1xf32>) -> ()
  call @contractions(%x, %image) : (tensor<2x3xf32>, tensor<1x2x2x1xf32>) -> ()
  return
}

func.func private @print23(%t: tensor<2x3xf32>) {
  %u = tensor.cast %t : tensor<2x3xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  return
}

func.func private @elementwise(%x: tensor<2x3xf32>, %row: tensor<3xf32>) {
  // CHECK:      [11, 18, 33]
  // CHECK-NEXT: [6, 25, 30]
  %sum = nnhal.add %x, %row : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  call @print23(%sum) : (tensor<2x3xf32>) -> ()
  // CHECK:      [1, 0, 3]
  // CHECK-NEXT: [0, 5, 0]
  %relu = nnhal.relu6 %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  call @print23(%relu) : (tensor<2x3xf32>) -> ()
  // CHECK:      [0.731059, 0.119203, 0.952574]
  // CHECK-NEXT: [0.0179862, 0.993307, 0.5]
  %logistic = nnhal.logistic %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  call @print23(%logistic) : (tensor<2x3xf32>) -> ()
  // CHECK:      [0.666667, -0.333333, 3]
  // CHECK-NEXT: [{{-?}}0, 5, 0]
  %swish = nnhal.hard_swish %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  call @print23(%swish) : (tensor<2x3xf32>) -> ()
  // CHECK:      [0.1185{{.*}}, 0.00589{{.*}}, 0.8756
  // CHECK-NEXT: [0.000122{{.*}}, 0.9931{{.*}}, 0.00669
  %softmax = nnhal.softmax %x beta 1.0 axis 1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  call @print23(%softmax) : (tensor<2x3xf32>) -> ()
  // Division of integers: 7 / -2, 7 / 0, the smallest integer / -1, -7 / 2.
  // CHECK:      [-4, 0, -2147483648, -4]
  %a = arith.constant dense<[7, 7, -2147483648, -7]> : tensor<4xi32>
  %b = arith.constant dense<[-2, 0, -1, 2]> : tensor<4xi32>
  %quotient = nnhal.div %a, %b : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %u = tensor.cast %quotient : tensor<4xi32> to tensor<*xi32>
  call @printMemrefI32(%u) : (tensor<*xi32>) -> ()
  return
}

func.func private @reductions(%x: tensor<2x3xf32>) {
  // CHECK:      [0.666667, 0.333333]
  %mean = nnhal.mean %x axes [1] : (tensor<2x3xf32>) -> tensor<2xf32>
  %um = tensor.cast %mean : tensor<2xf32> to tensor<*xf32>
  call @printMemrefF32(%um) : (tensor<*xf32>) -> ()
  // CHECK:      [5]
  %max = nnhal.reduce_max %x axes [0, 1] : (tensor<2x3xf32>) -> tensor<1xf32>
  %ux = tensor.cast %max : tensor<1xf32> to tensor<*xf32>
  call @printMemrefF32(%ux) : (tensor<*xf32>) -> ()
  // CHECK:      [2, 1]
  %arg = nnhal.argmax %x axis 1 : (tensor<2x3xf32>) -> tensor<2xi32>
  %ua = tensor.cast %arg : tensor<2xi32> to tensor<*xi32>
  call @printMemrefI32(%ua) : (tensor<*xi32>) -> ()
  return
}

func.func private @movement(%x: tensor<2x3xf32>, %row: tensor<3xf32>) {
  // CHECK:      [3, -2, 1]
  // CHECK-NEXT: [0, 5, -4]
  %back = nnhal.strided_slice %x begin [0, 2] end [2, 0] strides [1, -1] end_mask 2
      : (tensor<2x3xf32>) -> tensor<2x3xf32>
  call @print23(%back) : (tensor<2x3xf32>) -> ()
  // CHECK:      [10, 20, 30]
  // CHECK-NEXT: [3, -2, 1]
  %one = nnhal.reshape %row : (tensor<3xf32>) -> tensor<1x3xf32>
  %first:2 = nnhal.split %back axis 0 : (tensor<2x3xf32>) -> (tensor<1x3xf32>, tensor<1x3xf32>)
  %both = nnhal.concatenation %one, %first#0 axis 0 : (tensor<1x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  call @print23(%both) : (tensor<2x3xf32>) -> ()
  // CHECK:      [30, 10, 30]
  // CHECK-NEXT: [30, 10, 30]
  %indices = nnhal.constant dense<[2, 0, 2]> : tensor<3xi32> -> tensor<3xi32>
  %gathered = nnhal.gather %one, %indices axis 1 : (tensor<1x3xf32>, tensor<3xi32>) -> tensor<1x3xf32>
  %tiled = nnhal.tile %gathered multiples [2, 1] : (tensor<1x3xf32>) -> tensor<2x3xf32>
  call @print23(%tiled) : (tensor<2x3xf32>) -> ()
  // CHECK:      [0, 0, 0]
  // CHECK-NEXT: [0, 10, 20]
  %corner = nnhal.slice %one begin [0, 0] size [1, 2] : (tensor<1x3xf32>) -> tensor<1x2xf32>
  %padded = nnhal.pad %corner paddings [1, 0, 1, 0] : (tensor<1x2xf32>) -> tensor<2x3xf32>
  call @print23(%padded) : (tensor<2x3xf32>) -> ()
  return
}

func.func private @print4(%t: tensor<1x4x4x1xf32>) {
  %m = tensor.collapse_shape %t [[0, 1], [2, 3]] : tensor<1x4x4x1xf32> into tensor<4x4xf32>
  %u = tensor.cast %m : tensor<4x4xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  return
}

func.func private @images(%image: tensor<1x2x2x1xf32>) {
  // CHECK:      [1, 1.5, 2, 2]
  // CHECK-NEXT: [2, 2.75, 3.5, 3.5]
  // CHECK-NEXT: [3, 4, 5, 5]
  // CHECK-NEXT: [3, 4, 5, 5]
  %resized = nnhal.resize_bilinear %image : (tensor<1x2x2x1xf32>) -> tensor<1x4x4x1xf32>
  call @print4(%resized) : (tensor<1x4x4x1xf32>) -> ()
  // CHECK:      [1, 1.25, 1.75, 2]
  // CHECK-NEXT: [1.5, 1.8125, 2.4375, 2.75]
  %half = nnhal.resize_bilinear %image half_pixel_centers : (tensor<1x2x2x1xf32>) -> tensor<1x4x4x1xf32>
  call @print4(%half) : (tensor<1x4x4x1xf32>) -> ()
  // CHECK:      [1, 1, 2, 2]
  // CHECK-NEXT: [1, 1, 2, 2]
  // CHECK-NEXT: [3, 3, 5, 5]
  %near = nnhal.resize_nearest_neighbor %image : (tensor<1x2x2x1xf32>) -> tensor<1x4x4x1xf32>
  call @print4(%near) : (tensor<1x4x4x1xf32>) -> ()
  return
}

func.func private @contractions(%x: tensor<2x3xf32>, %image: tensor<1x2x2x1xf32>) {
  // Weights [[1, 0, 2], [0, 1, 0], [1, 1, 1]].
  // CHECK:      [7, -1, 2.5]
  // CHECK-NEXT: [-4, 6, 1.5]
  %weights = nnhal.constant dense<[[1.0, 0.0, 2.0], [0.0, 1.0, 0.0], [1.0, 1.0, 1.0]]> : tensor<3x3xf32> -> tensor<3x3xf32>
  %bias = nnhal.constant dense<[0.0, 1.0, 0.5]> : tensor<3xf32> -> tensor<3xf32>
  %product = nnhal.fully_connected %x, %weights, %bias : (tensor<2x3xf32>, tensor<3x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  call @print23(%product) : (tensor<2x3xf32>) -> ()
  // Weights that are packed while the program runs give these results, too.
  // CHECK:      [7, -1, 2.5]
  // CHECK-NEXT: [-4, 6, 1.5]
  %zero = arith.constant dense<0.0> : tensor<3x3xf32>
  %computed = nnhal.add %weights, %zero : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  %again = nnhal.fully_connected %x, %computed, %bias : (tensor<2x3xf32>, tensor<3x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  call @print23(%again) : (tensor<2x3xf32>) -> ()
  // A pad that became part of the convolution: sums of 2x2 neighbours.
  // CHECK:      [1, 3, 2]
  // CHECK-NEXT: [4, 11, 7]
  %taps = nnhal.constant dense<1.0> : tensor<1x2x2x1xf32> -> tensor<1x2x2x1xf32>
  %none = nnhal.constant dense<0.0> : tensor<1xf32> -> tensor<1xf32>
  %padded = nnhal.pad %image paddings [0, 0, 1, 0, 1, 1, 0, 0] : (tensor<1x2x2x1xf32>) -> tensor<1x3x4x1xf32>
  %sums = nnhal.conv_2d %padded, %taps, %none pads [0, 0, 0, 0] strides [1, 1] dilations [1, 1]
      : (tensor<1x3x4x1xf32>, tensor<1x2x2x1xf32>, tensor<1xf32>) -> tensor<1x2x3x1xf32>
  %rows = nnhal.reshape %sums : (tensor<1x2x3x1xf32>) -> tensor<2x3xf32>
  call @print23(%rows) : (tensor<2x3xf32>) -> ()
  // Each input pixel times [[1, 2], [3, 4]], two pixels apart.
  // CHECK:      [1, 2, 2, 4]
  // CHECK-NEXT: [3, 4, 6, 8]
  // CHECK-NEXT: [3, 6, 5, 10]
  // CHECK-NEXT: [9, 12, 15, 20]
  %stencil = nnhal.constant dense<[[[[1.0], [2.0]], [[3.0], [4.0]]]]> : tensor<1x2x2x1xf32> -> tensor<1x2x2x1xf32>
  %upscaled = nnhal.transpose_conv_2d %image, %stencil, %none pads [0, 0, 0, 0] strides [2, 2]
      : (tensor<1x2x2x1xf32>, tensor<1x2x2x1xf32>, tensor<1xf32>) -> tensor<1x4x4x1xf32>
  call @print4(%upscaled) : (tensor<1x4x4x1xf32>) -> ()
  // CHECK:      [2.75]
  %mean = nnhal.average_pool_2d %image pads [0, 0, 0, 0] strides [1, 1] window [2, 2]
      : (tensor<1x2x2x1xf32>) -> tensor<1x1x1x1xf32>
  %flat = nnhal.reshape %mean : (tensor<1x1x1x1xf32>) -> tensor<1xf32>
  %u = tensor.cast %flat : tensor<1xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  return
}
