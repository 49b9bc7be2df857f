// Hidden token attribution of a model: time, in seconds and in forward runs of the same text, memory, and
// whether its checks hold.
//
//   hidden_token_attribution_bench MODEL_FOLDER TOKENS THREADS [NAME=VALUE …]
//
// Further arguments are options of the method. The forward run is the median of five. Both are told in wall
// and in processor time, over all threads; on a busy machine believe the latter. Memory is the largest
// resident set during the run over that before it; the plan is what planned_bytes promises as the least,
// beyond the forward run.

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <headwater/error.h>

#include "base/parallel.h"
#include "methods/method.h"
#include "models/family.h"

namespace headwater {
namespace {

struct Times {
  double wall, processor;  // seconds
};

Times times_of(const auto& call) {
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t before = std::clock();
  call();
  const double processor = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), processor};
}

// Of this process, in MiB: "VmRSS:" now, "VmHWM:" the most since forget_largest().
double memory(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == name && status >> word) return std::stod(word) / 1024;
  return 0;
}

void forget_largest() {
  std::ofstream("/proc/self/clear_refs") << 5;
}

Batch some_text(const ModelInfo& info, int tokens) {
  Batch batch;
  batch.ids.emplace_back();
  for (int t = 0; t < tokens; ++t) batch.ids[0].push_back((7 * t + 11) % info.vocabulary);
  return batch;
}

void measure(const Model& model, int tokens, const std::map<std::string, std::string>& chosen) {
  const Batch batch = some_text(model.info(), tokens);
  std::vector<Times> runs;
  for (int i = 0; i < 5; ++i) runs.push_back(times_of([&] { Study(model, batch, {}).run(); }));
  const auto middle = [&](double Times::*kind) {
    std::sort(runs.begin(), runs.end(), [&](const Times& a, const Times& b) { return a.*kind < b.*kind; });
    return runs[2].*kind;
  };
  const Times forward{middle(&Times::wall), middle(&Times::processor)};
  const Method& method = find_method("hidden_token_attribution");
  const MethodOptions options(method.name, method.options, chosen);
  const double before = memory("VmRSS:");
  forget_largest();
  Attribution result;
  const Times times = times_of([&] {
    const Study study(model, batch, {});
    result = method.run(study, options);
  });
  const double plan = static_cast<double>(method.planned_bytes(model.info(), tokens, options)) / (1 << 20);
  std::cout << fmt::format("{} tokens: {:.2f} s, {:.0f} forward runs of {:.1f} ms\n", tokens, times.wall,
                           times.wall / forward.wall, 1e3 * forward.wall);
  std::cout << fmt::format("  processor {:.2f} s, {:.0f} forward runs of {:.1f} ms\n", times.processor,
                           times.processor / forward.processor, 1e3 * forward.processor);
  std::cout << fmt::format("  memory {:.0f} MiB more, plan {:.0f} MiB\n", memory("VmHWM:") - before, plan);
  for (const Check& check : result.checks)
    std::cout << fmt::format("  {}  {}: {:.2g} (bound {:.2g})\n", check.passed ? "yes" : "NO ", check.name,
                             check.value, check.bound);
  for (const std::string& note : result.notes) std::cout << "  " << note << '\n';
}

}  // namespace
}  // namespace headwater

int main(int argc, char** argv) {
  using namespace headwater;
  if (argc < 4) {
    std::cerr << "usage: hidden_token_attribution_bench MODEL_FOLDER TOKENS THREADS [NAME=VALUE ...]\n";
    return 2;
  }
  try {
    set_thread_count(std::atoi(argv[3]));
    std::map<std::string, std::string> options;
    for (int a = 4; a < argc; ++a) {
      const std::string text = argv[a];
      const std::size_t equals = text.find('=');
      options.emplace(text.substr(0, equals), equals == std::string::npos ? "" : text.substr(equals + 1));
    }
    const std::unique_ptr<Model> model = load_model(open_checkpoint(find_model(argv[1], {}), DType::Float32));
    measure(*model, std::atoi(argv[2]), options);
  } catch (const Error& e) {
    std::cerr << "hidden_token_attribution_bench: " << e.what() << '\n';
    return e.exit_code();
  }
  return 0;
}
