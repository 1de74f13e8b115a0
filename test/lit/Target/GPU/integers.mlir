// RUN: nnhal-opt %s --nnhal-gpu-kernels-to-spirv -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: sed -e '/^module/d' -e '/^}/d' %t.mlir > %t.spirv.mlir
// RUN: mlir-translate --no-implicit-module --serialize-spirv %t.spirv.mlir -o %t.spv
// RUN: spirv-val --target-env vulkan1.3 %t.spv
// REQUIRES: spirv-val

// Integers of every width: what SPIR-V has is used as it is; remainders of
// negative numbers, which Vulkan leaves undefined, and divisions that round in
// another way are made of quotients.

module {
gpu.module @kernels {
  // CHECK-LABEL: spirv.func @i8
  // CHECK-DAG: spirv.IAdd {{.*}} : i8
  // CHECK-DAG: spirv.GL.SMax {{.*}} : i8
  // CHECK-DAG: spirv.UMod {{.*}} : i8
  // CHECK-NOT: spirv.SRem
  // CHECK: spirv.Return
  gpu.func @i8(%a: memref<64xi8>, %b: memref<64xi8>, %c: memref<64xi8>, %d: memref<64xi1>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<64xi8>
    %y = memref.load %b[%i] : memref<64xi8>
    %0 = arith.addi %x, %y : i8
    %1 = arith.subi %0, %y : i8
    %2 = arith.muli %1, %y : i8
    %3 = arith.divsi %2, %y : i8
    %4 = arith.divui %3, %y : i8
    %5 = arith.remsi %4, %y : i8
    %6 = arith.remui %5, %y : i8
    %7 = arith.ceildivsi %6, %y : i8
    %8 = arith.ceildivui %7, %y : i8
    %9 = arith.floordivsi %8, %y : i8
    %10 = arith.andi %9, %y : i8
    %11 = arith.ori %10, %y : i8
    %12 = arith.xori %11, %y : i8
    %13 = arith.shli %12, %y : i8
    %14 = arith.shrsi %13, %y : i8
    %15 = arith.shrui %14, %y : i8
    %16 = arith.maxsi %15, %y : i8
    %17 = arith.maxui %16, %y : i8
    %18 = arith.minsi %17, %y : i8
    %19 = arith.minui %18, %y : i8
    %20 = math.absi %19 : i8
    %c21 = arith.cmpi eq, %20, %y : i8
    %21 = arith.select %c21, %20, %x : i8
    %c22 = arith.cmpi ne, %21, %y : i8
    %22 = arith.select %c22, %21, %x : i8
    %c23 = arith.cmpi slt, %22, %y : i8
    %23 = arith.select %c23, %22, %x : i8
    %c24 = arith.cmpi sle, %23, %y : i8
    %24 = arith.select %c24, %23, %x : i8
    %c25 = arith.cmpi sgt, %24, %y : i8
    %25 = arith.select %c25, %24, %x : i8
    %c26 = arith.cmpi sge, %25, %y : i8
    %26 = arith.select %c26, %25, %x : i8
    %c27 = arith.cmpi ult, %26, %y : i8
    %27 = arith.select %c27, %26, %x : i8
    %c28 = arith.cmpi ule, %27, %y : i8
    %28 = arith.select %c28, %27, %x : i8
    %c29 = arith.cmpi ugt, %28, %y : i8
    %29 = arith.select %c29, %28, %x : i8
    %c30 = arith.cmpi uge, %29, %y : i8
    %30 = arith.select %c30, %29, %x : i8
    memref.store %30, %c[%i] : memref<64xi8>
    memref.store %c30, %d[%i] : memref<64xi1>
    gpu.return
  }

  // CHECK-LABEL: spirv.func @i16
  // CHECK-DAG: spirv.IAdd {{.*}} : i16
  // CHECK-DAG: spirv.GL.SMax {{.*}} : i16
  // CHECK-DAG: spirv.UMod {{.*}} : i16
  // CHECK-NOT: spirv.SRem
  // CHECK: spirv.Return
  gpu.func @i16(%a: memref<64xi16>, %b: memref<64xi16>, %c: memref<64xi16>, %d: memref<64xi1>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<64xi16>
    %y = memref.load %b[%i] : memref<64xi16>
    %0 = arith.addi %x, %y : i16
    %1 = arith.subi %0, %y : i16
    %2 = arith.muli %1, %y : i16
    %3 = arith.divsi %2, %y : i16
    %4 = arith.divui %3, %y : i16
    %5 = arith.remsi %4, %y : i16
    %6 = arith.remui %5, %y : i16
    %7 = arith.ceildivsi %6, %y : i16
    %8 = arith.ceildivui %7, %y : i16
    %9 = arith.floordivsi %8, %y : i16
    %10 = arith.andi %9, %y : i16
    %11 = arith.ori %10, %y : i16
    %12 = arith.xori %11, %y : i16
    %13 = arith.shli %12, %y : i16
    %14 = arith.shrsi %13, %y : i16
    %15 = arith.shrui %14, %y : i16
    %16 = arith.maxsi %15, %y : i16
    %17 = arith.maxui %16, %y : i16
    %18 = arith.minsi %17, %y : i16
    %19 = arith.minui %18, %y : i16
    %20 = math.absi %19 : i16
    %c21 = arith.cmpi eq, %20, %y : i16
    %21 = arith.select %c21, %20, %x : i16
    %c22 = arith.cmpi ne, %21, %y : i16
    %22 = arith.select %c22, %21, %x : i16
    %c23 = arith.cmpi slt, %22, %y : i16
    %23 = arith.select %c23, %22, %x : i16
    %c24 = arith.cmpi sle, %23, %y : i16
    %24 = arith.select %c24, %23, %x : i16
    %c25 = arith.cmpi sgt, %24, %y : i16
    %25 = arith.select %c25, %24, %x : i16
    %c26 = arith.cmpi sge, %25, %y : i16
    %26 = arith.select %c26, %25, %x : i16
    %c27 = arith.cmpi ult, %26, %y : i16
    %27 = arith.select %c27, %26, %x : i16
    %c28 = arith.cmpi ule, %27, %y : i16
    %28 = arith.select %c28, %27, %x : i16
    %c29 = arith.cmpi ugt, %28, %y : i16
    %29 = arith.select %c29, %28, %x : i16
    %c30 = arith.cmpi uge, %29, %y : i16
    %30 = arith.select %c30, %29, %x : i16
    memref.store %30, %c[%i] : memref<64xi16>
    memref.store %c30, %d[%i] : memref<64xi1>
    gpu.return
  }

  // CHECK-LABEL: spirv.func @i32
  // CHECK-DAG: spirv.IAdd {{.*}} : i32
  // CHECK-DAG: spirv.GL.SMax {{.*}} : i32
  // CHECK-DAG: spirv.UMod {{.*}} : i32
  // CHECK-NOT: spirv.SRem
  // CHECK: spirv.Return
  gpu.func @i32(%a: memref<64xi32>, %b: memref<64xi32>, %c: memref<64xi32>, %d: memref<64xi1>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<64xi32>
    %y = memref.load %b[%i] : memref<64xi32>
    %0 = arith.addi %x, %y : i32
    %1 = arith.subi %0, %y : i32
    %2 = arith.muli %1, %y : i32
    %3 = arith.divsi %2, %y : i32
    %4 = arith.divui %3, %y : i32
    %5 = arith.remsi %4, %y : i32
    %6 = arith.remui %5, %y : i32
    %7 = arith.ceildivsi %6, %y : i32
    %8 = arith.ceildivui %7, %y : i32
    %9 = arith.floordivsi %8, %y : i32
    %10 = arith.andi %9, %y : i32
    %11 = arith.ori %10, %y : i32
    %12 = arith.xori %11, %y : i32
    %13 = arith.shli %12, %y : i32
    %14 = arith.shrsi %13, %y : i32
    %15 = arith.shrui %14, %y : i32
    %16 = arith.maxsi %15, %y : i32
    %17 = arith.maxui %16, %y : i32
    %18 = arith.minsi %17, %y : i32
    %19 = arith.minui %18, %y : i32
    %20 = math.absi %19 : i32
    %c21 = arith.cmpi eq, %20, %y : i32
    %21 = arith.select %c21, %20, %x : i32
    %c22 = arith.cmpi ne, %21, %y : i32
    %22 = arith.select %c22, %21, %x : i32
    %c23 = arith.cmpi slt, %22, %y : i32
    %23 = arith.select %c23, %22, %x : i32
    %c24 = arith.cmpi sle, %23, %y : i32
    %24 = arith.select %c24, %23, %x : i32
    %c25 = arith.cmpi sgt, %24, %y : i32
    %25 = arith.select %c25, %24, %x : i32
    %c26 = arith.cmpi sge, %25, %y : i32
    %26 = arith.select %c26, %25, %x : i32
    %c27 = arith.cmpi ult, %26, %y : i32
    %27 = arith.select %c27, %26, %x : i32
    %c28 = arith.cmpi ule, %27, %y : i32
    %28 = arith.select %c28, %27, %x : i32
    %c29 = arith.cmpi ugt, %28, %y : i32
    %29 = arith.select %c29, %28, %x : i32
    %c30 = arith.cmpi uge, %29, %y : i32
    %30 = arith.select %c30, %29, %x : i32
    memref.store %30, %c[%i] : memref<64xi32>
    memref.store %c30, %d[%i] : memref<64xi1>
    gpu.return
  }

  // CHECK-LABEL: spirv.func @i64
  // CHECK-DAG: spirv.IAdd {{.*}} : i64
  // CHECK-DAG: spirv.GL.SMax {{.*}} : i64
  // CHECK-DAG: spirv.UMod {{.*}} : i64
  // CHECK-NOT: spirv.SRem
  // CHECK: spirv.Return
  gpu.func @i64(%a: memref<64xi64>, %b: memref<64xi64>, %c: memref<64xi64>, %d: memref<64xi1>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<64xi64>
    %y = memref.load %b[%i] : memref<64xi64>
    %0 = arith.addi %x, %y : i64
    %1 = arith.subi %0, %y : i64
    %2 = arith.muli %1, %y : i64
    %3 = arith.divsi %2, %y : i64
    %4 = arith.divui %3, %y : i64
    %5 = arith.remsi %4, %y : i64
    %6 = arith.remui %5, %y : i64
    %7 = arith.ceildivsi %6, %y : i64
    %8 = arith.ceildivui %7, %y : i64
    %9 = arith.floordivsi %8, %y : i64
    %10 = arith.andi %9, %y : i64
    %11 = arith.ori %10, %y : i64
    %12 = arith.xori %11, %y : i64
    %13 = arith.shli %12, %y : i64
    %14 = arith.shrsi %13, %y : i64
    %15 = arith.shrui %14, %y : i64
    %16 = arith.maxsi %15, %y : i64
    %17 = arith.maxui %16, %y : i64
    %18 = arith.minsi %17, %y : i64
    %19 = arith.minui %18, %y : i64
    %20 = math.absi %19 : i64
    %c21 = arith.cmpi eq, %20, %y : i64
    %21 = arith.select %c21, %20, %x : i64
    %c22 = arith.cmpi ne, %21, %y : i64
    %22 = arith.select %c22, %21, %x : i64
    %c23 = arith.cmpi slt, %22, %y : i64
    %23 = arith.select %c23, %22, %x : i64
    %c24 = arith.cmpi sle, %23, %y : i64
    %24 = arith.select %c24, %23, %x : i64
    %c25 = arith.cmpi sgt, %24, %y : i64
    %25 = arith.select %c25, %24, %x : i64
    %c26 = arith.cmpi sge, %25, %y : i64
    %26 = arith.select %c26, %25, %x : i64
    %c27 = arith.cmpi ult, %26, %y : i64
    %27 = arith.select %c27, %26, %x : i64
    %c28 = arith.cmpi ule, %27, %y : i64
    %28 = arith.select %c28, %27, %x : i64
    %c29 = arith.cmpi ugt, %28, %y : i64
    %29 = arith.select %c29, %28, %x : i64
    %c30 = arith.cmpi uge, %29, %y : i64
    %30 = arith.select %c30, %29, %x : i64
    memref.store %30, %c[%i] : memref<64xi64>
    memref.store %c30, %d[%i] : memref<64xi1>
    gpu.return
  }

  // CHECK-LABEL: spirv.func @booleans
  // CHECK: spirv.LogicalAnd
  // CHECK: spirv.LogicalOr
  // CHECK: spirv.LogicalNotEqual
  // CHECK: spirv.LogicalEqual
  // CHECK: spirv.GL.SMax {{.*}} : i32
  // CHECK: spirv.SLessThan {{.*}} : i32
  // CHECK: spirv.Select {{.*}} : i1, i8
  gpu.func @booleans(%a: memref<64xi1>, %b: memref<64xi1>, %c: memref<64xi1>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<64xi1>
    %y = memref.load %b[%i] : memref<64xi1>
    %0 = arith.andi %x, %y : i1
    %1 = arith.ori %0, %x : i1
    %2 = arith.xori %1, %y : i1
    %3 = arith.cmpi eq, %2, %x : i1
    %4 = arith.cmpi ult, %3, %y : i1
    %5 = arith.select %4, %x, %y : i1
    %6 = arith.addi %5, %x : i1
    %7 = arith.maxsi %6, %y : i1
    %8 = arith.cmpi slt, %7, %x : i1
    memref.store %8, %c[%i] : memref<64xi1>
    gpu.return
  }

  // CHECK-LABEL: spirv.func @extended
  // CHECK: spirv.SMulExtended
  // CHECK: spirv.UMulExtended
  // CHECK: spirv.IAddCarry
  // CHECK: spirv.GL.FindUMsb
  gpu.func @extended(%a: memref<64xi32>, %b: memref<64xi32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<64xi32>
    %y = memref.load %b[%i] : memref<64xi32>
    %l0, %h0 = arith.mulsi_extended %x, %y : i32
    %l1, %h1 = arith.mului_extended %l0, %h0 : i32
    %s, %carry = arith.addui_extended %l1, %h1 : i32, i1
    %z = math.ctlz %s : i32
    %r = arith.select %carry, %z, %s : i32
    memref.store %r, %b[%i] : memref<64xi32>
    gpu.return
  }

  // CHECK-LABEL: spirv.func @remainder
  // CHECK: %[[QUOTIENT:.+]] = spirv.SDiv %[[X:.+]], %[[Y:.+]] : i32
  // CHECK: %[[PRODUCT:.+]] = spirv.IMul %[[QUOTIENT]], %[[Y]] : i32
  // CHECK: spirv.ISub %[[X]], %[[PRODUCT]] : i32
  gpu.func @remainder(%a: memref<64xi32>, %b: memref<64xi32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<64xi32>
    %y = memref.load %b[%i] : memref<64xi32>
    %r = arith.remsi %x, %y : i32
    memref.store %r, %b[%i] : memref<64xi32>
    gpu.return
  }

  // The high half of a doubled product needs no numbers of 64 bits.
  // CHECK-LABEL: spirv.func @doubling_high_mul
  // CHECK: spirv.SMulExtended
  // CHECK-NOT: i64
  // CHECK: spirv.Return
  gpu.func @doubling_high_mul(%a: memref<64xi32>, %b: memref<64xi32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<64xi32>
    %y = memref.load %b[%i] : memref<64xi32>
    %r = nnk.doubling_high_mul %x, %y : i32
    memref.store %r, %b[%i] : memref<64xi32>
    gpu.return
  }
}
}
