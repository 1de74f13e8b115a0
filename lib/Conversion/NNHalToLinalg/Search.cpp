//===- Search.cpp - Sorting, searching and hashing without routines -------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For targets that call no routines of the runtime, such as GPUs. Every element
// of a result finds its value by itself: nothing is sorted. The rank of an
// element is how many others come before it, and a result reads the element
// whose rank is its own position. The order is that of lib/Runtime/Routines.
//
//===----------------------------------------------------------------------===//

#include "WithoutRoutines.h"

#include "nnhal/Backend/Signatures/Lookup.h"

using namespace mlir;
using namespace nnhal;

LogicalResult nnhal::needConstantScalars(OperationLowering &op) {
  for (auto [index, input] : llvm::enumerate(op.view().inputs))
    if (rt::isScalar(input.type.type) && !input.isOmitted && !input.value)
      return op.fail("input " + Twine(index) +
                     " is not a constant, and the target calls no routines of "
                     "the runtime");
  return success();
}

Scalar nnhal::isLarger(Scalar a, Scalar b) {
  if (!a.isFloat())
    return a > b;
  return (a == a) & ((b != b) | (a > b));
}

//===----------------------------------------------------------------------===//
// TOPK_V2
//===----------------------------------------------------------------------===//

static LogicalResult lowerTopK(OperationLowering &op) {
  Tensor input = op.input(0);
  SmallVector<Scalar> extents = input.extents();
  Scalar extent = extents.back(), count = op.scalar(1).toIndex();
  op.check(count >= 1, FailureReason::valueTooSmall, count, op.index(1));
  op.check(count <= extent, FailureReason::valueTooLarge, count, extent);
  auto at = [&](Indices row, Scalar last) {
    SmallVector<Scalar> indices(row);
    indices.push_back(last);
    return indices;
  };
  auto elementAt = [&](Indices row, Scalar last) {
    SmallVector<Scalar> indices = at(row, last);
    return input.isFloat() ? input.real(indices) : input.integer(indices);
  };
  // The sort puts the larger index first among equal elements (M-137).
  Tensor ranks = op.define(int32Tensor(), extents, [&](Indices indices) {
    Indices row = indices.drop_back();
    Scalar own = indices.back(), element = elementAt(row, own);
    return op.fold(extent, op.i32(0), [&](Scalar other, Scalar rank) {
      Scalar rival = elementAt(row, other);
      Scalar isBefore = isLarger(rival, element) |
                        (!isLarger(element, rival) & (other > own));
      return select(isBefore, rank + 1, rank);
    });
  });
  extents.back() = count;
  Tensor indices = op.define(int32Tensor(), extents, [&](Indices indices) {
    Scalar wanted = indices.back().toI32();
    return op.fold(extent, op.i32(0), [&](Scalar other, Scalar found) {
      Scalar rank = ranks.stored(at(indices.drop_back(), other));
      return select(rank == wanted, other.toI32(), found);
    });
  });
  op.setOutput(0, op.define(op.outputType(0), extents, [&](Indices position) {
    return input.stored(
        at(position.drop_back(), op.indexFrom(indices, position, extent)));
  }));
  op.setOutput(1, indices);
  return success();
}

//===----------------------------------------------------------------------===//
// HASHTABLE_LOOKUP
//===----------------------------------------------------------------------===//

/// Where std::ranges::lower_bound finds \p key among \p keys: the number of the
/// key, or -1.
static Scalar findKey(OperationLowering &op, const Tensor &keys, Scalar key) {
  Scalar count = keys.extent(0);
  // Halving ends after as many rounds as the number has bits.
  int64_t rounds = 32;
  if (std::optional<int64_t> known = count.known())
    rounds = int64_t(llvm::bit_width(uint64_t(*known)));
  auto keyAt = [&](Scalar at) {
    return keys.integer({clamp(at, op.index(0), count - 1)});
  };
  SmallVector<Scalar> range =
      op.loop(op.index(0), op.index(rounds), {op.index(0), count},
              [&](Scalar, ArrayRef<Scalar> range) -> SmallVector<Scalar> {
                Scalar first = range[0], length = range[1];
                Scalar half = length.quotient(op.index(2));
                Scalar middle = first + half;
                Scalar isAbove = (length > 0) & (keyAt(middle) < key);
                return {select(isAbove, middle + 1, first),
                        select(isAbove, length - half - 1, half)};
              });
  Scalar isHit = (range[0] < count) & (keyAt(range[0]) == key);
  return select(isHit, range[0].toI32(), op.i32(-1));
}

