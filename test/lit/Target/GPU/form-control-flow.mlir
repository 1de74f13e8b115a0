// RUN: nnhal-opt %s --split-input-file --nnhal-gpu-form-dispatches | FileCheck %s

// A kernel stores the condition, which the host reads.

// CHECK-LABEL: func.func @branch
// CHECK-SAME:    (%[[C:[a-z0-9]+]]: memref<1xi8>, %[[X:[a-z0-9]+]]: memref<16xf32>, %[[Y:[a-z0-9]+]]: memref<16xf32>)
// CHECK:         %[[STATUS:.+]] = nngpu.status : memref<8xi32>
// CHECK-NEXT:    nngpu.dispatch @kernels::@kernel_0 groups [1, 1, 1](%[[C]], %[[STATUS]]) writes [false, true]
// CHECK-NEXT:    nngpu.if {
// CHECK-NEXT:      nngpu.copy %[[X]] to %[[Y]]
// CHECK-NEXT:    } else {
// CHECK-NEXT:      nngpu.fill %[[Y]] with 0
// CHECK-NEXT:    }
// CHECK-NEXT:    return
// CHECK:       gpu.func @kernel_0(%[[KC:.+]]: memref<1xi8>, %[[KSTATUS:.+]]: memref<8xi32>) kernel
// CHECK:         %[[PLACE:.+]] = arith.constant 3 : index
// CHECK:         memref.store %{{.+}}, %[[KSTATUS]][%[[PLACE]]] : memref<8xi32>
func.func @branch(%c: memref<1xi8>, %x: memref<16xf32>, %y: memref<16xf32>)
    attributes {nnhal.entry} {
  %c0 = arith.constant 0 : index
  %none = arith.constant 0 : i8
  %zero = arith.constant 0.0 : f32
  %byte = memref.load %c[%c0] : memref<1xi8>
  %is = arith.cmpi ne, %byte, %none : i8
  scf.if %is {
    memref.copy %x, %y : memref<16xf32> to memref<16xf32>
  } else {
    linalg.fill ins(%zero : f32) outs(%y : memref<16xf32>)
  }
  return
}

// -----

// No second graph is an empty list. What is around scalars alone is a kernel.

// CHECK-LABEL: func.func @one_side
// CHECK:         nngpu.if {
// CHECK-NEXT:      nngpu.copy
// CHECK-NEXT:    } else {
// CHECK-NEXT:    }
// CHECK-NEXT:    nngpu.dispatch @kernels::@kernel_1
// CHECK-NEXT:    return
func.func @one_side(%c: memref<1xi1>, %x: memref<16xf32>, %y: memref<16xf32>)
    attributes {nnhal.entry} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %is = memref.load %c[%c0] : memref<1xi1>
  scf.if %is {
    memref.copy %x, %y : memref<16xf32> to memref<16xf32>
  }
  scf.if %is {
    memref.store %zero, %y[%c0] : memref<16xf32>
  }
  return
}

// -----

// A WHILE has its states in buffers, and a time-out. A check in it reports like
// any other; the kernel of the condition follows the commands before it.

#id = affine_map<(d0) -> (d0)>

// CHECK-LABEL: func.func @loop
// CHECK-SAME:    (%[[N:[a-z0-9]+]]: memref<1xi32>, %[[X:[a-z0-9]+]]: memref<1xi32>)
// CHECK:         %[[IS:.+]] = memref.alloc() : memref<1xi8>
// CHECK-NOT:     nnrt
// CHECK:         nngpu.while {
// CHECK-NEXT:      nngpu.dispatch @kernels::@kernel_0 groups [1, 1, 1](%[[X]], %[[N]], %[[IS]]) writes [false, false, true]
// CHECK-NEXT:      %[[STATUS:.+]] = nngpu.status
// CHECK-NEXT:      nngpu.dispatch @kernels::@kernel_1 groups [1, 1, 1](%[[IS]], %[[STATUS]]) writes [false, true]
// CHECK-NEXT:    } do {
// CHECK-NEXT:      %[[STATUS:.+]] = nngpu.status
// CHECK-NEXT:      nngpu.dispatch @kernels::@kernel_2 groups [1, 1, 1](%[[X]], %[[STATUS]]) writes [false, true]
// CHECK-NEXT:      nngpu.dispatch @kernels::@kernel_3 groups [1, 1, 1](%[[X]]) writes [true]
// CHECK-NEXT:    }
// CHECK-NEXT:    return
func.func @loop(%n: memref<1xi32>, %x: memref<1xi32>) attributes {nnhal.entry} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %none = arith.constant 0 : i8
  %ten = arith.constant 10 : i32
  %ten64 = arith.constant 10 : i64
  %begin = nnrt.loop_begin
  %is = memref.alloc() : memref<1xi8>
  scf.while : () -> () {
    linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
        ins(%x, %n : memref<1xi32>, memref<1xi32>) outs(%is : memref<1xi8>) {
    ^bb0(%a: i32, %b: i32, %out: i8):
      %less = arith.cmpi slt, %a, %b : i32
      %byte = arith.extui %less : i1 to i8
      linalg.yield %byte : i8
    }
    %byte = memref.load %is[%c0] : memref<1xi8>
    %go = arith.cmpi ne, %byte, %none : i8
    scf.condition(%go)
  } do {
    nnrt.loop_check %begin
    %value = memref.load %x[%c0] : memref<1xi32>
    %inside = arith.cmpi slt, %value, %ten : i32
    %value64 = arith.extsi %value : i32 to i64
    nnrt.check %inside, %value64, %ten64 reason 4
    linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]}
        outs(%x : memref<1xi32>) {
    ^bb0(%a: i32):
      %next = arith.addi %a, %one : i32
      linalg.yield %next : i32
    }
    scf.yield
  }
  return
}

// -----

// An IF in the body of a WHILE, whose condition the body reads.

// CHECK-LABEL: func.func @nested
// CHECK:         nngpu.while {
// CHECK:           nngpu.dispatch
// CHECK:         } do {
// CHECK:           nngpu.dispatch
// CHECK-NEXT:      nngpu.if {
// CHECK-NEXT:        nngpu.copy
// CHECK-NEXT:      } else {
// CHECK-NEXT:        nngpu.fill
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    return
func.func @nested(%c: memref<1xi1>, %x: memref<16xf32>, %y: memref<16xf32>)
    attributes {nnhal.entry} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %begin = nnrt.loop_begin
  scf.while : () -> () {
    %go = memref.load %c[%c0] : memref<1xi1>
    scf.condition(%go)
  } do {
    nnrt.loop_check %begin
    %is = memref.load %c[%c0] : memref<1xi1>
    scf.if %is {
      memref.copy %x, %y : memref<16xf32> to memref<16xf32>
    } else {
      linalg.fill ins(%zero : f32) outs(%y : memref<16xf32>)
    }
    scf.yield
  }
  return
}
