// With z the logits of the target's row, i its index and c the contrast's,
//
//   logit         F = z_i − z_c                       ∂F/∂z_k = [k = i] − [k = c]
//   probability   F = p_i − p_c                       ∂p_i/∂z_k = p_i ([k = i] − p_k)
//                 p = softmax z; a sigmoid for multi-label heads; for the start or end of an answer the
//                 softmax runs over the tokens an answer may consist of and [CLS], as the prediction's does.
//
// Probabilities are computed in double whatever the working type.
#include "attribution/objective.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <headwater/error.h>

#include "study/prediction.h"

namespace headwater {

Output output_of(std::string_view name) {
  return name == "probability" ? Output::Probability : Output::Logit;
}

namespace {

std::vector<bool> answer_tokens(const Study& study) {
  std::vector<bool> allowed;
  for (const Token& token : study.encoding().tokens)
    allowed.push_back((token.sequence == 1 && !token.special) ||
                      (study.special_ids.cls && token.id == *study.special_ids.cls));
  return allowed;
}

}  // namespace

Objective::Objective(const Study& study, Output output) : study_(study) {
  if (output == Output::Logit) return;
  link_ = Link::Softmax;
  const Task task = study.info().task;
  if (task == Task::TextClassification && study.problem == Problem::Regression)
    throw Unsupported(fmt::format("output: {} gives a score and no probability; use output=logit",
                                  study.info().architecture));
  if (task == Task::TextClassification && study.problem == Problem::MultiLabel) link_ = Link::Sigmoid;
  if (task != Task::QuestionAnswering) return;
  over_tokens_ = true;
  allowed_ = answer_tokens(study);
}

std::vector<int> Objective::positions() const {
  if (over_tokens_ || study_.target().position < 0) return {};
  return {study_.target().position};
}

Index Objective::row_of(const Shape& shape, const std::vector<int>& positions) const {
  if (shape.rank() == 2 || positions.size() == 1) return 0;
  const int position = study_.target().position;
  const auto found = std::find(positions.begin(), positions.end(), position);
  const Index row = positions.empty() ? position : found - positions.begin();
  if (row < 0 || row >= shape[1])
    throw InternalError(
        fmt::format("objective: expected the target's row among {}, found {}", shape.str(), row));
  return row;
}

// The logits of one input that one probability depends on, and which of them it belongs to.
struct Objective::Slice {
  Index begin, stride;
  std::size_t entry;
  std::vector<double> p;  // probabilities over the slice
};

template <class R>
Objective::Slice Objective::slice_of(const R* logits, const Shape& shape, Index input, Index row,
                                     int column) const {
  const Index width = shape.back(), rows = shape.rank() == 3 ? shape[1] : 1;
  const Index start = input * rows * width;
  Slice slice{start + row * width, 1, static_cast<std::size_t>(column), {}};
  Index count = width;
  if (link_ != Link::Softmax) {
    slice.begin += column;
    slice.entry = 0;
    count = 1;
  } else if (over_tokens_) {
    slice = {start + column, width, static_cast<std::size_t>(row), {}};
    count = rows;
  }
  for (Index k = 0; k < count; ++k)
    slice.p.push_back(static_cast<double>(logits[slice.begin + k * slice.stride]));
  if (link_ == Link::Sigmoid) slice.p[0] = 1 / (1 + std::exp(-slice.p[0]));
  if (link_ != Link::Softmax) return slice;
  for (std::size_t k = 0; k < slice.p.size() && over_tokens_ && !allowed_.empty(); ++k)
    if (!allowed_[k]) slice.p[k] = -std::numeric_limits<double>::infinity();
  slice.p = softmax(slice.p);
  return slice;
}

std::vector<double> Objective::values(const Tensor& logits, const std::vector<int>& positions) const {
  const Index row = row_of(logits.shape(), positions);
  const Target& target = study_.target();
  std::vector<double> values;
  dispatch(logits.dtype(), [&](auto r) {
    const auto* z = logits.template data<decltype(r)>();
    for (Index b = 0; b < logits.dim(0); ++b) {
      const auto term = [&](int column) {
        const Slice slice = slice_of(z, logits.shape(), b, row, column);
        return slice.p[slice.entry];
      };
      values.push_back(term(target.index) - (target.contrast ? term(*target.contrast) : 0));
    }
  });
  return values;
}

Tensor Objective::seed(const Tensor& logits, const std::vector<int>& positions) const {
  const Index row = row_of(logits.shape(), positions);
  const Target& target = study_.target();
  Tensor seed = Tensor::zeros(logits.shape(), logits.dtype());
  dispatch(logits.dtype(), [&](auto r) {
    using R = decltype(r);
    const R* z = logits.template data<R>();
    R* s = seed.data<R>();
    const auto add = [&](Index b, int column, double sign) {
      const Slice slice = slice_of(z, logits.shape(), b, row, column);
      const double p = slice.p[slice.entry];
      for (std::size_t k = 0; k < slice.p.size(); ++k) {
        const double own = k == slice.entry ? 1 : 0;
        const double slope = link_ == Link::Identity  ? own
                             : link_ == Link::Sigmoid ? p * (1 - p)
                                                      : p * (own - slice.p[k]);
        s[slice.begin + static_cast<Index>(k) * slice.stride] += static_cast<R>(sign * slope);
      }
    };
    for (Index b = 0; b < logits.dim(0); ++b) {
      add(b, target.index, 1);
      if (target.contrast) add(b, *target.contrast, -1);
    }
  });
  return seed;
}

double Objective::value() const {
  return values(study_.logits(), study_.batch().positions).front();
}

}  // namespace headwater
