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
#include <utility>

#include <headwater/error.h>

#include "heads/checks.h"
#include "heads/memory.h"

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
    if (cell.score > first.score)
      second = std::exchange(first, cell);
    else if (cell.score > second.score)
      second = cell;
  }
  return {first, second};
}

// Positions of the tokens of one segment (text or pair), without special ones.
std::vector<Index> tokens_of_segment(const Encoding& encoding, int segment) {
  std::vector<Index> places;
  for (std::size_t t = 0; t < encoding.tokens.size(); ++t)
    if (!encoding.tokens[t].special && encoding.tokens[t].segment == segment)
      places.push_back(static_cast<Index>(t));
  return places;
}

std::vector<TriggerToken> tokens_at(const Encoding& encoding, const std::set<Index>& positions) {
  std::vector<TriggerToken> tokens;
  for (const Index t : positions) {
    const Token& token = encoding.tokens[as_size(t)];
    if (token.special) continue;
    const std::vector<Index> words = tokens_of_segment(encoding, token.segment);
    const auto rank = std::find(words.begin(), words.end(), t) - words.begin();
    tokens.push_back({.id = token.id,
                      .text = shown(encoding, token),
                      .sequence = token.segment,
                      .place = static_cast<double>(rank + 1) / static_cast<double>(words.size())});
  }
  return tokens;
}

std::vector<double> accuracy_by_label(std::span<const Labelled> inputs, const std::vector<int>& predicted,
                                      std::size_t labels) {
  std::vector<double> right(labels, 0), all(labels, 0);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    all[as_size(inputs[i].gold)] += 1;
    right[as_size(inputs[i].gold)] += predicted[i] == inputs[i].gold ? 1 : 0;
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
    const auto first = as_size(std::count_if(trigger.tokens.begin(), trigger.tokens.end(),
                                             [](const auto& t) { return t.sequence == 0; }));
    const auto second = std::find_if(types.begin(), types.end(), [](int t) { return t != 0; });
    types.insert(second, std::min(first, added), 0);
    types.resize(one.batch.ids.front().size(), types.back());
  }
  return all;
}

constexpr std::size_t copies = 2;  // of the inputs: as they are, and with a trigger
constexpr Index most_tokens = 4;   // of a trigger: two pairs

std::size_t sources_of(std::span<const Labelled> inputs, const TriggerOptions& options) {
  return std::min(inputs.size(), as_size(std::max(0, options.inputs)));
}

struct Memory {
  MemoryBound bound;
  std::size_t study = 0;  // of the longest source
  BatchMemory batches;
};

Memory memory_of(const LoadedModel& loaded, std::span<const Labelled> inputs, const TriggerOptions& options,
                 std::size_t max_memory) {
  if (!loaded.tokenizer) throw Unsupported("triggers: needs a text model, found an image model");
  const ModelInfo& info = loaded.info();
  Memory memory{.bound = bound_beside(inputs, max_memory, copies)};
  const Index longest = longest_of(info, inputs.first(sources_of(inputs, options)));
  if (longest > 0) memory.study = study_memory(info, StudyKind::Attributions, longest, memory.bound).total;
  memory.batches = batch_memory(info, inputs, memory.bound, most_tokens);
  return memory;
}

// The pattern of one input; what its attributions showed goes into the report.
Trigger taken_from(const LoadedModel& loaded, const Labelled& one, int predicted,
                   const TriggerOptions& options, const MemoryBound& bound, TriggerReport& report) {
  const Study study = study_within(loaded, one, predicted, StudyKind::Attributions, bound);
  const AttentionAttribution attributed =
      attribute_checked(study, {.tolerance = options.tolerance}, report.checks, report.unresolved);
  const auto [first, second] = top_two(attributed.scores());
  Trigger trigger{.label = loaded.info().labels[as_size(predicted)],
                  .source = one.encoding.text,
                  .strength = first.score + second.score};
  std::set<Index> positions{first.query, first.key};
  if (second.score >= options.second * first.score) positions.insert({second.query, second.key});
  trigger.tokens = tokens_at(one.encoding, positions);
  return trigger;
}

