// T5 (Raffel et al., 2020) and mT5 (Xue et al., 2021): an encoder reads the source, a decoder writes the
// output and reads the encoder's through cross-attention. Relative positions are added to the scores, which
// are not scaled; RMSNorm before every part, no biases.
//
//   encoder (stack 0)  x + attention(norm x), then + mlp(norm ·)
//   decoder (stack 1)  x + attention(norm x), then + cross-attention(norm ·, encoder), then + mlp(norm ·)
//
// v1.0 ties the output to the embedding and scales what it reads by D^−½; v1.1, Flan and mT5 have gates and
// an output of their own. The position table of block 0 serves all blocks of its stack.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <headwater/error.h>

#include "blocks/cache.h"
#include "blocks/describe.h"
#include "blocks/read.h"
#include "blocks/transformer.h"
#include "models/family.h"

namespace headwater {
namespace {

const std::vector<std::string_view> architectures{
    "T5ForConditionalGeneration",  "T5Model",  "T5EncoderModel",
    "MT5ForConditionalGeneration", "MT5Model", "MT5EncoderModel"};

// As the config says it: "relu", "gated-gelu", …
struct FeedForward {
  bool gated;
  Activation f;
};

FeedForward read_feed_forward(const Config& config, const std::string& type) {
  const std::string all = config.text("feed_forward_proj", type == "mt5" ? "gated-gelu" : "relu");
  const bool gated = all.starts_with("gated-");
  std::string name = gated ? all.substr(6) : all;
  if (all == "gated-gelu") name = "gelu_new";  // the name is older than the distinction
  return {.gated = gated, .f = activation_named(name, "feed_forward_proj", config.where())};
}

bool same_numbers(const Tensor& a, const Tensor& b) {
  return dispatch(a.dtype(), [&]<class R>(R) { return std::ranges::equal(a.values<R>(), b.values<R>()); });
}

class T5 final : public Model {
 public:
  explicit T5(const Checkpoint& c) {
    const Config& config = c.config;
    const std::string type = config.text("model_type");
    const bool many = type == "mt5";
    info_ = describe(c, "t5", architectures, many ? "MT5Model" : "T5Model",
                     {.width = "d_model",
                      .layers = "num_layers",
                      .heads = "num_heads",
                      .feed_forward = "d_ff",
                      .positions = {},
                      .head_width = "d_kv"},
                     {.width = 512,
                      .layers = many ? 8 : 6,
                      .heads = many ? 6 : 8,
                      .feed_forward = many ? 1024 : 2048,
                      .positions = 0,
                      .vocabulary = many ? 250112 : 32128});
    read_stacks(config);
    words_ = c.weights.has("shared.weight")
                 ? c.weights.get("shared.weight", {info_.vocabulary, info_.last().width})
                 : c.weights.get("encoder.embed_tokens.weight", {info_.vocabulary, info_.last().width});
    const FeedForward mlp = read_feed_forward(config, type);
    for (std::size_t s = 0; s < info_.stacks.size(); ++s)
      towers_.push_back(read_tower(c.weights.scope(info_.stacks[s].name), config, info_.stacks[s], mlp));
    read_head(c);
    // The same numbers under older names, and a table that nothing ever read.
    c.weights.ignore("encoder.embed_tokens");
    c.weights.ignore("decoder.embed_tokens");
    c.weights.ignore("decoder.block.0.layer.1.EncDecAttention.relative_attention_bias");
  }

  Tensor words() const override { return words_; }

 private:
  struct Block {
    AttentionWeights attention, cross;  // cross: of decoders
    NormWeights attention_norm, cross_norm, mlp_norm;
    MlpWeights mlp;
  };
  struct Tower {
    std::vector<Block> blocks;
    NormWeights final_norm;
    RelativePositions positions;
  };

  void read_stacks(const Config& config) {
    info_.pre_norm = true;
    info_.last().head_width = config.positive("d_kv", 64);
    info_.plain_blocks = head_kind(info_) == "EncoderModel";
    if (info_.plain_blocks) return;
    Stack decoder = info_.last();
    make_causal(decoder);
    decoder.layers = config.positive("num_decoder_layers", decoder.layers);
    if (decoder.layers > 4096)
      throw FormatError(
          fmt::format("{}: expected at most 4096 layers, found {}", config.where(), decoder.layers));
    decoder.reads = 0;
    info_.stacks.push_back(decoder);
  }

  AttentionWeights read_attention(const Weights& w) const {
    const Index d = info_.last().width, inner = Index{info_.last().heads} * info_.last().head_width;
    return {.q = read_linear(w, "q", inner, d, Bias::None),
            .k = read_linear(w, "k", inner, d, Bias::None),
            .v = read_linear(w, "v", inner, d, Bias::None),
            .out = read_linear(w, "o", d, inner, Bias::None)};
  }

  MlpWeights read_mlp(const Weights& w, const FeedForward& kind) const {
    const Index d = info_.last().width, f = info_.last().feed_forward;
    MlpWeights mlp{.gate = {},
                   .up = read_linear(w, kind.gated ? "wi_1" : "wi", f, d, Bias::None),
                   .down = read_linear(w, "wo", d, f, Bias::None),
                   .f = kind.f};
    if (kind.gated) mlp.gate = read_linear(w, "wi_0", f, d, Bias::None);
    return mlp;
  }

