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
