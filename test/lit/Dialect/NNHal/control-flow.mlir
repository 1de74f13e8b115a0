// RUN: nnhal-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: nnhal.graph @main
// CHECK: nnhal.if %{{.*}} then @double else @keep(%{{.*}}) : (tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
// CHECK: nnhal.while @go_on do @next(%{{.*}}, %{{.*}}) : (tensor<2xf32>, tensor<1xi8>) -> tensor<2xf32>
nnhal.model @model attributes {hal_version = "1.3"} {
  nnhal.graph @main(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = nnhal.if %c then @double else @keep (%x) : (tensor<1xi8>, tensor<2xf32>) -> tensor<2xf32>
    %1 = nnhal.while @go_on do @next (%0, %c) : (tensor<2xf32>, tensor<1xi8>) -> tensor<2xf32>
    nnhal.return %1 : tensor<2xf32>
  }
  nnhal.graph @double(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = nnhal.add %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  // Extents may be unknown on either side.
  nnhal.graph @keep(%x: tensor<?xf32>) -> tensor<?xf32> {
    nnhal.return %x : tensor<?xf32>
  }
  nnhal.graph @go_on(%x: tensor<2xf32>, %c: tensor<1xi8>) -> tensor<1xi8> {
    nnhal.return %c : tensor<1xi8>
  }
  // The second state is no result of the loop.
  nnhal.graph @next(%x: tensor<2xf32>, %c: tensor<1xi8>) -> (tensor<2xf32>, tensor<1xi8>) {
    %0 = nnhal.logical_not %c : (tensor<1xi8>) -> tensor<1xi8>
    nnhal.return %x, %0 : tensor<2xf32>, tensor<1xi8>
  }
}
