// RUN: nnhal-opt %s --nnhal-plan-memory --split-input-file --verify-diagnostics

func.func @dynamic_buffer(%n: index) attributes {nnhal.entry} {
  // expected-error @+1 {{allocation of 'memref<?xf32>' cannot be planned: it is not static, contiguous and at the top level of its function}}
  %a = memref.alloc(%n) : memref<?xf32>
  return
}

// -----

// expected-error @+1 {{memory planning needs a function of one block}}
func.func @two_blocks() attributes {nnhal.entry} {
  cf.br ^next
^next:
  return
}
