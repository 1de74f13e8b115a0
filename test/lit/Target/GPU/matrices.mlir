// RUN: nnhal-opt %s --split-input-file --nnhal-gpu-form-dispatches | FileCheck %s
// RUN: nnhal-opt %s --split-input-file --nnhal-gpu-form-dispatches --nnhal-gpu-kernels-to-nvvm \
// RUN:     --nnhal-gpu-print-ptx -o /dev/null | FileCheck %s --check-prefix=PTX
// RUN: nnhal-opt %s --split-input-file --nnhal-gpu-form-dispatches --nnhal-gpu-kernels-to-spirv \
// RUN:     | FileCheck %s --check-prefix=SPIRV

// Halves: a tile of 64 pixels and 64 channels, of which each of four subgroups
// multiplies four matrices, twice in a step. The next step is loaded before.

module attributes {nnhal.target = #nnhal.target<"cuda">} {
// CHECK-LABEL: func.func @halves
// CHECK:       nngpu.dispatch @kernels::@kernel_0 groups [69, 1, 1]
// CHECK:       gpu.func @kernel_0
// CHECK-SAME:    workgroup(%[[PIXELS:[^ ]+]] : memref<3072xf16, #gpu.address_space<workgroup>> {llvm.align = 32 : i64},
// CHECK-SAME:      %[[WEIGHTS:[^ ]+]] : memref<2560xf16, #gpu.address_space<workgroup>> {llvm.align = 32 : i64},
// CHECK-SAME:      %[[SUMS:[^ ]+]] : memref<4608xf32, #gpu.address_space<workgroup>> {llvm.align = 32 : i64})
// CHECK:         gpu.subgroup_mma_constant_matrix
// CHECK:         scf.for
// CHECK:           gpu.barrier
// CHECK:           memref.store %{{.*}}, %[[PIXELS]]
// CHECK:           memref.store %{{.*}}, %[[WEIGHTS]]
// CHECK:           gpu.barrier
// CHECK:           memref.load %{{.*}} : memref<{{.*}}xvector<2xi32>>
// CHECK:           gpu.subgroup_mma_load_matrix %[[PIXELS]][%{{.*}}] {leadDimension = 48 : index} : {{.*}} -> !gpu.mma_matrix<16x16xf16, "AOp">
// CHECK:           gpu.subgroup_mma_load_matrix %[[WEIGHTS]][%{{.*}}] {leadDimension = 80 : index} : {{.*}} -> !gpu.mma_matrix<16x16xf16, "BOp">
// CHECK-COUNT-8:   gpu.subgroup_mma_compute
// CHECK-NOT:       gpu.subgroup_mma_compute
// CHECK:         gpu.subgroup_mma_store_matrix %{{.*}}, %[[SUMS]]
// CHECK:         gpu.barrier
// CHECK:         memref.load %[[SUMS]]

// PTX-LABEL: .entry kernel_0(
// PTX:         .shared .align 32 .b8 {{.*}}[6144]
// PTX:         ld.global.v2.b32
// PTX:         st.shared.v2.b32
// PTX:         wmma.load.a.sync.aligned.row.m16n16k16.shared.f16
// PTX:         wmma.load.b.sync.aligned.row.m16n16k16.shared.f16
// PTX:         wmma.mma.sync.aligned.row.row.m16n16k16.f32.f32
// PTX:         wmma.store.d.sync.aligned.row.m16n16k16.shared.f32

// Devices of Vulkan execute the kernel one product after the other.
// SPIRV-LABEL: spirv.func @kernel_0
// SPIRV-NOT:     gpu.subgroup_mma
// SPIRV:         spirv.GL.Fma
// SPIRV-NOT:     gpu.subgroup_mma
func.func @halves(%x: memref<1x66x66x20xf16>, %w: memref<2x3x3x20x24xf16>,
    %bias: memref<2x24xf32>, %y: memref<1x66x66x36xf16>) attributes {nnhal.entry} {
  nnk.conv_2d ins(%x, %w, %bias : memref<1x66x66x20xf16>, memref<2x3x3x20x24xf16>, memref<2x24xf32>)
      outs(%y : memref<1x66x66x36xf16>) strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] epilogue {
  ^bb0(%sum: f32):
    %half = arith.truncf %sum : f32 to f16
    nnk.yield %half : f16
  }
  return
}
}

