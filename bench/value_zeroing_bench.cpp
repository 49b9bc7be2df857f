// Value zeroing of a model, and its second feed-forward products alone, timed on request, so that a peer can
// be timed in turn with them.
//
//   value_zeroing_bench MODEL_FOLDER TOKENS THREADS [cpu]
//
// Reads lines "zeroing N", "single N" or "products N" from standard input and answers with the N times in
// milliseconds. "zeroing" keeps its folds from call to call, "single" folds anew as one call of its own
// would; both start from a kept forward run. "products" are the same rows times W_2 and nothing else, in
// tiles of the same size. With `cpu` times are of the processor, over all threads, for a machine that has
// other work. "scores" answers with the scores of the first layer.
// bench/peers/value_zeroing_torch.py drives it.

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <string>

#include <headwater/error.h>

#include "base/parallel.h"
#include "blocks/recognise.h"
#include "methods/method.h"
#include "models/family.h"

namespace headwater {
namespace {

constexpr Index tile_rows = 384;

Batch some_text(const ModelInfo& info, int tokens) {
  Batch batch;
  batch.ids.emplace_back();
  for (int t = 0; t < tokens; ++t) batch.ids[0].push_back((7 * t + 11) % info.vocabulary);
  return batch;
}

bool cpu = false;

double milliseconds_of(const auto& call) {
  if (cpu) {
    const std::clock_t before = std::clock();
    call();
    return 1e3 * static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
  }
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

void products(const Study& study, Index tokens) {
  const Model& model = study.model();
  const Index F = model.info().last().feed_forward, D = model.info().last().width;
  static const Tensor hidden = Tensor::full({tile_rows, F}, DType::Float32, 0.01);
  static Tensor out({tile_rows, D}, DType::Float32);
  const Index pairs = model.info().last().causal ? tokens * (tokens + 1) / 2 : tokens * tokens;
  for (int l = 0; l < model.info().last().layers; ++l) {
    const BlockWeights block = plain_block(study.tape(), {.layer = l})->weights;
    for (Index done = 0; done < pairs; done += tile_rows)
      block.mlp.down.weight->times_transposed<float>(hidden.data<float>(), nullptr, out.data<float>(),
                                                     std::min(tile_rows, pairs - done));
  }
}

void serve(const Model& model, int tokens) {
  const Study study(model, some_text(model.info(), tokens), {});
  study.run();
  const Method& method = find_method("value_zeroing");
  const auto zeroing = [&](const char* fold) {
    return method.run(study, MethodOptions(method.name, method.options, {{"fold", fold}}));
  };
  std::string what;
  while (std::cin >> what) {
    if (what == "scores") {
      const Tensor scores = zeroing("auto").scores();
      for (Index i = 0; i < Index{tokens} * tokens; ++i) std::cout << scores.at(i) << ' ';
      std::cout << std::endl;
      continue;
    }
    int repeats = 0;
    std::cin >> repeats;
    for (int i = 0; i < repeats; ++i)
      std::cout << milliseconds_of([&] {
        if (what == "products") products(study, tokens);
        if (what == "zeroing") zeroing("keep");
        if (what == "single") zeroing("auto");
      }) << (i + 1 < repeats ? " " : "");
    std::cout << std::endl;
  }
}

}  // namespace
}  // namespace headwater

int main(int argc, char** argv) {
  using namespace headwater;
  if (argc != 4 && argc != 5) {
    std::cerr << "usage: value_zeroing_bench MODEL_FOLDER TOKENS THREADS [cpu]\n";
    return 2;
  }
  try {
    cpu = argc == 5;
    set_thread_count(std::atoi(argv[3]));
    const std::unique_ptr<Model> model = load_model(open_checkpoint(find_model(argv[1], {}), DType::Float32));
    serve(*model, std::atoi(argv[2]));
  } catch (const Error& e) {
    std::cerr << "value_zeroing_bench: " << e.what() << '\n';
    return e.exit_code();
  }
  return 0;
}
