// Checkpoint: a Hugging Face model folder, found and opened.
#pragma once

#include <string>
#include <vector>

#include "checkpoint/config.h"
#include "checkpoint/weights.h"

namespace headwater {

struct FindOptions {
  std::string cache_dir;             // --cache-dir; empty: HF_HUB_CACHE, HF_HOME, XDG_CACHE_HOME, ~/.cache
  std::string revision;              // branch, tag or commit; empty: main
  std::vector<std::string> shipped;  // folders that hold models found by plain name ("sentiment")
};

struct ModelFolder {
  std::string path;
  std::string id;      // as the user named it
  std::string commit;  // of a cached repo, else empty
};

// An existing directory, a shipped model's name, or a repo id in the Hugging Face cache; offline always.
// Throws InputError that lists where it looked and what to do.
ModelFolder find_model(const std::string& model, const FindOptions& options);

// The repos of the Hugging Face cache that find_model would open, by name; incomplete ones are left out.
std::vector<ModelFolder> cached_models(const FindOptions& options);

struct Checkpoint {
  ModelFolder folder;
  Config config;
  Weights weights;
  std::vector<std::string> weight_files;  // paths of the safetensors files
};

// SHA-256 of the weight files (of their concatenated digests when sharded): reads every byte, so only for
// run records.
std::string weights_sha256(const Checkpoint& checkpoint);

// Opens config.json and model.safetensors (or the shards its index names). pytorch_model.bin alone is
// an Unsupported that says how to convert it.
Checkpoint open_checkpoint(const ModelFolder& folder, DType dtype);

}  // namespace headwater
