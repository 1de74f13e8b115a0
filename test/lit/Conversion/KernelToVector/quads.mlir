// RUN: nnhal-opt %s --nnhal-set-target=parameters=vector-bits=512,vector-registers=32,dot-product=unsigned-by-signed --convert-nnk-to-vector | FileCheck %s --check-prefixes=CHECK,X86
// RUN: nnhal-opt %s --nnhal-set-target=parameters=vector-bits=128,vector-registers=32,dot-product=signed-by-signed --convert-nnk-to-vector | FileCheck %s --check-prefixes=CHECK,ARM
// RUN: nnhal-opt %s --convert-nnk-to-vector | FileCheck %s --check-prefixes=CHECK,PLAIN

// Four bytes of a pixel at once, weights as they are, one instruction for each
// accumulator. Where inputs have the other sign, or there is no instruction,
// what it does is written out.
// CHECK-LABEL: @unsigned_input
// X86: %[[WEIGHTS:.+]] = vector.load {{.*}} : memref<128xi8>, vector<64xi8>
// X86: %[[QUAD:.+]] = vector.load {{.*}} : memref<128xi8>, vector<4xi8>
// X86: %[[WORD:.+]] = vector.bitcast %[[QUAD]] : vector<4xi8> to vector<1xi32>
// X86: %[[WORDS:.+]] = vector.broadcast %[[WORD]] : vector<1xi32> to vector<16xi32>
// X86: %[[QUADS:.+]] = vector.bitcast %[[WORDS]] : vector<16xi32> to vector<64xi8>
// X86: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"(%{{.+}}, %[[QUADS]], %[[WEIGHTS]])
// ARM-NOT: call_intrinsic
// ARM: arith.extui {{.*}} : vector<16xi8> to vector<16xi32>
// PLAIN: arith.extsi {{.*}} : vector<32xi8> to vector<32xi32>
// PLAIN: arith.extui {{.*}} : vector<32xi8> to vector<32xi32>
// PLAIN: %[[PRODUCTS:.+]] = arith.muli {{.*}} : vector<32xi32>
// PLAIN: %[[EVEN:.+]] = vector.shuffle %[[PRODUCTS]], %[[PRODUCTS]] [0, 2, 4, {{.*}}, 30]
// PLAIN: %[[ODD:.+]] = vector.shuffle %[[PRODUCTS]], %[[PRODUCTS]] [1, 3, 5, {{.*}}, 31]
// PLAIN: %[[PAIRS:.+]] = arith.addi %[[EVEN]], %[[ODD]] : vector<16xi32>
// PLAIN: vector.shuffle %[[PAIRS]], %[[PAIRS]] [0, 2, 4, 6, 8, 10, 12, 14]
// CHECK: return
func.func @unsigned_input(%in: memref<1x4x4x8xi8>, %filter: memref<1x1x1x2x64xi8>, %bias: memref<1x16xi32>, %out: memref<1x4x4x16xi32>) {
  nnk.conv_2d ins(%in, %filter, %bias : memref<1x4x4x8xi8>, memref<1x1x1x2x64xi8>, memref<1x16xi32>) outs(%out : memref<1x4x4x16xi32>)
      strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0] unsigned_input
  return
}

// CHECK-LABEL: @signed_input
// X86-NOT: call_intrinsic
// ARM: llvm.call_intrinsic "llvm.aarch64.neon.sdot.v4i32.v16i8"
// PLAIN-NOT: arith.extui
// CHECK: return
func.func @signed_input(%in: memref<1x4x4x8xi8>, %filter: memref<1x1x1x2x64xi8>, %bias: memref<1x16xi32>, %out: memref<1x4x4x16xi32>) {
  nnk.conv_2d ins(%in, %filter, %bias : memref<1x4x4x8xi8>, memref<1x1x1x2x64xi8>, memref<1x16xi32>) outs(%out : memref<1x4x4x16xi32>)
      strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0]
  return
}

