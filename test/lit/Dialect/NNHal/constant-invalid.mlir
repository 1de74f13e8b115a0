// RUN: nnhal-opt %s --split-input-file --verify-diagnostics

func.func @shape_differs() {
  // expected-error @below {{'nnhal.constant' op value of type 'tensor<2xf32>' does not have the shape of the result type 'tensor<3xf32>'}}
  %0 = nnhal.constant dense<1.0> : tensor<2xf32> -> tensor<3xf32>
  return
}

// -----

func.func @storage_differs() {
  // expected-error @below {{'nnhal.constant' op value has elements of type 'i32', the result stores 'i8'}}
  %0 = nnhal.constant dense<1> : tensor<2xi32> -> tensor<2x!quant.uniform<u8:f32, 0.5>>
  return
}

// -----

func.func @storage_of_an_extension_differs() {
  // expected-error @below {{'nnhal.constant' op value has elements of type 'i32', the result stores 'i64'}}
  %0 = nnhal.constant dense<1> : tensor<2xi32> -> tensor<2x!nnhal.extension<"com.example.ext", 0 : 8>>
  return
}

// -----

func.func @elements_of_an_extension_are_stored_as_integers() {
  // expected-error @below {{'nnhal.constant' op result #0 must be ranked tensor of 32-bit float or 16-bit float or 32-bit signless integer or 8-bit signless integer or quantized value of the HAL or value of an extension that is stored as an integer values, but got 'tensor<2x!nnhal.extension<"com.example.ext", 0>>'}}
  %0 = nnhal.constant dense<1> : tensor<2xi8> -> tensor<2x!nnhal.extension<"com.example.ext", 0>>
  return
}

// -----

func.func @operands_are_tensors_of_the_hal(%arg0: tensor<2xf64>) {
  // expected-error @below {{'nnhal.relu' op operand #0 must be ranked tensor of 32-bit float or 16-bit float or 32-bit signless integer or 8-bit signless integer or quantized value of the HAL values, but got 'tensor<2xf64>'}}
  %0 = nnhal.relu %arg0 : (tensor<2xf64>) -> tensor<2xf64>
  return
}

// -----

func.func @quantized_elements_are_those_of_the_hal(%arg0: tensor<2x!quant.uniform<i4:f32, 0.5>>) {
  // expected-error @below {{'nnhal.relu' op operand #0 must be ranked tensor of 32-bit float or 16-bit float or 32-bit signless integer or 8-bit signless integer or quantized value of the HAL values, but got 'tensor<2x!quant.uniform<i4:f32, 5.000000e-01>>'}}
  %0 = nnhal.relu %arg0 : (tensor<2x!quant.uniform<i4:f32, 0.5>>) -> tensor<2x!quant.uniform<i4:f32, 0.5>>
  return
}
