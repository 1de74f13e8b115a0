"""call-chains.py DEPTH CALLS: a module with functions that call the next one,
CALLS times each, and pass on a buffer that the last one reads."""

import sys

depth, calls = int(sys.argv[1]), int(sys.argv[2])
signature = "(memref<9xi32>, memref<?xf32>) -> ()"
print("func.func @first(%table: memref<9xi32>, %array: memref<4xf32>) {")
print("  %rows = memref.cast %array : memref<4xf32> to memref<?xf32>")
print(f"  call @f0(%table, %rows) : {signature}\n  return\n}}")
for number in range(depth):
    print(f"func.func private @f{number}(%table: memref<9xi32>, %rows: memref<?xf32>) {{")
    print(f"  call @f{number + 1}(%table, %rows) : {signature}\n" * calls + "  return\n}")
print(f"""func.func private @f{depth}(%table: memref<9xi32>, %rows: memref<?xf32>) {{
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %element = memref.load %table[%c0] : memref<9xi32>
  %any = arith.index_cast %element : i32 to index
  %row = arith.andi %any, %c3 : index
  %0 = memref.load %rows[%row] : memref<?xf32>
  return
}}""")
