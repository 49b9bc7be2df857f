#include "support/random_models.h"

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <numeric>
#include <random>

#include <fmt/format.h>

#include "base/json.h"
#include "models/family.h"
#include "support/scratch_folder.h"
#include "support/source_folder.h"

namespace headwater::testing {

namespace {

std::string models() {
  return HEADWATER_SOURCE_DIR "/tests/golden/models/";
}

bool contains(const std::string& name, const char* part) {
  return name.find(part) != std::string::npos;
}

// Norms around 1, biases and betas of size 0.2, weights of size scale / √inputs.
void draw_tensor(const std::string& name, const std::vector<Index>& shape, double scale, std::mt19937& random,
                 float* to, std::size_t count) {
  std::normal_distribution<double> normal;
  const bool norm = contains(name, "norm") || contains(name, "Norm") || contains(name, "ln_");
  const bool bias = name.ends_with("bias");
  const bool table = contains(name, "embed") || contains(name, "wte") || contains(name, "wpe");
  // GPT-2 stores its matrices [in, out], all others [out, in].
  const Index inputs = shape.size() < 2 ? 1 : shape[contains(name, ".c_") ? 0 : 1];
  const double size = bias || norm ? 0.2 : (table ? 1 : scale / std::sqrt(static_cast<double>(inputs)));
  for (std::size_t i = 0; i < count; ++i)
    to[i] = static_cast<float>((norm && !bias ? 1 : 0) + size * normal(random));
}

constexpr int vocabulary_factor = 40;  // of widened models: far wider than everything else, as real ones are

// The golden models' widths are multiples of 8, which numbers of labels, segments, channels, a patch's side
// and the vocabulary are not; one GPT-2 has a feed-forward of 20, one ELECTRA embeddings of 12.
std::vector<Index> widened(const std::string& name, std::vector<Index> shape, const Json& config, Index by) {
  if (by == 1) return shape;
  const bool positions = contains(name, "position") || contains(name, "wpe");
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const bool rows = positions && axis + 2 == shape.size();
    const bool other = (contains(name, "mlp.c_") && shape[axis] == 20) ||
                       shape[axis] == config.value("embedding_size", Index{0});
    if (rows && config.contains("image_size")) {
      const Index side = config["image_size"].get<Index>() / config["patch_size"].get<Index>();
      shape[axis] += 3 * side * side;
    } else if (shape[axis] == config.value("vocab_size", Index{0})) {
      shape[axis] *= vocabulary_factor;
    } else if (rows || other || shape[axis] % 8 == 0) {
      shape[axis] *= by;
    }
  }
  return shape;
}

void widen_config(Json& config, int by) {
  for (const char* key :
       {"hidden_size", "intermediate_size", "embedding_size", "head_dim", "n_embd", "n_inner", "dim",
        "hidden_dim", "pooler_output_size", "max_position_embeddings", "n_positions"})
    if (config.contains(key) && config[key].is_number()) config[key] = by * config[key].get<int>();
  if (by == 1) return;
  if (config.contains("image_size")) config["image_size"] = 2 * config["image_size"].get<int>();
  if (config.contains("vocab_size"))
    config["vocab_size"] = vocabulary_factor * config["vocab_size"].get<int>();
}

void draw_weights(const std::string& from, const std::string& to, const Json& config, const Draw& draw) {
  std::ifstream file(from, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  std::uint64_t size = 0;
  std::memcpy(&size, bytes.data(), 8);
  Json header = Json::parse(bytes.substr(8, size));
  std::mt19937 random(draw.seed);
  std::string drawn;
  for (auto& [name, entry] : header.items()) {
    if (name == "__metadata__") continue;
    const auto shape = widened(name, entry["shape"].get<std::vector<Index>>(), config, draw.widen);
    const Index count = std::accumulate(shape.begin(), shape.end(), Index{1}, std::multiplies<>());
    std::vector<float> values(static_cast<std::size_t>(count));
    draw_tensor(name, shape, draw.scale, random, values.data(), values.size());
    const std::size_t begin = drawn.size();
    drawn.append(reinterpret_cast<const char*>(values.data()), 4 * values.size());
    entry["shape"] = shape;
    entry["data_offsets"] = {begin, drawn.size()};
  }
  const std::string head = header.dump();
  const std::uint64_t length = head.size();
  std::ofstream(to, std::ios::binary).write(reinterpret_cast<const char*>(&length), 8) << head << drawn;
}

}  // namespace

std::string describe(const Draw& draw) {
  return fmt::format("{} {} scale {} seed {}", draw.folder, draw.activation, draw.scale, draw.seed);
}

std::vector<Draw> draws(int count, unsigned seed) {
  const std::vector<std::string> folders{"bert_sequence",      "bert_masked_lm",      "roberta_sequence",
                                         "xlm_roberta_token",  "camembert_sequence",  "electra_sequence",
                                         "electra_masked_lm",  "distilbert_sequence", "distilbert_masked_lm",
                                         "gpt2_causal_lm",     "gpt2_sequence",       "llama_causal_lm",
                                         "llama_sequence",     "mistral_sequence",    "qwen2_causal_lm",
                                         "vit_classification", "deit_classification"};
  const std::vector<std::string> activations{"gelu", "relu", "gelu_new", "silu", "tanh", "quick_gelu"};
  const std::vector<double> scales{1, 2, 0.5, 4};
  std::vector<Draw> all;
  for (int k = 0; k < count; ++k) {
    const auto at = static_cast<std::size_t>(k);
    all.push_back({folders[at % folders.size()], activations[at % activations.size()],
                   scales[at / 3 % scales.size()], seed + static_cast<unsigned>(k)});
  }
  return all;
}

std::unique_ptr<Model> random_model(const Draw& draw, DType dtype) {
  const ScratchFolder scratch;
  const std::string from = models() + draw.folder;
  Json config = read_json_file(from + "/config.json");
  if (!draw.activation.empty())
    for (const char* key : {"hidden_act", "activation_function", "activation"})
      if (config.contains(key)) config[key] = draw.activation;
  draw_weights(from + "/model.safetensors", scratch / "model.safetensors", config, draw);
  widen_config(config, draw.widen);
  std::ofstream(scratch / "config.json") << config.dump();
  return load_model(open_checkpoint(find_model(scratch.path().string(), {}), dtype));
}

}  // namespace headwater::testing
