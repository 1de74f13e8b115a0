// RUN: nnhal-opt %s --allow-unregistered-dialect --nnhal-extract-constants --split-input-file --verify-diagnostics

// expected-error @+1 {{global has no elements to extract}}
memref.global "private" @uninitialized : memref<2xf32> = uninitialized

func.func @main() attributes {nnhal.entry} {
  %0 = memref.get_global @uninitialized : memref<2xf32>
  "test.use"(%0) : (memref<2xf32>) -> ()
  return
}

// -----

// expected-error @+1 {{elements of 'tensor<2xi1>' cannot be extracted}}
memref.global "private" constant @bits : memref<2xi1> = dense<[true, false]>

func.func @main() attributes {nnhal.entry} {
  %0 = memref.get_global @bits : memref<2xi1>
  "test.use"(%0) : (memref<2xi1>) -> ()
  return
}

// -----

// expected-error @+1 {{elements of 'tensor<2xf32>' cannot be extracted: they are 4 bytes, expected 8}}
memref.global "private" constant @short : memref<2xf32> = dense_resource<short>

func.func @main() attributes {nnhal.entry} {
  %0 = memref.get_global @short : memref<2xf32>
  "test.use"(%0) : (memref<2xf32>) -> ()
  return
}

{-#
  dialect_resources: {
    builtin: {
      short: "0x400000000000803F"
    }
  }
#-}
