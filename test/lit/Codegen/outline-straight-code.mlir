// RUN: nnhal-opt %s --split-input-file --nnhal-outline-kernels | FileCheck %s

// Code outside of loops is outlined as loops are, between two points where no
// element is in a value: here one for each chain, which is the same.
// CHECK-LABEL: func.func @steps
// CHECK-NOT:     arith.addf
// CHECK:         call @kernel_0(%[[X:.+]], %[[Y:.+]]) : (memref<64xf32>, memref<64xf32>) -> ()
// CHECK-NEXT:    call @kernel_0(%[[Y]], %[[X]])
// CHECK-NEXT:    return
// CHECK:       func.func private @kernel_0(
// CHECK:         vector.load
// CHECK-COUNT-23: arith.addf
// CHECK-NOT:   func.func private
func.func @steps(%x: memref<64xf32>, %y: memref<64xf32>) attributes {nnhal.entry} {
  %c0 = arith.constant 0 : index
  %a0 = vector.load %x[%c0] : memref<64xf32>, vector<8xf32>
  %a1 = arith.addf %a0, %a0 : vector<8xf32>
  %a2 = arith.addf %a1, %a1 : vector<8xf32>
  %a3 = arith.addf %a2, %a2 : vector<8xf32>
  %a4 = arith.addf %a3, %a3 : vector<8xf32>
  %a5 = arith.addf %a4, %a4 : vector<8xf32>
  %a6 = arith.addf %a5, %a5 : vector<8xf32>
  %a7 = arith.addf %a6, %a6 : vector<8xf32>
  %a8 = arith.addf %a7, %a7 : vector<8xf32>
  %a9 = arith.addf %a8, %a8 : vector<8xf32>
  %a10 = arith.addf %a9, %a9 : vector<8xf32>
  %a11 = arith.addf %a10, %a10 : vector<8xf32>
  %a12 = arith.addf %a11, %a11 : vector<8xf32>
  %a13 = arith.addf %a12, %a12 : vector<8xf32>
  %a14 = arith.addf %a13, %a13 : vector<8xf32>
  %a15 = arith.addf %a14, %a14 : vector<8xf32>
  %a16 = arith.addf %a15, %a15 : vector<8xf32>
  %a17 = arith.addf %a16, %a16 : vector<8xf32>
  %a18 = arith.addf %a17, %a17 : vector<8xf32>
  %a19 = arith.addf %a18, %a18 : vector<8xf32>
  %a20 = arith.addf %a19, %a19 : vector<8xf32>
  %a21 = arith.addf %a20, %a20 : vector<8xf32>
  %a22 = arith.addf %a21, %a21 : vector<8xf32>
  %a23 = arith.addf %a22, %a22 : vector<8xf32>
  vector.store %a23, %y[%c0] : memref<64xf32>, vector<8xf32>
  %b0 = vector.load %y[%c0] : memref<64xf32>, vector<8xf32>
  %b1 = arith.addf %b0, %b0 : vector<8xf32>
  %b2 = arith.addf %b1, %b1 : vector<8xf32>
  %b3 = arith.addf %b2, %b2 : vector<8xf32>
  %b4 = arith.addf %b3, %b3 : vector<8xf32>
  %b5 = arith.addf %b4, %b4 : vector<8xf32>
  %b6 = arith.addf %b5, %b5 : vector<8xf32>
  %b7 = arith.addf %b6, %b6 : vector<8xf32>
  %b8 = arith.addf %b7, %b7 : vector<8xf32>
  %b9 = arith.addf %b8, %b8 : vector<8xf32>
  %b10 = arith.addf %b9, %b9 : vector<8xf32>
  %b11 = arith.addf %b10, %b10 : vector<8xf32>
  %b12 = arith.addf %b11, %b11 : vector<8xf32>
  %b13 = arith.addf %b12, %b12 : vector<8xf32>
  %b14 = arith.addf %b13, %b13 : vector<8xf32>
  %b15 = arith.addf %b14, %b14 : vector<8xf32>
  %b16 = arith.addf %b15, %b15 : vector<8xf32>
  %b17 = arith.addf %b16, %b16 : vector<8xf32>
  %b18 = arith.addf %b17, %b17 : vector<8xf32>
  %b19 = arith.addf %b18, %b18 : vector<8xf32>
  %b20 = arith.addf %b19, %b19 : vector<8xf32>
  %b21 = arith.addf %b20, %b20 : vector<8xf32>
  %b22 = arith.addf %b21, %b21 : vector<8xf32>
  %b23 = arith.addf %b22, %b22 : vector<8xf32>
  vector.store %b23, %x[%c0] : memref<64xf32>, vector<8xf32>
  return
}

