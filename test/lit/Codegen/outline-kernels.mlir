// RUN: nnhal-opt %s --split-input-file --nnhal-outline-kernels | FileCheck %s

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

// -----

// Pure arithmetic of the kernel dialect asks nothing of the runtime, and what
// is computed from constants stays known to the function.
// CHECK-LABEL: func.func @requantize
// CHECK:         call @kernel_0(%{{.+}}) : (memref<8xi32>) -> ()
// CHECK:       func.func private @kernel_0(%{{.+}}: memref<8xi32>)
// CHECK:         %[[C:.+]] = arith.constant 1073741824 : i32
// CHECK:         %[[BY:.+]] = vector.broadcast %[[C]] : i32 to vector<8xi32>
// CHECK:         nnk.doubling_high_mul %{{.+}}, %[[BY]]
func.func @requantize(%a: memref<8xi32>) attributes {nnhal.entry} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %multiplier = arith.constant 1073741824 : i32
  %by = vector.broadcast %multiplier : i32 to vector<8xi32>
  scf.for %i = %c0 to %c8 step %c8 {
    %v = vector.load %a[%i] : memref<8xi32>, vector<8xi32>
    %scaled = nnk.doubling_high_mul %v, %by : vector<8xi32>
    vector.store %scaled, %a[%i] : memref<8xi32>, vector<8xi32>
  }
  return
}
