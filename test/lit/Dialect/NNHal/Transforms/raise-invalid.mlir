// RUN: nnhal-opt %s --mlir-very-unsafe-disable-verifier-on-parsing \
// RUN:   --verify-each=false --nnhal-raise-operations="strict" \
// RUN:   --split-input-file --verify-diagnostics

// Without the verifier, which says most of this first where it sees the values.

nnhal.model @computed_scalar attributes {hal_version = "1.3"} {
  nnhal.graph @main(%a: tensor<2x3xf32>, %c: tensor<1x3xf32>, %s: i32) -> tensor<2x3xf32> {
    // expected-error @below {{cannot raise ADD: input 2 is not a constant}}
    %r = nnhal.operation "ADD"(%a, %c, %s)
        : (tensor<2x3xf32>, tensor<1x3xf32>, i32) -> tensor<2x3xf32>
    nnhal.return %r : tensor<2x3xf32>
  }
}

// -----

nnhal.model @missing_scalar attributes {hal_version = "1.3"} {
  nnhal.graph @main(%a: tensor<2x3xf32>, %c: tensor<1x3xf32>) -> tensor<2x3xf32> {
    // expected-error @below {{cannot compile ADD: found 2 inputs, expected 3}}
    %r = nnhal.operation "ADD"(%a, %c)
        : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
    nnhal.return %r : tensor<2x3xf32>
  }
}

// -----

nnhal.model @omitted_tensor attributes {hal_version = "1.3"} {
  nnhal.graph @main() -> tensor<2x3xf32> {
    %n0 = nnhal.no_value : tensor<2x3xf32>
    // expected-error @below {{cannot compile RELU: input 0 (input) is omitted, but it is not optional}}
    %r = nnhal.operation "RELU"(%n0)
        : (tensor<2x3xf32>) -> tensor<2x3xf32>
    nnhal.return %r : tensor<2x3xf32>
  }
}

// -----

nnhal.model @unknown_rank attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<*xf32>) -> tensor<2x3xf32> {
    // expected-error @below {{cannot raise RELU: the rank of input 0 is unknown}}
    %r = nnhal.operation "RELU"(%x)
        : (tensor<*xf32>) -> tensor<2x3xf32>
    nnhal.return %r : tensor<2x3xf32>
  }
}

// -----

nnhal.model @not_int32 attributes {hal_version = "1.3"} {
  nnhal.graph @main(%a: tensor<2x3xf32>, %c: tensor<1x3xf32>) -> tensor<2x3xf32> {
    %c0 = nnhal.constant_copy 1.0 : f32 -> f32
    // expected-error @below {{cannot compile ADD: input 2 (activation) has type FLOAT32, expected INT32}}
    %r = nnhal.operation "ADD"(%a, %c, %c0)
        : (tensor<2x3xf32>, tensor<1x3xf32>, f32) -> tensor<2x3xf32>
    nnhal.return %r : tensor<2x3xf32>
  }
}

// -----

nnhal.model @not_float attributes {hal_version = "1.3"} {
  nnhal.graph @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %c0 = nnhal.constant_copy 1 : i32 -> i32
    // expected-error @below {{cannot compile ELU: input 1 (alpha) has type INT32, expected FLOAT32}}
    %r = nnhal.operation "ELU"(%a, %c0)
        : (tensor<2x3xf32>, i32) -> tensor<2x3xf32>
    nnhal.return %r : tensor<2x3xf32>
  }
}

// -----

nnhal.model @not_bool attributes {hal_version = "1.3"} {
  nnhal.graph @main(%a: tensor<2x3xf32>) -> tensor<1x3xf32> {
    %c0 = nnhal.constant_copy dense<[0]> : tensor<1xi32> -> tensor<1xi32>
    %c1 = nnhal.constant_copy 1 : i32 -> i32
    // expected-error @below {{cannot compile REDUCE_MAX: input 2 (keep_dims) has type INT32, expected BOOL}}
    %r = nnhal.operation "REDUCE_MAX"(%a, %c0, %c1)
        : (tensor<2x3xf32>, tensor<1xi32>, i32) -> tensor<1x3xf32>
    nnhal.return %r : tensor<1x3xf32>
  }
}

// -----

nnhal.model @not_integers attributes {hal_version = "1.3"} {
  nnhal.graph @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %c0 = nnhal.constant_copy 1 : i32 -> i32
    // expected-error @below {{cannot compile SQUEEZE: input 1 (axes) has rank 0, expected 1}}
    %r = nnhal.operation "SQUEEZE"(%a, %c0)
        : (tensor<2x3xf32>, i32) -> tensor<2x3xf32>
    nnhal.return %r : tensor<2x3xf32>
  }
}

// -----

