// Greedy generation with the cache of keys and values and without it.
//
//   generation_bench MODEL_FOLDER NEW_TOKENS [TEXT_TOKENS]
//
// Prints the seconds of each and their ratio; the tokens must be the same.

#include <chrono>
#include <cstdlib>
#include <iostream>

#include <headwater/error.h>

#include "models/family.h"
#include "study/generation.h"

namespace headwater {
namespace {

struct Timed {
  std::vector<int> ids;
  double seconds;
};

Timed timed(const Model& model, const Batch& start, int tokens, Writing::Reuse reuse) {
  const auto begin = std::chrono::steady_clock::now();
  Generated made = generate_greedily(model, start, {.max_new_tokens = tokens, .reuse = reuse});
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  return {std::move(made.ids), seconds.count()};
}

int run(const std::string& folder, int tokens, int given) {
  const std::unique_ptr<Model> model = load_model(open_checkpoint(find_model(folder, {}), DType::Float32));
  Batch start{.ids = {{}}};
  for (int t = 0; t < given; ++t) start.ids[0].push_back((7 * t + 11) % model->info().vocabulary);
  if (is_encoder_decoder(model->info())) start.prefix = {{0}};
  const Timed anew = timed(*model, start, tokens, Writing::Reuse::Nothing);
  const Timed cached = timed(*model, start, tokens, Writing::Reuse::KeysAndValues);
  std::cout << anew.ids.size() << " tokens: anew " << anew.seconds << " s, cached " << cached.seconds
            << " s, ratio " << anew.seconds / cached.seconds << '\n';
  return anew.ids == cached.ids ? 0 : 1;
}

}  // namespace
}  // namespace headwater

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: generation_bench MODEL_FOLDER NEW_TOKENS [TEXT_TOKENS]\n";
    return 2;
  }
  try {
    return headwater::run(argv[1], std::atoi(argv[2]), argc > 3 ? std::atoi(argv[3]) : 8);
  } catch (const headwater::Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
