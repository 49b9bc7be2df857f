// Beam search. Of the candidates of a step (beams × vocabulary, by Σ log p) the best 2 · beams are
// considered. A candidate is finished if it ends the text or no more tokens may follow. Finished ones among
// the best `beams` are kept with Σ log p / tokens, and the best of all kept ones remain. The best unfinished
// ones continue. The search ends when none continues, or when as many are kept as wanted and the best running
// mean is not above the worst kept one: transformers' early_stopping = false with length_penalty = 1.

#include "study/generation.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <headwater/error.h>

#include "study/prediction.h"

namespace headwater {

Writing::Writing(const Model& model, const Batch& start, Reuse reuse)
    : model_(model),
      source_(start.prefix.empty() ? std::vector<int>{} : start.ids.front()),
      ids_{written(start).front()},
      cached_(reuse == Reuse::KeysAndValues && model.info().last().causal) {}

bool Writing::full() const {
  const int limit = model_.info().positions;
  return limit > 0 && ids_.front().size() >= static_cast<std::size_t>(limit);
}

std::vector<std::vector<double>> Writing::next() {
  const auto past = cached_ ? cache_.past() : Index{0};
  std::vector<std::vector<int>> fresh;
  for (const auto& ids : ids_) fresh.emplace_back(ids.begin() + past, ids.end());
  Batch batch{.positions = {static_cast<int>(fresh.front().size()) - 1},
              .cache = cached_ ? &cache_ : nullptr};
  if (source_.empty()) {
    batch.ids = std::move(fresh);
  } else {
    batch.ids.assign(ids_.size(), source_);
    batch.prefix = std::move(fresh);
  }
  Tape tape(Keep::Nothing);
  const Tensor logits = model_.run(tape, batch).value;
  if (cache_.empty()) cached_ = false;
  std::vector<std::vector<double>> next;
  for (Index b = 0; b < logits.dim(0); ++b) next.push_back(logits.rows(b, 1).to_doubles());
  return next;
}

void Writing::write(const std::vector<int>& versions, const std::vector<int>& tokens) {
  std::vector<std::vector<int>> ids;
  for (std::size_t i = 0; i < versions.size(); ++i) {
    ids.push_back(ids_[static_cast<std::size_t>(versions[i])]);
    ids.back().push_back(tokens[i]);
  }
  const bool same = versions.size() == 1 && ids_.size() == 1;
  ids_ = std::move(ids);
  if (cached_ && !same) cache_.choose(versions);
}

namespace {

bool is_end(const GenerationOptions& options, int token) {
  return std::find(options.ends.begin(), options.ends.end(), token) != options.ends.end();
}

struct BeamCandidate {
  double sum;  // of log-probabilities
  int version, token;
};

// The best next tokens of all versions, the first of equals.
std::vector<BeamCandidate> best_candidates(const std::vector<std::vector<double>>& logits,
                                           const std::vector<double>& sums, std::size_t count) {
  std::vector<BeamCandidate> all;
  for (std::size_t v = 0; v < logits.size(); ++v) {
    const double normaliser = logits[v].front() - log_softmax(logits[v], 0);  // log Σ exp
    for (std::size_t k = 0; k < logits[v].size(); ++k)
      all.push_back({sums[v] + logits[v][k] - normaliser, static_cast<int>(v), static_cast<int>(k)});
  }
  const auto kept = static_cast<std::ptrdiff_t>(std::min(count, all.size()));
  std::partial_sort(all.begin(), all.begin() + kept, all.end(),
                    [](const BeamCandidate& a, const BeamCandidate& b) {
                      return std::tuple(-a.sum, a.version, a.token) < std::tuple(-b.sum, b.version, b.token);
                    });
  all.resize(static_cast<std::size_t>(kept));
  return all;
}

void keep_best(std::vector<Generated>& kept, std::size_t beams) {
  std::stable_sort(kept.begin(), kept.end(),
                   [](const Generated& a, const Generated& b) { return a.score > b.score; });
  if (kept.size() > beams) kept.resize(beams);
}

}  // namespace

Generated generate_greedily(const Model& model, const Batch& start, const GenerationOptions& options) {
  Writing text(model, start, options.reuse);
  Generated made;
  double sum = 0;
  while (static_cast<int>(made.ids.size()) < options.max_new_tokens && !text.full()) {
    const std::vector<double> z = std::move(text.next().front());
    const auto next = std::max_element(z.begin(), z.end()) - z.begin();
    sum += log_softmax(z, static_cast<std::size_t>(next));
    made.ids.push_back(static_cast<int>(next));
    made.score = sum / static_cast<double>(made.ids.size());
    if (is_end(options, made.ids.back())) break;
    text.write({0}, {made.ids.back()});
  }
  return made;
}

std::vector<Generated> search_beams(const Model& model, const Batch& start, int beams,
                                    const GenerationOptions& options) {
  if (beams < 1) throw InputError(fmt::format("beams: expected at least 1, found {}", beams));
  const auto width = static_cast<std::size_t>(beams);
  Writing text(model, start, options.reuse);
  const auto given = static_cast<std::ptrdiff_t>(text.ids().size());
  std::vector<double> sums{0};
  std::vector<Generated> kept;
  for (int made = 1; made <= options.max_new_tokens && !text.full(); ++made) {
    const std::vector<BeamCandidate> looked_at = best_candidates(text.next(), sums, 2 * width);
    const bool last =
        made == options.max_new_tokens || static_cast<int>(given) + made == model.info().positions;
    std::vector<int> versions, tokens;
    sums.clear();
    for (std::size_t i = 0; i < looked_at.size(); ++i) {
      const BeamCandidate& one = looked_at[i];
      if (!last && !is_end(options, one.token)) {
        if (versions.size() == width) continue;
        versions.push_back(one.version);
        tokens.push_back(one.token);
        sums.push_back(one.sum);
      } else if (i < width) {
        const std::vector<int>& before = text.ids(static_cast<std::size_t>(one.version));
        kept.push_back({{before.begin() + given, before.end()}, one.sum / made});
        kept.back().ids.push_back(one.token);
      }
    }
    keep_best(kept, width);
    if (versions.empty() || (kept.size() == width && sums.front() / made <= kept.back().score)) break;
    text.write(versions, tokens);
  }
  return kept;
}

Continuation continue_text(const LoadedModel& loaded, const Batch& start, int max_new_tokens, int beams) {
  const Task task = loaded.info().task;
  if (task != Task::TextGeneration && task != Task::TextToText)
    throw InputError(
        fmt::format("max_new_tokens: expected a text-generation model, found {}", name_of(task)));
  if (max_new_tokens < 0)
    throw InputError(fmt::format("max_new_tokens: expected at least 0, found {}", max_new_tokens));
  const GenerationOptions options{.max_new_tokens = max_new_tokens, .ends = loaded.eos};
  Continuation made;
  if (beams == 1) {
    made.ids = generate_greedily(*loaded.model, start, options).ids;
  } else if (std::vector<Generated> found = search_beams(*loaded.model, start, beams, options);
             !found.empty()) {
    made.ids = std::move(found.front().ids);
  }
  // Decoded with the prompt, so that the space between prompt and continuation survives.
  const std::vector<int>& prompt = written(start).front();
  std::vector<int> ids = prompt;
  ids.insert(ids.end(), made.ids.begin(), made.ids.end());
  const std::string before = loaded.tokenizer->decode(prompt, true);
  const std::string whole = loaded.tokenizer->decode(ids, true);
  made.text =
      whole.starts_with(before) ? whole.substr(before.size()) : loaded.tokenizer->decode(made.ids, true);
  return made;
}

}  // namespace headwater
