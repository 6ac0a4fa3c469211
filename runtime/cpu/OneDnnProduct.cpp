//===- OneDnnProduct.cpp - matrix products by oneDNN ------------*- C++ -*-===//
//
// Part of Kowari, under the Apache License 2.0.
//
// The C interface is used to run, since the C++ one builds a hash map on each call. Scratch memory is ours
// and allocated when the product is made; what oneDNN's AVX2 products allocate beyond it is their own affair.
//
//===----------------------------------------------------------------------===//
#include "runtime/cpu/ProductForm.h"
#include "runtime/cpu/Threads.h"

#include <array>
#include <cstdlib>
#include <cstring>
#include <oneapi/dnnl/dnnl.hpp>

namespace kowari::cpu {
namespace {

dnnl::engine &engine() {
  static dnnl::engine instance(dnnl::engine::kind::cpu, 0);
  return instance;
}

dnnl::memory::desc describeMatrix(int64_t dim0, int64_t dim1, const MatrixForm &form) {
  const dnnl::memory::dims strides =
      form.transposed ? dnnl::memory::dims{1, form.ld} : dnnl::memory::dims{form.ld, 1};
  return {{dim0, dim1}, dnnl::memory::data_type::f32, strides};
}

class OneDnnProduct final : public MatrixProduct {
public:
  OneDnnProduct(const ProductSpec &spec, int threads)
      : spec(spec), form(productForm(spec)), threads(threads) {
    // oneDNN adds a bias to each row only; with operands swapped ours is one value a row, so it goes in
    // first.
    biasFirst = spec.bias && form.swapped;
    biasInside = spec.bias && !form.swapped;
    const auto aDesc = describeMatrix(form.m, form.k, form.a), bDesc = describeMatrix(form.k, form.n, form.b);
    const auto cDesc = describeMatrix(form.m, form.n, {false, form.ldc});
    const dnnl::memory::desc biasDesc({1, form.n}, dnnl::memory::data_type::f32,
                                      dnnl::memory::format_tag::ab);
    dnnl::primitive_attr attributes;
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    if (spec.accumulate || biasFirst) {
      dnnl::post_ops sum;
      sum.append_sum(1.0f);
      attributes.set_post_ops(sum);
    }
    const dnnl::matmul::desc operation = biasInside ? dnnl::matmul::desc(aDesc, bDesc, biasDesc, cDesc)
                                                    : dnnl::matmul::desc(aDesc, bDesc, cDesc);
    const dnnl::matmul::primitive_desc description(operation, attributes, engine());
    implementation = description.impl_info_str();
    primitive = dnnl::matmul(description);
    stream = dnnl::stream(engine());
    a = dnnl::memory(aDesc, engine(), nullptr);
    b = dnnl::memory(bDesc, engine(), nullptr);
    c = dnnl::memory(cDesc, engine(), nullptr);
    bias = dnnl::memory(biasDesc, engine(), nullptr);
    scratch = dnnl::memory(description.scratchpad_desc(), engine());
    arguments = {{{DNNL_ARG_SRC, a.get()},
                  {DNNL_ARG_WEIGHTS, b.get()},
                  {DNNL_ARG_DST, c.get()},
                  {DNNL_ARG_SCRATCHPAD, scratch.get()},
                  {DNNL_ARG_BIAS, bias.get()}}};
  }

  /// The plain loops that oneDNN falls back to are far slower than either library's products.
  bool isReference() const { return implementation.find("ref") == 0; }

  Status run(const void *aData, const void *bData, void *cData, const void *biasData) override {
    if (biasFirst)
      startResult(spec, cData, biasData, threads);
    setData(a, form.swapped ? bData : aData);
    setData(b, form.swapped ? aData : bData);
    setData(c, cData);
    if (biasInside)
      setData(bias, biasData);
    const int count = biasInside ? 5 : 4;
    const dnnl_status_t status =
        dnnl_primitive_execute(primitive.get(), stream.get(), count, arguments.data());
    if (status != dnnl_success)
      return Status::error("oneDNN failed with status " + std::to_string(int(status)) + " in product " +
                           describe(spec));
    return Status::ok();
  }

  const char *libraryName() const override { return "oneDNN"; }

private:
  static void setData(dnnl::memory &memory, const void *data) {
    dnnl_memory_set_data_handle(memory.get(), const_cast<void *>(data));
  }

  ProductSpec spec;
  ProductForm form;
  int threads;
  bool biasFirst = false, biasInside = false;
  std::string implementation;
  dnnl::matmul primitive;
  dnnl::stream stream;
  dnnl::memory a, b, c, bias, scratch;
  std::array<dnnl_exec_arg_t, 5> arguments{};
};

} // namespace

Result<std::unique_ptr<MatrixProduct>> makeOneDnnProduct(const ProductSpec &spec, int threads) {
  useThreads(threads);
  try {
    auto product = std::make_unique<OneDnnProduct>(spec, threads);
    if (product->isReference())
      return makeOpenBlasProduct(spec, threads);
    return std::unique_ptr<MatrixProduct>(std::move(product));
  } catch (const dnnl::error &error) {
    return Status::error("oneDNN cannot make product " + describe(spec) + ": " + error.what());
  }
}

} // namespace kowari::cpu
