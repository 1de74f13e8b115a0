// RUN: nnhal-opt %s --nnhal-gpu-kernels-to-spirv --split-input-file --verify-diagnostics

// Factors that are larger than what the runtime asks devices for.

module attributes {nnhal.target = #nnhal.target<"vulkan", parameters = {device_class = "cooperative-matrices"}>} {
gpu.module @kernels {
  gpu.func @kernel(%b: memref<256xf32>)
      workgroup(%s: memref<512xf16, #gpu.address_space<workgroup>>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    // expected-error@+1 {{'gpu.subgroup_mma_load_matrix' op has no form in SPIR-V for 'memref<512xf16, #gpu.address_space<workgroup>>'}}
    %x = gpu.subgroup_mma_load_matrix %s[%c0] {leadDimension = 32 : index}
        : memref<512xf16, #gpu.address_space<workgroup>> -> !gpu.mma_matrix<16x32xf16, "AOp">
    gpu.return
  }
}
}

// -----

// Sums of another type than those of the factors.

module attributes {nnhal.target = #nnhal.target<"vulkan", parameters = {device_class = "cooperative-halves"}>} {
gpu.module @kernels {
  gpu.func @kernel(%b: memref<256xi32>)
      workgroup(%s: memref<256xf16, #gpu.address_space<workgroup>>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %sum = gpu.subgroup_mma_constant_matrix %zero : !gpu.mma_matrix<16x16xi32, "COp">
    %x = gpu.subgroup_mma_load_matrix %s[%c0] {leadDimension = 16 : index}
        : memref<256xf16, #gpu.address_space<workgroup>> -> !gpu.mma_matrix<16x16xf16, "AOp">
    %y = gpu.subgroup_mma_load_matrix %s[%c0] {leadDimension = 16 : index}
        : memref<256xf16, #gpu.address_space<workgroup>> -> !gpu.mma_matrix<16x16xf16, "BOp">
    // expected-error@+1 {{'gpu.subgroup_mma_compute' op has no form in SPIR-V for '!gpu.mma_matrix<16x16xf16, "AOp">'}}
    %p = gpu.subgroup_mma_compute %x, %y, %sum
        : !gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp"> -> !gpu.mma_matrix<16x16xi32, "COp">
    gpu.return
  }
}
}
