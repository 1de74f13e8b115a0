// RUN: nnhal-opt %s --nnhal-set-target=parameters=band-cache=1536 --nnhal-compute-in-bands | FileCheck %s
// RUN: nnhal-opt %s --nnhal-set-target=parameters=vector-registers=32 --nnhal-compute-in-bands | FileCheck %s --check-prefix=WHOLE
// RUN: not nnhal-opt %s --nnhal-set-target=parameters=band-cache=0 --nnhal-compute-in-bands 2>&1 | FileCheck %s --check-prefix=ERROR

// What fits the cache stays as it is.
// WHOLE-NOT: memref.view
// WHOLE-NOT: memref.copy

// ERROR: error: cost-model: 'band-cache=0' does not give a number from 1 to 2^30

// 12 rows of 4 x 16 numbers are 3072 bytes: three bands of four rows of the
// output, for which six rows of the image between are kept. The first band
// computes five of them, the second four after the two that it has, the last
// one three, for one is padding. Bands begin at bytes 0, 4 x 32 and 8 x 32 of
// the input's allocation: the types do not tell.

// CHECK-LABEL: func @chain
// CHECK-DAG: %[[IN:.+]] = memref.alloc() : memref<384xi8>
// CHECK-DAG: %[[OUT:.+]] = memref.alloc() : memref<3072xi8>
// CHECK-DAG: %[[BAND:.+]] = memref.alloc() {alignment = 64 : i64} : memref<1536xi8>
// CHECK: %[[X0:.+]] = memref.view %[[IN]][%c0{{.*}}][] : memref<384xi8> to memref<1x5x4x2xf32>
// CHECK: %[[T0:.+]] = memref.view %[[BAND]][%c0{{.*}}][] : memref<1536xi8> to memref<1x5x4x16xf32>
// CHECK: nnk.conv_2d ins(%[[X0]], {{.*}} outs(%[[T0]] : {{.*}} pads [0, 0, 0, 0]
// CHECK: %[[T1:.+]] = memref.view %[[BAND]][%c0{{.*}}][] : memref<1536xi8> to memref<1x5x4x16xf32>
// CHECK: %[[Y0:.+]] = memref.view %[[OUT]][%c0{{.*}}][] : memref<3072xi8> to memref<1x4x4x16xf32>
// CHECK: nnk.depthwise_conv_2d ins(%[[T1]], {{.*}} outs(%[[Y0]] : {{.*}} pads [1, 0, 1, 1]
// CHECK: %[[FROM:.+]] = memref.view %[[BAND]][%c768{{.*}}][] : memref<1536xi8> to memref<1x2x4x16xf32>
// CHECK: %[[TO:.+]] = memref.view %[[BAND]][%c0{{.*}}][] : memref<1536xi8> to memref<1x2x4x16xf32>
// CHECK: memref.copy %[[FROM]], %[[TO]]
// CHECK: memref.view %[[IN]][%c160{{.*}}][] : memref<384xi8> to memref<1x4x4x2xf32>
// CHECK: memref.view %[[BAND]][%c512{{.*}}][] : memref<1536xi8> to memref<1x4x4x16xf32>
// CHECK: nnk.conv_2d
// CHECK: memref.view %[[BAND]][%c0{{.*}}][] : memref<1536xi8> to memref<1x6x4x16xf32>
// CHECK: memref.view %[[OUT]][%c1024{{.*}}][] : memref<3072xi8> to memref<1x4x4x16xf32>
// CHECK: nnk.depthwise_conv_2d {{.*}} pads [0, 0, 1, 1]
// CHECK: memref.view %[[BAND]][%c1024{{.*}}][] : memref<1536xi8> to memref<1x2x4x16xf32>
// CHECK: memref.copy
// CHECK: memref.view %[[IN]][%c288{{.*}}][] : memref<384xi8> to memref<1x3x4x2xf32>
// CHECK: nnk.conv_2d
// CHECK: memref.view %[[BAND]][%c0{{.*}}][] : memref<1536xi8> to memref<1x5x4x16xf32>
// CHECK: nnk.depthwise_conv_2d {{.*}} pads [0, 1, 1, 1]
// CHECK-NOT: nnk.
// CHECK: return
func.func @chain(%f: memref<1x1x1x2x16xf32>, %b: memref<1x16xf32>, %df: memref<3x3x16xf32>, %db: memref<16xf32>) {
  %x = memref.alloc() : memref<1x12x4x2xf32>
  %t = memref.alloc() {alignment = 64 : i64} : memref<1x12x4x16xf32>
  %y = memref.alloc() : memref<1x12x4x16xf32>
  nnk.conv_2d ins(%x, %f, %b : memref<1x12x4x2xf32>, memref<1x1x1x2x16xf32>, memref<1x16xf32>)
      outs(%t : memref<1x12x4x16xf32>)
      strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0]
  nnk.depthwise_conv_2d ins(%t, %df, %db : memref<1x12x4x16xf32>, memref<3x3x16xf32>, memref<16xf32>)
      outs(%y : memref<1x12x4x16xf32>)
      strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] depth_multiplier 1
  return
}

