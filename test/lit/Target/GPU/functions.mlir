// RUN: nnhal-opt %s --nnhal-gpu-kernels-to-spirv -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: sed -e '/^module/d' -e '/^}/d' %t.mlir > %t.spirv.mlir
// RUN: mlir-translate --no-implicit-module --serialize-spirv %t.spirv.mlir -o %t.spv
// RUN: spirv-val --target-env vulkan1.3 %t.spv
// REQUIRES: spirv-val

// Functions that are expanded leave what SPIR-V computes exactly, or with small
// errors, behind: no function of GLSL whose error grows with the argument.

module {
gpu.module @kernels {
  // CHECK-LABEL: spirv.func @single
  // CHECK-NOT: spirv.GL.{{(Exp|Log|Pow|Sin|Cos|Tan)}}
  // CHECK: spirv.Return
  gpu.func @single(%a: memref<64xf32>, %b: memref<64xf32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<64xf32>
    %0 = math.exp %x : f32
    %1 = math.exp2 %0 : f32
    %2 = math.expm1 %1 : f32
    %3 = math.log %2 : f32
    %4 = math.log10 %3 : f32
    %5 = math.log1p %4 : f32
    %6 = math.log2 %5 : f32
    %7 = math.sin %6 : f32
    %8 = math.cos %7 : f32
    %9 = math.tan %8 : f32
    %10 = math.asin %9 : f32
    %11 = math.acos %10 : f32
    %12 = math.atan %11 : f32
    %13 = math.sinh %12 : f32
    %14 = math.cosh %13 : f32
    %15 = math.tanh %14 : f32
    %16 = math.asinh %15 : f32
    %17 = math.acosh %16 : f32
    %18 = math.atanh %17 : f32
    %19 = math.erf %18 : f32
    %20 = math.erfc %19 : f32
    %21 = math.cbrt %20 : f32
    %22 = math.floor %21 : f32
    %23 = math.ceil %22 : f32
    %24 = math.trunc %23 : f32
    %25 = math.round %24 : f32
    %26 = math.roundeven %25 : f32
    %27 = math.sqrt %26 : f32
    %28 = math.rsqrt %27 : f32
    %29 = math.powf %28, %x : f32
    %30 = math.atan2 %29, %x : f32
    memref.store %30, %b[%i] : memref<64xf32>
    gpu.return
  }

  // CHECK-LABEL: spirv.func @half
  // CHECK-NOT: spirv.GL.{{(Exp|Log|Pow|Sin|Cos|Tan)}}
  // CHECK: spirv.Return
  gpu.func @half(%a: memref<64xf16>, %b: memref<64xf16>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<64xf16>
    %0 = math.exp %x : f16
    %1 = math.exp2 %0 : f16
    %2 = math.expm1 %1 : f16
    %3 = math.log %2 : f16
    %4 = math.log10 %3 : f16
    %5 = math.log1p %4 : f16
    %6 = math.log2 %5 : f16
    %7 = math.sin %6 : f16
    %8 = math.cos %7 : f16
    %9 = math.tan %8 : f16
    %10 = math.asin %9 : f16
    %11 = math.acos %10 : f16
    %12 = math.atan %11 : f16
    %13 = math.sinh %12 : f16
    %14 = math.cosh %13 : f16
    %15 = math.tanh %14 : f16
    %16 = math.asinh %15 : f16
    %17 = math.acosh %16 : f16
    %18 = math.atanh %17 : f16
    %19 = math.erf %18 : f16
    %20 = math.erfc %19 : f16
    %21 = math.cbrt %20 : f16
    %22 = math.floor %21 : f16
    %23 = math.ceil %22 : f16
    %24 = math.trunc %23 : f16
    %25 = math.round %24 : f16
    %26 = math.roundeven %25 : f16
    %27 = math.sqrt %26 : f16
    %28 = math.rsqrt %27 : f16
    %29 = math.powf %28, %x : f16
    %30 = math.atan2 %29, %x : f16
    memref.store %30, %b[%i] : memref<64xf16>
    gpu.return
  }

  // CHECK-LABEL: spirv.func @leadingZeros
  // CHECK-COUNT-3: spirv.GL.FindUMsb {{.+}} : i32
  // CHECK: spirv.Return
  gpu.func @leadingZeros(%a: memref<64xi64>, %b: memref<64xi16>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<64xi64>
    %y = memref.load %b[%i] : memref<64xi16>
    %0 = math.ctlz %x : i64
    %1 = math.ctlz %y : i16
    memref.store %0, %a[%i] : memref<64xi64>
    memref.store %1, %b[%i] : memref<64xi16>
    gpu.return
  }

  // CHECK-LABEL: spirv.func @vectors
  // CHECK-NOT: spirv.GL.{{(Exp|Log|Pow|Sin|Cos|Tan)}}
  // CHECK: spirv.Return
  gpu.func @vectors(%a: memref<16xvector<4xf32>>) kernel
      attributes {known_block_size = array<i32: 16, 1, 1>} {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<16xvector<4xf32>>
    %0 = math.exp %x : vector<4xf32>
    %1 = math.log %0 : vector<4xf32>
    %2 = math.sin %1 : vector<4xf32>
    %3 = math.tanh %2 : vector<4xf32>
    %4 = math.powf %3, %x : vector<4xf32>
    %5 = math.floor %4 : vector<4xf32>
    memref.store %5, %a[%i] : memref<16xvector<4xf32>>
    gpu.return
  }
}
}
