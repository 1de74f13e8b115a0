// RUN: nnhal-opt %s --mlir-very-unsafe-disable-verifier-on-parsing \
// RUN:   --verify-each=false --nnhal-raise-operations="strict" \
// RUN:   --split-input-file --verify-diagnostics

// Without the verifier, which says most of this first where it sees the values.

nnhal.model @stated_rank attributes {hal_version = "1.3"} {
  nnhal.graph @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %c0 = nnhal.constant_copy dense<[6]> : tensor<1xi32> -> tensor<1xi32>
    // expected-error @below {{cannot compile RESHAPE: output shape 2x3 has rank 2, expected shape 6}}
    %r = nnhal.operation "RESHAPE"(%a, %c0)
        : (tensor<2x3xf32>, tensor<1xi32>) -> tensor<2x3xf32>
    nnhal.return %r : tensor<2x3xf32>
  }
}

// -----

nnhal.model @reshape_two_open attributes {hal_version = "1.3"} {
  nnhal.graph @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %c0 = nnhal.constant_copy dense<[-1, -1]> : tensor<2xi32> -> tensor<2xi32>
    // expected-error @below {{cannot compile RESHAPE: the shape has more than one -1}}
    %r = nnhal.operation "RESHAPE"(%a, %c0)
        : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<2x3xf32>
    nnhal.return %r : tensor<2x3xf32>
  }
}

// -----

nnhal.model @reshape_negative attributes {hal_version = "1.3"} {
  nnhal.graph @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %c0 = nnhal.constant_copy dense<[-2, 3]> : tensor<2xi32> -> tensor<2xi32>
    // expected-error @below {{cannot compile RESHAPE: element 0 of the shape is -2, below -1}}
    %r = nnhal.operation "RESHAPE"(%a, %c0)
        : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<2x3xf32>
    nnhal.return %r : tensor<2x3xf32>
  }
}

// -----

nnhal.model @reshape_no_fit attributes {hal_version = "1.3"} {
  nnhal.graph @main(%a: tensor<2x3xf32>) -> tensor<?x4xf32> {
    %c0 = nnhal.constant_copy dense<[-1, 4]> : tensor<2xi32> -> tensor<2xi32>
    // expected-error @below {{cannot compile RESHAPE: input has 6 elements, no multiple of the 4 that result shape ?x4 fixes}}
    %r = nnhal.operation "RESHAPE"(%a, %c0)
        : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<?x4xf32>
    nnhal.return %r : tensor<?x4xf32>
  }
}

// -----

nnhal.model @squeeze_unknown attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1x?xf32>) -> tensor<?xf32> {
    %n0 = nnhal.no_value : tensor<*xi32>
    // expected-error @below {{cannot raise SQUEEZE: squeezing without axes needs known extents}}
    %r = nnhal.operation "SQUEEZE"(%x, %n0)
        : (tensor<1x?xf32>, tensor<*xi32>) -> tensor<?xf32>
    nnhal.return %r : tensor<?xf32>
  }
}

// -----

nnhal.model @m109_axis attributes {hal_version = "1.3"} {
  nnhal.graph @main(%a: tensor<2x3xf32>, %c: tensor<1x3xf32>) -> tensor<3x3xf32> {
    %c0 = nnhal.constant_copy -1 : i32 -> i32
    // expected-error @below {{cannot compile CONCATENATION: axis -1 is outside [0, 2)}}
    %r = nnhal.operation "CONCATENATION"(%a, %c, %c0)
        : (tensor<2x3xf32>, tensor<1x3xf32>, i32) -> tensor<3x3xf32>
    nnhal.return %r : tensor<3x3xf32>
  }
}

// -----

nnhal.model @m111_count attributes {hal_version = "1.3"} {
  nnhal.graph @main(%a: tensor<2x3xf32>) -> tensor<1x3xf32> {
    %c0 = nnhal.constant_copy 0 : i32 -> i32
    %c1 = nnhal.constant_copy 2 : i32 -> i32
    // expected-error @below {{cannot compile SPLIT: found 1 outputs, expected 2, the number of splits}}
    %r = nnhal.operation "SPLIT"(%a, %c0, %c1)
        : (tensor<2x3xf32>, i32, i32) -> tensor<1x3xf32>
    nnhal.return %r : tensor<1x3xf32>
  }
}

// -----

nnhal.model @split_axis attributes {hal_version = "1.3"} {
  nnhal.graph @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %c0 = nnhal.constant_copy 2 : i32 -> i32
    %c1 = nnhal.constant_copy 1 : i32 -> i32
    // expected-error @below {{cannot compile SPLIT: axis 2 is outside [-2, 2)}}
    %r = nnhal.operation "SPLIT"(%a, %c0, %c1)
        : (tensor<2x3xf32>, i32, i32) -> tensor<2x3xf32>
    nnhal.return %r : tensor<2x3xf32>
  }
}

// -----

nnhal.model @fill_negative attributes {hal_version = "1.3"} {
  nnhal.graph @main() -> tensor<?x3xf32> {
    %c0 = nnhal.constant_copy dense<[-1, 3]> : tensor<2xi32> -> tensor<2xi32>
    %c1 = nnhal.constant_copy 1.5 : f32 -> f32
    // expected-error @below {{cannot compile FILL: dimension 0 is -1, expected at least 0}}
    %r = nnhal.operation "FILL"(%c0, %c1)
        : (tensor<2xi32>, f32) -> tensor<?x3xf32>
    nnhal.return %r : tensor<?x3xf32>
  }
}

// -----

nnhal.model @strided_slice_counts attributes {hal_version = "1.3"} {
  nnhal.graph @main(%a: tensor<2x3xf32>) -> tensor<1x1xf32> {
    %c0 = nnhal.constant_copy dense<[0]> : tensor<1xi32> -> tensor<1xi32>
    %c1 = nnhal.constant_copy dense<[1, 1]> : tensor<2xi32> -> tensor<2xi32>
    %c2 = nnhal.constant_copy 0 : i32 -> i32
    // expected-error @below {{cannot compile STRIDED_SLICE: begin has 1 elements, expected 2}}
    %r = nnhal.operation "STRIDED_SLICE"(%a, %c0, %c1, %c1, %c2, %c2, %c2)
        : (tensor<2x3xf32>, tensor<1xi32>, tensor<2xi32>, tensor<2xi32>, i32, i32, i32) -> tensor<1x1xf32>
    nnhal.return %r : tensor<1x1xf32>
  }
}
