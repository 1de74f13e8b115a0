// Branches and loops whose graphs contradict the operation in a way that only
// the extents found while they are inlined can tell.
// RUN: nnhal-opt %s --convert-nnhal-graph-to-func --split-input-file --verify-diagnostics

nnhal.model @model attributes {hal_version = "1.3"} {
  nnhal.graph @main(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @keep
    %else = nnhal.no_value : !nnhal.subgraph
    // expected-error @below {{names 1 graphs, expected 2}}
    %0 = nnhal.operation "IF"(%c, %then, %else, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @keep(%x: tensor<2xf32>) -> tensor<2xf32> {
    nnhal.return %x : tensor<2xf32>
  }
}

// -----

nnhal.model @model attributes {hal_version = "1.3"} {
  nnhal.graph @main(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<?x?xf32> {
    %then = nnhal.subgraph_reference @keep
    %0 = nnhal.operation "IF"(%c, %then, %then, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<2xf32>) -> tensor<?x?xf32>
    nnhal.return %0 : tensor<?x?xf32>
  }
  // expected-error @below {{an input of type 'tensor<2xf32>' is no 'tensor<?x?xf32>'}}
  nnhal.graph @keep(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
    nnhal.return %x : tensor<?x?xf32>
  }
}

// -----

nnhal.model @model attributes {hal_version = "1.3"} {
  nnhal.graph @main(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @keep
    %0 = nnhal.operation "IF"(%c, %then, %then, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  // expected-error @below {{found 1 inputs, expected 2}}
  nnhal.graph @keep(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
    nnhal.return %x : tensor<2xf32>
  }
}

// -----

nnhal.model @model attributes {hal_version = "1.3"} {
  nnhal.graph @main(%c: tensor<1xi8>, %x: tensor<2xf32>, %y: tensor<2x2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @first
    %else = nnhal.subgraph_reference @second
    // expected-error @below {{the branches yield 'tensor<2xf32>' and 'tensor<2x2xf32>'}}
    %0 = nnhal.operation "IF"(%c, %then, %else, %x, %y) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<2xf32>, tensor<2x2xf32>) -> tensor<*xf32>
    nnhal.return %x : tensor<2xf32>
  }
  nnhal.graph @first(%x: tensor<2xf32>, %y: tensor<2x2xf32>) -> tensor<2xf32> {
    nnhal.return %x : tensor<2xf32>
  }
  nnhal.graph @second(%x: tensor<2xf32>, %y: tensor<2x2xf32>) -> tensor<2x2xf32> {
    nnhal.return %y : tensor<2x2xf32>
  }
}

// -----

nnhal.model @model attributes {hal_version = "1.3"} {
  nnhal.graph @main(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<?x?xf32> {
    %then = nnhal.subgraph_reference @keep
    // expected-error @below {{a result of type 'tensor<2xf32>' is no 'tensor<?x?xf32>'}}
    %0 = nnhal.operation "IF"(%c, %then, %then, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<2xf32>) -> tensor<?x?xf32>
    nnhal.return %0 : tensor<?x?xf32>
  }
  nnhal.graph @keep(%x: tensor<?xf32>) -> tensor<?xf32> {
    nnhal.return %x : tensor<?xf32>
  }
}

// -----

nnhal.model @model attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<2xf32>, %c: tensor<1xi8>) -> tensor<2xf32> {
    %cond = nnhal.subgraph_reference @cond
    %body = nnhal.subgraph_reference @body
    // expected-error @below {{a state of type 'tensor<2xf32>' is no 'tensor<?x?xf32>'}}
    %0 = nnhal.operation "WHILE"(%cond, %body, %x, %c) : (!nnhal.subgraph, !nnhal.subgraph, tensor<2xf32>, tensor<1xi8>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @cond(%x: tensor<?x?xf32>, %c: tensor<1xi8>) -> tensor<1xi8> {
    nnhal.return %c : tensor<1xi8>
  }
  nnhal.graph @body(%x: tensor<?x?xf32>, %c: tensor<1xi8>) -> tensor<?x?xf32> {
    nnhal.return %x : tensor<?x?xf32>
  }
}

// -----

nnhal.model @model attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<2xf32>, %y: tensor<2x2xf32>, %c: tensor<1xi8>) -> tensor<2xf32> {
    %cond = nnhal.subgraph_reference @cond
    %body = nnhal.subgraph_reference @body
    // expected-error @below {{the loop turns a state of type 'tensor<2xf32>' into 'tensor<2x2xf32>'}}
    %0 = nnhal.operation "WHILE"(%cond, %body, %x, %y, %c) : (!nnhal.subgraph, !nnhal.subgraph, tensor<2xf32>, tensor<2x2xf32>, tensor<1xi8>) -> tensor<*xf32>
    nnhal.return %x : tensor<2xf32>
  }
  nnhal.graph @cond(%x: tensor<2xf32>, %y: tensor<2x2xf32>, %c: tensor<1xi8>) -> tensor<1xi8> {
    nnhal.return %c : tensor<1xi8>
  }
  nnhal.graph @body(%x: tensor<2xf32>, %y: tensor<2x2xf32>, %c: tensor<1xi8>) -> tensor<2x2xf32> {
    nnhal.return %y : tensor<2x2xf32>
  }
}

// -----

// Shapes that the graph of a branch alone does not know.
nnhal.model @model attributes {hal_version = "1.3"} {
  nnhal.graph @main(%c: tensor<1xi8>, %x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %then = nnhal.subgraph_reference @floor
    %0 = nnhal.operation "IF"(%c, %then, %then, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<2x3xf32>) -> tensor<*xf32>
    nnhal.return %x : tensor<2x3xf32>
  }
  nnhal.graph @floor(%x: tensor<*xf32>) -> tensor<?x?x?x?xf32> {
    // expected-error @below {{cannot compile FLOOR: }}
    %0 = nnhal.operation "FLOOR"(%x) : (tensor<*xf32>) -> tensor<?x?x?x?xf32>
    nnhal.return %0 : tensor<?x?x?x?xf32>
  }
}
