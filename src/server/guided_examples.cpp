#include "server/guided_examples.h"

#include <fmt/format.h>

#include "base/encoding.h"
#include "page/assets.h"

namespace headwater {

namespace {

OrderedJson for_classifiers(const ModelInfo& info) {
  OrderedJson either{{"title", "Either or: what speaks for one label and against the other"},
                     {"text", "The plot is thin, but the actors are so good that you will not mind at all."},
                     {"methods", {"integrated_gradients", "occlusion"}},
                     {"tab", "scores"}};
  if (info.labels.size() == 2) {
    either["target"] = info.labels[1];
    either["contrast"] = info.labels[0];
  }
  return OrderedJson::array({std::move(either),
                             {{"title", "A head that matters"},
                              {"text", "It is not bad at all, and never dull."},
                              {"methods", {"attattr", "attention"}},
                              {"tab", "heads"}},
                             {{"title", "The pronoun study: what does “she” read?"},
                              {"text", "The director praised the actress because she was wonderful."},
                              {"methods", {"value_zeroing", "attention_rollout"}},
                              {"row", "she"},
                              {"tab", "layers"}},
                             {{"title", "How a negation travels through the layers"},
                              {"text", "I did not expect to like it, and I did not."},
                              {"methods", {"value_zeroing", "attention_rollout"}},
                              {"tab", "flow"}}});
}

OrderedJson for_masks(const std::string& mask) {
  return OrderedJson::array(
      {{{"title", "The pronoun study: whom does it mean?"},
        {"text", fmt::format("The teacher met the girl because {} wanted to help her.", mask)},
        {"methods", {"value_zeroing", "attention_rollout"}},
        {"target", "she"},
        {"contrast", "he"},
        {"tab", "layers"}},
       {{"title", "Either or: singular or plural?"},
        {"text", fmt::format("The keys to the cabinet {} on the table.", mask)},
        {"methods", {"integrated_gradients", "value_zeroing"}},
        {"target", "are"},
        {"contrast", "is"},
        {"tab", "scores"}}});
}

}  // namespace

OrderedJson guided_examples(const ModelInfo& info, const std::string& mask) {
  switch (info.task) {
    case Task::TextClassification:
      return for_classifiers(info);
    case Task::FillMask:
      return mask.empty() ? OrderedJson::array() : for_masks(mask);
    case Task::TextGeneration:
      return OrderedJson::array({{{"title", "The pronoun study: what the next word rests on"},
                                  {"text", "Lily had a cat. One day the cat was sick, and"},
                                  {"methods", {"value_zeroing", "attn_lrp"}},
                                  {"tab", "layers"}}});
    case Task::TextToText:
      return OrderedJson::array({{{"title", "What the output reads of the source"},
                                  {"text", "translate English to German: The house is wonderful."},
                                  {"methods", {"attention", "integrated_gradients"}},
                                  {"tab", "matrix"}}});
    case Task::ImageClassification:
      return OrderedJson::array({{{"title", "Two classes of one picture, side by side"},
                                  {"image", "data:image/jpeg;base64," + base64(page_asset("pets.jpg"))},
                                  {"methods", {"chefer", "attn_lrp", "attention_rollout"}},
                                  {"tab", "image"}}});
    default:
      return OrderedJson::array({{{"title", "How tokens mix"},
                                  {"text", "The animal did not cross the street because it was too tired."},
                                  {"methods", {"value_zeroing", "attention_rollout"}},
                                  {"tab", "layers"}}});
  }
}

}  // namespace headwater
