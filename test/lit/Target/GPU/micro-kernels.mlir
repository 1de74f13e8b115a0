// RUN: nnhal-opt %s --split-input-file --nnhal-gpu-form-dispatches | FileCheck %s

// A matrix product of few sums: an invocation has one pixel and four channels,
// and 32 of them share each sum. Memory is accessed by sixteen bytes.

// CHECK-LABEL: func.func @product
// CHECK:       nngpu.dispatch @kernels::@kernel_0 groups [8, 1, 1]
// CHECK:       gpu.func @kernel_0(%[[BIAS:.+]]: memref<128xf32>, %[[X:.+]]: memref<128xvector<4xf32>>,
// CHECK-SAME:      %[[W:.+]]: memref<16384xvector<4xf32>>, %[[Y:.+]]: memref<32xvector<4xf32>>)
// CHECK-SAME:    workgroup(%[[PARTS:.+]] : memref<512xf32, #gpu.address_space<workgroup>>)
// CHECK:         %[[SUMS:.+]]:4 = scf.for %[[AT:.+]] = %{{.+}} to %c512{{.*}} step %c128
// CHECK:           memref.load %[[X]]
// CHECK-COUNT-4:   memref.load %[[W]]
// CHECK:           math.fma
// CHECK:         memref.store %[[SUMS]]#0, %[[PARTS]]
// CHECK:         gpu.barrier
// CHECK:         memref.store %{{.+}}, %[[Y]][%{{.+}}] : memref<32xvector<4xf32>>
func.func @product(%x: memref<1x1x1x512xf32>, %w: memref<4x1x1x512x32xf32>,
    %bias: memref<4x32xf32>, %y: memref<1x1x1x128xf32>)
    attributes {nnhal.entry} {
  nnk.conv_2d ins(%x, %w, %bias : memref<1x1x1x512xf32>, memref<4x1x1x512x32xf32>, memref<4x32xf32>)
      outs(%y : memref<1x1x1x128xf32>) strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0]
  return
}

// -----

// Bytes are multiplied in quads, and results are stored by words.

// CHECK-LABEL: func.func @quads
// CHECK:       gpu.func @kernel_0(%{{.+}}: memref<8xi32>, %[[X:.+]]: memref<64xvector<4xi32>>,
// CHECK-SAME:      %[[W:.+]]: memref<8xvector<4xi32>>, %[[Y:.+]]: memref<128xi32>)
// CHECK:         nngpu.dot_4x8
// CHECK:         %[[BYTES:.+]] = vector.from_elements %{{.+}} : vector<4xi8>
// CHECK:         %[[WORD:.+]] = vector.bitcast %[[BYTES]] : vector<4xi8> to vector<1xi32>
// CHECK:         %[[STORED:.+]] = vector.extract %[[WORD]][0]
// CHECK:         memref.store %[[STORED]], %[[Y]]
func.func @quads(%x: memref<1x8x8x16xi8>, %w: memref<1x1x1x4x32xi8>,
    %bias: memref<1x8xi32>, %y: memref<1x8x8x8xi8>) attributes {nnhal.entry} {
  nnk.conv_2d ins(%x, %w, %bias : memref<1x8x8x16xi8>, memref<1x1x1x4x32xi8>, memref<1x8xi32>)
      outs(%y : memref<1x8x8x8xi8>) strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0]
      epilogue {
  ^bb0(%sum: i32):
    %small = arith.trunci %sum : i32 to i8
    nnk.yield %small : i8
  }
  return
}

// -----

// A software driver: no invocations share a sum. Padding is zero.

module attributes {nnhal.target = #nnhal.target<"vulkan", parameters = {device_class = "software"}>} {
// CHECK-LABEL: func.func @software
// CHECK:       gpu.func @kernel_0
// CHECK-NOT:   workgroup(
// CHECK:         %[[INSIDE:.+]] = arith.andi
// CHECK:         arith.select %[[INSIDE]], %{{.+}}, %{{.+}} : vector<4xf32>
// CHECK-NOT:   gpu.barrier
func.func @software(%x: memref<1x4x4x64xf32>, %w: memref<1x3x3x64x4xf32>,
    %bias: memref<1x4xf32>, %y: memref<1x4x4x4xf32>) attributes {nnhal.entry} {
  nnk.conv_2d ins(%x, %w, %bias : memref<1x4x4x64xf32>, memref<1x3x3x64x4xf32>, memref<1x4xf32>)
      outs(%y : memref<1x4x4x4xf32>) strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1]
  return
}
}

// -----

// A depthwise convolution of three channels: one an invocation. A pool of four.

// CHECK-LABEL: func.func @windows
// CHECK:       nngpu.dispatch @kernels::@kernel_0
// CHECK:       nngpu.dispatch @kernels::@kernel_1
// CHECK:       gpu.func @kernel_0(%{{.+}}: memref<3xf32>, %[[W:.+]]: memref<27xf32>, %[[X:.+]]: memref<48xf32>
// CHECK-COUNT-9: math.fma
// CHECK:       gpu.func @kernel_1(%[[IN:.+]]: memref<16xvector<4xf32>>, %[[OUT:.+]]: memref<4xvector<4xf32>>)
// CHECK-COUNT-4: memref.load %[[IN]]
// CHECK:         arith.divf
// CHECK:         memref.store %{{.+}}, %[[OUT]]
func.func @windows(%x: memref<1x4x4x3xf32>, %w: memref<3x3x3xf32>, %bias: memref<3xf32>,
    %y: memref<1x4x4x3xf32>, %in: memref<1x4x4x4xf32>, %out: memref<1x2x2x4xf32>)
    attributes {nnhal.entry} {
  nnk.depthwise_conv_2d ins(%x, %w, %bias : memref<1x4x4x3xf32>, memref<3x3x3xf32>, memref<3xf32>)
      outs(%y : memref<1x4x4x3xf32>) strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] depth_multiplier 1
  nnk.pool_2d average ins(%in : memref<1x4x4x4xf32>) outs(%out : memref<1x2x2x4xf32>)
      window [2, 2] strides [2, 2] pads [0, 0, 0, 0]
  return
}

// -----

// Quads of a part of a buffer may lie anywhere: they are loaded byte by byte.

// CHECK-LABEL: func.func @part
// CHECK:       gpu.func @kernel_0(%{{.+}}: memref<4xi32>, %[[X:.+]]: memref<65xi8>,
// CHECK-COUNT-4: memref.load %[[X]]
// CHECK:         %[[QUAD:.+]] = vector.from_elements %{{.+}} : vector<4xi8>
// CHECK:         vector.bitcast %[[QUAD]] : vector<4xi8> to vector<1xi32>
// CHECK:         nngpu.dot_4x8
func.func @part(%all: memref<65xi8>, %w: memref<1x1x1x1x16xi8>, %bias: memref<1x4xi32>,
    %y: memref<1x4x4x4xi32>) attributes {nnhal.entry} {
  %x = memref.reinterpret_cast %all to offset: [1], sizes: [1, 4, 4, 4], strides: [64, 16, 4, 1]
      : memref<65xi8> to memref<1x4x4x4xi8, strided<[64, 16, 4, 1], offset: 1>>
  nnk.conv_2d ins(%x, %w, %bias : memref<1x4x4x4xi8, strided<[64, 16, 4, 1], offset: 1>>, memref<1x1x1x1x16xi8>, memref<1x4xi32>)
      outs(%y : memref<1x4x4x4xi32>) strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0]
  return
}
