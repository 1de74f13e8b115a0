// Models in the HAL's form; a conversion alone finds them with few dialects loaded.
nnhal.model @sequence attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<2x7x3xf32>, %w: tensor<4x3xf32>, %r: tensor<4x4xf32>, %b: tensor<4xf32>, %h: tensor<2x4xf32>) -> tensor<2x7x4xf32> {
    %c0 = nnhal.constant_copy 0 : i32 -> i32
    %c1 = nnhal.constant_copy 1 : i32 -> i32
    %0 = nnhal.operation "UNIDIRECTIONAL_SEQUENCE_RNN"(%x, %w, %r, %b, %h, %c1, %c0)
        : (tensor<2x7x3xf32>, tensor<4x3xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<2x4xf32>, i32, i32) -> tensor<2x7x4xf32>
    nnhal.return %0 : tensor<2x7x4xf32>
  }
}

// -----
// A graph that executes itself.
nnhal.model @recursive attributes {hal_version = "1.3"} {
  nnhal.graph @main(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @again
    %0 = nnhal.operation "IF"(%c, %then, %then, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @again(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @again
    %0 = nnhal.operation "IF"(%c, %then, %then, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
}

// -----
// Two models, and none that is the first.
nnhal.model @one attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    nnhal.return %x : tensor<4xf32>
  }
}
nnhal.model @two attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    nnhal.return %x : tensor<4xf32>
  }
}

// -----
// Unknown extents and ranks, parameters that are inputs.
nnhal.model @open attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<?x?xf32>, %y: tensor<*xf32>, %a: i32) -> (tensor<?x?xf32>, tensor<*xf32>) {
    %0 = nnhal.operation "ADD"(%x, %x, %a) : (tensor<?x?xf32>, tensor<?x?xf32>, i32) -> tensor<?x?xf32>
    %1 = nnhal.operation "FLOOR"(%y) : (tensor<*xf32>) -> tensor<*xf32>
    nnhal.return %0, %1 : tensor<?x?xf32>, tensor<*xf32>
  }
}

