// RUN: nnhal-opt %s --nnhal-emit-entry --split-input-file --verify-diagnostics

// expected-error @+1 {{entry function has 1 arguments instead of its inputs, its outputs, the constants and the arena}}
func.func @main(%in: memref<4xf32>)
    attributes {nnhal.entry, nnhal.input_count = 1 : i64, nnhal.output_count = 1 : i64} {
  return
}
