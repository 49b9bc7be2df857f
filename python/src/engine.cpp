// The Engine. Arguments are plain values and results are Report, Run, Tensor or JSON; the interpreter's lock
// is released while something is computed.
#include <headwater/engine.h>
#include <headwater/formats.h>

#include "bindings.h"

namespace headwater::python {

namespace {

using namespace py::literals;  // NOLINT(google-build-using-namespace): the _a of arguments
using Unlocked = py::call_guard<py::gil_scoped_release>;

using MethodTuple = std::tuple<std::string, std::map<std::string, std::string>, std::string>;
using TargetTuple = std::tuple<std::string, std::string, std::optional<int>>;
using Labelled = std::vector<std::pair<Input, std::string>>;

TargetSpec target_of(const TargetTuple& target) {
  return {std::get<0>(target), std::get<1>(target), std::get<2>(target)};
}

std::vector<MethodSpec> methods_of(const std::vector<MethodTuple>& methods) {
  std::vector<MethodSpec> specs;
  for (const auto& [name, options, aggregate] : methods)
    specs.push_back({.name = name, .options = options, .aggregate = aggregate});
  return specs;
}

std::vector<LabelledInput> labelled_of(const Labelled& inputs) {
  std::vector<LabelledInput> all;
  for (const auto& [input, label] : inputs) all.push_back({input, label});
  return all;
}

Engine load(const std::string& model, const std::string& dtype, const std::string& cache_dir,
            const std::string& revision) {
  return Engine::load(model, {.dtype = dtype_from_name(dtype), .cache_dir = cache_dir, .revision = revision});
}

Request request_of(const Input& input, const std::vector<MethodTuple>& methods, const TargetTuple& target,
                   std::size_t max_memory, bool verify, double budget) {
  if (!(budget >= 0)) throw InputError("budget: expected seconds, 0 or more; leave it out for none");
  return {.input = input,
          .target = target_of(target),
          .methods = methods_of(methods),
          .max_memory = max_memory,
          .budget = budget,
          .verify = verify};
}

py::object explain(const Engine& engine, const Input& input, const std::vector<MethodTuple>& methods,
                   const TargetTuple& target, std::size_t max_memory, bool verify, double budget,
                   const py::object& progress) {
  Request request = request_of(input, methods, target, max_memory, verify, budget);
  if (request.methods.empty()) request.methods = default_methods(engine.info());
  request.progress = watched(progress);
  std::optional<Report> report;
  {
    const py::gil_scoped_release unlocked;
    report = engine.explain(request);
  }
  return report_object(std::move(*report));
}

py::list explain_some(const Engine& engine, const std::vector<Input>& inputs,
                      const std::vector<MethodTuple>& methods, const TargetTuple& target,
                      std::size_t max_memory, bool verify, double budget, const py::object& progress) {
  Request first = request_of({}, methods, target, max_memory, verify, budget);
  if (first.methods.empty()) first.methods = default_methods(engine.info());
  first.progress = watched(progress);
  std::vector<Request> requests(inputs.size(), first);
  for (std::size_t i = 0; i < inputs.size(); ++i) requests[i].input = inputs[i];
  std::vector<Report> reports;
  {
    const py::gil_scoped_release unlocked;
    reports = engine.explain_some(requests);
  }
  py::list made;
  for (Report& report : reports) made.append(report_object(std::move(report)));
  return made;
}

py::tuple tree(const Engine& engine, const Input& input, const TargetTuple& target, double tau, double lambda,
               bool published, std::size_t max_memory, const py::object& progress) {
  Request request = request_of(input, {}, target, max_memory, false, 0);
  request.progress = watched(progress);
  std::optional<TreeReport> made;
  std::string json, svg;
  {
    const py::gil_scoped_release unlocked;
    made = engine.tree(request, {.published = published, .tau = tau, .lambda = lambda});
    json = to_json(*made, "");
    svg = to_svg(*made, "");
  }
  return py::make_tuple(json, svg, report_object(std::move(made->report)));
}

HeadImportance heads(const Engine& engine, const Labelled& inputs, const std::string& ranking,
                     std::size_t max_memory, const py::object& progress) {
  const LabelledRun run{.max_memory = max_memory, .progress = watched(progress)};
  const py::gil_scoped_release unlocked;
  return engine.head_importance(labelled_of(inputs), ranking, run);
}

std::string prune(const Engine& engine, const Labelled& inputs, const std::vector<HeadImportance>& rankings,
                  const std::vector<double>& rates, int random_orders, unsigned seed, std::size_t max_memory,
                  const py::object& progress) {
  const LabelledRun run{.max_memory = max_memory, .progress = watched(progress)};
  PruningOptions options{.random_orders = random_orders, .seed = seed};
  if (!rates.empty()) options.rates = rates;
  const py::gil_scoped_release unlocked;
  return curves_json(engine.pruning_curves(labelled_of(inputs), rankings, options, run), "");
}

std::string triggers(const Engine& engine, const Labelled& inputs, int patterns, double least,
                     double tolerance, std::size_t max_memory, const py::object& progress) {
  const LabelledRun run{.max_memory = max_memory, .progress = watched(progress)};
  const TriggerOptions options{.patterns = patterns, .least = least, .tolerance = tolerance};
  const py::gil_scoped_release unlocked;
  return triggers_json(engine.triggers(labelled_of(inputs), options, run), "");
}

template <class E>
E named(const std::string& name, std::initializer_list<E> all) {
  std::string known;
  for (const E one : all) {
    if (name_of(one) == name) return one;
    known += (known.empty() ? "" : ", ") + std::string(name_of(one));
  }
  throw InputError("expected one of " + known + ", found '" + name + "'");
}

std::string identify(const Engine& engine, const std::vector<Input>& texts,
                     const std::vector<std::string>& maps, const std::vector<std::string>& distances,
                     const std::string& target, const std::string& pool, const std::vector<int>& states,
                     bool control, int folds, std::uint64_t seed, const py::object& progress) {
  IdentifyRequest request{.texts = texts,
                          .target = named(target, {TokenTarget::Word, TokenTarget::Sum, TokenTarget::Hidden}),
                          .pool = named(pool, {TokenPool::Sentence, TokenPool::Vocabulary}),
                          .states = states,
                          .control = control,
                          .folds = folds,
                          .seed = seed,
                          .progress = watched(progress)};
  request.maps.clear();
  for (const std::string& map : maps)
    request.maps.push_back(named(map, {TokenMap::Naive, TokenMap::Linear, TokenMap::Mlp}));
  request.distances.clear();
  for (const std::string& distance : distances)
    request.distances.push_back(named(distance, {TokenDistance::Cosine, TokenDistance::L2}));
  const py::gil_scoped_release unlocked;
  return identify_json(engine.identify(request), "");
}

std::string evaluate(const Engine& engine, std::vector<EvaluationExample> examples,
                     const std::vector<MethodTuple>& methods,
                     const std::vector<std::pair<std::string, std::map<std::string, std::string>>>& metrics,
                     bool gold, bool words, std::uint64_t seed, int resamples, std::size_t max_memory,
                     const py::object& progress) {
  EvaluateRequest request{
      .examples = std::move(examples),
      .methods = methods_of(methods),
      .explained = gold ? EvaluateRequest::Explained::Gold : EvaluateRequest::Explained::Prediction,
      .unit = words ? View::Unit::Word : View::Unit::Token,
      .seed = seed,
      .resamples = resamples,
      .max_memory = max_memory};
  for (const auto& [name, options] : metrics) request.metrics.push_back({name, options});
  const auto total = static_cast<double>(std::max<std::size_t>(request.examples.size(), 1));
  request.progress = [tell = watched(progress), total](const Progress& one, std::size_t done) mutable {
    tell({.method = one.method, .done = static_cast<double>(done) / total});
  };
  const py::gil_scoped_release unlocked;
  return evaluate_json(engine.evaluate(request), "");
}

void bind_inputs(py::module_& module) {
  py::class_<Input>(module, "Input", py::dynamic_attr())  // a picture stays with it
      .def(py::init([](std::string text, std::optional<std::string> pair, std::string image,
                       std::string prefix, int generate, bool truncate, bool spaced) {
             return Input{.text = std::move(text),
                          .pair = std::move(pair),
                          .image = std::move(image),
                          .prefix = std::move(prefix),
                          .generate = generate,
                          .truncate = truncate,
                          .spaced = spaced};
           }),
           "text"_a, "pair"_a = py::none(), "image"_a = "", "prefix"_a = "", "generate"_a = 0,
           "truncate"_a = false, "spaced"_a = false);
  py::class_<EvaluationExample>(module, "Example", py::dynamic_attr())
      .def(py::init([](const Input& input, const TargetTuple& target, std::string gold,
                       const std::optional<std::vector<std::pair<Index, Index>>>& evidence,
                       const std::vector<std::pair<Index, Index>>& cues, std::string mask, std::string name) {
        EvaluationExample example{.input = input, .target = target_of(target), .gold = std::move(gold)};
        example.annotated = evidence.has_value();
        for (const auto& [begin, end] : evidence.value_or(std::vector<std::pair<Index, Index>>{}))
          example.evidence.push_back({begin, end});
        for (const auto& [begin, end] : cues) example.cues.push_back({begin, end});
        example.mask = std::move(mask);
        example.name = std::move(name);
        return example;
      }));
  py::class_<HeadImportance>(module, "HeadImportance")
      .def_readonly("ranking", &HeadImportance::ranking)
      .def_readonly("layers", &HeadImportance::layers)
      .def_readonly("heads", &HeadImportance::heads)
      .def_readonly("inputs", &HeadImportance::inputs)
      .def_readonly("scores", &HeadImportance::scores)
      .def("json", [](const HeadImportance& one) { return heads_json(std::span(&one, 1), ""); });
  py::class_<Prediction>(module, "Prediction")
      .def("json",
           [](Prediction prediction) {
             prediction.hidden = {};  // an array, not text
             return to_json(prediction, {.tokens = true});
           })
      .def_readonly("logits", &Prediction::logits)
      .def("hidden",
           [](const Prediction& one) { return one.hidden.empty() ? std::optional<Tensor>() : one.hidden; });
}

}  // namespace

void bind_engine(py::module_& module) {
  bind_inputs(module);
  module.def("head_rankings", &head_rankings);
  py::class_<Engine>(module, "Engine")
      .def_static("load", &load, Unlocked())
      .def("info", [](const Engine& engine) { return to_json(engine.info(), -1); })
      .def(
          "record", [](const Engine& engine) { return to_json(engine.record(), -1); }, Unlocked())
      .def("tokenize",
           [](const Engine& engine, const Input& input) { return tokens_json(engine.tokenize(input), -1); })
      .def(
          "predict",
          [](const Engine& engine, const std::vector<Input>& inputs, int top, int max_new_tokens, int beams) {
            return engine.predict(inputs, {.top = top, .max_new_tokens = max_new_tokens, .beams = beams});
          },
          Unlocked())
      .def("explain", &explain)
      .def("explain_some", &explain_some)
      .def("planned_bytes",
           [](const Engine& engine, const Input& input, const std::vector<MethodTuple>& methods,
              const TargetTuple& target) {
             return engine.planned_bytes(request_of(input, methods, target, 0, false, 0));
           })
      .def(
          "run",
          [](const Engine& engine, const Input& input, const std::vector<PlaceEdit>& edits) {
            return engine.run(input, edits);
          },
          Unlocked())
      .def("tree", &tree)
      .def("heads", &heads)
      .def("prune", &prune)
      .def("save_pruned", &Engine::save_pruned, Unlocked())
      .def("triggers", &triggers)
      .def("identify", &identify)
      .def("evaluate", &evaluate)
      .def("check", [](const Engine& engine, const std::vector<Input>& inputs, const py::object& progress) {
        const auto tell = watched(progress);
        const py::gil_scoped_release unlocked;
        return check_json(engine.check(inputs, tell), "");
      });
}

}  // namespace headwater::python
