#include "support/worked_models.h"

#include <cmath>
#include <cstdint>

#include "blocks/head.h"
#include "blocks/transformer.h"

namespace headwater::testing {

std::vector<double> hashed(unsigned seed, Index n) {
  std::vector<double> values;
  for (Index i = 0; i < n; ++i) {
    std::uint32_t x = static_cast<std::uint32_t>(i) + seed * 0x9E3779B9U;
    x = (x ^ (x >> 16)) * 0x85EBCA6BU;
    x = (x ^ (x >> 13)) * 0xC2B2AE35U;
    x ^= x >> 16;
    values.push_back(static_cast<double>(x) / 4294967296.0 - 0.5);
  }
  return values;
}

namespace {

constexpr Index D = 8, F = 16, C = 3;
constexpr int L = 2, H = 2;

Tensor filled(unsigned seed, const Shape& shape, double scale, double shift = 0) {
  std::vector<double> values = hashed(seed, shape.elements());
  for (double& v : values) v = v * scale + shift;
  return Tensor::of(shape, values);
}

struct Maker {
  Biases biases;
  DType dtype;

  double size(double scale) const { return biases == Biases::Zero ? 0 : scale; }
  // Rows [first, first + out) of a matrix of `all` rows.
  LinearWeights linear(unsigned seed, Index out, Index in, Index first = 0, Index all = 0) const {
    all = all == 0 ? out : all;
    const Tensor weight = filled(seed, {all, in}, 2 * std::sqrt(3.0 / static_cast<double>(in)));
    const Tensor bias = filled(seed + 1, {all}, size(0.2));
    return {.weight = std::make_shared<Matrix>(weight.rows(first, out).clone().to(dtype)),
            .bias = bias.rows(first, out).clone().to(dtype)};
  }
  NormWeights norm(unsigned seed, double eps) const {
    return {.gamma = filled(seed, {D}, 0.4, 1).to(dtype),
            .beta = filled(seed + 1, {D}, size(0.4)).to(dtype),
            .eps = eps};
  }
  BlockWeights block(int layer, bool fused, double eps) const {
    const unsigned s = 1000U * static_cast<unsigned>(layer + 1);
    const auto third = [&](unsigned k) {
      return fused ? linear(s, D, D, static_cast<Index>(k) * D, 3 * D) : linear(s + 10 * k, D, D);
    };
    return {
        .attention =
            AttentionWeights{.q = third(0), .k = third(1), .v = third(2), .out = linear(s + 30, D, D)},
        .attention_norm = norm(s + 60, eps),
        .mlp =
            MlpWeights{
                .gate = {}, .up = linear(s + 40, F, D), .down = linear(s + 50, D, F), .f = Activation::Gelu},
        .mlp_norm = norm(s + 70, eps)};
  }
};

constexpr Index head_width = D / H;
const HeadLayout heads{
    .heads = H, .groups = H, .scale = 1 / std::sqrt(static_cast<double>(head_width)), .causal = false};

ModelInfo described(Task task, DType dtype) {
  ModelInfo info;
  info.task = task;
  info.architecture = "Worked";
  info.last().layers = L;
  info.last().heads = info.last().groups = H;
  info.last().head_width = static_cast<int>(D) / H;
  info.last().width = static_cast<int>(D);
  info.last().feed_forward = static_cast<int>(F);
  info.plain_blocks = true;
  info.labels = {"a", "b", "c"};
  info.dtype = dtype;
  return info;
}

class WorkedBert final : public Model {
 public:
  WorkedBert(const Maker& make, int tokens) {
    info_ = described(Task::TextClassification, make.dtype);
    info_.family = "bert";
    info_.vocabulary = info_.positions = 8;
    input_ = filled(7, {1, tokens, D}, 2 * std::sqrt(3.0)).to(make.dtype);
    for (int l = 0; l < L; ++l) blocks_.push_back(make.block(l, false, 1e-12));
    head_ = {.reads = Head::Reads::First,
             .steps = {make.linear(100, D, D), Activation::Tanh, make.linear(110, C, D)}};
  }

 private:
  Var forward(Tape& tape, const Batch& batch) const override {
    Var x = tape.leaf(input_, Site::ResidPre);
    for (int l = 0; l < L; ++l)
      x = post_norm_block(x, blocks_[static_cast<std::size_t>(l)], {.layout = heads}, {.layer = l});
    return head_(x, batch);
  }

  Tensor input_;
  std::vector<BlockWeights> blocks_;
  Head head_;
};

class WorkedVit final : public Model {
 public:
  explicit WorkedVit(const Maker& make) {
    info_ = described(Task::ImageClassification, make.dtype);
    info_.family = "vit";
    info_.pre_norm = true;
    info_.last().modality = Modality::Image;
    info_.image_size = 8;
    info_.patch_size = 4;
    info_.channels = 3;
    info_.prefix_tokens = 1;
    info_.positions = 5;
    project_ = make.linear(130, D, Index{3} * 4 * 4);
    cls_ = filled(140, {1, D}, 1);
    positions_ = filled(150, {5, D}, 1);
    for (int l = 0; l < L; ++l) blocks_.push_back(make.block(l, true, 1e-6));
    norm_ = make.norm(120, 1e-5);
    head_ = {.reads = Head::Reads::First, .steps = {make.linear(110, C, D)}};
  }

 private:
  void check(const Batch& batch) const override { check_pixels(info_, batch); }
  Var forward(Tape& tape, const Batch& batch) const override {
    const Var pixels = tape.leaf(batch.pixels, Site::Pixels);
    const Var tokens = prepend(linear(patches(pixels, 4), project_), cls_, Site::Embed);
    Var x = add(tokens, embed(tape, positions_, {{0, 1, 2, 3, 4}}), Site::ResidPre);
    for (int l = 0; l < L; ++l)
      x = pre_norm_block(x, blocks_[static_cast<std::size_t>(l)], {.layout = heads}, {.layer = l});
    return head_(norm(x, norm_, Site::FinalNorm), batch);
  }

  LinearWeights project_;
  Tensor cls_, positions_;
  std::vector<BlockWeights> blocks_;
  NormWeights norm_;
  Head head_;
};

}  // namespace

WorkedModel worked_bert(int tokens, Biases biases, DType dtype) {
  Batch batch;
  batch.ids.emplace_back();
  for (int t = 0; t < tokens; ++t) batch.ids[0].push_back(t);
  return {std::make_unique<WorkedBert>(Maker{biases, dtype}, tokens), std::move(batch)};
}

WorkedModel worked_vit(Biases biases) {
  return {std::make_unique<WorkedVit>(Maker{biases, DType::Float64}),
          {.ids = {}, .type_ids = {}, .pixels = filled(9, {1, 3, 8, 8}, 2), .positions = {}}};
}

}  // namespace headwater::testing
