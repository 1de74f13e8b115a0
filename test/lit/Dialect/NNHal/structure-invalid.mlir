// RUN: nnhal-opt %s --split-input-file --verify-diagnostics

// The HAL version must exist.
// expected-error @below {{'nnhal.model' op HAL version "1.4" is not one of 1.0 to 1.3}}
nnhal.model @m attributes {hal_version = "1.4"} {
  nnhal.graph @main() {
    nnhal.return
  }
}

// -----

// HAL locations have 32 bits.
// expected-error @below {{'nnhal.model' op operand values size -1 is outside 0 to 4294967295}}
nnhal.model @m attributes {hal_version = "1.3", operand_values_size = -1 : i64} {
  nnhal.graph @main() {
    nnhal.return
  }
}

// -----

// Operand values are bytes.
// expected-error @below {{'nnhal.model' op operand values must be tensor<Nxi8>, found 'tensor<1xi32>'}}
nnhal.model @m attributes {hal_version = "1.3", operand_values = dense<0> : tensor<1xi32>} {
  nnhal.graph @main() {
    nnhal.return
  }
}

// -----

// Names and prefixes come in pairs.
// expected-error @below {{'nnhal.model' op has 1 extension names and 0 extension prefixes}}
nnhal.model @m attributes {hal_version = "1.3", extension_names = ["a"]} {
  nnhal.graph @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    nnhal.return %x : tensor<2xf32>
  }
}

// -----

// A prefix has 16 bits and is not 0.
// expected-error @below {{'nnhal.model' op extension prefix 65536 is outside 1 to 65535}}
nnhal.model @m attributes {hal_version = "1.3", extension_names = ["a"], extension_prefixes = array<i32: 65536>} {
  nnhal.graph @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    nnhal.return %x : tensor<2xf32>
  }
}

// -----

// B-007: names are unique.
// expected-error @below {{'nnhal.model' op extension "a" is declared twice}}
nnhal.model @m attributes {hal_version = "1.3", extension_names = ["a", "a"], extension_prefixes = array<i32: 1, 2>} {
  nnhal.graph @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    nnhal.return %x : tensor<2xf32>
  }
}

// -----

// B-007: prefixes are unique.
// expected-error @below {{'nnhal.model' op extension prefix 1 is declared twice}}
nnhal.model @m attributes {hal_version = "1.3", extension_names = ["a", "b"], extension_prefixes = array<i32: 1, 1>} {
  nnhal.graph @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    nnhal.return %x : tensor<2xf32>
  }
}

// -----

// A model holds pools and graphs.
nnhal.model @m attributes {hal_version = "1.3"} {
  // expected-error @below {{'nnhal.model' op is not allowed in a model, only pools and graphs}}
  nnhal.model @n attributes {hal_version = "1.3"} {
    nnhal.graph @main() {
      nnhal.return
    }
  }
}

// -----

// Only the main graph is annotated.
nnhal.model @m attributes {hal_version = "1.3"} {
  nnhal.graph @main() {
    nnhal.return
  }
  // expected-error @below {{'nnhal.graph' op is not the main graph but has names or state pairs}}
  nnhal.graph @ref0(%x: tensor<2xf32>) attributes {input_names = ["x"]} {
    nnhal.return
  }
}

// -----

// expected-error @below {{'nnhal.model' op has no graph @main}}
nnhal.model @m attributes {hal_version = "1.3"} {
}

// -----

// B-008: extensions are declared.
nnhal.model @m attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    // expected-error @below {{'nnhal.operation' op extension "com.example.ext" is not declared by the model}}
    %0 = nnhal.operation "com.example.ext:3"(%x) : (tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
}

// -----

// A pool is bytes.
nnhal.model @m attributes {hal_version = "1.3"} {
  // expected-error @below {{'nnhal.pool' op bytes must be tensor<Nxi8>, found 'tensor<2xi32>'}}
  nnhal.pool @pool0 {kind = "mmap_fd", value = dense<0> : tensor<2xi32>}
  nnhal.graph @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    nnhal.return %x : tensor<2xf32>
  }
}

// -----

// Size and value agree.
nnhal.model @m attributes {hal_version = "1.3"} {
  // expected-error @below {{'nnhal.pool' op size 3 differs from the 2 bytes given}}
  nnhal.pool @pool0 {kind = "mmap_fd", size = 3 : i64, value = dense<0> : tensor<2xi8>}
  nnhal.graph @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    nnhal.return %x : tensor<2xf32>
  }
}

// -----

// Bytes come from somewhere.
nnhal.model @m attributes {hal_version = "1.3"} {
  // expected-error @below {{'nnhal.pool' op needs a value, or a file and a size}}
  nnhal.pool @pool0 {kind = "mmap_fd", file = "weights.bin"}
  nnhal.graph @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    nnhal.return %x : tensor<2xf32>
  }
}