static LogicalResult lowerHashtableLookup(OperationLowering &op) {
  Tensor lookups = op.input(0), keys = op.input(1), values = op.input(2);
  op.checkEqual(keys.extent(0), values.extent(0));
  Scalar count = lookups.extent(0);
  Tensor found = op.define(int32Tensor(), {count}, [&](Indices at) {
    return findKey(op, keys, lookups.integer(at));
  });
  SmallVector<Scalar> extents = values.extents();
  Scalar rows = extents[0];
  extents[0] = count;
  op.setOutput(0, op.define(op.outputType(0), extents, [&](Indices at) {
    SmallVector<Scalar> from(at);
    from[0] = op.indexFrom(found, {at[0]}, rows);
    Scalar value = values.stored(from);
    // Zero bytes even where the zero point is another (M-156).
    return select(found.stored({at[0]}) >= 0, value, value.like(0));
  }));
  op.setOutput(1, op.define(op.outputType(1), {count}, [&](Indices at) {
    return op.encodeTruth(found.stored({at[0]}) >= 0);
  }));
  return success();
}

//===----------------------------------------------------------------------===//
// LSH_PROJECTION
//===----------------------------------------------------------------------===//

namespace {
/// FarmHash's Fingerprint64 of a seed, a float32, and the bytes of a row behind
/// it.
class Fingerprint {
public:
  /// Element \p row of \p rows, which is [rows, elements], of known extents.
  Fingerprint(OperationLowering &op, const Tensor &rows, Scalar row,
              Scalar seed)
      : op(op), rows(rows), row(row),
        seed(seed.bitcast(op.getBuilder().getI32Type())
                 .zeroExtended(op.getBuilder().getI64Type())),
        bits(rows.getValueType().getElementTypeBitWidth()) {}

  Scalar compute();

private:
  using Pair = std::array<Scalar, 2>;

  Scalar number(uint64_t value) {
    return Scalar::integer(op.getBuilder(), op.getBuilder().getI64Type(),
                           int64_t(value));
  }
  Scalar shiftedRight(Scalar value, int64_t count) {
    return {op.getBuilder(), op.getBuilder().createOrFold<arith::ShRUIOp>(
                                 value.get(), number(uint64_t(count)).get())};
  }
  Scalar rotated(Scalar value, int64_t count) {
    return shiftedRight(value, count) |
           value.shiftedLeft(number(uint64_t(64 - count)));
  }
  Scalar mixed(Scalar value) { return value ^ shiftedRight(value, 47); }
  Scalar joined(Scalar u, Scalar v, Scalar factor) {
    Scalar a = mixed((u ^ v) * factor);
    return mixed((v ^ a) * factor) * factor;
  }
  /// Element-sized part \p at of the key.
  Scalar part(Scalar at);
  /// \p bytes bytes of the key from byte \p offset after part \p base on.
  Scalar fetched(Scalar base, int64_t offset, int64_t bytes = 8);
  Scalar fetched(int64_t offset, int64_t bytes = 8) {
    return fetched(op.index(0), offset, bytes);
  }
  Pair weak(Scalar base, int64_t offset, Scalar a, Scalar b);
  Scalar ofAtMost16();
  Scalar ofAtMost32();
  Scalar ofAtMost64();
  Scalar ofMore();
  /// One round of the state x, y, z, v and w over the 64 bytes at \p base.
  SmallVector<Scalar> round(ArrayRef<Scalar> state, Scalar base, Scalar factor,
                            int64_t weight);

  static constexpr uint64_t k0 = 0xc3a5c85c97cb3127u;
  static constexpr uint64_t k1 = 0xb492b66fbe98f273u;
  static constexpr uint64_t k2 = 0x9ae16a3b2f90404fu;

  OperationLowering &op;
  Tensor rows;
  Scalar row, seed;
  int64_t bits;
  /// The key of the hash has so many bytes.
  int64_t length = 0;
};
} // namespace

