// BLiMP (Warstadt et al., 2020): a minimal pair per line,
//
//   {"sentence_good": "Susan revealed herself.", "sentence_bad": "Susan revealed themselves.", "UID": …}
//
// as Mohebbi et al. (2023) use it: contractions written out ("hasn't" → "has not"), the one word in which the
// two differ masked, the good one explained against the bad one, and the cue that decides between them
// marked. A line's own "cue", a text or several, goes before these rules, which know the templates the
// sentences were made from (the paper uses a parser):
//
//   anaphor_…                        the subject: a name, or a determiner and its noun
//   determiner_noun_agreement…_1     the determiner before the noun
//   determiner_noun_agreement…_2     the noun that the determiner belongs to: it ends the sentence
//   …_subject_verb_agreement_1       the word before the verb
//   …_subject_verb_agreement_2       the word behind the noun
//   distractor_agreement_…           the first noun
//
// The number that decides is kept as the example's property: that of the determiner, of the pronoun, of the
// verb, or of a noun's verb. Verbs in -s and is, was, has, does are singular; paradigms of gender have none.
//
// Pairs that differ in more than one word, or whose paradigm has no rule, have no place here.
#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>
#include <headwater/error.h>

#include "base/json.h"
#include "base/strings.h"
#include "evaluation/data/evaluation_reader.h"

