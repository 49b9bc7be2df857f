// DistilBERT (Sanh et al., 2019): BERT's encoder with half the blocks, without segments and pooler.

#include <fmt/format.h>

#include "models/encoder_model.h"

namespace headwater {
namespace {

constexpr double eps = 1e-12;  // fixed in Hugging Face's code, not in the config

const std::vector<std::string_view> architectures{
    "DistilBertForSequenceClassification", "DistilBertForTokenClassification",
    "DistilBertForQuestionAnswering", "DistilBertForMaskedLM", "DistilBertModel"};

class DistilBert final : public EncoderModel {
 public:
  explicit DistilBert(const Checkpoint& c) {
    info_ = describe(c, "distilbert", architectures, "DistilBertModel",
                     {.width = "dim", .layers = "n_layers", .heads = "n_heads", .feed_forward = "hidden_dim"},
                     {.width = 768,
                      .layers = 6,
                      .heads = 12,
                      .feed_forward = 3072,
                      .positions = 512,
                      .vocabulary = 30522});
    const Weights base = base_scope(c.weights, "distilbert", "embeddings.word_embeddings.weight");
    read_encoder(c, base);
    head_ = read_head(c);
    for (const char* other : {"vocab_transform", "vocab_layer_norm", "vocab_projector"})
      c.weights.ignore(other);  // the pre-training head
  }

 private:
  void read_encoder(const Checkpoint& c, const Weights& base) {
    const Index d = info_.last().width;
    encoder_.layout = layout_of(info_);
    encoder_.words = base.get("embeddings.word_embeddings.weight", {info_.vocabulary, d});
    encoder_.positions = base.get("embeddings.position_embeddings.weight", {info_.positions, d});
    encoder_.norm = read_layer_norm(base, "embeddings.LayerNorm", d, eps);
    for (int l = 0; l < info_.last().layers; ++l) {
      const Weights w = base.scope(fmt::format("transformer.layer.{}", l));
      encoder_.blocks.push_back(
          {.attention = AttentionWeights{.q = read_linear(w, "attention.q_lin", d, d),
                                         .k = read_linear(w, "attention.k_lin", d, d),
                                         .v = read_linear(w, "attention.v_lin", d, d),
                                         .out = read_linear(w, "attention.out_lin", d, d)},
           .attention_norm = read_layer_norm(w, "sa_layer_norm", d, eps),
           .mlp = MlpWeights{.gate = {},
                             .up = read_linear(w, "ffn.lin1", info_.last().feed_forward, d),
                             .down = read_linear(w, "ffn.lin2", d, info_.last().feed_forward),
                             .f = read_activation(c.config, "activation", "gelu")},
           .mlp_norm = read_layer_norm(w, "output_layer_norm", d, eps)});
    }
  }

  Head read_head(const Checkpoint& c) const {
    const std::string kind = head_kind(info_);
    const Weights& root = c.weights;
    const Index d = info_.last().width, labels = static_cast<Index>(info_.labels.size());
    if (std::optional<Head> head = read_row_head(root, info_)) return std::move(*head);
    if (kind == "ForSequenceClassification")
      return {.reads = Head::Reads::First,
              .steps = {read_linear(root, "pre_classifier", d, d), Activation::Relu,
                        read_linear(root, "classifier", labels, d)}};
    return {.steps = {
                read_linear(root, "vocab_transform", d, d), read_activation(c.config, "activation", "gelu"),
                read_layer_norm(root, "vocab_layer_norm", d, eps),
                vocabulary_projection(root, "vocab_projector", "vocab_projector.bias", c.config, encoder_)}};
  }
};

}  // namespace

extern const Family distilbert{.name = "distilbert",
                               .summary = "DistilBERT: BERT's encoder with half the blocks",
                               .model_types = {"distilbert"},
                               .architectures = architectures,
                               .load = load_as<DistilBert>,
                               .attention_output = {.name = "transformer.layer.{}.attention.out_lin"}};

}  // namespace headwater
