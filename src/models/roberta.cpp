// RoBERTa (Liu et al., 2019) and its multilingual and French kin: BERT's encoder with positions counted
// from padding_idx + 1 and other heads.

#include <fmt/format.h>
#include <headwater/error.h>

#include "models/encoder_model.h"

namespace headwater {
namespace {

std::vector<std::string_view> all_architectures() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out;
    for (const char* kin : {"Roberta", "XLMRoberta", "Camembert"})
      for (const char* head : {"ForSequenceClassification", "ForTokenClassification", "ForQuestionAnswering",
                               "ForMaskedLM", "ForCausalLM", "Model"})
        out.push_back(fmt::format("{}{}", kin, head));
    return out;
  }();
  return {names.begin(), names.end()};
}

class Roberta final : public EncoderModel {
 public:
  explicit Roberta(const Checkpoint& c) {
    info_ = describe(c, "roberta", all_architectures(), "RobertaModel", {}, bert_base);
    const Weights base = base_scope(c.weights, "roberta", "embeddings.word_embeddings.weight");
    encoder_ = read_bert_encoder(base, c.config, info_, info_.last().width);
    padding_ = c.config.id("pad_token_id", 1);
    if (padding_ < 0 || padding_ >= info_.positions - 1)
      throw FormatError(fmt::format("{}: expected pad_token_id below max_position_embeddings − 1, found {}",
                                    c.config.where(), padding_));
    info_.positions -= padding_ + 1;
    head_ = read_head(c);
    base.ignore("pooler");
    c.weights.ignore("lm_head");
  }

 private:
  Head read_head(const Checkpoint& c) const {
    const std::string kind = head_kind(info_);
    const Weights& root = c.weights;
    const Index d = info_.last().width, labels = static_cast<Index>(info_.labels.size());
    if (std::optional<Head> head = read_row_head(root, info_)) return std::move(*head);
    if (kind == "ForSequenceClassification")
      return {.reads = Head::Reads::First,
              .steps = {read_linear(root, "classifier.dense", d, d), Activation::Tanh,
                        read_linear(root, "classifier.out_proj", labels, d)}};
    const Weights lm = root.scope("lm_head");
    return {.steps = {read_linear(lm, "dense", d, d), Activation::Gelu,
                      read_layer_norm(lm, "layer_norm", d, c.config.number("layer_norm_eps", 1e-12)),
                      vocabulary_projection(lm, "decoder", "bias", c.config, encoder_)}};
  }

  // Tokens that are not padding count up from padding_idx + 1; a padding id inside a text stays at it.
  std::vector<std::vector<int>> positions(const Batch& batch) const override {
    std::vector<std::vector<int>> all;
    for (std::size_t r = 0; r < batch.ids.size(); ++r) {
      std::vector<int> row;
      int count = 0;
      if (past_of(batch) > 0)
        for (const int id : batch.cache->ids()[r]) count += id == padding_ ? 0 : 1;
      for (const int id : batch.ids[r]) row.push_back(id == padding_ ? padding_ : padding_ + ++count);
      all.push_back(std::move(row));
    }
    return all;
  }

  int padding_ = 1;
};

}  // namespace

extern const Family roberta{.name = "roberta",
                            .summary = "RoBERTa, XLM-RoBERTa, CamemBERT: BERT's encoder, trained longer",
                            .model_types = {"roberta", "xlm-roberta", "camembert"},
                            .architectures = all_architectures(),
                            .load = load_as<Roberta>,
                            .attention_output = {.name = "encoder.layer.{}.attention.output.dense"}};

}  // namespace headwater
