//===- OpenBlas.cpp - the OpenMP build of OpenBLAS --------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/cpu/OpenBlas.h"

#include "runtime/cpu/CpuFeatures.h"
#include "runtime/cpu/ProductForm.h"
#include "runtime/cpu/Threads.h"

#include <cstdlib>
#include <dlfcn.h>

namespace kowari::cpu {
namespace {

/// The core type whose kernels fit this processor; null where OpenBLAS should decide for itself.
const char *coreType() {
  if (cpuLevel() == "x86-64-v4")
    return "SkylakeX";
  if (cpuLevel() != "x86-64-v3")
    return nullptr;
  return cpuVendor() == "AuthenticAMD" ? "Zen" : "Haswell";
}

constexpr const char *advice = "; install the package libopenblas0-openmp";

Result<OpenBlas> openLibrary() {
  if (const char *core = coreType())
    setenv("OPENBLAS_CORETYPE", core, 1);
  else
    unsetenv("OPENBLAS_CORETYPE");
  void *library = dlopen(KOWARI_OPENBLAS_PATH, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    return Status::error(std::string("OpenBLAS cannot be opened (") + (reason ? reason : "no reason given") +
                         ")" + advice);
  }
  const auto parallel = reinterpret_cast<int (*)()>(dlsym(library, "openblas_get_parallel"));
  const auto config = reinterpret_cast<char *(*)()>(dlsym(library, "openblas_get_config"));
  const auto core = reinterpret_cast<char *(*)()>(dlsym(library, "openblas_get_corename"));
  OpenBlas blas;
  blas.library = library;
  blas.sgemm = reinterpret_cast<decltype(blas.sgemm)>(dlsym(library, "cblas_sgemm"));
  blas.dgemm = reinterpret_cast<decltype(blas.dgemm)>(dlsym(library, "cblas_dgemm"));
  if (!parallel || !config || !core || !blas.sgemm || !blas.dgemm)
    return Status::error(std::string("OpenBLAS lacks its CBLAS functions") + advice);
  constexpr int openMp = 2;
  if (parallel() != openMp)
    return Status::error(
        std::string("the OpenBLAS found here was not built for OpenMP, so its threads would fight "
                    "ours") +
        advice);
  blas.config = config();
  blas.core = core();
  return blas;
}

class OpenBlasProduct final : public MatrixProduct {
public:
  OpenBlasProduct(const ProductSpec &spec, int threads, const OpenBlas &blas)
      : spec(spec), form(productForm(spec)), threads(threads), blas(blas) {}

  Status run(const void *a, const void *b, void *c, const void *bias) override {
    if (spec.bias)
      startResult(spec, c, bias, threads);
    if (form.swapped)
      std::swap(a, b);
    if (spec.element == Element::F32)
      call(blas.sgemm, static_cast<const float *>(a), static_cast<const float *>(b), static_cast<float *>(c));
    else
      call(blas.dgemm, static_cast<const double *>(a), static_cast<const double *>(b),
           static_cast<double *>(c));
    return Status::ok();
  }

  const char *libraryName() const override { return "OpenBLAS"; }

private:
  template <class T, class Function> void call(Function gemm, const T *a, const T *b, T *c) const {
    const T beta = spec.accumulate || spec.bias ? T(1) : T(0);
    gemm(OpenBlas::rowMajor, form.a.transposed ? OpenBlas::transpose : OpenBlas::noTranspose,
         form.b.transposed ? OpenBlas::transpose : OpenBlas::noTranspose, int(form.m), int(form.n),
         int(form.k), T(1), a, int(form.a.ld), b, int(form.b.ld), beta, c, int(form.ldc));
  }

  ProductSpec spec;
  ProductForm form;
  int threads;
  const OpenBlas &blas;
};

} // namespace

Result<const OpenBlas *> OpenBlas::get() {
  static const Result<OpenBlas> instance = openLibrary();
  if (!instance)
    return instance.status();
  return &*instance;
}

Result<std::unique_ptr<MatrixProduct>> makeOpenBlasProduct(const ProductSpec &spec, int threads) {
  useThreads(threads);
  KOWARI_ASSIGN(const OpenBlas *blas, OpenBlas::get());
  return std::unique_ptr<MatrixProduct>(std::make_unique<OpenBlasProduct>(spec, threads, *blas));
}

} // namespace kowari::cpu
