// RUN: nnhal-opt %s --nnhal-set-target=parameters=vector-bits=256,vector-registers=16 --convert-nnk-to-vector | FileCheck %s
// RUN: nnhal-opt %s --nnhal-set-target=parameters=vector-bits=512,vector-registers=32 --convert-nnk-to-vector | FileCheck %s --check-prefix=WIDE

// Nine tiles of pixels, 4 x 6 + 5 x 5 rows; both sizes in the loop over panels.
// CHECK-LABEL: @pointwise
// CHECK-NOT: nnk.
// CHECK: scf.forall
// CHECK: scf.forall (%{{.+}}) = (0) to (24)
// The next panel is prefetched once a round of four steps: an eighth of the
// panel for each of eight tiles.
// CHECK: scf.for {{.*}} iter_args
// CHECK: memref.prefetch {{.*}} : memref<
// CHECK-NOT: memref.prefetch
// CHECK-COUNT-48: vector.fma {{.*}} : vector<8xf32>
// CHECK-NOT: vector.fma
// CHECK: scf.forall (%{{.+}}) = (24) to (49)
// CHECK-COUNT-40: vector.fma {{.*}} : vector<8xf32>
// CHECK-NOT: vector.fma
// CHECK: return

// WIDE-LABEL: @pointwise
// WIDE: vector.fma {{.*}} : vector<16xf32>
// WIDE-NOT: vector<8xf32>
// WIDE: return
func.func @pointwise(%in: memref<1x7x7x32xf32>, %filter: memref<4x1x1x32x16xf32>, %bias: memref<4x16xf32>, %out: memref<1x7x7x64xf32>) {
  nnk.conv_2d ins(%in, %filter, %bias : memref<1x7x7x32xf32>, memref<4x1x1x32x16xf32>, memref<4x16xf32>) outs(%out : memref<1x7x7x64xf32>)
      strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0]
  return
}

// The tail of 21 channels is one full and one masked vector of the last panel.
// CHECK-LABEL: @channel_tail
// CHECK: %[[MASK:.+]] = vector.constant_mask [5] : vector<8xi1>
// CHECK: vector.store
// CHECK: vector.maskedstore {{.*}}, %[[MASK]]
func.func @channel_tail(%in: memref<1x1x6x4xf32>, %filter: memref<1x1x1x4x24xf32>, %bias: memref<1x24xf32>, %out: memref<1x1x6x21xf32>) {
  nnk.conv_2d ins(%in, %filter, %bias : memref<1x1x6x4xf32>, memref<1x1x1x4x24xf32>, memref<1x24xf32>) outs(%out : memref<1x1x6x21xf32>)
      strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0]
  return
}

// Filter rows outside the input are left out by computed bounds, columns
// statically: no copy of the input, no zeros multiplied.
// CHECK-LABEL: @padding
// CHECK-NOT: memref.alloc
// CHECK: %[[LO:.+]] = arith.maxsi
// CHECK: %[[HI:.+]] = arith.minsi
// CHECK: scf.for %{{.+}} = %[[LO]] to %[[HI]]
// First the left column alone is without the first tap: two of three pixels.
// CHECK: scf.for
// CHECK-COUNT-2: vector.fma
// CHECK: scf.yield
// CHECK: scf.for
// CHECK-COUNT-3: vector.fma
// CHECK: scf.yield
func.func @padding(%in: memref<1x4x3x64xf32>, %filter: memref<1x3x3x64x8xf32>, %bias: memref<1x8xf32>, %out: memref<1x4x3x8xf32>) {
  nnk.conv_2d ins(%in, %filter, %bias : memref<1x4x3x64xf32>, memref<1x3x3x64x8xf32>, memref<1x8xf32>) outs(%out : memref<1x4x3x8xf32>)
      strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1]
  return
}

