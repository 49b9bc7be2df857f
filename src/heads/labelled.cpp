#include "heads/labelled.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <headwater/error.h>

#include "study/batching.h"

namespace headwater {

namespace {

constexpr std::size_t batch_tokens = 4096;

int label_index(const ModelInfo& info, const std::string& label) {
  const auto found = std::find(info.labels.begin(), info.labels.end(), label);
  if (found != info.labels.end()) return static_cast<int>(found - info.labels.begin());
  int index = -1;
  const auto [end, error] = std::from_chars(label.data(), label.data() + label.size(), index);
  const bool number = error == std::errc() && end == label.data() + label.size();
  if (!number || index < 0 || index >= static_cast<int>(info.labels.size()))
    throw InputError(fmt::format("label: expected one of {} or its index, found '{}'",
                                 fmt::join(info.labels, ", "), label));
  return index;
}

// Zeroes the patterns [B, H, T, T] of the heads that are out.
Edit without_heads(int layer, const std::vector<bool>& stays) {
  return {Site::Pattern, layer, [stays](Tensor& pattern) {
            const Index B = pattern.dim(0), H = pattern.dim(1), cells = pattern.dim(2) * pattern.dim(3);
            dispatch(pattern.dtype(), [&](auto r) {
              using R = decltype(r);
              R* values = pattern.data<R>();
              for (Index b = 0; b < B; ++b)
                for (Index h = 0; h < H; ++h)
                  if (!stays[static_cast<std::size_t>(h)])
                    std::fill_n(values + (b * H + h) * cells, cells, R(0));
            });
          }};
}

}  // namespace

std::vector<Labelled> prepare_labelled(const Reader& reader, std::span<const LabelledInput> inputs) {
  const ModelInfo& info = reader.info();
  const bool classifies = info.task == Task::TextClassification || info.task == Task::ImageClassification;
  if (!classifies || info.labels.size() < 2 || reader.problem != Problem::SingleLabel)
    throw Unsupported(fmt::format("heads: needs a classifier with exclusive labels, found {} ({})",
                                  info.architecture, name_of(info.task)));
  if (inputs.empty()) throw InputError("heads: expected labelled inputs, found none");
  std::vector<Labelled> all;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    try {
      Prepared prepared = prepare(reader, inputs[i].input);
      all.push_back(
          {std::move(prepared.batch), std::move(prepared.encoding), label_index(info, inputs[i].label)});
    } catch (const InputError& error) {
      throw InputError(fmt::format("input {}: {}", i + 1, error.what()));
    }
  }
  return all;
}

Study study_of(const Reader& reader, const Labelled& one, int target, const std::vector<Site>& sites) {
  Study study(*reader.model, one.batch, one.encoding);
  if (!sites.empty()) study.keep_only(sites, 0);
  study.aim(
      {.position = -1, .index = target, .label = reader.info().labels[static_cast<std::size_t>(target)]});
  return study;
}

HeadMask all_heads(const ModelInfo& info) {
  return HeadMask(static_cast<std::size_t>(info.layers),
                  std::vector<bool>(static_cast<std::size_t>(info.heads), true));
}

std::vector<int> classify(const Reader& reader, std::span<const Labelled> inputs, const HeadMask& mask) {
  std::vector<Edit> edits;
  for (std::size_t l = 0; l < mask.size(); ++l)
    if (std::find(mask[l].begin(), mask[l].end(), false) != mask[l].end())
      edits.push_back(without_heads(static_cast<int>(l), mask[l]));
  std::vector<Batch> batches;
  for (const Labelled& one : inputs) batches.push_back(one.batch);
  std::vector<int> predicted(inputs.size());
  for (const Group& group : group_inputs(batches, batch_tokens)) {
    Tape tape(Keep::Nothing, edits);
    const Tensor logits = reader.model->run(tape, group.batch).value;
    const Index N = logits.shape().back();
    for (std::size_t m = 0; m < group.members.size(); ++m) {
      int best = 0;
      for (int k = 1; k < N; ++k)
        if (logits.at(static_cast<Index>(m) * N + k) > logits.at(static_cast<Index>(m) * N + best)) best = k;
      predicted[group.members[m]] = best;
    }
  }
  return predicted;
}

double accuracy(std::span<const Labelled> inputs, const std::vector<int>& predicted) {
  std::size_t right = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) right += inputs[i].gold == predicted[i] ? 1U : 0U;
  return static_cast<double>(right) / static_cast<double>(inputs.size());
}

}  // namespace headwater