// -----

// Bytes: words of four input channels, so that weights have columns for rows.

module attributes {nnhal.target = #nnhal.target<"cuda">} {
// CHECK-LABEL: func.func @bytes
// CHECK:       gpu.func @kernel_0
// CHECK:         gpu.subgroup_mma_load_matrix %{{.*}} {leadDimension = 80 : index} : {{.*}} -> !gpu.mma_matrix<16x16xsi8, "AOp">
// CHECK:         gpu.subgroup_mma_load_matrix %{{.*}} {leadDimension = 80 : index, transpose} : {{.*}} -> !gpu.mma_matrix<16x16xsi8, "BOp">
// CHECK:         gpu.subgroup_mma_compute %{{.*}} {b_transpose}
// CHECK-SAME:      -> !gpu.mma_matrix<16x16xi32, "COp">

// PTX-LABEL: .entry kernel_0(
// PTX:         st.shared.b32
// PTX:         wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.s8.s32

// SPIRV-LABEL: spirv.func @kernel_0
// SPIRV-NOT:     gpu.subgroup_mma
// SPIRV:         spirv.IMul
func.func @bytes(%x: memref<1x64x64x16xi8>, %w: memref<1x1x1x4x128xi8>,
    %bias: memref<1x32xi32>, %y: memref<1x64x64x32xi8>) attributes {nnhal.entry} {
  nnk.conv_2d ins(%x, %w, %bias : memref<1x64x64x16xi8>, memref<1x1x1x4x128xi8>, memref<1x32xi32>)
      outs(%y : memref<1x64x64x32xi8>) strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0] epilogue {
  ^bb0(%sum: i32):
    %small = arith.trunci %sum : i32 to i8
    nnk.yield %small : i8
  }
  return
}
}

// -----

// Few tiles leave most of a device idle: there invocations share sums.

module attributes {nnhal.target = #nnhal.target<"cuda">} {
// CHECK-LABEL: func.func @few
// CHECK-NOT:   gpu.subgroup_mma_compute
// CHECK:       math.fma
// PTX-LABEL: .entry kernel_0(
// SPIRV-LABEL: spirv.func @kernel_0
func.func @few(%x: memref<1x8x8x32xf16>, %w: memref<1x1x1x32x32xf16>,
    %bias: memref<1x32xf32>, %y: memref<1x8x8x32xf32>) attributes {nnhal.entry} {
  nnk.conv_2d ins(%x, %w, %bias : memref<1x8x8x32xf16>, memref<1x1x1x32x32xf16>, memref<1x32xf32>)
      outs(%y : memref<1x8x8x32xf32>) strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0]
  return
}
}

// -----

// Other classes of devices have no such instruction.

module attributes {nnhal.target = #nnhal.target<"vulkan">} {
// CHECK-LABEL: func.func @discrete
// CHECK-NOT:   gpu.subgroup_mma_compute
// CHECK:       math.fma
// PTX-LABEL: .entry kernel_0(
// SPIRV-LABEL: spirv.func @kernel_0
func.func @discrete(%x: memref<1x66x66x20xf16>, %w: memref<2x3x3x20x24xf16>,
    %bias: memref<2x24xf32>, %y: memref<1x66x66x36xf32>) attributes {nnhal.entry} {
  nnk.conv_2d ins(%x, %w, %bias : memref<1x66x66x20xf16>, memref<2x3x3x20x24xf16>, memref<2x24xf32>)
      outs(%y : memref<1x66x66x36xf32>) strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1]
  return
}
}
