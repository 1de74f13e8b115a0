// RUN: nnhal-opt %s --nnhal-plan-memory --split-input-file --verify-diagnostics

// expected-error @+1 {{memory planning needs a function of one block}}
func.func @two_blocks() attributes {nnhal.entry} {
  cf.br ^next
^next:
  return
}
