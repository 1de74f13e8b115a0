// RUN: nnhal-opt %s --nnhal-raise-operations --convert-nnhal-graph-to-func --convert-nnhal-to-linalg --canonicalize --split-input-file | FileCheck %s

// Only the part of other units is requantized; both are inserted.

// CHECK-LABEL: func.func @main
// CHECK:         %[[RESULT:.+]] = tensor.empty() : tensor<2x5xi8>
// CHECK:         %[[FIRST:.+]] = tensor.insert_slice %{{.+}} into %[[RESULT]][0, 0] [2, 3] [1, 1]
// CHECK:         %[[PART:.+]] = linalg.generic
// CHECK:           arith.mulf
// CHECK:           arith.trunci
// CHECK:         tensor.insert_slice %[[PART]] into %[[FIRST]][0, 3] [2, 2] [1, 1]
nnhal.model @concatenation attributes {hal_version = "1.3"} {
  nnhal.graph @main(%a: tensor<2x3x!quant.uniform<u8:f32, 0.5:10>>, %b: tensor<2x2x!quant.uniform<u8:f32, 0.25:3>>) -> tensor<2x5x!quant.uniform<u8:f32, 0.5:10>> {
    %axis = nnhal.constant_copy 1 : i32 -> i32
    %r = nnhal.operation "CONCATENATION"(%a, %b, %axis)
        : (tensor<2x3x!quant.uniform<u8:f32, 0.5:10>>, tensor<2x2x!quant.uniform<u8:f32, 0.25:3>>, i32) -> tensor<2x5x!quant.uniform<u8:f32, 0.5:10>>
    nnhal.return %r : tensor<2x5x!quant.uniform<u8:f32, 0.5:10>>
  }
}

// -----

// A known permutation of unknown extents leaves nothing to check.

// CHECK-LABEL: func.func @main
// CHECK-NOT:     nnrt.check
// CHECK:         linalg.transpose {{.*}} permutation = [1, 0]
nnhal.model @transpose attributes {hal_version = "1.3"} {
  nnhal.graph @main(%a: tensor<?x?xf16>) -> tensor<?x?xf16> {
    %p = nnhal.constant_copy dense<[1, 0]> : tensor<2xi32> -> tensor<2xi32>
    %r = nnhal.operation "TRANSPOSE"(%a, %p)
        : (tensor<?x?xf16>, tensor<2xi32>) -> tensor<?x?xf16>
    nnhal.return %r : tensor<?x?xf16>
  }
}

// -----

// The stated shape is what a computed one must be.

// CHECK-LABEL: func.func @main
// CHECK:         %[[SIZE:.+]] = tensor.extract
// CHECK:         nnrt.check {{.+}} reason 2
// CHECK:         tensor.expand_shape {{.+}} tensor<6xf32> into tensor<2x3xf32>
nnhal.model @reshape attributes {hal_version = "1.3"} {
  nnhal.graph @main(%a: tensor<6xf32>, %s: tensor<2xi32>) -> tensor<2x3xf32> {
    %r = nnhal.operation "RESHAPE"(%a, %s)
        : (tensor<6xf32>, tensor<2xi32>) -> tensor<2x3xf32>
    nnhal.return %r : tensor<2x3xf32>
  }
}

// -----

// Without elements the end of a dimension is no offset of a slice.

// CHECK-LABEL: func.func @main
// CHECK-NOT:     tensor.insert_slice
// CHECK:         return
nnhal.model @concatenation_of_nothing attributes {hal_version = "1.3"} {
  nnhal.graph @main(%a: tensor<2x3xf16>, %z: tensor<?x3xf16>) -> tensor<?x3xf16> {
    %axis = nnhal.constant_copy 0 : i32 -> i32
    %begin = nnhal.constant_copy dense<[0, 0]> : tensor<2xi32> -> tensor<2xi32>
    %size = nnhal.constant_copy dense<[0, 3]> : tensor<2xi32> -> tensor<2xi32>
    %s = nnhal.operation "SLICE"(%a, %begin, %size)
        : (tensor<2x3xf16>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x3xf16>
    %r = nnhal.operation "CONCATENATION"(%a, %s, %axis)
        : (tensor<2x3xf16>, tensor<?x3xf16>, i32) -> tensor<?x3xf16>
    nnhal.return %r : tensor<?x3xf16>
  }
}

// -----

// Indices are looked through before any is used.

// CHECK-LABEL: func.func @main
// CHECK:         %[[ALL:.+]]:2 = scf.for
// CHECK:         nnrt.check %[[ALL]]#0, %[[ALL]]#1, %{{.+}} reason 4
// CHECK:         linalg.generic
nnhal.model @embedding_lookup attributes {hal_version = "1.3"} {
  nnhal.graph @main(%i: tensor<3xi32>, %v: tensor<4x2x!quant.uniform<u8:f32, 0.5:10>>) -> tensor<3x2x!quant.uniform<u8:f32, 0.5:10>> {
    %r = nnhal.operation "EMBEDDING_LOOKUP"(%i, %v)
        : (tensor<3xi32>, tensor<4x2x!quant.uniform<u8:f32, 0.5:10>>) -> tensor<3x2x!quant.uniform<u8:f32, 0.5:10>>
    nnhal.return %r : tensor<3x2x!quant.uniform<u8:f32, 0.5:10>>
  }
}