// -----

// A call of few operations would cost more than it saves.
// CHECK-LABEL: func.func @short
// CHECK-NOT:     call
// CHECK:         vector.store
// CHECK-NOT:   func.func private
func.func @short(%x: memref<64xf32>) attributes {nnhal.entry} {
  %c0 = arith.constant 0 : index
  %a0 = vector.load %x[%c0] : memref<64xf32>, vector<8xf32>
  %a1 = arith.addf %a0, %a0 : vector<8xf32>
  %a2 = arith.addf %a1, %a1 : vector<8xf32>
  %a3 = arith.addf %a2, %a2 : vector<8xf32>
  vector.store %a3, %x[%c0] : memref<64xf32>, vector<8xf32>
  return
}

// -----

// Loops that accumulate into values go with what uses these. Scratch memory
// that a loop behind them reads is an argument of both.
// CHECK-LABEL: func.func @accumulate
// CHECK:         %[[SCRATCH:.+]] = memref.alloca()
// CHECK-NOT:     scf.for
// CHECK:         call @kernel_0(%{{.+}}, %[[SCRATCH]])
// CHECK:         call @kernel_1(%[[SCRATCH]], %{{.+}})
// CHECK-NOT:     scf.for
// CHECK:         return
func.func @accumulate(%x: memref<64xf32>, %y: memref<8xf32>) attributes {nnhal.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %scratch = memref.alloca() {alignment = 64 : i64, nnhal.scratch} : memref<8xf32>
  %zero = arith.constant dense<0.0> : vector<8xf32>
  %sum = scf.for %k = %c0 to %c64 step %c8 iter_args(%s0 = %zero) -> vector<8xf32> {
    %v = vector.load %x[%k] : memref<64xf32>, vector<8xf32>
    %s1 = arith.addf %s0, %v : vector<8xf32>
    %s2 = arith.addf %s1, %v : vector<8xf32>
    %s3 = arith.addf %s2, %v : vector<8xf32>
    %s4 = arith.addf %s3, %v : vector<8xf32>
    %s5 = arith.addf %s4, %v : vector<8xf32>
    %s6 = arith.addf %s5, %v : vector<8xf32>
    %s7 = arith.addf %s6, %v : vector<8xf32>
    %s8 = arith.addf %s7, %v : vector<8xf32>
    %s9 = arith.addf %s8, %v : vector<8xf32>
    %s10 = arith.addf %s9, %v : vector<8xf32>
    %s11 = arith.addf %s10, %v : vector<8xf32>
    %s12 = arith.addf %s11, %v : vector<8xf32>
    %s13 = arith.addf %s12, %v : vector<8xf32>
    %s14 = arith.addf %s13, %v : vector<8xf32>
    %s15 = arith.addf %s14, %v : vector<8xf32>
    %s16 = arith.addf %s15, %v : vector<8xf32>
    %s17 = arith.addf %s16, %v : vector<8xf32>
    %s18 = arith.addf %s17, %v : vector<8xf32>
    %s19 = arith.addf %s18, %v : vector<8xf32>
    %s20 = arith.addf %s19, %v : vector<8xf32>
    %s21 = arith.addf %s20, %v : vector<8xf32>
    scf.yield %s21 : vector<8xf32>
  }
  vector.store %sum, %scratch[%c0] : memref<8xf32>, vector<8xf32>
  scf.for %i = %c0 to %c8 step %c1 {
    %v = memref.load %scratch[%i] : memref<8xf32>
    %w = arith.mulf %v, %v : f32
    memref.store %w, %y[%i] : memref<8xf32>
  }
  return
}

