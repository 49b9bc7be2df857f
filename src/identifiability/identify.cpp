// Token identifiability (Brunner et al., 2020). For state l, map g and distance δ, token i of a text is
// identified if
//
//   argmin over candidates k of δ(g(e_i), x_k)
//
// is i (by position) or has the id of i (by id). Learned maps are fitted on the training texts, stopped on
// the validation texts and used on the test texts, whose contexts they have never seen. The linear map for
// cosine is fitted to x/|x|. A high rate alone is no evidence of anything learned: the residual stream of an
// untrained model identifies its tokens too, so the control stands beside it.
#include "identifiability/identify.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <headwater/error.h>

#include "identifiability/features.h"
#include "identifiability/mlp_map.h"
#include "numerics/linear_map.h"
#include "numerics/random.h"
#include "study/map_checks.h"

namespace headwater {
namespace {

// From hidden vectors [n, D] to the space of the embeddings [n, D'], in float64; a row depends on the same
// row alone.
using FittedMap = std::function<Tensor(const Tensor& hidden)>;

struct CellName {
  bool control;
  std::size_t fold;
  TokenMap map;
  TokenDistance distance;
  int trained_on, state;

  std::string key() const {
    return fmt::format("{}/fold {}/{}/{}/{}/{}", control ? "control" : "model", fold, name_of(map),
                       name_of(distance), trained_on, state);
  }
};

std::string anisotropy_key(bool control, int state) {
  return fmt::format("{}/anisotropy/{}", control ? "control" : "model", state);
}

// How far the whole run has come, in units of one naive cell.
class Meter {
 public:
  Meter(const std::function<void(const Progress&)>& show, double total) : show_(show), total_(total) {}
  void label(std::string text) { label_ = std::move(text); }
  void inside(double units) const {
    if (show_) show_({.method = label_, .done = std::min(1.0, (done_ + units) / total_)});
  }
  void add(double units) {
    done_ += units;
    inside(0);
  }

 private:
  const std::function<void(const Progress&)>& show_;
  double total_, done_ = 0;
  std::string label_ = "identify";
};

double cost_of(TokenMap map) {
  return map == TokenMap::Naive ? 1 : map == TokenMap::Linear ? 4 : 200;
}

// One model: computes the cells that are not finished yet.
class ModelRun {
 public:
  ModelRun(const IdentifyRequest& request, const ProbeCorpus& corpus, const Model& model, bool control,
           Finished& finished, Meter& meter)
      : request_(request),
        corpus_(corpus),
        model_(model),
        control_(control),
        finished_(finished),
        meter_(meter),
        states_(states_of(request, model.info())),
        first_(first_rows(corpus.texts)) {}

  void go(int window) {
    std::vector<int> missing;
    for (const int state : states_)
      if (!complete(state)) missing.push_back(state);
    const auto step = as_size(std::max(1, window));
    for (std::size_t begin = 0; begin < missing.size(); begin += step) {
      const std::vector<int> some(
          missing.begin() + static_cast<std::ptrdiff_t>(begin),
          missing.begin() + static_cast<std::ptrdiff_t>(std::min(missing.size(), begin + step)));
      read(request_.across ? states_ : some);
      for (const int state : some) {
        const Tensor& all = hidden_.at(state);
        if (!finished_.number(anisotropy_key(control_, state)))
          finished_.add(anisotropy_key(control_, state), mean_pair_cosine(rows_of(all, first_, test_of(0))));
        for (std::size_t fold = 0; fold < corpus_.split.parts.size(); ++fold) measure(state, fold);
      }
    }
  }

 private:
  std::vector<std::size_t> test_of(std::size_t fold) const {
    return texts_in(corpus_.split.parts[fold], Part::Test);
  }

  bool complete(std::size_t fold, TokenMap map, TokenDistance distance, int trained_on) const {
    for (const int state : tested_states(request_, map, trained_on, states_))
      if (finished_.cell(CellName{control_, fold, map, distance, trained_on, state}.key()) == nullptr)
        return false;
    return true;
  }

  bool complete(int state) const {
    if (!finished_.number(anisotropy_key(control_, state))) return false;
    for (std::size_t fold = 0; fold < corpus_.split.parts.size(); ++fold)
      for (const TokenMap map : request_.maps)
        for (const TokenDistance distance : request_.distances)
          if (!complete(fold, map, distance, state)) return false;
    return true;
  }

  // Runs the model over the texts and keeps these states and the targets.
  void read(const std::vector<int>& states) {
    hidden_.clear();
    targets_ = {};
    meter_.label(fmt::format("identify: {}, reading states", control_ ? "untrained" : "model"));
    std::vector<Place> places;
    for (const int state : states) places.push_back(place_of_state(state));
    places.push_back(place_of_target(request_.target, model_.info()));
    std::vector<Tensor> values = capture(model_, corpus_.texts, places, [&](double) { meter_.inside(0); });
    targets_ = std::move(values.back());
    for (std::size_t s = 0; s < states.size(); ++s) hidden_[states[s]] = std::move(values[s]);
  }

