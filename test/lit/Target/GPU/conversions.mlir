// RUN: nnhal-opt %s --nnhal-gpu-kernels-to-spirv -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: sed -e '/^module/d' -e '/^}/d' %t.mlir > %t.spirv.mlir
// RUN: mlir-translate --no-implicit-module --serialize-spirv %t.spirv.mlir -o %t.spv
// RUN: spirv-val --target-env vulkan1.3 %t.spv
// REQUIRES: spirv-val

// Conversions between all types, and to and from booleans.

module {
gpu.module @kernels {
  // CHECK-LABEL: spirv.func @from_i8
  // CHECK-DAG: spirv.ConvertSToF {{.*}} : i8 to f32
  // CHECK-DAG: spirv.ConvertUToF {{.*}} : i8 to f64
  gpu.func @from_i8(%i8: memref<64xi8>, %i16: memref<64xi16>, %i32: memref<64xi32>, %i64: memref<64xi64>, %f16: memref<64xf16>, %f32: memref<64xf32>, %f64: memref<64xf64>, %i1: memref<64xi1>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = gpu.thread_id x
    %x = memref.load %i8[%i] : memref<64xi8>
    %0 = arith.extsi %x : i8 to i16
    %1 = arith.extui %x : i8 to i16
    %2 = arith.addi %0, %1 : i16
    memref.store %2, %i16[%i] : memref<64xi16>
    %3 = arith.extsi %x : i8 to i32
    %4 = arith.extui %x : i8 to i32
    %5 = arith.addi %3, %4 : i32
    memref.store %5, %i32[%i] : memref<64xi32>
    %6 = arith.extsi %x : i8 to i64
    %7 = arith.extui %x : i8 to i64
    %8 = arith.addi %6, %7 : i64
    memref.store %8, %i64[%i] : memref<64xi64>
    %9 = arith.sitofp %x : i8 to f16
    %10 = arith.uitofp %x : i8 to f16
    %11 = arith.addf %9, %10 : f16
    memref.store %11, %f16[%i] : memref<64xf16>
    %12 = arith.sitofp %x : i8 to f32
    %13 = arith.uitofp %x : i8 to f32
    %14 = arith.addf %12, %13 : f32
    memref.store %14, %f32[%i] : memref<64xf32>
    %15 = arith.sitofp %x : i8 to f64
    %16 = arith.uitofp %x : i8 to f64
    %17 = arith.addf %15, %16 : f64
    memref.store %17, %f64[%i] : memref<64xf64>
    %b = arith.trunci %x : i8 to i1
    memref.store %b, %i1[%i] : memref<64xi1>
    %u = arith.extui %b : i1 to i8
    %s = arith.extsi %b : i1 to i8
    %d = arith.subi %u, %s : i8
    memref.store %d, %i8[%i] : memref<64xi8>
    %j = arith.index_cast %x : i8 to index
    %k = arith.index_castui %x : i8 to index
    %l = arith.addi %j, %k : index
    %m = arith.index_cast %l : index to i8
    %o = memref.load %i8[%l] : memref<64xi8>
    %p = arith.addi %m, %o : i8
    memref.store %p, %i8[%i] : memref<64xi8>
    gpu.return
  }

  // CHECK-LABEL: spirv.func @from_i16
  // CHECK-DAG: spirv.ConvertSToF {{.*}} : i16 to f32
  // CHECK-DAG: spirv.ConvertUToF {{.*}} : i16 to f64
  gpu.func @from_i16(%i8: memref<64xi8>, %i16: memref<64xi16>, %i32: memref<64xi32>, %i64: memref<64xi64>, %f16: memref<64xf16>, %f32: memref<64xf32>, %f64: memref<64xf64>, %i1: memref<64xi1>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = gpu.thread_id x
    %x = memref.load %i16[%i] : memref<64xi16>
    %0 = arith.trunci %x : i16 to i8
    memref.store %0, %i8[%i] : memref<64xi8>
    %1 = arith.extsi %x : i16 to i32
    %2 = arith.extui %x : i16 to i32
    %3 = arith.addi %1, %2 : i32
    memref.store %3, %i32[%i] : memref<64xi32>
    %4 = arith.extsi %x : i16 to i64
    %5 = arith.extui %x : i16 to i64
    %6 = arith.addi %4, %5 : i64
    memref.store %6, %i64[%i] : memref<64xi64>
    %7 = arith.sitofp %x : i16 to f16
    %8 = arith.uitofp %x : i16 to f16
    %9 = arith.addf %7, %8 : f16
    memref.store %9, %f16[%i] : memref<64xf16>
    %10 = arith.sitofp %x : i16 to f32
    %11 = arith.uitofp %x : i16 to f32
    %12 = arith.addf %10, %11 : f32
    memref.store %12, %f32[%i] : memref<64xf32>
    %13 = arith.sitofp %x : i16 to f64
    %14 = arith.uitofp %x : i16 to f64
    %15 = arith.addf %13, %14 : f64
    memref.store %15, %f64[%i] : memref<64xf64>
    %b = arith.trunci %x : i16 to i1
    memref.store %b, %i1[%i] : memref<64xi1>
    %u = arith.extui %b : i1 to i16
    %s = arith.extsi %b : i1 to i16
    %d = arith.subi %u, %s : i16
    memref.store %d, %i16[%i] : memref<64xi16>
    %j = arith.index_cast %x : i16 to index
    %k = arith.index_castui %x : i16 to index
    %l = arith.addi %j, %k : index
    %m = arith.index_cast %l : index to i16
    %o = memref.load %i16[%l] : memref<64xi16>
    %p = arith.addi %m, %o : i16
    memref.store %p, %i16[%i] : memref<64xi16>
    gpu.return
  }

  // CHECK-LABEL: spirv.func @from_i32
  // CHECK-DAG: spirv.ConvertSToF {{.*}} : i32 to f32
  // CHECK-DAG: spirv.ConvertUToF {{.*}} : i32 to f64
  gpu.func @from_i32(%i8: memref<64xi8>, %i16: memref<64xi16>, %i32: memref<64xi32>, %i64: memref<64xi64>, %f16: memref<64xf16>, %f32: memref<64xf32>, %f64: memref<64xf64>, %i1: memref<64xi1>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = gpu.thread_id x
    %x = memref.load %i32[%i] : memref<64xi32>
    %0 = arith.trunci %x : i32 to i8
    memref.store %0, %i8[%i] : memref<64xi8>
    %1 = arith.trunci %x : i32 to i16
    memref.store %1, %i16[%i] : memref<64xi16>
    %2 = arith.extsi %x : i32 to i64
    %3 = arith.extui %x : i32 to i64
    %4 = arith.addi %2, %3 : i64
    memref.store %4, %i64[%i] : memref<64xi64>
    %5 = arith.sitofp %x : i32 to f16
    %6 = arith.uitofp %x : i32 to f16
    %7 = arith.addf %5, %6 : f16
    memref.store %7, %f16[%i] : memref<64xf16>
    %8 = arith.sitofp %x : i32 to f32
    %9 = arith.uitofp %x : i32 to f32
    %10 = arith.addf %8, %9 : f32
    memref.store %10, %f32[%i] : memref<64xf32>
    %11 = arith.sitofp %x : i32 to f64
    %12 = arith.uitofp %x : i32 to f64
    %13 = arith.addf %11, %12 : f64
    memref.store %13, %f64[%i] : memref<64xf64>
    %b = arith.trunci %x : i32 to i1
    memref.store %b, %i1[%i] : memref<64xi1>
    %u = arith.extui %b : i1 to i32
    %s = arith.extsi %b : i1 to i32
    %d = arith.subi %u, %s : i32
    memref.store %d, %i32[%i] : memref<64xi32>
    %j = arith.index_cast %x : i32 to index
    %k = arith.index_castui %x : i32 to index
    %l = arith.addi %j, %k : index
    %m = arith.index_cast %l : index to i32
    %o = memref.load %i32[%l] : memref<64xi32>
    %p = arith.addi %m, %o : i32
    memref.store %p, %i32[%i] : memref<64xi32>
    gpu.return
  }

  // CHECK-LABEL: spirv.func @from_i64
  // CHECK-DAG: spirv.ConvertSToF {{.*}} : i64 to f32
  // CHECK-DAG: spirv.ConvertUToF {{.*}} : i64 to f64
  gpu.func @from_i64(%i8: memref<64xi8>, %i16: memref<64xi16>, %i32: memref<64xi32>, %i64: memref<64xi64>, %f16: memref<64xf16>, %f32: memref<64xf32>, %f64: memref<64xf64>, %i1: memref<64xi1>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = gpu.thread_id x
    %x = memref.load %i64[%i] : memref<64xi64>
    %0 = arith.trunci %x : i64 to i8
    memref.store %0, %i8[%i] : memref<64xi8>
    %1 = arith.trunci %x : i64 to i16
    memref.store %1, %i16[%i] : memref<64xi16>
    %2 = arith.trunci %x : i64 to i32
    memref.store %2, %i32[%i] : memref<64xi32>
    %3 = arith.sitofp %x : i64 to f16
    %4 = arith.uitofp %x : i64 to f16
    %5 = arith.addf %3, %4 : f16
    memref.store %5, %f16[%i] : memref<64xf16>
    %6 = arith.sitofp %x : i64 to f32
    %7 = arith.uitofp %x : i64 to f32
    %8 = arith.addf %6, %7 : f32
    memref.store %8, %f32[%i] : memref<64xf32>
    %9 = arith.sitofp %x : i64 to f64
    %10 = arith.uitofp %x : i64 to f64
    %11 = arith.addf %9, %10 : f64
    memref.store %11, %f64[%i] : memref<64xf64>
    %b = arith.trunci %x : i64 to i1
    memref.store %b, %i1[%i] : memref<64xi1>
    %u = arith.extui %b : i1 to i64
    %s = arith.extsi %b : i1 to i64
    %d = arith.subi %u, %s : i64
    memref.store %d, %i64[%i] : memref<64xi64>
    %j = arith.index_cast %x : i64 to index
    %k = arith.index_castui %x : i64 to index
    %l = arith.addi %j, %k : index
    %m = arith.index_cast %l : index to i64
    %o = memref.load %i64[%l] : memref<64xi64>
    %p = arith.addi %m, %o : i64
    memref.store %p, %i64[%i] : memref<64xi64>
    gpu.return
  }

  // CHECK-LABEL: spirv.func @from_f16
  // CHECK-DAG: spirv.ConvertFToS {{.*}} : f16 to i8
  // CHECK-DAG: spirv.ConvertFToU {{.*}} : f16 to i64
  gpu.func @from_f16(%i8: memref<64xi8>, %i16: memref<64xi16>, %i32: memref<64xi32>, %i64: memref<64xi64>, %f16: memref<64xf16>, %f32: memref<64xf32>, %f64: memref<64xf64>, %i1: memref<64xi1>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = gpu.thread_id x
    %x = memref.load %f16[%i] : memref<64xf16>
    %0 = arith.fptosi %x : f16 to i8
    %1 = arith.fptoui %x : f16 to i8
    %2 = arith.addi %0, %1 : i8
    memref.store %2, %i8[%i] : memref<64xi8>
    %3 = arith.fptosi %x : f16 to i16
    %4 = arith.fptoui %x : f16 to i16
    %5 = arith.addi %3, %4 : i16
    memref.store %5, %i16[%i] : memref<64xi16>
    %6 = arith.fptosi %x : f16 to i32
    %7 = arith.fptoui %x : f16 to i32
    %8 = arith.addi %6, %7 : i32
    memref.store %8, %i32[%i] : memref<64xi32>
    %9 = arith.fptosi %x : f16 to i64
    %10 = arith.fptoui %x : f16 to i64
    %11 = arith.addi %9, %10 : i64
    memref.store %11, %i64[%i] : memref<64xi64>
    %12 = arith.extf %x : f16 to f32
    memref.store %12, %f32[%i] : memref<64xf32>
    %13 = arith.extf %x : f16 to f64
    memref.store %13, %f64[%i] : memref<64xf64>
    %b = memref.load %i1[%i] : memref<64xi1>
    %u = arith.uitofp %b : i1 to f16
    %s = arith.sitofp %b : i1 to f16
    %d = arith.subf %u, %s : f16
    %bits = arith.bitcast %d : f16 to i16
    memref.store %bits, %i16[%i] : memref<64xi16>
    %back = arith.bitcast %bits : i16 to f16
    memref.store %back, %f16[%i] : memref<64xf16>
    gpu.return
  }

  // CHECK-LABEL: spirv.func @from_f32
  // CHECK-DAG: spirv.ConvertFToS {{.*}} : f32 to i8
  // CHECK-DAG: spirv.ConvertFToU {{.*}} : f32 to i64
  gpu.func @from_f32(%i8: memref<64xi8>, %i16: memref<64xi16>, %i32: memref<64xi32>, %i64: memref<64xi64>, %f16: memref<64xf16>, %f32: memref<64xf32>, %f64: memref<64xf64>, %i1: memref<64xi1>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = gpu.thread_id x
    %x = memref.load %f32[%i] : memref<64xf32>
    %0 = arith.fptosi %x : f32 to i8
    %1 = arith.fptoui %x : f32 to i8
    %2 = arith.addi %0, %1 : i8
    memref.store %2, %i8[%i] : memref<64xi8>
    %3 = arith.fptosi %x : f32 to i16
    %4 = arith.fptoui %x : f32 to i16
    %5 = arith.addi %3, %4 : i16
    memref.store %5, %i16[%i] : memref<64xi16>
    %6 = arith.fptosi %x : f32 to i32
    %7 = arith.fptoui %x : f32 to i32
    %8 = arith.addi %6, %7 : i32
    memref.store %8, %i32[%i] : memref<64xi32>
    %9 = arith.fptosi %x : f32 to i64
    %10 = arith.fptoui %x : f32 to i64
    %11 = arith.addi %9, %10 : i64
    memref.store %11, %i64[%i] : memref<64xi64>
    %12 = arith.truncf %x : f32 to f16
    memref.store %12, %f16[%i] : memref<64xf16>
    %13 = arith.extf %x : f32 to f64
    memref.store %13, %f64[%i] : memref<64xf64>
    %b = memref.load %i1[%i] : memref<64xi1>
    %u = arith.uitofp %b : i1 to f32
    %s = arith.sitofp %b : i1 to f32
    %d = arith.subf %u, %s : f32
    %bits = arith.bitcast %d : f32 to i32
    memref.store %bits, %i32[%i] : memref<64xi32>
    %back = arith.bitcast %bits : i32 to f32
    memref.store %back, %f32[%i] : memref<64xf32>
    gpu.return
  }

  // CHECK-LABEL: spirv.func @from_f64
  // CHECK-DAG: spirv.ConvertFToS {{.*}} : f64 to i8
  // CHECK-DAG: spirv.ConvertFToU {{.*}} : f64 to i64
  gpu.func @from_f64(%i8: memref<64xi8>, %i16: memref<64xi16>, %i32: memref<64xi32>, %i64: memref<64xi64>, %f16: memref<64xf16>, %f32: memref<64xf32>, %f64: memref<64xf64>, %i1: memref<64xi1>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = gpu.thread_id x
    %x = memref.load %f64[%i] : memref<64xf64>
    %0 = arith.fptosi %x : f64 to i8
    %1 = arith.fptoui %x : f64 to i8
    %2 = arith.addi %0, %1 : i8
    memref.store %2, %i8[%i] : memref<64xi8>
    %3 = arith.fptosi %x : f64 to i16
    %4 = arith.fptoui %x : f64 to i16
    %5 = arith.addi %3, %4 : i16
    memref.store %5, %i16[%i] : memref<64xi16>
    %6 = arith.fptosi %x : f64 to i32
    %7 = arith.fptoui %x : f64 to i32
    %8 = arith.addi %6, %7 : i32
    memref.store %8, %i32[%i] : memref<64xi32>
    %9 = arith.fptosi %x : f64 to i64
    %10 = arith.fptoui %x : f64 to i64
    %11 = arith.addi %9, %10 : i64
    memref.store %11, %i64[%i] : memref<64xi64>
    %12 = arith.truncf %x : f64 to f16
    memref.store %12, %f16[%i] : memref<64xf16>
    %13 = arith.truncf %x : f64 to f32
    memref.store %13, %f32[%i] : memref<64xf32>
    %b = memref.load %i1[%i] : memref<64xi1>
    %u = arith.uitofp %b : i1 to f64
    %s = arith.sitofp %b : i1 to f64
    %d = arith.subf %u, %s : f64
    %bits = arith.bitcast %d : f64 to i64
    memref.store %bits, %i64[%i] : memref<64xi64>
    %back = arith.bitcast %bits : i64 to f64
    memref.store %back, %f64[%i] : memref<64xf64>
    gpu.return
  }
}
}
