// RUN: nnhal-opt %s --pass-pipeline='builtin.module(func.func(nnhal-vectorize-loops))' | FileCheck %s
// RUN: nnhal-opt %s --nnhal-set-target=parameters=reduction-accumulators=1 | nnhal-opt --pass-pipeline='builtin.module(func.func(nnhal-vectorize-loops))' | FileCheck %s --check-prefix=ONE

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>
#line = affine_map<(d0) -> (d0)>
#one = affine_map<(d0) -> ()>

// Two rounds of four registers, whose halves are joined; then the two elements
// that remain, as soon as the accumulator is as short. What the result was
// comes last.
// CHECK-LABEL: func.func @sum
// CHECK:         scf.forall (%[[ROW:.+]]) in (3)
// CHECK:           %[[ZERO:.+]] = arith.constant dense<0.000000e+00> : vector<32xf32>
// CHECK:           %[[SUMS:.+]] = scf.for {{.*}} iter_args(%[[S:.+]] = %[[ZERO]]) -> (vector<32xf32>)
// CHECK:             %[[V:.+]] = vector.load {{.*}} : memref<3x66xf32>, vector<32xf32>
// CHECK:             arith.addf %[[S]], %[[V]] : vector<32xf32>
// CHECK:           %[[LOW:.+]] = vector.extract_strided_slice %[[SUMS]] {offsets = [0], sizes = [16]
// CHECK:           %[[HIGH:.+]] = vector.extract_strided_slice %[[SUMS]] {offsets = [16], sizes = [16]
// CHECK:           arith.addf %[[LOW]], %[[HIGH]] : vector<16xf32>
// CHECK:           arith.addf {{.*}} : vector<8xf32>
// CHECK:           arith.addf {{.*}} : vector<4xf32>
// CHECK:           %[[TWO:.+]] = arith.addf {{.*}} : vector<2xf32>
// CHECK:           %[[REST:.+]] = vector.load {{.*}} : memref<3x66xf32>, vector<2xf32>
// CHECK:           arith.addf %[[TWO]], %[[REST]] : vector<2xf32>
// CHECK:           %[[LAST:.+]] = arith.addf {{.*}} : vector<1xf32>
// CHECK:           %[[ALL:.+]] = vector.extract %[[LAST]][0]
// CHECK:           %[[BEFORE:.+]] = memref.load %{{.+}}[%[[ROW]]]
// CHECK:           %[[AFTER:.+]] = arith.addf %[[BEFORE]], %[[ALL]] : f32
// CHECK:           memref.store %[[AFTER]], %{{.+}}[%[[ROW]]]
// CHECK:         } {mapping = [#nnk.piece]}

// ONE-LABEL: func.func @sum
// ONE:         scf.for {{.*}} -> (vector<8xf32>)
func.func @sum(%a: memref<3x66xf32>, %b: memref<3xf32>) {
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<3x66xf32>) outs(%b : memref<3xf32>) {
  ^bb0(%x: f32, %y: f32):
    %r = arith.addf %y, %x : f32
    linalg.yield %r : f32
  }
  return
}

// The element is the first operand of the comparison, so that no lane gets a
// NaN. A half register is half an accumulator.
// CHECK-LABEL: func.func @maximum
// CHECK:         %[[LEAST:.+]] = arith.constant dense<0xFF800000> : vector<8xf32>
// CHECK:         %[[V:.+]] = vector.load {{.*}} : memref<3x8xf16>, vector<8xf16>
// CHECK:         %[[X:.+]] = arith.extf %[[V]]
// CHECK:         %[[IS:.+]] = arith.cmpf ogt, %[[X]], %[[LEAST]] : vector<8xf32>
// CHECK:         %[[MAX:.+]] = arith.select %[[IS]], %[[X]], %[[LEAST]]
// CHECK:         %[[LOW:.+]] = vector.extract_strided_slice %[[MAX]] {offsets = [0], sizes = [4]
// CHECK:         %[[HIGH:.+]] = vector.extract_strided_slice %[[MAX]] {offsets = [4], sizes = [4]
// CHECK:         %[[IS_HIGH:.+]] = arith.cmpf ogt, %[[HIGH]], %[[LOW]] : vector<4xf32>
// CHECK:         arith.select %[[IS_HIGH]], %[[HIGH]], %[[LOW]]
func.func @maximum(%a: memref<3x8xf16>, %b: memref<3xf32>) {
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<3x8xf16>) outs(%b : memref<3xf32>) {
  ^bb0(%x: f16, %y: f32):
    %wide = arith.extf %x : f16 to f32
    %is = arith.cmpf ogt, %wide, %y : f32
    %r = arith.select %is, %wide, %y : f32
    linalg.yield %r : f32
  }
  return
}

