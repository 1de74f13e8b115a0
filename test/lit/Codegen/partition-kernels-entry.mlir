// RUN: nnhal-opt %s --nnhal-partition-kernels=max-size=4 | FileCheck %s

// The function that the runtime calls is compiled with the one that it calls,
// however large that is. Kernels have parts of their own.
// CHECK:      module {
// CHECK:      module {
// CHECK-NEXT:   func.func @main
// CHECK:        func.func @nnhal_entry
// CHECK:          call @main
// CHECK:      module {
// CHECK-NEXT:   func.func private @kernel_0(%
func.func @main(%x: memref<4xi32>, %y: memref<4xi32>) attributes {nnhal.entry, llvm.linkage = #llvm.linkage<internal>} {
  call @kernel_0(%x, %y) : (memref<4xi32>, memref<4xi32>) -> ()
  call @kernel_0(%y, %x) : (memref<4xi32>, memref<4xi32>) -> ()
  call @kernel_0(%x, %x) : (memref<4xi32>, memref<4xi32>) -> ()
  call @kernel_0(%y, %y) : (memref<4xi32>, memref<4xi32>) -> ()
  return
}

func.func private @kernel_0(%x: memref<4xi32>, %y: memref<4xi32>) attributes {llvm.linkage = #llvm.linkage<internal>} {
  memref.copy %x, %y : memref<4xi32> to memref<4xi32>
  return
}

func.func @nnhal_entry(%x: memref<4xi32>) {
  call @main(%x, %x) : (memref<4xi32>, memref<4xi32>) -> ()
  return
}
