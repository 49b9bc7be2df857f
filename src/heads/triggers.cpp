// Taking: of the head matrix that holds the largest attribution of all layers, the two largest entries (i, j)
// name up to four tokens; the second entry counts if it is at least `second` of the first. Special tokens
// never count. A token's place is its position, from 1, divided by the length of its text. Putting: into
// every other input a token goes to round(length · place), where length counts what was inserted before it;
// equal places follow each other. round() is to even, as the published attack does.
#include "heads/triggers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include <fmt/format.h>
#include <headwater/error.h>

#include "attribution/attention_attribution.h"

namespace headwater {

namespace {

struct Cell {
  Index query = 0, key = 0;
  double score = -std::numeric_limits<double>::infinity();
};

// The two largest entries of the head that holds the largest.
std::pair<Cell, Cell> top_two(const Tensor& scores) {
  const Index T = scores.shape().back(), cells = T * T;
  Index best = 0;
  for (Index i = 1; i < scores.size(); ++i)
    if (scores.at(i) > scores.at(best)) best = i;
  const Index head = best / cells;
  Cell first, second;
  for (Index c = 0; c < cells; ++c) {
    const Cell cell{c / T, c % T, scores.at(head * cells + c)};
    if (cell.score > first.score) {
      second = first;
      first = cell;
    } else if (cell.score > second.score) {
      second = cell;
    }
  }
  return {first, second};
}

// Positions of the tokens of one sequence, without special ones.
std::vector<Index> words_of(const Encoding& encoding, int sequence) {
  std::vector<Index> places;
  for (std::size_t t = 0; t < encoding.tokens.size(); ++t)
    if (!encoding.tokens[t].special && encoding.tokens[t].sequence == sequence)
      places.push_back(static_cast<Index>(t));
  return places;
}

std::vector<TriggerToken> tokens_at(const Encoding& encoding, const std::set<Index>& positions) {
  std::vector<TriggerToken> tokens;
  for (const Index t : positions) {
    const Token& token = encoding.tokens[static_cast<std::size_t>(t)];
    if (token.special) continue;
    const std::vector<Index> words = words_of(encoding, token.sequence);
    const auto rank = std::find(words.begin(), words.end(), t) - words.begin();
    tokens.push_back({.id = token.id,
                      .text = shown(encoding, token),
                      .sequence = token.sequence,
                      .place = static_cast<double>(rank + 1) / static_cast<double>(words.size())});
  }
  return tokens;
}

std::vector<double> accuracy_by_label(std::span<const Labelled> inputs, const std::vector<int>& predicted,
                                      std::size_t labels) {
  std::vector<double> right(labels, 0), all(labels, 0);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    all[static_cast<std::size_t>(inputs[i].gold)] += 1;
    right[static_cast<std::size_t>(inputs[i].gold)] += predicted[i] == inputs[i].gold ? 1 : 0;
  }
  for (std::size_t k = 0; k < labels; ++k) right[k] /= all[k];  // 0/0: no input has the label
  return right;
}

std::vector<Labelled> attacked(std::span<const Labelled> inputs, const Trigger& trigger, Index limit) {
  std::vector<Labelled> all(inputs.begin(), inputs.end());
  for (Labelled& one : all) {
    const std::vector<int> before = one.batch.ids.front();
    one.batch.ids.front() = with_trigger(one, trigger.tokens, limit);
    if (one.batch.type_ids.empty()) continue;
    // A token's segment is its neighbour's: inserted before the end of its text.
    std::vector<int>& types = one.batch.type_ids.front();
    const std::size_t added =
        one.batch.ids.front().size() - std::min(before.size(), one.batch.ids.front().size());
    const auto first = static_cast<std::size_t>(std::count_if(trigger.tokens.begin(), trigger.tokens.end(),
                                                              [](const auto& t) { return t.sequence == 0; }));
    const auto second = std::find_if(types.begin(), types.end(), [](int t) { return t != 0; });
    types.insert(second, std::min(first, added), 0);
    types.resize(one.batch.ids.front().size(), types.back());
  }
  return all;
}

}  // namespace

std::vector<int> with_trigger(const Labelled& one, const std::vector<TriggerToken>& tokens, Index limit) {
  std::vector<int> ids = one.batch.ids.front();
  Index moved = 0;
  for (int sequence = 0; sequence < 2; ++sequence) {
    const std::vector<Index> words = words_of(one.encoding, sequence);
    if (words.empty()) continue;
    Index added = 0, last = -1;
    for (const TriggerToken& token : tokens) {
      if (token.sequence != sequence) continue;
      const auto length = static_cast<double>(static_cast<Index>(words.size()) + added);
      auto place = static_cast<Index>(std::nearbyint(length * token.place));
      if (place == last) ++place;
      last = place;
      ids.insert(ids.begin() + words.front() + moved +
                     std::min<Index>(place, static_cast<Index>(words.size()) + added),
                 token.id);
      ++added;
    }
    moved += added;
  }
  if (limit > 0 && static_cast<Index>(ids.size()) > limit) {
    const int end = ids.back();
    ids.resize(static_cast<std::size_t>(limit));
    if (one.encoding.tokens.back().special) ids.back() = end;
  }
  return ids;
}

TriggerReport find_triggers(const Reader& reader, std::span<const Labelled> inputs,
                            const TriggerOptions& options, const Advance& advance) {
  if (!reader.tokenizer) throw Unsupported("triggers: needs a text model, found an image model");
  const ModelInfo& info = reader.info();
  const std::vector<int> predicted = classify(reader, inputs, all_heads(info));
  TriggerReport report{.labels = info.labels, .inputs = std::vector<int>(info.labels.size(), 0)};
  for (const Labelled& one : inputs) ++report.inputs[static_cast<std::size_t>(one.gold)];
  report.accuracy = accuracy_by_label(inputs, predicted, info.labels.size());
  const std::size_t count = std::min(inputs.size(), static_cast<std::size_t>(std::max(0, options.inputs)));
  std::vector<Trigger> found;
  for (std::size_t i = 0; i < count; ++i) {
    advance(0.9 * static_cast<double>(i) / static_cast<double>(count));
    if (static_cast<int>(inputs[i].encoding.tokens.size()) < options.shortest) continue;
    const Study study = study_of(reader, inputs[i], predicted[i], attention_attribution_sites());
    const AttentionAttribution attributed =
        attribute_attention(study, Objective(study, Quantity::Probability), {.tolerance = options.tolerance});
    if (!resolved(attributed, options.tolerance)) ++report.unresolved;
    const auto [first, second] = top_two(attributed.scores);
    Trigger trigger{.label = info.labels[static_cast<std::size_t>(predicted[i])],
                    .source = inputs[i].encoding.text,
                    .strength = first.score + second.score};
    std::set<Index> positions{first.query, first.key};
    if (second.score >= options.second * first.score) positions.insert({second.query, second.key});
    trigger.tokens = tokens_at(inputs[i].encoding, positions);
    if (trigger.strength >= options.least && !trigger.tokens.empty()) found.push_back(std::move(trigger));
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Trigger& a, const Trigger& b) { return a.strength > b.strength; });
  std::map<std::string, int> taken;
  for (Trigger& trigger : found) {
    if (++taken[trigger.label] > options.patterns) continue;
    const std::vector<Labelled> changed = attacked(inputs, trigger, input_limit(reader));
    trigger.accuracy =
        accuracy_by_label(inputs, classify(reader, changed, all_heads(info)), info.labels.size());
    report.triggers.push_back(std::move(trigger));
  }
  advance(1);
  return report;
}

}  // namespace headwater
