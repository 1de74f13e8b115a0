// A step as nnhal-partition leaves it. With the names of that time it became
// steps-1.0.mlirbc.
module attributes {nnhal.plan = ["step 0 on dsp"]} {
  nnhal.model @step0 attributes {hal_version = "1.3", nnhal.device = "dsp", nnhal.source_inputs = array<i32: 0>, nnhal.source_operations = array<i32: 3>, nnhal.source_outputs = array<i32: 1>, nnhal.subgraph = 0 : i32} {
    nnhal.graph @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = nnhal.operation "RELU"(%x) : (tensor<2xf32>) -> tensor<2xf32>
      nnhal.return %0 : tensor<2xf32>
    }
  }
}
