"""doubling-chain.py LENGTH: a module with an index that follows from a loaded
extent by LENGTH operations, each of which has the one before as both operands.
The extent is bounded after all of them were computed."""

import sys

print("""func.func @doublings(%table: memref<9xi32>, %rows: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %element = memref.load %table[%c0] : memref<9xi32>
  %v0 = arith.index_cast %element : i32 to index""")
length = int(sys.argv[1])
for number in range(length):
    print(f"  %v{number + 1} = arith.maxsi %v{number}, %v{number} : index")
print(f"""  %memory = nnrt.allocate(%v0) : memref<?xf32>
  %0 = memref.load %rows[%v{length}] : memref<?xf32>
  return
}}""")
