// RUN: nnhal-opt %s --convert-nnk-to-vector | FileCheck %s --check-prefixes=CHECK,ROWS6
// RUN: nnhal-opt %s --nnhal-set-target=parameters=tile-rows-2=5 --convert-nnk-to-vector | FileCheck %s --check-prefixes=CHECK,ROWS5

// Twelve pixels of two registers each: two tiles of six, or three of four,
// inside of the loop over the two panels.

// CHECK-LABEL: func @tiles
func.func @tiles(%in: memref<1x1x12x8xf32>, %filter: memref<2x1x1x8x16xf32>,
                 %bias: memref<2x16xf32>, %out: memref<1x1x12x32xf32>) {
  // CHECK: scf.forall
  // ROWS6: scf.forall (%{{.*}}) = ({{.+}}) to ({{.+}}) step (6)
  // ROWS5: scf.forall (%{{.*}}) = ({{.+}}) to ({{.+}}) step (4)
  // Four steps a round.
  // ROWS6-COUNT-48: vector.fma
  // ROWS5-COUNT-32: vector.fma
  // CHECK-NOT: vector.fma
  nnk.conv_2d ins(%in, %filter, %bias : memref<1x1x12x8xf32>, memref<2x1x1x8x16xf32>, memref<2x16xf32>)
      outs(%out : memref<1x1x12x32xf32>)
      strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0]
  return
}

// An output that leaves the cache is written from start to end: tiles outside.

// RUN: nnhal-opt %s --nnhal-set-target=parameters=output-cache=1 --convert-nnk-to-vector | FileCheck %s --check-prefix=TILES
// TILES-LABEL: func @tiles
// TILES: scf.forall (%{{.*}}) = ({{.+}}) to ({{.+}}) step (6)
// TILES: scf.forall (%{{.*}}) in (2)

// RUN: nnhal-opt %s --nnhal-set-target=parameters=unrolled-steps=3 --convert-nnk-to-vector | FileCheck %s --check-prefix=STEPS
// Rounds of two of eight steps, because rounds of three would leave some over.
// STEPS-LABEL: func @tiles
// STEPS: scf.for %{{.*}} = %c0 to %c8 step %c2{{.*}} iter_args
// STEPS-COUNT-24: vector.fma
// STEPS-NOT: vector.fma
// STEPS: return

// RUN: nnhal-opt %s --nnhal-set-target=parameters=unrolled-steps=6,unrolled-products=72 --convert-nnk-to-vector | FileCheck %s --check-prefix=REST
// A round of six of eight steps, and two by themselves.
// REST-LABEL: func @tiles
// REST-COUNT-72: vector.fma
// REST-NOT: vector.fma
// REST: scf.for %{{.*}} = %c6 to %c8 step %c1{{.*}} iter_args
// REST-COUNT-12: vector.fma
// REST-NOT: vector.fma
// REST: return

// RUN: nnhal-opt %s --nnhal-set-target=parameters=unrolled-products=24 --convert-nnk-to-vector | FileCheck %s --check-prefix=PRODUCTS
// A step has twelve products: two steps a round.
// PRODUCTS-LABEL: func @tiles
// PRODUCTS: scf.for %{{.*}} = %c0 to %c8 step %c2{{.*}} iter_args
// PRODUCTS-COUNT-24: vector.fma
// PRODUCTS-NOT: vector.fma
// PRODUCTS: return

// Registers of 256 bits: tiles of four pixels, two registers each; of 512 bits:
// eight pixels.

// RUN: nnhal-opt %s --nnhal-set-target=parameters=vector-bits=512 --convert-nnk-to-vector | FileCheck %s --check-prefix=WIDE
// CHECK-LABEL: func @line
// CHECK: scf.forall (%{{.*}}) = ({{.+}}) to ({{.+}}) step (4)
// CHECK-COUNT-8: vector.store {{.*}}, vector<8xf32>
// CHECK-NOT: vector.store
// WIDE-LABEL: func @line
// WIDE: scf.forall (%{{.*}}) = ({{.+}}) to ({{.+}}) step (8)
// WIDE-COUNT-8: vector.store {{.*}}, vector<16xf32>
// WIDE-NOT: vector.store
// WIDE: return
func.func @line(%in: memref<1x1x16x32xf32>, %filter: memref<1x1x32xf32>, %bias: memref<32xf32>, %out: memref<1x1x16x32xf32>) {
  nnk.depthwise_conv_2d ins(%in, %filter, %bias : memref<1x1x16x32xf32>, memref<1x1x32xf32>, memref<32xf32>)
      outs(%out : memref<1x1x16x32xf32>)
      strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0] depth_multiplier 1
  return
}

// The weights of a single pixel are prefetched where they are many.

// RUN: nnhal-opt %s --nnhal-set-target=parameters=filter-cache=4096 --convert-nnk-to-vector | FileCheck %s --check-prefix=MANY
// CHECK-LABEL: func @single
// CHECK-NOT: memref.prefetch
// CHECK: return
// MANY-LABEL: func @single
// MANY: memref.prefetch
// MANY: return
func.func @single(%in: memref<1x1x1x8xf32>, %filter: memref<16x1x1x8x16xf32>, %bias: memref<16x16xf32>, %out: memref<1x1x1x256xf32>) {
  nnk.conv_2d ins(%in, %filter, %bias : memref<1x1x1x8xf32>, memref<16x1x1x8x16xf32>, memref<16x16xf32>)
      outs(%out : memref<1x1x1x256xf32>)
      strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0]
  return
}

// 36 pixels of three registers are six tiles of six, as one of eight and four of
// seven would need two codes, unless a tile may leave out none of its pixels.

// RUN: nnhal-opt %s --nnhal-set-target=parameters=vector-bits=512,vector-registers=32 --convert-nnk-to-vector | FileCheck %s --check-prefix=FEWER
// RUN: nnhal-opt %s --nnhal-set-target=parameters=vector-bits=512,vector-registers=32,fewer-rows=9 --convert-nnk-to-vector | FileCheck %s --check-prefix=MOST
// FEWER-LABEL: func @thirty_six
// FEWER: scf.forall (%{{.*}}) = (0) to (36) step (6)
// FEWER-NOT: scf.forall
// FEWER: return
// MOST-LABEL: func @thirty_six
// MOST: scf.forall (%{{.*}}) = (8) to (36) step (7)
// MOST: return
func.func @thirty_six(%in: memref<1x1x36x8xf32>, %filter: memref<1x1x1x8x48xf32>,
                 %bias: memref<1x48xf32>, %out: memref<1x1x36x48xf32>) {
  nnk.conv_2d ins(%in, %filter, %bias : memref<1x1x36x8xf32>, memref<1x1x1x8x48xf32>, memref<1x48xf32>)
      outs(%out : memref<1x1x36x48xf32>)
      strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0]
  return
}