nnhal.model @m018_activation attributes {hal_version = "1.3"} {
  nnhal.graph @main(%a: tensor<2x3xf32>, %c: tensor<1x3xf32>) -> tensor<2x3xf32> {
    %c0 = nnhal.constant_copy 4 : i32 -> i32
    // expected-error @below {{cannot compile ADD: fused activation 4 is outside [0, 3]}}
    %r = nnhal.operation "ADD"(%a, %c, %c0)
        : (tensor<2x3xf32>, tensor<1x3xf32>, i32) -> tensor<2x3xf32>
    nnhal.return %r : tensor<2x3xf32>
  }
}

// -----

nnhal.model @m008_scheme attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1x8x6x3xf32>) -> tensor<1x8x6x3xf32> {
    %c0 = nnhal.constant_copy 3 : i32 -> i32
    %c1 = nnhal.constant_copy 1 : i32 -> i32
    %c2 = nnhal.constant_copy 0 : i32 -> i32
    // expected-error @below {{cannot compile MAX_POOL_2D: padding scheme is 3, expected 0 to 2}}
    %r = nnhal.operation "MAX_POOL_2D"(%x, %c0, %c1, %c1, %c1, %c1, %c2)
        : (tensor<1x8x6x3xf32>, i32, i32, i32, i32, i32, i32) -> tensor<1x8x6x3xf32>
    nnhal.return %r : tensor<1x8x6x3xf32>
  }
}

// -----

nnhal.model @m010_stride attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1x8x6x3xf32>) -> tensor<1x8x6x3xf32> {
    %c0 = nnhal.constant_copy 1 : i32 -> i32
    %c1 = nnhal.constant_copy 0 : i32 -> i32
    // expected-error @below {{cannot compile MAX_POOL_2D: stride height 0 must be positive}}
    %r = nnhal.operation "MAX_POOL_2D"(%x, %c0, %c0, %c1, %c0, %c0, %c1)
        : (tensor<1x8x6x3xf32>, i32, i32, i32, i32, i32, i32) -> tensor<1x8x6x3xf32>
    nnhal.return %r : tensor<1x8x6x3xf32>
  }
}

// -----

nnhal.model @nchw_rank attributes {hal_version = "1.3"} {
  nnhal.graph @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %c0 = nnhal.constant_copy 1 : i32 -> i32
    %c1 = nnhal.constant_copy 0 : i32 -> i32
    %c2 = nnhal.constant_copy 1 : i8 -> i8
    // expected-error @below {{cannot compile MAX_POOL_2D: input rank 2 is below 4}}
    %r = nnhal.operation "MAX_POOL_2D"(%a, %c0, %c0, %c0, %c0, %c0, %c1, %c2)
        : (tensor<2x3xf32>, i32, i32, i32, i32, i32, i32, i8) -> tensor<2x3xf32>
    nnhal.return %r : tensor<2x3xf32>
  }
}

// -----

nnhal.model @window_rank attributes {hal_version = "1.3"} {
  nnhal.graph @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %c0 = nnhal.constant_copy 1 : i32 -> i32
    %c1 = nnhal.constant_copy 0 : i32 -> i32
    // expected-error @below {{cannot compile MAX_POOL_2D: input rank 2 is below 4}}
    %r = nnhal.operation "MAX_POOL_2D"(%a, %c0, %c0, %c0, %c0, %c0, %c1)
        : (tensor<2x3xf32>, i32, i32, i32, i32, i32, i32) -> tensor<2x3xf32>
    nnhal.return %r : tensor<2x3xf32>
  }
}

// -----

nnhal.model @conv_rank attributes {hal_version = "1.3"} {
  nnhal.graph @main(%a: tensor<2x3xf32>, %w: tensor<16x3x3x3xf32>, %b: tensor<16xf32>) -> tensor<2x3xf32> {
    %c0 = nnhal.constant_copy 1 : i32 -> i32
    %c1 = nnhal.constant_copy 0 : i32 -> i32
    // expected-error @below {{cannot compile CONV_2D: input rank 2 is below 4}}
    %r = nnhal.operation "CONV_2D"(%a, %w, %b, %c0, %c0, %c0, %c1)
        : (tensor<2x3xf32>, tensor<16x3x3x3xf32>, tensor<16xf32>, i32, i32, i32, i32) -> tensor<2x3xf32>
    nnhal.return %r : tensor<2x3xf32>
  }
}

// -----

nnhal.model @no_such_operation attributes {hal_version = "1.3"} {
  nnhal.graph @main(%a: tensor<2x3xf32>) -> i32 {
    // expected-error @below {{cannot raise OEM_OPERATION: no canonical operation stands for it}}
    %r = nnhal.operation "OEM_OPERATION"(%a)
        : (tensor<2x3xf32>) -> i32
    nnhal.return %r : i32
  }
}

// -----

nnhal.model @input_count attributes {hal_version = "1.3"} {
  nnhal.graph @main(%a: tensor<2x3xf32>) -> i32 {
    // expected-error @below {{cannot compile RANK: found 2 inputs, expected 1}}
    %r = nnhal.operation "RANK"(%a, %a)
        : (tensor<2x3xf32>, tensor<2x3xf32>) -> i32
    nnhal.return %r : i32
  }
}

