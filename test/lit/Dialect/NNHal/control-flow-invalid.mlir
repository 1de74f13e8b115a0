// RUN: nnhal-opt %s --split-input-file --verify-diagnostics

nnhal.model @condition attributes {hal_version = "1.3"} {
  nnhal.graph @main(%c: tensor<2xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    // expected-error @below {{'nnhal.if' op condition has 2 elements, expected 1}}
    %0 = nnhal.if %c then @keep else @keep (%x) : (tensor<2xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @keep(%x: tensor<2xf32>) -> tensor<2xf32> {
    nnhal.return %x : tensor<2xf32>
  }
}

// -----

nnhal.model @no_graph attributes {hal_version = "1.3"} {
  nnhal.graph @main(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    // expected-error @below {{'nnhal.if' op refers to @other, which is no graph}}
    %0 = nnhal.if %c then @keep else @other (%x) : (tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @keep(%x: tensor<2xf32>) -> tensor<2xf32> {
    nnhal.return %x : tensor<2xf32>
  }
}

// -----

// B-063: the graph takes what is passed.
nnhal.model @branch_inputs attributes {hal_version = "1.3"} {
  nnhal.graph @main(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    // expected-error @below {{'nnhal.if' op input 3 and input 0 of the else subgraph differ in dimensions [2] and [3]}}
    %0 = nnhal.if %c then @keep else @other (%x) : (tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @keep(%x: tensor<2xf32>) -> tensor<2xf32> {
    nnhal.return %x : tensor<2xf32>
  }
  nnhal.graph @other(%x: tensor<3xf32>) -> tensor<3xf32> {
    nnhal.return %x : tensor<3xf32>
  }
}

// -----

// B-066: the condition yields one boolean.
nnhal.model @loop_condition attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    // expected-error @below {{'nnhal.while' op the output of the condition subgraph of type TENSOR_FLOAT32 must be a TENSOR_BOOL8}}
    %0 = nnhal.while @keep do @keep (%x) : (tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @keep(%x: tensor<2xf32>) -> tensor<2xf32> {
    nnhal.return %x : tensor<2xf32>
  }
}

// -----

// B-067: the body yields at least the results.
nnhal.model @loop_results attributes {hal_version = "1.3"} {
  nnhal.graph @main(%c: tensor<1xi8>) -> (tensor<1xi8>, tensor<1xi8>) {
    // expected-error @below {{'nnhal.while' op the body subgraph has 1 outputs, must have at least 2}}
    %0:2 = nnhal.while @first do @first (%c, %c) : (tensor<1xi8>, tensor<1xi8>) -> (tensor<1xi8>, tensor<1xi8>)
    nnhal.return %0#0, %0#1 : tensor<1xi8>, tensor<1xi8>
  }
  nnhal.graph @first(%c: tensor<1xi8>, %d: tensor<1xi8>) -> tensor<1xi8> {
    nnhal.return %c : tensor<1xi8>
  }
}

// -----

func.func @no_result(%c: tensor<1xi8>) {
  // expected-error @below {{'nnhal.if' op found 4 inputs and 0 outputs, expected at least 3 and 1}}
  nnhal.if %c then @keep else @keep (%c) : (tensor<1xi8>, tensor<1xi8>) -> ()
  return
}