// -----
// Each graph executes the next one twice.
nnhal.model @doubling attributes {hal_version = "1.3"} {
  nnhal.graph @main(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g1
    %0 = nnhal.operation "IF"(%c, %then, %then, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g1(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g2
    %0 = nnhal.operation "IF"(%c, %then, %then, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g2(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g3
    %0 = nnhal.operation "IF"(%c, %then, %then, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g3(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g4
    %0 = nnhal.operation "IF"(%c, %then, %then, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g4(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g5
    %0 = nnhal.operation "IF"(%c, %then, %then, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g5(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g6
    %0 = nnhal.operation "IF"(%c, %then, %then, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g6(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g7
    %0 = nnhal.operation "IF"(%c, %then, %then, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g7(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g8
    %0 = nnhal.operation "IF"(%c, %then, %then, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g8(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g9
    %0 = nnhal.operation "IF"(%c, %then, %then, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g9(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g10
    %0 = nnhal.operation "IF"(%c, %then, %then, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g10(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g11
    %0 = nnhal.operation "IF"(%c, %then, %then, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g11(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g12
    %0 = nnhal.operation "IF"(%c, %then, %then, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g12(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g13
    %0 = nnhal.operation "IF"(%c, %then, %then, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g13(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g14
    %0 = nnhal.operation "IF"(%c, %then, %then, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g14(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g15
    %0 = nnhal.operation "IF"(%c, %then, %then, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g15(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g16
    %0 = nnhal.operation "IF"(%c, %then, %then, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g16(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g17
    %0 = nnhal.operation "IF"(%c, %then, %then, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g17(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g18
    %0 = nnhal.operation "IF"(%c, %then, %then, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g18(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g19
    %0 = nnhal.operation "IF"(%c, %then, %then, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g19(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g20
    %0 = nnhal.operation "IF"(%c, %then, %then, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g20(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g21
    %0 = nnhal.operation "IF"(%c, %then, %then, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g21(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g22
    %0 = nnhal.operation "IF"(%c, %then, %then, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g22(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g23
    %0 = nnhal.operation "IF"(%c, %then, %then, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g23(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g24
    %0 = nnhal.operation "IF"(%c, %then, %then, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g24(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g25
    %0 = nnhal.operation "IF"(%c, %then, %then, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g25(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g26
    %0 = nnhal.operation "IF"(%c, %then, %then, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g26(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g27
    %0 = nnhal.operation "IF"(%c, %then, %then, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g27(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g28
    %0 = nnhal.operation "IF"(%c, %then, %then, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g28(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g29
    %0 = nnhal.operation "IF"(%c, %then, %then, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g29(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    nnhal.return %x : tensor<2xf32>
  }
}

// -----
// Graphs that nest deeply.
nnhal.model @deep attributes {hal_version = "1.3"} {
  nnhal.graph @main(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g1
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g1(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g2
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g2(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g3
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g3(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g4
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g4(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g5
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g5(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g6
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g6(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g7
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g7(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g8
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g8(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g9
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g9(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g10
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g10(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g11
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g11(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g12
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g12(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g13
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g13(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g14
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g14(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g15
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g15(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g16
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g16(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g17
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g17(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g18
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g18(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g19
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g19(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g20
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g20(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g21
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g21(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g22
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g22(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g23
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g23(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g24
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g24(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g25
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g25(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g26
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g26(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g27
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g27(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g28
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g28(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g29
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g29(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g30
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g30(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g31
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g31(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g32
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g32(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g33
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g33(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g34
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g34(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g35
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g35(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g36
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g36(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g37
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g37(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g38
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g38(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g39
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g39(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g40
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g40(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g41
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g41(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g42
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g42(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g43
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g43(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g44
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g44(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g45
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g45(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g46
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g46(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g47
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g47(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g48
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g48(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g49
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g49(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g50
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g50(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g51
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g51(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g52
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g52(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g53
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g53(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g54
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g54(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g55
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g55(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g56
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g56(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g57
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g57(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g58
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g58(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g59
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g59(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g60
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g60(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g61
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g61(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g62
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g62(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g63
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g63(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g64
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g64(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g65
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g65(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g66
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g66(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g67
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g67(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g68
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g68(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g69
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g69(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g70
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g70(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g71
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g71(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g72
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g72(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g73
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g73(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g74
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g74(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g75
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g75(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g76
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g76(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g77
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g77(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g78
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g78(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g79
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g79(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g80
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g80(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g81
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g81(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g82
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g82(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g83
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g83(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g84
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g84(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g85
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g85(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g86
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g86(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g87
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g87(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g88
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g88(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g89
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g89(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g90
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g90(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g91
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g91(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g92
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g92(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g93
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g93(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g94
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g94(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g95
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g95(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g96
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g96(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g97
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g97(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g98
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g98(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g99
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g99(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g100
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g100(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g101
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g101(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g102
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g102(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g103
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g103(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g104
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g104(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g105
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g105(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g106
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g106(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g107
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g107(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g108
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g108(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g109
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g109(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g110
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g110(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g111
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g111(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g112
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g112(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g113
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g113(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g114
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g114(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g115
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g115(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g116
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g116(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g117
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g117(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g118
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g118(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g119
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g119(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g120
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g120(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g121
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g121(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g122
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g122(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g123
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g123(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g124
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g124(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g125
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g125(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g126
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g126(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g127
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g127(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g128
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g128(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g129
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g129(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g130
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g130(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g131
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g131(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g132
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g132(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g133
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g133(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g134
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g134(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g135
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g135(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g136
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g136(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g137
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g137(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g138
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g138(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @g139
    %else = nnhal.subgraph_reference @g139
    %0 = nnhal.operation "IF"(%c, %then, %else, %c, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @g139(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    nnhal.return %x : tensor<2xf32>
  }
}
