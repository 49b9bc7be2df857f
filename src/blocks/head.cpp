#include "blocks/head.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <headwater/error.h>

#include "blocks/transformer.h"

namespace headwater {
namespace {

// As Hugging Face chooses: the rightmost token that is not padding, or the first if all are.
int last_token(const std::vector<int>& ids, int padding_id) {
  for (std::size_t t = ids.size(); t-- > 0;)
    if (ids[t] != padding_id) return static_cast<int>(t);
  return 0;
}

Var rows_read(const Var& x, const Head& head, const Batch& batch) {
  switch (head.reads) {
    case Head::Reads::First:
      return select(x, std::vector<int>(as_size(x.value.dim(0)), 0), Site::Pooled);
    case Head::Reads::LastToken: {
      std::vector<int> last;
      for (const auto& ids : batch.ids) last.push_back(last_token(ids, head.padding_id));
      return select(x, last, Site::Pooled);
    }
    case Head::Reads::All:
      break;
  }
  return batch.positions.empty() ? x : gather(x, batch.positions);
}

Var apply_step(const Var& x, const HeadStep& step, Site site) {
  if (const auto* linear_step = std::get_if<LinearWeights>(&step)) return linear(x, *linear_step, site);
  if (const auto* norm_step = std::get_if<NormWeights>(&step)) return norm(x, *norm_step, site);
  return activation(x, std::get<Activation>(step), site);
}

constexpr std::array<std::pair<std::string_view, Task>, 14> tasks{{
    {"ForSequenceClassification", Task::TextClassification},
    {"ForNextSentencePrediction", Task::TextClassification},
    {"ForTokenClassification", Task::TokenClassification},
    {"ForQuestionAnswering", Task::QuestionAnswering},
    {"ForMaskedLM", Task::FillMask},
    {"ForPreTraining", Task::FillMask},
    {"LMHeadModel", Task::TextGeneration},
    {"ForCausalLM", Task::TextGeneration},
    {"ForConditionalGeneration", Task::TextToText},
    {"EncoderModel", Task::FeatureExtraction},
    {"ForImageClassificationWithTeacher", Task::ImageClassification},
    {"ForImageClassification", Task::ImageClassification},
    {"Model", Task::FeatureExtraction},
    {"", Task::FeatureExtraction},
}};

}  // namespace

Var Head::operator()(const Var& x, const Batch& batch) const {
  Var y = rows_read(x, *this, batch);
  if (steps.empty()) return scale(y, 1, Site::Logits);
  for (std::size_t i = 0; i < steps.size(); ++i)
    y = apply_step(y, steps[i], i + 1 == steps.size() ? Site::Logits : Site::None);
  return y;
}

HeadName head_name(std::string_view architecture, const std::vector<std::string_view>& known,
                   const std::string& where) {
  if (std::find(known.begin(), known.end(), architecture) == known.end())
    throw Unsupported(fmt::format("{}: architecture '{}' is not implemented; supported are {}", where,
                                  architecture, fmt::join(known, ", ")));
  for (const auto& [suffix, task] : tasks)
    if (architecture.ends_with(suffix)) return {.suffix = std::string(suffix), .task = task};
  throw InternalError(fmt::format("head: no task for '{}'", architecture));
}

}  // namespace headwater
