// "Because" is said only of a target that is the model's answer, and only by a method that knows the class
// and tells for from against: of another target it is said what counts for it and against it, of a contrast
// that the model decides the other way what counts for either side, and by another method what its row reads
// or what is strongest.
#include "result/sentence.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <headwater/formats.h>

#include "result/reasons.h"
#include "result/rows.h"
#include "result/running_text.h"
#include "result/text_width.h"
#include "study/terms.h"

namespace headwater {

namespace {

std::string rounded_percent(double p) {
  if (p > 0.9995) return "> 99.9 %";
  if (p < 0.0005) return "< 0.1 %";
  return fmt::format("{:.1f} %", 100 * p);
}

// A label as it is; what stands in a text, or would, in quotes.
std::string name_of_label(const Report& report, const std::string& label) {
  const Task task = report.model.task;
  const bool is_text = is_vocabulary(task) || report.target.span;
  if (!is_text) return terminal_safe(label);
  if (label.empty()) return "nothing";
  const std::size_t first = label.find_first_not_of(' ');
  return fmt::format("“{}”", terminal_safe(first == std::string::npos ? label : label.substr(first)));
}

// The token at the target's position, as it stands in the text; empty where the view has none.
std::string target_place(const Report& report) {
  const auto& tokens = report.prediction.units;
  if (report.target.position < 0) return {};
  const Index at = written_from(report) + report.target.position;
  if (at >= static_cast<Index>(tokens.size())) return {};
  const Unit& token = tokens[static_cast<std::size_t>(at)];
  const std::string word = token_word(token);
  const bool mask = report.model.task == Task::FillMask && (word.starts_with('[') || word.starts_with('<'));
  return token.special || mask ? word : fmt::format("“{}”", word);
}

bool is_next(const Report& report) {
  const auto& tokens = report.prediction.units;
  const auto own = std::count_if(tokens.begin(), tokens.end(), [](const Unit& t) { return t.target; });
  return report.target.position < 0 || written_from(report) + report.target.position + 1 + own >=
                                           static_cast<std::ptrdiff_t>(tokens.size());
}

// What comes before the target's name and behind its number.
struct Frame {
  std::string before, behind;
};

Frame frame_of(const Report& report) {
  const std::string place = target_place(report);
  switch (report.model.task) {
    case Task::TextGeneration:
    case Task::TextToText:
      if (!is_next(report)) return {"", " after " + place};
      return {report.target.tokens.empty() ? "next token " : "next tokens ", ""};
    case Task::FillMask:
      return {"", place.empty() ? " at the mask" : " at " + place};
    case Task::QuestionAnswering:
      if (report.target.span) return {"answer ", ""};
      return {"answer's ", place.empty() ? "" : " at " + place};
    case Task::TokenClassification:
      return {place.empty() ? "" : place + " is ", ""};
    default:
      return {};
  }
}

bool has_output(const Report& report) {
  return !report.target.label.empty() || report.target.span;
}

// Labels that do not exclude each other: their probabilities do not add up to 1.
bool says_several(const Report& report) {
  if (report.model.task != Task::TextClassification || report.prediction.outcomes.empty()) return false;
  double sum = 0;
  for (const Score& score : report.prediction.outcomes.front().top) sum += score.probability;
  return std::abs(sum - 1) > 1e-6;
}

bool is_regression(const Report& report) {
  return std::isnan(report.target.probability);
}

// The model's own answer where the target is read; empty if it is the target or cannot be told.
std::string other_answer(const Report& report) {
  const Target& target = report.target;
  if (target.contrast || has_several_tokens(target) || is_regression(report) || says_several(report))
    return {};
  if (target.span) {
    const auto& answer = report.prediction.answer;
    const bool same =
        !answer || (answer->first_token == target.span->first && answer->last_token == target.span->last);
    return same ? "" : name_of_label(report, answer->text);
  }
  const Score* best = nullptr;
  for (const Outcome& outcome : report.prediction.outcomes) {
    if (outcome.position != target.position || outcome.top.empty()) continue;
    best = &outcome.top.front();
    // Tokens of a word share its position in a view of words.
    if (best->index == target.index) return {};
  }
  return best == nullptr || report.model.task == Task::QuestionAnswering ? ""
                                                                         : name_of_label(report, best->label);
}

// Whether what is explained is what the model says.
bool is_answer(const Report& report) {
  const Target& target = report.target;
  if (target.contrast) return !prefers_contrast(report);
  if (says_several(report)) return target.probability > 0.5;
  return !has_several_tokens(target) && other_answer(report).empty();
}

// The first of those that say most: that know the class and its signs, then the class, then anything.
const Attribution* speaker_of(const std::vector<const Attribution*>& results) {
  const Attribution* best = nullptr;
  int rank = 0;
  for (const Attribution* result : results) {
    if (result->scores().empty()) continue;
    const int own = !result->traits.of_target        ? 1
                    : has_axis(*result, Axis::Query) ? 2
                    : result->traits.is_signed       ? 4
                                                     : 3;
    if (own <= rank) continue;
    rank = own;
    best = result;
  }
  return best;
}

std::string row_name(const Report& report) {
  const auto row = static_cast<std::size_t>(row_to_show(report));
  const auto& tokens = report.prediction.units;
  const std::string name = !report.answer_token.empty() ? terminal_safe(report.answer_token)
                           : row < tokens.size()        ? token_word(tokens[row])
                                                        : "[CLS]";
  const bool special = name.starts_with('[') || name.starts_with('<');
  return special ? name
                 : fmt::format("“{}”", name.substr(std::min(name.find_first_not_of(' '), name.size())));
}

const char* reads(const Report& report) {
  return report.read.size() > 1 ? "read" : "reads";
}

std::string layer_name(const Attribution& attribution, Index layer) {
  return layer + 1 < layer_count(attribution) || attribution.aggregate.empty()
             ? fmt::format(" in layer {}", layer)
             : "";
}

std::string unit_word(const Report& report) {
  return patches_of(report.prediction) != nullptr ? "part of the picture" : "word";
}

std::string outweighed(const Reasons& reasons) {
  return reasons.special.empty() ? "" : "; more than any word: " + reasons.special;
}

// What counts for either side of a contrast that the model decides against the target.
std::string both_sides(const Report& report, const Reasons& reasons) {
  const std::string preferred = name_of_label(report, report.target.contrast_label);
  std::string text = reasons.most.empty() ? fmt::format("; no {} counts for {}", unit_word(report), preferred)
                                          : fmt::format("; for {}: {}", preferred, reasons.most);
  if (!reasons.against.empty())
    text += fmt::format("; for {}: {}", name_of_label(report, report.target.label), reasons.against);
  return text;
}

// Of a method that explains the output: " because of …; against: …".
std::string because(const Report& report, const Attribution& attribution, const Reasons& reasons,
                    Index layer) {
  const std::string unit = unit_word(report);
  if (reasons.none) return fmt::format("; no {} counts for it or against it", unit);
  if (is_regression(report)) {  // a number has no side
    const std::string up = reasons.most.empty() ? "" : "raised by " + reasons.most;
    const std::string down = reasons.against.empty() ? "" : "lowered by " + reasons.against;
    return fmt::format(": {}{}{}", up, up.empty() || down.empty() ? "" : "; ", down);
  }
  if (prefers_contrast(report)) return both_sides(report, reasons);
  const std::string against = reasons.against.empty() ? "" : "; against: " + reasons.against;
  const std::string read =
      has_axis(attribution, Axis::Query)
          ? fmt::format("what {} {}{}: ", row_name(report), reads(report), layer_name(attribution, layer))
          : "";
  if (!is_answer(report)) {
    if (reasons.most.empty()) return fmt::format("; no {} counts for it{}", unit, against);
    return fmt::format("; for it: {}{}{}", read, reasons.most, against);
  }
  if (reasons.most.empty()) return fmt::format(", though no {} counts for it{}", unit, against);
  if (reasons.hardly) return fmt::format(", hardly because of its words: {}{}", reasons.most, against);
  if (patches_of(report.prediction) != nullptr)
    return fmt::format("; for it: {}{}{}", read, reasons.most, against);
  return fmt::format(" because of {}{}{}", read, reasons.most, against);
}

// Of a method that does not tell for from against: what the row reads, or what is strongest.
std::string reading(const Report& report, const Attribution& attribution, const Reasons& reasons,
                    Index layer) {
  if (!has_axis(attribution, Axis::Query)) {
    if (reasons.none && reasons.special.empty()) return fmt::format("no {} has a score", unit_word(report));
    if (reasons.spread) return reasons.most;
    return "strongest: " + (reasons.none ? reasons.special : reasons.most + outweighed(reasons));
  }
  const std::string row = fmt::format("{} {}", row_name(report), reads(report));
  if (reasons.none && reasons.special.empty()) return row + " no word";
  const bool several = attribution.aggregate.empty() && layer_count(attribution) > 1;
  const std::string where =
      several && layer + 1 < layer_count(attribution) ? fmt::format("in layer {} ", layer) : "";
  if (reasons.none) return fmt::format("{}{} most from {}", where, row, reasons.special);
  if (reasons.spread) return fmt::format("{}{} from the whole picture", where, row);
  if (reasons.special.empty()) return fmt::format("{}{} most from {}", where, row, reasons.most);
  return fmt::format("{}{} most from {}, of the words from {}", where, row, reasons.special, reasons.most);
}

// Who says so: "(chefer, unsigned)".
std::string said_by(const Report& report, const Attribution& attribution, const Reasons& reasons) {
  const bool general = has_output(report) && !attribution.traits.of_target;
  return name_of(attribution) + (general                                   ? ", same for every class"
                                 : !reasons.has_sign && has_output(report) ? ", unsigned"
                                                                           : "");
}

// The other result of its kind that ranks the words least alike, where that is not alike at all.
std::string dissent(const Report& report, const Attribution& speaker) {
  constexpr double alike = 0.5;
  const std::string own = name_of(speaker);
  const Agreement* worst = nullptr;
  const auto is_of_its_kind = [&](const std::string& name) {
    const auto found = std::find_if(report.attributions.begin(), report.attributions.end(),
                                    [&](const Attribution& a) { return name_of(a) == name; });
    return found != report.attributions.end() && found->traits.of_target == speaker.traits.of_target &&
           found->traits.is_signed == speaker.traits.is_signed;
  };
  for (const Agreement& pair : report.agreement) {
    if (pair.first != own && pair.second != own) continue;
    if (!(pair.whole_kendall < alike) || !is_of_its_kind(pair.first == own ? pair.second : pair.first))
      continue;
    if (worst == nullptr || pair.whole_kendall < worst->whole_kendall) worst = &pair;
  }
  if (worst == nullptr) return {};
  return fmt::format("; {} ranks the {} otherwise, τ {}{:.2f}",
                     worst->first == own ? worst->second : worst->first,
                     patches_of(report.prediction) != nullptr ? "patches" : "words",
                     worst->whole_kendall < 0 ? "−" : "", std::abs(worst->whole_kendall));
}

std::string sentence_with(const Report& report, const Attribution& result, Index layer,
                          const std::string& more) {
  const std::string answer = answer_of(report);
  const Reasons reasons = reasons_of(report, result, layer);
  const std::string other = other_answer(report);
  const std::string corrected = answer + (other.empty() ? "" : fmt::format(" (the answer is {})", other));
  const std::string said = fmt::format(" ({}{})", said_by(report, result, reasons), more);
  if (result.traits.of_target && reasons.has_sign && !answer.empty())
    return corrected + because(report, result, reasons, layer) + outweighed(reasons) + said;
  return (answer.empty() ? "" : corrected + "; ") + reading(report, result, reasons, layer) + said;
}

}  // namespace

std::string answer_of(const Report& report) {
  const Target& target = report.target;
  if (!has_output(report)) return {};
  const Frame frame = frame_of(report);
  const std::string name = name_of_label(report, target.label);
  if (target.contrast) {
    const std::string other = name_of_label(report, target.contrast_label);
    const bool turned = prefers_contrast(report);
    return fmt::format("{}{} {} {}{} ({} difference {:.2f})", frame.before, turned ? other : name,
                       target.logit == 0 ? "as much as" : "rather than", turned ? name : other, frame.behind,
                       has_several_tokens(target) ? "log-probability" : "logit", std::abs(target.logit));
  }
  const std::string value = is_regression(report)
                                ? fmt::format("{}{:.2f}", target.logit < 0 ? "−" : "", std::abs(target.logit))
                                : rounded_percent(target.probability);
  return fmt::format("{}{} {}{}", frame.before, name, value, frame.behind);
}

std::string sentence_at(const Report& report, const Attribution& result, Index layer) {
  return sentence_with(report, result, layer, {});
}

std::string sentence_of(const Report& report, const Attribution& result) {
  return sentence_at(report, result, shown_layer(report, result));
}

std::string sentence_over(const Report& report, const std::vector<const Attribution*>& results, Index layer) {
  if (const Attribution* speaker = speaker_of(results))
    return sentence_with(report, *speaker, layer >= 0 ? layer : shown_layer(report, *speaker),
                         dissent(report, *speaker));
  const std::string answer = answer_of(report);
  return answer.empty() ? terminal_safe(report.record.architecture) : answer;
}

std::string sentence_of(const Report& report) {
  std::vector<const Attribution*> all;
  for (const Attribution& attribution : report.attributions) all.push_back(&attribution);
  return sentence_over(report, all);
}

Headline headline(const Prediction& prediction) {
  if (prediction.answer) return {prediction.answer->text, prediction.answer->probability};
  if (prediction.continuation) return {*prediction.continuation, 0};
  if (prediction.outcomes.empty() || prediction.outcomes.front().top.empty()) return {};
  const Score& best = prediction.outcomes.front().top.front();
  return {best.label, best.probability};
}

std::string record_line(const RunRecord& record) {
  return fmt::format("headwater {} · {} · {} · {} threads · weights {}", record.version,
                     terminal_safe(record.model), record.dtype, record.threads,
                     record.weights_sha256.substr(0, 12));
}

}  // namespace headwater
