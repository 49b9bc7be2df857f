// The relevance of a value x under a signal m is Σ m ⊙ x; under a relevance form it is Σ R (tape/rules.h). An
// op y = f(x_1, …) then loses Σ m ⊙ y − Σ_k Σ m_k ⊙ x_k: what its bias absorbs and what its stand-in does not
// conserve. If the walk follows only some of the inputs, the others' part is recorded separately.
#include "explain/ledger.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/parallel.h"
#include "study/map_checks.h"

namespace headwater {
namespace {

struct Sums {
  double plain = 0, absolute = 0;
};

constexpr Index chunk = 16384, lanes = 8;

// Σ and Σ | · | of term(0) … term(n − 1), in chunks and lanes, always in the same order.
template <class Term>
Sums sum_terms(Index n, const Term& term) {
  const Index chunks = (n + chunk - 1) / chunk;
  std::vector<Sums> parts(as_size(chunks));
  parallel_for(chunks, 1, [&](Index first, Index last) {
    for (Index c = first; c < last; ++c) {
      double plain[lanes] = {}, absolute[lanes] = {};
      const Index begin = c * chunk, end = std::min(n, begin + chunk),
                  whole = begin + (end - begin) / lanes * lanes;
      for (Index i = begin; i < whole; i += lanes)
        for (Index j = 0; j < lanes; ++j) {
          const double v = term(i + j);
          plain[j] += v;
          absolute[j] += std::abs(v);
        }
      Sums& part = parts[as_size(c)];
      for (Index i = whole; i < end; ++i) {
        part.plain += term(i);
        part.absolute += std::abs(term(i));
      }
      for (Index j = 0; j < lanes; ++j) {
        part.plain += plain[j];
        part.absolute += absolute[j];
      }
    }
  });
  Sums sums;
  for (const Sums& part : parts) {
    sums.plain += part.plain;
    sums.absolute += part.absolute;
  }
  return sums;
}

// The sum of signal ⊙ value, or of the signal alone.
Sums sums_of(const Tensor& signal, const Tensor& value, bool forms) {
  return dispatch(signal.dtype(), [&]<class R>(R) {
    const R* m = signal.data<R>();
    if (forms) return sum_terms(signal.size(), [m](Index i) { return static_cast<double>(m[i]); });
    const R* x = value.data<R>();
    return sum_terms(signal.size(),
                     [m, x](Index i) { return static_cast<double>(m[i]) * static_cast<double>(x[i]); });
  });
}

int blocks_of(const std::vector<Stack>& stacks) {
  return std::accumulate(stacks.begin(), stacks.end(), 0,
                         [](int sum, const Stack& stack) { return sum + stack.layers; });
}

// The sum over the stages above block l.
double sum_above(const std::vector<double>& stages, int layer) {
  return std::accumulate(stages.begin() + layer + 2, stages.end(), 0.0);
}

}  // namespace

Ledger::Ledger(const Rules& rules, int layers)
    : forms_(rules.relevance != Rules::Relevance::None),
      layers_(layers),
      stage_(layers + 1),
      entering_(as_size(layers), 0.0),
      unfollowed_(as_size(layers) + 2, 0.0) {}

Ledger::Ledger(const Rules& rules, const std::vector<Stack>& stacks) : Ledger(rules, blocks_of(stacks)) {
  for (const Stack& stack : stacks) first_block_.push_back(first_block_.back() + stack.layers);
}

PullHooks Ledger::watch() {
  return {.passed = [this](const Passed& op) { passed(op); }};
}

void Ledger::passed(const Passed& op) {
  const Sums in = sums_of(op.signal, op.call.y, forms_);
  largest_ = std::max(largest_, in.absolute);
  dtype_ = op.signal.dtype();
  if (first_) seeded_ = in.plain;
  first_ = false;
  if (op.at.site == Site::ResidPost) {
    const int block = first_block_[as_size(op.at.stack)] + op.at.layer;
    stage_ = block + 1;
    entering_[as_size(block)] = in.plain;
  } else if (op.at.site == Site::ResidPre) {
    stage_ = 0;
  }
  double out = 0;
  bool all = true;
  for (std::size_t k = 0; k < op.back.size(); ++k)
    if (op.back[k].empty())
      all = false;
    else
      out += sums_of(op.back[k], op.call.x[k], forms_).plain;
  std::vector<double>& row = all ? leak_[std::string(op.op)] : unfollowed_;
  row.resize(as_size(layers_) + 2, 0.0);
  row[as_size(stage_)] += in.plain - out;
}

Check Ledger::check_balance(const std::string& name, double missing, double guard) const {
  const double rounding = dtype_ == DType::Float32 ? 1e-6 : 1e-14;  // of one sum, as a share of Σ |relevance|
  return check_within(name, missing, (rounding * (layers_ + 1) + guard) * std::max(1.0, largest_));
}

double Ledger::unfollowed() const {
  return std::accumulate(unfollowed_.begin(), unfollowed_.end(), 0.0);
}

Check Ledger::check_arrived(const std::string& name, double arrived, double guard) const {
  return check_balance(name, std::abs(seeded_ - arrived - leaked() - unfollowed()), guard);
}

Check Ledger::check_blocks(int first, double guard) const {
  double worst = 0;
  for (int l = first; l < layers_; ++l) {
    double lost = sum_above(unfollowed_, l);
    for (const auto& [op, row] : leak_) lost += sum_above(row, l);
    worst = std::max(worst, std::abs(seeded_ - entering(l) - lost));
  }
  return check_balance("relevance of every block is accounted for", worst, guard);
}

double Ledger::leaked() const {
  double sum = 0;
  for (const auto& [op, row] : leak_)
    for (const double v : row) sum += v;
  return sum;
}

double Ledger::lost_above(int layer, const std::string& op) const {
  const auto found = leak_.find(op);
  return found == leak_.end() ? 0 : sum_above(found->second, layer);
}

void Ledger::report(Attribution& result, int first) const {
  std::vector<double> entering = entering_;
  std::fill_n(entering.begin(), first, std::nan(""));
  result.details.push_back({"conservation", {Axis::Layer}, Tensor::of({layers_}, entering, DType::Float64)});
  const double noise = (dtype_ == DType::Float32 ? 1e-6 : 1e-12) * largest_;
  std::vector<std::pair<double, std::string>> totals;
  for (const auto& [op, row] : leak_) {
    double total = 0, worst = 0;
    for (const double v : row) {
      total += v;
      worst = std::max(worst, std::abs(v));
    }
    if (worst <= noise) continue;
    result.details.push_back(
        {"leak_" + op, {Axis("stage")}, Tensor::of({static_cast<Index>(row.size())}, row, DType::Float64)});
    totals.emplace_back(total, op);
  }
  std::sort(totals.begin(), totals.end(),
            [](const auto& a, const auto& b) { return std::abs(a.first) > std::abs(b.first); });
  if (const double elsewhere = unfollowed(); std::abs(elsewhere) > noise) {
    result.details.push_back(
        {"unfollowed",
         {Axis("stage")},
         Tensor::of({static_cast<Index>(unfollowed_.size())}, unfollowed_, DType::Float64)});
    result.notes.push_back(fmt::format(
        "{:.3g} of the relevance {:.4g} went to values this method does not follow.", elsewhere, seeded_));
  }
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < std::min<std::size_t>(4, totals.size()); ++i)
    lines.push_back(fmt::format("{:.3g} in {}", totals[i].first, totals[i].second));
  if (lines.empty()) return;
  result.notes.push_back(
      fmt::format("Relevance lost on the way, of {:.4g} at the output: {} (details leak_…: stage 0 lies "
                  "before the blocks, stage l + 1 is layer l, the last is the head).",
                  seeded_, fmt::join(lines, ", ")));
}

}  // namespace headwater
