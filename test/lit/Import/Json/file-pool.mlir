// A pool without value is read from its file, beside the working directory.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: printf 'abcdefgh' > weights.bin
// RUN: nnhal-translate --mlir-to-json %s | FileCheck %s
// RUN: printf 'abc' > weights.bin
// RUN: not nnhal-translate --mlir-to-json %s 2>&1 | FileCheck %s --check-prefix=SHORT

// CHECK: "file":"weights.bin"
// SHORT: error: pool @pool0: 4 bytes at offset 2 exceed file weights.bin of 3 bytes
nnhal.model @m attributes {hal_version = "1.3"} {
  nnhal.pool @pool0 {kind = "mmap_fd", file = "weights.bin", file_offset = 2 : i64, size = 4 : i64}
  nnhal.graph @main(%x: tensor<1xi32>) -> tensor<1xi32> {
    %c = nnhal.constant_reference @pool0[0] : tensor<1xi32>
    %zero = nnhal.constant_copy 0 : i32 -> i32
    %0 = nnhal.operation "ADD"(%x, %c, %zero) : (tensor<1xi32>, tensor<1xi32>, i32) -> tensor<1xi32>
    nnhal.return %0 : tensor<1xi32>
  }
}
