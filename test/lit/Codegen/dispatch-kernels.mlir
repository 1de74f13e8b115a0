// RUN: nnhal-opt %s --nnhal-dispatch-kernels | FileCheck %s
// RUN: nnhal-opt %s --nnhal-dispatch-kernels --convert-scf-to-cf --nnhal-convert-to-llvm --reconcile-unrealized-casts | FileCheck %s --check-prefix=LLVM

// Where the context has a parallelFor it gets the kernel's piece, the arguments
// on the stack, the rounds and the grain; elsewhere the piece is all of it. The
// views of a buffer at constant positions are its address and a sum.
// CHECK-LABEL: func.func @main
// CHECK-SAME:  %[[A:.+]]: memref<128xi8>, %[[FLAG:.+]]: !llvm.ptr, %[[CONTEXT:.+]]: !llvm.ptr
// CHECK:       %[[ADDRESS:.+]] = memref.extract_aligned_pointer_as_index %[[A]]
// CHECK:       %[[WORD:.+]] = arith.index_cast %[[ADDRESS]] : index to i64
// CHECK:       %[[FRAME:.+]] = llvm.alloca
// CHECK:       %[[FUNCTION_AT:.+]] = llvm.getelementptr %[[CONTEXT]][64]
// CHECK:       %[[FUNCTION:.+]] = llvm.load %[[FUNCTION_AT]]
// CHECK:       %[[POOL_AT:.+]] = llvm.getelementptr %[[CONTEXT]][72]
// CHECK:       %[[POOL:.+]] = llvm.load %[[POOL_AT]]
// CHECK:       %[[SHARED:.+]] = llvm.icmp "ne" %[[FUNCTION]]
// CHECK:       %[[VIEW:.+]] = arith.addi %[[WORD]], %c64_i64 : i64
// CHECK:       llvm.store %[[VIEW]], %{{.+}} {alignment = 8
// CHECK:       scf.if %[[SHARED]] {
// CHECK:         %[[BODY:.+]] = builtin.unrealized_conversion_cast %{{.+}} : (!llvm.ptr, i64, i64) -> () to !llvm.ptr
// CHECK:         llvm.call %[[FUNCTION]](%[[POOL]], %[[BODY]], %[[FRAME]], %{{.+}}, %{{.+}})
// CHECK:       } else {
// CHECK-NEXT:    %[[BEGIN:.+]] = arith.constant 0 : i64
// CHECK-NEXT:    func.call @kernel_0_piece(%[[FRAME]], %[[BEGIN]], %{{.+}})
// CHECK-NEXT:  }
// CHECK-NOT:   call @kernel_0(

// A kernel whose code is kept has a piece there, too.
// CHECK:       call @kept_piece(
// CHECK:       func.func private @kept(index, index, memref<8xf32>)
// CHECK-NEXT:  func.func private @kept_piece(!llvm.ptr, i64, i64){{$}}

// One piece for both calls; it finds every kind of argument again.
// CHECK:       func.func private @kernel_0_piece(%[[FIELDS:.+]]: !llvm.ptr, %[[BEGIN:.+]]: i64, %[[END:.+]]: i64) attributes {llvm.linkage = #llvm.linkage<internal>}
// CHECK:       %[[FIRST:.+]] = arith.index_cast %[[BEGIN]] : i64 to index
// CHECK:       %[[LAST:.+]] = arith.index_cast %[[END]] : i64 to index
// CHECK:       memref.reinterpret_cast {{.*}} to offset: [1], sizes: [4], strides: [2]
// CHECK:       llvm.load {{.*}} {alignment = 8 : i64} : !llvm.ptr -> vector<4xf32>
// CHECK:       call @kernel_0(%[[FIRST]], %[[LAST]],
// CHECK-NOT:   @kernel_0_piece_

// LLVM: llvm.mlir.addressof @kernel_0_piece
// LLVM-NOT: unrealized_conversion_cast
func.func @main(%arena: memref<128xi8>, %flag: !llvm.ptr, %context: !llvm.ptr) attributes {nnhal.entry} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %a = memref.view %arena[%c64][] : memref<128xi8> to memref<8xf32>
  %c4 = arith.constant 4 : index
  %v = arith.constant dense<1.0> : vector<4xf32>
  %b = memref.reinterpret_cast %a to offset: [1], sizes: [4], strides: [2] : memref<8xf32> to memref<4xf32, strided<[2], offset: 1>>
  call @kernel_0(%c0, %c4, %a, %b, %v, %c4, %flag) {nnhal.grain = 2 : i64} : (index, index, memref<8xf32>, memref<4xf32, strided<[2], offset: 1>>, vector<4xf32>, index, !llvm.ptr) -> ()
  call @kernel_0(%c0, %c4, %a, %b, %v, %c0, %flag) {nnhal.grain = 2 : i64} : (index, index, memref<8xf32>, memref<4xf32, strided<[2], offset: 1>>, vector<4xf32>, index, !llvm.ptr) -> ()
  call @kept(%c0, %c4, %a) {nnhal.grain = 2 : i64} : (index, index, memref<8xf32>) -> ()
  return
}
func.func private @kept(index, index, memref<8xf32>) attributes {nnhal.kernel = "0f", nnhal.is_split}
func.func private @kernel_0(%begin: index, %end: index, %a: memref<8xf32>, %b: memref<4xf32, strided<[2], offset: 1>>, %v: vector<4xf32>, %at: index, %flag: !llvm.ptr) {
  vector.store %v, %a[%at] : memref<8xf32>, vector<4xf32>
  return
}
