// Note [Shared prefixes]. The stream before block l depends on the masks of the blocks below l alone. Masks
// are therefore tried in lexicographic order, block by block, and each is replayed from the first block in
// which it differs from the one before: all masks together are a tree whose edges are computed once each. A
// replay gives the bits of a whole run.
#include "heads/labelled.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <headwater/error.h>

#include "blocks/batch.h"
#include "study/labels.h"

namespace headwater {

namespace {

// Zeroes the patterns [B, H, T, T] of the heads that are out.
Edit without_heads(int layer, const std::vector<bool>& stays) {
  return {{Site::Pattern, layer}, [stays](Tensor& pattern) {
            const Index B = pattern.dim(0), H = pattern.dim(1), cells = pattern.dim(2) * pattern.dim(3);
            dispatch(pattern.dtype(), [&]<class R>(R) {
              R* values = pattern.data<R>();
              for (Index b = 0; b < B; ++b)
                for (Index h = 0; h < H; ++h)
                  if (!stays[as_size(h)]) std::fill_n(values + (b * H + h) * cells, cells, R(0));
            });
          }};
}

// One distinct mask, in the order they are run.
struct DistinctMask {
  const HeadMask* mask;
  std::vector<std::size_t> asked;  // which of the masks given it is
  std::optional<int> from;         // the block to replay from; none: from the start
};

std::vector<DistinctMask> distinct_masks(std::span<const HeadMask> masks) {
  std::map<HeadMask, std::vector<std::size_t>> distinct;
  for (std::size_t i = 0; i < masks.size(); ++i) distinct[masks[i]].push_back(i);
  std::vector<DistinctMask> runs;
  for (auto& [mask, asked] : distinct) {
    std::optional<int> from;
    const HeadMask& own = masks[asked.front()];
    if (!runs.empty()) {
      const HeadMask& before = *runs.back().mask;
      from = static_cast<int>(std::mismatch(own.begin(), own.end(), before.begin()).first - own.begin());
    }
    runs.push_back({&own, std::move(asked), from});
  }
  return runs;
}

// Runs of one batch under one mask after another; see Note [Shared prefixes].
class MaskedRuns {
 public:
  MaskedRuns(const Model& model, const Batch& batch, std::span<const DistinctMask> masks)
      : model_(model), batch_(batch) {
    for (const DistinctMask& one : masks)
      if (one.from) streams_[*one.from];
  }

  Tensor logits(const DistinctMask& one) {
    const HeadMask& mask = *one.mask;
    // A model that does not show its streams is run as a whole.
    const bool replays = one.from && computed_->recorded({Site::ResidPre, *one.from});
    const int begin = replays ? *one.from : -1;
    std::vector<Edit> edits;
    for (std::size_t l = 0; l < mask.size(); ++l)
      if (static_cast<int>(l) >= begin && std::find(mask[l].begin(), mask[l].end(), false) != mask[l].end())
        edits.push_back(without_heads(static_cast<int>(l), mask[l]));
    std::vector<Place> kept;
    for (const auto& stream : streams_)
      if (stream.first > begin) kept.emplace_back(Site::ResidPre, stream.first);
    Tape tape(kept, std::move(edits));
    Tensor logits;
    if (replays) {
      const Changed change{.at = computed_->spot({Site::ResidPre, *one.from}),
                           .copies = streams_.at(*one.from)};
      logits = computed_->replay({&change, 1}, computed_->spot(Site::Logits), tape).value.value;
    } else {
      logits = model_.run(tape, batch_).value;
      computed_ = tape.without_values();
    }
    for (const Place& place : kept)
      if (tape.has(place)) streams_.at(place.layer) = tape.at(place).value;
    return logits;
  }

