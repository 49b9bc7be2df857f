// GPT-2 (Radford et al., 2019): learned positions, pre-norm blocks, fused q|k|v, tied output.

#include <fmt/format.h>
#include <headwater/error.h>

#include "blocks/encoder.h"
#include "models/family.h"

namespace headwater {
namespace {

const std::vector<std::string_view> architectures{"GPT2LMHeadModel", "GPT2ForSequenceClassification",
                                                  "GPT2ForTokenClassification", "GPT2ForQuestionAnswering",
                                                  "GPT2Model"};

class Gpt2 final : public Model {
 public:
  explicit Gpt2(const Checkpoint& c) {
    const Config& config = c.config;
    info_ = describe(c, "gpt2", architectures, "GPT2Model",
                     {.width = "n_embd",
                      .layers = "n_layer",
                      .heads = "n_head",
                      .feed_forward = "n_inner",
                      .positions = "n_positions"},
                     {.width = 768,
                      .layers = 12,
                      .heads = 12,
                      .feed_forward = 4 * Index{config.positive("n_embd", 768)},
                      .positions = 1024,
                      .vocabulary = 50257});
    if (config.boolean("add_cross_attention", false))
      throw Unsupported(config.where() + ": add_cross_attention is not implemented");
    make_causal(info_.last());
    info_.pre_norm = true;
    const Weights base = base_scope(c.weights, "transformer", "wte.weight");
    const Index d = info_.last().width, f = info_.last().feed_forward;
    const double eps = config.number("layer_norm_epsilon", 1e-5);
    words_ = base.get("wte.weight", {info_.vocabulary, d});
    positions_ = base.get("wpe.weight", {info_.positions, d});
    for (int l = 0; l < info_.last().layers; ++l) {
      const Weights w = base.scope(fmt::format("h.{}", l));
      const Activation act = read_activation(config, "activation_function", "gelu_new");
      blocks_.push_back(
          {.attention = AttentionWeights{.q = read_transposed(w, "attn.c_attn", d, 3 * d, 0, d),
                                         .k = read_transposed(w, "attn.c_attn", d, 3 * d, d, d),
                                         .v = read_transposed(w, "attn.c_attn", d, 3 * d, 2 * d, d),
                                         .out = read_transposed(w, "attn.c_proj", d, d, 0, d)},
           .attention_norm = read_layer_norm(w, "ln_1", d, eps),
           .mlp = MlpWeights{.gate = {},
                             .up = read_transposed(w, "mlp.c_fc", d, f, 0, f),
                             .down = read_transposed(w, "mlp.c_proj", f, d, 0, d),
                             .f = act},
           .mlp_norm = read_layer_norm(w, "ln_2", d, eps)});
    }
    final_norm_ = read_layer_norm(base, "ln_f", d, eps);
    head_ = read_decoder_head(c, info_, words_, true, "classifier");
    scaled_ = config.boolean("scale_attn_weights", true);
    scaled_by_layer_ = config.boolean("scale_attn_by_inverse_layer_idx", false);
    c.weights.ignore("lm_head");
  }

  Tensor words() const override { return words_; }

 private:
  HeadLayout layout_in(int layer) const {
    HeadLayout layout = layout_of(info_);
    if (!scaled_) layout.scale = 1;
    if (scaled_by_layer_) layout.scale /= layer + 1;
    return layout;
  }

  Var forward(Tape& tape, const Batch& batch) const override {
    Var x = add(embed(tape, words_, batch.ids, Site::Embed),
                embed(tape, positions_, counted_positions(batch)), Site::ResidPre);
    for (int l = 0; l < info_.last().layers; ++l)
      x = pre_norm_block(x, blocks_[static_cast<std::size_t>(l)],
                         {.layout = layout_in(l), .cache = batch.cache}, {.layer = l});
    return head_(norm(x, final_norm_, Site::FinalNorm), batch);
  }

  Tensor words_, positions_;
  std::vector<BlockWeights> blocks_;
  NormWeights final_norm_;
  Head head_;
  bool scaled_ = true, scaled_by_layer_ = false;
};

}  // namespace

extern const Family gpt2{
    .name = "gpt2",
    .summary = "GPT-2: causal decoder, learned positions, pre-norm",
    .model_types = {"gpt2"},
    .architectures = architectures,
    .load = load_as<Gpt2>,
    .attention_output = {.name = "h.{}.attn.c_proj", .order = StoredProjection::Order::InOut}};

}  // namespace headwater