  // A stack's parts are numbered: attention, of decoders cross-attention, feed-forward.
  Tower read_tower(const Weights& base, const Config& config, const Stack& stack,
                   const FeedForward& kind) const {
    const double eps = config.number("layer_norm_epsilon", 1e-6);
    const auto norm_of = [&](const Weights& part) {
      return read_rms_norm(part, "layer_norm", info_.last().width, eps);
    };
    Tower tower;
    for (int l = 0; l < stack.layers; ++l) {
      const Weights w = base.scope(fmt::format("block.{}.layer", l));
      const Weights first = w.scope("0"), second = w.scope("1"), last = w.scope(stack.reads >= 0 ? "2" : "1");
      Block block{.attention = read_attention(first.scope("SelfAttention")),
                  .cross = AttentionWeights{},
                  .attention_norm = norm_of(first),
                  .cross_norm = NormWeights{},
                  .mlp_norm = norm_of(last),
                  .mlp = read_mlp(last.scope("DenseReluDense"), kind)};
      if (stack.reads >= 0) {
        block.cross = read_attention(second.scope("EncDecAttention"));
        block.cross_norm = norm_of(second);
      }
      tower.blocks.push_back(std::move(block));
    }
    tower.final_norm = read_rms_norm(base, "final_layer_norm", info_.last().width, eps);
    tower.positions = read_positions(base, config, stack);
    return tower;
  }

  RelativePositions read_positions(const Weights& base, const Config& config, const Stack& stack) const {
    const PositionBuckets buckets{.buckets = config.positive("relative_attention_num_buckets", 32),
                                  .max_distance = config.positive("relative_attention_max_distance", 128),
                                  .bidirectional = !stack.causal};
    // Half of them for either side, and of those half for the first distances.
    if (buckets.buckets < 4 || buckets.max_distance <= buckets.buckets / (stack.causal ? 2 : 4))
      throw FormatError(
          fmt::format("{}: expected at least 4 relative_attention_num_buckets and a larger "
                      "relative_attention_max_distance, found {} and {}",
                      config.where(), buckets.buckets, buckets.max_distance));
    const Tensor stored = base.get("block.0.layer.0.SelfAttention.relative_attention_bias.weight",
                                   {buckets.buckets, stack.heads});
    Tensor table({stack.heads, buckets.buckets}, stored.dtype());
    dispatch(table.dtype(), [&]<class R>(R) {
      for (Index h = 0; h < stack.heads; ++h)
        for (Index k = 0; k < buckets.buckets; ++k)
          table.data<R>()[h * buckets.buckets + k] = stored.data<R>()[k * stack.heads + h];
    });
    return {.table = std::move(table), .buckets = buckets};
  }

  // Whether the output is tied is seen in the file; whether it is scaled is said by the config.
  void read_head(const Checkpoint& c) {
    if (info_.task == Task::FeatureExtraction) return;
    const bool tied = c.config.boolean("tie_word_embeddings", info_.model_type == "t5");
    scaled_ = info_.model_type == "t5" && c.config.boolean("scale_decoder_outputs", tied);
    LinearWeights output = tied_to(words_, {});
    if (!tied || c.weights.has("lm_head.weight")) {
      const Tensor own = c.weights.get("lm_head.weight", {info_.vocabulary, info_.last().width});
      if (!same_numbers(own, words_)) output = {.weight = std::make_shared<Matrix>(own), .bias = {}};
    }
    head_ = {.steps = {std::move(output)}};
  }

  // What a tower makes of these tokens; `read` is what its cross-attention reads.
  Var run_tower(Tape& tape, const std::vector<std::vector<int>>& ids, const Var& read, int stack,
                KeyValueCache* cache) const {
    const Tower& tower = towers_[static_cast<std::size_t>(stack)];
    const Stack& sizes = info_.stacks[static_cast<std::size_t>(stack)];
    const AttentionOptions own{
        .layout = HeadLayout{.heads = sizes.heads, .groups = sizes.heads, .scale = 1, .causal = sizes.causal},
        .relative = tower.positions,
        .cache = cache};
    AttentionOptions cross{.layout = own.layout, .cache = cache};
    cross.layout.causal = false;
    const BlockAt start{.layer = 0, .stack = stack};
    Var x = scale(embed(tape, words_, ids, start(Site::Embed)), 1, start(Site::ResidPre));
    for (int l = 0; l < sizes.layers; ++l) {
      const Block& w = tower.blocks[static_cast<std::size_t>(l)];
      const BlockAt at{.layer = l, .stack = stack};
      const Var normed = norm(x, w.attention_norm);
      x = add(x, attention(normed, normed, w.attention, own, at), at(Site::ResidMid));
      if (sizes.reads >= 0)
        x = add(x, attention(norm(x, w.cross_norm), read, w.cross, cross, at, cross_attention),
                at(Site::ResidCross));
      x = add(x, mlp(norm(x, w.mlp_norm), w.mlp, at), at(Site::ResidPost));
    }
    return norm(x, tower.final_norm, start(Site::FinalNorm));
  }

  Var forward(Tape& tape, const Batch& batch) const override {
    Var read;
    if (past_of(batch) == 0) read = run_tower(tape, batch.ids, {}, 0, nullptr);
    if (!is_encoder_decoder(info_)) return head_(read, batch);
    const Var x = run_tower(tape, batch.prefix, read, 1, batch.cache);
    return head_(scaled_ ? scale(x, 1 / std::sqrt(info_.last().width)) : x, batch);
  }

  Tensor words_;
  std::vector<Tower> towers_;  // by stack
  Head head_;
  bool scaled_ = false;
};

}  // namespace

extern const Family t5{.name = "t5",
                       .summary = "T5, Flan-T5, mT5: encoder–decoder, relative positions, pre-norm",
                       .model_types = {"t5", "mt5"},
                       .architectures = architectures,
                       .load = load_as<T5>};

}  // namespace headwater
