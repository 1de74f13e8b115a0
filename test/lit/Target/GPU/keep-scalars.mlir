// RUN: nnhal-opt %s --split-input-file --nnhal-gpu-keep-scalars | FileCheck %s

// CHECK-LABEL: func.func @overwritten
// CHECK-SAME:    (%[[X:.+]]: memref<2xf32>, %[[Y:.+]]: memref<2xf32>, %[[Z:.+]]: memref<2xf32>)
// CHECK:         %[[KEEP:.+]] = memref.alloc() : memref<1xf32>
// CHECK:         %[[ZERO:.+]] = arith.constant 0 : index
// CHECK:         %[[LOADED:.+]] = memref.load %[[X]]
// CHECK-NEXT:    memref.store %[[LOADED]], %[[KEEP]][%[[ZERO]]]
// CHECK-NEXT:    %[[KEPT:.+]] = memref.load %[[KEEP]][%[[ZERO]]]
// CHECK-NEXT:    %[[SUM:.+]] = arith.addf %[[KEPT]], %[[KEPT]]
// CHECK-NEXT:    memref.copy %[[Y]], %[[X]]
// CHECK-NEXT:    memref.store %[[SUM]], %[[Z]]
func.func @overwritten(%x: memref<2xf32>, %y: memref<2xf32>, %z: memref<2xf32>) {
  %c0 = arith.constant 0 : index
  %element = memref.load %x[%c0] : memref<2xf32>
  %sum = arith.addf %element, %element : f32
  memref.copy %y, %x : memref<2xf32> to memref<2xf32>
  memref.store %sum, %z[%c0] : memref<2xf32>
  return
}

// -----

// A branch computes its result of an element that is overwritten.

// CHECK-LABEL: func.func @branch
// CHECK:         %[[KEEP:.+]] = memref.alloc() : memref<1xf32>
// CHECK:         %[[CHOSEN:.+]] = scf.if
// CHECK:         memref.store %[[CHOSEN]], %[[KEEP]]
// CHECK-NEXT:    %[[KEPT:.+]] = memref.load %[[KEEP]]
// CHECK-NEXT:    memref.copy
// CHECK-NEXT:    memref.store %[[KEPT]], %{{.+}}
func.func @branch(%x: memref<2xf32>, %y: memref<2xf32>, %z: memref<2xf32>, %c: i1) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %chosen = scf.if %c -> f32 {
    %element = memref.load %x[%c0] : memref<2xf32>
    scf.yield %element : f32
  } else {
    scf.yield %zero : f32
  }
  memref.copy %y, %x : memref<2xf32> to memref<2xf32>
  memref.store %chosen, %z[%c0] : memref<2xf32>
  return
}

// -----

// A kernel may load it again.

// CHECK-LABEL: func.func @still_there
// CHECK-NOT:     memref.alloc
func.func @still_there(%x: memref<2xf32>, %y: memref<2xf32>, %z: memref<2xf32>) {
  %c0 = arith.constant 0 : index
  %element = memref.load %x[%c0] : memref<2xf32>
  memref.store %element, %z[%c0] : memref<2xf32>
  memref.copy %y, %x : memref<2xf32> to memref<2xf32>
  return
}

// -----

// The second round of a WHILE comes after the end of the first one.

// CHECK-LABEL: func.func @rounds
// CHECK:         %[[KEEP:.+]] = memref.alloc() : memref<1xf32>
// CHECK:         memref.store %{{.+}}, %[[KEEP]]
// CHECK:         %[[KEPT:.+]] = memref.load %[[KEEP]]
// CHECK:         scf.while
// CHECK:           memref.store %[[KEPT]], %{{.+}}
func.func @rounds(%x: memref<2xf32>, %y: memref<2xf32>, %z: memref<2xf32>,
                  %c: memref<1xi1>) {
  %c0 = arith.constant 0 : index
  %element = memref.load %x[%c0] : memref<2xf32>
  %begin = nnrt.loop_begin
  scf.while : () -> () {
    %go = memref.load %c[%c0] : memref<1xi1>
    scf.condition(%go)
  } do {
    nnrt.loop_check %begin
    memref.store %element, %z[%c0] : memref<2xf32>
    memref.copy %y, %x : memref<2xf32> to memref<2xf32>
    scf.yield
  }
  return
}

// -----

// Buffers that another block overwrites are not looked for.

// CHECK-LABEL: func.func @blocks
// CHECK:         memref.alloc
func.func @blocks(%x: memref<2xf32>, %z: memref<2xf32>) {
  %c0 = arith.constant 0 : index
  %element = memref.load %x[%c0] : memref<2xf32>
  cf.br ^bb1
^bb1:
  memref.store %element, %z[%c0] : memref<2xf32>
  return
}