// -----

// Scratch memory that nothing else uses is the kernel's own.
// CHECK-LABEL: func.func @ownScratch
// CHECK-NOT:     alloca
// CHECK:         call @kernel_0(%{{.+}}) : (memref<64xf32>) -> ()
// CHECK:       func.func private @kernel_0(
// CHECK:         memref.alloca
func.func @ownScratch(%x: memref<64xf32>) attributes {nnhal.entry} {
  %c0 = arith.constant 0 : index
  %scratch = memref.alloca() {alignment = 64 : i64, nnhal.scratch} : memref<8xf32>
  %a0 = vector.load %x[%c0] : memref<64xf32>, vector<8xf32>
  %a1 = arith.addf %a0, %a0 : vector<8xf32>
  %a2 = arith.addf %a1, %a1 : vector<8xf32>
  %a3 = arith.addf %a2, %a2 : vector<8xf32>
  %a4 = arith.addf %a3, %a3 : vector<8xf32>
  %a5 = arith.addf %a4, %a4 : vector<8xf32>
  %a6 = arith.addf %a5, %a5 : vector<8xf32>
  %a7 = arith.addf %a6, %a6 : vector<8xf32>
  %a8 = arith.addf %a7, %a7 : vector<8xf32>
  %a9 = arith.addf %a8, %a8 : vector<8xf32>
  %a10 = arith.addf %a9, %a9 : vector<8xf32>
  %a11 = arith.addf %a10, %a10 : vector<8xf32>
  %a12 = arith.addf %a11, %a11 : vector<8xf32>
  %a13 = arith.addf %a12, %a12 : vector<8xf32>
  %a14 = arith.addf %a13, %a13 : vector<8xf32>
  %a15 = arith.addf %a14, %a14 : vector<8xf32>
  %a16 = arith.addf %a15, %a15 : vector<8xf32>
  %a17 = arith.addf %a16, %a16 : vector<8xf32>
  %a18 = arith.addf %a17, %a17 : vector<8xf32>
  %a19 = arith.addf %a18, %a18 : vector<8xf32>
  %a20 = arith.addf %a19, %a19 : vector<8xf32>
  %a21 = arith.addf %a20, %a20 : vector<8xf32>
  %a22 = arith.addf %a21, %a21 : vector<8xf32>
  %a23 = arith.addf %a22, %a22 : vector<8xf32>
  vector.store %a0, %scratch[%c0] : memref<8xf32>, vector<8xf32>
  %b = vector.load %scratch[%c0] : memref<8xf32>, vector<8xf32>
  %c = arith.addf %a23, %b : vector<8xf32>
  vector.store %c, %x[%c0] : memref<64xf32>, vector<8xf32>
  return
}

// -----