// Three input channels: one flat loop through a table of input offsets.
// CHECK-LABEL: @few_channels
// CHECK: %[[TABLE:.+]] = memref.get_global @nnk_offsets : memref<27xi32>
// CHECK: memref.load %[[TABLE]]
func.func @few_channels(%in: memref<1x9x9x3xf32>, %filter: memref<1x3x3x3x16xf32>, %bias: memref<1x16xf32>, %out: memref<1x4x4x16xf32>) {
  nnk.conv_2d ins(%in, %filter, %bias : memref<1x9x9x3xf32>, memref<1x3x3x3x16xf32>, memref<1x16xf32>) outs(%out : memref<1x4x4x16xf32>)
      strides [2, 2] dilations [1, 1] pads [0, 0, 0, 0]
  return
}

// The epilogue runs on whole vectors, with its constant outside of all loops.
// CHECK-LABEL: @epilogue
// CHECK: %[[ZERO:.+]] = arith.constant dense<0.000000e+00> : vector<8xf32>
// CHECK: scf.for {{.*}} iter_args
// CHECK: scf.yield
// CHECK: %[[E:.+]] = vector.load %{{.+}} : memref<1024xf32>, vector<8xf32>
// CHECK: %[[SUM:.+]] = arith.addf %{{.+}}, %[[E]] : vector<8xf32>
// CHECK: %[[POS:.+]] = arith.cmpf ogt, %[[SUM]], %[[ZERO]] : vector<8xf32>
// CHECK: %[[R:.+]] = arith.select %[[POS]], %[[SUM]], %[[ZERO]] : vector<8xi1>, vector<8xf32>
// CHECK: vector.store %[[R]]
func.func @epilogue(%in: memref<1x8x8x16xf32>, %filter: memref<3x3x16xf32>, %bias: memref<16xf32>, %e: memref<1x8x8x16xf32>, %out: memref<1x8x8x16xf32>) {
  nnk.depthwise_conv_2d ins(%in, %filter, %bias : memref<1x8x8x16xf32>, memref<3x3x16xf32>, memref<16xf32>) extras(%e : memref<1x8x8x16xf32>)
      outs(%out : memref<1x8x8x16xf32>) strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] depth_multiplier 1 epilogue {
  ^bb0(%acc: f32, %x: f32):
    %zero = arith.constant 0.0 : f32
    %s = arith.addf %acc, %x : f32
    %c = arith.cmpf ogt, %s, %zero : f32
    %r = arith.select %c, %s, %zero : f32
    nnk.yield %r : f32
  }
  return
}

// A destination inside a larger buffer (a concatenation) is written in place.
// CHECK-LABEL: @strided_destination
// CHECK: memref.reinterpret_cast {{.*}} to offset: [8], sizes: [{{.*}}], strides: [1]
// CHECK: vector.store
func.func @strided_destination(%in: memref<1x4x4x8xf32>, %out: memref<1x4x4x8xf32, strided<[384, 96, 24, 1], offset: 8>>) {
  nnk.pool_2d max ins(%in : memref<1x4x4x8xf32>) outs(%out : memref<1x4x4x8xf32, strided<[384, 96, 24, 1], offset: 8>>)
      window [3, 3] strides [1, 1] pads [1, 1, 1, 1]
  return
}

// Functions are long: one copy in a loop over the stored tile, not one per
// accumulator.
// CHECK-LABEL: @long_epilogue
// CHECK-COUNT-12: vector.store
// CHECK: scf.for
// CHECK: scf.for
// CHECK: math.exp
// CHECK-NOT: math.exp
// CHECK: return
func.func @long_epilogue(%in: memref<1x1x6x64xf32>, %filter: memref<1x1x1x64x16xf32>, %bias: memref<1x16xf32>, %out: memref<1x1x6x16xf32>) {
  nnk.conv_2d ins(%in, %filter, %bias : memref<1x1x6x64xf32>, memref<1x1x1x64x16xf32>, memref<1x16xf32>) outs(%out : memref<1x1x6x16xf32>)
      strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0] epilogue {
  ^bb0(%acc: f32):
    %r = math.exp %acc : f32
    nnk.yield %r : f32
  }
  return
}

