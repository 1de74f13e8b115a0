// RUN: nnhal-opt %s --nnhal-set-target=parameters=window-products=1 --convert-nnk-to-vector | FileCheck %s
// RUN: nnhal-opt %s --nnhal-set-target=parameters=window-products=1,input-cache=16384 --convert-nnk-to-vector | FileCheck %s --check-prefix=LARGE
// RUN: nnhal-opt %s --nnhal-set-target=parameters=window-products=1,window-rows=1 --convert-nnk-to-vector | FileCheck %s --check-prefix=SINGLE
// RUN: nnhal-opt %s --nnhal-set-target=parameters=window-products=41473 --convert-nnk-to-vector | FileCheck %s --check-prefix=SINGLE
// RUN: nnhal-opt %s --nnhal-set-target=parameters=window-products=1,inner-cache=1 --convert-nnk-to-vector | FileCheck %s --check-prefix=CHANNELS
// RUN: nnhal-opt %s --nnhal-set-target=parameters=window-products=1,output-cache=4194304 --convert-nnk-to-vector | FileCheck %s --check-prefix=SMALL
// RUN: nnhal-opt %s --nnhal-set-target=parameters=inner-cache=3000 --convert-nnk-to-vector | FileCheck %s --check-prefix=HALF

// Away from the border two rows of four pixels, one register of channels after
// the other; each of the four rows of six inputs is loaded once. The first row
// and the last two, of which one is left over, before that by one loop, and by
// themselves where the image does not stay in the cache.

// CHECK-LABEL: func @two_rows
// CHECK: scf.forall (%[[POSITION:.+]]) in (3) {
// CHECK: %[[ABOVE:.+]] = arith.cmpi slt, %[[POSITION]], %c1
// CHECK: %[[BELOW:.+]] = arith.addi %[[POSITION]], %c6
// CHECK: arith.select %[[ABOVE]], %[[POSITION]], %[[BELOW]] : index
// CHECK: scf.forall (%{{.+}}) = (1) to (7) step (2) {
// The tile in the middle.
// CHECK: scf.forall (%{{.+}}) = (4) to (12) step (4)
// CHECK: scf.for
// CHECK: scf.for
// CHECK-COUNT-72: vector.fma {{.*}} : vector<8xf32>
// CHECK-NOT: vector.fma
// CHECK: vector.store
// CHECK-NOT: scf.forall (%{{.+}}) = (7) to (9)
// CHECK: return

// LARGE-LABEL: func @two_rows
// LARGE-NOT: arith.select
// LARGE: scf.forall (%{{.+}}) = (1) to (7) step (2) {
// LARGE: scf.forall (%{{.+}}) = (7) to (9) step (1) {
// LARGE: return

// SINGLE-LABEL: func @two_rows
// SINGLE: scf.forall (%{{.+}}) in (9)
// SINGLE-NOT: step %c2
// SINGLE: return

// All tiles of a row for some channels, then the next channels.
// CHANNELS-LABEL: func @two_rows
// CHANNELS: scf.forall (%{{.+}}) = (1) to (7) step (2) {
// CHANNELS: scf.for %{{.+}} = %c0 to %c32 step %c16 {
// CHANNELS: scf.forall (%{{.+}}) = (4) to (12) step (4)
// CHANNELS: return
func.func @two_rows(%in: memref<1x9x16x32xf32>, %filter: memref<3x3x32xf32>, %bias: memref<32xf32>, %out: memref<1x9x16x32xf32>) {
  nnk.depthwise_conv_2d ins(%in, %filter, %bias : memref<1x9x16x32xf32>, memref<3x3x32xf32>, memref<32xf32>)
      outs(%out : memref<1x9x16x32xf32>)
      strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] depth_multiplier 1
  return
}

// With a stride two rows have one of five rows of input in common: that pays
// where inputs are converted. Where a tile of eight columns does not stay in the
// cache, but one of four does, there are two of these, with all channels inside.

// CHECK-LABEL: func @strided
// CHECK-NOT: step %c2
// CHECK-COUNT-8: vector.store
// CHECK-NOT: vector.store
// CHECK: return

// HALF-LABEL: func @strided
// HALF: scf.forall (%{{.+}}) = (0) to (8) step (4)
// HALF: scf.for %{{.+}} = %c0 to %c16 step %c8
// HALF-COUNT-4: vector.store
// HALF-NOT: vector.store
// HALF: return
func.func @strided(%in: memref<1x17x17x16xf32>, %filter: memref<3x3x16xf32>, %bias: memref<16xf32>, %out: memref<1x8x8x16xf32>) {
  nnk.depthwise_conv_2d ins(%in, %filter, %bias : memref<1x17x17x16xf32>, memref<3x3x16xf32>, memref<16xf32>)
      outs(%out : memref<1x8x8x16xf32>)
      strides [2, 2] dilations [1, 1] pads [0, 0, 0, 0] depth_multiplier 1
  return
}

