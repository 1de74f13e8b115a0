// RUN: nnhal-opt %s --nnhal-emit-entry | FileCheck %s

func.func private @kernel_0(%buffer: memref<4xf32>)
func.func private @kernel_1(%buffer: memref<4xf32>)

// CHECK: module attributes {nnhal.arena_size = 256 : i64}
// CHECK: func.func @main({{.*}}, %[[FLAG:[^:]+]]: !llvm.ptr, %[[HOOK:[^:]+]]: !llvm.ptr, %[[HOOK_CTX:[^:]+]]: !llvm.ptr, %{{[^:]+}}: !llvm.ptr) -> i32
// CHECK-SAME: llvm.linkage = #llvm.linkage<internal>
// CHECK:   %[[TRACED:.+]] = llvm.icmp "ne" %[[HOOK]]
// CHECK:   scf.if %[[TRACED]]
// CHECK:     %[[FIRST:.+]] = arith.constant 7 : i32
// CHECK:     %[[BEGIN:.+]] = arith.constant 0 : i32
// CHECK:     llvm.call %[[HOOK]](%[[HOOK_CTX]], %[[FIRST]], %[[BEGIN]])
// CHECK:   call @kernel_0
// CHECK:   scf.if %[[TRACED]]
// CHECK:     %[[FIRST:.+]] = arith.constant 7 : i32
// CHECK:     %[[END:.+]] = arith.constant 1 : i32
// CHECK:     llvm.call %[[HOOK]](%[[HOOK_CTX]], %[[FIRST]], %[[END]])
// CHECK:   %[[VALUE:.+]] = llvm.load volatile %[[FLAG]]
// CHECK:   %[[STOPS:.+]] = arith.cmpi ne, %[[VALUE]]
// CHECK:   cf.cond_br %[[STOPS]], ^[[STOP:.+]], ^[[GO:.+]]
// CHECK: ^[[GO]]:
// A call that no operation of the model has led to is not reported.
// CHECK-NOT: scf.if
// CHECK:   call @kernel_1
// CHECK:   llvm.load volatile %[[FLAG]]
// CHECK:   cf.cond_br %{{.+}}, ^[[STOP]]
// CHECK:   arith.constant 0 : i32
// CHECK: ^[[STOP]]:
// CHECK:   arith.constant 5 : i32
// CHECK: func.func @nnhal_entry(%[[CTX:.+]]: !llvm.ptr) -> i32
// CHECK:   %[[OUTPUTS:.+]] = llvm.getelementptr %[[CTX]][16]
// CHECK:   %[[NEEDED:.+]] = arith.constant 24 : i64
// CHECK:   arith.cmpi uge, %{{.*}}, %[[NEEDED]] : i64
// CHECK:   scf.if
// CHECK:     llvm.getelementptr %[[CTX]][8]
// CHECK:     llvm.getelementptr %[[CTX]][48]
// CHECK:     llvm.getelementptr %[[CTX]][32]
// CHECK:     llvm.getelementptr %[[CTX]][80]
// CHECK:     llvm.getelementptr %[[CTX]][104]
// CHECK:     llvm.getelementptr %[[CTX]][112]
// CHECK:     func.call @main
// CHECK:   } else {
// CHECK:     arith.constant 3 : i32
func.func @main(%in: memref<4xf32>, %out: memref<2x3xf32>, %constants: memref<64xi8>, %arena: memref<256xi8>)
    attributes {nnhal.entry, nnhal.input_count = 1 : i64, nnhal.output_count = 1 : i64} {
  call @kernel_0(%in) : (memref<4xf32>) -> () loc("operation 7 ADD")
  call @kernel_1(%in) : (memref<4xf32>) -> ()
  return
}
