#include "server/guided_examples.h"

#include <fmt/format.h>

#include "base/encoding.h"
#include "methods/method.h"
#include "page/assets.h"

namespace headwater {

namespace {

OrderedJson names_for(std::initializer_list<Role> roles) {
  OrderedJson names = OrderedJson::array();
  for (const Role role : roles) names.push_back(method_for(role).name);
  return names;
}

OrderedJson for_classifiers(const ModelInfo& info) {
  OrderedJson either{{"title", "Either or: what speaks for one label and against the other"},
                     {"text", "The plot is thin, but the actors are so good that you will not mind at all."},
                     {"methods", names_for({Role::Answer, Role::Removal})},
                     {"tab", "scores"}};
  if (info.labels.size() == 2) {
    either["target"] = info.labels[1];
    either["contrast"] = info.labels[0];
  }
  return OrderedJson::array({std::move(either),
                             {{"title", "A head that matters"},
                              {"text", "It is not bad at all, and never dull."},
                              {"methods", names_for({Role::Heads, Role::FirstLook})},
                              {"tab", "heads"}},
                             {{"title", "The pronoun study: what does “she” read?"},
                              {"text", "The director praised the actress because she was wonderful."},
                              {"methods", names_for({Role::Mixing, Role::MixingAlone})},
                              {"row", "she"},
                              {"tab", "layers"}},
                             {{"title", "How a negation travels through the layers"},
                              {"text", "I did not expect to like it, and I did not."},
                              {"methods", names_for({Role::Mixing, Role::MixingAlone})},
                              {"tab", "flow"}}});
}

OrderedJson for_masks(const std::string& mask) {
  return OrderedJson::array(
      {{{"title", "The pronoun study: whom does it mean?"},
        {"text", fmt::format("The teacher met the girl because {} wanted to help her.", mask)},
        {"methods", names_for({Role::Mixing, Role::MixingAlone})},
        {"target", "she"},
        {"contrast", "he"},
        {"tab", "layers"}},
       {{"title", "Either or: singular or plural?"},
        {"text", fmt::format("The keys to the cabinet {} on the table.", mask)},
        {"methods", names_for({Role::Answer, Role::Mixing})},
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
                                  {"methods", names_for({Role::Mixing, Role::QuickAnswer})},
                                  {"tab", "layers"}}});
    case Task::TextToText:
      return OrderedJson::array({{{"title", "What the output reads of the source"},
                                  {"text", "translate English to German: The house is wonderful."},
                                  {"methods", names_for({Role::FirstLook, Role::Answer})},
                                  {"tab", "matrix"}}});
    case Task::ImageClassification:
      return OrderedJson::array(
          {{{"title", "Two classes of one picture, side by side"},
            {"image", "data:image/jpeg;base64," + base64(page_asset("pets.jpg"))},
            {"methods", names_for({Role::Picture, Role::QuickAnswer, Role::MixingAlone})},
            {"tab", "image"}}});
    default:
      return OrderedJson::array({{{"title", "How tokens mix"},
                                  {"text", "The animal did not cross the street because it was too tired."},
                                  {"methods", names_for({Role::Mixing, Role::MixingAlone})},
                                  {"tab", "layers"}}});
  }
}

}  // namespace headwater
