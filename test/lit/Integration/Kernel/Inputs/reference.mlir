// Appended to the tests of this folder.

// Inputs are small integers, so every sum is exact in f32 and the kernels must
// agree with the plain loops below in every bit, whatever their order. Each
// case prints the number of elements that differ.

func.func @fill(%m: memref<?xf32>, %seed: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c11 = arith.constant 11 : index
  %c5 = arith.constant 5 : index
  %n = memref.dim %m, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %0 = arith.addi %i, %seed : index
    %1 = arith.muli %0, %0 : index
    %2 = arith.muli %0, %c7 : index
    %3 = arith.addi %1, %2 : index
    %4 = arith.remui %3, %c11 : index
    %5 = arith.subi %4, %c5 : index
    %6 = arith.index_cast %5 : index to i32
    %7 = arith.sitofp %6 : i32 to f32
    memref.store %7, %m[%i] : memref<?xf32>
  }
  return
}

func.func @count_differences(%a: memref<?xf32>, %b: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %a, %c0 : memref<?xf32>
  %bad = scf.for %i = %c0 to %n step %c1 iter_args(%count = %c0) -> (index) {
    %x = memref.load %a[%i] : memref<?xf32>
    %y = memref.load %b[%i] : memref<?xf32>
    %differ = arith.cmpf une, %x, %y : f32
    %d = arith.index_castui %differ : i1 to index
    %next = arith.addi %count, %d : index
    scf.yield %next : index
  }
  vector.print %bad : index
  return
}

// Plain loops; kind 0 = conv (filter [NB,KH,KW,C,NR]), 1 = depthwise (filter
// [1,KH,KW,1,N]), 2 = max, 3 = average pool.
func.func @reference(%in: memref<?x?x?x?xf32>, %filter: memref<?x?x?x?x?xf32>, %bias: memref<?xf32>, %out: memref<?x?x?x?xf32>,
    %kind: index, %sh: index, %sw: index, %dh: index, %dw: index, %pt: index, %pl: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %lowest = arith.constant -1.0e+30 : f32
  %B = memref.dim %in, %c0 : memref<?x?x?x?xf32>
  %H = memref.dim %in, %c1 : memref<?x?x?x?xf32>
  %W = memref.dim %in, %c2 : memref<?x?x?x?xf32>
  %C = memref.dim %in, %c3 : memref<?x?x?x?xf32>
  %OH = memref.dim %out, %c1 : memref<?x?x?x?xf32>
  %OW = memref.dim %out, %c2 : memref<?x?x?x?xf32>
  %N = memref.dim %out, %c3 : memref<?x?x?x?xf32>
  %KH = memref.dim %filter, %c1 : memref<?x?x?x?x?xf32>
  %KW = memref.dim %filter, %c2 : memref<?x?x?x?x?xf32>
  %NR = memref.dim %filter, %c4 : memref<?x?x?x?x?xf32>
  %isConv = arith.cmpi eq, %kind, %c0 : index
  %isMax = arith.cmpi eq, %kind, %c2 : index
  %isAverage = arith.cmpi eq, %kind, %c3 : index
  %isPool = arith.ori %isMax, %isAverage : i1
  %multiplier = arith.divui %N, %C : index
  %depth = arith.select %isConv, %C, %c1 : index
  scf.for %b = %c0 to %B step %c1 {
    scf.for %oh = %c0 to %OH step %c1 {
      scf.for %ow = %c0 to %OW step %c1 {
        scf.for %n = %c0 to %N step %c1 {
          %panel = arith.divui %n, %NR : index
          %lane = arith.remui %n, %NR : index
          %biasValue = scf.if %isPool -> (f32) {
            %start = arith.select %isMax, %lowest, %zero : f32
            scf.yield %start : f32
          } else {
            %v = memref.load %bias[%n] : memref<?xf32>
            scf.yield %v : f32
          }
          %sums:2 = scf.for %kh = %c0 to %KH step %c1 iter_args(%s0 = %biasValue, %n0 = %zero) -> (f32, f32) {
            %r:2 = scf.for %kw = %c0 to %KW step %c1 iter_args(%s1 = %s0, %n1 = %n0) -> (f32, f32) {
              %y0 = arith.muli %oh, %sh : index
              %y1 = arith.muli %kh, %dh : index
              %y2 = arith.addi %y0, %y1 : index
              %y = arith.subi %y2, %pt : index
              %x0 = arith.muli %ow, %sw : index
              %x1 = arith.muli %kw, %dw : index
              %x2 = arith.addi %x0, %x1 : index
              %x = arith.subi %x2, %pl : index
              %validY = arith.cmpi ult, %y, %H : index
              %validX = arith.cmpi ult, %x, %W : index
              %valid = arith.andi %validY, %validX : i1
              %next:2 = scf.if %valid -> (f32, f32) {
                %t = scf.for %k = %c0 to %depth step %c1 iter_args(%s2 = %s1) -> (f32) {
                  %own = arith.divui %n, %multiplier : index
                  %c = arith.select %isConv, %k, %own : index
                  %e = memref.load %in[%b, %y, %x, %c] : memref<?x?x?x?xf32>
                  %u = scf.if %isPool -> (f32) {
                    %greater = arith.cmpf ogt, %e, %s2 : f32
                    %m = arith.select %greater, %e, %s2 : f32
                    %a = arith.addf %e, %s2 : f32
                    %p = arith.select %isMax, %m, %a : f32
                    scf.yield %p : f32
                  } else {
                    %w = memref.load %filter[%panel, %kh, %kw, %k, %lane] : memref<?x?x?x?x?xf32>
                    %m = arith.mulf %e, %w : f32
                    %a = arith.addf %m, %s2 : f32
                    scf.yield %a : f32
                  }
                  scf.yield %u : f32
                }
                %more = arith.addf %n1, %one : f32
                scf.yield %t, %more : f32, f32
              } else {
                scf.yield %s1, %n1 : f32, f32
              }
              scf.yield %next#0, %next#1 : f32, f32
            }
            scf.yield %r#0, %r#1 : f32, f32
          }
          %mean = arith.divf %sums#0, %sums#1 : f32
          %result = arith.select %isAverage, %mean, %sums#0 : f32
          memref.store %result, %out[%b, %oh, %ow, %n] : memref<?x?x?x?xf32>
        }
      }
    }
  }
  return
}
