// RUN: nnhal-opt %s --nnhal-outline-kernels | FileCheck %s

// Equal nests share a function; another extent makes another.
// CHECK-LABEL: func.func @main
// CHECK:         call @kernel_0(%[[A:.+]], %[[B:.+]]) : (memref<8xf32>, memref<8xf32>) -> ()
// CHECK:         call @kernel_0(%[[B]], %[[A]])
// CHECK:         call @kernel_1(
// CHECK:       func.func private @kernel_{{[01]}}({{.*}}llvm.linkage = #llvm.linkage<internal>, passthrough = ["noinline"]
// CHECK:       func.func private @kernel_{{[01]}}(
// CHECK-NOT:   func.func private
func.func @main(%a: memref<8xf32>, %b: memref<8xf32>) attributes {nnhal.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %v = memref.load %a[%i] : memref<8xf32>
    memref.store %v, %b[%i] : memref<8xf32>
  }
  scf.for %i = %c0 to %c8 step %c1 {
    %v = memref.load %b[%i] : memref<8xf32>
    memref.store %v, %a[%i] : memref<8xf32>
  }
  scf.for %i = %c0 to %c4 step %c1 {
    %v = memref.load %b[%i] : memref<8xf32>
    memref.store %v, %a[%i] : memref<8xf32>
  }
  return
}
