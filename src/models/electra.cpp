// ELECTRA (Clark et al., 2020): BERT's encoder over embeddings that may be narrower than the stream.

#include "models/encoder_model.h"

namespace headwater {
namespace {

const std::vector<std::string_view> architectures{"ElectraForSequenceClassification",
                                                  "ElectraForTokenClassification",
                                                  "ElectraForQuestionAnswering",
                                                  "ElectraForMaskedLM",
                                                  "ElectraForCausalLM",
                                                  "ElectraForPreTraining",
                                                  "ElectraModel"};

class Electra final : public EncoderModel {
 public:
  explicit Electra(const Checkpoint& c) {
    info_ = describe(c, "electra", architectures, "ElectraModel", {},
                     {.width = 256,
                      .layers = 12,
                      .heads = 4,
                      .feed_forward = 1024,
                      .positions = 512,
                      .vocabulary = 30522});
    const Weights base = base_scope(c.weights, "electra", "embeddings.word_embeddings.weight");
    encoder_ = read_bert_encoder(base, c.config, info_, c.config.positive("embedding_size", 128));
    head_ = read_head(c);
    for (const char* other : {"generator_predictions", "generator_lm_head", "discriminator_predictions"})
      c.weights.ignore(other);  // the pre-training heads
  }

 private:
  Head read_head(const Checkpoint& c) {
    const std::string kind = head_kind(info_);
    const Weights& root = c.weights;
    const Index d = info_.last().width, embedding = encoder_.words.dim(1);
    if (std::optional<Head> head = read_row_head(root, info_)) return std::move(*head);
    if (kind == "ForPreTraining") {  // was this token replaced? one logit each
      info_.task = Task::TokenClassification;
      info_.labels = {"replaced"};
      info_.otherwise = "original";
      const Weights w = root.scope("discriminator_predictions");
      return {.steps = {read_linear(w, "dense", d, d), read_activation(c.config, "hidden_act", "gelu"),
                        read_linear(w, "dense_prediction", 1, d)}};
    }
    const auto labels = static_cast<Index>(info_.labels.size());
    if (kind == "ForSequenceClassification")
      return {.reads = Head::Reads::First,
              .steps = {read_linear(root, "classifier.dense", d, d), Activation::Gelu,
                        read_linear(root, "classifier.out_proj", labels, d)}};
    return {.steps = {read_linear(root, "generator_predictions.dense", embedding, d), Activation::Gelu,
                      read_layer_norm(root, "generator_predictions.LayerNorm", embedding,
                                      c.config.number("layer_norm_eps", 1e-12)),
                      vocabulary_projection(root, "generator_lm_head", "generator_lm_head.bias", c.config,
                                            encoder_)}};
  }
};

}  // namespace

extern const Family electra{.name = "electra",
                            .summary = "ELECTRA: BERT's encoder, trained to spot replaced tokens",
                            .model_types = {"electra"},
                            .architectures = architectures,
                            .load = load_as<Electra>,
                            .attention_output = {.name = "encoder.layer.{}.attention.output.dense"}};

}  // namespace headwater
