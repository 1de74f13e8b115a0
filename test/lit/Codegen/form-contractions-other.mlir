// RUN: nnhal-opt %s --nnk-form-kernels --split-input-file | FileCheck %s

// Contractions that say anything else than a kernel stay linalg's.

#all = affine_map<(n, y, x, c) -> (n, y, x, c)>

// Integers that are not taken for bytes less a zero point: of another width, of
// a zero point that no byte has, and computed from two numbers. Kernels multiply
// them as they are.
// CHECK-LABEL: @other_factors
// CHECK-COUNT-3: nnk.conv_2d_fhwc ins(%{{.*}} : tensor<1x4x4x2xi16>, tensor<4x1x1x2xi8>, tensor<4xi32>) {{.*}} pads [0, 0, 0, 0] -> tensor<1x4x4x4xi32>
func.func @other_factors(%bytes: tensor<1x4x4x2xi8>, %words: tensor<1x4x4x2xi16>, %filter: tensor<4x1x1x2xi8>) -> (tensor<1x4x4x4xi32>, tensor<1x4x4x4xi32>, tensor<1x4x4x4xi32>) {
  %zero = arith.constant 0 : i32
  %large = arith.constant 128 : i32
  %one = arith.constant 1 : i16
  %none = tensor.empty() : tensor<1x4x4x2xi16>
  %empty = tensor.empty() : tensor<1x4x4x4xi32>
  %zeros = linalg.fill ins(%zero : i32) outs(%empty : tensor<1x4x4x4xi32>) -> tensor<1x4x4x4xi32>
  %wide = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%words : tensor<1x4x4x2xi16>) outs(%none : tensor<1x4x4x2xi16>) {
  ^bb0(%e: i16, %o: i16):
    %s = arith.subi %e, %one : i16
    linalg.yield %s : i16
  } -> tensor<1x4x4x2xi16>
  %far = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%bytes : tensor<1x4x4x2xi8>) outs(%none : tensor<1x4x4x2xi16>) {
  ^bb0(%e: i8, %o: i16):
    %x = arith.extsi %e : i8 to i32
    %s = arith.subi %x, %large : i32
    %t = arith.trunci %s : i32 to i16
    linalg.yield %t : i16
  } -> tensor<1x4x4x2xi16>
  %both = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%bytes, %words : tensor<1x4x4x2xi8>, tensor<1x4x4x2xi16>) outs(%none : tensor<1x4x4x2xi16>) {
  ^bb0(%e: i8, %w: i16, %o: i16):
    %x = arith.extsi %e : i8 to i16
    %s = arith.subi %x, %w : i16
    linalg.yield %s : i16
  } -> tensor<1x4x4x2xi16>
  %0 = linalg.conv_2d_nhwc_fhwc ins(%wide, %filter : tensor<1x4x4x2xi16>, tensor<4x1x1x2xi8>) outs(%zeros : tensor<1x4x4x4xi32>) -> tensor<1x4x4x4xi32>
  %1 = linalg.conv_2d_nhwc_fhwc ins(%far, %filter : tensor<1x4x4x2xi16>, tensor<4x1x1x2xi8>) outs(%zeros : tensor<1x4x4x4xi32>) -> tensor<1x4x4x4xi32>
  %2 = linalg.conv_2d_nhwc_fhwc ins(%both, %filter : tensor<1x4x4x2xi16>, tensor<4x1x1x2xi8>) outs(%zeros : tensor<1x4x4x4xi32>) -> tensor<1x4x4x4xi32>
  return %0, %1, %2 : tensor<1x4x4x4xi32>, tensor<1x4x4x4xi32>, tensor<1x4x4x4xi32>
}

// -----

// f32 may not hold sums of integers of 16 bits.
// CHECK-LABEL: @depthwise_of_words
// CHECK-NOT:     nnk.
// CHECK:         linalg.depthwise_conv_2d_nhwc_hwc
func.func @depthwise_of_words(%in: tensor<1x4x4x2xi16>, %filter: tensor<1x1x2xi8>) -> tensor<1x4x4x2xi32> {
  %zero = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<1x4x4x2xi32>
  %zeros = linalg.fill ins(%zero : i32) outs(%empty : tensor<1x4x4x2xi32>) -> tensor<1x4x4x2xi32>
  %0 = linalg.depthwise_conv_2d_nhwc_hwc ins(%in, %filter : tensor<1x4x4x2xi16>, tensor<1x1x2xi8>) outs(%zeros : tensor<1x4x4x2xi32>) -> tensor<1x4x4x2xi32>
  return %0 : tensor<1x4x4x2xi32>
}

