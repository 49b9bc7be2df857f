// One forward and one pull of a model, timed on request, so that a peer can be timed in turn with it.
//
//   forward_bench MODEL_FOLDER TOKENS THREADS [TEXTS]
//
// Reads lines "forward N", "pull N" or "memory" from standard input. A timing line answers with the N times
// in milliseconds; "memory" with the peak of tensor memory over the weights, in MiB, of a forward that keeps
// nothing, of one that keeps everything, and of a pull to the embedding. bench/peers/forward_torch.py drives
// it. So many texts of equal length run as one batch, one where nothing is said.

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string>

#include <headwater/error.h>

#include "base/parallel.h"
#include "models/family.h"

namespace headwater {
namespace {

Batch some_texts(const ModelInfo& info, int tokens, int texts) {
  Batch batch;
  batch.ids.resize(static_cast<std::size_t>(texts));
  int next = 11;
  for (std::vector<int>& ids : batch.ids)
    for (int t = 0; t < tokens; ++t, next += 7) ids.push_back(next % info.vocabulary);
  return batch;
}

double milliseconds_of(const auto& call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

double peak_mebibytes(const auto& call) {
  reset_tensor_pool_peak();
  const std::size_t before = tensor_pool_statistics().live_bytes;
  call();
  return static_cast<double>(tensor_pool_statistics().peak_bytes - before) / (1 << 20);
}

void serve(const Model& model, const Batch& batch) {
  Tape kept;
  const Var logits = model.run(kept, batch);
  const Tensor seed = Tensor::full(logits.value.shape(), logits.value.dtype(), 1);
  const auto forward = [&] {
    Tape tape(Keep::Nothing);
    model.run(tape, batch);
  };
  const auto keeping = [&] {
    Tape tape;
    model.run(tape, batch);
  };
  const auto pull = [&] { kept.pull(logits, seed, rules::gradient, {{Site::Embed, 0}}); };

  std::string what;
  while (std::cin >> what) {
    if (what == "memory") {
      std::cout << peak_mebibytes(forward) << ' ' << peak_mebibytes(keeping) << ' ' << peak_mebibytes(pull)
                << std::endl;
      continue;
    }
    int repeats = 0;
    std::cin >> repeats;
    for (int i = 0; i < repeats; ++i)
      std::cout << (what == "pull" ? milliseconds_of(pull) : milliseconds_of(forward))
                << (i + 1 < repeats ? " " : "");
    std::cout << std::endl;
  }
}

int run(int argc, char** argv) {
  if (argc != 4 && argc != 5) {
    std::cerr << "usage: forward_bench MODEL_FOLDER TOKENS THREADS [TEXTS]\n";
    return 2;
  }
  try {
    set_thread_count(std::atoi(argv[3]));
    const std::unique_ptr<Model> model = load_model(open_checkpoint(find_model(argv[1], {}), DType::Float32));
    serve(*model, some_texts(model->info(), std::atoi(argv[2]), argc > 4 ? std::atoi(argv[4]) : 1));
  } catch (const Error& e) {
    std::cerr << "forward_bench: " << e.what() << '\n';
    return e.exit_code();
  }
  return 0;
}

}  // namespace
}  // namespace headwater

int main(int argc, char** argv) {
  return headwater::run(argc, argv);
}
