#include "blocks/decoder.h"

namespace headwater {

Head read_decoder_head(const Checkpoint& c, const ModelInfo& info, const Tensor& words, bool tied_by_default,
                       const DecoderHeadNames& names) {
  const std::string kind = head_kind(info);
  const Index d = info.width, labels = static_cast<Index>(info.labels.size());
  if (kind == "Model") return {};
  if (kind == "ForTokenClassification")
    return {.steps = {read_linear(c.weights, names.token_classifier, labels, d)}};
  if (kind == "ForQuestionAnswering") return {.steps = {read_linear(c.weights, "qa_outputs", 2, d)}};
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