// -----

// Sums that begin with a number for each pixel, with ones, with a number for each
// row, and with what somebody computed.
// CHECK-LABEL: @other_beginnings
// CHECK-NOT:     nnk.
// CHECK-COUNT-4: linalg.conv_2d_nhwc_fhwc
// CHECK-NOT:     nnk.
func.func @other_beginnings(%in: tensor<1x4x4x2xf32>, %filter: tensor<4x1x1x2xf32>, %pixels: tensor<1x4x4xf32>, %rows: tensor<4xf32>, %any: tensor<1x4x4x4xf32>) -> (tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>) {
  %one = arith.constant 1.0 : f32
  %empty = tensor.empty() : tensor<1x4x4x4xf32>
  %of_pixels = linalg.broadcast ins(%pixels : tensor<1x4x4xf32>) outs(%empty : tensor<1x4x4x4xf32>) dimensions = [3]
  %ones = linalg.fill ins(%one : f32) outs(%empty : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  %of_rows = linalg.broadcast ins(%rows : tensor<4xf32>) outs(%empty : tensor<1x4x4x4xf32>) dimensions = [0, 2, 3]
  %0 = linalg.conv_2d_nhwc_fhwc ins(%in, %filter : tensor<1x4x4x2xf32>, tensor<4x1x1x2xf32>) outs(%of_pixels : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  %1 = linalg.conv_2d_nhwc_fhwc ins(%in, %filter : tensor<1x4x4x2xf32>, tensor<4x1x1x2xf32>) outs(%ones : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  %2 = linalg.conv_2d_nhwc_fhwc ins(%in, %filter : tensor<1x4x4x2xf32>, tensor<4x1x1x2xf32>) outs(%of_rows : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  %3 = linalg.conv_2d_nhwc_fhwc ins(%in, %filter : tensor<1x4x4x2xf32>, tensor<4x1x1x2xf32>) outs(%any : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  return %0, %1, %2, %3 : tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>
}

// -----

// Padding of ones is not the kernel's.
// CHECK-LABEL: @padded_with_ones
// CHECK:         %[[PADDED:.+]] = tensor.pad
// CHECK:         nnk.conv_2d_fhwc ins(%[[PADDED]], {{.*}} pads [0, 0, 0, 0]
func.func @padded_with_ones(%in: tensor<1x4x4x2xf32>, %filter: tensor<4x1x1x2xf32>) -> tensor<1x5x5x4xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %empty = tensor.empty() : tensor<1x5x5x4xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x5x5x4xf32>) -> tensor<1x5x5x4xf32>
  %padded = tensor.pad %in low[0, 0, 0, 0] high[0, 1, 1, 0] {
  ^bb0(%n: index, %y: index, %x: index, %c: index):
    tensor.yield %one : f32
  } : tensor<1x4x4x2xf32> to tensor<1x5x5x2xf32>
  %0 = linalg.conv_2d_nhwc_fhwc ins(%padded, %filter : tensor<1x5x5x2xf32>, tensor<4x1x1x2xf32>) outs(%zeros : tensor<1x5x5x4xf32>) -> tensor<1x5x5x4xf32>
  return %0 : tensor<1x5x5x4xf32>
}

// -----

// Fewer results than there are windows, padding that cuts, sums of another type
// than factors, extents that are not known, and none.
// CHECK-LABEL: @other_shapes
// CHECK-NOT:     nnk.
func.func @other_shapes(%in: tensor<1x4x4x2xf32>, %half: tensor<1x4x4x2xf16>, %some: tensor<?x4x4x2xf32>, %none: tensor<0x4x4x2xf32>, %filter: tensor<4x1x1x2xf32>,
    %i0: tensor<1x3x4x4xf32>, %i1: tensor<1x4x4x4xf32>, %i2: tensor<?x4x4x4xf32>, %i3: tensor<0x4x4x4xf32>) -> (tensor<1x3x4x4xf32>, tensor<1x3x4x4xf32>, tensor<1x4x4x4xf32>, tensor<?x4x4x4xf32>, tensor<0x4x4x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %z0 = linalg.fill ins(%zero : f32) outs(%i0 : tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%i1 : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%i2 : tensor<?x4x4x4xf32>) -> tensor<?x4x4x4xf32>
  %z3 = linalg.fill ins(%zero : f32) outs(%i3 : tensor<0x4x4x4xf32>) -> tensor<0x4x4x4xf32>
  %cut = tensor.pad %in low[0, -1, 0, 0] high[0, 0, 0, 0] {
  ^bb0(%n: index, %y: index, %x: index, %c: index):
    tensor.yield %zero : f32
  } : tensor<1x4x4x2xf32> to tensor<1x3x4x2xf32>
  %0 = linalg.conv_2d_nhwc_fhwc ins(%in, %filter : tensor<1x4x4x2xf32>, tensor<4x1x1x2xf32>) outs(%z0 : tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32>
  %1 = linalg.conv_2d_nhwc_fhwc ins(%cut, %filter : tensor<1x3x4x2xf32>, tensor<4x1x1x2xf32>) outs(%z0 : tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32>
  %2 = linalg.conv_2d_nhwc_fhwc ins(%half, %filter : tensor<1x4x4x2xf16>, tensor<4x1x1x2xf32>) outs(%z1 : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  %3 = linalg.conv_2d_nhwc_fhwc ins(%some, %filter : tensor<?x4x4x2xf32>, tensor<4x1x1x2xf32>) outs(%z2 : tensor<?x4x4x4xf32>) -> tensor<?x4x4x4xf32>
  %4 = linalg.conv_2d_nhwc_fhwc ins(%none, %filter : tensor<0x4x4x2xf32>, tensor<4x1x1x2xf32>) outs(%z3 : tensor<0x4x4x4xf32>) -> tensor<0x4x4x4xf32>
  return %0, %1, %2, %3, %4 : tensor<1x3x4x4xf32>, tensor<1x3x4x4xf32>, tensor<1x4x4x4xf32>, tensor<?x4x4x4xf32>, tensor<0x4x4x4xf32>
}

// -----

// A product of numbers without a sign, and one that lies otherwise.
// CHECK-LABEL: @other_products
// CHECK-NOT:     nnk.
func.func @other_products(%a: tensor<2x3xi8>, %b: tensor<4x3xi8>, %c: tensor<3x4xi8>) -> (tensor<2x4xi32>, tensor<2x4xi32>) {
  %zero = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<2x4xi32>
  %zeros = linalg.fill ins(%zero : i32) outs(%empty : tensor<2x4xi32>) -> tensor<2x4xi32>
  %0 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>] {cast = #linalg.type_fn<cast_unsigned>}
      ins(%a, %b : tensor<2x3xi8>, tensor<4x3xi8>) outs(%zeros : tensor<2x4xi32>) -> tensor<2x4xi32>
  %1 = linalg.matmul ins(%a, %c : tensor<2x3xi8>, tensor<3x4xi8>) outs(%zeros : tensor<2x4xi32>) -> tensor<2x4xi32>
  return %0, %1 : tensor<2x4xi32>, tensor<2x4xi32>
}

// -----

// Activations that are not taken into the kernel: somebody else reads the sums,
// and functions of mathematics are nnk-fuse-epilogue's.
// CHECK-LABEL: @other_activations
// CHECK-COUNT-2: nnk.conv_2d_fhwc {{.*}} pads [0, 0, 0, 0] -> tensor<1x4x4x4xf32>
// CHECK-COUNT-2: linalg.generic
#every = affine_map<(n, y, x, c) -> (n, y, x, c)>
func.func @other_activations(%in: tensor<1x4x4x2xf32>, %filter: tensor<4x1x1x2xf32>) -> (tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x4x4x4xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  %sums = linalg.conv_2d_nhwc_fhwc ins(%in, %filter : tensor<1x4x4x2xf32>, tensor<4x1x1x2xf32>) outs(%zeros : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  %others = linalg.conv_2d_nhwc_fhwc ins(%in, %filter : tensor<1x4x4x2xf32>, tensor<4x1x1x2xf32>) outs(%zeros : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  %negative = linalg.generic {indexing_maps = [#every, #every], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%sums : tensor<1x4x4x4xf32>) outs(%empty : tensor<1x4x4x4xf32>) {
  ^bb0(%e: f32, %o: f32):
    %n = arith.negf %e : f32
    linalg.yield %n : f32
  } -> tensor<1x4x4x4xf32>
  %tanh = linalg.generic {indexing_maps = [#every, #every], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%others : tensor<1x4x4x4xf32>) outs(%empty : tensor<1x4x4x4xf32>) {
  ^bb0(%e: f32, %o: f32):
    %t = math.tanh %e : f32
    linalg.yield %t : f32
  } -> tensor<1x4x4x4xf32>
  return %sums, %negative, %tanh : tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>
}
