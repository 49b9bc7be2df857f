// The annotations of an example, in the units that metrics count: words, pixels, a label's index.
#include <algorithm>

#include <fmt/format.h>
#include <headwater/error.h>

#include "base/strings.h"
#include "evaluation/run/evaluate.h"
#include "image/image.h"
#include "result/rows.h"
#include "study/labels.h"

namespace headwater {

namespace {

// Words between white space, and whether a span touches them.
std::vector<AnnotatedWord> annotated_words(const std::string& text, const std::vector<TextSpan>& evidence) {
  std::vector<AnnotatedWord> words;
  for (std::size_t at = 0; at < text.size();) {
    if (is_ascii_space(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && !is_ascii_space(text[end])) ++end;
    AnnotatedWord word{.begin = static_cast<Index>(at), .end = static_cast<Index>(end)};
    word.evidence = std::any_of(evidence.begin(), evidence.end(), [&](const TextSpan& span) {
      return span.begin < word.end && span.end > word.begin;
    });
    words.push_back(word);
    at = end;
  }
  return words;
}

// Masks are grey: 0 and 2 are background, 1 and 255 the object, 3 its edge, which counts as neither.
ObjectMask object_mask(const LoadedModel& loaded, const std::string& path) {
  const Image seen = loaded.processor->crop(read_image(path), Resample::Nearest);
  ObjectMask mask{.width = seen.width, .height = seen.height};
  for (std::size_t i = 0; i < seen.rgb.size(); i += 3) {
    const int level = seen.rgb[i];
    if (level != 0 && level != 1 && level != 2 && level != 3 && level != 255)
      throw InputError(fmt::format(
          "{}: expected a mask of the levels 0 and 255, or 1 (object), 2 (background) and 3 (edge), found {}",
          path, level));
    mask.pixels.push_back(level == 3 ? 2 : level == 1 || level == 255 ? 1 : 0);
  }
  return mask;
}

// The id of a word that is one token, in the form for targets; nothing if the word has several tokens.
std::optional<std::string> one_token(const Tokenizer& tokenizer, const std::string& word) {
  for (const std::string& text : {" " + word, word}) {
    std::vector<int> ids;
    for (const Token& token : tokenizer.encode(text, std::nullopt, {}).tokens)
      if (!token.special) ids.push_back(token.id);
    if (ids.size() == 1) return fmt::format("#{}", ids.front());
  }
  return std::nullopt;
}

}  // namespace

int gold_index(const ModelInfo& info, const std::map<std::string, std::string>& names,
               const std::string& gold) {
  const auto named = names.find(gold);
  const std::string& wanted = named == names.end() ? gold : named->second;
  int beginning = -1, fitting = 0;
  for (std::size_t i = 0; i < info.labels.size(); ++i)
    if (!wanted.empty() && same_ignoring_case(info.labels[i].substr(0, wanted.size()), wanted)) {
      beginning = static_cast<int>(i);
      ++fitting;
    }
  const bool exact = std::any_of(info.labels.begin(), info.labels.end(),
                                 [&](const std::string& label) { return same_ignoring_case(label, wanted); });
  return !exact && fitting == 1 ? beginning : label_index(info.labels, wanted, "label");
}

TargetSpec target_of(const LoadedModel& loaded, const EvaluateRequest& request,
                     const EvaluationExample& example, std::string& left_out) {
  TargetSpec target = example.target;
  if (target.label.empty() && request.explained == EvaluateRequest::Explained::Gold) {
    if (example.gold.empty())
      throw InputError("target: expected a gold label to explain, found none; explain the prediction");
    target.label = std::to_string(gold_index(loaded.info(), request.gold_labels, example.gold));
  }
  if (!example.one_token || !loaded.tokenizer) return target;
  for (std::string* word : {&target.label, &target.contrast}) {
    if (word->empty()) continue;
    const std::optional<std::string> id = one_token(*loaded.tokenizer, *word);
    if (!id) {
      left_out = fmt::format("'{}' is more than one token", *word);
      return target;
    }
    *word = *id;
  }
  return target;
}

std::optional<EvaluationExample> placed(const LoadedModel& loaded, EvaluationExample example,
                                        std::string& left_out) {
  if (!example.blank) return example;
  const TextSpan blank = *example.blank;
  const Task task = loaded.info().task;
  const auto at = static_cast<std::size_t>(blank.begin);
  if (task == Task::TextGeneration) {
    for (const TextSpan& cue : example.cues)
      if (cue.begin >= blank.begin) {
        left_out = "its cue comes after the word to predict";
        return std::nullopt;
      }
    example.input.text.resize(at);
    while (!example.input.text.empty() && is_ascii_space(example.input.text.back()))
      example.input.text.pop_back();
    if (!example.input.text.empty()) return example;
    left_out = "nothing stands before the word to predict";
    return std::nullopt;
  }
  const std::optional<int> mask =
      loaded.tokenizer ? loaded.tokenizer->special_id("mask_token") : std::nullopt;
  if (task != Task::FillMask || !mask)
    throw Unsupported(fmt::format("{}: predicts no word in a blank; open a masked or causal language model",
                                  loaded.info().architecture));
  const std::string piece = loaded.tokenizer->piece_of(*mask);
  example.input.text.replace(at, static_cast<std::size_t>(blank.end - blank.begin), piece);
  const Index moved = static_cast<Index>(piece.size()) - (blank.end - blank.begin);
  for (std::vector<TextSpan>* spans : {&example.cues, &example.evidence})
    for (TextSpan& span : *spans)
      if (span.begin >= blank.end) {
        span.begin += moved;
        span.end += moved;
      }
  return example;
}

ModelTrial model_trial(const LoadedModel& loaded, const EvaluateRequest& request) {
  ModelTrial trial{.loaded = loaded, .seed = request.seed, .max_memory = request.max_memory};
  for (const EvaluationExample& example : request.examples) {
    trial.inputs.push_back({.input = example.input});
    if (!example.gold.empty() && !loaded.info().labels.empty())
      trial.inputs.back().label =
          std::to_string(gold_index(loaded.info(), request.gold_labels, example.gold));
  }
  return trial;
}

std::vector<ExampleValues> model_values(const LoadedModel& loaded, const ChosenMetric& metric,
                                        const EvaluateRequest& request) {
  ModelTrial trial = model_trial(loaded, request);
  trial.advance = [&](double done) {
    if (request.progress) request.progress({.method = std::string(metric.evaluation->name), .done = done}, 0);
  };
  std::vector<ExampleValues> values;
  for (std::vector<EvaluationValue>& of_one : metric.evaluation->measure_model(trial, metric.options))
    values.push_back({.example = values.size(), .values = {std::move(of_one)}});
  return values;
}

std::vector<std::vector<int>> units_of_tokens(const std::vector<Unit>& tokens, View::Unit unit) {
  std::vector<std::vector<int>> units;
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    if (unit == View::Unit::Token || t == 0 || !same_word(tokens[t - 1], tokens[t])) units.emplace_back();
    units.back().push_back(static_cast<int>(t));
  }
  return units;
}

Sample sample_of(const LoadedModel& loaded, const EvaluationExample& example, const Report& report) {
  const Sequence* patches = patches_of(report.prediction);
  Sample sample{.annotated = example.annotated, .cues = example.cues};
  if (patches == nullptr)
    sample.tokens = report.prediction.units;
  else
    sample.prefix = static_cast<std::size_t>(first_patch(*patches));
  for (const std::vector<TextSpan>* spans : {&example.evidence, &example.cues})
    for (const TextSpan& span : *spans)
      if (span.begin < 0 || span.end < span.begin || span.end > static_cast<Index>(example.input.text.size()))
        throw InputError(fmt::format("evidence: expected spans within the {} bytes of the text, found {}–{}",
                                     example.input.text.size(), span.begin, span.end));
  if (example.annotated) sample.words = annotated_words(example.input.text, example.evidence);
  if (patches == nullptr) return sample;
  sample.width = sample.height = loaded.info().image_size;
  sample.grid_width = static_cast<int>(patches->columns);
  sample.grid_height = static_cast<int>(patches->rows);
  if (!example.mask.empty()) sample.mask = object_mask(loaded, example.mask);
  return sample;
}

}  // namespace headwater
