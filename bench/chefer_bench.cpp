// Chefer's relevance pass timed beside the forward and the gradient it comes on top of, so that a peer can be
// timed in turn with it.
//
//   chefer_bench MODEL_FOLDER TOKENS THREADS [float64]
//
// Reads lines "forward N", "gradient N", "relevance N", "chefer N" or "memory" from standard input. A timing
// line answers with the N times in milliseconds: of a forward that keeps everything, of a pull to all
// patterns, of the relevance pass to all patterns, and of the whole method. After "cpu" they are processor
// time over all threads, for machines that have other work. "row" answers with the method's
// scores, "memory" with the peak of tensor memory of a relevance pass over the weights and the kept run, in
// MiB. bench/peers/chefer_torch.py drives it.

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <string>

#include <headwater/error.h>

#include "base/parallel.h"
#include "explain/relevance_walk.h"
#include "explain/weighted_patterns.h"
#include "methods/method.h"
#include "models/family.h"

namespace headwater {
namespace {

Batch some_text(const ModelInfo& info, int tokens) {
  Batch batch;
  batch.ids.emplace_back();
  for (int t = 0; t < tokens; ++t) batch.ids[0].push_back((7 * t + 11) % info.vocabulary);
  return batch;
}

void serve(const Model& model, const Batch& batch) {
  Study study(model, batch, {});
  study.aim({.position = -1, .index = 0});
  RelevanceWalk walk{.rules = relevance_rules(Rules::Relevance::Chefer, false, model.info()),
                     .dtype = model.info().dtype,
                     .wanted = {}};
  for (int l = 0; l < model.info().last().layers; ++l) walk.wanted.push_back({Site::Pattern, l});
  const Method& method = find_method("chefer");
  const MethodOptions options(method.name, method.options, {});
  const auto once = [&](const std::string& what) {
    if (what == "forward") {
      study.run({});
    } else if (what == "gradient") {
      pattern_gradients(study, 0);
    } else if (what == "relevance") {
      walk_relevance(study, walk, nullptr);
    } else {
      Study fresh(model, batch, {});
      fresh.aim({.position = -1, .index = 0});
      method.run(fresh, options);
    }
  };
  bool cpu = false;
  const auto now = [&cpu] {
    if (cpu) return 1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
    const auto since = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double, std::milli>(since).count();
  };
  std::string what;
  while (std::cin >> what) {
    if (what == "cpu") {
      cpu = true;
    } else if (what == "row") {
      std::cout.precision(17);
      for (const double v : method.run(study, options).scores().to_doubles()) std::cout << v << ' ';
    } else if (what == "memory") {
      reset_tensor_pool_peak();
      const std::size_t before = tensor_pool_statistics().live_bytes;
      once("relevance");
      std::cout << static_cast<double>(tensor_pool_statistics().peak_bytes - before) / (1 << 20);
    } else {
      int repeats = 0;
      std::cin >> repeats;
      for (int i = 0; i < repeats; ++i) {
        const double start = now();
        once(what);
        std::cout << now() - start << ' ';
      }
    }
    std::cout << std::endl;
  }
}

}  // namespace
}  // namespace headwater

int main(int argc, char** argv) {
  using namespace headwater;
  if (argc != 4 && argc != 5) {
    std::cerr << "usage: chefer_bench MODEL_FOLDER TOKENS THREADS [float64]\n";
    return 2;
  }
  try {
    set_thread_count(std::atoi(argv[3]));
    const DType dtype = argc == 5 ? dtype_from_name(argv[4]) : DType::Float32;
    const std::unique_ptr<Model> model = load_model(open_checkpoint(find_model(argv[1], {}), dtype));
    serve(*model, some_text(model->info(), std::atoi(argv[2])));
  } catch (const Error& e) {
    std::cerr << "chefer_bench: " << e.what() << '\n';
    return e.exit_code();
  }
  return 0;
}
