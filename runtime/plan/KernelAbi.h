/*===- KernelAbi.h - how the runtime calls compiled kernels ------*- C -*-===//
 *
 * Part of Kowari, under the Apache License 2.0.
 *
 * A kernel covers rows x columns of an iteration space; one call does the chunk
 * [row_begin, row_end) x [col_begin, col_end). Calls of one step may run at the same time on several threads
 * and give the same bits however the space is cut.
 *
 * Lanes::Columns  operands are row-major: pointers[i] is element (0, 0), strides[i] the elements from row to
 * row. col_begin is a multiple of 16. Chunks::Rows: the chunk has all columns (the kernel may reduce along
 *                 rows); Chunks::Columns: it has all rows (the kernel may reduce along columns, batch
 * statistics). Lanes::Rows     operands are feature-major: element (r, c) lies at c * strides[i] + r. A point
 * may own several consecutive columns of an operand (the 3K-1 spline parameters of a feature). row_begin is a
 *                 multiple of 16.
 *
 * Storage guarantee: the lane dimension of every operand is readable and writable up to the next multiple of
 * 16 elements; what lies there beyond the true extent is unspecified and never reaches a result. Row scalars
 * (one value a row) are contiguous; column vectors (one value a column) are contiguous; scalars are one
 * element. Their stride is 0 or 1 and unused.
 *===----------------------------------------------------------------------===*/
#ifndef KOWARI_RUNTIME_PLAN_KERNELABI_H
#define KOWARI_RUNTIME_PLAN_KERNELABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct KowariKernelArgs {
  int64_t row_begin, row_end; /* rows of this chunk */
  int64_t col_begin, col_end; /* columns of this chunk */
  int64_t rows, columns;      /* of the whole step */
  void *const *pointers;      /* one for each operand */
  const int64_t *strides;     /* one for each operand, in elements */
} KowariKernelArgs;

typedef void (*KowariKernel)(const KowariKernelArgs *);

#ifdef __cplusplus
}
#endif
#endif
