// RUN: nnhal-opt %s --nnhal-check-version=version=1.1 --verify-diagnostics --split-input-file

nnhal.model @operation attributes {hal_version = "1.3"} {
  nnhal.graph @main(%a: tensor<2xf32>) -> tensor<2xf32> {
    // expected-error @+1 {{ABS needs HAL 1.2, the model is checked as 1.1}}
    %r = nnhal.operation "ABS"(%a) : (tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %r : tensor<2xf32>
  }
}

// -----

// The trailing layout argument came with 1.2, whatever its value; a constant
// in a pool is read. SUB of 1.1 is accepted.
nnhal.model @use attributes {hal_version = "1.3"} {
  nnhal.pool @pool0 {kind = "ashmem", value = dense<[2, 0, 0, 0, 0]> : tensor<5xi8>}
  nnhal.graph @main(%a: tensor<1x2x2x4xf32>) -> tensor<1x4x4x1xf32> {
    %none = nnhal.constant_copy 0 : i32 -> i32
    %0 = nnhal.operation "SUB"(%a, %a, %none) : (tensor<1x2x2x4xf32>, tensor<1x2x2x4xf32>, i32) -> tensor<1x2x2x4xf32>
    %block = nnhal.constant_reference @pool0[0] : i32
    // expected-error @+1 {{type BOOL of the result needs HAL 1.2, the model is checked as 1.1}}
    %nchw = nnhal.constant_reference @pool0[4] : i8
    // expected-error @+1 {{this use of DEPTH_TO_SPACE needs HAL 1.2, the model is checked as 1.1}}
    %r = nnhal.operation "DEPTH_TO_SPACE"(%0, %block, %nchw) : (tensor<1x2x2x4xf32>, i32, i8) -> tensor<1x4x4x1xf32>
    nnhal.return %r : tensor<1x4x4x1xf32>
  }
}

// -----

// Values in pools count: 4 channels are no blocks of 3 by 3.
nnhal.model @illegal attributes {hal_version = "1.3"} {
  nnhal.pool @pool0 {kind = "ashmem", value = dense<[3, 0, 0, 0]> : tensor<4xi8>}
  nnhal.graph @main(%a: tensor<1x2x2x4xf32>) -> tensor<1x4x4x1xf32> {
    %block = nnhal.constant_reference @pool0[0] : i32
    // expected-error @+1 {{no HAL version holds this: DEPTH_TO_SPACE: }}
    %r = nnhal.operation "DEPTH_TO_SPACE"(%a, %block) : (tensor<1x2x2x4xf32>, i32) -> tensor<1x4x4x1xf32>
    nnhal.return %r : tensor<1x4x4x1xf32>
  }
}

// -----

nnhal.model @canonical attributes {hal_version = "1.3"} {
  nnhal.graph @main(%a: tensor<2xf32>) -> tensor<2xf32> {
    // expected-error @+1 {{is not of the NNAPI-shaped level, HAL versions are checked before raising}}
    %r = nnhal.floor %a : (tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %r : tensor<2xf32>
  }
}

// -----

nnhal.model @undeclared attributes {hal_version = "1.3"} {
  // expected-error @+1 {{no HAL version holds this: extension "com.example.fft" is not declared by the model}}
  nnhal.graph @main(%a: !nnhal.extension<"com.example.fft", 2>) -> tensor<2xf32> {
    %r = nnhal.operation "OEM_OPERATION"(%a) : (!nnhal.extension<"com.example.fft", 2>) -> tensor<2xf32>
    nnhal.return %r : tensor<2xf32>
  }
}
