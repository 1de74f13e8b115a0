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

// -----

// Matrices are in arrays of one dimension.

gpu.module @kernels {
  gpu.func @kernel(%b: memref<16x16xf32>)
      workgroup(%s: memref<16x16xf16, #gpu.address_space<workgroup>>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %sum = gpu.subgroup_mma_constant_matrix %zero : !gpu.mma_matrix<16x16xf32, "COp">
    // expected-error@+1 {{'gpu.subgroup_mma_store_matrix' op on a buffer has no form in kernels of GPUs}}
    gpu.subgroup_mma_store_matrix %sum, %b[%c0, %c0] {leadDimension = 16 : index}
        : !gpu.mma_matrix<16x16xf32, "COp">, memref<16x16xf32>
    gpu.return
  }
}
