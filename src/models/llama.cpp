// Llama (Touvron et al., 2023), Mistral (Jiang et al., 2023), Qwen2 (Yang et al., 2024): rotary positions,
// RMSNorm before, gated feed-forward, grouped-query attention. They differ by their configs only.

#include <optional>

#include <fmt/format.h>
#include <headwater/error.h>

#include "blocks/cache.h"
#include "blocks/read.h"
#include "blocks/rotary_angles.h"
#include "models/family.h"

namespace headwater {
namespace {

std::vector<std::string_view> all_architectures() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out;
    for (const char* kin : {"Llama", "Mistral", "Qwen2"})
      for (const char* head : {"ForCausalLM", "ForSequenceClassification", "ForTokenClassification",
                               "ForQuestionAnswering", "Model"})
        out.push_back(fmt::format("{}{}", kin, head));
    return out;
  }();
  return {names.begin(), names.end()};
}

SizeDefaults defaults_of(const std::string& type) {
  SizeDefaults sizes{.width = 4096,
                     .layers = 32,
                     .heads = 32,
                     .feed_forward = 11008,
                     .positions = 2048,
                     .vocabulary = 32000};
  if (type == "mistral") {
    sizes.feed_forward = 14336;
    sizes.positions = 131072;
  } else if (type == "qwen2") {
    sizes.feed_forward = 22016;
    sizes.positions = 32768;
    sizes.vocabulary = 151936;
  }
  return sizes;
}

class Llama final : public Model {
 public:
  explicit Llama(const Checkpoint& c) {
    const Config& config = c.config;
    const std::string type = config.text("model_type");
    info_ = describe(c, "llama", all_architectures(), "LlamaModel", {}, defaults_of(type));
    make_causal(info_.last());
    info_.pre_norm = true;
    Stack& stack = info_.last();
    stack.groups = config.positive("num_key_value_heads", type == "mistral" ? 8 : stack.heads);
    stack.head_width = config.positive("head_dim", stack.head_width);
    if (stack.heads % stack.groups != 0)
      throw FormatError(fmt::format(
          "{}: expected num_attention_heads to be a multiple of num_key_value_heads, found {} and {}",
          config.where(), stack.heads, stack.groups));
    frequencies_ = read_inverse_frequencies(config, stack.head_width);
    window_ = read_window(config, type);
    // Question answering saves its decoder under another name than the other heads.
    const Weights base = c.weights.has("transformer.embed_tokens.weight")
                             ? c.weights.scope("transformer")
                             : base_scope(c.weights, "model", "embed_tokens.weight");
    words_ = base.get("embed_tokens.weight", {info_.vocabulary, info_.last().width});
    for (int l = 0; l < info_.last().layers; ++l)
      blocks_.push_back(read_block(base.scope(fmt::format("layers.{}", l)), config, type));
    final_norm_ = read_rms_norm(base, "norm", info_.last().width, config.number("rms_norm_eps", 1e-6));
    head_ = read_decoder_head(c, info_, words_, false, "score");
    c.weights.ignore("lm_head");
  }

  Tensor words() const override { return words_; }

 private:
  BlockWeights read_block(const Weights& w, const Config& config, const std::string& type) const {
    const Stack& stack = info_.last();
    const Index d = stack.width, f = stack.feed_forward, queries = Index{stack.heads} * stack.head_width,
                keys = Index{stack.groups} * stack.head_width;
    const bool attention_bias = config.boolean("attention_bias", false) && type == "llama";
    const Bias qkv = attention_bias || type == "qwen2" ? Bias::Required : Bias::None;
    const Bias out = attention_bias ? Bias::Required : Bias::None;
    const Bias mlp = config.boolean("mlp_bias", false) && type == "llama" ? Bias::Required : Bias::None;
    const double eps = config.number("rms_norm_eps", 1e-6);
    return {.attention = AttentionWeights{.q = read_linear(w, "self_attn.q_proj", queries, d, qkv),
                                          .k = read_linear(w, "self_attn.k_proj", keys, d, qkv),
                                          .v = read_linear(w, "self_attn.v_proj", keys, d, qkv),
                                          .out = read_linear(w, "self_attn.o_proj", d, queries, out)},
            .attention_norm = read_rms_norm(w, "input_layernorm", d, eps),
            .mlp = MlpWeights{.gate = read_linear(w, "mlp.gate_proj", f, d, mlp),
                              .up = read_linear(w, "mlp.up_proj", f, d, mlp),
                              .down = read_linear(w, "mlp.down_proj", d, f, mlp),
                              .f = read_activation(config, "hidden_act", "silu")},
            .mlp_norm = read_rms_norm(w, "post_attention_layernorm", d, eps)};
  }

  // A sliding window changes nothing while the text is not longer than it; beyond, we refuse.
  static std::optional<Index> read_window(const Config& config, const std::string& type) {
    if (config.has("layer_types")) {
      bool slides = false;
      for (const std::string& kind : config.texts("layer_types")) slides = slides || kind != "full_attention";
      if (!slides) return {};
    } else if (type == "qwen2" && !config.boolean("use_sliding_window", false)) {
      return {};
    }
    if (type == "llama") return {};
    const bool absent = !config.mentions("sliding_window");
    if (absent && type == "mistral") return 4096;
    return config.has("sliding_window") ? std::optional(config.positive("sliding_window")) : std::nullopt;
  }

  Var forward(Tape& tape, const Batch& batch) const override {
    const auto fresh = static_cast<Index>(batch.ids.front().size());
    const Index past = past_of(batch), tokens = past + fresh;
    if (window_ && tokens > *window_)
      throw Unsupported(fmt::format(
          "model: sliding-window attention is not implemented for texts longer than the window of "
          "{} tokens, found {}; shorten the text or use --truncate",
          *window_, tokens));
    const AttentionOptions options{.layout = layout_of(info_),
                                   .rotary = rotary_tables(frequencies_, past, fresh, words_.dtype()),
                                   .cache = batch.cache};
    // The stream starts as the embedding itself; a copy lets both be named and edited apart.
    Var x = scale(embed(tape, words_, batch.ids, Site::Embed), 1, Site::ResidPre);
    for (int l = 0; l < info_.last().layers; ++l)
      x = pre_norm_block(x, blocks_[static_cast<std::size_t>(l)], options, {.layer = l});
    return head_(norm(x, final_norm_, Site::FinalNorm), batch);
  }

  Tensor words_;
  std::vector<BlockWeights> blocks_;
  NormWeights final_norm_;
  Head head_;
  std::vector<double> frequencies_;
  std::optional<Index> window_;
};

}  // namespace

extern const Family llama{
    .name = "llama",
    .summary = "Llama, Mistral, Qwen2: causal decoder, rotary positions, gated feed-forward",
    .model_types = {"llama", "mistral", "qwen2"},
    .architectures = all_architectures(),
    .load = load_as<Llama>,
    .attention_output = {.name = "layers.{}.self_attn.o_proj"}};

}  // namespace headwater
