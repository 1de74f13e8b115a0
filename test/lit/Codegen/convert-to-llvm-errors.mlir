// RUN: nnhal-opt %s --nnhal-convert-to-llvm --split-input-file --verify-diagnostics

func.func @space(%buffer: memref<4xf32, 3>) {
  // expected-error @+1 {{frees a buffer in memory space 3 : i64, expected the default one}}
  memref.dealloc %buffer : memref<4xf32, 3>
  return
}

// -----

func.func @loops(%buffer: memref<4xf32>) {
  %zero = arith.constant 0.0 : f32
  // expected-error @+1 {{failed to legalize operation 'linalg.fill'}}
  linalg.fill ins(%zero : f32) outs(%buffer : memref<4xf32>)
  return
}
