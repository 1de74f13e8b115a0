// RUN: nnhal-opt %s --nnhal-gpu-kernels-to-spirv --split-input-file --verify-diagnostics

gpu.module @kernels {
  // expected-error@+1 {{'gpu.func' op has no extents of workgroups: expected 'known_block_size' or 'spirv.entry_point_abi'}}
  gpu.func @kernel(%a: memref<4xf32>) kernel {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error@+1 {{'gpu.func' op has argument 1 of type 'memref<?xf32>': kernels take buffers of static shape and identity layout}}
  gpu.func @kernel(%a: memref<4xf32>, %b: memref<?xf32>) kernel
      attributes {known_block_size = array<i32: 4, 1, 1>} {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @kernel(%a: memref<4xf64>) kernel
      attributes {known_block_size = array<i32: 4, 1, 1>} {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<4xf64>
    // expected-error@+1 {{'math.exp' op has no form in SPIR-V for 'f64'}}
    %y = math.exp %x : f64
    memref.store %y, %a[%i] : memref<4xf64>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @kernel(%a: memref<16xf32>) kernel
      attributes {known_block_size = array<i32: 4, 1, 1>} {
    %i = gpu.thread_id x
    // expected-error@+1 {{'vector.load' op on a buffer has no form in SPIR-V}}
    %x = vector.load %a[%i] : memref<16xf32>, vector<4xf32>
    vector.store %x, %a[%i] : memref<16xf32>, vector<4xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @kernel(%a: memref<4xi32>) kernel
      attributes {known_block_size = array<i32: 4, 1, 1>} {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<4xi32>
    // expected-error@+1 {{'math.ctpop' op has no form in SPIR-V for 'i32'}}
    %y = math.ctpop %x : i32
    memref.store %y, %a[%i] : memref<4xi32>
    gpu.return
  }
}
