// x₊ = x + norm(attention(n)) + norm(mlp(n)),  n = norm(x);  q = norm(W_q n), k = norm(W_k n)
#include "support/unusual_model.h"

#include <cmath>

#include "blocks/head.h"
#include "blocks/transformer.h"
#include "support/random.h"

namespace headwater::testing {
namespace {

constexpr Index stream_width = 12, inner_width = 20, word_count = 40, head_count = 4, group_count = 2,
                each_width = 5;
constexpr int layer_count = 3;

struct UnusualWeights {
  LinearWeights q, k, v, out, up, gate, down;
  NormWeights before, on_q, on_k, after_attention, after_mlp;
};

class UnusualModel final : public Model {
 public:
  UnusualModel(Direction direction, DType dtype) : dtype_(dtype) {
    info_.family = info_.model_type = "unusual";
    info_.architecture = "UnusualForSequenceClassification";
    info_.task = Task::TextClassification;
    info_.vocabulary = static_cast<int>(word_count);
    info_.positions = 64;
    info_.pre_norm = true;
    info_.labels = {"a", "b", "c"};
    info_.dtype = dtype;
    info_.parameters = 1;
    const bool causal = direction == Direction::Causal;
    info_.stacks = {{.name = causal ? "decoder" : "encoder",
                     .layers = layer_count,
                     .heads = static_cast<int>(head_count),
                     .groups = static_cast<int>(group_count),
                     .head_width = static_cast<int>(each_width),
                     .width = static_cast<int>(stream_width),
                     .feed_forward = static_cast<int>(inner_width),
                     .causal = causal}};
    words_ = numbers({word_count, stream_width}, 1);
    positions_ = numbers({64, stream_width}, 0.3);
    for (int l = 0; l < layer_count; ++l)
      blocks_.push_back({.q = product(head_count * each_width, stream_width),
                         .k = product(group_count * each_width, stream_width),
                         .v = product(group_count * each_width, stream_width),
                         .out = product(stream_width, head_count * each_width),
                         .up = product(inner_width, stream_width),
                         .gate = product(inner_width, stream_width),
                         .down = product(stream_width, inner_width),
                         .before = norm_of(stream_width),
                         .on_q = norm_of(head_count * each_width),
                         .on_k = norm_of(group_count * each_width),
                         .after_attention = norm_of(stream_width),
                         .after_mlp = norm_of(stream_width)});
    last_ = norm_of(stream_width);
    head_ = {.reads = direction == Direction::Causal ? Head::Reads::LastToken : Head::Reads::First,
             .steps = {product(3, stream_width)}};
  }

  Tensor words() const override { return words_; }

 private:
  Tensor numbers(const Shape& shape, double size, double offset = 0) {
    std::vector<double> values = random_tensor(shape, ++seed_).to_doubles();
    for (double& v : values) v = offset + size * v;
    return Tensor::of(shape, values, dtype_);
  }
  LinearWeights product(Index out, Index in) {
    return {.weight = std::make_shared<Matrix>(numbers({out, in}, 1.5 / std::sqrt(static_cast<double>(in)))),
            .bias = numbers({out}, 0.1)};
  }
  NormWeights norm_of(Index width) { return {.gamma = numbers({width}, 0.2, 1), .beta = {}, .eps = 1e-6}; }

  Var forward(Tape& tape, const Batch& batch) const override {
    const HeadLayout heads{.heads = static_cast<int>(head_count),
                           .groups = static_cast<int>(group_count),
                           .scale = 1 / std::sqrt(static_cast<double>(each_width)),
                           .causal = info_.last().causal};
    std::vector<std::vector<int>> order(batch.ids.size());
    for (auto& row : order)
      for (std::size_t t = 0; t < batch.ids.front().size(); ++t) row.push_back(static_cast<int>(t));
    Var x = add(embed(tape, words_, batch.ids, Site::Embed), embed(tape, positions_, order), Site::ResidPre);
    for (int l = 0; l < layer_count; ++l) {
      const UnusualWeights& w = blocks_[static_cast<std::size_t>(l)];
      const BlockAt at{.layer = l};
      const Var n = norm(x, w.before);
      const Var q = norm(linear(n, w.q), w.on_q, at(Site::Q)), k = norm(linear(n, w.k), w.on_k, at(Site::K));
      const Var pattern =
          softmax(attention_scores(q, k, heads, at(Site::Scores)), heads.causal, at(Site::Pattern));
      const Var z = attention_mix(pattern, linear(n, w.v, at(Site::V)), heads, at(Site::Z));
      const Var attended = norm(linear(z, w.out), w.after_attention, at(Site::AttnOut));
      const Var gate = activation(linear(n, w.gate, at(Site::MlpPre)), Activation::Silu);
      const Var hidden = multiply(gate, linear(n, w.up), at(Site::MlpPost));
      const Var fed = norm(linear(hidden, w.down), w.after_mlp, at(Site::MlpOut));
      x = add(add(x, attended, at(Site::ResidMid)), fed, at(Site::ResidPost));
    }
    return head_(norm(x, last_, Site::FinalNorm), batch);
  }

  DType dtype_;
  unsigned seed_ = 100;
  Tensor words_, positions_;
  std::vector<UnusualWeights> blocks_;
  NormWeights last_;
  Head head_;
};

}  // namespace

std::unique_ptr<Model> unusual_model(Direction direction, DType dtype) {
  return std::make_unique<UnusualModel>(direction, dtype);
}

}  // namespace headwater::testing