// Pairs of i16 times weights of i8, extended as they are loaded; an epilogue to
// i8 for 20 channels, of which the last four are stored at once.
// CHECK-LABEL: @pairs
// CHECK: %[[WEIGHTS:.+]] = vector.load {{.*}} : memref<{{.+}}xi8{{.*}}>, vector<16xi8>
// CHECK: arith.extsi %[[WEIGHTS]] : vector<16xi8> to vector<16xi32>
// CHECK: %[[PAIR:.+]] = vector.load {{.*}} : memref<{{.+}}xi16{{.*}}>, vector<2xi16>
// CHECK: %[[WORD:.+]] = vector.bitcast %[[PAIR]] : vector<2xi16> to vector<1xi32>
// CHECK: vector.broadcast %[[WORD]] : vector<1xi32> to vector<8xi32>
// CHECK: %[[PRODUCTS:.+]] = arith.muli {{.*}} : vector<16xi32>
// CHECK: vector.shuffle %[[PRODUCTS]], %[[PRODUCTS]] [0, 2, 4, 6, 8, 10, 12, 14]
// CHECK: vector.shuffle %[[PRODUCTS]], %[[PRODUCTS]] [1, 3, 5, 7, 9, 11, 13, 15]
// CHECK: arith.trunci {{.*}} : vector<8xi32> to vector<8xi8>
// CHECK: vector.extract_strided_slice {{.*}} {offsets = [0], sizes = [4], strides = [1]} : vector<8xi8> to vector<4xi8>
// CHECK: vector.store {{.*}} vector<4xi8>
func.func @pairs(%in: memref<1x4x4x6xi16>, %filter: memref<2x1x1x3x32xi8>, %bias: memref<2x16xi32>, %low: memref<20xi32>, %out: memref<1x4x4x20xi8>) {
  nnk.conv_2d ins(%in, %filter, %bias : memref<1x4x4x6xi16>, memref<2x1x1x3x32xi8>, memref<2x16xi32>) extras(%low : memref<20xi32>) outs(%out : memref<1x4x4x20xi8>)
      strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0] epilogue {
  ^bb0(%acc: i32, %bound: i32):
    %limited = arith.maxsi %acc, %bound : i32
    %r = arith.trunci %limited : i32 to i8
    nnk.yield %r : i8
  }
  return
}

// Integers become floats as they are loaded.
// CHECK-LABEL: @depthwise_of_integers
// CHECK: %[[INTEGERS:.+]] = vector.load {{.*}}, vector<8xi16>
// CHECK: %[[EXTENDED:.+]] = arith.extsi %[[INTEGERS]] : vector<8xi16> to vector<8xi32>
// CHECK: arith.sitofp %[[EXTENDED]] : vector<8xi32> to vector<8xf32>
func.func @depthwise_of_integers(%in: memref<1x8x8x16xi16>, %filter: memref<3x3x16xf32>, %bias: memref<16xf32>, %out: memref<1x8x8x16xf32>) {
  nnk.depthwise_conv_2d ins(%in, %filter, %bias : memref<1x8x8x16xi16>, memref<3x3x16xf32>, memref<16xf32>) outs(%out : memref<1x8x8x16xf32>)
      strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] depth_multiplier 1
  return
}

// The pixels of no images have no tiles.
// CHECK-LABEL: func @no_images
// CHECK-NOT: vector.fma
// CHECK: return
func.func @no_images(%in: memref<0x4x4x8xf32>, %filter: memref<1x1x1x8x16xf32>, %bias: memref<1x16xf32>, %out: memref<0x4x4x16xf32>) {
  nnk.conv_2d ins(%in, %filter, %bias : memref<0x4x4x8xf32>, memref<1x1x1x8x16xf32>, memref<1x16xf32>)
      outs(%out : memref<0x4x4x16xf32>)
      strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0]
  return
}
