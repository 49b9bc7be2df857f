// One kept forward run, shared by every method, and the seed of a pull at the target's logit:
//
//   seed[row, index] = 1,  seed[row, contrast] = −1,  0 elsewhere
//
// where `row` is the target's position among the rows the head computed (batch().positions, or all). An
// answer has two such logits (study/terms.h); the log-probability of one of several tokens has
//
//   seed[row, k] = [k = token] − p_k,  p = softmax of the row
#include "study/study.h"

#include <algorithm>

#include <fmt/format.h>
#include <headwater/error.h>

#include "image/image.h"
#include "study/memory.h"
#include "study/prediction.h"

namespace headwater {

Study::Study(const Model& model, Batch batch, InputUnits units, Target target)
    : model_(model),
      batch_(std::move(batch)),
      units_(units.all.empty() ? units_of(model.info(), batch_) : std::move(units)),
      target_(std::move(target)) {}

const Run& Study::run() const {
  if (!run_) run_ = run({});
  return *run_;
}

Run Study::run(std::vector<Edit> edits) const {
  Run made;
  made.tape = std::make_unique<Tape>(Keep::Everything, std::move(edits));
  made.logits = model_.run(*made.tape, batch_);
  return made;
}

Study Study::aimed_at(Target target) const {
  Study study(model_, batch_, units_, std::move(target));
  study.special_ids = special_ids;
  study.problem = problem;
  study.black = black;
  return study;
}

Study Study::over(Run other) const {
  Study study = aimed_at(target_);
  study.scratch = scratch;
  study.on_progress = on_progress;
  study.run_ = std::move(other);
  return study;
}

bool Study::run_alike(const Study& one, const Study& other) {
  return one.window_bytes_ == 0 && other.window_bytes_ == 0 && one.sites_ == other.sites_;
}

void Study::run_together(std::span<Study* const> studies, const Batch& batch) {
  const Study& first = *studies.front();
  Run all;
  if (first.sites_.empty()) {
    all.tape = std::make_unique<Tape>();
    all.logits = first.model_.run(*all.tape, batch);
  } else {
    all = first.window_from(0, batch);
  }
  for (std::size_t i = 0; i < studies.size(); ++i) {
    const auto input = static_cast<Index>(i);
    Run own{.tape = all.tape->of_input(input), .logits = all.logits};
    own.logits.tape = own.tape.get();
    own.logits.value = all.logits.value.rows(input, 1);
    (first.sites_.empty() ? studies[i]->run_ : studies[i]->window_) = std::move(own);
  }
}

void Study::keep_only(std::vector<Site> sites, std::size_t bytes) {
  if (!info().plain_blocks) return;  // methods take the walkers' form, which may need any value
  sites_ = std::move(sites);
  window_bytes_ = bytes;
}

Run Study::window_from(int layer, const Batch& batch) const {
  std::size_t per_layer = 1;
  for (const Site site : sites_) per_layer += site_bytes(info(), size(), site);
  int end = info().last().layers;
  if (window_bytes_ > 0) {
    const auto fits = static_cast<Index>(std::max<std::size_t>(1, window_bytes_ / per_layer));
    end = static_cast<int>(std::min<Index>(end, layer + fits));
  }
  std::vector<Place> kept;
  for (const Site site : {Site::Embed, Site::FinalNorm, Site::Pooled, Site::Logits})
    kept.emplace_back(site, 0);
  for (int l = layer; l < end; ++l)
    for (const Site site : sites_) kept.emplace_back(site, l);
  Run made;
  made.tape = std::make_unique<Tape>(kept);
  made.logits = model_.run(*made.tape, batch);
  return made;
}

void Study::require_recorded(Place place) const {
  if (!tape().recorded(place))
    throw Unsupported(
        fmt::format("{}: has no {}, which this method reads", info().architecture, text_of(place)));
}

Origin Study::op_at(Place place) const {
  require_recorded(place);
  return tape().op_at(place);
}

Tensor Study::at(Place place) const {
  require_recorded(place);
  if (sites_.empty() || run_) return run().at(place);
  if (!window_) window_ = window_from(0);
  if (!window_->tape->has(place)) {
    window_.reset();  // two windows would be twice the memory
    window_ = window_from(place.layer);
  }
  return window_->at(place);
}

const Tape& Study::tape() const {
  if (sites_.empty() || run_) return *run().tape;
  if (!window_) window_ = window_from(0);
  if (!computed_) computed_ = window_->tape->without_values();
  return *computed_;
}

Tensor Study::input(Site site) const {
  std::vector<Tensor> values;
  for (int s = 0; s <= written(); ++s) values.push_back(at({site, 0, s}));
  const Tensor all = joined_units(values);
  return all.reshaped(all.shape().without_front());
}

Tensor Study::logits() const {
  if (sites_.empty() || run_) return run().logits.value;
  if (!window_) window_ = window_from(0);
  return window_->logits.value;
}

Rows Study::logit_rows(const std::vector<int>& positions) const {
  if (positions.empty() || logits().rank() != 3) return {};
  if (batch_.positions.empty()) return positions;
  std::vector<int> rows;
  for (const int position : positions) {
    const auto found = std::find(batch_.positions.begin(), batch_.positions.end(), position);
    if (found == batch_.positions.end())
      throw InternalError(
          fmt::format("study: expected a row the head computed, found position {}", position));
    rows.push_back(static_cast<int>(found - batch_.positions.begin()));
  }
  return rows;
}

std::vector<Index> Study::rows_read() const {
  const Index rows_there = size(written());
  if (!has_target(info(), target_)) return {info().last().causal ? rows_there - 1 : 0};
  std::vector<int> targets = target_rows(target_);
  std::sort(targets.begin(), targets.end());
  targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
  const Rows found = tape().rows_read(
      tape().spot(Site::Logits), {Site::ResidPost, info().last().layers - 1, written()}, logit_rows(targets));
  std::vector<Index> rows;
  if (found)
    rows.assign(found->begin(), found->end());
  else
    for (Index t = 0; t < rows_there; ++t) rows.push_back(t);
  return rows;
}

// Logits are [1, N] for sequence heads and [1, rows, N] for token-wise ones.
Index Study::logit_offset(const Tensor& logits, const Term& term) const {
  const Index width = logits.shape().back();
  const Index rows = logits.rank() == 3 ? logits.dim(1) : 1;
  Index row = 0;
  if (logits.rank() == 3) {
    const auto& positions = batch_.positions;
    const auto found = std::find(positions.begin(), positions.end(), term.position);
    row = positions.empty() ? term.position : found - positions.begin();
  }
  if (row < 0 || row >= rows || term.index < 0 || term.index >= width)
    throw InputError(
        fmt::format("target: expected a position and an index inside the logits {}, found position "
                    "{} and index {}",
                    logits.shape().str(), term.position, term.index));
  return row * width + term.index;
}

namespace {

// The row of logits to which this one belongs.
std::vector<double> row_at(const Tensor& logits, Index offset) {
  const Index width = logits.shape().back();
  return logits.reshaped({logits.size() / width, width}).rows(offset / width, 1).to_doubles();
}

}  // namespace

void Study::aim(Target target) {
  target_ = std::move(target);
  const Tensor scores = logits();
  target_value(scores);
}

double Study::target_value(const Tensor& logits) const {
  const Terms terms = terms_of(target_);
  const bool several = has_several_tokens(target_);
  const Index width = logits.shape().back();
  const auto sum = [&](const std::vector<Term>& some) {
    double value = 0;
    for (const Term& term : some) {
      const Index at = logit_offset(logits, term);
      value +=
          several ? log_softmax(row_at(logits, at), static_cast<std::size_t>(at % width)) : logits.at(at);
    }
    return value;
  };
  return sum(terms.wanted) - sum(terms.contrast);
}

Tensor Study::seed_at(const Tensor& logits) const {
  Tensor seed = Tensor::zeros(logits.shape(), logits.dtype());
  const bool several = has_several_tokens(target_);
  const Index width = logits.shape().back();
  const Terms terms = terms_of(target_);
  dispatch(logits.dtype(), [&]<class R>(R) {
    R* values = seed.data<R>();
    const auto add = [&](const std::vector<Term>& some, double sign) {
      for (const Term& term : some) {
        const Index at = logit_offset(logits, term);
        values[at] += static_cast<R>(sign);
        if (!several) continue;
        const std::vector<double> p = softmax(row_at(logits, at));
        R* row = values + at / width * width;
        for (std::size_t k = 0; k < p.size(); ++k) row[k] -= static_cast<R>(sign * p[k]);
      }
    };
    add(terms.wanted, 1);
    add(terms.contrast, -1);
  });
  return seed;
}

Tensor Study::seed(const Run& run) const {
  return seed_at(run.logits.value);
}

double Study::target_logit(const Tensor& logits) const {
  if (!has_several_tokens(target_)) return target_value(logits);
  const Tensor slope = seed_at(this->logits());
  require_shape("target", "logits", slope.shape(), logits.shape());
  double value = 0;
  for (Index i = 0; i < slope.size(); ++i) value += slope.at(i) * logits.at(i);
  return value;
}

namespace {

// A black pixel as the model sees it, per channel.
std::vector<double> black_pixel(const ImageProcessor& processor) {
  const Tensor pixels = processor.pixels({.width = 1, .height = 1, .rgb = {0, 0, 0}}, DType::Float64);
  std::vector<double> black;
  for (Index c = 0; c < pixels.dim(0); ++c) black.push_back(pixels.at(c * pixels.size() / pixels.dim(0)));
  return black;
}

}  // namespace

Study open_study(const LoadedModel& loaded, const Prepared& prepared) {
  Study study(*loaded.model, prepared.batch, units_of(loaded.info(), prepared));
  if (loaded.tokenizer)
    study.special_ids = {.mask = loaded.tokenizer->special_id("mask_token"),
                         .unknown = loaded.tokenizer->special_id("unk_token"),
                         .pad = loaded.tokenizer->special_id("pad_token"),
                         .cls = loaded.tokenizer->special_id("cls_token")};
  if (loaded.processor) study.black = black_pixel(*loaded.processor);
  study.problem = loaded.problem;
  return study;
}

// Copies rows begin … begin + n of the middle axis, for both ways of regrouping units.
static void copy_units(const Tensor& from, Index from_begin, Tensor& to, Index to_begin, Index count) {
  const Index width = from.dim(2);
  dispatch(from.dtype(), [&]<class R>(R) {
    for (Index b = 0; b < from.dim(0); ++b)
      std::copy_n(from.data<R>() + (b * from.dim(1) + from_begin) * width, count * width,
                  to.data<R>() + (b * to.dim(1) + to_begin) * width);
  });
}

Tensor joined_units(const std::vector<Tensor>& values) {
  if (values.size() == 1) return values.front();
  Index units = 0;
  for (const Tensor& value : values) units += value.dim(1);
  Tensor all({values.front().dim(0), units, values.front().dim(2)}, values.front().dtype());
  Index at = 0;
  for (const Tensor& value : values) {
    copy_units(value, 0, all, at, value.dim(1));
    at += value.dim(1);
  }
  return all;
}

Tensor units_of_sequence(const Tensor& all, const Sequence& sequence) {
  if (sequence.count == all.dim(1)) return all;
  Tensor own({all.dim(0), sequence.count, all.dim(2)}, all.dtype());
  copy_units(all, sequence.first, own, 0, sequence.count);
  return own;
}

}  // namespace headwater
