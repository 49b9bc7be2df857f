#include "support/random_models.h"

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
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

void draw_weights(const std::string& from, const std::string& to, const Draw& draw) {
  std::ifstream file(from, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  std::uint64_t size = 0;
  std::memcpy(&size, bytes.data(), 8);
  const Json header = Json::parse(bytes.substr(8, size));
  std::mt19937 random(draw.seed);
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") continue;
    const auto offsets = entry["data_offsets"].get<std::vector<std::size_t>>();
    std::vector<float> values((offsets[1] - offsets[0]) / 4);
    draw_tensor(name, entry["shape"].get<std::vector<Index>>(), draw.scale, random, values.data(),
                values.size());
    std::memcpy(bytes.data() + 8 + size + offsets[0], values.data(), 4 * values.size());
  }
  std::ofstream(to, std::ios::binary) << bytes;
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
  std::ofstream(scratch / "config.json") << config.dump();
  draw_weights(from + "/model.safetensors", scratch / "model.safetensors", draw);
  return load_model(open_checkpoint(find_model(scratch.path().string(), {}), dtype));
}

}  // namespace headwater::testing
