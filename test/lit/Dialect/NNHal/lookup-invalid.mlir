// RUN: nnhal-opt %s --split-input-file --verify-diagnostics

func.func @embedding_rank(%i: tensor<3xi32>, %v: tensor<5xf32>) {
  // expected-error @below {{'nnhal.embedding_lookup' op values rank 1 is below 2}}
  %0 = nnhal.embedding_lookup %i, %v : (tensor<3xi32>, tensor<5xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @hits(%i: tensor<3xi32>, %k: tensor<5xi32>, %v: tensor<5x2xf32>) {
  // expected-error @below {{'nnhal.hashtable_lookup' op output 1 has scale 0.5 and zero point 0, expected scale 1 and zero point 0}}
  %1:2 = nnhal.hashtable_lookup %i, %k, %v : (tensor<3xi32>, tensor<5xi32>, tensor<5x2xf32>) -> (tensor<3x2xf32>, tensor<3x!quant.uniform<u8:f32, 0.5>>)
  return
}

// -----

func.func @projected(%h: tensor<4x2xf32>, %x: tensor<3x2xi32>) {
  // expected-error @below {{'nnhal.lsh_projection' op output dimension 0 is 8, expected 4}}
  %1 = nnhal.lsh_projection hash(%h) input(%x) kind sparse : (tensor<4x2xf32>, tensor<3x2xi32>) -> tensor<8xi32>
  return
}

// -----

func.func @no_sample(%l: tensor<2x16xf16>, %s: tensor<2xi32>) {
  // expected-error @below {{'nnhal.random_multinomial' op sample count 0 must be positive}}
  %0 = nnhal.random_multinomial %l, %s samples 0 : (tensor<2x16xf16>, tensor<2xi32>) -> tensor<2x0xi32>
  return
}
