#include "blocks/decoder.h"

namespace headwater {

Head read_decoder_head(const Checkpoint& c, const ModelInfo& info, const Tensor& words, bool tied_by_default,
                       const std::string& token_classifier) {
  const std::string kind = head_kind(info);
  const Index d = info.last().width, labels = static_cast<Index>(info.labels.size());
  if (std::optional<Head> head = read_row_head(c.weights, info, token_classifier)) return std::move(*head);
  if (kind == "ForSequenceClassification")
    return {.reads = Head::Reads::LastToken,
            .steps = {read_linear(c.weights, "score", labels, d, Bias::None)},
            .padding_id = static_cast<int>(c.config.integer("pad_token_id", -1))};
  if (c.config.boolean("tie_word_embeddings", tied_by_default)) {
    c.weights.ignore("lm_head");  // the same numbers again, in older files
    return {.steps = {tied_to(words, {})}};
  }
  return {.steps = {read_linear(c.weights, "lm_head", info.vocabulary, d, Bias::None)}};
}

}  // namespace headwater
