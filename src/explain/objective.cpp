// With z the logits of the target's row, i its index and c the contrast's,
//
//   logit         F = z_i − z_c                       ∂F/∂z_k = [k = i] − [k = c]
//   probability   F = p_i − p_c                       ∂p_i/∂z_k = p_i ([k = i] − p_k)
//                 p = softmax z; a sigmoid for multi-label heads and for one logit that says yes or no; for
//                 the start or end of an answer the softmax runs over the tokens an answer may consist of and
//                 [CLS], as the prediction's does.
//
// An answer from token s to token e has z = z_s + z_e and p = p_s p_e, where z_s and p_s belong to the start
// and z_e and p_e to the end.
//
// Several tokens, read at rows r_0, r_1, …, have the sum of their log-probabilities in place of a logit, and
// the product of their probabilities in place of a probability, each with the softmax of its own row:
//
//   log-probability   F = Σ_i log p_i                 ∂ log p_i/∂z_k = [k = i] − p_k
//
// Probabilities are computed in double whatever the working type.
#include "explain/objective.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <headwater/error.h>

#include "study/prediction.h"

namespace headwater {

Quantity quantity_of(std::string_view name) {
  return name == "probability" ? Quantity::Probability : Quantity::Logit;
}

namespace {

std::vector<bool> answer_tokens(const Study& study) {
  std::vector<bool> allowed;
  for (const Unit& unit : study.units())
    allowed.push_back((unit.segment == 1 && !unit.special) ||
                      (study.special_ids.cls && unit.id == *study.special_ids.cls));
  if (std::find(allowed.begin(), allowed.end(), true) == allowed.end())
    allowed.clear();  // no restriction is known
  return allowed;
}

}  // namespace

Objective::Objective(const Study& study, Quantity quantity) : study_(study) {
  if (quantity == Quantity::Logit) {
    if (has_several_tokens(study.target())) link_ = Link::LogSoftmax;
    return;
  }
  link_ = Link::Softmax;
  const Task task = study.info().task;
  if (task == Task::TextClassification && study.problem == Problem::Regression)
    throw Unsupported(fmt::format("quantity: {} gives a score, not a probability; use quantity=logit",
                                  study.info().architecture));
  if (task == Task::TextClassification && study.problem == Problem::MultiLabel) link_ = Link::Sigmoid;
  if (!study.info().otherwise.empty()) link_ = Link::Sigmoid;
  if (task != Task::QuestionAnswering) return;
  over_tokens_ = true;
  allowed_ = answer_tokens(study);
}

std::vector<int> Objective::positions() const {
  if (over_tokens_ || study_.target().position < 0) return {};
  return target_rows(study_.target());
}

struct Objective::Cell {
  Index row;
  int column;
};

struct Objective::Product {
  std::vector<Cell> cells;
  double sign;
};

std::vector<Objective::Product> Objective::products_of(const Shape& shape,
                                                       const std::vector<int>& positions) const {
  const Terms terms = terms_of(study_.target());
  const std::size_t own_rows = target_rows(study_.target()).size();
  const bool in_turn = positions.size() == own_rows;
  Index next = 0;
  const auto row_of = [&](int position) -> Index {
    if (shape.rank() == 2) return 0;
    if (in_turn) return own_rows == 1 ? 0 : next++;
    const auto found = std::find(positions.begin(), positions.end(), position);
    const Index row = positions.empty() ? position : found - positions.begin();
    if (row < 0 || row >= shape[1])
      throw InternalError(
          fmt::format("objective: expected the target's row among {}, found {}", shape.str(), row));
    return row;
  };
  std::vector<Product> products;
  const auto add = [&](const std::vector<Term>& some, double sign) {
    if (some.empty()) return;
    products.push_back({{}, sign});
    for (const Term& term : some) products.back().cells.push_back({row_of(term.position), term.index});
  };
  add(terms.wanted, 1);
  add(terms.contrast, -1);
  return products;
}

// The logits of one input on which one probability depends, and which of them it belongs to.
struct Objective::Slice {
  Index begin, stride;
  std::size_t entry;
  std::vector<double> p;  // probabilities over the slice
  double log_p = 0;       // log-probability of the entry, also if the probability underflows to 0
};

template <class R>
Objective::Slice Objective::slice_of(const R* logits, const Shape& shape, Index input, Index row,
                                     int column) const {
  const Index width = shape.back(), rows = shape.rank() == 3 ? shape[1] : 1;
  const Index start = input * rows * width;
  Slice slice{.begin = start + row * width, .stride = 1, .entry = as_size(column), .p = {}};
  Index count = width;
  if (!normalised()) {
    slice.begin += column;
    slice.entry = 0;
    count = 1;
  } else if (over_tokens_) {
    slice = {.begin = start + column, .stride = width, .entry = as_size(row), .p = {}};
    count = rows;
  }
  for (Index k = 0; k < count; ++k)
    slice.p.push_back(static_cast<double>(logits[slice.begin + k * slice.stride]));
  if (link_ == Link::Sigmoid) slice.p[0] = 1 / (1 + std::exp(-slice.p[0]));
  if (!normalised()) return slice;
  for (std::size_t k = 0; k < slice.p.size() && over_tokens_ && !allowed_.empty(); ++k)
    if (!allowed_[k]) slice.p[k] = -std::numeric_limits<double>::infinity();
  if (link_ == Link::LogSoftmax) slice.log_p = log_softmax(slice.p, slice.entry);
  slice.p = softmax(slice.p);
  return slice;
}

std::vector<double> Objective::values(const Tensor& logits, const std::vector<int>& positions) const {
  const std::vector<Product> products = products_of(logits.shape(), positions);
  std::vector<double> values;
  dispatch(logits.dtype(), [&](auto r) {
    const auto* z = logits.template data<decltype(r)>();
    for (Index b = 0; b < logits.dim(0); ++b) {
      double value = 0;
      for (const Product& product : products) {
        double sum = 0, all = 1;
        for (const Cell& cell : product.cells) {
          const Slice slice = slice_of(z, logits.shape(), b, cell.row, cell.column);
          const double p = slice.p[slice.entry];
          sum += link_ == Link::LogSoftmax ? slice.log_p : p;
          all *= p;
        }
        value += product.sign * (sums() ? sum : all);
      }
      values.push_back(value);
    }
  });
  return values;
}

Tensor Objective::seed(const Tensor& logits, const std::vector<int>& positions) const {
  const std::vector<Product> products = products_of(logits.shape(), positions);
  Tensor seed = Tensor::zeros(logits.shape(), logits.dtype());
  dispatch(logits.dtype(), [&]<class R>(R) {
    const R* z = logits.template data<R>();
    R* s = seed.data<R>();
    const auto add = [&](const Slice& slice, double factor) {
      const double p = slice.p[slice.entry];
      for (std::size_t k = 0; k < slice.p.size(); ++k) {
        const double own = k == slice.entry ? 1 : 0;
        const double slope = link_ == Link::Identity  ? own
                             : link_ == Link::Sigmoid ? p * (1 - p)
                             : link_ == Link::Softmax ? p * (own - slice.p[k])
                                                      : own - slice.p[k];
        s[slice.begin + static_cast<Index>(k) * slice.stride] += static_cast<R>(factor * slope);
      }
    };
    for (Index b = 0; b < logits.dim(0); ++b)
      for (const Product& product : products) {
        std::vector<Slice> slices;
        for (const Cell& cell : product.cells)
          slices.push_back(slice_of(z, logits.shape(), b, cell.row, cell.column));
        for (std::size_t k = 0; k < slices.size(); ++k) {
          double others = product.sign;  // the product rule: the slope of one factor times the others
          for (std::size_t j = 0; j < slices.size() && !sums(); ++j)
            if (j != k) others *= slices[j].p[slices[j].entry];
          add(slices[k], others);
        }
      }
  });
  return seed;
}

double Objective::rounding(const Tensor& seeds, const Tensor& logits) {
  constexpr double roundings = 32;  // roundings that accumulate in a logit of a deep model
  const Index each = logits.size() / logits.dim(0);
  double worst = 0;
  for (Index b = 0; b < logits.dim(0); ++b) {
    double slope = 0, largest = 0;
    for (Index i = b * each; i < (b + 1) * each; ++i) {
      slope += std::abs(seeds.at(i));
      largest = std::max(largest, std::abs(logits.at(i)));
    }
    worst = std::max(worst, slope * largest);
  }
  return roundings * epsilon_of(logits.dtype()) * worst;
}

double Objective::value() const {
  return values(study_.logits(), study_.batch().positions).front();
}

}  // namespace headwater
