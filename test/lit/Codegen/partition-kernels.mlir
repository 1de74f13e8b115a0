// RUN: nnhal-opt %s --nnhal-partition-kernels=max-size=4 | FileCheck %s
// RUN: nnhal-opt %s --nnhal-partition-kernels | FileCheck %s --check-prefix=WHOLE

// Four operations are one function here; the largest part comes first. Parts
// declare what they call and copy what constants they use.
// CHECK:      module {
// CHECK:        func.func @nnhal_entry
// CHECK:          call @kernel_0
// CHECK:          constant @kernel_1_piece
// CHECK:        func.func private @kernel_0(memref<4xi32>)
// CHECK:        func.func private @kernel_1_piece(){{$}}
// CHECK:        memref.global "private" constant @offsets
// CHECK:      module {
// CHECK-NEXT:   func.func private @kernel_0(%{{.+}}: memref<4xi32>) {
// CHECK:        memref.global "private" constant @offsets
// CHECK:      module {
// CHECK-NEXT:   func.func private @kernel_1_piece() {
// CHECK-NOT:  memref.global

// WHOLE:       module {
// WHOLE-NEXT:    module {
// WHOLE-DAG:       func.func @nnhal_entry
// WHOLE-DAG:       func.func private @kernel_0({{.*}}) attributes {llvm.linkage = #llvm.linkage<internal>}
// WHOLE-DAG:       memref.global "private" constant @offsets
// WHOLE-NOT:     module {
memref.global "private" constant @offsets : memref<4xi32> = dense<[0, 1, 2, 3]>

func.func private @kernel_0(%x: memref<4xi32>) attributes {llvm.linkage = #llvm.linkage<internal>} {
  %0 = memref.get_global @offsets : memref<4xi32>
  memref.copy %0, %x : memref<4xi32> to memref<4xi32>
  return
}

func.func @nnhal_entry(%x: memref<4xi32>) -> (() -> ()) {
  %0 = memref.get_global @offsets : memref<4xi32>
  call @kernel_0(%0) : (memref<4xi32>) -> ()
  call @kernel_0(%x) : (memref<4xi32>) -> ()
  %1 = constant @kernel_1_piece : () -> ()
  return %1 : () -> ()
}

func.func private @kernel_1_piece() attributes {llvm.linkage = #llvm.linkage<internal>} {
  return
}

