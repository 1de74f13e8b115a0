// RUN: nnhal-opt %s --nnhal-omit-unknown-inputs | FileCheck %s

// An input without extents that a request may omit is left out. One with
// extents, and one that another operation needs, stay.

// CHECK-LABEL: nnhal.graph @main
// CHECK-SAME:    (%[[X:[a-z0-9]+]]: tensor<2x3xf32>, %[[UNKNOWN:[a-z0-9]+]]: tensor<0xi32>, %[[KNOWN:[a-z0-9]+]]: tensor<2xi32>, %[[NEEDED:[a-z0-9]+]]: tensor<0xi32>)
// CHECK:         %[[NONE:.+]] = nnhal.no_value : tensor<0xi32>
// CHECK:         nnhal.operation "TRANSPOSE"(%[[X]], %[[NONE]])
// CHECK:         nnhal.operation "TRANSPOSE"(%[[X]], %[[KNOWN]])
// CHECK:         nnhal.operation "TRANSPOSE"(%[[X]], %[[NEEDED]])
// CHECK:         nnhal.operation "NEG"(%[[NEEDED]])
nnhal.model @transposes attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<2x3xf32>, %unknown: tensor<0xi32>, %known: tensor<2xi32>,
                    %needed: tensor<0xi32>)
      -> (tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<0xi32>) {
    %0 = nnhal.operation "TRANSPOSE"(%x, %unknown)
        : (tensor<2x3xf32>, tensor<0xi32>) -> tensor<3x2xf32>
    %1 = nnhal.operation "TRANSPOSE"(%x, %known)
        : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<3x2xf32>
    %2 = nnhal.operation "TRANSPOSE"(%x, %needed)
        : (tensor<2x3xf32>, tensor<0xi32>) -> tensor<3x2xf32>
    %3 = nnhal.operation "NEG"(%needed) : (tensor<0xi32>) -> tensor<0xi32>
    nnhal.return %0, %1, %2, %3
        : tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<0xi32>
  }
}