  void measure(int state, std::size_t fold) {
    const std::vector<Part>& parts = corpus_.split.parts[fold];
    std::optional<RidgeFit> ridge;
    Tensor e, x;  // of the training texts, when first needed
    for (const TokenMap map : request_.maps)
      for (const TokenDistance distance : request_.distances) {
        meter_.label(fmt::format("identify: {}, state {}, {} {}", control_ ? "untrained" : "model", state,
                                 name_of(map), name_of(distance)));
        if (!complete(fold, map, distance, state)) {
          if (map != TokenMap::Naive && e.empty()) {
            e = rows_of(hidden_.at(state), first_, texts_in(parts, Part::Train));
            x = rows_of(targets_, first_, texts_in(parts, Part::Train));
          }
          FinishedCell cell;
          FittedMap fitted = [](const Tensor& hidden) { return hidden.to(DType::Float64); };
          if (map == TokenMap::Linear) {
            if (!ridge) ridge.emplace(e, request_.ridge);
            LinearMap linear = ridge->fit(distance == TokenDistance::Cosine ? unit_rows(x) : x);
            cell.residual = linear.residual;
            fitted = std::move(linear);
          }
          if (map == TokenMap::Mlp) fitted = trained(state, fold, distance, e, x, cell.epochs);
          test(fitted, {control_, fold, map, distance, state, state}, cell);
        }
        meter_.add(cost_of(map));
      }
  }

  FittedMap trained(int state, std::size_t fold, TokenDistance distance, const Tensor& e, const Tensor& x,
                    int& epochs) {
    const std::vector<std::size_t> held = texts_in(corpus_.split.parts[fold], Part::Validation);
    const Tensor held_e = rows_of(hidden_.at(state), first_, held), held_x = rows_of(targets_, first_, held);
    const std::uint64_t seed =
        random_stream(request_.seed, CellName{control_, fold, TokenMap::Mlp, distance, state, state}.key());
    const auto show = [&](int epoch) {
      meter_.inside(cost_of(TokenMap::Mlp) * epoch / std::max(epoch, request_.mlp.epochs));
    };
    return dispatch(e.dtype(), [&]<class R>(R) -> FittedMap {
      MlpMap<R> map(e.dim(1), Index{request_.mlp.hidden}, x.dim(1), seed);
      epochs =
          train(map, e, x, held_e, held_x, distance, request_.mlp, random_stream(seed, "order"), show).epochs;
      return map;
    });
  }

  void test(const FittedMap& map, CellName name, const FinishedCell& fitted) {
    const std::vector<std::size_t> chosen = test_of(name.fold);
    std::vector<const ProbeText*> texts;
    for (const std::size_t t : chosen) texts.push_back(&corpus_.texts[t]);
    for (const int state : tested_states(request_, name.map, name.trained_on, states_)) {
      const Tensor mapped = map(rows_of(hidden_.at(state), first_, chosen));
      FinishedCell cell = fitted;
      cell.hits = request_.pool == TokenPool::Vocabulary
                      ? match_in_vocabulary(texts, mapped, model_.words(), name.distance)
                      : match_in_texts(texts, mapped, rows_of(targets_, first_, chosen).to(DType::Float64),
                                       name.distance);
      name.state = state;
      finished_.add(name.key(), std::move(cell));
    }
  }

  const IdentifyRequest& request_;
  const ProbeCorpus& corpus_;
  const Model& model_;
  bool control_;
  Finished& finished_;
  Meter& meter_;
  std::vector<int> states_;
  std::vector<Index> first_;
  std::map<int, Tensor> hidden_;
  Tensor targets_;
};

// Reads the finished cells of all folds together.
class FinishedFolds {
 public:
  FinishedFolds(const IdentifyRequest& request, const ProbeCorpus& corpus, const Finished& finished)
      : request_(request), finished_(finished) {
    for (const std::vector<Part>& parts : corpus.split.parts) {
      std::vector<const ProbeText*> fold;
      for (const std::size_t t : texts_in(parts, Part::Test)) fold.push_back(&corpus.texts[t]);
      fold_sizes_.push_back(fold.size());
      tested.insert(tested.end(), fold.begin(), fold.end());
    }
    for (const ProbeText* text : tested) {
      tokens_.push_back(text->tokens());
      content_.push_back(text->content());
    }
  }