// Three kernels: the last one adds an image, of which it reads its rows. The
// input is an argument, so the first kernel computes all of its output.
// CHECK-LABEL: func @residual
// CHECK: nnk.conv_2d ins(%{{[a-z0-9]+}}, {{.*}} outs(%{{.*}} : memref<1x8x8x16xf32>)
// CHECK: nnk.depthwise_conv_2d
// CHECK: %[[Y:.+]] = memref.view %{{.*}}[%c0{{.*}}][] : memref<4096xi8> to memref<1x2x8x16xf32>
// CHECK: %[[R:.+]] = memref.view %{{.*}}[%c0{{.*}}][] : memref<4096xi8> to memref<1x2x8x16xf32>
// CHECK: nnk.conv_2d {{.*}} extras(%[[R]] : memref<1x2x8x16xf32>) outs(%[[Y]] :
// CHECK: nnk.depthwise_conv_2d
// CHECK: %[[Y1:.+]] = memref.view %{{.*}}[%c1024{{.*}}][] : memref<4096xi8> to memref<1x2x8x16xf32>
// CHECK: %[[R1:.+]] = memref.view %{{.*}}[%c1024{{.*}}][] : memref<4096xi8> to memref<1x2x8x16xf32>
// CHECK: nnk.conv_2d {{.*}} extras(%[[R1]] : memref<1x2x8x16xf32>) outs(%[[Y1]] :
func.func @residual(%x: memref<1x8x8x16xf32>, %f: memref<1x1x1x16x16xf32>, %b: memref<1x16xf32>, %df: memref<3x3x16xf32>, %db: memref<16xf32>) {
  %t = memref.alloc() : memref<1x8x8x16xf32>
  %u = memref.alloc() : memref<1x8x8x16xf32>
  %r = memref.alloc() : memref<1x8x8x16xf32>
  %y = memref.alloc() : memref<1x8x8x16xf32>
  nnk.conv_2d ins(%x, %f, %b : memref<1x8x8x16xf32>, memref<1x1x1x16x16xf32>, memref<1x16xf32>)
      outs(%t : memref<1x8x8x16xf32>)
      strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0]
  nnk.depthwise_conv_2d ins(%t, %df, %db : memref<1x8x8x16xf32>, memref<3x3x16xf32>, memref<16xf32>)
      outs(%u : memref<1x8x8x16xf32>)
      strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] depth_multiplier 1
  nnk.conv_2d ins(%u, %f, %b : memref<1x8x8x16xf32>, memref<1x1x1x16x16xf32>, memref<1x16xf32>)
      extras(%r : memref<1x8x8x16xf32>) outs(%y : memref<1x8x8x16xf32>)
      strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0]
      epilogue {
  ^bb0(%acc: f32, %e: f32):
    %s = arith.addf %acc, %e : f32
    nnk.yield %s : f32
  }
  return
}

