// Hidden token attribution of a model: time, in seconds and in forward runs of the same text, memory, and
// whether its checks hold.
//
//   hidden_token_attribution_bench MODEL_FOLDER TOKENS THREADS [NAME=VALUE …]
//
// Further arguments are options of the method. The forward run is the median of five. Memory is the largest
// resident set after the run over that before it, both beyond the loaded model; the plan is what
// planned_bytes promises as the least.

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <headwater/error.h>
#include <sys/resource.h>

#include "base/parallel.h"
#include "methods/method.h"
#include "models/family.h"

namespace headwater {
namespace {

double seconds_of(const auto& call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double largest_resident_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

Batch some_text(const ModelInfo& info, int tokens) {
  Batch batch;
  batch.ids.emplace_back();
  for (int t = 0; t < tokens; ++t) batch.ids[0].push_back((7 * t + 11) % info.vocabulary);
  return batch;
}

void measure(const Model& model, int tokens, const std::map<std::string, std::string>& chosen) {
  const Batch batch = some_text(model.info(), tokens);
  std::vector<double> forward;
  for (int i = 0; i < 5; ++i) forward.push_back(seconds_of([&] { Study(model, batch, {}).run(); }));
  std::nth_element(forward.begin(), forward.begin() + 2, forward.end());
  const Method& method = find_method("hidden_token_attribution");
  const MethodOptions options(method.name, method.options, chosen);
  const double before = largest_resident_mib();
  Attribution result;
  const double seconds = seconds_of([&] {
    const Study study(model, batch, {});
    result = method.run(study, options);
  });
  const double plan = static_cast<double>(method.planned_bytes(model.info(), tokens, options)) / (1 << 20);
  std::cout << fmt::format(
      "{} tokens: {:.2f} s, {:.0f} forward runs of {:.1f} ms; {:.0f} MiB more, plan {:.0f} MiB\n", tokens,
      seconds, seconds / forward[2], 1e3 * forward[2], largest_resident_mib() - before, plan);
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