Scalar Fingerprint::part(Scalar at) {
  int64_t seedParts = 32 / bits;
  Type i64 = op.getBuilder().getI64Type();
  Scalar mask = number((uint64_t(1) << bits) - 1);
  auto ofSeed = [&] {
    Scalar shift = at.toI64() * double(bits);
    return seed.shiftedRight(shift) & mask;
  };
  auto ofRow = [&](Scalar index) {
    Scalar element = rows.stored({row, index});
    if (element.isFloat())
      element = element.bitcast(op.getBuilder().getIntegerType(bits));
    return element.zeroExtended(i64);
  };
  if (std::optional<int64_t> known = at.known())
    return *known < seedParts ? ofSeed() : ofRow(at - double(seedParts));
  Scalar isSeed = at < double(seedParts);
  return select(isSeed, ofSeed(),
                ofRow(select(isSeed, op.index(0), at - double(seedParts))));
}

Scalar Fingerprint::fetched(Scalar base, int64_t offset, int64_t bytes) {
  int64_t size = bits / 8;
  Scalar value = number(0);
  for (int64_t i = 0; i < bytes / size; ++i)
    value = value | part(base + op.index(offset / size + i))
                        .shiftedLeft(number(uint64_t(i * bits)));
  return value;
}

Fingerprint::Pair Fingerprint::weak(Scalar base, int64_t offset, Scalar a,
                                    Scalar b) {
  Scalar w = fetched(base, offset), x = fetched(base, offset + 8);
  Scalar y = fetched(base, offset + 16), z = fetched(base, offset + 24);
  a = a + w;
  b = rotated(b + a + z, 21);
  Scalar sum = a + x + y;
  return {sum + z, b + rotated(sum, 44) + a};
}

Scalar Fingerprint::ofAtMost16() {
  Scalar factor = number(k2 + uint64_t(length) * 2);
  if (length >= 8) {
    Scalar a = fetched(0) + number(k2), b = fetched(length - 8);
    Scalar c = rotated(b, 37) * factor + a;
    return joined(c, (rotated(a, 25) + b) * factor, factor);
  }
  // The seed alone is 4 bytes.
  Scalar a = fetched(0, 4);
  return joined(number(uint64_t(length)) + a.shiftedLeft(number(3)),
                fetched(length - 4, 4), factor);
}

Scalar Fingerprint::ofAtMost32() {
  Scalar factor = number(k2 + uint64_t(length) * 2);
  Scalar a = fetched(0) * number(k1), b = fetched(8);
  Scalar c = fetched(length - 8) * factor;
  Scalar d = fetched(length - 16) * number(k2);
  return joined(rotated(a + b, 43) + rotated(c, 30) + d,
                a + rotated(b + number(k2), 18) + c, factor);
}

Scalar Fingerprint::ofAtMost64() {
  Scalar factor = number(k2 + uint64_t(length) * 2);
  Scalar a = fetched(0) * number(k2), b = fetched(8);
  Scalar c = fetched(length - 8) * factor;
  Scalar d = fetched(length - 16) * number(k2);
  Scalar y = rotated(a + b, 43) + rotated(c, 30) + d;
  Scalar z = joined(y, a + rotated(b + number(k2), 18) + c, factor);
  Scalar e = fetched(16) * factor, f = fetched(24);
  Scalar g = (y + fetched(length - 32)) * factor;
  Scalar h = (z + fetched(length - 24)) * factor;
  return joined(rotated(e + f, 43) + rotated(g, 30) + h,
                e + rotated(f + a, 18) + g, factor);
}

SmallVector<Scalar> Fingerprint::round(ArrayRef<Scalar> state, Scalar base,
                                       Scalar factor, int64_t weight) {
  Scalar x = state[0], y = state[1], z = state[2];
  Pair v = {state[3], state[4]}, w = {state[5], state[6]};
  Scalar times = number(uint64_t(weight));
  x = rotated(x + y + v[0] + fetched(base, 8), 37) * factor;
  y = rotated(y + v[1] + fetched(base, 48), 42) * factor;
  x = x ^ (w[1] * times);
  y = y + v[0] * times + fetched(base, 40);
  z = rotated(z + w[0], 33) * factor;
  v = weak(base, 0, v[1] * factor, x + w[0]);
  w = weak(base, 32, z + w[1], y + fetched(base, 16));
  return {z, y, x, v[0], v[1], w[0], w[1]};
}

