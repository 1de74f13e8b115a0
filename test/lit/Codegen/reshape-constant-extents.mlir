// RUN: nnhal-opt %s --nnhal-extract-constants --nnhal-verify-addresses | FileCheck %s

// Extents that a buffer is reshaped to bound what is addressed later, so a
// constant of them stays in the code, whose digest covers it.
// CHECK-LABEL: func @extents_stay_in_the_code
// CHECK: %[[EXTENTS:.+]] = memref.get_global @extents
// CHECK: memref.reshape %{{.+}}(%[[EXTENTS]])
memref.global "private" constant @extents : memref<1xi64> = dense<1>
func.func @extents_stay_in_the_code(%x: memref<1xi8>, %out: memref<?xi8>)
    attributes {nnhal.entry, nnhal.input_count = 1 : i64, nnhal.output_count = 0 : i64} {
  %extents = memref.get_global @extents : memref<1xi64>
  %y = memref.reshape %x(%extents) : (memref<1xi8>, memref<1xi64>) -> memref<?xi8>
  memref.copy %y, %out : memref<?xi8> to memref<?xi8>
  return
}
