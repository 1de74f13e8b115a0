// RUN: nnhal-opt %s --nnhal-emit-entry --split-input-file --verify-diagnostics

// expected-error @+1 {{entry function has 1 arguments instead of its inputs, its outputs, the constants and the arena}}
func.func @main(%in: memref<4xf32>)
    attributes {nnhal.entry, nnhal.input_count = 1 : i64, nnhal.output_count = 1 : i64} {
  return
}

// -----

// Only the body of the entry function has the flag.
func.func private @kept(memref<4xf32>) attributes {nnhal.kernel = "0f", nnhal.polls_flag}
func.func @main(%in: memref<4xf32>, %out: memref<4xf32>, %constants: memref<64xi8>, %arena: memref<64xi8>)
    attributes {nnhal.entry, nnhal.input_count = 1 : i64, nnhal.output_count = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %c1 step %c1 {
    // expected-error @below {{'func.call' op calls 'kept', whose code takes the flag that cancels executions, elsewhere than in the body of the entry function}}
    func.call @kept(%out) : (memref<4xf32>) -> ()
  }
  return
}
