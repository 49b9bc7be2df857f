#include "identifiability/features.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "base/parallel.h"
#include "blocks/batch.h"
#include "numerics/length.h"
#include "study/memory.h"

namespace headwater {
namespace {

void copy_rows(const Tensor& from, Index from_row, Tensor& to, Index to_row, Index count) {
  dispatch(to.dtype(), [&]<class R>(R) {
    const Index width = to.dim(1);
    std::copy_n(std::as_const(from).template data<R>() + from_row * width, count * width,
                to.data<R>() + to_row * width);
  });
}

bool has_direction(double square) {
  return square > 0 && std::isfinite(square);
}

}  // namespace

std::vector<Index> first_rows(std::span<const ProbeText> texts) {
  std::vector<Index> first{0};
  for (const ProbeText& text : texts) first.push_back(first.back() + text.tokens());
  return first;
}

Place place_of_state(int state) {
  return state == 0 ? Place{Site::ResidPre, 0} : Place{Site::ResidPost, state - 1};
}

Place place_of_target(TokenTarget target, const ModelInfo& info) {
  if (target == TokenTarget::Word) return {Site::Embed, 0};
  // Pre-norm families have no norm between the sum and the first block.
  return {target == TokenTarget::Sum && !info.pre_norm ? Site::EmbedSum : Site::ResidPre, 0};
}

std::vector<Tensor> capture(const Model& model, std::span<const ProbeText> texts,
                            const std::vector<Place>& places, const std::function<void(double)>& progress) {
  const std::vector<Index> first = first_rows(texts);
  std::vector<Batch> inputs;
  for (const ProbeText& text : texts) {
    Batch one{.ids = {text.ids}, .type_ids = {}, .pixels = {}, .positions = {}};
    if (!text.type_ids.empty()) one.type_ids = {text.type_ids};
    if (is_vocabulary(model.info().task))
      one.positions = {0};  // nobody reads a row of logits for every token
    inputs.push_back(std::move(one));
  }
  std::vector<Tensor> stacked(places.size());
  const std::vector<Group> groups = group_inputs(inputs, probe_batch_tokens);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    Tape tape(places);
    model.run(tape, groups[g].batch);
    const auto length = static_cast<Index>(groups[g].batch.ids.front().size());
    for (std::size_t p = 0; p < places.size(); ++p) {
      const Tensor values = tape.at(places[p].site, places[p].layer).value;  // [B, T, width]
      if (stacked[p].empty()) stacked[p] = Tensor({first.back(), values.shape().back()}, values.dtype());
      for (std::size_t m = 0; m < groups[g].members.size(); ++m)
        copy_rows(values, static_cast<Index>(m) * length, stacked[p], first[groups[g].members[m]], length);
    }
    if (progress) progress(static_cast<double>(g + 1) / static_cast<double>(groups.size()));
  }
  return stacked;
}

Tensor rows_of(const Tensor& all, const std::vector<Index>& first, const std::vector<std::size_t>& chosen) {
  Index count = 0;
  for (const std::size_t t : chosen) count += first[t + 1] - first[t];
  Tensor rows({count, all.dim(1)}, all.dtype());
  Index at = 0;
  for (const std::size_t t : chosen) {
    copy_rows(all, first[t], rows, at, first[t + 1] - first[t]);
    at += first[t + 1] - first[t];
  }
  return rows;
}

Tensor unit_rows(const Tensor& rows) {
  Tensor unit(rows.shape(), rows.dtype());
  const Index width = rows.dim(1);
  dispatch(rows.dtype(), [&]<class R>(R) {
    const R* from = std::as_const(rows).template data<R>();
    R* to = unit.data<R>();
    parallel_for(rows.dim(0), 64, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) {
        const double square = squared_length(from + i * width, width);
        const double factor = has_direction(square) ? 1 / std::sqrt(square) : 0;
        for (Index c = 0; c < width; ++c)
          to[i * width + c] = factor == 0 ? R{0} : static_cast<R>(double{from[i * width + c]} * factor);
      }
    });
  });
  return unit;
}

double mean_pair_cosine(const Tensor& rows) {
  std::vector<double> sum(as_size(rows.dim(1)), 0.0);
  double count = 0;
  for (Index i = 0; i < rows.dim(0); ++i) {
    const std::vector<double> row = rows.rows(i, 1).to_doubles();
    const double square = squared_length(row);
    if (!has_direction(square)) continue;
    count += 1;
    const double length = std::sqrt(square);
    for (std::size_t c = 0; c < row.size(); ++c) sum[c] += row[c] / length;
  }
  if (count < 2) return std::numeric_limits<double>::quiet_NaN();
  return (squared_length(sum) - count) / (count * (count - 1));
}

std::size_t capture_bytes(const ModelInfo& info, std::span<const ProbeText> texts) {
  std::map<Index, std::size_t> lengths;  // and how many texts have it
  for (const ProbeText& text : texts) ++lengths[text.tokens()];
  std::size_t most = 0;
  for (const auto& [length, count] : lengths) {
    const std::size_t fit = probe_batch_tokens / as_size(std::max<Index>(1, length));
    most = std::max(most, std::clamp<std::size_t>(fit, 1, count) * passing_bytes(info, length, 1));
  }
  return most;
}

}  // namespace headwater
