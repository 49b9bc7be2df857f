// The content of an Engine: the model with the readers of its inputs, the data of its run records, and the
// same model in float64 once it was needed. Only the files that implement Engine include this.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <headwater/engine.h>

#include "base/parallel.h"
#include "checkpoint/checkpoint.h"
#include "engine/opened.h"
#include "evaluation/run/evaluate.h"
#include "heads/labelled.h"
#include "kernels/kernels.h"
#include "models/family.h"
#include "result/text_windows.h"
#include "study/inputs.h"
#include "tensor/pool.h"

namespace headwater {

inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Engine::Impl {
  LoadedModel loaded;
  Checkpoint identity;  // without its weights; for run records
  std::string cache_dir;
  mutable std::once_flag hashed;
  mutable std::string weights_hash;
  mutable std::once_flag loaded_exact;
  mutable LoadedModel exact;  // the same model in float64, loaded when it is first needed

  Impl(const Checkpoint& opened, const LoadOptions& options)
      : identity{opened.folder, opened.config, Weights({}, options.dtype), opened.weight_files},
        cache_dir(options.cache_dir) {
    loaded.model = load_model(opened);
    const pool::KeepNothing give_back;  // what tensors were read into before they were packed
    load_reader(loaded, opened.folder.path);
    loaded.problem = problem_of(opened.config, loaded.info());
    loaded.eos = end_tokens(opened.config, opened.folder.path);
    loaded.start = start_token(opened.config, opened.folder.path, loaded.info());
  }

  // The model for heads, trees, triggers and identifiability, which need a single sequence.
  const LoadedModel& of_one_sequence() const {
    if (is_encoder_decoder(loaded.info()))
      throw Unsupported(
          fmt::format("model: {} is an encoder–decoder, and this command needs a model with one sequence; "
                      "use headwater explain",
                      loaded.info().architecture));
    return loaded;
  }

  RunRecord record() const {
    std::call_once(hashed, [this] { weights_hash = weights_sha256(identity); });
    RunRecord made;
    made.version = version();
    made.model = identity.folder.id;
    made.commit = identity.folder.commit;
    if (!made.commit.empty()) made.cache_dir = cache_dir;
    made.model_type = loaded.info().model_type;
    made.architecture = loaded.info().architecture;
    made.weights_sha256 = weights_hash;
    if (loaded.tokenizer) made.tokenizer_sha256 = loaded.tokenizer->hash();
    made.dtype = name_of(loaded.info().dtype);
    made.threads = thread_count();
    for (const KernelChoice& choice : kernels_in_use())
      made.kernels.emplace_back(choice.kernel, choice.implementation);
    return made;
  }

  const LoadedModel& exact_model() const {
    std::call_once(loaded_exact, [this] {
      exact = loaded;
      exact.model = load_model(open_checkpoint(identity.folder, DType::Float64));
      const pool::KeepNothing give_back;
    });
    return exact;
  }

  // Runs work over labelled inputs: prepares them, times it and adds the run record.
  template <class Work>
  auto recorded(std::span<const LabelledInput> inputs, const LabelledRun& run, const std::string& name,
                const Work& work) const {
    const auto start = std::chrono::steady_clock::now();
    const LoadedModel& model = of_one_sequence();
    const Advance advance = [&](double done) {
      if (run.progress) run.progress({.method = name, .done = done});
    };
    std::optional<pool::KeepNothing> bounded;  // otherwise free buffers would be added to the plan
    if (run.max_memory > 0) bounded.emplace();
    auto result = work(model, prepare_labelled(model, inputs), advance);
    result.record = record();
    result.record.seconds = seconds_since(start);
    return result;
  }

  std::vector<Prediction> predict(std::span<const Input> inputs, const PredictOptions& options) const;
  // The explainer for evaluations.
  Explainer explainer(const Engine& engine) const;
  // Explains without applying the view. With `aimed` the target is that one, whatever the prediction.
  Report explain(const LoadedModel& with, const Request& request, const Target* aimed) const;
  // Explains a text in several windows.
  Report explain_windows(const Request& request, std::span<const TextWindow> windows) const;
  // explain in two steps.
  Opened open(const LoadedModel& with, const Request& request, const Target* aimed) const;
  Report finish(const LoadedModel& with, const Request& request, const Target* aimed, Opened& opened) const;
  // Adds to the results the answers, the agreement and the record that repeats the run.
  void complete(Report& report, const Request& request, double seconds) const;
};

}  // namespace headwater