// What a value crosses that stays in the entry function stays there, too.
// CHECK-LABEL: func.func @crossed
// CHECK-NOT:     call @kernel
// CHECK:         memref.copy
// CHECK-NOT:     call @kernel
// CHECK:         vector.store
// CHECK-NOT:   func.func private
func.func @crossed(%x: memref<64xf32>, %y: memref<64xf32>) attributes {nnhal.entry} {
  %c0 = arith.constant 0 : index
  %a0 = vector.load %x[%c0] : memref<64xf32>, vector<8xf32>
  %a1 = arith.addf %a0, %a0 : vector<8xf32>
  %a2 = arith.addf %a1, %a1 : vector<8xf32>
  %a3 = arith.addf %a2, %a2 : vector<8xf32>
  %a4 = arith.addf %a3, %a3 : vector<8xf32>
  %a5 = arith.addf %a4, %a4 : vector<8xf32>
  %a6 = arith.addf %a5, %a5 : vector<8xf32>
  %a7 = arith.addf %a6, %a6 : vector<8xf32>
  %a8 = arith.addf %a7, %a7 : vector<8xf32>
  %a9 = arith.addf %a8, %a8 : vector<8xf32>
  %a10 = arith.addf %a9, %a9 : vector<8xf32>
  %a11 = arith.addf %a10, %a10 : vector<8xf32>
  %a12 = arith.addf %a11, %a11 : vector<8xf32>
  %a13 = arith.addf %a12, %a12 : vector<8xf32>
  %a14 = arith.addf %a13, %a13 : vector<8xf32>
  %a15 = arith.addf %a14, %a14 : vector<8xf32>
  %a16 = arith.addf %a15, %a15 : vector<8xf32>
  %a17 = arith.addf %a16, %a16 : vector<8xf32>
  %a18 = arith.addf %a17, %a17 : vector<8xf32>
  %a19 = arith.addf %a18, %a18 : vector<8xf32>
  %a20 = arith.addf %a19, %a19 : vector<8xf32>
  %a21 = arith.addf %a20, %a20 : vector<8xf32>
  %a22 = arith.addf %a21, %a21 : vector<8xf32>
  memref.copy %x, %y : memref<64xf32> to memref<64xf32>
  %a23 = arith.addf %a22, %a22 : vector<8xf32>
  vector.store %a23, %y[%c0] : memref<64xf32>, vector<8xf32>
  return
}

// -----

// One loop in the entry function is worth a call, however short it is. An
// instruction of the processor that has no pointer moves with what it computes.
// CHECK-LABEL: func.func @shortLoop
// CHECK-NOT:     scf.for
// CHECK-NOT:     llvm.call_intrinsic
// CHECK:         call @kernel_0(%{{.+}}, %{{.+}}) : (memref<64xi8>, memref<16xi32>) -> ()
// CHECK-NEXT:    return
// CHECK:       func.func private @kernel_0(
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:         llvm.call_intrinsic
// CHECK:         vector.store
func.func @shortLoop(%x: memref<64xi8>, %y: memref<16xi32>) attributes {nnhal.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant dense<0> : vector<16xi32>
  %sum = scf.for %k = %c0 to %c2 step %c1 iter_args(%s = %zero) -> vector<16xi32> {
    %t = arith.addi %s, %s : vector<16xi32>
    scf.yield %t : vector<16xi32>
  }
  %a = vector.load %x[%c0] : memref<64xi8>, vector<64xi8>
  %b = llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"(%sum, %a, %a) : (vector<16xi32>, vector<64xi8>, vector<64xi8>) -> vector<16xi32>
  vector.store %b, %y[%c0] : memref<16xi32>, vector<16xi32>
  return
}

// -----

// What an instruction does to memory that it gets a pointer to is unknown: it
// stays, and what depends on it.
// CHECK-LABEL: func.func @pointer
// CHECK-NOT:     call @kernel
// CHECK:         llvm.call_intrinsic
// CHECK-NOT:     call @kernel
// CHECK:         return
func.func @pointer(%p: !llvm.ptr, %y: memref<16xi32>) attributes {nnhal.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %a = llvm.call_intrinsic "llvm.x86.avx.ldu.dq.256"(%p) : (!llvm.ptr) -> vector<32xi8>
  %b = vector.bitcast %a : vector<32xi8> to vector<8xi32>
  %sum = scf.for %k = %c0 to %c2 step %c1 iter_args(%s = %b) -> vector<8xi32> {
    %t = arith.addi %s, %s : vector<8xi32>
    scf.yield %t : vector<8xi32>
  }
  vector.store %sum, %y[%c0] : memref<16xi32>, vector<8xi32>
  return
}
