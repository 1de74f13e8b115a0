// RUN: nnhal-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: @lookups
// CHECK: nnhal.embedding_lookup %{{.*}}, %{{.*}} : (tensor<3xi32>, tensor<5x2xf32>) -> tensor<3x2xf32>
// CHECK: nnhal.hashtable_lookup %{{.*}}, %{{.*}}, %{{.*}} : (tensor<3xi32>, tensor<5xi32>, tensor<5x2xf32>) -> (tensor<3x2xf32>, tensor<3x!quant8_asymm{{[0-9]*}}>)
func.func @lookups(%i: tensor<3xi32>, %k: tensor<5xi32>, %v: tensor<5x2xf32>) {
  %0 = nnhal.embedding_lookup %i, %v : (tensor<3xi32>, tensor<5x2xf32>) -> tensor<3x2xf32>
  %1:2 = nnhal.hashtable_lookup %i, %k, %v : (tensor<3xi32>, tensor<5xi32>, tensor<5x2xf32>) -> (tensor<3x2xf32>, tensor<3x!quant.uniform<u8:f32, 1.0>>)
  return
}

// Operands are printed with their names; the weights may be left out.
// CHECK-LABEL: @projections
// CHECK: nnhal.lsh_projection hash(%{{.*}}) input(%{{.*}}) weights(%{{.*}}) kind dense : (tensor<4x2xf32>, tensor<3x2xi32>, tensor<3xf32>) -> tensor<8xi32>
// CHECK: nnhal.lsh_projection hash(%{{.*}}) input(%{{.*}}) kind sparse : (tensor<4x2xf32>, tensor<3x2xi32>) -> tensor<4xi32>
func.func @projections(%h: tensor<4x2xf32>, %x: tensor<3x2xi32>, %w: tensor<3xf32>) {
  %0 = nnhal.lsh_projection hash(%h) input(%x) weights(%w) kind dense : (tensor<4x2xf32>, tensor<3x2xi32>, tensor<3xf32>) -> tensor<8xi32>
  %1 = nnhal.lsh_projection hash(%h) input(%x) kind sparse : (tensor<4x2xf32>, tensor<3x2xi32>) -> tensor<4xi32>
  return
}

// CHECK-LABEL: @samples
// CHECK: nnhal.random_multinomial %{{.*}}, %{{.*}} samples 128 : (tensor<2x16xf16>, tensor<2xi32>) -> tensor<2x128xi32>
func.func @samples(%l: tensor<2x16xf16>, %s: tensor<2xi32>) {
  %0 = nnhal.random_multinomial %l, %s samples 128 : (tensor<2x16xf16>, tensor<2xi32>) -> tensor<2x128xi32>
  return
}
