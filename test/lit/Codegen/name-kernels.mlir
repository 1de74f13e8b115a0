// RUN: nnhal-opt %s --nnhal-name-kernels | FileCheck %s
// RUN: nnhal-opt %s --nnhal-name-kernels --nnhal-partition-kernels | FileCheck %s --check-prefix=PARTS

// Kernels with equal contents become one, whatever they and the constants that
// they load are called; a piece belongs to its kernel. Names are half of the
// digest, whose number of digits is known.
// CHECK:      module attributes {nnhal.kernels = ["[[KEY:[0-9a-f]{64}]]", "[[OTHER:[0-9a-f]{64}]]"]}
// CHECK:        func.func @nnhal_entry
// CHECK:          call @[[KERNEL:kernel_[0-9a-f]{32}]](%{{.+}}) : (memref<4xi32>)
// CHECK:          call @[[KERNEL]](
// CHECK:          call @[[SPLIT:kernel_[0-9a-f]{32}]](
// CHECK:          constant @[[SPLIT]]_piece : () -> ()
// CHECK:          call @calls
// CHECK:        func.func private @[[KERNEL]]({{.*}} attributes {llvm.linkage = #llvm.linkage<internal>, nnhal.kernel = "[[KEY]]"}
// CHECK-NOT:    func.func private @kernel_1
// CHECK:        func.func private @[[SPLIT]]({{.*}} nnhal.kernel = "[[OTHER]]"}
// CHECK:        func.func private @[[SPLIT]]_piece() attributes {{.*}} nnhal.kernel = "[[OTHER]]"}
// CHECK:          call @[[SPLIT]](
// A function that calls more is not compiled alone, nor what others can call.
// CHECK:        func.func private @calls() attributes {llvm.linkage = #llvm.linkage<internal>} {
// CHECK:        func.func private @seen() {

// The functions of a kernel have no internal linkage, and share a module with
// other kernels.
// PARTS:      module {
// PARTS:        func.func private @calls() attributes {llvm.linkage = #llvm.linkage<internal>} {
// PARTS:      module {
// PARTS-NEXT:   func.func private @kernel_{{.+}} attributes {nnhal.kernel = "{{[0-9a-f]+}}"} {
// PARTS:        func.func private @[[SPLIT:kernel_[0-9a-f]+]]({{.*}} attributes {nnhal.kernel = "[[KEY:[0-9a-f]+]]"}
// PARTS:        func.func private @[[SPLIT]]_piece() attributes {nnhal.kernel = "[[KEY]]"} {
// PARTS-NOT:  module {
memref.global "private" constant @offsets : memref<4xi32> = dense<[0, 1, 2, 3]>
memref.global "private" constant @same : memref<4xi32> = dense<[0, 1, 2, 3]>

func.func @nnhal_entry(%x: memref<4xi32>) -> (() -> ()) {
  call @kernel_0(%x) : (memref<4xi32>) -> ()
  call @kernel_1(%x) : (memref<4xi32>) -> ()
  call @kernel_2(%x) : (memref<4xi32>) -> ()
  %0 = constant @kernel_2_piece : () -> ()
  call @calls() : () -> ()
  call @seen() : () -> ()
  return %0 : () -> ()
}

func.func private @kernel_0(%x: memref<4xi32>) attributes {llvm.linkage = #llvm.linkage<internal>} {
  %0 = memref.get_global @offsets : memref<4xi32>
  memref.copy %0, %x : memref<4xi32> to memref<4xi32>
  return
}

func.func private @kernel_1(%y: memref<4xi32>) attributes {llvm.linkage = #llvm.linkage<internal>} {
  %0 = memref.get_global @same : memref<4xi32>
  memref.copy %0, %y : memref<4xi32> to memref<4xi32>
  return
}

func.func private @kernel_2(%x: memref<4xi32>) attributes {llvm.linkage = #llvm.linkage<internal>} {
  %c0 = arith.constant 0 : index
  %0 = memref.load %x[%c0] : memref<4xi32>
  memref.store %0, %x[%c0] : memref<4xi32>
  return
}

func.func private @kernel_2_piece() attributes {llvm.linkage = #llvm.linkage<internal>} {
  %0 = memref.alloca() : memref<4xi32>
  call @kernel_2(%0) : (memref<4xi32>) -> ()
  return
}

func.func private @calls() attributes {llvm.linkage = #llvm.linkage<internal>} {
  call @seen() : () -> ()
  call @seen() : () -> ()
  return
}

func.func private @seen() {
  return
}