// CHECK-LABEL: func @strided_integers
// CHECK: scf.forall (%{{.+}}) = (0) to (8) step (2)
// CHECK-COUNT-45: arith.sitofp {{.*}} : vector<8xi32> to vector<8xf32>
// CHECK-NOT: arith.sitofp
// CHECK: return
func.func @strided_integers(%in: memref<1x17x17x16xi8>, %filter: memref<3x3x16xf32>, %bias: memref<16xf32>, %out: memref<1x8x8x16xf32>) {
  nnk.depthwise_conv_2d ins(%in, %filter, %bias : memref<1x17x17x16xi8>, memref<3x3x16xf32>, memref<16xf32>)
      outs(%out : memref<1x8x8x16xf32>)
      strides [2, 2] dilations [1, 1] pads [0, 0, 0, 0] depth_multiplier 1
  return
}

// Lines that are not written from start to end are fetched before that, if the
// second-level cache has none of them.

// CHECK-LABEL: func @large_dilated
// CHECK: scf.for %{{.+}} = %c0 to %c480 step %c8
// CHECK-COUNT-7: memref.prefetch %{{.+}}, write, locality<2>, data : memref<{{.+}}xf32>
// CHECK-NOT: memref.prefetch
// CHECK: vector.fma
// CHECK: return

// SMALL-LABEL: func @large_dilated
// SMALL: scf.for %{{.+}} = %c0 to %c480 step %c8
// SMALL-NOT: memref.prefetch
// SMALL: return
func.func @large_dilated(%in: memref<1x33x33x480xf32>, %filter: memref<3x3x480xf32>, %bias: memref<480xf32>, %out: memref<1x33x33x480xf32>) {
  nnk.depthwise_conv_2d ins(%in, %filter, %bias : memref<1x33x33x480xf32>, memref<3x3x480xf32>, memref<480xf32>)
      outs(%out : memref<1x33x33x480xf32>)
      strides [1, 1] dilations [4, 4] pads [4, 4, 4, 4] depth_multiplier 1
  return
}

// Bytes have one code for all tiles: nine rows are five pairs, of which the last
// one overlaps; what lies outside of the image is another row with weights of 0,
// or another column, which is 0.

// RUN: nnhal-opt %s --nnhal-set-target=parameters=vector-bits=512,vector-registers=32,window-products=1 --convert-nnk-to-vector | FileCheck %s --check-prefix=EIGHT
// RUN: nnhal-opt %s --convert-nnk-to-vector | FileCheck %s --check-prefix=ODD

// CHECK-LABEL: func @uniform_integers
// CHECK: scf.forall (%[[PAIR:.+]]) = (0) to (10) step (2) {
// CHECK: %[[ROW:.+]] = arith.minsi %[[PAIR]], %c7
// CHECK: %[[ORIGIN:.+]] = arith.addi %[[ROW]], %c-1
// CHECK: %[[IN:.+]] = arith.cmpi ult, %[[ORIGIN]], %c9
// CHECK: %[[READ:.+]] = arith.maxsi %[[ORIGIN]], %c0
// CHECK: arith.minsi %[[READ]], %c8
// CHECK: %[[ABOVE:.+]] = vector.broadcast %[[IN]] : i1 to vector<8xi1>
// The row below the last one of a pair.
// CHECK: arith.cmpi ult
// CHECK: %[[BELOW:.+]] = vector.broadcast %{{.+}} : i1 to vector<8xi1>
// CHECK: scf.forall (%{{.+}}) = (0) to (16) step (4)
// CHECK: %[[LEFT:.+]] = vector.broadcast %{{.+}} : i1 to vector<8xi1>
// CHECK: %[[RIGHT:.+]] = vector.broadcast %{{.+}} : i1 to vector<8xi1>
// CHECK: %[[ELEMENT:.+]] = arith.sitofp
// CHECK: %[[FACTOR:.+]] = arith.select %[[LEFT]], %[[ELEMENT]], %{{.+}} : vector<8xi1>, vector<8xf32>
// CHECK: %[[WEIGHT:.+]] = vector.load
// CHECK: %[[KNOWN:.+]] = arith.select %[[ABOVE]], %[[WEIGHT]], %{{.+}} : vector<8xi1>, vector<8xf32>
// CHECK: vector.fma %[[FACTOR]], %[[KNOWN]]
// CHECK: arith.select %[[RIGHT]]
// CHECK: arith.select %[[BELOW]]
// CHECK-NOT: scf.forall
// CHECK: return

