// ELECTRA (Clark et al., 2020): BERT's encoder over embeddings that may be narrower than the stream.

#include "blocks/encoder.h"
#include "models/family.h"

namespace headwater {
namespace {

const std::vector<std::string_view> heads{"ElectraForSequenceClassification",
                                          "ElectraForTokenClassification",
                                          "ElectraForQuestionAnswering",
                                          "ElectraForMaskedLM",
                                          "ElectraForCausalLM",
                                          "ElectraForPreTraining",
                                          "ElectraModel"};

class Electra final : public Model {
 public:
  explicit Electra(const Checkpoint& c) {
    info_ = describe(c, "electra", heads, "ElectraModel", {},
                     {.width = 256,
                      .layers = 12,
                      .heads = 4,
                      .feed_forward = 1024,
                      .positions = 512,
                      .vocabulary = 30522});
    info_.plain_blocks = true;
    const Weights base = base_scope(c.weights, "electra", "embeddings.word_embeddings.weight");
    encoder_ = read_bert_encoder(base, c.config, info_, c.config.positive("embedding_size", 128));
    head_ = read_head(c);
    for (const char* other : {"generator_predictions", "generator_lm_head", "discriminator_predictions"})
      c.weights.ignore(other);  // the pre-training heads
  }

  Tensor words() const override { return encoder_.words; }

 private:
  Head read_head(const Checkpoint& c) {
    const std::string kind = head_kind(info_);
    const Weights& root = c.weights;
    const Index d = info_.width, embedding = encoder_.words.dim(1);
    if (kind == "Model") return {};
    if (kind == "ForPreTraining") {  // was this token replaced? one logit each
      info_.task = Task::TokenClassification;
      info_.labels = {"replaced"};
      const Weights w = root.scope("discriminator_predictions");
      return {.steps = {read_linear(w, "dense", d, d), read_activation(c.config, "hidden_act", "gelu"),
                        read_linear(w, "dense_prediction", 1, d)}};
    }
    const auto labels = static_cast<Index>(info_.labels.size());
    if (kind == "ForTokenClassification") return {.steps = {read_linear(root, "classifier", labels, d)}};
    if (kind == "ForQuestionAnswering") return {.steps = {read_linear(root, "qa_outputs", 2, d)}};
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

  Var forward(Tape& tape, const Batch& batch) const override {
    return head_(encoder_(tape, batch, counted_positions(batch)), batch);
  }

  PostNormEncoder encoder_;
  Head head_;
};

std::unique_ptr<Model> load(const Checkpoint& checkpoint) {
  return std::make_unique<Electra>(checkpoint);
}

}  // namespace

extern const Family electra{.name = "electra",
                            .summary = "ELECTRA: BERT's encoder, trained to spot replaced tokens",
                            .model_types = {"electra"},
                            .heads = heads,
                            .load = load,
                            .attention_output = {.name = "encoder.layer.{}.attention.output.dense"}};

}  // namespace headwater
