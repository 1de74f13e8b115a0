// RUN: nnhal-opt %s --split-input-file --nnhal-outline-kernels | FileCheck %s

// Scratch memory belongs to each call of a kernel, as threads share its loop.
// CHECK-LABEL: func.func @main
// CHECK-NOT:   memref.alloca
// CHECK:       call @kernel_0(%{{[^,]+}}) : (memref<64xf32>) -> ()
// CHECK:       func.func private @kernel_0(%[[OUT:.+]]: memref<64xf32>)
// CHECK:       %[[SCRATCH:.+]] = memref.alloca() {{.*}} : memref<8xf32>
// CHECK:       scf.for
// CHECK:       memref.store %{{.+}}, %[[SCRATCH]]
// CHECK:       memref.load %[[SCRATCH]]
func.func @main(%out: memref<64xf32>) attributes {nnhal.entry} {
  %scratch = memref.alloca() {alignment = 64 : i64, nnhal.scratch} : memref<8xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1.0 : f32
  scf.for %i = %c0 to %c64 step %c1 {
    memref.store %one, %scratch[%c1] : memref<8xf32>
    %v = memref.load %scratch[%c1] : memref<8xf32>
    memref.store %v, %out[%i] : memref<64xf32>
  }
  return
}

// -----

// A loop that only reads reads what is there.
// CHECK-LABEL: func.func @main
// CHECK:       %[[SCRATCH:.+]] = memref.alloca() {{.*}} : memref<8xf32>
// CHECK:       memref.store %{{.+}}, %[[SCRATCH]]
// CHECK:       call @kernel_0(%[[SCRATCH]], %{{[^,]+}}) :
// CHECK:       func.func private @kernel_0
// CHECK-NOT:   memref.alloca
func.func @main(%out: memref<64xf32>) attributes {nnhal.entry} {
  %scratch = memref.alloca() {alignment = 64 : i64, nnhal.scratch} : memref<8xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1.0 : f32
  memref.store %one, %scratch[%c1] : memref<8xf32>
  scf.for %i = %c0 to %c64 step %c1 {
    %v = memref.load %scratch[%c1] : memref<8xf32>
    memref.store %v, %out[%i] : memref<64xf32>
  }
  return
}