 private:
  const Model& model_;
  const Batch& batch_;
  std::unique_ptr<const Tape> computed_;
  std::map<int, Tensor> streams_;  // before those blocks that runs are replayed from
};

std::vector<Batch> batches_of(std::span<const Labelled> inputs) {
  std::vector<Batch> batches;
  for (const Labelled& one : inputs) batches.push_back(one.batch);
  return batches;
}

// The largest of every row of logits.
std::vector<int> classes_of(const Tensor& logits) {
  const Index N = logits.shape().back(), rows = logits.size() / N;
  std::vector<int> best(as_size(rows), 0);
  for (Index r = 0; r < rows; ++r)
    for (Index k = 0; k < N; ++k) {
      int& found = best[as_size(r)];
      if (!std::isfinite(logits.at(r * N + k)))
        throw FormatError("heads: expected finite logits, found others; try --dtype float64");
      if (logits.at(r * N + k) > logits.at(r * N + found)) found = static_cast<int>(k);
    }
  return best;
}

}  // namespace

std::vector<Labelled> prepare_labelled(const LoadedModel& loaded, std::span<const LabelledInput> inputs) {
  const ModelInfo& info = loaded.info();
  const bool classifies = info.task == Task::TextClassification || info.task == Task::ImageClassification;
  if (!classifies || info.labels.size() < 2 || loaded.problem != Problem::SingleLabel)
    throw Unsupported(fmt::format("heads: needs a classifier with exclusive labels, found {} ({})",
                                  info.architecture, name_of(info.task)));
  if (inputs.empty()) throw InputError("heads: expected labelled inputs, found none");
  std::vector<Labelled> all;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    try {
      Prepared prepared = prepare(loaded, inputs[i].input);
      all.push_back({std::move(prepared.batch), std::move(prepared.encoding),
                     label_index(info.labels, inputs[i].label, "label")});
    } catch (const InputError& error) {
      throw InputError(fmt::format("input {}: {}", i + 1, error.what()));
    }
  }
  return all;
}

HeadMask all_heads(const ModelInfo& info) {
  const std::vector<bool> all(as_size(info.last().heads), true);
  return {as_size(info.last().layers), all};
}

std::vector<int> classify(const LoadedModel& loaded, std::span<const Labelled> inputs, const HeadMask& mask,
                          std::size_t batch_tokens) {
  return classify(
             loaded, inputs, {&mask, 1}, [](double) {}, batch_tokens)
      .front();
}

std::vector<std::vector<int>> classify(const LoadedModel& loaded, std::span<const Labelled> inputs,
                                       std::span<const HeadMask> masks, const Advance& advance,
                                       std::size_t batch_tokens) {
  const std::vector<DistinctMask> distinct = distinct_masks(masks);
  const std::vector<Batch> batches = batches_of(inputs);
  std::vector<std::vector<int>> predicted(masks.size(), std::vector<int>(inputs.size()));
  std::size_t done = 0;
  for (const Group& group : group_inputs(batches, batch_tokens)) {
    MaskedRuns runs(*loaded.model, group.batch, distinct);
    for (std::size_t t = 0; t < distinct.size(); ++t) {
      const double share = static_cast<double>(t) / static_cast<double>(distinct.size());
      advance((static_cast<double>(done) + share * static_cast<double>(group.members.size())) /
              static_cast<double>(inputs.size()));
      const std::vector<int> best = classes_of(runs.logits(distinct[t]));
      for (const std::size_t asked : distinct[t].asked)
        for (std::size_t m = 0; m < group.members.size(); ++m) predicted[asked][group.members[m]] = best[m];
    }
    done += group.members.size();
  }
  advance(1);
  return predicted;
}

std::vector<int> classify_without_outputs(const LoadedModel& loaded, std::span<const Labelled> inputs,
                                          std::size_t batch_tokens) {
  std::vector<Edit> edits;
  for (int l = 0; l < loaded.info().last().layers; ++l)
    edits.push_back({{Site::Z, l}, [](Tensor& z) { z = Tensor::zeros(z.shape(), z.dtype()); }});
  std::vector<int> predicted(inputs.size());
  const std::vector<Batch> batches = batches_of(inputs);
  for (const Group& group : group_inputs(batches, batch_tokens)) {
    Tape tape(Keep::Nothing, edits);
    const std::vector<int> best = classes_of(loaded.model->run(tape, group.batch).value);
    for (std::size_t m = 0; m < group.members.size(); ++m) predicted[group.members[m]] = best[m];
  }
  return predicted;
}

double accuracy(std::span<const Labelled> inputs, const std::vector<int>& predicted) {
  std::size_t right = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) right += inputs[i].gold == predicted[i] ? 1U : 0U;
  return static_cast<double>(right) / static_cast<double>(inputs.size());
}

}  // namespace headwater
