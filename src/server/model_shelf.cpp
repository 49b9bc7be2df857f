#include "server/model_shelf.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <headwater/error.h>

#include "server/answer_fields.h"
#include "server/guided_examples.h"
#include "server/message.h"
#include "study/inputs.h"

namespace headwater {

namespace {

ListedModel listed_model(const std::string& name, const Engine* engine) {
  ListedModel model{.id = name, .loaded = engine != nullptr};
  if (engine == nullptr) return model;
  model.info = engine->info();
  model.input = input_kind(model.info);
  const std::string mask = mask_of(*engine);
  if (!mask.empty()) model.mask = mask;
  for (const MethodSpec& spec : default_methods(model.info)) model.default_methods.push_back(spec.name);
  model.examples = guided_examples(model.info, mask);
  return model;
}

}  // namespace

std::string mask_of(const Engine& engine) {
  if (engine.info().vocabulary == 0) return {};
  for (const char* mask : {"[MASK]", "<mask>"})
    for (const Unit& unit : engine.tokenize({.text = mask}))
      if (unit.piece == mask) return mask;
  return {};
}

std::vector<ServedModel> served_models(const std::vector<std::string>& asked) {
  std::vector<ServedModel> models;
  for (const std::string& location : asked) {
    ServedModel model{location, location};
    std::error_code none;
    if (const auto folder = std::filesystem::canonical(location, none); !none)
      model.name = folder.filename().string();
    for (const ServedModel& other : models)
      if (other.name == model.name)
        throw InputError(
            fmt::format("-m: expected models of different names, found two called {}", model.name));
    models.push_back(std::move(model));
  }
  return models;
}

ModelShelf::ModelShelf(std::vector<ServedModel> models, LoadOptions options)
    : models_(std::move(models)),
      options_(std::move(options)),
      engines_(models_.size()),
      loader_([this] { load(); }) {}

ModelShelf::~ModelShelf() {
  stopping_ = true;
  loader_.join();
}

void ModelShelf::load() {
  try {
    for (std::size_t i = 0; i < models_.size() && !stopping_; ++i) {
      auto engine = std::make_shared<const Engine>(Engine::load(models_[i].location, options_));
      static_cast<void>(
          engine->record());  // reads the weights once more for their hash: now, not in a request
      const std::lock_guard lock(mutex_);
      engines_[i] = std::move(engine);
    }
  } catch (...) {
    const std::lock_guard lock(mutex_);
    failure_ = std::current_exception();
  }
}

bool ModelShelf::loaded() const {
  const std::lock_guard lock(mutex_);
  return std::all_of(engines_.begin(), engines_.end(), [](const auto& engine) { return engine != nullptr; });
}

std::exception_ptr ModelShelf::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

const std::string& ModelShelf::name_of(const std::string& name) const {
  if (name.empty()) return models_.front().name;
  std::vector<std::string> names;
  for (const ServedModel& model : models_) {
    if (model.name == name) return model.name;
    names.push_back(model.name);
  }
  throw Refused(404, "not_found",
                fmt::format("model: expected one of {}, found another", fmt::join(names, ", ")));
}

std::shared_ptr<const Engine> ModelShelf::engine(const std::string& name) const {
  const std::string& served = name_of(name);
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < models_.size(); ++i)
    if (models_[i].name == served && engines_[i] != nullptr) return engines_[i];
  throw Refused(503, "unavailable", fmt::format("model: {} is being loaded; try again soon", served), 1);
}

OrderedJson ModelShelf::json() const {
  ListedModels all;
  for (std::size_t i = 0; i < models_.size(); ++i) {
    std::shared_ptr<const Engine> engine;
    {
      const std::lock_guard lock(mutex_);
      engine = engines_[i];
    }
    all.data.push_back(listed_model(models_[i].name, engine.get()));
  }
  return FieldWriter::json_of_value(all);
}

}  // namespace headwater