// -----

nnhal.model @output_count attributes {hal_version = "1.3"} {
  nnhal.graph @main(%i: tensor<3xi32>, %v: tensor<5x2xf32>) -> tensor<3x2xf32> {
    // expected-error @below {{cannot compile HASHTABLE_LOOKUP: found 1 outputs, expected 2}}
    %r = nnhal.operation "HASHTABLE_LOOKUP"(%i, %i, %v)
        : (tensor<3xi32>, tensor<3xi32>, tensor<5x2xf32>) -> tensor<3x2xf32>
    nnhal.return %r : tensor<3x2xf32>
  }
}

// -----

nnhal.model @unknown_enumerator attributes {hal_version = "1.3"} {
  nnhal.graph @main(%h: tensor<4x2xf32>, %x: tensor<3xi32>) -> tensor<4xi32> {
    %n = nnhal.no_value : tensor<3xf32>
    %c4 = nnhal.constant_copy 4 : i32 -> i32
    // expected-error @below {{cannot compile LSH_PROJECTION: projection type is 4, expected 1 to 3}}
    %r = nnhal.operation "LSH_PROJECTION"(%h, %x, %n, %c4)
        : (tensor<4x2xf32>, tensor<3xi32>, tensor<3xf32>, i32) -> tensor<4xi32>
    nnhal.return %r : tensor<4xi32>
  }
}

// -----

nnhal.model @time_major attributes {hal_version = "1.3"} {
  nnhal.graph @main(%q: tensor<2x7x3xf32>, %w: tensor<4x3xf32>, %r: tensor<4x4xf32>, %b: tensor<4xf32>, %h: tensor<2x4xf32>) -> tensor<2x7x4xf32> {
    %c1 = nnhal.constant_copy 1 : i32 -> i32
    %c2 = nnhal.constant_copy 2 : i32 -> i32
    // expected-error @below {{cannot compile UNIDIRECTIONAL_SEQUENCE_RNN: time major is 2, expected 0 or 1}}
    %0 = nnhal.operation "UNIDIRECTIONAL_SEQUENCE_RNN"(%q, %w, %r, %b, %h, %c1, %c2)
        : (tensor<2x7x3xf32>, tensor<4x3xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<2x4xf32>, i32, i32) -> tensor<2x7x4xf32>
    nnhal.return %0 : tensor<2x7x4xf32>
  }
}

// -----

nnhal.model @no_reference attributes {hal_version = "1.3"} {
  nnhal.graph @main(%c: tensor<1xi8>, %g: !nnhal.subgraph) -> tensor<1xi8> {
    // expected-error @below {{cannot raise IF: input 1 is no reference to a graph}}
    %r = nnhal.operation "IF"(%c, %g, %g)
        : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph) -> tensor<1xi8>
    nnhal.return %r : tensor<1xi8>
  }
}

// -----

// Raising the graph has found that it yields 2 elements.
nnhal.model @contradiction attributes {hal_version = "1.3"} {
  nnhal.graph @main(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<3xf32> {
    %ref = nnhal.subgraph_reference @ref
    // expected-error @below {{cannot raise IF: 'nnhal.if' op output 0 and output 0 of the then subgraph differ in dimensions [3] and [2]}}
    %r = nnhal.operation "IF"(%c, %ref, %ref, %x)
        : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<2xf32>) -> tensor<3xf32>
    nnhal.return %r : tensor<3xf32>
  }
  nnhal.graph @ref(%x: tensor<2xf32>) -> tensor<?xf32> {
    %0 = nnhal.operation "RELU"(%x) : (tensor<2xf32>) -> tensor<?xf32>
    nnhal.return %0 : tensor<?xf32>
  }
}

// -----

nnhal.model @rule_says_no attributes {hal_version = "1.3"} {
  nnhal.graph @main(%a: tensor<2x3xf32>) -> tensor<2x4xf32> {
    // expected-error @below {{cannot compile RELU: output dimension 1 is 4, expected 3}}
    %r = nnhal.operation "RELU"(%a)
        : (tensor<2x3xf32>) -> tensor<2x4xf32>
    nnhal.return %r : tensor<2x4xf32>
  }
}

// -----

nnhal.model @values_in_a_file attributes {hal_version = "1.3"} {
  nnhal.pool @pool0 {kind = "mmap_fd", file = "weights.bin", size = 8 : i64}
  nnhal.graph @main(%x: tensor<1xf32>) -> tensor<1xf32> {
    %c = nnhal.constant_reference @pool0[0] : tensor<1xf32>
    %none = nnhal.constant_copy 0 : i32 -> i32
    // expected-error @below {{cannot compile ADD: the value of input 1 is not available}}
    %r = nnhal.operation "ADD"(%x, %c, %none) : (tensor<1xf32>, tensor<1xf32>, i32) -> tensor<1xf32>
    nnhal.return %r : tensor<1xf32>
  }
}
