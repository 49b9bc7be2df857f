// Exact attention flow on twelve layers of synthetic attention: softmax of normal scores, averaged over
// heads, half of it residual.
//
//   flow_bench [--threads=1] [--rounds=3]        the table
//   flow_bench MAPS LAYERS TOKENS VALUES         flow of a file of float64 [L, T, T]; writes the same and
//                                                prints seconds
//
// Times are the best of the rounds, by wall clock and by processor time of all threads; on a machine with
// other work the second tells more.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/parallel.h"
#include "numerics/flow.h"

namespace headwater {
namespace {

struct Case {
  const char* name;
  Index T;
  double sharpness;
  double target;  // seconds on one thread; 0: none was set
  int heads;
  bool causal;
  bool one_row;  // the first (causal: the last) query of the last layer; otherwise all pairs of all layers
};

constexpr Index layers = 12;
constexpr Case cases[] = {
    {"12 heads", 20, 2, 0.015, 12, false, false},
    {"12 heads", 64, 2, 0, 12, false, false},
    {"12 heads", 128, 2, 3, 12, false, false},
    {"12 flat heads", 128, 1, 3, 12, false, false},
    {"12 heads, causal", 32, 2, 0, 12, true, false},
    {"12 heads, causal", 128, 2, 0, 12, true, false},
    {"1 sharp head", 48, 4, 0, 1, false, false},
    {"12 heads, one row", 128, 2, 0, 12, false, true},
    {"12 heads, one row", 512, 2, 2.5, 12, false, true},
    {"12 heads, causal, one row", 512, 2, 2.5, 12, true, true},
};

Tensor synthetic(const Case& c) {
  std::mt19937 generator(1);
  std::normal_distribution<double> normal;
  Tensor maps = Tensor::zeros({layers, c.T, c.T}, DType::Float64);
  std::vector<double> weight(static_cast<std::size_t>(c.T)), common(static_cast<std::size_t>(c.T));
  for (Index l = 0; l < layers; ++l)
    for (int h = 0; h < c.heads; ++h) {
      for (double& x : common) x = normal(generator) / 2;
      for (Index k = 0; k < c.T; ++k) {
        double* row = maps.data<double>() + (l * c.T + k) * c.T;
        const Index keys = c.causal ? k + 1 : c.T;
        double sum = 0;
        for (Index j = 0; j < keys; ++j) {
          double& w = weight[static_cast<std::size_t>(j)];
          w = std::exp(c.sharpness * (normal(generator) + common[static_cast<std::size_t>(j)]));
          sum += w;
        }
        for (Index j = 0; j < keys; ++j) row[j] += 0.5 * weight[static_cast<std::size_t>(j)] / sum / c.heads;
        if (h == 0) row[k] += 0.5;
      }
    }
  return maps;
}

struct Times {
  double wall, processor;
};

template <class F>
Times best_of(int rounds, const F& f) {
  Times best{1e300, 1e300};
  for (int i = 0; i < rounds; ++i) {
    const std::clock_t ticks = std::clock();
    const auto start = std::chrono::steady_clock::now();
    f();
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    best.wall = std::min(best.wall, wall.count());
    best.processor = std::min(best.processor, static_cast<double>(std::clock() - ticks) / CLOCKS_PER_SEC);
  }
  return best;
}

void table(int rounds) {
  std::printf("%d layers, %d threads, best of %d\n", static_cast<int>(layers), thread_count(), rounds);
  std::printf("%-27s %4s %10s %10s %8s %9s %9s %9s %10s\n", "", "T", "wall ms", "CPU ms", "target", "solved",
              "certified", "closed", "saturated");
  for (const Case& c : cases) {
    const Tensor maps = synthetic(c);
    FlowOptions options;
    if (c.one_row) options = {.rows = {c.causal ? static_cast<int>(c.T) - 1 : 0}, .last_layer_only = true};
    Flow flow;
    const Times times =
        best_of(c.T < 64 ? 5 * rounds : rounds, [&] { flow = attention_flow(maps, options); });
    const std::string target = c.target > 0 ? std::to_string(std::lround(c.target * 1e3)) : "";
    std::printf("%-27s %4d %10.2f %10.2f %8s %9lld %9lld %9lld %10d%s\n", c.name, static_cast<int>(c.T),
                times.wall * 1e3, times.processor * 1e3, target.c_str(),
                static_cast<long long>(flow.counts.solved), static_cast<long long>(flow.counts.certified),
                static_cast<long long>(flow.counts.closed), flow.saturated_layer,
                flow.audit_error == 0 && flow.bound_violation == 0 ? "" : "  WRONG: audit or bounds failed");
    std::fflush(stdout);
  }
}

int flow_of_file(char** arguments) {
  const Index L = std::stoll(arguments[1]), T = std::stoll(arguments[2]);
  Tensor maps({L, T, T}, DType::Float64);
  const auto bytes = static_cast<std::streamsize>(maps.bytes());
  std::ifstream in(arguments[0], std::ios::binary);
  if (!in.read(reinterpret_cast<char*>(maps.data<double>()), bytes)) {
    std::fprintf(stderr, "%s: expected %lld bytes\n", arguments[0], static_cast<long long>(bytes));
    return 2;
  }
  Flow flow;
  const Times times = best_of(3, [&] { flow = attention_flow(maps); });
  std::ofstream out(arguments[3], std::ios::binary);
  out.write(reinterpret_cast<const char*>(flow.values.data<double>()), bytes);
  std::printf("%.9f\n", times.processor);
  return out.good() ? 0 : 2;
}

}  // namespace
}  // namespace headwater

int main(int count, char** arguments) {
  headwater::set_thread_count(1);
  int rounds = 3;
  const auto number = [](std::string_view text) {
    int value = 1;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  };
  if (count == 5) return headwater::flow_of_file(arguments + 1);
  for (int i = 1; i < count; ++i) {
    const std::string_view argument = arguments[i];
    if (argument.starts_with("--threads=")) headwater::set_thread_count(number(argument.substr(10)));
    if (argument.starts_with("--rounds=")) rounds = number(argument.substr(9));
  }
  headwater::table(rounds);
}
