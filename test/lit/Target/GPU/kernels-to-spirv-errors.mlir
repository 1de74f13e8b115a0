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
    // expected-error@+1 {{'vector.load' op on a buffer has no form in kernels of GPUs}}
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

// -----

// Matrices that are not multiplied where they have been loaded.

gpu.module @kernels {
  gpu.func @kernel(%a: memref<256xf16>, %b: memref<256xf32>)
      workgroup(%s: memref<256xf16, #gpu.address_space<workgroup>>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %sum = gpu.subgroup_mma_constant_matrix %zero : !gpu.mma_matrix<16x16xf32, "COp">
    %x = gpu.subgroup_mma_load_matrix %s[%c0] {leadDimension = 16 : index}
        : memref<256xf16, #gpu.address_space<workgroup>> -> !gpu.mma_matrix<16x16xf16, "AOp">
    %y = gpu.subgroup_mma_load_matrix %s[%c0] {leadDimension = 16 : index}
        : memref<256xf16, #gpu.address_space<workgroup>> -> !gpu.mma_matrix<16x16xf16, "BOp">
    gpu.barrier
    // expected-error@+1 {{'gpu.subgroup_mma_compute' op has no form in SPIR-V for '!gpu.mma_matrix<16x16xf16, "AOp">'}}
    %p = gpu.subgroup_mma_compute %x, %y, %sum
        : !gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp"> -> !gpu.mma_matrix<16x16xf32, "COp">
    gpu.subgroup_mma_store_matrix %p, %b[%c0] {leadDimension = 16 : index}
        : !gpu.mma_matrix<16x16xf32, "COp">, memref<256xf32>
    gpu.return
  }
}

// -----

// Factors that are larger than what is multiplied at once.

gpu.module @kernels {
  gpu.func @kernel(%a: memref<256xf16>, %b: memref<256xf32>)
      workgroup(%s: memref<512xf16, #gpu.address_space<workgroup>>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %sum = gpu.subgroup_mma_constant_matrix %zero : !gpu.mma_matrix<16x16xf32, "COp">
    %x = gpu.subgroup_mma_load_matrix %s[%c0] {leadDimension = 32 : index}
        : memref<512xf16, #gpu.address_space<workgroup>> -> !gpu.mma_matrix<16x32xf16, "AOp">
    %y = gpu.subgroup_mma_load_matrix %s[%c0] {leadDimension = 16 : index}
        : memref<512xf16, #gpu.address_space<workgroup>> -> !gpu.mma_matrix<32x16xf16, "BOp">
    // expected-error@+1 {{'gpu.subgroup_mma_compute' op has no form in SPIR-V for '!gpu.mma_matrix<16x32xf16, "AOp">'}}
    %p = gpu.subgroup_mma_compute %x, %y, %sum
        : !gpu.mma_matrix<16x32xf16, "AOp">, !gpu.mma_matrix<32x16xf16, "BOp"> -> !gpu.mma_matrix<16x16xf32, "COp">
    gpu.subgroup_mma_store_matrix %p, %b[%c0] {leadDimension = 16 : index}
        : !gpu.mma_matrix<16x16xf32, "COp">, memref<256xf32>
    gpu.return
  }
}

// -----

// Sums that are loaded.

gpu.module @kernels {
  gpu.func @kernel(%a: memref<256xf16>, %b: memref<256xf32>)
      workgroup(%s: memref<512xf16, #gpu.address_space<workgroup>>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    // expected-error@+1 {{'gpu.subgroup_mma_load_matrix' op has no form in SPIR-V for 'memref<256xf32>'}}
    %sum = gpu.subgroup_mma_load_matrix %b[%c0] {leadDimension = 16 : index}
        : memref<256xf32> -> !gpu.mma_matrix<16x16xf32, "COp">
    gpu.subgroup_mma_store_matrix %sum, %b[%c0] {leadDimension = 16 : index}
        : !gpu.mma_matrix<16x16xf32, "COp">, memref<256xf32>
    gpu.return
  }
}
