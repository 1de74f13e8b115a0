// The target that a module names checks the parameters wherever they are stated.
// RUN: nnhal-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{'nnhal.target' has parameters that target 'cpu' does not take: vector-bits 96 must be 128, 256 or 512}}
module attributes {nnhal.target = #nnhal.target<"cpu", parameters = {vector_bits = 96}>} {}

// -----

// expected-error @below {{vector-bits 256 : i32 must be 128, 256 or 512}}
module attributes {nnhal.target = #nnhal.target<"cpu", parameters = {vector_bits = 256 : i32}>} {}

// -----

// expected-error @below {{vector-registers 1025 must be from 1 to 1024}}
module attributes {nnhal.target = #nnhal.target<"cpu", parameters = {vector_registers = 1025}>} {}

// -----

// expected-error @below {{vector-registers "many" must be from 1 to 1024}}
module attributes {nnhal.target = #nnhal.target<"cpu", parameters = {vector_registers = "many"}>} {}

// -----

// expected-error @below {{dot-product "dp4a" must be none, signed-by-signed or unsigned-by-signed}}
module attributes {nnhal.target = #nnhal.target<"cpu", parameters = {dot_product = "dp4a"}>} {}

// -----

// expected-error @below {{triple 1 must be a string}}
module attributes {nnhal.target = #nnhal.target<"cpu", parameters = {triple = 1}>} {}

// -----

// expected-error @below {{cpu unit must be a string}}
module attributes {nnhal.target = #nnhal.target<"cpu", parameters = {cpu}>} {}

// -----

// expected-error @below {{features ["+avx2"] must be a string}}
module attributes {nnhal.target = #nnhal.target<"cpu", parameters = {features = ["+avx2"]}>} {}

// -----

// expected-error @below {{cost-model: 'tile-rows-2=0' does not give a number from 1 to 2^30}}
module attributes {nnhal.target = #nnhal.target<"cpu", parameters = {tile_rows_2 = 0}>} {}

// -----

// expected-error @below {{cost-model: there is no number 'lanes'}}
module attributes {nnhal.target = #nnhal.target<"cpu", parameters = {lanes = 4}>} {}

// -----

// Inner modules state targets, too.
module {
  // expected-error @below {{vector-bits 0 must be 128, 256 or 512}}
  module attributes {nnhal.target = #nnhal.target<"cpu", parameters = {vector_bits = 0}>} {}
}

// -----

// expected-error @below {{'nnhal.target' is an attribute of a module}}
func.func @carrier() attributes {nnhal.target = #nnhal.target<"cpu">} { return }
