// The kernels at the shapes of BERT-base with 128 tokens, side by side with oneDNN's plain sgemm and its
// matmul on weights packed once. Weights rotate through more memory than the caches hold, as in a model.
//
//   kernels_bench --threads=2 --benchmark_filter=gemm
//
// GFLOP/s is the rate by wall clock. On a machine with other work, --threads=1 and the CPU column tell more.
#include <charconv>
#include <cstring>
#include <random>

#include <benchmark/benchmark.h>
#include <oneapi/dnnl/dnnl.hpp>

#include "base/parallel.h"
#include "kernels/kernels.h"
#include "kernels/matrix.h"

namespace headwater {
namespace {

constexpr std::size_t weights_in_rotation = 16;

Tensor random_tensor(Shape shape, DType dtype) {
  static std::mt19937 generator(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Tensor t(std::move(shape), dtype);
  dispatch(dtype, [&](auto r) {
    using R = decltype(r);
    R* to = t.data<R>();
    for (Index i = 0; i < t.size(); ++i) to[i] = static_cast<R>(uniform(generator));
  });
  return t;
}

void count_flops(benchmark::State& state, double flops) {
  state.counters["GFLOP/s"] =
      benchmark::Counter(flops * static_cast<double>(state.iterations()) / 1e9, benchmark::Counter::kIsRate);
}

struct Case {
  Index m, n, k;
  Tensor x, y, signal, pulled;
  std::vector<Tensor> weights;

  Case(const benchmark::State& state, DType dtype)
      : m(state.range(0)),
        n(state.range(1)),
        k(state.range(2)),
        x(random_tensor({m, k}, dtype)),
        y({m, n}, dtype),
        signal(random_tensor({m, n}, dtype)),
        pulled({m, k}, dtype) {
    for (std::size_t i = 0; i < weights_in_rotation; ++i) weights.push_back(random_tensor({n, k}, dtype));
  }
  double flops() const {
    return 2 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  }
};

template <class R, bool Pull>
void gemm_headwater(benchmark::State& state) {
  Case c(state, dtype_of<R>());
  std::vector<Matrix> packed(c.weights.begin(), c.weights.end());
  std::size_t i = 0;
  for ([[maybe_unused]] auto _ : state) {
    const Matrix& w = packed[i++ % packed.size()];
    if constexpr (Pull)
      w.times<R>(c.signal.data<R>(), c.pulled.data<R>(), c.m);
    else
      w.times_transposed<R>(c.x.data<R>(), nullptr, c.y.data<R>(), c.m);
  }
  count_flops(state, c.flops());
}

template <bool Pull>
void gemm_onednn_sgemm(benchmark::State& state) {
  Case c(state, DType::Float32);
  std::size_t i = 0;
  for ([[maybe_unused]] auto _ : state) {
    const float* w = c.weights[i++ % c.weights.size()].data<float>();
    if constexpr (Pull)
      dnnl::sgemm('N', 'N', c.m, c.k, c.n, 1, c.signal.data<float>(), c.n, w, c.k, 0, c.pulled.data<float>(),
                  c.k);
    else
      dnnl::sgemm('N', 'T', c.m, c.n, c.k, 1, c.x.data<float>(), c.k, w, c.k, 0, c.y.data<float>(), c.n);
  }
  count_flops(state, c.flops());
}

void gemm_onednn_packed(benchmark::State& state) {
  using Tag = dnnl::memory::format_tag;
  constexpr auto type = dnnl::memory::data_type::f32;
  Case c(state, DType::Float32);
  dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  const dnnl::memory::desc x_desc({c.m, c.k}, type, Tag::ab), w_desc({c.k, c.n}, type, Tag::any),
      plain_desc({c.k, c.n}, type, Tag::ba), y_desc({c.m, c.n}, type, Tag::ab);
  const dnnl::matmul::primitive_desc best(dnnl::matmul::desc(x_desc, w_desc, y_desc), engine);
  dnnl::matmul matmul(best);
  std::vector<dnnl::memory> packed;
  for (Tensor& w : c.weights) {
    dnnl::memory plain(plain_desc, engine, w.data<float>());
    packed.emplace_back(best.weights_desc(), engine);
    dnnl::reorder(plain, packed.back()).execute(stream, plain, packed.back());
  }
  dnnl::memory x(x_desc, engine, c.x.data<float>()), y(y_desc, engine, c.y.data<float>());
  std::size_t i = 0;
  for ([[maybe_unused]] auto _ : state) {
    matmul.execute(stream,
                   {{DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, packed[i++ % packed.size()]}, {DNNL_ARG_DST, y}});
    stream.wait();
  }
  state.SetLabel(best.impl_info_str());
  count_flops(state, c.flops());
}

// The two products of attention: scores = q kᵀ and z = pattern v, 12 heads.
void attention_scores(benchmark::State& state) {
  const Index heads = 12, t = 128, e = 64;
  Tensor q = random_tensor({heads, t, e}, DType::Float32), k = random_tensor({heads, t, e}, DType::Float32);
  Tensor s({heads, t, t}, DType::Float32);
  std::vector<kernels::GemmTask<float>> tasks;
  for (Index h = 0; h < heads; ++h)
    tasks.push_back({q.data<float>() + h * t * e, k.data<float>() + h * t * e, s.data<float>() + h * t * t});
  for ([[maybe_unused]] auto _ : state)
    kernels::gemm_batch<float>({.m = t, .n = t, .k = e, .transpose_b = true, .lda = e, .ldb = e, .ldc = t},
                               tasks);
  count_flops(state, 2.0 * static_cast<double>(heads * t * t * e));
}

void attention_mix(benchmark::State& state) {
  const Index heads = 12, t = 128, e = 64;
  Tensor p = random_tensor({heads, t, t}, DType::Float32), v = random_tensor({heads, t, e}, DType::Float32);
  Tensor z({heads, t, e}, DType::Float32);
  std::vector<kernels::GemmTask<float>> tasks;
  for (Index h = 0; h < heads; ++h)
    tasks.push_back({p.data<float>() + h * t * t, v.data<float>() + h * t * e, z.data<float>() + h * t * e});
  for ([[maybe_unused]] auto _ : state)
    kernels::gemm_batch<float>({.m = t, .n = e, .k = t, .lda = t, .ldb = e, .ldc = e}, tasks);
  count_flops(state, 2.0 * static_cast<double>(heads * t * t * e));
}

template <class R>
void softmax(benchmark::State& state) {
  Tensor x = random_tensor({12 * 128, 128}, dtype_of<R>());
  for ([[maybe_unused]] auto _ : state) kernels::softmax<R>(x.data<R>(), x.data<R>(), 12 * 128, 128, 0);
  state.SetItemsProcessed(state.iterations() * x.size());
}

template <class R>
void layer_norm(benchmark::State& state) {
  Tensor x = random_tensor({128, 768}, dtype_of<R>()), gamma = random_tensor({768}, dtype_of<R>());
  Tensor y(x.shape(), x.dtype());
  for ([[maybe_unused]] auto _ : state)
    kernels::norm<R>({gamma.data<R>(), gamma.data<R>(), 1e-12, true}, x.data<R>(), y.data<R>(), 128, 768);
  state.SetItemsProcessed(state.iterations() * x.size());
}

template <class R>
void gelu(benchmark::State& state) {
  Tensor x = random_tensor({128, 3072}, dtype_of<R>()), y(x.shape(), x.dtype());
  for ([[maybe_unused]] auto _ : state)
    kernels::activate<R>(Activation::Gelu, x.data<R>(), y.data<R>(), x.size());
  state.SetItemsProcessed(state.iterations() * x.size());
}

void bert_shapes(benchmark::internal::Benchmark* b) {
  b->Args({128, 768, 768})
      ->Args({128, 3072, 768})
      ->Args({128, 768, 3072})
      ->Args({1, 768, 768})
      ->Args({512, 384, 384})  // MiniLM, several short texts at once
      ->Args({512, 1536, 384})
      ->Args({512, 384, 1536})
      ->UseRealTime();
}

BENCHMARK(gemm_headwater<float, false>)->Name("gemm/headwater/forward")->Apply(bert_shapes);
BENCHMARK(gemm_headwater<float, true>)->Name("gemm/headwater/pull")->Apply(bert_shapes);
BENCHMARK(gemm_onednn_packed)->Name("gemm/onednn_packed/forward")->Apply(bert_shapes);
BENCHMARK(gemm_onednn_sgemm<false>)->Name("gemm/onednn_sgemm/forward")->Apply(bert_shapes);
BENCHMARK(gemm_onednn_sgemm<true>)->Name("gemm/onednn_sgemm/pull")->Apply(bert_shapes);
BENCHMARK(gemm_headwater<double, false>)->Name("gemm64/headwater/forward")->Apply(bert_shapes);
BENCHMARK(gemm_headwater<double, true>)->Name("gemm64/headwater/pull")->Apply(bert_shapes);
BENCHMARK(attention_scores)->UseRealTime();
BENCHMARK(attention_mix)->UseRealTime();
BENCHMARK(softmax<float>)->UseRealTime();
BENCHMARK(softmax<double>)->UseRealTime();
BENCHMARK(layer_norm<float>)->UseRealTime();
BENCHMARK(gelu<float>)->UseRealTime();
BENCHMARK(gelu<double>)->UseRealTime();

}  // namespace
}  // namespace headwater

int main(int argc, char** argv) {
  int threads = 2, kept = 1;
  for (int i = 1; i < argc; ++i)
    if (std::strncmp(argv[i], "--threads=", 10) == 0)
      std::from_chars(argv[i] + 10, argv[i] + std::strlen(argv[i]), threads);
    else
      argv[kept++] = argv[i];
  // Debian's oneDNN 2.6.3 dies with an illegal instruction in its own AMX path.
  dnnl::set_max_cpu_isa(dnnl::cpu_isa::avx512_core_vnni);
  headwater::set_thread_count(threads);
  benchmark::Initialize(&kept, argv);
  if (benchmark::ReportUnrecognizedArguments(kept, argv)) return 2;
  for (const auto& choice : headwater::kernels_in_use())
    benchmark::AddCustomContext(choice.kernel, choice.implementation);
  benchmark::RunSpecifiedBenchmarks();
}
