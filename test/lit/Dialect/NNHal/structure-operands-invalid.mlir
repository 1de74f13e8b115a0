// RUN: nnhal-opt %s --split-input-file --verify-diagnostics

// A subgraph reference names a graph.
nnhal.model @m attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    // expected-error @below {{'nnhal.subgraph_reference' op refers to @ref0, which is no graph}}
    %0 = nnhal.subgraph_reference @ref0
    nnhal.return %x : tensor<2xf32>
  }
}

// -----

// B-019: constants have known dimensions.
nnhal.model @m attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    // expected-error @below {{'nnhal.constant_copy' op needs known dimensions, found 'tensor<?xf32>'}}
    %0 = nnhal.constant_copy dense<0.0> : tensor<2xf32> -> tensor<?xf32>
    nnhal.return %x : tensor<2xf32>
  }
}

// -----

// A value has the storage type.
nnhal.model @m attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    // expected-error @below {{'nnhal.constant_copy' op value type 'tensor<2xf32>' differs from the storage type 'tensor<2xi8>'}}
    %0 = nnhal.constant_copy dense<0.0> : tensor<2xf32> -> tensor<2x!quant.uniform<u8:f32, 5.000000e-01:3>>
    nnhal.return %x : tensor<2xf32>
  }
}

// -----

// What has no size is bytes.
nnhal.model @m attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    // expected-error @below {{'nnhal.constant_copy' op value of '!nnhal.oem' must be bytes, tensor<Nxi8>, found 'i32'}}
    %0 = nnhal.constant_copy 1 : i32 -> !nnhal.oem
    nnhal.return %x : tensor<2xf32>
  }
}

// -----

// A value is a number or elements.
nnhal.model @m attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    // expected-error @below {{'nnhal.constant_copy' op value must be a number or elements, found "a" : i32}}
    %0 = nnhal.constant_copy "a" : i32 -> i32
    nnhal.return %x : tensor<2xf32>
  }
}

// -----

// Offsets count forward.
nnhal.model @m attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    // expected-error @below {{'nnhal.constant_copy' op offset -4 is negative}}
    %0 = nnhal.constant_copy 1 : i32 {offset = -4 : i64} -> i32
    nnhal.return %x : tensor<2xf32>
  }
}

// -----

// B-019: constants have known dimensions.
nnhal.model @m attributes {hal_version = "1.3"} {
  nnhal.pool @pool0 {kind = "ashmem", value = dense<0> : tensor<8xi8>}
  nnhal.graph @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    // expected-error @below {{'nnhal.constant_reference' op needs known dimensions, found 'tensor<*xf32>'}}
    %0 = nnhal.constant_reference @pool0[0] : tensor<*xf32>
    nnhal.return %x : tensor<2xf32>
  }
}

// -----

// B-018: length is what the type needs.
nnhal.model @m attributes {hal_version = "1.3"} {
  nnhal.pool @pool0 {kind = "ashmem", value = dense<0> : tensor<8xi8>}
  nnhal.graph @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    // expected-error @below {{'nnhal.constant_reference' op length 4 differs from the 8 bytes of 'tensor<2xf32>'}}
    %0 = nnhal.constant_reference @pool0[0] {length = 4 : i64} : tensor<2xf32>
    nnhal.return %x : tensor<2xf32>
  }
}

// -----

// What has no size states its length.
nnhal.model @m attributes {hal_version = "1.3"} {
  nnhal.pool @pool0 {kind = "ashmem", value = dense<0> : tensor<8xi8>}
  nnhal.graph @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    // expected-error @below {{'nnhal.constant_reference' op needs a length: '!nnhal.oem' has no size}}
    %0 = nnhal.constant_reference @pool0[0] : !nnhal.oem
    nnhal.return %x : tensor<2xf32>
  }
}

// -----

// Offsets count forward.
nnhal.model @m attributes {hal_version = "1.3"} {
  nnhal.pool @pool0 {kind = "ashmem", value = dense<0> : tensor<8xi8>}
  nnhal.graph @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    // expected-error @below {{'nnhal.constant_reference' op offset -1 is negative}}
    %0 = nnhal.constant_reference @pool0[-1] : i32
    nnhal.return %x : tensor<2xf32>
  }
}

// -----

// B-017: the pool exists.
nnhal.model @m attributes {hal_version = "1.3"} {
  nnhal.pool @pool0 {kind = "ashmem", value = dense<0> : tensor<8xi8>}
  nnhal.graph @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    // expected-error @below {{'nnhal.constant_reference' op refers to @pool1, which is no pool}}
    %0 = nnhal.constant_reference @pool1[0] : i32
    nnhal.return %x : tensor<2xf32>
  }
}

// -----

// B-017: the bytes are in the pool.
nnhal.model @m attributes {hal_version = "1.3"} {
  // expected-note @below {{the pool is here}}
  nnhal.pool @pool0 {kind = "ashmem", value = dense<0> : tensor<8xi8>}
  nnhal.graph @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    // expected-error @below {{'nnhal.constant_reference' op reads 4 bytes at offset 5 of a pool of 8 bytes}}
    %0 = nnhal.constant_reference @pool0[5] : i32
    nnhal.return %x : tensor<2xf32>
  }
}

// -----

// B-030: the operation exists.
nnhal.model @m attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    // expected-error @below {{"CONV_5D" is not an operation of the HAL}}
    %0 = nnhal.operation "CONV_5D"(%x) : (tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %x : tensor<2xf32>
  }
}

// -----

// One number per result.
nnhal.model @m attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    // expected-error @below {{'nnhal.operation' op has 2 output operand numbers for 1 results}}
    %0 = nnhal.operation "RELU"(%x) {outputs = array<i32: 1, 2>} : (tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %x : tensor<2xf32>
  }
}
