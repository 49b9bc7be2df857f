#include "support/tiny_models.h"

#include <algorithm>
#include <filesystem>
#include <random>
#include <set>

#include "support/random.h"
#include "support/source_folder.h"
#include "support/unusual_model.h"

namespace headwater::testing {

namespace {

void add_models(const std::string& under, DType dtype, std::vector<TinyModel>& models) {
  std::vector<std::string> folders;
  for (const auto& entry : std::filesystem::directory_iterator(HEADWATER_SOURCE_DIR "/tests/golden/" + under))
    if (entry.is_directory()) folders.push_back(entry.path().string());
  std::sort(folders.begin(), folders.end());
  std::set<std::string> seen;
  for (const std::string& folder : folders) {
    const Checkpoint checkpoint = open_checkpoint(find_model(folder, {}), dtype);
    const std::vector<std::string> architectures = checkpoint.config.texts("architectures");
    const std::string kind =
        checkpoint.config.text("model_type") + (architectures.empty() ? "" : architectures[0]);
    if (!seen.insert(kind).second) continue;
    models.push_back(
        {.name = std::filesystem::path(folder).filename().string(), .model = load_model(checkpoint)});
  }
}

}  // namespace

std::vector<TinyModel> tiny_models(DType dtype) {
  std::vector<TinyModel> models;
  add_models("models", dtype, models);
  models.push_back({.name = "unusual", .model = unusual_model(Direction::Both, dtype)});
  models.push_back({.name = "unusual_causal", .model = unusual_model(Direction::Causal, dtype)});
  return models;
}

std::vector<TinyModel> all_tiny_models(DType dtype) {
  std::vector<TinyModel> models = tiny_models(dtype);
  add_models("encoder_decoder_models", dtype, models);
  return models;
}

Batch random_batch(const ModelInfo& info, int rows, int tokens, unsigned seed) {
  Batch batch;
  if (info.image_size > 0) {
    batch.pixels = random_tensor({rows, info.channels, info.image_size, info.image_size}, seed, info.dtype);
    return batch;
  }
  std::mt19937 generator(seed);
  std::uniform_int_distribution<int> id(3, info.vocabulary - 1), type(0, std::max(0, info.segments - 1));
  for (int r = 0; r < rows; ++r) {
    batch.ids.emplace_back();
    batch.type_ids.emplace_back();
    for (int t = 0; t < tokens; ++t) {
      batch.ids.back().push_back(id(generator));
      batch.type_ids.back().push_back(type(generator));
    }
  }
  if (!is_encoder_decoder(info)) return batch;
  for (int r = 0; r < rows; ++r) {
    batch.prefix.emplace_back();
    for (int t = 0; t + 1 < tokens; ++t) batch.prefix.back().push_back(t == 0 ? 0 : id(generator));
  }
  return batch;
}

}  // namespace headwater::testing
