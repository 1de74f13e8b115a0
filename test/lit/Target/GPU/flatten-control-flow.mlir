// RUN: nnhal-opt %s --split-input-file --nnhal-gpu-flatten-control-flow --canonicalize | FileCheck %s
// RUN: not nnhal-opt %s --nnhal-gpu-flatten-control-flow=max-operations=10 --split-input-file 2>&1 | FileCheck %s --check-prefix=MANY

// MANY: error: 'scf.for' op of 2 rounds becomes {{[0-9]+}} operations in a GPU program, expected at most 10

// CHECK-LABEL: func.func @steps
// CHECK-NOT:     scf.for
// CHECK-COUNT-4: linalg.fill
// CHECK-NOT:     linalg.fill
func.func @steps(%y: memref<2x2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %v = arith.constant 1.0 : f32
  scf.for %i = %c0 to %c2 step %c1 {
    scf.for %j = %c0 to %c2 step %c1 {
      %element = memref.subview %y[%i, %j] [1, 1] [1, 1]
          : memref<2x2xf32> to memref<1x1xf32, strided<[2, 1], offset: ?>>
      linalg.fill ins(%v : f32) outs(%element : memref<1x1xf32, strided<[2, 1], offset: ?>>)
    }
  }
  return
}

// -----

// A loop without kernels inside stays, and becomes one.

// CHECK-LABEL: func.func @scalars
// CHECK:         scf.for
func.func @scalars(%y: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %v = arith.constant 1.0 : f32
  scf.for %i = %c0 to %c4 step %c1 {
    memref.store %v, %y[%i] : memref<4xf32>
  }
  return
}

// -----

// Shaders have no pointers that a loop could carry.

// CHECK-LABEL: func.func @carried
// CHECK-NOT:     scf.for
// CHECK:         memref.store %{{.+}}, %arg0
// CHECK:         memref.store %{{.+}}, %arg1
// CHECK:         memref.store %{{.+}}, %arg0
func.func @carried(%x: memref<4xf32>, %y: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %v = arith.constant 1.0 : f32
  scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x, %b = %y)
      -> (memref<4xf32>, memref<4xf32>) {
    memref.store %v, %a[%i] : memref<4xf32>
    scf.yield %b, %a : memref<4xf32>, memref<4xf32>
  }
  return
}

// -----

// Requests for a GPU have all inputs.

// CHECK-LABEL: func.func @present
// CHECK:         %[[TRUE:.+]] = arith.constant true
// CHECK:         memref.store %[[TRUE]]
func.func @present(%x: memref<4xf32>, %y: memref<i1>) {
  %0 = nnrt.is_present %x : memref<4xf32>
  memref.store %0, %y[] : memref<i1>
  return
}