  IdentifyCell cell(bool control, TokenMap map, TokenDistance distance, int trained_on, int state) {
    IdentifyCell made{
        .control = control, .map = map, .distance = distance, .trained_on = trained_on, .state = state};
    std::vector<int> id, position, content_id, content_position;
    for (std::size_t fold = 0; fold < fold_sizes_.size(); ++fold) {
      const std::string key = CellName{control, fold, map, distance, trained_on, state}.key();
      const FinishedCell* part = finished_.cell(key);
      if (part == nullptr || part->hits.size() != fold_sizes_[fold])
        throw FormatError(fmt::format("{}: expected the hits of {} texts under {}, found {}", request_.resume,
                                      fold_sizes_[fold], key, part == nullptr ? 0 : part->hits.size()));
      for (const TextHits& hits : part->hits) {
        id.push_back(hits.id);
        position.push_back(hits.position);
        content_id.push_back(hits.content_id);
        content_position.push_back(hits.content_position);
      }
      if (map == TokenMap::Mlp) made.epochs.push_back(part->epochs);
      residual = std::max(residual, part->residual);
    }
    const TokenRate none{std::nan(""), std::nan(""), std::nan("")};
    const bool placed = request_.pool == TokenPool::Sentence;
    made.rates = {.id = rate_of(id, tokens_),
                  .position = placed ? rate_of(position, tokens_) : none,
                  .content_id = rate_of(content_id, content_),
                  .content_position = placed ? rate_of(content_position, content_) : none};
    return made;
  }

  std::vector<const ProbeText*> tested;
  double residual = 0;

 private:
  const IdentifyRequest& request_;
  const Finished& finished_;
  std::vector<std::size_t> fold_sizes_;
  std::vector<Index> tokens_, content_;
};

void add_cells(IdentifyReport& report, const IdentifyRequest& request, FinishedFolds& reading,
               const Finished& finished) {
  for (const bool control : {false, true}) {
    if (control && !request.control) continue;
    for (const int trained_on : report.states) {
      for (const TokenMap map : request.maps)
        for (const TokenDistance distance : request.distances)
          for (const int state : tested_states(request, map, trained_on, report.states))
            report.cells.push_back(reading.cell(control, map, distance, trained_on, state));
      const std::optional<double> cosine = finished.number(anisotropy_key(control, trained_on));
      report.anisotropy.push_back({control, trained_on, cosine.value_or(std::nan(""))});
    }
  }
}

// Texts with the same ids that ended up in different parts, over all folds.
double strayed(const ProbeCorpus& corpus) {
  double count = 0;
  for (const std::vector<Part>& parts : corpus.split.parts) {
    std::map<std::pair<std::vector<int>, std::vector<int>>, Part> seen;
    for (std::size_t t = 0; t < parts.size(); ++t) {
      const auto& text = corpus.texts[t];
      if (seen.try_emplace({text.ids, text.type_ids}, parts[t]).first->second != parts[t]) count += 1;
    }
  }
  return count;
}

}  // namespace

IdentifyReport run_identify(const IdentifyRequest& request, const Model& model, const ProbeCorpus& corpus,
                            const std::function<std::unique_ptr<Model>()>& untrained, Finished& finished) {
  const ModelInfo& info = model.info();
  const IdentifyMemory memory = identify_memory(request, model, corpus.texts);
  double units = 0;
  for (const TokenMap map : request.maps)
    units += cost_of(map) * static_cast<double>(request.distances.size() * states_of(request, info).size()) *
             request.folds * (request.control ? 2 : 1);
  Meter meter(request.progress, units);
  try {
    ModelRun(request, corpus, model, false, finished, meter).go(memory.window);
    if (request.control) {
      const std::unique_ptr<Model> fresh = untrained();
      ModelRun(request, corpus, *fresh, true, finished, meter).go(memory.window);
    }
  } catch (...) {
    finished.save();  // what is done stays done
    throw;
  }
  finished.save();

  FinishedFolds reading(request, corpus, finished);
  IdentifyReport report{.model = info,
                        .target = request.target,
                        .pool = request.pool,
                        .folds = request.folds,
                        .seed = request.seed,
                        .ridge = request.ridge,
                        .mlp = request.mlp,
                        .distinct_texts = corpus.split.distinct,
                        .train_texts = corpus.train,
                        .validation_texts = corpus.validation,
                        .test_texts = corpus.test,
                        .tested_texts = reading.tested.size(),
                        .states = states_of(request, info),
                        .chance = chance_of(reading.tested, request.pool, info.vocabulary),
                        .resumed_cells = finished.found()};
  for (const ProbeText* text : reading.tested) {
    report.tested_tokens += text->ids.size();
    report.tested_content += as_size(text->content());
  }
  add_cells(report, request, reading, finished);
  report.checks.push_back(check_within("no text in two parts", strayed(corpus), 0));
  if (std::find(request.maps.begin(), request.maps.end(), TokenMap::Linear) != request.maps.end())
    report.checks.push_back(check_within("linear maps solve their normal equations", reading.residual, 1e-6));
  return report;
}

}  // namespace headwater
