// RUN: nnhal-opt %s --nnhal-gpu-kernels-to-nvvm --split-input-file --verify-diagnostics

gpu.module @kernels {
  // expected-error@+1 {{'gpu.func' op has no extents of workgroups: expected 'known_block_size' or 'spirv.entry_point_abi'}}
  gpu.func @kernel(%a: memref<4xf32>) kernel {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @kernel(%a: memref<4xf64>) kernel
      attributes {known_block_size = array<i32: 4, 1, 1>} {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<4xf64>
    // expected-error@+1 {{'math.exp' op has no form in PTX for 'f64'}}
    %y = math.exp %x : f64
    memref.store %y, %a[%i] : memref<4xf64>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @kernel(%a: memref<4xi32>) kernel
      attributes {known_block_size = array<i32: 4, 1, 1>} {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<4xi32>
    // expected-error@+1 {{'tensor.splat' op has no form in PTX for 'i32'}}
    %y = tensor.splat %x : tensor<4xi32>
    %z = tensor.extract %y[%i] : tensor<4xi32>
    memref.store %z, %a[%i] : memref<4xi32>
    gpu.return
  }
}
