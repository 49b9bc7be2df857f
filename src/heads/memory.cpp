// With P what a passing run of one input of T tokens holds at its widest, R the sites kept of one layer, and
// Q what the work itself needs, a study of it takes
//
//   P + (layers in a window) · R + Q + tiles
//
// and a bound takes from the tiles first, then from the window, down to one layer. A batch of n inputs that
// is classified takes n · (P + L · T · D): a stream is kept for every block at which a run may resume. A
// bound takes from n, down to one input.
#include "heads/memory.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <headwater/error.h>

#include "blocks/batch.h"
#include "explain/attention_attribution.h"
#include "explain/gradients.h"
#include "study/inputs.h"
#include "study/memory.h"

namespace headwater {

namespace {

// In tenths of a MiB, rounded up: what a message says is enough must be.
double mebibytes(std::size_t bytes) {
  return std::ceil(static_cast<double>(bytes) / 0x1p20 * 10) / 10;
}

[[noreturn]] void refuse(std::size_t least, const MemoryBound& bound, Index tokens) {
  throw InputError(fmt::format(
      "max-memory: expected at least {:.1f} MiB for an input of {} tokens, found {:.2f} MiB; "
      "leave out long inputs or allow more",
      mebibytes(least + bound.taken), tokens, static_cast<double>(bound.left + bound.taken) / 0x1p20));
}

// The sites a kind of work reads, and what it needs beyond them and the passing run.
std::vector<Site> sites_of(StudyKind kind) {
  if (kind == StudyKind::Attributions) return attention_attribution_sites();
  return kind == StudyKind::Patterns ? std::vector<Site>{Site::Pattern} : std::vector<Site>{};
}

std::size_t work_bytes(const ModelInfo& info, StudyKind kind, Index tokens) {
  if (kind == StudyKind::Attributions) return attention_attribution_bytes(info, tokens);
  if (kind == StudyKind::Patterns) return 0;
  const std::size_t signals =
      std::max(site_bytes(info, tokens, Site::Pattern), site_bytes(info, tokens, Site::Z));
  return gradient_bytes(info, tokens) + as_size(info.last().layers) * signals;
}

// The inputs themselves: tokens, texts, pixels.
std::size_t inputs_bytes(std::span<const Labelled> inputs) {
  std::size_t bytes = 0;
  for (const Labelled& one : inputs)
    bytes += sizeof one + one.encoding.tokens.size() * (sizeof(Token) + 2 * sizeof(int)) +
             one.encoding.text.size() + one.encoding.pair.size() +
             2 * one.batch.pixels.bytes();  // alone and in its batch
  return bytes;
}

}  // namespace

Index tokens_in(const ModelInfo& info, const Labelled& one) {
  return unit_count(info, one.batch);
}

Index longest_of(const ModelInfo& info, std::span<const Labelled> inputs) {
  Index longest = 0;
  for (const Labelled& one : inputs) longest = std::max(longest, tokens_in(info, one));
  return longest;
}

StudyMemory study_memory(const ModelInfo& info, StudyKind kind, Index tokens, const MemoryBound& bound) {
  StudyMemory memory{.sites = sites_of(kind)};
  std::size_t layer = 0;
  for (const Site site : memory.sites) layer += site_bytes(info, tokens, site);
  const std::size_t least = work_bytes(info, kind, tokens) + passing_bytes(info, tokens, 1) + layer;
  const std::size_t other_layers = as_size(info.last().layers - 1) * layer;
  memory.scratch = kind == StudyKind::Attributions ? default_scratch : 0;
  memory.total = least + other_layers + memory.scratch;
  if (bound.left == 0 || memory.total <= bound.left) return memory;
  if (least > bound.left) refuse(least, bound, tokens);
  const std::size_t left = bound.left - least, widened = std::min(other_layers, left);
  memory.window = layer + widened;
  memory.scratch = std::min(memory.scratch, left - widened);
  memory.total = least + widened + memory.scratch;
  return memory;
}

Study study_within(const LoadedModel& loaded, const Labelled& one, int target, StudyKind kind,
                   const MemoryBound& bound) {
  const ModelInfo& info = loaded.info();
  const StudyMemory memory = study_memory(info, kind, tokens_in(info, one), bound);
  Study study = open_study(loaded, {.batch = one.batch, .encoding = one.encoding});
  if (!memory.sites.empty()) study.keep_only(memory.sites, memory.window);
  study.scratch = memory.scratch;
  study.aim({.position = -1, .index = target, .label = info.labels[as_size(target)]});
  return study;
}

BatchMemory batch_memory(const ModelInfo& info, std::span<const Labelled> inputs, const MemoryBound& bound,
                         Index more) {
  // By length, as batches count it: bytes of an input, and how many may have it.
  std::map<std::size_t, std::pair<std::size_t, std::size_t>> lengths;
  for (const Labelled& one : inputs)
    for (Index k = 0; k <= more; ++k) {
      const Index tokens = tokens_in(info, one) + k;
      auto& [bytes, count] = lengths[tokens_of(one.batch) + as_size(k)];
      bytes = passing_bytes(info, tokens, 1) +
              as_size(info.last().layers) * site_bytes(info, tokens, Site::ResidPre);
      ++count;
    }
  BatchMemory memory{.batch_tokens = usual_batch_tokens};
  if (bound.left > 0) {
    const std::size_t largest = lengths.rbegin()->second.first;
    if (largest > bound.left) refuse(largest, bound, longest_of(info, inputs) + more);
    for (const auto& [counted, one] : lengths)
      memory.batch_tokens = std::min(memory.batch_tokens, bound.left / one.first * counted);
  }
  for (const auto& [counted, one] : lengths) {
    const std::size_t together = std::max<std::size_t>(1, memory.batch_tokens / counted);
    memory.total = std::max(memory.total, one.first * std::min(together, one.second));
  }
  return memory;
}

MemoryBound bound_beside(std::span<const Labelled> inputs, std::size_t max_memory, std::size_t copies) {
  MemoryBound bound{.taken = copies * inputs_bytes(inputs)};
  if (max_memory == 0) return bound;
  if (bound.taken >= max_memory)
    throw InputError(
        fmt::format("max-memory: expected more than {:.1f} MiB for {} inputs, found {:.2f} MiB; read fewer "
                    "(--limit) or allow more",
                    mebibytes(bound.taken), inputs.size(), static_cast<double>(max_memory) / 0x1p20));
  bound.left = max_memory - bound.taken;
  return bound;
}

LabelledPlan plan_for(const ModelInfo& info, std::span<const Labelled> inputs) {
  LabelledPlan plan{.inputs = inputs.size(), .longest = as_size(longest_of(info, inputs))};
  for (const Labelled& one : inputs) plan.tokens += as_size(tokens_in(info, one));
  return plan;
}

}  // namespace headwater
