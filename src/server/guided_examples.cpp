#include "server/guided_examples.h"

#include <fmt/format.h>

#include "base/encoding.h"
#include "methods/method.h"
#include "page/assets.h"

namespace headwater {

namespace {

std::vector<std::string> names_for(std::initializer_list<Role> roles) {
  std::vector<std::string> names;
  for (const Role role : roles) names.emplace_back(method_for(role).name);
  return names;
}

std::vector<GuidedExample> for_classifiers(const ModelInfo& info) {
  const bool two = info.labels.size() == 2;
  return {{.title = "Either or: what speaks for one label and against the other",
           .text = "The plot is thin, but the actors are so good that you will not mind at all.",
           .target = two ? info.labels[1] : "",
           .contrast = two ? info.labels[0] : "",
           .tab = "scores",
           .methods = names_for({Role::Answer, Role::Removal})},
          {.title = "A head that matters",
           .text = "It is not bad at all, and never dull.",
           .tab = "heads",
           .methods = names_for({Role::Heads, Role::FirstLook})},
          {.title = "The pronoun study: what does “she” read?",
           .text = "The director praised the actress because she was wonderful.",
           .row = "she",
           .tab = "layers",
           .methods = names_for({Role::Mixing, Role::MixingAlone})},
          {.title = "How a negation travels through the layers",
           .text = "I did not expect to like it, and I did not.",
           .tab = "flow",
           .methods = names_for({Role::Mixing, Role::MixingAlone})}};
}

std::vector<GuidedExample> for_masks(const std::string& mask) {
  return {{.title = "The pronoun study: whom does it mean?",
           .text = fmt::format("The teacher met the girl because {} wanted to help her.", mask),
           .target = "she",
           .contrast = "he",
           .tab = "layers",
           .methods = names_for({Role::Mixing, Role::MixingAlone})},
          {.title = "Either or: singular or plural?",
           .text = fmt::format("The keys to the cabinet {} on the table.", mask),
           .target = "are",
           .contrast = "is",
           .tab = "scores",
           .methods = names_for({Role::Answer, Role::Mixing})}};
}

}  // namespace

std::vector<GuidedExample> guided_examples(const ModelInfo& info, const std::string& mask) {
  switch (info.task) {
    case Task::TextClassification:
      return for_classifiers(info);
    case Task::FillMask:
      return mask.empty() ? std::vector<GuidedExample>() : for_masks(mask);
    case Task::TextGeneration:
      return {{.title = "The pronoun study: what the next word rests on",
               .text = "Lily had a cat. One day the cat was sick, and",
               .tab = "layers",
               .methods = names_for({Role::Mixing, Role::QuickAnswer})}};
    case Task::TextToText:
      return {{.title = "What the output reads of the source",
               .text = "translate English to German: The house is wonderful.",
               .tab = "matrix",
               .methods = names_for({Role::FirstLook, Role::Answer})}};
    case Task::ImageClassification:
      return {{.title = "Two classes of one picture, side by side",
               .image = "data:image/jpeg;base64," + base64(page_asset("pets.jpg")),
               .tab = "image",
               .methods = names_for({Role::Picture, Role::QuickAnswer, Role::MixingAlone})}};
    default:
      return {{.title = "How tokens mix",
               .text = "The animal did not cross the street because it was too tired.",
               .tab = "layers",
               .methods = names_for({Role::Mixing, Role::MixingAlone})}};
  }
}

}  // namespace headwater
