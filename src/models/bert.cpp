// BERT (Devlin et al., 2019): learned positions and segments, post-norm blocks, a pooled [CLS].

#include "models/encoder_model.h"

namespace headwater {
namespace {

const std::vector<std::string_view> architectures{"BertForSequenceClassification",
                                                  "BertForTokenClassification",
                                                  "BertForQuestionAnswering",
                                                  "BertForMaskedLM",
                                                  "BertLMHeadModel",
                                                  "BertForPreTraining",
                                                  "BertForNextSentencePrediction",
                                                  "BertModel"};

class Bert final : public EncoderModel {
 public:
  explicit Bert(const Checkpoint& c) {
    info_ = describe(c, "bert", architectures, "BertModel", {}, bert_base);
    const Weights base = base_scope(c.weights, "bert", "embeddings.word_embeddings.weight");
    encoder_ = read_bert_encoder(base, c.config, info_, info_.last().width);
    head_ = read_head(c, base);
    base.ignore("pooler");    // saved with every head, read by few
    c.weights.ignore("cls");  // the pre-training heads
  }

 private:
  Head read_head(const Checkpoint& c, const Weights& base) {
    const std::string kind = head_kind(info_);
    const Weights& root = c.weights;
    const Index d = info_.last().width, labels = static_cast<Index>(info_.labels.size());
    if (std::optional<Head> head = read_row_head(root, info_)) return std::move(*head);
    if (kind == "ForSequenceClassification" || kind == "ForNextSentencePrediction") {
      const bool next = kind == "ForNextSentencePrediction";
      if (next) info_.labels = {"is_next", "not_next"};
      return {.reads = Head::Reads::First,
              .steps = {read_linear(base, "pooler.dense", d, d), Activation::Tanh,
                        next ? read_linear(root, "cls.seq_relationship", 2, d)
                             : read_linear(root, "classifier", labels, d)}};
    }
    const Weights lm = root.scope("cls.predictions");
    return {.steps = {read_linear(lm, "transform.dense", d, d),
                      read_activation(c.config, "hidden_act", "gelu"),
                      read_layer_norm(lm, "transform.LayerNorm", d, c.config.number("layer_norm_eps", 1e-12)),
                      vocabulary_projection(lm, "decoder", "bias", c.config, encoder_)}};
  }
};

}  // namespace

extern const Family bert{.name = "bert",
                         .summary = "BERT: bidirectional encoder, learned positions, post-norm",
                         .model_types = {"bert"},
                         .architectures = architectures,
                         .load = load_as<Bert>,
                         .attention_output = {.name = "encoder.layer.{}.attention.output.dense"}};

}  // namespace headwater