// CHECK-LABEL: func.func @minimum
// CHECK:         arith.constant dense<0x7F800000> : vector<8xf32>
// CHECK:         arith.cmpf olt, {{.*}} : vector<8xf32>
func.func @minimum(%a: memref<3x8xf32>, %b: memref<3xf32>) {
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<3x8xf32>) outs(%b : memref<3xf32>) {
  ^bb0(%x: f32, %y: f32):
    %is = arith.cmpf olt, %x, %y : f32
    %r = arith.select %is, %x, %y : f32
    linalg.yield %r : f32
  }
  return
}

// This comparison has the accumulator first, which takes a NaN and then replaces
// it: the result depends on the order, so that the loop stays scalar.
// CHECK-LABEL: func.func @takes_nan
// CHECK-NOT:     vector
// CHECK:         %[[FIRST:.+]] = memref.load
// CHECK:         scf.for {{.*}} iter_args(%[[S:.+]] = %[[FIRST]]) -> (f32)
// CHECK:           arith.cmpf ogt, %[[S]], %{{.+}} : f32
func.func @takes_nan(%a: memref<3x8xf32>, %b: memref<3xf32>) {
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<3x8xf32>) outs(%b : memref<3xf32>) {
  ^bb0(%x: f32, %y: f32):
    %is = arith.cmpf ogt, %y, %x : f32
    %r = arith.select %is, %y, %x : f32
    linalg.yield %r : f32
  }
  return
}

// Differences depend on the order; half a register of elements is no gain;
// every other element is not contiguous.
// CHECK-LABEL: func.func @scalar
// CHECK-NOT:     vector
// CHECK:         scf.for {{.*}} -> (f32)
// CHECK:           arith.subf {{.*}} : f32
// CHECK:         scf.for {{.*}} -> (f32)
// CHECK:           arith.addf {{.*}} : f32
// CHECK:         scf.for {{.*}} -> (f32)
// CHECK:           arith.addf {{.*}} : f32
func.func @scalar(%a: memref<3x8xf32>, %b: memref<3xf32>, %short: memref<3x7xf32>, %columns: memref<3x8xf32, strided<[16, 2]>>) {
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<3x8xf32>) outs(%b : memref<3xf32>) {
  ^bb0(%x: f32, %y: f32):
    %r = arith.subf %y, %x : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%short : memref<3x7xf32>) outs(%b : memref<3xf32>) {
  ^bb0(%x: f32, %y: f32):
    %r = arith.addf %y, %x : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%columns : memref<3x8xf32, strided<[16, 2]>>) outs(%b : memref<3xf32>) {
  ^bb0(%x: f32, %y: f32):
    %r = arith.addf %y, %x : f32
    linalg.yield %r : f32
  }
  return
}

// Products of two inputs, one of which all rows share. A body of five
// operations leaves registers for two accumulators of 16.
// CHECK-LABEL: func.func @products
// CHECK:         scf.forall
// CHECK:           %[[SUMS:.+]] = scf.for {{.*}} iter_args(%[[S:.+]] = %{{.+}}) -> (vector<16xi32>)
// CHECK-DAG:         vector.load {{.*}} : memref<3x64xi8>, vector<16xi8>
// CHECK-DAG:         vector.load {{.*}} : memref<64xi8>, vector<16xi8>
// CHECK:             arith.addi %[[S]], %{{.+}} : vector<16xi32>
func.func @products(%a: memref<3x64xi8>, %b: memref<64xi8>, %c: memref<3xi32>) {
  %zero = arith.constant 3 : i32
  linalg.generic {indexing_maps = [#id, #column, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a, %b : memref<3x64xi8>, memref<64xi8>) outs(%c : memref<3xi32>) {
  ^bb0(%x: i8, %y: i8, %z: i32):
    %p = arith.extsi %x : i8 to i32
    %q = arith.extsi %y : i8 to i32
    %moved = arith.subi %p, %zero : i32
    %product = arith.muli %moved, %q : i32
    %r = arith.addi %z, %product : i32
    linalg.yield %r : i32
  }
  return
}

// A loop of one round makes a kernel of what has none around it.
// CHECK-LABEL: func.func @all
// CHECK:         scf.for %{{.+}} = %c0{{.*}} to %c1{{.*}} step %c1
// CHECK:           scf.for {{.*}} -> (vector<32xf32>)
// CHECK:           memref.store
// CHECK:         }
// CHECK-NEXT:    return
func.func @all(%a: memref<64xf32>, %b: memref<f32>) {
  linalg.generic {indexing_maps = [#line, #one], iterator_types = ["reduction"]}
      ins(%a : memref<64xf32>) outs(%b : memref<f32>) {
  ^bb0(%x: f32, %y: f32):
    %r = arith.addf %y, %x : f32
    linalg.yield %r : f32
  }
  return
}
