// The models that are served, by name, loaded one after the other while the server already answers.
#pragma once

#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <headwater/engine.h>

#include "base/json_fwd.h"

namespace headwater {

struct ServedModel {
  std::string name;      // what clients call it
  std::string location;  // what Engine::load takes; no client sees it
};

// Names of models that were asked for by folder, shipped name or repo id: a folder's own name, the others as
// they are. Throws InputError for two that are called alike.
std::vector<ServedModel> served_models(const std::vector<std::string>& asked);

class ModelShelf {
 public:
  ModelShelf(std::vector<ServedModel> models, LoadOptions options);
  ~ModelShelf();
  ModelShelf(const ModelShelf&) = delete;
  ModelShelf& operator=(const ModelShelf&) = delete;

  const std::vector<ServedModel>& models() const { return models_; }
  bool loaded() const;                 // all of them
  std::exception_ptr failure() const;  // why one could not be
  // Without a name the first. Throws Refused: 404 for an unknown one, 503 for one that is not loaded yet.
  std::shared_ptr<const Engine> engine(const std::string& name) const;
  const std::string& name_of(const std::string& name) const;  // as served, of a name or none
  OrderedJson json() const;                                   // of /v1/models

 private:
  void load();

  std::vector<ServedModel> models_;
  LoadOptions options_;
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<const Engine>> engines_;
  std::exception_ptr failure_;
  std::atomic<bool> stopping_{false};
  std::thread loader_;
};

// The token that stands for an unknown word, as it is written in a text; empty if the model has none.
std::string mask_of(const Engine& engine);

}  // namespace headwater
