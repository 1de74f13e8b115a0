// RUN: nnhal-opt %s --split-input-file --nnhal-gpu-form-dispatches | FileCheck %s

// An epilogue loads the numbers that it takes beside sums: those of channels and
// of single places in fours, and that of a pixel once for all channels.

// CHECK-LABEL: func.func @fours
// CHECK:       gpu.func @kernel_0(
// CHECK-SAME:      %[[PLACES:[a-z0-9]+]]: memref<128xvector<4xf32>>, %[[PIXELS:[a-z0-9]+]]: memref<64xf32>,
// CHECK-SAME:      %[[CHANNELS:[a-z0-9]+]]: memref<2xvector<4xf32>>
// CHECK:         %[[PLACE:.+]] = memref.load %[[PLACES]][%{{.+}}] : memref<128xvector<4xf32>>
// CHECK:         %[[FIRST:.+]] = vector.extract %[[PLACE]][0]
// CHECK:         %[[PIXEL:.+]] = memref.load %[[PIXELS]][%{{.+}}] : memref<64xf32>
// CHECK:         memref.load %[[CHANNELS]][%{{.+}}] : memref<2xvector<4xf32>>
// CHECK:         %[[ADDED:.+]] = arith.addf %{{.+}}, %[[FIRST]] : f32
// CHECK:         arith.mulf %[[ADDED]], %[[PIXEL]] : f32
// CHECK:         memref.store %{{.+}} : memref<128xvector<4xf32>>
func.func @fours(%in: memref<1x8x8x8xf32>, %filter: memref<3x3x8xf32>, %bias: memref<8xf32>,
    %places: memref<1x8x8x8xf32>, %pixels: memref<1x8x8x1xf32>, %channels: memref<8xf32>,
    %out: memref<1x8x8x8xf32>) attributes {nnhal.entry} {
  nnk.depthwise_conv_2d ins(%in, %filter, %bias : memref<1x8x8x8xf32>, memref<3x3x8xf32>, memref<8xf32>)
      extras(%places, %pixels, %channels : memref<1x8x8x8xf32>, memref<1x8x8x1xf32>, memref<8xf32>)
      outs(%out : memref<1x8x8x8xf32>)
      strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] depth_multiplier 1 epilogue {
  ^bb0(%sum: f32, %place: f32, %pixel: f32, %channel: f32):
    %0 = arith.addf %sum, %place : f32
    %1 = arith.mulf %0, %pixel : f32
    %2 = arith.maximumf %1, %channel : f32
    nnk.yield %2 : f32
  }
  return
}

// -----

// Three channels are no four: each is loaded and stored alone.

// CHECK-LABEL: func.func @single
// CHECK:       gpu.func @kernel_0(
// CHECK-SAME:      %[[CHANNELS:[a-z0-9]+]]: memref<3xf32>
// CHECK:         memref.load %[[CHANNELS]][%{{.+}}] : memref<3xf32>
// CHECK:         memref.store %{{.+}} : memref<192xf32>
func.func @single(%in: memref<1x8x8x3xf32>, %channels: memref<3xf32>, %out: memref<1x8x8x3xf32>)
    attributes {nnhal.entry} {
  nnk.pool_2d max ins(%in : memref<1x8x8x3xf32>) extras(%channels : memref<3xf32>)
      outs(%out : memref<1x8x8x3xf32>) window [1, 1] strides [1, 1] pads [0, 0, 0, 0] epilogue {
  ^bb0(%largest: f32, %channel: f32):
    %0 = arith.addf %largest, %channel : f32
    nnk.yield %0 : f32
  }
  return
}