Scalar Fingerprint::ofMore() {
  constexpr uint64_t first = 81;
  constexpr uint64_t second = first * k1 + 113;
  constexpr uint64_t before = second * k2 + 113;
  constexpr uint64_t third = (before ^ (before >> 47)) * k2;
  int64_t size = bits / 8;
  SmallVector<Scalar> state = {number(first) * number(k2) + fetched(0),
                               number(second),
                               number(third),
                               number(0),
                               number(0),
                               number(0),
                               number(0)};
  state =
      op.loop(op.index(0), op.index((length - 1) / 64), state,
              [&](Scalar i, ArrayRef<Scalar> before) {
                return round(before, i * op.index(64 / size), number(k1), 1);
              });
  Scalar factor = number(k1) + (state[2] & number(0xff)).shiftedLeft(number(1));
  state[5] = state[5] + number(uint64_t(length - 1) & 63);
  state[3] = state[3] + state[5];
  state[5] = state[5] + state[3];
  state = round(state, op.index((length - 64) / size), factor, 9);
  Scalar left = joined(state[3], state[5], factor) +
                mixed(state[1]) * number(k0) + state[2];
  return joined(left, joined(state[4], state[6], factor) + state[0], factor);
}

Scalar Fingerprint::compute() {
  length = 4 + rows.getValueType().getDimSize(1) * (bits / 8);
  if (length <= 16)
    return ofAtMost16();
  if (length <= 32)
    return ofAtMost32();
  return length <= 64 ? ofAtMost64() : ofMore();
}

/// Whether the weighted sum of the rows' fingerprints under \p seed is positive
/// (M-161).
static Scalar signatureBit(OperationLowering &op, const Tensor &rows,
                           Scalar seed) {
  Type f64 = op.getBuilder().getF64Type();
  Scalar one = Scalar::constant(op.getBuilder(), f64, 1);
  Scalar sum = op.fold(
      rows.extent(0), one.like(0), [&](Scalar row, Scalar sum) -> Scalar {
        Scalar weight = one;
        if (op.hasInput(2))
          weight =
              select(op.isPresent(2), op.input(2).real({row}).toF64(), one);
        Scalar fingerprint = Fingerprint(op, rows, row, seed).compute();
        return sum + weight * fingerprint.to(f64);
      });
  return sum > 0;
}

static LogicalResult lowerLshProjection(OperationLowering &op) {
  auto form = op.decoded(rt::decodeLshProjection(op.view()));
  if (failed(form) || failed(needConstantScalars(op)))
    return failure();
  Tensor hash = op.input(0), input = op.input(1);
  if (!input.getValueType().hasStaticShape())
    return op.fail("the extents of input 1 are not known, and the target calls "
                   "no routines of the runtime");
  if (op.hasInput(2))
    op.check(!op.isPresent(2) | (op.input(2).extent(0) == input.extent(0)),
             FailureReason::extentsDiffer, op.input(2).extent(0),
             input.extent(0));
  Scalar elements = input.count().quotient(input.extent(0));
  Tensor rows = op.reshape(input, {input.extent(0), elements});
  Scalar functions = hash.extent(0), bits = hash.extent(1);
  Tensor isSet = op.define(int32Tensor(), {functions, bits}, [&](Indices at) {
    Scalar bit = signatureBit(op, rows, hash.real(at));
    return select(bit, op.i32(1), op.i32(0));
  });
  if (form->kind == rt::LshKind::dense) {
    op.setOutput(op.reshape(isSet, {functions * bits}));
    return success();
  }
  bool isSparse = form->kind == rt::LshKind::sparse;
  op.setOutput(op.define(op.outputType(), {functions}, [&](Indices at) {
    // The first seed's bit is the most significant one.
    Scalar signature = op.fold(bits, op.i32(0), [&](Scalar bit, Scalar before) {
      return before.shiftedLeft(op.i32(1)) | isSet.stored({at[0], bit});
    });
    if (!isSparse)
      return signature;
    return signature + at[0].toI64().shiftedLeft(bits.toI64()).toI32();
  }));
  return success();
}

std::span<const LoweringRow> nnhal::searchRows() {
  static constexpr LoweringRow rows[] = {
      {rt::OperationType::HASHTABLE_LOOKUP, lowerHashtableLookup},
      {rt::OperationType::LSH_PROJECTION, lowerLshProjection},
      {rt::OperationType::TOPK_V2, lowerTopK},
  };
  return rows;
}