// -----

// Offsets count forward.
nnhal.model @m attributes {hal_version = "1.3"} {
  // expected-error @below {{'nnhal.pool' op file offset -1 is negative}}
  nnhal.pool @pool0 {kind = "mmap_fd", file_offset = -1 : i64, value = dense<0> : tensor<2xi8>}
  nnhal.graph @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    nnhal.return %x : tensor<2xf32>
  }
}

// -----

// Sizes are not negative.
nnhal.model @m attributes {hal_version = "1.3"} {
  // expected-error @below {{'nnhal.pool' op size -1 is negative}}
  nnhal.pool @pool0 {kind = "mmap_fd", file = "weights.bin", size = -1 : i64}
  nnhal.graph @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    nnhal.return %x : tensor<2xf32>
  }
}

// -----

// One number per input.
nnhal.model @m attributes {hal_version = "1.3"} {
  // expected-error @below {{'nnhal.graph' op has 2 input operand numbers for 1}}
  nnhal.graph @main(%x: tensor<2xf32>) -> tensor<2xf32> attributes {input_operands = array<i32: 0, 1>} {
    nnhal.return %x : tensor<2xf32>
  }
}

// -----

// One name per input.
nnhal.model @m attributes {hal_version = "1.3"} {
  // expected-error @below {{'nnhal.graph' op has 0 input names for 1}}
  nnhal.graph @main(%x: tensor<2xf32>) -> tensor<2xf32> attributes {input_names = []} {
    nnhal.return %x : tensor<2xf32>
  }
}

// -----

// One name per output.
nnhal.model @m attributes {hal_version = "1.3"} {
  // expected-error @below {{'nnhal.graph' op has 2 output names for 1}}
  nnhal.graph @main(%x: tensor<2xf32>) -> tensor<2xf32> attributes {output_names = ["a", "b"]} {
    nnhal.return %x : tensor<2xf32>
  }
}

// -----

// State pairs are pairs.
nnhal.model @m attributes {hal_version = "1.3"} {
  // expected-error @below {{'nnhal.graph' op state pairs have 1 numbers, which is odd}}
  nnhal.graph @main(%x: tensor<2xf32>) -> tensor<2xf32> attributes {state_pairs = array<i32: 0>} {
    nnhal.return %x : tensor<2xf32>
  }
}

// -----

// State outputs exist.
nnhal.model @m attributes {hal_version = "1.3"} {
  // expected-error @below {{'nnhal.graph' op state output 1 exceeds the 1 outputs}}
  nnhal.graph @main(%x: tensor<2xf32>) -> tensor<2xf32> attributes {state_pairs = array<i32: 1, 0>} {
    nnhal.return %x : tensor<2xf32>
  }
}

// -----

// State inputs exist.
nnhal.model @m attributes {hal_version = "1.3"} {
  // expected-error @below {{'nnhal.graph' op state input -1 exceeds the 1 inputs}}
  nnhal.graph @main(%x: tensor<2xf32>) -> tensor<2xf32> attributes {state_pairs = array<i32: 0, -1>} {
    nnhal.return %x : tensor<2xf32>
  }
}

// -----

// Operand numbers count from 0.
nnhal.model @m attributes {hal_version = "1.3"} {
  // expected-error @below {{'nnhal.graph' op operand number -1 is negative}}
  nnhal.graph @main(%x: tensor<2xf32>) -> tensor<2xf32> attributes {input_operands = array<i32: -1>} {
    nnhal.return %x : tensor<2xf32>
  }
}

// -----

// B-037: an operand is one value.
nnhal.model @m attributes {hal_version = "1.3"} {
  // expected-note @below {{the other use is here}}
  nnhal.graph @main(%x: tensor<2xf32>) -> tensor<2xf32> attributes {input_operands = array<i32: 4>} {
    // expected-error @below {{'nnhal.no_value' op operand number 4 is used twice}}
    %0 = nnhal.no_value {number = 4 : i32} : tensor<2xf32>
    nnhal.return %x : tensor<2xf32>
  }
}

// -----

// One operand per output.
nnhal.model @m attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    // expected-error @below {{'nnhal.return' op has 0 operands, the graph has 1 outputs}}
    nnhal.return
  }
}

// -----

// Outputs have the graph's types.
nnhal.model @m attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = nnhal.constant_copy 1 : i32 -> i32
    // expected-error @below {{'nnhal.return' op operand 0 has type 'i32', the graph's output has 'tensor<2xf32>'}}
    nnhal.return %0 : i32
  }
}
