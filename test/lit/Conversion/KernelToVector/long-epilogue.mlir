// RUN: nnhal-opt %s --convert-nnk-to-vector | FileCheck %s

// A long epilogue runs in a loop over the stored accumulators of a tile, two
// registers of them at once where the results are narrower.
// CHECK-LABEL: func @requantized
// CHECK: %[[SCRATCH:.+]] = memref.alloca() {alignment = 64 : i64, nnhal.scratch} : memref<96xi32>
// CHECK-COUNT-12: vector.store {{.*}}, %[[SCRATCH]][%{{.+}}] : memref<96xi32>, vector<8xi32>
// CHECK: scf.for
// CHECK: vector.load %[[SCRATCH]][%{{.+}}] : memref<96xi32>, vector<16xi32>
// CHECK-COUNT-1: nnk.doubling_high_mul {{.*}} : vector<16xi32>
// CHECK-NOT: nnk.doubling_high_mul
// CHECK: vector.store {{.*}} : memref<96xi8>, vector<16xi8>
func.func @requantized(%in: memref<1x1x6x8xi16>, %filter: memref<1x1x1x4x32xi8>,
                       %bias: memref<1x16xi32>, %out: memref<1x1x6x16xi8>) {
  nnk.conv_2d ins(%in, %filter, %bias : memref<1x1x6x8xi16>, memref<1x1x1x4x32xi8>, memref<1x16xi32>)
      outs(%out : memref<1x1x6x16xi8>)
      strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0] epilogue {
  ^bb0(%sum: i32):
    %multiplier = arith.constant 1500000000 : i32
    %half = arith.constant 64 : i32
    %shift = arith.constant 7 : i32
    %sign = arith.constant 31 : i32
    %low = arith.constant -128 : i32
    %high = arith.constant 127 : i32
    %0 = nnk.doubling_high_mul %sum, %multiplier nsw : i32
    %1 = arith.shrsi %0, %sign : i32
    %2 = arith.addi %0, %1 : i32
    %3 = arith.addi %2, %half : i32
    %4 = arith.shrsi %3, %shift : i32
    %5 = arith.maxsi %4, %low : i32
    %6 = arith.minsi %5, %high : i32
    %7 = arith.addi %6, %sign : i32
    %8 = arith.trunci %7 : i32 to i8
    nnk.yield %8 : i8
  }
  return
}
