// The dialect verifies its attributes on operations of other dialects.
// RUN: nnhal-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{'nnhal.entri' is no attribute of the dialect nnhal}}
func.func @unknown() attributes {nnhal.entri} { return }

// -----

// expected-error @below {{'nnhal.entry' is an attribute of a function}}
module attributes {nnhal.entry} {}

// -----

// expected-error @below {{'nnhal.arena_size' is an attribute of a module}}
func.func @arena() attributes {nnhal.arena_size = 4 : i64} { return }

// -----

func.func @bound() {
  // expected-error @below {{'nnhal.arena_lower_bound' is an attribute of a module or a function}}
  return {nnhal.arena_lower_bound = 4 : i64}
}

// -----

func.func @memory() {
  // expected-error @below {{'nnhal.scratch' is an attribute of a memref.alloca}}
  %0 = memref.alloc() {nnhal.scratch} : memref<4xf32>
  return
}

// -----

func.func @operation() {
  // expected-error @below {{'nnhal.call_reason' is an attribute of an nnhal.operation}}
  return {nnhal.call_reason = "it is called"}
}

// -----

func.func @call() {
  // expected-error @below {{'nnhal.grain' is an attribute of a call}}
  return {nnhal.grain = 1 : i64}
}

// -----

// expected-error @below {{'nnhal.device' is an attribute of an nnhal.model}}
module attributes {nnhal.device = "cpu"} {}

// -----

// expected-error @below {{'nnhal.entry' is 3 : i64, expected a unit attribute}}
func.func @unit() attributes {nnhal.entry = 3} { return }

// -----

// expected-error @below {{'nnhal.input_count' is -1 : i64, expected an i64 of at least 0}}
func.func @count() attributes {nnhal.input_count = -1 : i64} { return }

// -----

// expected-error @below {{'nnhal.output_count' is 1 : i32, expected an i64 of at least 0}}
func.func @width() attributes {nnhal.output_count = 1 : i32} { return }

// -----

func.func private @kernel()
func.func @grain() {
  // expected-error @below {{'nnhal.grain' is 0 : i64, expected an i64 of at least 1}}
  call @kernel() {nnhal.grain = 0 : i64} : () -> ()
  return
}

// -----

// expected-error @below {{'nnhal.data_cache' is dense<0> : tensor<4xi8>, expected a resource of type tensor<Nxi8>}}
module attributes {nnhal.data_cache = dense<0> : tensor<4xi8>} {}

// -----

// expected-error @below {{'nnhal.routine_slots' is array<i32: 2, 2>, expected an array of ascending i32}}
module attributes {nnhal.routine_slots = array<i32: 2, 2>} {}

// -----

// expected-error @below {{'nnhal.phase' is 1 : i64, expected a string}}
module attributes {nnhal.phase = 1} {}

// -----

// expected-error @below {{'nnhal.plan' is ["step", 1], expected an array of strings}}
module attributes {nnhal.plan = ["step", 1]} {}

// -----

// expected-error @below {{'nnhal.source_inputs' is [1], expected an array of i32}}
nnhal.model @m attributes {hal_version = "1.3", nnhal.source_inputs = [1]} {
  nnhal.graph @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    nnhal.return %x : tensor<2xf32>
  }
}

// -----

// expected-error @below {{'nnhal.subgraph' is -1 : i32, expected an i32 of at least 0}}
nnhal.model @m attributes {hal_version = "1.3", nnhal.subgraph = -1 : i32} {
  nnhal.graph @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    nnhal.return %x : tensor<2xf32>
  }
}

// -----

// expected-error @below {{argument 0 has 'nnhal.entry', which is no attribute of arguments}}
func.func @argument(%x: i32 {nnhal.entry}) { return }

// -----

// expected-error @below {{result 0 has 'nnhal.entry', which is no attribute of results}}
func.func @result(%x: i32) -> (i32 {nnhal.entry}) { return %x : i32 }

// -----

// expected-error @below {{'nnhal.target' is "cpu", expected a #nnhal.target}}
module attributes {nnhal.target = "cpu"} {}

// -----

// expected-error @below {{'nnhal.number_arrays' is -1 : i64, expected an i64 of at least 0}}
func.func private @numbers() attributes {nnhal.number_arrays = -1 : i64}

// -----

// expected-error @below {{'nnhal.operation' is 1 : i64, expected a string}}
func.func private @operation() attributes {nnhal.operation = 1 : i64}

// -----

// expected-error @below {{'nnhal.is_split' is 1 : i64, expected a unit attribute}}
func.func private @split() attributes {nnhal.is_split = 1 : i64}

// -----

// expected-error @below {{'nnhal.polls_flag' is an attribute of a function}}
module attributes {nnhal.polls_flag} {}

// -----

// expected-error @below {{'nnhal.kept_operations' is an attribute of a module}}
func.func private @kept() attributes {nnhal.kept_operations}
