// RUN: nnhal-opt %s --split-input-file --nnhal-gpu-plan-barriers | FileCheck %s

// The arena is reused: the second copy overwrites what the dispatch before it
// reads, the third reads what the second wrote. Branches that share no bytes
// wait for nothing.

// CHECK-LABEL: func.func @dependences
// CHECK:         nngpu.copy
// CHECK-NEXT:    nngpu.fill
// CHECK-NEXT:    nngpu.barrier
// CHECK-NEXT:    nngpu.copy
// CHECK-NEXT:    nngpu.barrier
// CHECK-NEXT:    nngpu.copy
// CHECK-NEXT:    nngpu.barrier
// CHECK-NEXT:    nngpu.copy
// CHECK-NEXT:    return
func.func @dependences(%x: memref<16xf32>, %y: memref<16xf32>,
                       %z: memref<16xf32>, %constants: memref<64xi8>,
                       %arena: memref<128xi8>)
    attributes {nnhal.entry, nnhal.input_count = 1, nnhal.output_count = 2} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %a = memref.view %arena[%c0][] : memref<128xi8> to memref<16xf32>
  %b = memref.view %arena[%c64][] : memref<128xi8> to memref<16xf32>
  %a2 = memref.view %arena[%c0][] : memref<128xi8> to memref<64xi8>
  nngpu.copy %x to %a : memref<16xf32> to memref<16xf32>
  nngpu.fill %b with 0 : memref<16xf32>
  nngpu.copy %a to %y : memref<16xf32> to memref<16xf32>
  nngpu.copy %constants to %a2 : memref<64xi8> to memref<64xi8>
  nngpu.copy %a2 to %z : memref<64xi8> to memref<16xf32>
  return
}

// -----

// The host waits before it decides: no command needs a barrier for what came
// before the branch. Behind it, one side or the other has been executed.

// CHECK-LABEL: func.func @branch
// CHECK:         nngpu.copy
// CHECK-NEXT:    nngpu.if {
// CHECK-NEXT:      nngpu.copy
// CHECK-NEXT:    } else {
// CHECK-NEXT:      nngpu.fill %[[Z:.+]] with 0
// CHECK-NEXT:      nngpu.barrier
// CHECK-NEXT:      nngpu.copy %[[Z]] to
// CHECK-NEXT:    }
// CHECK-NEXT:    nngpu.barrier
// CHECK-NEXT:    nngpu.copy
// CHECK-NEXT:    return
func.func @branch(%x: memref<16xf32>, %y: memref<16xf32>, %z: memref<16xf32>,
                  %constants: memref<64xi8>, %arena: memref<64xi8>)
    attributes {nnhal.entry, nnhal.input_count = 1, nnhal.output_count = 2} {
  %c0 = arith.constant 0 : index
  %a = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
  nngpu.copy %x to %y : memref<16xf32> to memref<16xf32>
  nngpu.if {
    nngpu.copy %y to %a : memref<16xf32> to memref<16xf32>
  } else {
    nngpu.fill %z with 0 : memref<16xf32>
    nngpu.copy %z to %a : memref<16xf32> to memref<16xf32>
  }
  nngpu.copy %a to %y : memref<16xf32> to memref<16xf32>
  return
}

// -----

// Between a round and the next condition the host does not wait.

// CHECK-LABEL: func.func @loop
// CHECK:         nngpu.fill
// CHECK-NEXT:    nngpu.while {
// CHECK-NEXT:      nngpu.barrier
// CHECK-NEXT:      nngpu.copy
// CHECK-NEXT:    } do {
// CHECK-NEXT:      nngpu.copy
// CHECK-NEXT:    }
// CHECK-NEXT:    nngpu.copy
// CHECK-NEXT:    return
func.func @loop(%x: memref<16xf32>, %y: memref<16xf32>, %z: memref<16xf32>,
                %constants: memref<64xi8>, %arena: memref<64xi8>)
    attributes {nnhal.entry, nnhal.input_count = 1, nnhal.output_count = 2} {
  %c0 = arith.constant 0 : index
  %a = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
  nngpu.fill %y with 0 : memref<16xf32>
  nngpu.while {
    nngpu.copy %y to %a : memref<16xf32> to memref<16xf32>
  } do {
    nngpu.copy %a to %y : memref<16xf32> to memref<16xf32>
  }
  nngpu.copy %y to %z : memref<16xf32> to memref<16xf32>
  return
}
