/* The extension "com.example.fibonacci" as programs and its device see it. A
 * vendor publishes such a header. */
#ifndef EXAMPLES_FIBONACCI_H
#define EXAMPLES_FIBONACCI_H

#include <stdint.h>

#define FIBONACCI_EXTENSION "com.example.fibonacci"

/* Operand types. */
enum {
  /* A scalar: one int64_t. */
  FIBONACCI_INT64 = 0,
  /* A tensor of int64_t, with FibonacciQuantization as the operand's extension
   * data. The real value is (element - zeroPoint) * scale. */
  FIBONACCI_TENSOR_QUANT64_ASYMM = 1,
};

/* Operations. */
enum {
  /* The first n Fibonacci numbers, 1, 1, 2, 3, 5 and so on.
   *
   * Input:  n, from 1 to 92: FIBONACCI_INT64, or a TENSOR_FLOAT32 of one
   *         element.
   * Output: a tensor of shape [n]: FIBONACCI_TENSOR_QUANT64_ASYMM, or
   *         TENSOR_FLOAT32.
   *
   * The execution fails when n is another number, and when an element does not
   * fit 64 bits. */
  FIBONACCI_OPERATION = 0,
};

typedef struct FibonacciQuantization {
  double scale; /* Positive and finite. */
  int64_t zeroPoint;
} FibonacciQuantization;

#endif /* EXAMPLES_FIBONACCI_H */