namespace headwater {

namespace {

using Words = std::vector<std::string>;

constexpr std::array determiners = {"a",     "an",   "the",   "this", "that", "these", "those", "some",
                                    "every", "each", "many",  "most", "all",  "few",   "no",    "lot",
                                    "of",    "two",  "three", "four", "ten",  "much",  "more",  "fewer"};

std::string lowered(std::string word) {
  for (char& c : word)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return word;
}

// Words without the full stop, contractions written out.
Words written_out(std::string sentence) {
  while (!sentence.empty() && (is_ascii_space(sentence.back()) || sentence.back() == '.'))
    sentence.pop_back();
  Words words;
  for (const std::string& word : split(sentence, ' ')) {
    if (word.empty()) continue;
    const std::string low = lowered(word);
    if (low == "can't") {
      words.insert(words.end(), {word.substr(0, 3), "not"});
    } else if (low == "won't") {
      words.insert(words.end(), {word.front() == 'W' ? "Will" : "will", "not"});
    } else if (low.ends_with("n't")) {
      words.insert(words.end(), {word.substr(0, word.size() - 3), "not"});
    } else {
      words.push_back(word);
    }
  }
  return words;
}

// The first noun, behind the determiners it begins with.
std::size_t first_noun(const Words& words) {
  std::size_t at = 0;
  while (at + 1 < words.size() &&
         std::find(determiners.begin(), determiners.end(), lowered(words[at])) != determiners.end())
    ++at;
  return at;
}

// Indices of the cue's words; none if there is no rule.
std::vector<std::size_t> cue_of(const std::string& paradigm, const Words& words, std::size_t target) {
  const auto is = [&](std::string_view begin, std::string_view end = "") {
    return paradigm.find(begin) != std::string::npos && paradigm.ends_with(end);
  };
  if (is("anaphor")) {
    std::vector<std::size_t> subject;
    for (std::size_t at = 0; at <= first_noun(words); ++at) subject.push_back(at);
    return subject;
  }
  if (is("distractor_agreement")) return {first_noun(words)};
  if (is("determiner_noun_agreement", "_2") && target + 1 < words.size()) return {words.size() - 1};
  if (is("determiner_noun_agreement", "_1")) {
    for (std::size_t at = target; at-- > 0;)
      if (const std::string word = lowered(words[at]);
          word == "this" || word == "that" || word == "these" || word == "those")
        return {at};
    return {};
  }
  if (is("subject_verb_agreement", "_1") && target > 0) return {target - 1};
  if (is("subject_verb_agreement", "_2") && target + 1 < words.size()) return {target + 1};
  return {};
}

std::string number_of_word(const std::string& paradigm, const Words& words, std::size_t target,
                           const std::vector<std::size_t>& cue) {
  const auto has = [&](std::string_view part) { return paradigm.find(part) != std::string::npos; };
  const auto verb = [&](std::size_t at) { return lowered(words[at]).ends_with('s') ? "singular" : "plural"; };
  const auto determiner = [&](std::size_t at) {
    const std::string word = lowered(words[at]);
    return word == "these" || word == "those" ? "plural" : "singular";
  };
  if (has("anaphor_number")) return lowered(words[target]) == "themselves" ? "plural" : "singular";
  if (has("determiner_noun")) return determiner(paradigm.ends_with("_2") ? target : cue.front());
  if (has("subject_verb_agreement_2")) return verb(cue.front());
  if (has("subject_verb") || has("distractor_agreement")) return verb(target);
  return {};
}

// Indices of the words of the line's own cue.
std::vector<std::size_t> given_cue(const Json& cue, const Words& words, const std::string& where) {
  std::vector<std::size_t> found;
  for (const Json& one : cue.is_array() ? cue : Json::array({cue})) {
    if (!one.is_string())
      throw InputError(
          fmt::format("{}: cue: expected a word or a list of words, found {}", where, one.type_name()));
    for (const std::string& word : written_out(one.get<std::string>())) {
      const auto at = std::find(words.begin(), words.end(), word);
      if (at == words.end())
        throw InputError(fmt::format("{}: cue: expected a word of the sentence, found '{}'", where, word));
      found.push_back(static_cast<std::size_t>(at - words.begin()));
    }
  }
  return found;
}

EvaluationExample masked(const Words& words, std::size_t target, const std::vector<std::size_t>& cue,
                         const std::string& bad) {
  EvaluationExample made;
  made.target = {.label = words[target], .contrast = bad, .position = std::nullopt};
  made.one_token = true;
  for (std::size_t at = 0; at < words.size(); ++at) {
    if (at > 0) made.input.text += ' ';
    const TextSpan span{static_cast<Index>(made.input.text.size()),
                        static_cast<Index>(made.input.text.size() + words[at].size())};
    made.input.text += words[at];
    if (at == target) made.blank = span;
    if (std::find(cue.begin(), cue.end(), at) != cue.end()) made.cues.push_back(span);
  }
  made.input.text += '.';
  return made;
}

}  // namespace

EvaluationFile read_blimp(const std::string& path, std::size_t limit) {
  EvaluationFile read;
  std::vector<std::string> texts;
  std::size_t without_rule = 0, unlike = 0;
  each_json_line(path, [&](const Json& json, const std::string& where) {
    if (limit > 0 && read.examples.size() >= limit) return false;
    const Words good = written_out(text_at(json, "sentence_good", where)),
                bad = written_out(text_at(json, "sentence_bad", where));
    std::vector<std::size_t> differ;
    for (std::size_t at = 0; at < good.size() && at < bad.size(); ++at)
      if (good[at] != bad[at]) differ.push_back(at);
    if (good.size() != bad.size() || differ.size() != 1) {
      ++unlike;
      return true;
    }
    const std::string paradigm = json.contains("UID") ? text_at(json, "UID", where) : "";
    const std::vector<std::size_t> cue =
        json.contains("cue") ? given_cue(json["cue"], good, where) : cue_of(paradigm, good, differ.front());
    if (cue.empty()) {
      ++without_rule;
      return true;
    }
    read.examples.push_back(masked(good, differ.front(), cue, bad[differ.front()]));
    read.examples.back().name = where;
    if (!json.contains("cue"))
      read.examples.back().property = number_of_word(paradigm, good, differ.front(), cue);
    texts.insert(texts.end(), {read.examples.back().input.text, bad[differ.front()]});
    for (const std::size_t at : cue) texts.push_back(std::to_string(at));
    return true;
  });
  read.understood = fmt::format("BLiMP: {} minimal pairs", read.examples.size());
  if (unlike > 0)
    read.understood += fmt::format("; {} differ in more than one word and are left out", unlike);
  if (without_rule > 0)
    read.understood += fmt::format("; {} have no rule for their cue and are left out", without_rule);
  read.identity = hash_of_texts(texts);
  return read;
}

}  // namespace headwater
