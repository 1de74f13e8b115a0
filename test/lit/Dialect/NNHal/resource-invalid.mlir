// RUN: nnhal-opt %s --split-input-file --verify-diagnostics

nnhal.model @pool attributes {hal_version = "1.3"} {
  // expected-error @below {{'nnhal.pool' op resource has 5 bytes, its type needs 4}}
  nnhal.pool @pool0 {kind = "ashmem", value = dense_resource<five> : tensor<4xi8>}
  nnhal.graph @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    nnhal.return %x : tensor<4xf32>
  }
}
{-# dialect_resources: { builtin: { five: "0x040000000102030405" } } #-}

// -----

nnhal.model @constant attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @below {{'nnhal.constant_copy' op resource has 5 bytes, its type needs 4}}
    %c = nnhal.constant_copy dense_resource<five> : tensor<1xf32> -> tensor<1xf32>
    nnhal.return %x : tensor<4xf32>
  }
}
{-# dialect_resources: { builtin: { five: "0x040000000102030405" } } #-}
