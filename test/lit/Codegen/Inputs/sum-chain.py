"""sum-chain.py LENGTH: a module with an index that follows from a loaded element
by LENGTH operations, none of which changes it, and is bounded in the end."""

import sys

print("""func.func @chain(%table: memref<9xi8>, %rows: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %element = memref.load %table[%c0] : memref<9xi8>
  %v0 = arith.index_castui %element : i8 to index""")
length = int(sys.argv[1])
for number in range(length):
    print(f"  %v{number + 1} = arith.addi %v{number}, %c0 : index")
print(f"""  %row = arith.andi %v{length}, %c3 : index
  %0 = memref.load %rows[%row] : memref<4xf32>
  return
}}""")
