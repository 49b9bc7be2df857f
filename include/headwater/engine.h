// START HERE. Engine: a loaded model that predicts and explains.
//
//   auto engine = headwater::Engine::load("sentiment");
//   auto report = engine.explain({.input = {.text = "not bad at all"},
//                                 .methods = headwater::default_methods(engine.info())});
//
// Const and thread-safe after loading. Throws the errors of error.h and nothing else.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <headwater/check.h>
#include <headwater/error.h>
#include <headwater/evaluate.h>
#include <headwater/export.h>
#include <headwater/heads.h>
#include <headwater/identify.h>
#include <headwater/model_info.h>
#include <headwater/report.h>
#include <headwater/request.h>
#include <headwater/run.h>
#include <headwater/tree.h>

namespace headwater {

struct PredictOptions {
  int top = 5;             // number of scores per outcome of a vocabulary head
  int max_new_tokens = 0;  // text generation: continue by up to this many tokens
  int beams = 1;           // 1: the likeliest next token each time; more: beam search
};

class HEADWATER_API Engine {
 public:
  // Loads a folder, a shipped model by its name, or a repo id of the Hugging Face cache. Never uses the
  // network.
  static Engine load(const std::string& model, const LoadOptions& options = {});
  Engine(Engine&&) noexcept;
  Engine& operator=(Engine&&) noexcept;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  ~Engine();

  const ModelInfo& info() const;
  RunRecord record() const;  // the record of any run with this engine, with 0 seconds
  std::vector<Unit> tokenize(const Input& input) const;
  Prediction predict(const Input& input, const PredictOptions& options = {}) const;
  // Groups inputs of equal length into batches. The results come in the order of the inputs and do not depend
  // on the batches.
  std::vector<Prediction> predict(std::span<const Input> inputs, const PredictOptions& options = {}) const;
  Report explain(const Request& request) const;
  // For streams: explains the first few requests side by side, at least one and as many as fit into memory
  // together, with the forward runs of inputs of equal length in batches. The reports have the bits of
  // explain(). It stops before a request that fails, and throws if that is the first.
  std::vector<Report> explain_some(std::span<const Request> requests) const;
  // Bytes needed beyond the weights to explain an input of this many tokens: an upper estimate.
  std::size_t planned_bytes(const Request& request) const;
  // A run whose values can be read, replayed from and differentiated (run.h), with optional edits.
  RecordedRun run(const Input& input, std::span<const PlaceEdit> edits = {}) const;
  // An attribution tree (tree.h) of the request's input and target, whatever its methods.
  TreeReport tree(const Request& request, TreeOptions options = {}) const;
  // Token identifiability of many texts (identify.h). Throws Unsupported for image models.
  IdentifyReport identify(const IdentifyRequest& request) const;
  IdentifyPlan plan_identify(const IdentifyRequest& request) const;
  // The input of the first block and the output of every block for one token: [layers + 1][width].
  std::vector<std::vector<double>> states(const Input& input, int position) const;
  // The model's self-test (check.h) on these inputs, or on a few of its own if none are given. It loads the
  // weights a second time, in float64.
  ModelTest check(std::span<const Input> inputs = {},
                  const std::function<void(const Progress&)>& progress = {}) const;
  // Evaluates methods over many examples (evaluate.h). Throws Unsupported for models without a head.
  EvaluateReport evaluate(const EvaluateRequest& request) const;
  // Throws what the run would throw before its first example, for instance for a memory bound that is too
  // small.
  EvaluatePlan plan_evaluate(const EvaluateRequest& request) const;

  // Attention heads over labelled inputs (heads.h); classifiers only. Each function has a plan, which throws
  // what the run would: InputError, for instance for a memory bound that is too small.
  HeadImportance head_importance(std::span<const LabelledInput> inputs, const std::string& ranking,
                                 const LabelledRun& run = {}) const;
  LabelledPlan plan_head_importance(std::span<const LabelledInput> inputs, const std::string& ranking,
                                    std::size_t max_memory = 0) const;
  PruningReport pruning_curves(std::span<const LabelledInput> inputs,
                               std::span<const HeadImportance> rankings, const PruningOptions& options = {},
                               const LabelledRun& run = {}) const;
  LabelledPlan plan_pruning(std::span<const LabelledInput> inputs, std::size_t rankings,
                            const PruningOptions& options = {}, std::size_t max_memory = 0) const;
  // Writes a copy of the model's folder without the least important share of all heads.
  void save_pruned(const HeadImportance& importance, double rate, const std::string& folder) const;
  TriggerReport triggers(std::span<const LabelledInput> inputs, const TriggerOptions& options = {},
                         const LabelledRun& run = {}) const;
  LabelledPlan plan_triggers(std::span<const LabelledInput> inputs, const TriggerOptions& options = {},
                             std::size_t max_memory = 0) const;

 private:
  struct Impl;
  explicit Engine(std::unique_ptr<const Impl> impl);
  std::unique_ptr<const Impl> impl_;
};

// The default methods: for a model with an output, a class-specific method and a second one of another kind,
// so that the two can be compared; for a bare encoder, context mixing. Where the first method would take long,
// which depends on the input, the second answers alone (MethodSpec::if_affordable).
HEADWATER_API std::vector<MethodSpec> default_methods(const ModelInfo& info);
// The request with the method that trees are grown from as its only one.
HEADWATER_API Request tree_request(Request request);

HEADWATER_API std::string version();  // "0.1.0"

}  // namespace headwater
