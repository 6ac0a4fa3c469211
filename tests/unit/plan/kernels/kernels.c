/*===- kernels.c - kernels for the plan tests --------------------*- C -*-===//
 *
 * Part of Kowari, under the Apache License 2.0.
 *
 * They obey KernelAbi.h as compiled kernels do; those over lanes touch the pad up to the next multiple of 16.
 *===----------------------------------------------------------------------===*/
#include "runtime/plan/KernelAbi.h"

static int64_t padded(int64_t n) { return (n + 15) / 16 * 16; }

/* Lanes::Columns, Chunks::Rows: out(r, c) = in(r, c) * row(r) + column(c).  operands: in, row, column, out */
#define SCALE(name, T)                                                                                       \
  void name(const KowariKernelArgs *args) {                                                                  \
    const T *in = args->pointers[0], *row = args->pointers[1], *column = args->pointers[2];                  \
    T *out = args->pointers[3];                                                                              \
    for (int64_t r = args->row_begin; r < args->row_end; ++r)                                                \
      for (int64_t c = args->col_begin; c < padded(args->col_end); ++c)                                      \
        out[r * args->strides[3] + c] = in[r * args->strides[0] + c] * row[r] + column[c];                   \
  }
SCALE(scale_f32, float)
SCALE(scale_f64, double)

/* Lanes::Columns, Chunks::Columns: out(c) = sum over rows of in(r, c).  operands: in, out */
#define COLUMN_SUMS(name, T)                                                                                 \
  void name(const KowariKernelArgs *args) {                                                                  \
    const T *in = args->pointers[0];                                                                         \
    T *out = args->pointers[1];                                                                              \
    for (int64_t c = args->col_begin; c < padded(args->col_end); ++c) {                                      \
      T sum = 0;                                                                                             \
      for (int64_t r = 0; r < args->rows; ++r)                                                               \
        sum += in[r * args->strides[0] + c];                                                                 \
      out[c] = sum;                                                                                          \
    }                                                                                                        \
  }
COLUMN_SUMS(column_sums_f32, float)
COLUMN_SUMS(column_sums_f64, double)

/* Lanes::Rows, any chunks: out(r, c) = in(r, c) + c, feature-major.  operands: in, out */
#define ADD_COLUMN(name, T)                                                                                  \
  void name(const KowariKernelArgs *args) {                                                                  \
    const T *in = args->pointers[0];                                                                         \
    T *out = args->pointers[1];                                                                              \
    for (int64_t c = args->col_begin; c < args->col_end; ++c)                                                \
      for (int64_t r = args->row_begin; r < padded(args->row_end); ++r)                                      \
        out[c * args->strides[1] + r] = in[c * args->strides[0] + r] + (T)c;                                 \
  }
ADD_COLUMN(add_column_f32, float)
ADD_COLUMN(add_column_f64, double)

/* Writes down how the space was cut: for each point where its chunk begins, its calls are counted.
 * operands: row_begin(r, c), col_begin(r, c), calls(r, c), all int32 row-major */
void record_chunks(const KowariKernelArgs *args) {
  int32_t *rowBegin = args->pointers[0], *colBegin = args->pointers[1], *calls = args->pointers[2];
  for (int64_t r = args->row_begin; r < args->row_end; ++r)
    for (int64_t c = args->col_begin; c < args->col_end; ++c) {
      rowBegin[r * args->strides[0] + c] = (int32_t)args->row_begin;
      colBegin[r * args->strides[1] + c] = (int32_t)args->col_begin;
      calls[r * args->strides[2] + c] += 1;
    }
}
