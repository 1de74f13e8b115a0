// RUN: nnhal-opt %s --nnhal-emit-entry | FileCheck %s

// A nest of three loops has nothing to do once the flag is set.
// CHECK-LABEL: func.func private @deep(
// CHECK-SAME: %[[FLAG:[^:]+]]: !llvm.ptr)
// CHECK: scf.for
// CHECK-NEXT: %[[VALUE:.+]] = llvm.load volatile %[[FLAG]]
// CHECK: %[[WANTED:.+]] = arith.cmpi eq, %[[VALUE]]
// CHECK-NEXT: scf.if %[[WANTED]]
// CHECK-NEXT: scf.for
// CHECK-NEXT: scf.for
func.func private @deep(%buffer: memref<4x4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %one = arith.constant 1.0 : f32
  scf.for %i = %c0 to %c4 step %c1 {
    scf.for %j = %c0 to %c4 step %c1 {
      scf.for %k = %c0 to %c4 step %c1 {
        memref.store %one, %buffer[%i, %j, %k] : memref<4x4x4xf32>
      }
    }
  }
  return
}

// A shallow one is left alone.
// CHECK-LABEL: func.func private @shallow(
// CHECK-SAME: %{{[^:]+}}: memref<4x4x4xf32>)
// CHECK-NOT: llvm.load volatile
// CHECK: return
func.func private @shallow(%buffer: memref<4x4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %one = arith.constant 1.0 : f32
  scf.for %i = %c0 to %c4 step %c1 {
    memref.store %one, %buffer[%i, %c0, %c0] : memref<4x4x4xf32>
  }
  return
}

// Both calls of one kernel pass the flag.
// CHECK-LABEL: func.func @main
// CHECK: call @deep(%{{.+}}, %{{.+}}) : (memref<4x4x4xf32>, !llvm.ptr) -> ()
// CHECK: call @shallow(%{{.+}}) : (memref<4x4x4xf32>) -> ()
// CHECK: call @deep(%{{.+}}, %{{.+}}) : (memref<4x4x4xf32>, !llvm.ptr) -> ()
// CHECK: call @kept(%{{.+}}, %{{.+}}) : (memref<4x4x4xf32>, !llvm.ptr) -> ()
// CHECK: call @other(%{{.+}}) : (memref<4x4x4xf32>) -> ()
func.func @main(%in: memref<4x4x4xf32>, %out: memref<4x4x4xf32>, %constants: memref<64xi8>, %arena: memref<256xi8>)
    attributes {nnhal.entry, nnhal.input_count = 1 : i64, nnhal.output_count = 1 : i64} {
  call @deep(%out) : (memref<4x4x4xf32>) -> ()
  call @shallow(%out) : (memref<4x4x4xf32>) -> ()
  call @deep(%out) : (memref<4x4x4xf32>) -> ()
  call @kept(%out) : (memref<4x4x4xf32>) -> ()
  call @other(%out) : (memref<4x4x4xf32>) -> ()
  return
}

// Declarations of kernels whose code is kept say whether that takes the flag.
func.func private @kept(memref<4x4x4xf32>) attributes {nnhal.kernel = "0f", nnhal.polls_flag}
func.func private @other(memref<4x4x4xf32>) attributes {nnhal.kernel = "1f"}
