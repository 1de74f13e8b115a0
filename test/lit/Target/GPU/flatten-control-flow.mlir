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

// The host tells in a word for each input whether the request gives it. What a
// model computes is always there.

// CHECK-LABEL: func.func @present
// CHECK-DAG:     %[[ZERO:.+]] = arith.constant 0 : i32
// CHECK-DAG:     %[[TRUE:.+]] = arith.constant true
// CHECK-DAG:     %[[C9:.+]] = arith.constant 9 : index
// CHECK:         %[[STATUS:.+]] = nngpu.status : memref<10xi32>
// CHECK:         %[[WORD:.+]] = memref.load %[[STATUS]][%[[C9]]]
// CHECK:         %[[IS_PRESENT:.+]] = arith.cmpi ne, %[[WORD]], %[[ZERO]]
// CHECK:         memref.store %[[IS_PRESENT]], %arg2
// CHECK:         memref.store %[[TRUE]], %arg2
func.func @present(%w: memref<4xf32>, %x: memref<4xf32>, %y: memref<i1>)
    attributes {nnhal.input_count = 2 : i64} {
  %view = memref.reinterpret_cast %x to offset: [0], sizes: [2, 2], strides: [2, 1]
      : memref<4xf32> to memref<2x2xf32>
  %0 = nnrt.is_present %view : memref<2x2xf32>
  memref.store %0, %y[] : memref<i1>
  %temporary = memref.alloc() : memref<4xf32>
  %1 = nnrt.is_present %temporary : memref<4xf32>
  memref.store %1, %y[] : memref<i1>
  memref.dealloc %temporary : memref<4xf32>
  return
}

// -----

// A WHILE is the host's, but not the loops in it.

// CHECK-LABEL: func.func @rounds
// CHECK:         scf.while
// CHECK-NOT:     scf.for
// CHECK-COUNT-2: linalg.fill
// CHECK-NOT:     linalg.fill
func.func @rounds(%c: memref<1xi1>, %y: memref<2x2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %v = arith.constant 1.0 : f32
  %begin = nnrt.loop_begin
  scf.while : () -> () {
    %go = memref.load %c[%c0] : memref<1xi1>
    scf.condition(%go)
  } do {
    nnrt.loop_check %begin
    scf.for %i = %c0 to %c2 step %c1 {
      %row = memref.subview %y[%i, 0] [1, 2] [1, 1]
          : memref<2x2xf32> to memref<1x2xf32, strided<[2, 1], offset: ?>>
      linalg.fill ins(%v : f32) outs(%row : memref<1x2xf32, strided<[2, 1], offset: ?>>)
    }
    scf.yield
  }
  return
}
