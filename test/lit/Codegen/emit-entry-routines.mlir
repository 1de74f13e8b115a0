// RUN: nnhal-opt %s --nnhal-emit-entry | FileCheck %s

// A call of a routine of the runtime is a piece of work: it is reported, and the
// cancel flag is looked at behind it.

func.func private @kernel(%buffer: memref<4xf32>)

// CHECK: func.func @main({{.*}}, %[[FLAG:[^:]+]]: !llvm.ptr, %[[HOOK:[^:]+]]: !llvm.ptr, %{{[^:]+}}: !llvm.ptr, %{{[^:]+}}: !llvm.ptr) -> i32
// CHECK:   scf.if
// CHECK:     arith.constant 3 : i32
// CHECK:     llvm.call %[[HOOK]]
// CHECK:   %[[RESULT:.+]] = nnrt.call_routine
// CHECK:   scf.if
// CHECK:     arith.constant 3 : i32
// CHECK:     llvm.call %[[HOOK]]
// CHECK:   llvm.load volatile %[[FLAG]]
// CHECK:   cf.cond_br
// CHECK:   call @kernel(%[[RESULT]])
func.func @main(%in: memref<4xf32>, %out: memref<4xf32>, %constants: memref<64xi8>, %arena: memref<256xi8>)
    attributes {nnhal.entry, nnhal.input_count = 1 : i64, nnhal.output_count = 1 : i64} {
  %0 = nnrt.call_routine(%in) slot 0 signature [] : (memref<4xf32>) -> memref<4xf32> loc("operation 3 UNIQUE")
  call @kernel(%0) : (memref<4xf32>) -> ()
  return
}
