// The processor's features and the kernel chosen for each purpose.
#include <algorithm>
#include <atomic>

#include <fmt/format.h>

#include "kernels/kernels.h"
#include "kernels/simd.h"

namespace headwater {

std::string_view name_of(Activation activation) {
  constexpr const char* names[] = {"gelu", "gelu_tanh", "relu", "silu", "tanh", "quick_gelu"};
  return names[static_cast<int>(activation)];
}

namespace kernels {
namespace {

std::atomic<Isa> limit{Isa::Avx512};

}  // namespace

Isa widest_isa() noexcept {
#if defined(__x86_64__)
  static const Isa widest = [] {
    const bool avx2 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
    const bool avx512 = __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
                        __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512bw") != 0;
    return avx2 && avx512 ? Isa::Avx512 : avx2 ? Isa::Avx2 : Isa::Baseline;
  }();
  return widest;
#else
  return Isa::Baseline;
#endif
}

Isa isa() noexcept {
  return std::min(limit.load(std::memory_order_relaxed), widest_isa());
}

void limit_isa(Isa most) noexcept {
  limit.store(most, std::memory_order_relaxed);
}

std::string_view name_of(Isa isa) {
  if (isa != Isa::Baseline) return isa == Isa::Avx512 ? "avx512" : "avx2";
#if defined(__x86_64__)
  return "sse2";
#else
  return "generic";
#endif
}

}  // namespace kernels

std::vector<std::string> cpu_features() {
  std::vector<std::string> features;
#if defined(__x86_64__)
  const auto note = [&](bool present, const char* name) {
    if (present) features.emplace_back(name);
  };
  note(__builtin_cpu_supports("sse4.2") != 0, "sse4.2");
  note(__builtin_cpu_supports("avx") != 0, "avx");
  note(__builtin_cpu_supports("avx2") != 0, "avx2");
  note(__builtin_cpu_supports("fma") != 0, "fma");
  note(__builtin_cpu_supports("avx512f") != 0, "avx512f");
  note(__builtin_cpu_supports("avx512vl") != 0, "avx512vl");
  note(__builtin_cpu_supports("avx512dq") != 0, "avx512dq");
  note(__builtin_cpu_supports("avx512bw") != 0, "avx512bw");
  note(__builtin_cpu_supports("avx512vnni") != 0, "avx512vnni");
  note(__builtin_cpu_supports("avx512bf16") != 0, "avx512bf16");
#endif
  return features;
}

std::vector<KernelChoice> kernels_in_use() {
  using namespace kernels;
  const Isa which = isa();
  const auto shape = [&](int sizeof_element) {
    int rows = 0, cols = 0;
    on_isa(which, [&](auto tag) INLINED {
      rows = decltype(tag)::tile_rows;
      cols = 2 * decltype(tag)::bytes / sizeof_element;
    });
    return fmt::format("headwater {} {}x{}", kernels::name_of(which), rows, cols);
  };
  const std::string vector = fmt::format("headwater {}", kernels::name_of(which));
  return {{"gemm float32", shape(4) + ", weights packed once"},
          {"gemm float64", shape(8) + ", weights packed once"},
          {"softmax, layer_norm, rms_norm", vector},
          {"activations float32", vector + ", polynomials"},
          {"activations float64", "C library"},
          {"elementwise, rotary", vector}};
}

}  // namespace headwater