// A number for each pixel is the same for all of its channels.
// CHECK-LABEL: @extra_of_pixels
// PLAIN: scf.yield
// PLAIN: %[[SUM:.+]] = memref.load %{{.+}} : memref<16xi32>
// PLAIN: %[[SUMS:.+]] = vector.broadcast %[[SUM]] : i32 to vector<8xi32>
// PLAIN: arith.addi %{{.+}}, %[[SUMS]] : vector<8xi32>
func.func @extra_of_pixels(%in: memref<1x4x4x8xi8>, %filter: memref<1x1x1x2x64xi8>, %bias: memref<1x16xi32>, %sums: memref<1x4x4x1xi32>, %out: memref<1x4x4x16xi32>) {
  nnk.conv_2d ins(%in, %filter, %bias : memref<1x4x4x8xi8>, memref<1x1x1x2x64xi8>, memref<1x16xi32>) extras(%sums : memref<1x4x4x1xi32>) outs(%out : memref<1x4x4x16xi32>)
      strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0] epilogue {
  ^bb0(%acc: i32, %sum: i32):
    %r = arith.addi %acc, %sum : i32
    nnk.yield %r : i32
  }
  return
}

// For one output channel, registers hold 72 input channels of a pixel: 64 and,
// with zeros behind them, 8. The lanes are added up at the end.
// CHECK-LABEL: @one_output_channel
// X86: %[[ZEROS:.+]] = arith.constant dense<0> : vector<16xi32>
// X86: vector.load {{.*}} : memref<72xi8>, vector<64xi8>
// X86: vector.load {{.*}} : memref<216xi8>, vector<64xi8>
// X86: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"(%[[ZEROS]],
// X86: vector.load {{.*}} : memref<72xi8>, vector<8xi8>
// X86: vector.insert_strided_slice {{.*}} : vector<8xi8> into vector<64xi8>
// X86: %[[SUM:.+]] = vector.reduction <add>, %{{.+}}, %{{.+}} : vector<16xi32> into i32
// X86: vector.broadcast %[[SUM]] : i32 to vector<1xi32>
// PLAIN: vector.reduction <add>
// CHECK: return
func.func @one_output_channel(%in: memref<1x1x3x72xi8>, %filter: memref<1x1x1x18x4xi8>, %bias: memref<1x1xi32>, %out: memref<1x1x3x1xi32>) {
  nnk.conv_2d ins(%in, %filter, %bias : memref<1x1x3x72xi8>, memref<1x1x1x18x4xi8>, memref<1x1xi32>) outs(%out : memref<1x1x3x1xi32>)
      strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0] unsigned_input
  return
}

// Neither an input nor what sums begin with may push accumulators out of the
// registers: five pixels of four registers each, where floats take six.
// X86-LABEL: @tiles
// X86: scf.forall {{.*}} step (5)
// X86-COUNT-20: llvm.call_intrinsic
// X86-NOT: llvm.call_intrinsic
// X86: return
func.func @tiles(%in: memref<1x1x60x8xi8>, %filter: memref<1x1x1x2x256xi8>, %bias: memref<1x64xi32>, %out: memref<1x1x60x64xi32>) {
  nnk.conv_2d ins(%in, %filter, %bias : memref<1x1x60x8xi8>, memref<1x1x1x2x256xi8>, memref<1x64xi32>) outs(%out : memref<1x1x60x64xi32>)
      strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0] unsigned_input
  return
}

// Tiles of one channel have two pixels, whatever the others have, and overlap:
// seven are four tiles.

// X86-LABEL: @sums_of_pixels
// X86: scf.forall (%[[AT:.+]]) = (0) to (8) step (2)
// X86: arith.minsi %[[AT]], %c5
// X86-COUNT-2: vector.reduction <add>
// X86-NOT: vector.reduction
// X86: return
func.func @sums_of_pixels(%in: memref<1x1x7x72xi8>, %filter: memref<1x1x1x18x4xi8>, %bias: memref<1x1xi32>, %out: memref<1x1x7x1xi32>) {
  nnk.conv_2d ins(%in, %filter, %bias : memref<1x1x7x72xi8>, memref<1x1x1x18x4xi8>, memref<1x1xi32>)
      outs(%out : memref<1x1x7x1xi32>)
      strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0] unsigned_input
  return
}