// Whether an input with a trigger holds its own tokens and the trigger's for the texts it has, each as often
// as it should, whatever their places; less only at the limit.
enum class Inserted { Right, Cut, Wrong };

Inserted recounted(const Labelled& before, const Labelled& after, const Trigger& trigger, Index limit) {
  std::map<int, int> missing;  // how often, by id
  for (const int id : before.batch.ids.front()) ++missing[id];
  for (const TriggerToken& token : trigger.tokens)
    if (!tokens_of_segment(before.encoding, token.sequence).empty()) ++missing[token.id];
  int lost = 0;
  for (const int id : after.batch.ids.front())
    if (--missing[id] < 0) return Inserted::Wrong;
  for (const auto& [id, times] : missing) lost += times;
  if (lost == 0) return Inserted::Right;
  return static_cast<Index>(after.batch.ids.front().size()) == limit ? Inserted::Cut : Inserted::Wrong;
}

}  // namespace

std::vector<int> with_trigger(const Labelled& one, const std::vector<TriggerToken>& tokens, Index limit) {
  std::vector<int> ids = one.batch.ids.front();
  Index moved = 0;
  for (int sequence = 0; sequence < 2; ++sequence) {
    const std::vector<Index> words = tokens_of_segment(one.encoding, sequence);
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
    ids.resize(as_size(limit));
    if (one.encoding.tokens.back().special) ids.back() = end;
  }
  return ids;
}

TriggerReport find_triggers(const LoadedModel& loaded, std::span<const Labelled> inputs,
                            const TriggerOptions& options, const Advance& advance, std::size_t max_memory) {
  const Memory memory = memory_of(loaded, inputs, options, max_memory);
  const ModelInfo& info = loaded.info();
  const std::vector<int> predicted = classify(loaded, inputs, all_heads(info), memory.batches.batch_tokens);
  TriggerReport report{.labels = info.labels, .inputs = std::vector<int>(info.labels.size(), 0)};
  for (const Labelled& one : inputs) ++report.inputs[as_size(one.gold)];
  report.accuracy = accuracy_by_label(inputs, predicted, info.labels.size());
  const std::size_t count = sources_of(inputs, options);
  std::vector<Trigger> found;
  for (std::size_t i = 0; i < count; ++i) {
    advance(0.9 * static_cast<double>(i) / static_cast<double>(count));
    if (static_cast<int>(inputs[i].encoding.tokens.size()) < options.shortest) continue;
    Trigger trigger = taken_from(loaded, inputs[i], predicted[i], options, memory.bound, report);
    if (trigger.strength >= options.least && !trigger.tokens.empty()) found.push_back(std::move(trigger));
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Trigger& a, const Trigger& b) { return a.strength > b.strength; });
  std::map<std::string, int> taken;
  const Index limit = input_limit(loaded);
  double miscounted = 0;
  for (Trigger& trigger : found) {
    if (++taken[trigger.label] > options.patterns) continue;
    const std::vector<Labelled> changed = attacked(inputs, trigger, limit);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const Inserted there = recounted(inputs[i], changed[i], trigger, limit);
      report.cut += there == Inserted::Cut ? 1 : 0;
      miscounted += there == Inserted::Wrong ? 1 : 0;
    }
    trigger.accuracy = accuracy_by_label(
        inputs, classify(loaded, changed, all_heads(info), memory.batches.batch_tokens), info.labels.size());
    report.triggers.push_back(std::move(trigger));
  }
  report.checks.push_back(check_within("every input holds its tokens and the trigger's", miscounted, 0));
  advance(1);
  return report;
}

LabelledPlan plan_triggers(const LoadedModel& loaded, std::span<const Labelled> inputs,
                           const TriggerOptions& options, std::size_t max_memory) {
  const Memory memory = memory_of(loaded, inputs, options, max_memory);
  LabelledPlan plan = plan_for(loaded.info(), inputs);
  plan.studies = sources_of(inputs, options);
  plan.masks = 1 + loaded.info().labels.size() * as_size(std::max(0, options.patterns));
  plan.bytes = memory.bound.taken + std::max(memory.study, memory.batches.total);
  return plan;
}

}  // namespace headwater
