// RUN: nnhal-opt %s --nnhal-gpu-kernels-to-spirv -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: sed -e '/^module/d' -e '/^}/d' %t.mlir > %t.spirv.mlir
// RUN: mlir-translate --no-implicit-module --serialize-spirv %t.spirv.mlir -o %t.spv
// RUN: spirv-val --target-env vulkan1.3 %t.spv
// REQUIRES: spirv-val

// Floats of every width. Sums and products are not contracted; what is to be
// fused says so.

module {
gpu.module @kernels {
  // CHECK-LABEL: spirv.func @f16
  // CHECK: spirv.FAdd {{.*}} {no_contraction} : f16
  // CHECK: spirv.FDiv {{.*}} {no_contraction} : f16
  // CHECK: spirv.GL.FMax
  // CHECK: spirv.IsNan
  // CHECK: spirv.GL.Floor
  // CHECK: spirv.GL.RoundEven
  // CHECK: spirv.GL.Sqrt
  // CHECK: spirv.FUnordLessThan
  // CHECK: spirv.Return
  gpu.func @f16(%a: memref<64xf16>, %b: memref<64xf16>, %c: memref<64xi1>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<64xf16>
    %y = memref.load %b[%i] : memref<64xf16>
    %0 = arith.addf %x, %y : f16
    %1 = arith.subf %0, %y : f16
    %2 = arith.mulf %1, %y : f16
    %3 = arith.divf %2, %y : f16
    %4 = arith.maximumf %3, %y : f16
    %5 = arith.minimumf %4, %y : f16
    %6 = arith.maxnumf %5, %y : f16
    %7 = arith.minnumf %6, %y : f16
    %8 = arith.negf %7 : f16
    %9 = math.absf %8 : f16
    %10 = math.floor %9 : f16
    %11 = math.ceil %10 : f16
    %12 = math.trunc %11 : f16
    %13 = math.roundeven %12 : f16
    %14 = math.round %13 : f16
    %15 = math.sqrt %14 : f16
    %16 = math.rsqrt %15 : f16
    %17 = math.copysign %16, %y : f16
    %18 = math.fma %17, %y, %x : f16
    %c19 = arith.cmpf oeq, %18, %y : f16
    %19 = arith.select %c19, %18, %x : f16
    %c20 = arith.cmpf one, %19, %y : f16
    %20 = arith.select %c20, %19, %x : f16
    %c21 = arith.cmpf olt, %20, %y : f16
    %21 = arith.select %c21, %20, %x : f16
    %c22 = arith.cmpf ole, %21, %y : f16
    %22 = arith.select %c22, %21, %x : f16
    %c23 = arith.cmpf ogt, %22, %y : f16
    %23 = arith.select %c23, %22, %x : f16
    %c24 = arith.cmpf oge, %23, %y : f16
    %24 = arith.select %c24, %23, %x : f16
    %c25 = arith.cmpf ueq, %24, %y : f16
    %25 = arith.select %c25, %24, %x : f16
    %c26 = arith.cmpf une, %25, %y : f16
    %26 = arith.select %c26, %25, %x : f16
    %c27 = arith.cmpf ult, %26, %y : f16
    %27 = arith.select %c27, %26, %x : f16
    %c28 = arith.cmpf ule, %27, %y : f16
    %28 = arith.select %c28, %27, %x : f16
    %c29 = arith.cmpf ugt, %28, %y : f16
    %29 = arith.select %c29, %28, %x : f16
    %c30 = arith.cmpf uge, %29, %y : f16
    %30 = arith.select %c30, %29, %x : f16
    %c31 = arith.cmpf ord, %30, %y : f16
    %31 = arith.select %c31, %30, %x : f16
    %c32 = arith.cmpf uno, %31, %y : f16
    %32 = arith.select %c32, %31, %x : f16
    memref.store %32, %b[%i] : memref<64xf16>
    memref.store %c32, %c[%i] : memref<64xi1>
    gpu.return
  }

  // CHECK-LABEL: spirv.func @f32
  // CHECK: spirv.FAdd {{.*}} {no_contraction} : f32
  // CHECK: spirv.FDiv {{.*}} {no_contraction} : f32
  // CHECK: spirv.GL.FMax
  // CHECK: spirv.IsNan
  // CHECK: spirv.GL.Floor
  // CHECK: spirv.GL.RoundEven
  // CHECK: spirv.GL.Sqrt
  // CHECK: spirv.FUnordLessThan
  // CHECK: spirv.Return
  gpu.func @f32(%a: memref<64xf32>, %b: memref<64xf32>, %c: memref<64xi1>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<64xf32>
    %y = memref.load %b[%i] : memref<64xf32>
    %0 = arith.addf %x, %y : f32
    %1 = arith.subf %0, %y : f32
    %2 = arith.mulf %1, %y : f32
    %3 = arith.divf %2, %y : f32
    %4 = arith.maximumf %3, %y : f32
    %5 = arith.minimumf %4, %y : f32
    %6 = arith.maxnumf %5, %y : f32
    %7 = arith.minnumf %6, %y : f32
    %8 = arith.negf %7 : f32
    %9 = math.absf %8 : f32
    %10 = math.floor %9 : f32
    %11 = math.ceil %10 : f32
    %12 = math.trunc %11 : f32
    %13 = math.roundeven %12 : f32
    %14 = math.round %13 : f32
    %15 = math.sqrt %14 : f32
    %16 = math.rsqrt %15 : f32
    %17 = math.copysign %16, %y : f32
    %18 = math.fma %17, %y, %x : f32
    %c19 = arith.cmpf oeq, %18, %y : f32
    %19 = arith.select %c19, %18, %x : f32
    %c20 = arith.cmpf one, %19, %y : f32
    %20 = arith.select %c20, %19, %x : f32
    %c21 = arith.cmpf olt, %20, %y : f32
    %21 = arith.select %c21, %20, %x : f32
    %c22 = arith.cmpf ole, %21, %y : f32
    %22 = arith.select %c22, %21, %x : f32
    %c23 = arith.cmpf ogt, %22, %y : f32
    %23 = arith.select %c23, %22, %x : f32
    %c24 = arith.cmpf oge, %23, %y : f32
    %24 = arith.select %c24, %23, %x : f32
    %c25 = arith.cmpf ueq, %24, %y : f32
    %25 = arith.select %c25, %24, %x : f32
    %c26 = arith.cmpf une, %25, %y : f32
    %26 = arith.select %c26, %25, %x : f32
    %c27 = arith.cmpf ult, %26, %y : f32
    %27 = arith.select %c27, %26, %x : f32
    %c28 = arith.cmpf ule, %27, %y : f32
    %28 = arith.select %c28, %27, %x : f32
    %c29 = arith.cmpf ugt, %28, %y : f32
    %29 = arith.select %c29, %28, %x : f32
    %c30 = arith.cmpf uge, %29, %y : f32
    %30 = arith.select %c30, %29, %x : f32
    %c31 = arith.cmpf ord, %30, %y : f32
    %31 = arith.select %c31, %30, %x : f32
    %c32 = arith.cmpf uno, %31, %y : f32
    %32 = arith.select %c32, %31, %x : f32
    memref.store %32, %b[%i] : memref<64xf32>
    memref.store %c32, %c[%i] : memref<64xi1>
    gpu.return
  }

  // CHECK-LABEL: spirv.func @f64
  // CHECK: spirv.FAdd {{.*}} {no_contraction} : f64
  // CHECK: spirv.FDiv {{.*}} {no_contraction} : f64
  // CHECK: spirv.GL.FMax
  // CHECK: spirv.IsNan
  // CHECK: spirv.GL.Floor
  // CHECK: spirv.GL.RoundEven
  // CHECK: spirv.GL.Sqrt
  // CHECK: spirv.FUnordLessThan
  // CHECK: spirv.Return
  gpu.func @f64(%a: memref<64xf64>, %b: memref<64xf64>, %c: memref<64xi1>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<64xf64>
    %y = memref.load %b[%i] : memref<64xf64>
    %0 = arith.addf %x, %y : f64
    %1 = arith.subf %0, %y : f64
    %2 = arith.mulf %1, %y : f64
    %3 = arith.divf %2, %y : f64
    %4 = arith.maximumf %3, %y : f64
    %5 = arith.minimumf %4, %y : f64
    %6 = arith.maxnumf %5, %y : f64
    %7 = arith.minnumf %6, %y : f64
    %8 = arith.negf %7 : f64
    %9 = math.absf %8 : f64
    %10 = math.floor %9 : f64
    %11 = math.ceil %10 : f64
    %12 = math.trunc %11 : f64
    %13 = math.roundeven %12 : f64
    %14 = math.round %13 : f64
    %15 = math.sqrt %14 : f64
    %16 = math.rsqrt %15 : f64
    %17 = math.copysign %16, %y : f64
    %18 = math.fma %17, %y, %x : f64
    %c19 = arith.cmpf oeq, %18, %y : f64
    %19 = arith.select %c19, %18, %x : f64
    %c20 = arith.cmpf one, %19, %y : f64
    %20 = arith.select %c20, %19, %x : f64
    %c21 = arith.cmpf olt, %20, %y : f64
    %21 = arith.select %c21, %20, %x : f64
    %c22 = arith.cmpf ole, %21, %y : f64
    %22 = arith.select %c22, %21, %x : f64
    %c23 = arith.cmpf ogt, %22, %y : f64
    %23 = arith.select %c23, %22, %x : f64
    %c24 = arith.cmpf oge, %23, %y : f64
    %24 = arith.select %c24, %23, %x : f64
    %c25 = arith.cmpf ueq, %24, %y : f64
    %25 = arith.select %c25, %24, %x : f64
    %c26 = arith.cmpf une, %25, %y : f64
    %26 = arith.select %c26, %25, %x : f64
    %c27 = arith.cmpf ult, %26, %y : f64
    %27 = arith.select %c27, %26, %x : f64
    %c28 = arith.cmpf ule, %27, %y : f64
    %28 = arith.select %c28, %27, %x : f64
    %c29 = arith.cmpf ugt, %28, %y : f64
    %29 = arith.select %c29, %28, %x : f64
    %c30 = arith.cmpf uge, %29, %y : f64
    %30 = arith.select %c30, %29, %x : f64
    %c31 = arith.cmpf ord, %30, %y : f64
    %31 = arith.select %c31, %30, %x : f64
    %c32 = arith.cmpf uno, %31, %y : f64
    %32 = arith.select %c32, %31, %x : f64
    memref.store %32, %b[%i] : memref<64xf64>
    memref.store %c32, %c[%i] : memref<64xi1>
    gpu.return
  }

  // CHECK-LABEL: spirv.func @contracted
  // CHECK: spirv.GL.Fma
  // CHECK-NOT: spirv.FMul
  // CHECK: spirv.Return
  gpu.func @contracted(%a: memref<64xf32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<64xf32>
    %0 = arith.mulf %x, %x fastmath<contract> : f32
    %1 = arith.addf %0, %x fastmath<contract> : f32
    memref.store %1, %a[%i] : memref<64xf32>
    gpu.return
  }
}
}
