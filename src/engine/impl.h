// What an Engine holds: the model with what reads its inputs, what a run record says of it, and the same
// model in float64 once somebody asked for it. For the files that say what Engine does.
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
#include "engine/evaluate.h"
#include "engine/opened.h"
#include "engine/text_windows.h"
#include "heads/labelled.h"
#include "kernels/kernels.h"
#include "models/family.h"
#include "study/inputs.h"
#include "tensor/pool.h"

namespace headwater {

inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Engine::Impl {
  LoadedModel loaded;
  Checkpoint identity;  // without its weights: what a run record needs
  std::string cache_dir;
  mutable std::once_flag hashed;
  mutable std::string weights_hash;
  mutable std::once_flag loaded_exact;
  mutable LoadedModel exact;  // the same in float64, once somebody asked for it

  Impl(const Checkpoint& opened, const LoadOptions& options)
      : identity{opened.folder, opened.config, Weights({}, options.dtype), opened.weight_files},
        cache_dir(options.cache_dir) {
    loaded.model = load_model(opened);
    load_reader(loaded, opened.folder.path);
    loaded.problem = problem_of(opened.config, loaded.info());
    loaded.eos = end_tokens(opened.config, opened.folder.path);
    loaded.start = start_token(opened.config, opened.folder.path, loaded.info());
  }

  // For heads, trees, triggers and identifiability, which know one sequence.
  const LoadedModel& of_one_sequence() const {
    if (is_encoder_decoder(loaded.info()))
      throw Unsupported(fmt::format(
          "model: {} is an encoder–decoder, and this command knows one sequence; headwater explain takes it",
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
    });
    return exact;
  }

  // Work over labelled inputs: they are prepared, it is done and timed, and the record stands beside it.
  template <class Work>
  auto recorded(std::span<const LabelledInput> inputs, const LabelledRun& run, const std::string& name,
                const Work& work) const {
    const auto start = std::chrono::steady_clock::now();
    const LoadedModel& model = of_one_sequence();
    const Advance advance = [&](double done) {
      if (run.progress) run.progress({.method = name, .done = done});
    };
    std::optional<pool::KeepNothing> bounded;  // or free buffers would count on top of the plan
    if (run.max_memory > 0) bounded.emplace();
    auto result = work(model, prepare_labelled(model, inputs), advance);
    result.record = record();
    result.record.seconds = seconds_since(start);
    return result;
  }

  std::vector<Prediction> predict(std::span<const Input> inputs, const PredictOptions& options) const;
  // For evaluations.
  Explainer explainer(const Engine& engine) const;
  // Without the view. `aimed`: the target is that one, whatever the prediction.
  Report explain(const LoadedModel& with, const Request& request, const Target* aimed) const;
  // Of a text in several windows.
  Report explain_windows(const Request& request, std::span<const TextWindow> windows) const;
  // The same in two steps.
  Opened open(const LoadedModel& with, const Request& request, const Target* aimed) const;
  Report finish(const LoadedModel& with, const Request& request, const Target* aimed, Opened& opened) const;
  // What stands beside the results: answers, agreement, and what repeats the run.
  void complete(Report& report, const Request& request, double seconds) const;
};

}  // namespace headwater
