// RUN: nnhal-opt %s --nnhal-gpu-print-ptx --split-input-file --verify-diagnostics

// expected-error@+1 {{kernels would call 'expf', and PTX has no library}}
gpu.module @kernels {
  llvm.func @expf(f32) -> f32
  llvm.func @kernel(%x: f32, %a: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %y = llvm.call @expf(%x) : (f32) -> f32
    llvm.store %y, %a : f32, !llvm.ptr<1>
    llvm.return
  }
}

// -----

// expected-error@+1 {{LLVM cannot emit PTX: <unknown>:0:0: in function kernel void (i32): Support for dynamic alloca}}
gpu.module @kernels {
  llvm.func @use(%p: !llvm.ptr) attributes {passthrough = ["noinline"]} {
    %c = llvm.mlir.constant(1 : i32) : i32
    llvm.store volatile %c, %p : i32, !llvm.ptr
    llvm.return
  }
  llvm.func @kernel(%n: i32) attributes {nvvm.kernel} {
    %p = llvm.alloca %n x i32 : (i32) -> !llvm.ptr
    llvm.call @use(%p) : (!llvm.ptr) -> ()
    llvm.return
  }
}

// -----

// expected-error@+1 {{translation of kernels to LLVM IR failed}}
gpu.module @kernels {
  llvm.func @kernel() attributes {nvvm.kernel} {
    // expected-error@+1 {{cannot be converted to LLVM IR}}
    %c = arith.constant 1 : i32
    llvm.return
  }
}