// With twice the registers there are as many columns of two rows as of one.
// EIGHT-LABEL: func @uniform_integers
// EIGHT: scf.forall (%{{.+}}) = (0) to (10) step (2) {
// EIGHT: scf.forall (%{{.+}}) = (0) to (16) step (8)
// EIGHT-COUNT-144: vector.fma
// EIGHT-NOT: vector.fma
// EIGHT: return
// Small images with an odd number of rows do not compute one a second time, and
// with narrower registers have no masks for columns.
// ODD-LABEL: func @uniform_integers
// ODD: scf.forall (%{{.+}}) in (3) {
// ODD: scf.forall (%{{.+}}) = (1) to (7) step (2) {
// ODD-NOT: vector<8xi1>
// ODD: return
func.func @uniform_integers(%in: memref<1x9x16x32xi8>, %filter: memref<3x3x32xf32>, %bias: memref<32xf32>, %out: memref<1x9x16x32xf32>) {
  nnk.depthwise_conv_2d ins(%in, %filter, %bias : memref<1x9x16x32xi8>, memref<3x3x32xf32>, memref<32xf32>)
      outs(%out : memref<1x9x16x32xf32>)
      strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] depth_multiplier 1
  return
}

// Tiles of four of 13 columns would compute three of them a second time, so that
// those at the left and right border have code of their own.

// CHECK-LABEL: func @odd_columns
// CHECK: scf.forall (%{{.+}}) = (0) to (10) step (2) {
// The masks of rows.
// CHECK-COUNT-2: vector.broadcast %{{.+}} : i1 to vector<8xi1>
// CHECK-NOT: vector.broadcast %{{.+}} : i1 to vector<8xi1>
// CHECK: scf.forall (%{{.+}}) = (4) to (10) step (3)
// CHECK-NOT: vector.broadcast %{{.+}} : i1 to vector<8xi1>
// CHECK: return
func.func @odd_columns(%in: memref<1x9x13x32xi8>, %filter: memref<3x3x32xf32>, %bias: memref<32xf32>, %out: memref<1x9x13x32xf32>) {
  nnk.depthwise_conv_2d ins(%in, %filter, %bias : memref<1x9x13x32xi8>, memref<3x3x32xf32>, memref<32xf32>)
      outs(%out : memref<1x9x13x32xf32>)
      strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] depth_multiplier 1
  return
}

// Floats may be infinite, and 0 times that is no number: sums are masked, by an
// instruction that registers of 512 bits alone have, if there are few of them.

// RUN: nnhal-opt %s --nnhal-set-target=parameters=vector-bits=512,vector-registers=32 --convert-nnk-to-vector | FileCheck %s --check-prefix=WIDE
// RUN: nnhal-opt %s --nnhal-set-target=parameters=vector-bits=512,vector-registers=32,masked-span=1 --convert-nnk-to-vector | FileCheck %s --check-prefix=TAPS

// CHECK-LABEL: func @floats
// CHECK-NOT: vector<8xi1>
// CHECK: return

// WIDE-LABEL: func @floats
// WIDE: scf.forall (%{{.+}}) in (9)
// WIDE: scf.forall (%{{.+}}) = (0) to (16) step (8)
// WIDE: %[[LEFT:.+]] = vector.broadcast %{{.+}} : i1 to vector<16xi1>
// WIDE: %[[RIGHT:.+]] = vector.broadcast %{{.+}} : i1 to vector<16xi1>
// WIDE: scf.for {{.*}} iter_args(%[[SUM:[^ ]+]] =
// WIDE: %[[NEXT:.+]] = vector.fma %{{.+}}, %{{.+}}, %[[SUM]]
// WIDE: arith.select %[[LEFT]], %[[NEXT]], %[[SUM]] : vector<16xi1>, vector<16xf32>
// WIDE: arith.select %[[RIGHT]]
// WIDE-NOT: arith.select
// WIDE: return

// TAPS-LABEL: func @floats
// TAPS-NOT: vector<16xi1>
// TAPS: return
func.func @floats(%in: memref<1x9x16x16xf32>, %filter: memref<3x3x16xf32>, %bias: memref<16xf32>, %out: memref<1x9x16x16xf32>) {
  nnk.depthwise_conv_2d ins(%in, %filter, %bias : memref<1x9x16x16xf32>, memref<3x3x16xf32>, memref<16xf32>)
      outs(%out : memref<1x9x16x16xf32>)
      strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] depth_multiplier 1
  return
}