// A number for each pixel comes in bands, too.
// CHECK-LABEL: func @pixels
// CHECK: %[[P:.+]] = memref.view %{{.*}}[%c0{{.*}}][] : memref<256xi8> to memref<1x2x8x1xf32>
// CHECK: nnk.conv_2d {{.*}} extras(%[[P]] : memref<1x2x8x1xf32>)
// CHECK: %[[P1:.+]] = memref.view %{{.*}}[%c64{{.*}}][] : memref<256xi8> to memref<1x2x8x1xf32>
// CHECK: nnk.conv_2d {{.*}} extras(%[[P1]] : memref<1x2x8x1xf32>)
func.func @pixels(%f: memref<1x1x1x16x16xf32>, %b: memref<1x16xf32>, %df: memref<3x3x16xf32>, %db: memref<16xf32>) {
  %t = memref.alloc() : memref<1x8x8x16xf32>
  %u = memref.alloc() : memref<1x8x8x16xf32>
  %p = memref.alloc() : memref<1x8x8x1xf32>
  %y = memref.alloc() : memref<1x8x8x16xf32>
  nnk.depthwise_conv_2d ins(%t, %df, %db : memref<1x8x8x16xf32>, memref<3x3x16xf32>, memref<16xf32>)
      outs(%u : memref<1x8x8x16xf32>)
      strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] depth_multiplier 1
  nnk.conv_2d ins(%u, %f, %b : memref<1x8x8x16xf32>, memref<1x1x1x16x16xf32>, memref<1x16xf32>)
      extras(%p : memref<1x8x8x1xf32>) outs(%y : memref<1x8x8x16xf32>)
      strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0]
      epilogue {
  ^bb0(%acc: f32, %e: f32):
    %s = arith.addf %acc, %e : f32
    nnk.yield %s : f32
  }
  return
}

// Left alone: an image with a second reader, and kernels between which
// something writes.
// CHECK-LABEL: func @kept
// CHECK-NOT: memref.view
// CHECK: return
func.func @kept(%f: memref<1x1x1x16x16xf32>, %b: memref<1x16xf32>, %zero: f32) {
  %x = memref.alloc() : memref<1x8x8x16xf32>
  %t = memref.alloc() : memref<1x8x8x16xf32>
  %y = memref.alloc() : memref<1x8x8x16xf32>
  %z = memref.alloc() : memref<1x8x8x16xf32>
  nnk.conv_2d ins(%x, %f, %b : memref<1x8x8x16xf32>, memref<1x1x1x16x16xf32>, memref<1x16xf32>)
      outs(%t : memref<1x8x8x16xf32>)
      strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0]
  nnk.conv_2d ins(%t, %f, %b : memref<1x8x8x16xf32>, memref<1x1x1x16x16xf32>, memref<1x16xf32>)
      outs(%y : memref<1x8x8x16xf32>)
      strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0]
  linalg.fill ins(%zero : f32) outs(%x : memref<1x8x8x16xf32>)
  nnk.conv_2d ins(%y, %f, %b : memref<1x8x8x16xf32>, memref<1x1x1x16x16xf32>, memref<1x16xf32>)
      extras(%t : memref<1x8x8x16xf32>) outs(%z : memref<1x8x8x16xf32>)
      strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0]
      epilogue {
  ^bb0(%acc: f32, %e: f32):
    %s = arith.addf %acc, %e : f32
    nnk.yield %s : f32
  }
  return
}

// Left alone: the last kernel writes over what the first one reads.
// CHECK-LABEL: func @in_place
// CHECK-NOT: memref.view
// CHECK: return
func.func @in_place(%f: memref<1x1x1x16x16xf32>, %b: memref<1x16xf32>, %df: memref<3x3x16xf32>, %db: memref<16xf32>) {
  %x = memref.alloc() : memref<1x8x8x16xf32>
  %t = memref.alloc() : memref<1x8x8x16xf32>
  nnk.conv_2d ins(%x, %f, %b : memref<1x8x8x16xf32>, memref<1x1x1x16x16xf32>, memref<1x16xf32>)
      outs(%t : memref<1x8x8x16xf32>)
      strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0]
  nnk.depthwise_conv_2d ins(%t, %df, %db : memref<1x8x8x16xf32>, memref<3x3x16xf32>, memref<16xf32>)
      outs(%x : memref<1x8x8x16xf32>)
      strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] depth_multiplier 1
  return
}
